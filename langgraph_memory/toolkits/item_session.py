"""A session as the OpenAI Agents SDK takes it: four verbs that are awaited, and branches."""

from __future__ import annotations

from typing import Any, Self

from langgraph_memory.records import Outcome, Report
from langgraph_memory.toolkits.blocking_session import BlockingSession, Branch
from langgraph_memory.toolkits.landing import landed


class ItemSession:
    """A session as the OpenAI Agents SDK takes it: `Runner.run(agent, "Hello", session=memory.session(...))`.

    Attributes:
        blocking: the same verbs for code that does not await, with reports of what they did.
    """

    def __init__(self, blocking: BlockingSession) -> None:
        self.blocking = blocking

    @property
    def session_id(self) -> str:
        """The thread's id."""
        return self.blocking.session_id

    @property
    def session_settings(self) -> Any:
        """The settings whose `limit` holds where `get_items` is given none."""
        return self.blocking.session_settings

    @session_settings.setter
    def session_settings(self, settings: Any) -> None:
        self.blocking.session_settings = settings

    @property
    def unreadable(self) -> tuple[Outcome, ...]:
        """Sealed items that the last reading left out, each with the reason."""
        return self.blocking.unreadable

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Return the last `limit` items in order; see `BlockingSession.get_items`."""
        return await landed(self.blocking.get_items, limit)

    async def add_items(self, items: list[Any]) -> None:
        """Append items, all or none; see `BlockingSession.add_items`."""
        await landed(self.blocking.add_items, items)

    async def pop_item(self) -> Any:
        """Take the newest item out and return it; see `BlockingSession.pop_item`."""
        return await landed(self.blocking.pop_item)

    async def clear_session(self) -> None:
        """Take every item out; see `BlockingSession.clear_session`."""
        await landed(self.blocking.clear_session)

    async def branch(self, name: str, *, from_turn: int | None = None) -> Self:
        """Begin another conversation with what was said before a turn; see `BlockingSession.branch`."""
        return type(self)(await landed(self.blocking.branch, name, from_turn=from_turn))

    async def branches(self) -> list[Branch]:
        """Return the branches of this conversation; see `BlockingSession.branches`."""
        return await landed(self.blocking.branches)

    async def delete_branch(self, name: str) -> Report:
        """Delete a branch; see `BlockingSession.delete_branch`."""
        return await landed(self.blocking.delete_branch, name)
