"""Which lines of a Claude transcript are something that was said, and what they say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from langgraph_memory.records import Message
from langgraph_memory.sessions.messages import to_moment
from langgraph_memory.sessions.recorder import LONGEST_NAME

_BY_MACHINE = re.compile(
    r"\s*(?:<(?:command-name|command-message|command-args|local-command-stdout|local-command-stderr|"
    r"local-command-caveat|session-start-hook|system-reminder|bash-input|bash-stdout|bash-stderr|ide_opened_file|"
    r"ide_selection|task-notification|tick|goal)>|\[Request interrupted by user)"
)
"""How texts begin that the command line writes in the user's name."""


def thread_of(project: str, session: str) -> str:
    """Return the thread in which a session's text is recalled; different sessions have different ones."""
    return f"{_escape(project)}/{_escape(session)}"


def uuid_of(line: Mapping[str, Any]) -> str | None:
    """Return the id that names a line, None where it has none that can be indexed."""
    given = line.get("uuid")
    if not isinstance(given, str) or not given.strip() or len(given.encode("utf-8", "replace")) > LONGEST_NAME:
        return None
    return given


def said_in(line: Mapping[str, Any], fallback_id: str) -> Message | None:
    """Return what a person or the model said in a line; None for results, notes, summaries and asides.

    Args:
        fallback_id: names the message where the line has no id.
    """
    role = line.get("type")
    if role not in ("user", "assistant") or any(line.get(mark) is True for mark in _NOT_SAID):
        return None
    message = line.get("message")
    content = message.get("content") if isinstance(message, Mapping) else None
    text = "\n".join(piece for piece in _texts(content) if piece.strip() and not _is_by_machine(role, piece))
    if not text:
        return None
    try:
        observed_at = to_moment(line.get("timestamp"))
    except ValueError:
        observed_at = None
    name = uuid_of(line) or fallback_id
    return Message(role, text, text, id=name, speaker=role, observed_at=observed_at)


def copied_from(line: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the session and the id of the line that a fork has copied this one from, None where it is no copy."""
    origin = line.get("forkedFrom")
    if not isinstance(origin, Mapping):
        return None
    session, uuid = origin.get("sessionId"), origin.get("messageUuid")
    return (session, uuid) if isinstance(session, str) and isinstance(uuid, str) else None


_NOT_SAID = ("isMeta", "isCompactSummary", "isSidechain", "isApiErrorMessage")


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    blocks = [block for block in content if isinstance(block, Mapping)]
    if any(block.get("type") == "tool_result" for block in blocks):  # a tool speaks, in the user's name
        return []
    return [block["text"] for block in blocks if block.get("type") == "text" and isinstance(block.get("text"), str)]


def _is_by_machine(role: str, text: str) -> bool:
    return role == "user" and _BY_MACHINE.match(text) is not None


def _escape(name: str) -> str:
    return name.replace("%", "%25").replace("/", "%2F")
