"""One run of the editor: the model proposes, each call is judged, and what became of it is told back.

A run never calls a model itself. It yields what it needs and is sent the answer, so that the same decisions serve the
sync and the async face.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from langgraph_memory.editing.calls import Call, read_calls
from langgraph_memory.editing.change import Change, change, filled, is_sentence, wanted
from langgraph_memory.editing.draft import Draft, Sheet
from langgraph_memory.editing.edits import Edits, Unwritten
from langgraph_memory.editing.keep import same
from langgraph_memory.editing.minutes import Minutes
from langgraph_memory.editing.prompting import line, replies
from langgraph_memory.editing.repair import Repaired
from langgraph_memory.editing.schemas import MEMORY, Schema
from langgraph_memory.editing.steps import Ask, Fix
from langgraph_memory.editing.tools import Action, Tool, Toolbox
from langgraph_memory.errors import ModelError
from langgraph_memory.models.answers import broken_off

_ID_NAMES = ("id", "document_id", "doc_id", "memory_id", "json_doc_id")
_REASON_NAMES = ("reason", "planned_edits")
_OFF: Mapping[Action, str] = {
    "create": "creating documents is switched off; nothing was written",
    "update": "updating documents is switched off; the document stays as it is",
    "delete": "deleting documents is switched off; the document stays",
}

Fixing = Generator[Fix, Repaired, None]


class Run:
    """One run over one draft.

    Args:
        draft: the documents.
        toolbox: what the model may do with them.
        schemas: the schemas that are known.
        messages: the prompt.
        max_steps: turns of the model at most.
        single: names of the schemas of which there is one document.
    """

    def __init__(
        self,
        draft: Draft,
        toolbox: Toolbox,
        schemas: Sequence[Schema],
        messages: Sequence[BaseMessage],
        max_steps: int,
        single: Collection[str] = (),
    ) -> None:
        self._draft, self._toolbox, self._max_steps, self._single = draft, toolbox, max_steps, single
        self._schemas = {MEMORY.name: MEMORY, **{schema.name: schema for schema in schemas}}
        self._messages = list(messages)
        self._minutes = Minutes()
        self._filled: set[str] = set()  # schemas of one document that a call has created in this run

    def steps(self) -> Generator[Ask | Fix, Any, Edits]:
        """Yield what is needed, and return what was decided.

        Raises:
            ModelError: the model could not be asked the first time. Later, what was decided until then is kept.
        """
        warned = False  # that something is not permitted; that is said once
        minutes = self._minutes
        for step in range(self._max_steps):
            bound = self._toolbox.bound(documents=len(self._draft) > 0)
            try:
                answer: AIMessage = yield Ask(list(self._messages), [tool.as_openai() for tool in bound])
            except ModelError as problem:
                if step == 0:
                    raise
                minutes.notes.append(f"turn {step + 1} failed, what was decided before it is kept: {problem}")
                minutes.cut = True
                break
            calls, shown = read_calls(answer)
            minutes.next_turn()
            broken = broken_off(answer)
            if broken is not None:
                minutes.notes.append(f"turn {step + 1} broke off: {broken}")
                minutes.cut = True
                # Whoever parsed the last call has closed a half-written text as well.
                calls[-1:] = [replace(call, problem=f"the answer broke off in it: {broken}") for call in calls[-1:]]
            if not calls:
                minutes.notes.append("the model answered without a tool call, which ends the run")
                minutes.cut = minutes.cut or step == 0  # it was to call `done`; what it made of the messages is unknown
                break
            for call in calls:
                yield from self._handle(call, bound)
            turn = minutes.turn
            told = minutes.told(self._draft)
            if turn.done and turn.good:
                break
            if warned and turn.not_permitted and not turn.written:
                minutes.notes.append("the model asked again for what is switched off, which ends the run")
                break
            warned = warned or turn.not_permitted
            self._messages += [shown, *replies(told)]
        return self._edits()

    def _handle(self, call: Call, bound: Sequence[Tool]) -> Fixing:
        tool, attempts = self._toolbox.find(call.name), 1
        if call.problem is not None:
            return self._minutes.refuse(call, call.problem)
        if tool is None:
            fixed = yield Fix(call, [tool.judge for tool in bound], self._messages)
            if fixed.error is not None:
                return self._minutes.fail(call, fixed, None)
            tool = next(tool for tool in bound if tool.name == fixed.name)
            if tool.action == "done":
                gone = f"there is no tool named {call.name!r}, and the repair gave the call up"
                return self._minutes.fail(call, replace(fixed, error=gone, last_value=call.args), None)
            call, attempts = replace(call, name=fixed.name, args=fixed.last_value), fixed.attempts
        if not self._toolbox.permits(tool.action):
            self._minutes.turn.not_permitted = True
            return self._minutes.refuse(call, _OFF[tool.action])
        if tool.schema is not None:
            return (yield from self._create(call, tool, tool.schema, attempts))
        if tool.action == "update":
            return (yield from self._update(call, attempts))
        return self._delete(call, attempts) if tool.action == "delete" else self._minutes.done(call)

    def _create(self, call: Call, tool: Tool, schema: Schema, attempts: int) -> Fixing:
        only = self._draft.only(schema.name) if schema.name in self._single else None
        if only is not None:
            if not (only.begun or self._toolbox.permits("update")):
                self._minutes.turn.not_permitted = True
                return self._minutes.refuse(call, _OFF["update"], only, attempts)
            if schema.name in self._filled:
                twice = f"{schema.name} was created twice in one run; where they differ, the later call stands"
                self._minutes.notes.append(twice)
            self._filled.add(schema.name)
            new = yield from change(only, schema, filled(only, call.args), call, self._messages, attempts)
            return self._changed(call, only, new)
        value, fault = schema.validate(call.args)
        if fault is not None:
            fixed = yield Fix(replace(call, name=tool.name), [tool.judge], self._messages)
            if fixed.error is not None:
                return self._minutes.fail(call, fixed, schema.name)
            value, attempts = fixed.value, attempts + fixed.attempts - 1
        equal = self._draft.equal(schema.name, value)
        if equal is not None:
            return self._minutes.skip(call, equal, "a document says exactly this already", value, attempts)
        return self._minutes.wrote(call, "created.", self._draft.create(schema.name, value, attempts))

    def _update(self, call: Call, attempts: int) -> Fixing:
        sheet, missing = self._draft.find(_first(call.args, _ID_NAMES), lone=True)
        if sheet is None:
            return self._minutes.refuse(call, str(missing), attempts=attempts)
        schema = self._schemas.get(sheet.schema)
        patched = wanted(sheet, schema, call.args)
        if patched is None:
            way = "its whole new content" if is_sentence(sheet, schema) else "patches for what changes"
            return self._minutes.refuse(call, f"it does not say what to change: give {way}", sheet, attempts)
        new = yield from change(sheet, schema, patched, call, self._messages, attempts)
        return self._changed(call, sheet, new)

    def _changed(self, call: Call, sheet: Sheet, new: Change) -> None:
        self._minutes.refuse_parts(call, new.faults, sheet)
        faults = "; ".join(new.faults)
        if new.failed is not None:
            return self._minutes.fail(call, replace(new.failed, attempts=new.attempts), sheet.schema, sheet)
        if same(new.value, sheet.value):
            if faults:
                return self._minutes.reply(call, sheet, f"refused, because {faults}. It stays as it is.", good=False)
            return self._minutes.skip(call, sheet, "this changes nothing", new.value, new.attempts)
        self._draft.update(sheet, new.value, new.patches, _reason(call), new.attempts)
        if faults:
            text = f"updated, but not all of it, because {faults}. It is now {line(new.value)}"
            return self._minutes.wrote(call, text, sheet, whole=False)
        return self._minutes.wrote(call, "updated.", sheet)

    def _delete(self, call: Call, attempts: int) -> None:
        # A wrong id is never guessed here, not even where only one document exists: what is deleted is gone.
        sheet, missing = self._draft.find(_first(call.args, _ID_NAMES), lone=False)
        if sheet is None:
            return self._minutes.refuse(call, str(missing), attempts=attempts)
        if sheet.begun:
            return self._minutes.refuse(call, "nobody has written it yet", sheet, attempts)
        self._draft.delete(sheet, _reason(call))
        return self._minutes.wrote(call, "deleted.", sheet)

    def _edits(self) -> Edits:
        minutes, draft = self._minutes, self._draft
        for sheet in draft.unchanged():
            minutes.skipped.append(Unwritten("update", "its changes cancel out", sheet.id, sheet.schema, sheet.value))
        if back := draft.taken_back():
            minutes.notes.append(f"created and deleted again in the same run, so not written: {back}")
        return Edits(
            creates=draft.creates(),
            updates=draft.updates(),
            deletes=draft.deletes(),
            skipped=tuple(minutes.skipped),
            refused=tuple(minutes.refused),
            failed=tuple(minutes.failed),
            documents=draft.documents(),
            done=minutes.turn.done,
            notes=tuple(minutes.notes),
            cut=minutes.cut,
        )


def _first(args: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((args[name] for name in names if args.get(name) is not None), None)


def _reason(call: Call) -> str | None:
    given = _first(call.args, _REASON_NAMES)
    return given.strip() or None if isinstance(given, str) else None
