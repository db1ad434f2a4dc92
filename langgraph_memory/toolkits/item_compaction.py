"""When a session's items are compacted, and who does it: decided from the items alone, without any I/O."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from langgraph_memory.errors import InvalidInput
from langgraph_memory.text.tokens import estimate_tokens

Compactor: TypeAlias = Callable[[list[Any]], Any]
"""Returns the items that take the place of those given, or an awaitable of them."""

CANDIDATES = 10
"""As many items that are not the user's start a compaction (the default of openai-agents)."""


@dataclass(frozen=True, slots=True)
class ItemCompaction:
    """When a session's items are compacted, and who does it; any one of the three conditions is enough.

    The limit of a session's settings does not matter here: a compaction sees the whole history.

    Attributes:
        compact: given all items, returns those that take their place: a plain function, which runs in a thread, or an
            async one. Items that it returns as they were stay what they are. By default older turns become a summary,
            written by the memory's chat model, or by rule where it has none; see `compaction.summarise_items`.
        candidates: so many items that are neither the user's nor a compaction's; None for any number.
        tokens: so many estimated tokens of all items; None for any number.
        when: decides by itself, as `should_trigger_compaction` of openai-agents does: it is given a mapping with
            `compaction_candidate_items` and `session_items`.
    """

    compact: Compactor | None = None
    candidates: int | None = CANDIDATES
    tokens: int | None = None
    when: Callable[[Mapping[str, Any]], bool] | None = None

    def __post_init__(self) -> None:
        for name, number in (("candidates", self.candidates), ("tokens", self.tokens)):
            if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
                raise InvalidInput(f"{name} is a whole number of at least 1, or None; not {number!r}.")
        for name, function in (("compact", self.compact), ("when", self.when)):
            if function is not None and not callable(function):
                raise InvalidInput(f"{name} is a function, or None; not {function!r:.80}.")

    def is_due(self, items: Sequence[Any]) -> bool:
        """Say whether a history is long enough."""
        chosen = [item for item in items if not _is_users(item) and item.get("type") != "compaction"]
        if self.candidates is not None and len(chosen) >= self.candidates:
            return True
        if self.tokens is not None and sum(estimate_tokens(json.dumps(item)) for item in items) >= self.tokens:
            return True
        return self.when is not None and bool(
            self.when({"compaction_candidate_items": chosen, "session_items": list(items)})
        )


@dataclass(frozen=True, slots=True)
class Compacted:
    """What a call of `run_compaction` came to.

    Attributes:
        status: `compacted`; `not due`; `waiting` for the outputs of tool calls; `overtaken` by a change of the history
            meanwhile, another compaction for example; or `failed`. In all cases but the first, nothing has changed.
        before: how many items were looked at.
        after: how many took their place.
        reason: why it failed, waits or was overtaken.
    """

    status: Literal["compacted", "not due", "waiting", "overtaken", "failed"]
    before: int = 0
    after: int = 0
    reason: str | None = None


def open_calls(items: Sequence[Any]) -> list[str]:
    """Return the ids of the newest turn's tool calls that lack an output, and of approvals that nobody gave.

    What was left open in older turns stays so, and keeps nobody waiting.
    """
    begin = max((place for place, item in enumerate(items) if _is_users(item)), default=0)
    asked: list[str] = []
    answered: set[Any] = set()
    for item in items[begin:]:
        kind = str(item.get("type"))
        if kind.endswith("_call") and isinstance(item.get("call_id"), str):
            asked.append(item["call_id"])
        elif kind == "mcp_approval_request":
            asked.append(str(item.get("id")))
        elif kind.endswith("_call_output"):
            answered |= {item.get("call_id"), item.get("id")}
        elif kind == "mcp_approval_response":
            answered.add(item.get("approval_request_id"))
    return [name for name in asked if name not in answered]


def _is_users(item: Mapping[str, Any]) -> bool:
    return item.get("role") == "user" and item.get("type", "message") == "message"
