"""Decides which names mean the same thing: by their key, or by nearness of meaning where the words allow it.

Two names are one entity where their keys are equal. Otherwise a cosine of `SAME` or more makes them one, but only where
`may_be_same` agrees: short names lie close together without having anything in common (with the bundled model "张伟"
and "张伟明" reach .98, "GPT-4" and "GPT-5" .87, "Anna" and "Anne" .68), so nearness alone proves nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping

from langgraph_memory.knowledge.eastern_words import NAME_ENDINGS
from langgraph_memory.knowledge.words import CONNECTORS, INNER_ARTICLES
from langgraph_memory.text.normalise import normalise

SAME = 0.95
"""Cosine from which two names mean the same thing (mem0's threshold for its entities), if `may_be_same` agrees."""

_ARTICLE = re.compile(r"(?:the|an?)\s+(?=\S)")
_POSSESSIVE = re.compile(r"['’ʼ]s?$")
_OUTER = re.compile(
    r"^[\s\"'“”„«»‹›「」『』《》〈〉()\[\]{}<>,;:!?.…·•*`|/\\-]+|[\s\"“”„«»‹›「」『』《》〈〉()\[\]{}<>,;:!?.…·•*`|/\\-]+$"
)
_WORD = re.compile(r"[^\W_]+(?:\+\+|#|\+)?")
_NUMBER = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxl]+$")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LIGHT = CONNECTORS | INNER_ARTICLES | {"and", "und", "y", "et", "for"}


def entity_key(name: str) -> str:
    """Return the form in which names are compared: the same key, the same entity.

    NFKC, case folding, single spaces; without a leading English article, a possessive `'s`, and quotes, brackets and
    punctuation around. `C++`, `C#`, `@ana` and `#tag` keep their signs. Empty where nothing is left.
    """
    key = normalise(name)
    while True:
        shorter = _ARTICLE.sub("", _POSSESSIVE.sub("", _OUTER.sub("", key)), count=1) if key else key
        if _ARTICLE.match(shorter) is None and shorter == key:
            return key
        key = shorter


def may_be_same(a: str, b: str) -> bool:
    """Say whether two keys may mean one thing, judged by what they are made of.

    They must hold the same numbers, and one must add nothing of weight to the other:
    * written with spaces, every word of one stands in the other ("bank of oslo", "oslo bank"; "dr patel", "patel"), or
      both are the same letters with other spaces, hyphens or accents ("node js", "node.js"; "cafe", "café"). What one
      adds must be more than a single letter or a Roman numeral, which tell editions apart ("vitamin c", "rocky ii");
    * in Chinese, Japanese and Korean, one is the other and an ending such as 市, さん or 씨.
    """
    if numbers(a) != numbers(b):
        return False
    if a == b:
        return True
    if _UNSPACED.search(a) or _UNSPACED.search(b):
        shorter, longer = sorted((a.replace(" ", ""), b.replace(" ", "")), key=len)
        return longer.startswith(shorter) and (longer == shorter or longer[len(shorter) :] in NAME_ENDINGS)
    ours, theirs = _content(a), _content(b)
    if "".join(ours) == "".join(theirs):
        return True
    extra = set(ours) ^ set(theirs)
    if not (set(ours) <= set(theirs) or set(theirs) <= set(ours)) or not set(ours) & set(theirs):
        return False
    return not any(len(word) == 1 or _ROMAN.match(word) or not word[-1].isalnum() for word in extra)


def numbers(key: str) -> Counter[str]:
    """Return the numbers in a key and how often: names that differ in one never mean the same (GPT-4, GPT-5)."""
    return Counter(_NUMBER.findall(key))


class NameIndex:
    """Known names by what they are made of, so that a new one is compared with the few that it may mean."""

    def __init__(self, keys: Mapping[int, str]) -> None:
        self._keys = keys
        self._buckets: dict[str, list[int]] = {}
        for seq, key in keys.items():
            for bucket in _buckets(key):
                self._buckets.setdefault(bucket, []).append(seq)

    def rivals(self, seq: int) -> list[int]:
        """Return the other names of which words alone do not say that they mean something else."""
        key = self._keys[seq]
        near = {rival for bucket in _buckets(key) for rival in self._buckets[bucket]} - {seq}
        return sorted(rival for rival in near if may_be_same(key, self._keys[rival]))


def choose(cosines: Mapping[int, float]) -> int | None:
    """Return which of its rivals a name means, or None: the nearest at `SAME` or more, the oldest on a tie.

    Args:
        cosines: nearness of the name to each rival by its `seq`; rivals are those that `NameIndex` lets pass.
    """
    near = [(-cosine, seq) for seq, cosine in cosines.items() if cosine >= SAME]
    return min(near)[1] if near else None


def _buckets(key: str) -> set[str]:
    """Return what two keys must have one of in common for `may_be_same`."""
    if _UNSPACED.search(key):
        return {key.replace(" ", "")[:2]}
    content = _content(key)
    return {*content, "".join(content)}


def _content(key: str) -> list[str]:
    """Return the words of a key without accents; light ones are left out where others remain."""
    plain = "".join(char for char in unicodedata.normalize("NFD", key) if unicodedata.category(char) != "Mn")
    found = _WORD.findall(plain)
    return [word for word in found if word not in _LIGHT] or found
