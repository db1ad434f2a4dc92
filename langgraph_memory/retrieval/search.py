"""Searching a snapshot: the best lines of each channel alone, then everything else on these and what is around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.models.ports import QuestionWords, TermDirections, Vector
from langgraph_memory.retrieval import mem0
from langgraph_memory.retrieval.bm25 import Collection, Matched, windows
from langgraph_memory.retrieval.formulae import Rated, by_places, by_rating
from langgraph_memory.retrieval.fuse import Fused, convex
from langgraph_memory.retrieval.kindred import MOST, kindred, spread
from langgraph_memory.retrieval.picking import best, diversified, pool_of
from langgraph_memory.retrieval.recipe import SHORT, Recipe
from langgraph_memory.retrieval.region import DENSE_KERNEL, LEXICAL_KERNEL, LONG, Region, Rows, Scores
from langgraph_memory.retrieval.snapshot import Snapshot

_STRIDE = 8
"""One in so many scores is looked at first, to know which are worth comparing."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is searched with.

    Attributes:
        terms: the distinct terms of the question.
        vector: of the question; None where there is no dense channel.
        words: the question word by word, with the table to compare them with; None where nobody reads it so.
    """

    terms: Sequence[str]
    vector: Vector | None = None
    words: tuple[QuestionWords, TermDirections] | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """The best lines of one search.

    Attributes:
        rows: the snapshot's rows, best first.
        scores: one a row; 0..1 with the default recipe.
    """

    rows: Sequence[int]
    scores: Sequence[float]
    fused: Fused
    places: Sequence[int]

    def signals(self) -> list[dict[str, float]]:
        """Return the parts of each score by channel, and each channel's own number under `raw_...`."""
        named: Mapping[str, Scores] = {
            **self.fused.parts,
            **self.fused.details,
            **{f"raw_{name}": values for name, values in self.fused.raw.items()},
        }
        return [{name: _short(values[at]) for name, values in named.items()} for at in self.places]


def _short(value: np.float32) -> float:
    """Return the number with the digits that it has; of a small one too, which may be scaled up later."""
    return float(f"{value:.9g}")


def search(
    recipe: Recipe,
    snapshot: Snapshot,
    question: Question,
    allowed: NDArray[np.bool_],
    *,
    limit: int,
    floor: float,
    most: int,
    shortlist: int = 0,
    least: float | None = None,
    rated: Rated | None = None,
    boost: Scores | None = None,
    collection: Collection | None = None,
) -> Found:
    """Return the best lines for a question.

    Args:
        allowed: the lines that may be shown; the others take no part.
        limit: lines at most.
        shortlist: lines at most where that is more, so that others may choose among them; the first `limit` are the
            same with and without it. Diversity finds no more than it chooses from.
        floor: the embedder's cosine below which two texts have nothing to do with each other.
        most: lines of each channel that are looked at together with what stands around them.
        least: only lines with at least this score; None for all.
        rated: how old and how important every line is, where the formula asks for it (`formulae.RATED`).
        boost: per line, what it gains for mentioning an entity of the question; None where it names none.
        collection: where the snapshot is only a sample, what it is a sample of.
    """
    cosine = None if question.vector is None else snapshot.cosine(question.vector)
    matched = snapshot.postings.match(question.terms, collection) if question.terms else None
    alone = None if matched is None else matched.alone(k1=recipe.k1, b=recipe.b)
    if rated is not None:  # such a formula ranks lines that no channel finds
        every = np.arange(len(snapshot), dtype=np.int32)
        fused = by_rating(recipe, cosine, alone, rated, allowed, floor)
        return _picked(recipe, snapshot, fused, every, limit, shortlist, least)
    channels = [channel for channel in (cosine, alone, boost) if channel is not None]
    most = max(most, pool_of(recipe, limit))
    while True:
        candidates, all_of_them = _candidates(channels, allowed, most)
        region = snapshot.region(candidates, allowed)
        if not len(region):
            empty = np.zeros(0, dtype=np.float32)
            return Found((), (), Fused(empty, {}, {}), ())
        fused = _Here(recipe, snapshot, question, region, collection).fuse(
            None if cosine is None else cosine[region.rows],
            matched,
            None if alone is None else alone[region.rows],
            None if boost is None else boost[region.rows],
            floor=floor,
        )
        found = _picked(recipe, snapshot, fused, region.rows, limit, shortlist, least)
        if len(found.rows) >= limit or all_of_them or least is not None:
            return found
        most *= 4  # the best lines repeat each other


def _picked(
    recipe: Recipe, snapshot: Snapshot, fused: Fused, rows: Rows, limit: int, shortlist: int, least: float | None
) -> Found:
    """Return the best of these rows, different from each other where the recipe asks for it."""
    wanted = max(limit, shortlist)
    pool = wanted if recipe.diversity is None else pool_of(recipe, limit)
    places = best(fused, rows, pool, least=least, wordings=snapshot.wordings(rows))
    if recipe.diversity is not None:
        vectors = snapshot.vectors([int(rows[at]) for at in places])
        fused, places = diversified(fused, places, vectors, weight=recipe.diversity, limit=wanted)
    return Found([int(rows[at]) for at in places], [float(fused.score[at]) for at in places], fused, places)


@dataclass(frozen=True, slots=True)
class _Here:
    """One question on one region."""

    recipe: Recipe
    snapshot: Snapshot
    question: Question
    region: Region
    collection: Collection | None

    def fuse(
        self,
        cosine: Scores | None,
        matched: Matched | None,
        alone: Scores | None,
        boost: Scores | None,
        *,
        floor: float,
    ) -> Fused:
        recipe = self.recipe
        if recipe.formula == "mem0":
            terms, lines = len(self.question.terms), len(self.region)
            details = mem0.explain(cosine, alone, boost, terms=terms, lines=lines)
            return Fused(details["final"], {}, {}, details)
        channels: dict[str, Scores] = {}
        if cosine is not None:
            channels["dense"] = cosine
            if recipe.dense_window:
                joined = self.region.is_joined
                channels["dense_window"] = self.region.mean(cosine, DENSE_KERNEL) if joined else cosine
        if matched is not None and alone is not None:
            channels["lexical"] = alone
            if recipe.lexical_window:
                channels["lexical_window"] = self._lexical_window(matched) if self.region.is_joined else alone
        if recipe.formula == "rrf":
            return by_places(recipe, channels, boost, floor=floor)
        return convex(recipe, channels, floor=floor, rerank=self._kindred, factor=self._discount(), boost=boost)

    def _lexical_window(self, matched: Matched) -> Scores:
        region, recipe = self.region, self.recipe
        gathered = region.gather(np.vstack((region.lengths, matched.counted(region.rows))), LEXICAL_KERNEL)
        lengths, held = gathered[0], gathered[1:]
        stretched = float(lengths.mean()) / max(float(region.lengths.mean()), 1.0)
        return windows(
            held,
            matched.idf,
            lengths,
            matched.mean_length * stretched,
            k1=recipe.k1,
            b=recipe.b,
        )

    def _kindred(self, so_far: Scores) -> Scores | None:
        if self.question.words is None:
            return None
        nearest = np.argpartition(-so_far, MOST)[:MOST] if len(so_far) > MOST else np.arange(len(so_far))
        words, table = self.question.words
        found = kindred(words, table, self.snapshot.postings, self.region, nearest, self.collection)
        if found is None:
            return None
        scaled = np.zeros(len(so_far), dtype=np.float32)
        scaled[nearest] = spread(found)
        return scaled

    def _discount(self) -> Scores | None:
        """Return what each line's score is multiplied by for being very short, or an assistant's and very long."""
        recipe = self.recipe
        if not recipe.brevity and not recipe.verbosity:
            return None
        short = self.snapshot.brevity(self.region, SHORT, recipe.brevity)
        return short * self.snapshot.verbosity(self.region, "assistant", LONG, recipe.verbosity)


def _candidates(channels: Sequence[Scores], allowed: NDArray[np.bool_], most: int) -> tuple[Rows, bool]:
    """Return the allowed rows that are among the best of any channel, and whether these are all that any finds."""
    shown = np.flatnonzero(allowed)
    if len(shown) <= most:
        return shown.astype(np.int32), True
    every = True
    wanted = np.zeros(len(allowed), dtype=np.bool_)
    for channel in channels:
        places, all_of_them = _greatest(channel if len(shown) == len(channel) else channel[shown], most)
        every = every and all_of_them
        wanted[shown[places]] = True
    return np.flatnonzero(wanted).astype(np.int32), every


def _greatest(values: Scores, most: int) -> tuple[NDArray[np.intp], bool]:
    """Return the places of the greatest values above 0, and whether there are no more; NaN is none of them."""
    least = 0.0
    if len(values) > _STRIDE**2 * most:  # a sample tells what most of them lie below
        count = 2 * most // _STRIDE + 8
        least = max(least, float(np.partition(values[::_STRIDE], -count)[-count]))
    places = np.flatnonzero(values > least)
    if least and len(places) <= most:
        places = np.flatnonzero(values > 0)
    if len(places) <= most:
        return places, True
    return places[np.argpartition(-values[places], most - 1)[:most]], False
