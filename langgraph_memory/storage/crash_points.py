"""Named moments at which a crash would hurt most, so that tests can kill the process exactly there."""

from __future__ import annotations

from collections.abc import Callable

hook: Callable[[str], None] | None = None
"""Set by crash tests in a child process; never set in production."""


def reach(moment: str) -> None:
    """Tell the hook, where there is one, that this moment has come."""
    if hook is not None:
        hook(moment)
