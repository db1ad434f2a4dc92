"""Recording appends messages to a session, verbatim and once, in one transaction and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy.engine import Connection

from langgraph_memory.clock import Clock, to_micros, utc_offset, zoned
from langgraph_memory.errors import InvalidInput, MessageError
from langgraph_memory.records import UTC_OFFSET, Message, Outcome, Report
from langgraph_memory.scope import Scope
from langgraph_memory.sessions.identity import Again, Decision, Given, Known, New, Stored, Verdict, Version, decide
from langgraph_memory.sessions.messages import each_message, message_digest
from langgraph_memory.storage import entries
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.scopes import intern, touch
from langgraph_memory.text.normalise import clean

LONGEST_NAME = 2_000
"""Bytes of a thread id or message id: PostgreSQL indexes no text over 2,700."""


class Recorder:
    """Writes what was said."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def record(
        self, messages: Sequence[Message], scope: Scope, thread_id: str, observed_at: datetime | None = None
    ) -> Report:
        """Append what is new of the messages to the session `thread_id` of the scope.

        Args:
            messages: in the order in which they were said.
            scope: whose memory.
            thread_id: which conversation.
            observed_at: when they were said, for those that do not say so themselves; default now. How far its zone is
                ahead of UTC is kept beside each message, because `yesterday` is counted from the speaker's own day.

        Returns:
            `added` with the message ids written, `restored` with those of which an earlier version is current again,
            `skipped` with those already recorded.

        Raises:
            InvalidInput: the thread id is blank or too long.
            MessageError: a message's id is too long.
            StorageError: nothing was written.
        """
        if not messages:
            check_thread(thread_id)
            return Report()
        if observed_at is not None:
            said_at = zoned(observed_at)
            messages = [
                message if message.observed_at else replace(message, observed_at=said_at) for message in messages
            ]
        check_names(messages, thread_id)
        with self._database.write() as connection:
            return self.write(connection, messages, scope, thread_id)

    def write(self, connection: Connection, messages: Sequence[Message], scope: Scope, thread_id: str) -> Report:
        """Append messages as `record` does, in a writing transaction that has more to do; their names are checked."""
        given = [_given(message) for message in messages]
        now = to_micros(self._clock())
        lineage = intern(connection, scope)
        session = entries.open_session(connection, lineage[-1], clean(thread_id), now)
        verdict = self._decide(connection, session, given)
        new = [
            _prepared(message, seen.digest, decision.message_id, now)
            for message, seen, decision in zip(messages, given, verdict.decisions, strict=True)
            if isinstance(decision, New)
        ]
        if new or verdict.replaced:
            first = self._database.take_seqs(connection, len(new) or 1)
        if new:
            entries.append(connection, lineage=lineage, session=session, first_seq=first, new=new, now=now)
        if verdict.replaced:
            changed_seq = first + max(len(new) - 1, 0)
            entries.mark_replaced(connection, _replacements(verdict.replaced, first), changed_seq)
            touch(connection, lineage, changed_seq=changed_seq)
        return _report(messages, verdict.decisions)

    def _decide(self, connection: Connection, session: entries.SessionRow, given: Sequence[Given]) -> Verdict:
        named = [message.message_id for message in given if message.message_id is not None]
        unnamed = len(named) < len(given)
        return decide(
            given,
            known=_stored(entries.known_by_id(connection, session, named)) if named and session.entries else {},
            tail=_known(entries.tail(connection, session, len(given))) if unnamed and session.entries else (),
            runs_from=lambda digest: [
                _known(run) for run in entries.runs_from(connection, session, digest, len(given))
            ],
            next_position=session.entries,
            behind=lambda message_id: _known(entries.behind(connection, session, message_id)),
        )


def check_thread(thread_id: object) -> None:
    """Refuse what cannot name a conversation.

    Raises:
        InvalidInput: it is no text, blank or too long.
    """
    if not isinstance(thread_id, str) or not thread_id.strip():
        raise InvalidInput(f"thread_id must be non-blank text, not {thread_id!r}: it names the conversation.")
    if len(thread_id.encode(errors="replace")) > LONGEST_NAME:
        raise InvalidInput(f"thread_id takes more than {LONGEST_NAME:,} bytes; it is a name, not a text.")


def readable(value: Any) -> tuple[list[Message], list[Outcome]]:
    """Return the messages that can be recorded, in order, and for each other item why it cannot.

    Args:
        value: as for `to_messages`.
    """
    messages: list[Message] = []
    refused: list[Outcome] = []
    for index, message in enumerate(each_message(value)):
        if isinstance(message, MessageError):
            refused.append(Outcome(None, "", reason=str(message)))
        elif _is_too_long(message.id):
            refused.append(Outcome(None, message.text, reason=_too_long(index)))
        else:
            messages.append(message)
    return messages, refused


def check_names(messages: Sequence[Message], thread_id: object) -> None:
    """Refuse a thread id or message ids that no database indexes.

    Raises:
        InvalidInput: the thread id is blank or too long.
        MessageError: a message's id is too long.
    """
    check_thread(thread_id)
    for index, message in enumerate(messages):
        if _is_too_long(message.id):
            raise MessageError(_too_long(index))


def _is_too_long(message_id: str | None) -> bool:
    return message_id is not None and len(message_id.encode(errors="replace")) > LONGEST_NAME


def _too_long(index: int) -> str:
    return f"The id of message {index} takes more than {LONGEST_NAME:,} bytes."


def _given(message: Message) -> Given:
    return Given(
        None if message.id is None else clean(message.id),
        message_digest(message),
        None if message.observed_at is None else to_micros(message.observed_at),
        generated=message.role in ("assistant", "tool"),
    )


def _known(rows: Sequence[tuple[str, str, int]]) -> list[Known]:
    return [Known(*row) for row in rows]


def _prepared(message: Message, digest: str, message_id: str, now: int) -> entries.NewEntry:
    return entries.NewEntry(
        message_id=message_id,
        digest=digest,
        role=message.role,
        speaker=clean(message.speaker or message.role),
        text=clean(message.text),
        content=message.content,
        extra=_with_offset(message),
        observed_at=now if message.observed_at is None else to_micros(message.observed_at),
    )


def _with_offset(message: Message) -> Mapping[str, Any]:
    """Return the message's extra with the minutes that its zone is ahead of UTC; the time itself is stored in UTC."""
    offset = 0 if message.observed_at is None else utc_offset(message.observed_at)
    return {**message.extra, UTC_OFFSET: offset} if offset else message.extra


def _stored(found: Mapping[str, Sequence[tuple[int, str, int | None]]]) -> dict[str, list[Stored]]:
    return {message_id: [Stored(*version) for version in versions] for message_id, versions in found.items()}


def _replacements(replaced: Mapping[Version, Version | None], first_seq: int) -> dict[int, int | None]:
    def seq(version: Version) -> int:
        return first_seq + version.number if version.is_new else version.number

    return {seq(old): None if new is None else seq(new) for old, new in replaced.items()}


def _report(messages: Sequence[Message], decisions: Sequence[Decision]) -> Report:
    added, restored, skipped = [], [], []
    for message, decision in zip(messages, decisions, strict=True):
        if isinstance(decision, New):
            added.append(Outcome(decision.message_id, message.text))
        elif isinstance(decision, Again):
            reason = "said again after it was replaced; this version is the current one again"
            restored.append(Outcome(decision.message_id, message.text, reason=reason))
        else:
            skipped.append(
                Outcome(decision.message_id, message.text, reason="already recorded", of=decision.message_id)
            )
    return Report(added=tuple(added), skipped=tuple(skipped), restored=tuple(restored))
