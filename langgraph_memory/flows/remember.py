"""Remember, phase by phase: read what is new in a conversation, propose memories, let rules decide, write once.

    gather -> recall -> extract -> gate -> embed -> dedupe_exact -> dedupe_similar -> persist -> link -> record

The model is asked in `extract` only; a query model, where there is one, in `query` before `recall`. Every proposal
stays in the state with what became of it and why. The watermark moves in the transaction that writes the memories, so
whatever crashes or runs twice, each message is read once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableLambda
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime, get_runtime

from langgraph_memory.clock import Clock, to_micros
from langgraph_memory.events import reason
from langgraph_memory.flows.flow import Flow, scope_given
from langgraph_memory.flows.neighbours import Neighbours
from langgraph_memory.flows.proposing import bounded, chosen, gated, halves
from langgraph_memory.flows.query import QueryWriter, budget_after
from langgraph_memory.flows.remember_state import (
    JOB,
    RememberContext,
    RememberInput,
    RememberState,
    line_of,
    proposal_of,
)
from langgraph_memory.flows.reports import emit_report, plain_report, spent
from langgraph_memory.flows.typed import Typed
from langgraph_memory.maintenance.linker import Linker
from langgraph_memory.models.answers import Structured
from langgraph_memory.models.chat import CallBudget, Chat
from langgraph_memory.records import Usage
from langgraph_memory.scope import Scope
from langgraph_memory.settings import Settings
from langgraph_memory.storage import entries, memories, vectors, watermarks
from langgraph_memory.storage.database import Database
from langgraph_memory.writing import dedupe, extract
from langgraph_memory.writing.candidate import Candidate, Status, key, proposed, report_of, settled
from langgraph_memory.writing.known import NOT_ASKED, Queried, queries
from langgraph_memory.writing.ledger import Ledger
from langgraph_memory.writing.turns import is_read, take_batch, told, turn_of

OVERREAD = 4
"""Entries fetched for each message that a batch may read: tool results and system messages lie between."""

MOST_SYSTEM_TEXTS = 5
"""Texts of the developer that a proposal is compared with: a session has one, seldom a few versions of it."""


class RememberFlow(Flow):
    """The phases over one store; `graph()` draws them."""

    name = "remember"

    def __init__(
        self,
        database: Database,
        neighbours: Neighbours,
        linker: Linker,
        model_id: int,
        chat: Chat | None,
        settings: Settings,
        clock: Clock,
        schemas: Sequence[Any] = (),
        query_chat: Chat | None = None,
    ) -> None:
        self._database = database
        self._neighbours = neighbours
        self._linker = linker
        self._model_id = model_id
        self._chat = chat
        self._settings = settings
        self._clock = clock
        self._typed = Typed(schemas)
        self._query = None if query_chat is None else QueryWriter(query_chat)

    def graph(self) -> StateGraph[RememberState, RememberContext, RememberInput, RememberState]:
        """Return the graph, to be compiled by whoever runs or draws it."""
        builder = StateGraph(RememberState, context_schema=RememberContext, input_schema=RememberInput)
        phases: list[Any] = [
            self.gather,
            *([] if self._query is None else [RunnableLambda(self.query, self.aquery, name="query")]),
            self.recall,
            RunnableLambda(self.extract, self.aextract, name="extract"),
            self.gate,
            self.embed,
            self.dedupe_exact,
            self.dedupe_similar,
            self.persist,
            self.link,
            self.record,
        ]
        before = START
        for phase in phases:
            name = getattr(phase, "name", None) or phase.__name__
            builder.add_node(name, phase)
            builder.add_edge(before, name)
            before = name
        return builder

    def gather(self, state: RememberState) -> dict[str, Any]:
        """Take the next unread messages of the session, and a few read ones before them."""
        scope, limits = scope_given(state, "thread_id"), self._settings
        with self._database.read() as connection:
            found = watermarks.unread(connection, JOB, scope=scope, thread_id=state["thread_id"])
            if not found:
                return {"turns": [], "context": [], "candidates": [], "notes": ["nothing new to read"]}
            session = found[0]
            unread = entries.of_session(
                connection, scope, session.session_row, after=session.upto, limit=OVERREAD * limits.batch_turns
            )
            earlier = entries.of_session(
                connection,
                scope,
                session.session_row,
                before=unread[0].seq,
                limit=OVERREAD * limits.context_turns,
            )
            system = entries.system_texts(connection, session.session_row, MOST_SYSTEM_TEXTS)
        batch = take_batch(unread, limits.batch_turns, limits.batch_tokens)
        turns = [turn_of(entry, limits.batch_tokens) for entry in batch if is_read(entry)]
        shown = list(islice((entry for entry in reversed(earlier) if is_read(entry)), limits.context_turns))[::-1]
        texts = {entry.seq: entry.text for entry in batch}
        cut = [
            turn["id"] for turn in turns if turn["text"].endswith("…") and turn["text"] != texts[turn["seq"]].strip()
        ]
        return {
            "session_row": session.session_row,
            "before": session.upto,
            "upto": batch[-1].seq,
            "turns": turns,
            "system": system,
            "context": [turn_of(entry, limits.batch_tokens) for entry in shown],
            "candidates": [],
            "notes": [f"the message {name} is too long to be read whole; only its beginning was" for name in cut],
        }

    def query(self, state: RememberState) -> dict[str, Any]:
        """Ask the query model what to search memory for, where there is more than can be shown anyway."""
        if self._query is None or not self._is_searched(state):
            return {"queried": NOT_ASKED}
        queried = self._query.write(told(state["turns"]), _context().max_calls)
        return {"queried": queried, "notes": [*state["notes"], *queried["notes"]]}

    async def aquery(self, state: RememberState) -> dict[str, Any]:
        """Async twin of `query`."""
        if self._query is None or not await asyncio.to_thread(self._is_searched, state):
            return {"queried": NOT_ASKED}
        queried = await self._query.awrite(told(state["turns"]), _context().max_calls)
        return {"queried": queried, "notes": [*state["notes"], *queried["notes"]]}

    def recall(self, state: RememberState) -> dict[str, Any]:
        """Find the memories that the new messages may repeat or change."""
        if self._chat is None or not state["turns"] or not self._settings.known_limit:
            return {"known": []}
        scope = Scope.of(state["scope"])
        asked = self._queried(state)["queries"]
        if asked is None:
            asked = queries([turn["text"] for turn in state["turns"] if turn["role"] == "user"])
            asked = asked or queries([turn["text"] for turn in state["turns"]])
        return {"known": self._neighbours.about(asked, scope, self._settings.known_limit)}

    def extract(self, state: RememberState) -> dict[str, Any]:
        """Let the model propose memories; without a model, choose sentences by rule."""
        if not state["turns"] or self._chat is None:
            return {"candidates": chosen(state["turns"])}
        prompt, budget = self._asked(state)
        with spent(budget):
            answer = self._chat.structured(prompt, self._typed.asked(extract.answer_schema()), budget=budget)
        items, notes = self._read(answer, state)
        self._typed.mend(items, prompt, self._chat, budget)
        return {"candidates": items, "notes": notes, "usage": asdict(budget.usage)}

    async def aextract(self, state: RememberState) -> dict[str, Any]:
        """Async twin of `extract`."""
        if not state["turns"] or self._chat is None:
            return {"candidates": chosen(state["turns"])}
        prompt, budget = self._asked(state)
        with spent(budget):
            answer = await self._chat.astructured(prompt, self._typed.asked(extract.answer_schema()), budget=budget)
        items, notes = self._read(answer, state)
        await self._typed.amend(items, prompt, self._chat, budget)
        return {"candidates": items, "notes": notes, "usage": asdict(budget.usage)}

    def gate(self, state: RememberState) -> dict[str, Any]:
        """Refuse what is no memory: blanks, secrets, orders to a model, echoes of what was shown."""
        shown = [item["text"] for item in state.get("known", [])]
        return {"candidates": [gated(item, shown, state) for item in state["candidates"]]}

    def embed(self, state: RememberState) -> dict[str, Any]:
        """Embed the proposals, alone and as the lines they will be stored as, in one call."""
        items = proposed(state["candidates"])
        try:
            self._neighbours.vectors([text for item in items for text in (item["text"], line_of(item, state))])
        except Exception as error:
            return {"notes": [*state["notes"], f"not compared by similarity: {reason(error)}"]}
        return {}

    def dedupe_exact(self, state: RememberState) -> dict[str, Any]:
        """Fold proposals with the same text."""
        return {"candidates": dedupe.fold_exact(state["candidates"])}

    def dedupe_similar(self, state: RememberState) -> dict[str, Any]:
        """Fold proposals that restate each other or a memory, and measure how new the others are."""
        near, scope = self._neighbours, Scope.of(state["scope"])
        vectors_of = [near.known_vector(item["text"]) for item in state["candidates"]]
        items = dedupe.fold_batch(state["candidates"], vectors_of, near.thresholds.duplicate)
        fresh = [place for place, item in enumerate(items) if item["status"] == "proposed"]
        embedded = {place: near.known_vector(line_of(items[place], state)) for place in fresh}
        lines = {place: line for place, line in embedded.items() if line is not None}
        notes = list(state["notes"])
        found = near.nearest(list(lines.values()), scope, self._settings.rivals, notes)
        near.vectors([rival["text"] for rivals in found for rival in rivals])  # all in one call
        for place, rivals in zip(lines, found, strict=True):
            vector = vectors_of[place]
            if vector is not None:
                item = items[place]
                of, novelty = dedupe.nearest(item["text"], vector, rivals, near.vectors, near.thresholds.restatement)
                items[place] = settled(item, "proposed", of=of if item["schema"] is None else None, novelty=novelty)
        return {"candidates": items, "notes": notes}

    def persist(self, state: RememberState) -> dict[str, Any]:
        """Write everything and move the watermark, in one transaction."""
        if "upto" not in state:
            return {"batch": None}
        scope = Scope.of(state["scope"])
        with self._database.write() as connection:
            if not watermarks.advance(connection, state["session_row"], JOB, state["before"], state["upto"]):
                taken = "these messages were read by another run meanwhile"
                items = [settled(i, "skipped", taken) if i["status"] == "proposed" else i for i in state["candidates"]]
                return {"candidates": items, "batch": None, "notes": [*state["notes"], taken]}
            ledger = Ledger(self._database, connection, self._clock)
            items = self._write(ledger, scope, state)
            fresh = {item["id"]: self._neighbours.known_vector(line_of(item, state)) for item in items if item["id"]}
            embedded = {
                ledger.inserted[id]: row for id, row in fresh.items() if id in ledger.inserted and row is not None
            }
            vectors.put(connection, self._model_id, embedded)
        kept = {key(item): item["id"] for item in items if item["id"]}
        items = [settled(i, i["status"], i["reason"], of=kept.get(i["of"] or "", i["of"])) for i in items]
        wrote = any(item["status"] in ("added", "reinforced") for item in items)
        return {"candidates": items, "batch": ledger.batch if wrote else None}

    def link(self, state: RememberState) -> dict[str, Any]:
        """Note which people, places and things the new memories mention; a failure here costs no memory."""
        items = [item for item in state["candidates"] if item["status"] == "added" and item["id"]]
        added = {item["id"]: item["about"] for item in items if item["id"]}
        try:
            linked = self._linker.link_ids(list(added), added)
        except Exception as error:
            return {"notes": [*state["notes"], f"entities are not linked yet and will be tried again: {reason(error)}"]}
        return {"notes": [*state["notes"], *(f"{name.text!r} is no name: {name.reason}" for name in linked.refused)]}

    def record(self, state: RememberState, runtime: Runtime[RememberContext]) -> dict[str, Any]:
        """Report what became of every proposal, and tell whoever streams the run."""
        report = report_of(
            state["candidates"],
            batch=state["batch"],
            usage=Usage(**state.get("usage", {})),
            notes=state["notes"],
        )
        emit_report(runtime, report)
        return {"report": plain_report(report)}

    def _is_searched(self, state: RememberState) -> bool:
        if self._chat is None or not state["turns"]:
            return False
        scope, limit = Scope.of(state["scope"]), self._settings.known_limit
        with self._database.read() as connection:
            return limit > 0 and memories.are_more(connection, scope, limit, now=to_micros(self._clock()))

    def _queried(self, state: RememberState) -> Queried:
        """Return what the query model said in this run; a state that is gone on with may hold an older answer."""
        return NOT_ASKED if self._query is None else state["queried"]

    def _asked(self, state: RememberState) -> tuple[list[BaseMessage], CallBudget]:
        context = _context()
        own = self._typed.told(context.instructions)
        prompt = extract.prompt(state["turns"], state["context"], state["known"], own)
        return prompt, budget_after(self._queried(state), context.max_calls)

    def _read(self, answer: Structured, state: RememberState) -> tuple[list[Candidate], list[str]]:
        items, odd, fits = extract.read_answer(answer.data, state["turns"], state["known"])
        problem = answer.problem if fits else "it holds no list of memories"
        notes = [*state["notes"], *([f"the model's answer was odd: {problem}"] if problem else [])]
        items, half = bounded(items, self._settings.most_proposals), halves(answer.lost)
        if not fits or (problem and not items):
            return chosen(state["turns"]) + items + half, [*notes, "sentences were chosen by rule instead"]
        return items + half, [*notes, *odd]

    def _write(self, ledger: Ledger, scope: Scope, state: RememberState) -> list[Candidate]:
        """Write the candidates all together; where one of them cannot be written so, each by itself."""
        items = proposed(state["candidates"])
        try:
            with ledger.together(scope, [key(item) for item in items]):
                fates = iter([self._settle(ledger, item, scope, state) for item in items])
        except Exception:
            fates = iter([self._alone(ledger, item, scope, state) for item in items])
        return [next(fates) if item["status"] == "proposed" else item for item in state["candidates"]]

    def _alone(self, ledger: Ledger, item: Candidate, scope: Scope, state: RememberState) -> Candidate:
        """Write one candidate; one that the database refuses takes no other with it."""
        try:
            with ledger.attempt():
                return self._settle(ledger, item, scope, state)
        except _Echo as echo:
            return settled(item, "refused", "echo", of=echo.of)
        except Exception as error:
            return settled(item, "failed", reason(error))

    def _settle(self, ledger: Ledger, item: Candidate, scope: Scope, state: RememberState) -> Candidate:
        """Add the candidate, or reinforce the memory that it restates.

        What repeats a memory while no message has a word of it was recalled, not said: it must not count as said again.
        """
        restated = memories.by_id(ledger.connection, item["of"]) if item["of"] else None
        if restated is not None and restated.retired_at is None:
            ledger.reinforce(restated, item["actor"], item["sources"])
            item = settled(item, "reinforced", "says the same", of=restated.id, id=restated.id)
        else:
            report = ledger.add(proposal_of(item, state), scope, sources=item["sources"])
            outcome = (*report.added, *report.reinforced)[0]
            status: Status = "added" if report.added else "reinforced"
            item = settled(item, status, outcome.reason, of=outcome.of, id=outcome.id)
        if item["status"] == "reinforced" and not extract.is_said(item, state["turns"]):
            raise _Echo(item["of"])
        return item


class _Echo(Exception):
    """A candidate only repeats what was recalled; what it wrote has to be taken back."""

    def __init__(self, of: str | None) -> None:
        self.of = of


def _context() -> RememberContext:
    return get_runtime(RememberContext).context or RememberContext()
