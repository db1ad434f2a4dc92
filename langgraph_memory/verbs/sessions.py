"""The verbs that hand out sessions for other toolkits: the OpenAI Agents SDK and the Claude Agent SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langgraph_memory.errors import InvalidInput
from langgraph_memory.records import Report
from langgraph_memory.scope import Scope, ScopeLike
from langgraph_memory.sessions.recorder import check_thread
from langgraph_memory.verbs.opened import Opened

if TYPE_CHECKING:
    from langgraph_memory.toolkits.claude_store import ClaudeSessionStore, Fold
    from langgraph_memory.toolkits.item_compaction import ItemCompaction
    from langgraph_memory.toolkits.item_session import ItemSession
    from langgraph_memory.toolkits.item_thread import SessionSettings
    from langgraph_memory.toolkits.sealing import Sealing


class SessionVerbs(Opened):
    """Lets agents of other toolkits keep their conversations here, where they can be recalled."""

    def session(
        self,
        thread_id: str,
        *,
        scope: ScopeLike,
        session_settings: SessionSettings | None = None,
        seal: Sealing | None = None,
        compaction: ItemCompaction | None = None,
    ) -> ItemSession:
        """Return a conversation as a session of the OpenAI Agents SDK: get, add, pop and clear items.

        Items come out exactly as they went in. What users and assistants say in them is recorded as by `record`;
        what is popped or cleared is forgotten. Nothing is read or written before the first of its verbs. Items are kept
        in the memory's own SQLite or PostgreSQL; a LangGraph `BaseStore` has no transactions and cannot hold them.

        Args:
            thread_id: which conversation.
            scope: whose memory.
            session_settings: the SDK's own; its `limit` is looked at.
            seal: keeps the items encrypted; sealed text cannot be recalled.
            compaction: when the history gives way to a shorter one, and who writes that; the SDK's runner asks for it
                after each turn. All that was said is recalled as before, which the SDK's own compaction session, put
                around this one, would forget: it clears it and adds again. By default a session is never compacted.

        Raises:
            InvalidInput: the thread id is blank or too long.
            ScopeError: the scope is missing or malformed.
        """
        from langgraph_memory.toolkits.blocking_session import BlockingSession
        from langgraph_memory.toolkits.compacting_session import CompactingSession
        from langgraph_memory.toolkits.compacting_thread import CompactingThread
        from langgraph_memory.toolkits.item_session import ItemSession

        check_thread(thread_id)
        inside = Scope.of(scope)

        def added(report: Report, thread: str) -> Report:
            if report.added:
                self._wake()
            return self._distilled(report, inside, thread)

        options: dict[str, Any] = {
            "database": lambda: self._parts.database,
            "clock": self._clock,
            "added": added,
            "session_settings": session_settings,
            "seal": seal,
        }
        if compaction is None:
            return ItemSession(BlockingSession(thread_id, inside, **options))
        compact = compaction.compact
        if compact is None:
            from langgraph_memory.compaction.of_items import summarise_items

            compact = summarise_items(self._parts.chat, searchable=seal is None)
        return CompactingSession(CompactingThread(thread_id, inside, compaction=compaction, compact=compact, **options))

    def session_store(self, *, scope: ScopeLike, fold: Fold | None = None) -> ClaudeSessionStore:
        """Return a store for the sessions of the Claude Agent SDK: `ClaudeAgentOptions(session_store=...)`.

        Transcripts come back line by line as they were. What is said in their main part is recorded as by `record`
        under the line's own id, in the thread `project/session`; what subagents say among themselves is kept and
        not recalled.

        Args:
            scope: whose memory.
            fold: makes the summary that the SDK lists sessions by; by default the SDK's own.

        Raises:
            InvalidInput: no `fold` is given, and the Claude Agent SDK is not installed.
            ScopeError: the scope is missing or malformed.
        """
        from langgraph_memory.toolkits.claude_store import ClaudeSessionStore

        inside = Scope.of(scope)
        if fold is None:
            try:
                from claude_agent_sdk import fold_session_summary
            except ImportError as error:
                raise InvalidInput(
                    "Summaries of sessions are made by the Claude Agent SDK: pip install claude-agent-sdk, or give "
                    "a `fold` of your own."
                ) from error
            fold = fold_session_summary

        def added(report: Report, thread: str) -> None:
            if report.added:
                self._wake()
                self._distilled(report, inside, thread)

        return ClaudeSessionStore(
            inside,
            database=lambda: self._parts.database,
            recorder=lambda: self._parts.recorder,
            clock=self._clock,
            erase=lambda thread: self._erase(inside, thread),
            added=added,
            fold=fold,
        )
