"""Manage lets the model create, update and delete by tool calls, a person review them, and rules write them.

    gather -> propose -> review -> apply -> done

A query model, where there is one, says in `query` before `gather` what documents to search for. `propose` asks the
model and repairs what does not fit its schema; `review` is an interrupt where it is switched on;
`apply` writes everything in one transaction and one batch, which `undo` takes back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import pairwise
from typing import Any

from langchain_core.runnables import RunnableLambda
from langchain_core.utils.uuid import uuid7
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime, get_runtime
from langgraph.types import interrupt

from langgraph_memory.clock import Clock, to_micros
from langgraph_memory.editing.documents import Document
from langgraph_memory.editing.editor import Editor
from langgraph_memory.editing.edits import Edits
from langgraph_memory.editing.keep import settle
from langgraph_memory.editing.schemas import MEMORY, schemas_of
from langgraph_memory.errors import InvalidInput
from langgraph_memory.flows.documents import document_of, refuse_document, sentence_of
from langgraph_memory.flows.flow import Flow, scope_given
from langgraph_memory.flows.manage_state import Edit, ManageContext, ManageInput, ManageState, listed, reviewed
from langgraph_memory.flows.manage_write import NEW, EditWriter
from langgraph_memory.flows.neighbours import Neighbours
from langgraph_memory.flows.query import QueryWriter, budget_after
from langgraph_memory.flows.remember_state import JOB
from langgraph_memory.flows.reports import emit_report, plain_report, read_report, spent
from langgraph_memory.models.chat import CallBudget, Chat
from langgraph_memory.records import Outcome, Report, Usage
from langgraph_memory.scope import Scope
from langgraph_memory.settings import Settings
from langgraph_memory.storage import journal, memories, watermarks
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.memories import PROFILE
from langgraph_memory.writing import dedupe
from langgraph_memory.writing.gates import refuse
from langgraph_memory.writing.known import NOT_ASKED, Queried, queries
from langgraph_memory.writing.ledger import Ledger
from langgraph_memory.writing.lookup import find_sources

Start = Mapping[str, Any] | Callable[[], Mapping[str, Any]]
"""What a profile starts from."""

_ORDER = ("delete", "update", "create")


class ManageFlow(Flow):
    """The steps over one store.

    Args:
        schemas: what new documents may be; plain memories by default.
        profiles: schemas of which a scope has exactly one document; or pairs of a schema and the value that the
            document starts from (a JSON object, or what returns one).
    """

    name = "manage"

    def __init__(
        self,
        database: Database,
        neighbours: Neighbours,
        chat: Chat,
        settings: Settings,
        clock: Clock,
        schemas: Sequence[Any] = (),
        profiles: Sequence[Any] = (),
        query_chat: Chat | None = None,
    ) -> None:
        self._database = database
        self._neighbours = neighbours
        self._chat = chat
        self._settings = settings
        self._clock = clock
        self._query = None if query_chat is None else QueryWriter(query_chat)
        starts = [one if isinstance(one, tuple) else (one, {}) for one in profiles]
        self._profiles: dict[str, Start] = {schemas_of([form])[0].name: start for form, start in starts}
        own = [*schemas, *(form for form, _ in starts)]
        self._schemas = schemas_of(own) if own else (MEMORY,)
        if any(schema.name == MEMORY.name and schema is not MEMORY for schema in self._schemas):
            raise InvalidInput(f"{MEMORY.name} is what plain memories are called; give your schema another name.")

    def graph(self) -> StateGraph[ManageState, ManageContext, ManageInput, ManageState]:
        """Return the graph, to be compiled by whoever runs or draws it; a review needs a checkpointer."""
        builder = StateGraph(ManageState, context_schema=ManageContext, input_schema=ManageInput)
        builder.add_node("gather", self.gather)
        builder.add_node("propose", RunnableLambda(self.propose, self.apropose, name="propose"))
        builder.add_node("review", self.review)
        builder.add_node("apply", self.apply)
        builder.add_node("done", self.done)
        steps = [START, "gather", "propose", "review", "apply", "done"]
        if self._query is not None:
            builder.add_node("query", RunnableLambda(self.query, self.aquery, name="query"))
            steps.insert(1, "query")
        for one, other in pairwise(steps):
            builder.add_edge(one, other)
        return builder

    def query(self, state: ManageState) -> dict[str, Any]:
        """Ask the query model what documents to search for, where there are more than can be shown anyway."""
        if self._query is None or not self._is_searched(state):
            return {"queried": NOT_ASKED}
        return {"queried": self._query.write(state["conversation"], _context().max_calls)}

    async def aquery(self, state: ManageState) -> dict[str, Any]:
        """Async twin of `query`."""
        if self._query is None or not await asyncio.to_thread(self._is_searched, state):
            return {"queried": NOT_ASKED}
        return {"queried": await self._query.awrite(state["conversation"], _context().max_calls)}

    def gather(self, state: ManageState) -> dict[str, Any]:
        """Find the documents that the conversation may be about; profiles are found by their key, not by search."""
        scope, limit = scope_given(state, "conversation"), self._settings.known_limit
        with self._database.read() as connection:
            live = {record.id: record for record in memories.list_live(connection, scope, now=self._clock())}
        written = {record.schema: record for record in live.values() if record.kind == PROFILE}
        profiles = {name: written[name] for name in self._profiles if name in written}
        shown = [
            document_of(profiles[name]) if name in profiles else Document(NEW + name, name, _begun(start), begun=True)
            for name, start in self._profiles.items()
        ]
        for record in profiles.values():
            live.pop(record.id)
        found = list(live)
        if len(live) > limit:
            asked = self._queried(state)["queries"]
            if asked is None:
                asked = queries(state["conversation"].splitlines()) if limit else []
            known = self._neighbours.about(asked, scope, limit + len(profiles))
            found = [item["id"] for item in known if item["id"] in live]
        shown += (document_of(live[id]) for id in found[:limit])
        plain = [asdict(document) for document in shown]
        notes = self._queried(state)["notes"]
        return {"documents": plain, "edits": [], "notes": notes, "whole": False, "batch": str(uuid7())}

    def propose(self, state: ManageState) -> dict[str, Any]:
        """Ask the model what to create, update and delete."""
        if not state["conversation"].strip():
            return {"notes": ["nothing was said"]}
        editor, budget = self._editor(state)
        documents = [Document(**plain) for plain in state["documents"]]
        with spent(budget):
            edits = editor.propose(state["conversation"], documents, budget=budget, now=self._today(state))
        return self._proposed(edits, budget, state)

    async def apropose(self, state: ManageState) -> dict[str, Any]:
        """Async twin of `propose`."""
        if not state["conversation"].strip():
            return {"notes": ["nothing was said"]}
        editor, budget = self._editor(state)
        documents = [Document(**plain) for plain in state["documents"]]
        with spent(budget):
            edits = await editor.apropose(state["conversation"], documents, budget=budget, now=self._today(state))
        return self._proposed(edits, budget, state)

    def review(self, state: ManageState, runtime: Runtime[ManageContext]) -> dict[str, Any]:
        """Ask a person, where the run was told to; nothing is written before the answer."""
        waiting = [edit for edit in state["edits"] if edit["status"] == "proposed"]
        if not waiting or not (runtime.context and runtime.context.review):
            return {}
        asked: dict[str, Any] = {"edits": waiting}
        while True:
            decision = interrupt(asked)
            try:
                decided = reviewed(state["edits"], decision)
            except InvalidInput as error:  # what was answered stays answered: ask once more and say why
                asked = {"edits": waiting, "problem": str(error)}
            else:
                pairs = zip(state["edits"], decided, strict=True)
                return {"edits": [new if new["value"] == old["value"] else self._judged(new) for old, new in pairs]}

    def apply(self, state: ManageState) -> dict[str, Any]:
        """Write the edits in one transaction, once; one that cannot be written takes no other with it.

        Messages that come next for distilling are then read, where all that was to be known of them is written.
        """
        scope = Scope.of(state["scope"])
        checked = [_checked({**edit}) for edit in state["edits"]]
        rivals = {place: self._restated(edit, scope) for place, edit in enumerate(checked)}
        waiting = any(edit["status"] == "proposed" for edit in checked)
        report = Report()
        if waiting or self._is_read(state):
            with self._database.write() as connection:
                ledger = Ledger(self._database, connection, self._clock, batch=state["batch"])
                again = waiting and journal.is_written(connection, ledger.batch)  # the same review, answered twice
                if again:
                    checked = [_taken(edit) for edit in checked]
                else:
                    report += self._written(ledger, checked, rivals, state)
                unread = state.get("unread")
                if unread is not None and self._is_read(state) and not _is_left(state["edits"], checked):
                    watermarks.advance(connection, unread["session_row"], JOB, unread["before"], unread["upto"])
            if again or report.ids or report.retired:
                report += Report(batches=(ledger.batch,))
        report += _left(checked)
        return {"edits": checked, "report": plain_report(report)}

    def done(self, state: ManageState, runtime: Runtime[ManageContext]) -> dict[str, Any]:
        """Report what was done, and tell whoever streams the run."""
        usage = Usage(**state.get("usage", {}))
        report = read_report(state["report"]) + Report(usage=usage, notes=tuple(state["notes"]))
        emit_report(runtime, report)
        return {"report": plain_report(report)}

    def _is_searched(self, state: ManageState) -> bool:
        scope, limit = scope_given(state, "conversation"), self._settings.known_limit
        with self._database.read() as connection:
            many = memories.are_more(connection, scope, limit + len(self._profiles), now=to_micros(self._clock()))
        return many and limit > 0 and bool(state["conversation"].strip())

    def _queried(self, state: ManageState) -> Queried:
        """Return what the query model said in this run; a state that is gone on with may hold an older answer."""
        return NOT_ASKED if self._query is None else state["queried"]

    def _today(self, state: ManageState) -> datetime:
        """Return what the model counts dates from where a message has none: when it was said, on imports not now."""
        said_at = state.get("observed_at")
        return self._clock() if said_at is None else datetime.fromisoformat(said_at)

    def _editor(self, state: ManageState) -> tuple[Editor, CallBudget]:
        given = _context()
        editor = Editor(
            self._chat,
            self._schemas,
            inserts=given.inserts,
            updates=given.updates,
            deletes=given.deletes,
            max_steps=given.max_steps,
            instructions=given.instructions,
            single=tuple(self._profiles),
        )
        return editor, budget_after(self._queried(state), given.max_calls)

    def _judged(self, edit: Edit) -> Edit:
        """Refuse what a review has made unfit for its schema; the editor judged everything else."""
        schema = next((one for one in (*self._schemas, MEMORY) if one.name == edit["schema"]), None)
        if schema is None:
            return edit
        value, fault = schema.validate(edit["value"])
        if fault is not None:
            return {**edit, "status": "failed", "why": fault}
        return {**edit, "value": value if edit["before"] is None else settle(edit["before"], edit["value"], value)[0]}

    def _proposed(self, edits: Edits, budget: CallBudget, state: ManageState) -> dict[str, Any]:
        items, most = listed(edits), self._settings.most_proposals
        why = f"more than {most} edits in one run"
        places = [place for place, item in enumerate(items) if item["status"] == "proposed"]
        for place in places[most:]:
            items[place] = {**items[place], "status": "refused", "why": why}
        whole = not edits.cut and not edits.failed and len(places) <= most
        notes = [*state["notes"], *edits.notes]
        return {"edits": items, "notes": notes, "usage": asdict(budget.usage), "whole": whole}

    def _is_read(self, state: ManageState) -> bool:
        """Say whether the run could write all that distilling would draw from the messages, and came to its end."""
        context = _context()
        writes_all = context.inserts and MEMORY in self._schemas
        return state["whole"] and writes_all and state.get("unread") is not None

    def _written(
        self, ledger: Ledger, edits: Sequence[Edit], rivals: Mapping[int, str | None], state: ManageState
    ) -> Report:
        report = Report()
        evidence = (Scope.of(state["scope"]), state.get("evidence") or (), state.get("thread_id"))
        sources, _ = find_sources(ledger.connection, *evidence)
        writer = EditWriter(ledger, state, sources, self._profiles)
        # What goes away goes first, so that nothing new is taken for a repetition of it.
        for place, edit in sorted(enumerate(edits), key=lambda item: _ORDER.index(item[1]["action"])):
            if edit["status"] == "proposed":
                report += writer.write(edit, rivals[place])
        return report

    def _restated(self, edit: Edit, scope: Scope) -> str | None:
        """Return the memory that a new plain memory restates, if any; where vectors fail the hash still counts."""
        if edit["status"] != "proposed" or edit["action"] != "create" or edit["schema"] != MEMORY.name:
            return None
        near, text = self._neighbours, sentence_of(edit["schema"], edit["value"])
        try:
            [vector] = near.vectors([text])
            (rivals,) = near.nearest([vector], scope, self._settings.rivals, [])
            return dedupe.nearest(text, vector, rivals, near.vectors, near.thresholds.restatement)[0]
        except Exception:
            return None


def _context() -> ManageContext:
    return get_runtime(ManageContext).context or ManageContext()


def _begun(start: Start) -> dict[str, Any]:
    return dict(start() if callable(start) else start)


def _checked(edit: Edit) -> Edit:
    """Refuse what is no memory: a sentence as a whole, a typed document field by field."""
    if edit["status"] != "proposed" or edit["action"] == "delete":
        return edit
    is_plain = edit["schema"] == MEMORY.name
    sentence = sentence_of(edit["schema"], edit["value"])
    why = refuse(sentence) if is_plain else refuse_document(edit["schema"], edit["value"])
    return edit if why is None else {**edit, "status": "refused", "why": why}


def _is_left(proposed: Sequence[Edit], edits: Sequence[Edit]) -> bool:
    """Say whether something that the model proposed and nobody rejected is in no memory; distilling has to read it."""
    pairs = zip(proposed, edits, strict=True)
    return any(before["status"] == "proposed" and edit["status"] in ("refused", "failed") for before, edit in pairs)


def _taken(edit: Edit) -> Edit:
    """Skip what another run of the same review has written."""
    if edit["status"] != "proposed":
        return edit
    return {**edit, "status": "skipped", "why": "this review was carried out already"}


def _left(edits: Sequence[Edit]) -> Report:
    """Return what was not written, with the reasons."""
    left: dict[str, list[Outcome]] = {"skipped": [], "refused": [], "failed": []}
    for edit in edits:
        if edit["status"] in left and edit["why"]:
            left[edit["status"]].append(Outcome(edit["id"], sentence_of(edit["schema"], edit["value"]), edit["why"]))
    return Report(skipped=tuple(left["skipped"]), refused=tuple(left["refused"]), failed=tuple(left["failed"]))
