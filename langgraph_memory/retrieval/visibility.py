"""Visibility says which lines of a snapshot a recall may show: by who said them, what they are, and when they held."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

FOREVER = 2**63 - 1
"""An end that has not come, in microseconds."""

_ENDS = ("valid_from", "valid_to", "expires_at")
DECIDING = ("recorded_at", "gone_at", *_ENDS, "valid_inferred", "own")
"""The numbers of a line that decide, besides its role and kind; see `snapshot.Line`."""

_COLUMNS = ("role", "kind", *DECIDING)

_MOST_KEPT = 8
"""Ways to narrow a search whose result is kept."""


class Visibility:
    """What decides about every line, column by column, appended to as lines are recorded."""

    def __init__(self) -> None:
        self._size = 0
        self._kinds: dict[str, int] = {}
        self._roles: dict[str, int] = {}
        self._columns: dict[str, NDArray[np.int64]] = {name: np.empty(0, dtype=np.int64) for name in _COLUMNS}
        self._kept: dict[Hashable, tuple[int, int, NDArray[np.bool_]]] = {}  # from when on, until when, and which

    @property
    def roles(self) -> Collection[str]:
        """The roles of its lines."""
        return self._roles.keys()

    def append(self, role: str, kind: str, **numbers: int) -> None:
        """Add the next line.

        Args:
            numbers: those that `DECIDING` names; times are microseconds.
        """
        row, capacity = self._size, len(self._columns["role"])
        if row == capacity:
            more = np.empty(max(64, capacity // 2), dtype=np.int64)
            self._columns = {name: np.concatenate((values, more)) for name, values in self._columns.items()}
        self._columns["role"][row] = self._roles.setdefault(role, len(self._roles))
        self._columns["kind"][row] = self._kinds.setdefault(kind, len(self._kinds))
        for name, value in numbers.items():
            self._columns[name][row] = value
        self._size += 1
        self._kept.clear()

    def change(self, row: int, times: Mapping[str, int]) -> None:
        """Note new times of a line."""
        for name, value in times.items():
            self._columns[name][row] = value
        self._kept.clear()

    def is_kind(self, rows: NDArray[np.int32], kind: str) -> NDArray[np.bool_]:
        """Say which of these rows are of a kind."""
        found: NDArray[np.bool_] = self._columns["kind"][rows] == self._kinds.get(kind, -1)
        return found

    def is_role(self, rows: NDArray[np.int32], role: str) -> NDArray[np.bool_]:
        """Say which of these rows were said in a role."""
        found: NDArray[np.bool_] = self._columns["role"][rows] == self._roles.get(role, -1)
        return found

    def allowed(
        self,
        *,
        now: int,
        as_of: int | None = None,
        known_at: int | None = None,
        include_history: bool = False,
        kinds: Sequence[str] | None = None,
        hidden_roles: Sequence[str] = (),
        own: bool = False,
    ) -> NDArray[np.bool_]:
        """Say for every line whether a recall with these options may show it.

        Args:
            now: the present, microseconds.
            as_of: true at this time in the world (default now, when every inferred `valid_from` has come).
            known_at: believed at this time. By default what is committed and not retired is believed, whatever the
                clocks say that wrote it: processes differ, and one clock may be set back.
            include_history: also what is retired, expired or no longer true.
            kinds: only these kinds.
            hidden_roles: not what was said in these roles.
            own: only what lies in exactly the snapshot's scope.

        Returns:
            Shape `(n,)`; it serves the next recall too and cannot be written to.
        """
        options = (as_of, known_at, include_history, None if kinds is None else tuple(kinds), tuple(hidden_roles), own)
        since, until, visible = self._kept.get(options, (0, 0, None))
        if visible is None or not since <= now < until:
            visible = self._visible(now, *options)
            visible.flags.writeable = False
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[options] = now, self._next_change(now), visible
        return visible

    def _visible(
        self,
        now: int,
        as_of: int | None,
        known_at: int | None,
        include_history: bool,
        kinds: Sequence[str] | None,
        hidden_roles: Sequence[str],
        own: bool,
    ) -> NDArray[np.bool_]:
        column = {name: values[: self._size] for name, values in self._columns.items()}
        true = now if as_of is None else as_of
        visible = np.ones(self._size, dtype=np.bool_) if known_at is None else column["recorded_at"] <= known_at
        if not include_history:
            visible &= column["gone_at"] == FOREVER if known_at is None else column["gone_at"] > known_at
            begun = column["valid_from"] <= true
            if as_of is None:
                begun |= column["valid_inferred"] == 1
            visible &= begun & (column["expires_at"] > true) & (column["valid_to"] > true)
        if kinds is not None:
            visible &= np.isin(column["kind"], [self._kinds[kind] for kind in kinds if kind in self._kinds])
        hidden = [self._roles[role] for role in hidden_roles if role in self._roles]
        if hidden:
            visible &= ~np.isin(column["role"], hidden)
        if own:
            visible &= column["own"] == 1
        return visible

    def _next_change(self, now: int) -> int:
        """Return when the next line begins or ceases to be true."""
        times = np.concatenate([self._columns[name][: self._size] for name in _ENDS])
        return int(times[times > now].min(initial=FOREVER))
