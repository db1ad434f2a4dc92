"""The tool that lets a model write memory by itself: create, update and delete, each checked and reversible."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from langchain.tools import ToolRuntime
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import PlainValidator, WithJsonSchema

from langgraph_memory.agent.identity import ScopeSource, check_scope, resolve_scope, thread_id_or_none
from langgraph_memory.agent.ports import EditableMemory
from langgraph_memory.errors import InvalidInput, NotFound, ScopeError
from langgraph_memory.events import emit, reason
from langgraph_memory.records import MemoryRecord, Report
from langgraph_memory.scope import Scope
from langgraph_memory.writing.gates import refuse

logger = logging.getLogger(__name__)

MANAGE_MEMORY = "manage_memory"

Action = Literal["create", "update", "delete"]
ACTIONS: tuple[Action, ...] = ("create", "update", "delete")

SHORT_ID = 8
"""Characters of an id that the model sees: the random end of a UUIDv7, so two of one scope hardly ever share it."""

ACTOR = "assistant"

_INSTRUCTIONS = (
    "Write what should be known in later conversations. Use it when the user states a preference or a fact about "
    "themselves or others, asks you to remember or to forget something, or when something remembered turns out to be "
    "wrong or out of date. One fact in one sentence that stands alone, in the user's language."
)
_HOW = {
    "create": "`create` needs content.",
    "update": "`update` needs the id of the memory, as search_memory shows it, and the whole new content.",
    "delete": "`delete` needs the id.",
}


@dataclass(frozen=True, slots=True)
class _Wish:
    """What the model asked for, checked."""

    action: Action
    content: str | None
    record: MemoryRecord | None
    scope: Scope
    thread_id: str | None


def manage_memory_tool(
    memory: EditableMemory,
    *,
    scope: ScopeSource | None = None,
    actions: Sequence[Action] = ACTIONS,
    instructions: str = _INSTRUCTIONS,
) -> BaseTool:
    """Return a tool `manage_memory(action, content, id)` over a memory, for any agent or `ToolNode`.

    Whose memory it is comes from the call, never from the model. What is asked wrongly comes back as text that says
    what to do, in a `ToolMessage` of status `"error"`, as does what could not be written; nothing is created by an
    update, and nothing is destroyed: `restore` and `undo` bring it back. It works with `HumanInTheLoopMiddleware` like
    every tool.

    Args:
        memory: a `Memory`.
        scope: whose memory, as for `MemoryMiddleware`.
        actions: what the model may do.
        instructions: tells the model when to use it.

    Raises:
        InvalidInput: at once, where `actions` is empty or holds an unknown word.
        ScopeError: at a call, when nobody said whose memory it is.
    """
    check_scope(scope)
    unknown = [action for action in actions if action not in ACTIONS]
    if unknown or not actions:
        raise InvalidInput(f"actions are some of {', '.join(ACTIONS)}, not {list(actions)!r}.")

    def manage(
        action: str,
        runtime: ToolRuntime[Any, Any],
        content: Annotated[str | None, "The sentence to remember; for an update the whole new one."] = None,
        id: Annotated[str | None, "Id of the memory to update or delete, as search_memory shows it."] = None,
    ) -> str:
        whose = resolve_scope(scope, runtime)  # what is wrong here is the developer's to mend, not the model's
        try:
            wish = _checked(memory, whose, actions, action, content, id, runtime)
            return _told(wish, _write(memory, wish), runtime)
        except (ScopeError, ToolException):
            raise
        except Exception as error:
            raise ToolException(_excuse(error)) from error

    async def amanage(
        action: str,
        runtime: ToolRuntime[Any, Any],
        content: Annotated[str | None, "The sentence to remember; for an update the whole new one."] = None,
        id: Annotated[str | None, "Id of the memory to update or delete, as search_memory shows it."] = None,
    ) -> str:
        whose = await asyncio.to_thread(resolve_scope, scope, runtime)
        try:
            wish = await asyncio.to_thread(_checked, memory, whose, actions, action, content, id, runtime)
            return _told(wish, await asyncio.to_thread(_write, memory, wish), runtime)
        except (ScopeError, ToolException):
            raise
        except Exception as error:
            raise ToolException(_excuse(error)) from error

    # The model sees the words it may use; any other reaches the checker, whose refusal tells it more than a
    # validation error would.
    words = WithJsonSchema({"type": "string", "enum": list(actions), "description": "What to do."})
    permitted = Annotated[str, PlainValidator(str), words]
    for function in (manage, amanage):
        function.__annotations__["action"] = permitted
    description = " ".join([instructions, *(_HOW[action] for action in actions)])
    return StructuredTool.from_function(
        manage, amanage, name=MANAGE_MEMORY, description=description, handle_tool_error=True
    )


def short_id(id: str) -> str:
    """Return what a model sees of an id."""
    return id[-SHORT_ID:]


def _checked(
    memory: EditableMemory,
    scope: Scope,
    actions: Sequence[Action],
    action: str,
    content: str | None,
    id: str | None,
    runtime: Any,
) -> _Wish:
    """Return the wish, or raise the sentence that tells the model what was wrong with it."""
    if action not in actions:
        raise ToolException(f"Nothing was done: the action {action!r} is not permitted. Use {' or '.join(actions)}.")
    if action == "create" and id:
        raise ToolException("Nothing was done: a new memory gets its id by itself. Leave id out, or use update.")
    if action != "create" and not id:
        raise ToolException(f"Nothing was done: {action} needs the id of the memory. search_memory shows ids.")
    if action != "delete":
        why = "no content" if content is None else refuse(content)
        if why is not None:
            raise ToolException(f"Nothing was done: the content cannot be remembered ({why}).")
    record = _find(memory, id, scope) if id else None
    return _Wish(action, content, record, scope, thread_id_or_none(runtime))  # type: ignore[arg-type]


def _find(memory: EditableMemory, id: str, scope: Scope) -> MemoryRecord:
    """Return the live memory of the scope with this id, short or whole."""
    wanted = id.strip().strip("#[]\"'").lower()
    own = [record for record in memory.list(scope=scope) if record.scope == scope]
    found = [record for record in own if record.id == wanted or (len(wanted) >= 4 and record.id.endswith(wanted))]
    if len(found) == 1:
        return found[0]
    known = ", ".join(short_id(record.id) for record in own[-10:]) or "none"
    raise ToolException(f"Nothing was done: there is no memory {id!r}. Search first; the newest ids are {known}.")


def _write(memory: EditableMemory, wish: _Wish) -> Report:
    if wish.action == "create":
        return memory.add(
            str(wish.content),
            scope=wish.scope,
            actor=ACTOR,
            session_id=wish.thread_id,
            metadata={"extracted_by": MANAGE_MEMORY},
        )
    assert wish.record is not None
    if wish.action == "update":
        return memory.update(wish.record.id, text=str(wish.content), scope=wish.scope, actor=ACTOR)
    return memory.forget(wish.record.id, scope=wish.scope, actor=ACTOR, reason="deleted by the assistant")


def _told(wish: _Wish, report: Report, runtime: Any) -> str:
    for kind in ("added", "reinforced", "retired", "skipped", "refused"):
        for outcome in getattr(report, kind):
            emit(runtime, {"type": f"memory.{kind}", "id": outcome.id, "reason": outcome.reason, "of": outcome.of})  # type: ignore[typeddict-item]
    if report.skipped or report.refused:
        [outcome] = report.skipped or report.refused
        raise ToolException(f"Nothing was done: {outcome.reason}.")
    if wish.action == "delete":
        return f"Deleted memory {short_id(report.retired[0].id or '')}."
    done = "Created" if wish.action == "create" else "Updated"
    if report.reinforced:
        return f"This is known already, as memory {short_id(report.ids[0])}."
    return f"{done} memory {short_id(report.ids[0])}."


def _excuse(error: Exception) -> str:
    """Return the error as something a model can act on: the run goes on, and the failure is in the log."""
    if isinstance(error, InvalidInput | NotFound):
        return f"Nothing was done: {error}"
    logger.error("%s: memory could not be written: %s", MANAGE_MEMORY, reason(error))
    return f"Nothing was done: memory cannot be written right now ({reason(error)}). Say that it is not saved."
