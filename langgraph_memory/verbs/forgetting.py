"""Forgetting by what memories have in common, all at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from langgraph_memory import arguments
from langgraph_memory.clock import checked_moment
from langgraph_memory.records import Report
from langgraph_memory.scope import Scope, ScopeLike
from langgraph_memory.twins import in_thread
from langgraph_memory.verbs.opened import Opened


class ForgettingVerbs(Opened):
    """Hides memories by scope and conditions."""

    def forget_where(
        self,
        *,
        scope: ScopeLike,
        ids: Sequence[str] | None = None,
        kinds: Sequence[str] | None = None,
        older_than: datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
        actor: str = "user",
        reason: str | None = None,
    ) -> Report:
        """Hide the memories inside the scope that meet all the conditions given; without any, all that are live.

        Messages stay. It is one transaction and one batch: `undo` brings all of them back, `restore` one.

        Args:
            scope: nothing outside it is touched, whatever the ids say.
            ids: of memories.
            kinds: `fact`, `preference` and so on.
            older_than: what was said (`observed_at`) before this moment; without a zone it is taken as UTC.
            metadata: values that the memory's metadata must have under these keys.
            actor: who forgets.
            reason: kept in the history.

        Returns:
            what was retired, and under `skipped` each id that names no live memory which meets the conditions.

        Raises:
            InvalidInput: an argument cannot be used; nothing was written.
        """
        arguments.words("actor", actor, "user")
        if reason is not None:
            arguments.name_of("reason", reason, "she moved")
        return self._parts.curator.forget_where(
            Scope.of(scope),
            ids=None if ids is None else arguments.texts("ids", ids, "[report.ids[0]]"),
            kinds=None if kinds is None else arguments.texts("kinds", kinds, '["fact"]'),
            older_than=checked_moment("older_than", older_than),
            metadata=arguments.fields("metadata", metadata),
            actor=actor,
            reason=reason,
        )

    aforget_where = in_thread(forget_where)
