"""Consolidate looks at memories that resemble each other and tidies them, by a plan that rules check.

    gather -> plan -> apply -> record

The plan is the model's, one call a group; it can only touch what it was shown, in the scope of the call. It is carried
out in one transaction, and the whole is one batch that `undo` takes back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NotRequired

from langchain_core.runnables import RunnableLambda
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime, get_runtime
from typing_extensions import TypedDict  # typing's has no JSON schema on Python 3.11

from langgraph_memory import arguments
from langgraph_memory.clock import Clock
from langgraph_memory.errors import ModelError
from langgraph_memory.events import reason
from langgraph_memory.flows.flow import Flow, scope_given
from langgraph_memory.flows.neighbours import Neighbours
from langgraph_memory.flows.reports import emit_report, plain_report, read_report
from langgraph_memory.models.answers import Structured
from langgraph_memory.models.chat import CallBudget, Chat
from langgraph_memory.records import MemoryRecord, Outcome, Report, Usage
from langgraph_memory.scope import Scope
from langgraph_memory.settings import Settings
from langgraph_memory.storage import memories
from langgraph_memory.storage.database import Database
from langgraph_memory.writing.ledger import Ledger
from langgraph_memory.writing.plan import Kin, Step, actions_of, keep_whole, mark, plan_prompt, plan_schema, read_plan

ACTOR = "job:consolidate"

MOST_KIN = 8
"""Memories in one group: more would not be compared with care, and what is left over comes in the next run."""


class ConsolidateInput(TypedDict):
    """Which memories to look at: the scope's segments, and ids; None for all of the scope's own."""

    scope: list[str]
    ids: NotRequired[list[str] | None]


class ConsolidateState(ConsolidateInput):
    """What the steps tell each other, JSON-plain."""

    groups: NotRequired[list[list[Kin]]]
    plans: NotRequired[list[list[Step]]]
    notes: NotRequired[list[str]]
    usage: NotRequired[dict[str, int]]
    report: NotRequired[dict[str, Any]]


@dataclass(frozen=True)
class ConsolidateContext:
    """What may differ from run to run: the developer's own instructions, and model calls at most."""

    instructions: str | None = None
    max_calls: int | None = None


class ConsolidateFlow(Flow):
    """The steps over one store; `graph()` draws them."""

    name = "consolidate"

    def __init__(
        self, database: Database, neighbours: Neighbours, chat: Chat, settings: Settings, clock: Clock
    ) -> None:
        self._database = database
        self._neighbours = neighbours
        self._chat = chat
        self._settings = settings
        self._clock = clock

    def graph(self) -> StateGraph[ConsolidateState, ConsolidateContext, ConsolidateInput, ConsolidateState]:
        """Return the graph, to be compiled by whoever runs or draws it."""
        builder = StateGraph(ConsolidateState, context_schema=ConsolidateContext, input_schema=ConsolidateInput)
        builder.add_node("gather", self.gather)
        builder.add_node("plan", RunnableLambda(self.plan, self.aplan, name="plan"))
        builder.add_node("apply", self.apply)
        builder.add_node("record", self.record)
        for one, other in ((START, "gather"), ("gather", "plan"), ("plan", "apply"), ("apply", "record")):
            builder.add_edge(one, other)
        return builder

    def gather(self, state: ConsolidateState) -> dict[str, Any]:
        """Group the memories that resemble each other; each stands in one group only."""
        scope = scope_given(state)
        asked = None if state.get("ids") is None else arguments.texts("ids", state["ids"], "0197...")
        with self._database.read() as connection:
            own = {
                record.id: record
                for record in memories.list_live(connection, scope, now=self._clock())
                if record.schema is None
            }
        chosen = list(own) if asked is None else [id for id in dict.fromkeys(asked) if id in own]
        missing = [id for id in asked or () if id not in own]
        notes = [f"{id} is no live memory of this scope" for id in missing]
        groups: list[list[Kin]] = []
        placed: set[str] = set()
        for id in chosen:
            kin = [own[id], *self._similar(own[id], scope, own, notes)]
            free = [record for record in kin if record.id not in placed][:MOST_KIN]
            if own[id] in free and len(free) > 1:
                placed.update(record.id for record in free)
                groups.append([_kin(record) for record in sorted(free, key=lambda record: record.seq)])
        return {"groups": groups, "notes": list(dict.fromkeys(notes)), "plans": []}

    def plan(self, state: ConsolidateState) -> dict[str, Any]:
        """Ask the model for a plan a group; a model that fails leaves the memories as they are."""
        budget, context = _given()
        plans: list[list[Step]] = []
        notes: list[str] = []
        for group in state["groups"]:
            try:
                answer = self._chat.structured(plan_prompt(group, context.instructions), plan_schema(), budget=budget)
            except ModelError as error:
                notes.append(f"memories were left as they are: {reason(error)}")
                break
            plans.append(_read(answer, group, notes))
        return {"plans": plans, "notes": [*state["notes"], *notes], "usage": asdict(budget.usage)}

    async def aplan(self, state: ConsolidateState) -> dict[str, Any]:
        """Async twin of `plan`."""
        budget, context = _given()
        plans: list[list[Step]] = []
        notes: list[str] = []
        for group in state["groups"]:
            try:
                answer = await self._chat.astructured(
                    plan_prompt(group, context.instructions), plan_schema(), budget=budget
                )
            except ModelError as error:
                notes.append(f"memories were left as they are: {reason(error)}")
                break
            plans.append(_read(answer, group, notes))
        return {"plans": plans, "notes": [*state["notes"], *notes], "usage": asdict(budget.usage)}

    def apply(self, state: ConsolidateState) -> dict[str, Any]:
        """Carry out the plans in one transaction."""
        report = Report()
        if any(step["status"] == "planned" for plan in state["plans"] for step in plan):
            with self._database.write() as connection:
                ledger = Ledger(self._database, connection, self._clock)
                for plan, group in zip(state["plans"], state["groups"], strict=False):
                    report += self._carry_out(ledger, plan, {kin["id"]: kin["text"] for kin in group})
        report += _left(step for plan in state["plans"] for step in plan)
        return {"report": plain_report(report)}

    def record(self, state: ConsolidateState, runtime: Runtime[ConsolidateContext]) -> dict[str, Any]:
        """Report what was done, and tell whoever streams the run."""
        done = read_report(state["report"])
        report = done + Report(usage=Usage(**state["usage"]), notes=tuple(state["notes"]))
        emit_report(runtime, report)
        return {"report": plain_report(report)}

    def _similar(
        self, record: MemoryRecord, scope: Scope, own: dict[str, MemoryRecord], notes: list[str]
    ) -> list[MemoryRecord]:
        near = self._neighbours
        [line] = near.vectors([near.line(record)])
        (found,) = near.nearest([line], scope, self._settings.rivals + 1, notes)
        rivals = [item for item in found if item["id"] != record.id]
        [vector, *others] = near.vectors([record.text, *(item["text"] for item in rivals)])
        least = self._settings.similar_from
        similar = [item["id"] for item, other in zip(rivals, others, strict=True) if vector @ other >= least]
        return [own[id] for id in similar if id in own]

    def _carry_out(self, ledger: Ledger, plan: Sequence[Step], shown: dict[str, str]) -> Report:
        """Do what a plan says to memories that are still what the model was shown."""
        report = Report()
        records: dict[str, MemoryRecord] = {}
        for step in plan:
            if step["status"] != "planned" or step["id"] is None:
                continue
            record = memories.by_id(ledger.connection, step["id"])
            if record is None or record.retired_at is not None or record.text != shown[step["id"]]:
                mark(step, "skipped", "changed since")
            else:
                records[step["id"]] = record
        keep_whole(plan)
        updates = [step for step in plan if step["status"] == "planned" and step["action"] == "update"]
        deletes = [step for step in plan if step["status"] == "planned" and step["action"] == "delete"]
        gone = [records[step["id"]] for step in deletes if step["id"]]
        for step in deletes:
            record = records[step["id"] or ""]
            ledger.retire(record, actor=ACTOR, reason=step["reason"] or "consolidated")
            report += ledger.report(retired=(Outcome(record.id, record.text, reason=step["reason"]),))
        for place, step in enumerate(updates):
            old = records[step["id"] or ""]
            merged = gone if place == 0 else []  # what was deleted lives on in the first text that was rewritten
            report += ledger.succeed(
                old,
                step["text"],
                actor=ACTOR,
                reason=step["reason"] or "consolidated",
                sources=[record.seq for record in merged],
                reinforced=old.reinforced + sum(record.reinforced + 1 for record in merged),
                private=old.private or any(record.private for record in merged),
            )
        return report


def _given() -> tuple[CallBudget, ConsolidateContext]:
    context = get_runtime(ConsolidateContext).context or ConsolidateContext()
    return CallBudget(context.max_calls), context


def _read(answer: Structured, group: Sequence[Kin], notes: list[str]) -> list[Step]:
    problem = answer.problem or ("it holds no list of actions" if actions_of(answer.data) is None else None)
    if problem:
        notes.append(f"the model's answer was odd: {problem}")
    return read_plan(answer.data, group)


def _left(steps: Iterable[Step]) -> Report:
    """Return what was not done, with the reasons."""
    left: dict[str, list[Outcome]] = {"refused": [], "skipped": []}
    for step in steps:
        status = "skipped" if step["status"] == "kept" else step["status"]
        if status in left:
            left[status].append(Outcome(step["id"], step["text"], step["reason"] or "kept as it is", step["id"]))
    return Report(refused=tuple(left["refused"]), skipped=tuple(left["skipped"]))


def _kin(record: MemoryRecord) -> Kin:
    return Kin(id=record.id, text=record.text, since=record.observed_at.isoformat(), pinned=record.pinned)
