from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from langgraph_memory.clock import system_clock
from langgraph_memory.errors import NotFound
from langgraph_memory.records import MemoryRecord, Message
from langgraph_memory.scope import Scope
from langgraph_memory.sessions.recorder import Recorder
from langgraph_memory.storage import journal, memories, outbox
from langgraph_memory.storage.database import Database
from langgraph_memory.testing.clock import FrozenClock
from langgraph_memory.writing.curator import Curator
from langgraph_memory.writing.proposal import Proposal

ANA = Scope(("acme", "ana"))
NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOW)


@pytest.fixture
def curator(database: Database, clock: FrozenClock) -> Curator:
    return Curator(database, clock)


def test_an_added_memory_can_be_read_back_in_full(curator: Curator, database: Database) -> None:
    proposal = Proposal(
        text="  Ana is allergic to peanuts. ",
        kind="profile",
        actor="assistant",
        session_id="t1",
        observed_at=NOW - timedelta(days=2),
        valid_to=NOW + timedelta(days=9),
        expires_at=NOW + timedelta(days=99),
        importance=0.9,
        pinned=True,
        metadata={"quelle": "Gespräch", "n": [1, None, {"x": "\ud800"}]},
    )
    report = curator.add(proposal, ANA)
    record = get(database, report.ids[0])
    assert report.added[0].text == record.text == "Ana is allergic to peanuts."
    assert (record.scope, record.kind, record.actor, record.session_id) == (ANA, "profile", "assistant", "t1")
    assert record.recorded_at == NOW
    assert record.observed_at == record.valid_from == NOW - timedelta(days=2)
    assert record.valid_inferred
    assert (record.valid_to, record.expires_at) == (proposal.valid_to, proposal.expires_at)
    assert (record.importance, record.pinned, record.tier, record.reinforced) == (0.9, True, "long", 0)
    assert record.metadata == proposal.metadata
    assert record.retired_at is None and record.supersedes is None and record.evidence == ()
    with database.read() as connection:
        assert outbox.owed(connection) == {"embed": 1, "link": 1}
        assert [change.action for change in journal.history(connection, record.id)] == ["added"]


def test_a_blank_memory_is_refused_and_nothing_is_written(curator: Curator, database: Database) -> None:
    for text in ("", "   ", "\n\t", "\u200b\ufeff", "\u2800"):
        assert curator.add(Proposal(text), ANA).refused[0].reason == "blank"
    assert live(database) == []


def test_the_same_sentence_again_is_one_memory_reinforced(curator: Curator, database: Database) -> None:
    first = curator.add(Proposal("Ana likes tea."), ANA)
    again = curator.add(Proposal("ana  likes TEA!"), ANA)
    assert again.reinforced[0].of == first.ids[0] == again.ids[0]
    assert [(record.text, record.reinforced) for record in live(database)] == [("Ana likes tea.", 1)]


def test_scopes_have_their_own_sentences(curator: Curator, database: Database) -> None:
    for scope in (ANA, Scope(("acme",)), Scope(("acme", "bob"))):
        assert len(curator.add(Proposal("Likes tea."), scope).added) == 1
    assert len(live(database, Scope(("acme",)))) == 3
    assert len(live(database)) == 1


def test_the_database_itself_refuses_a_second_live_record_of_one_text(curator: Curator, database: Database) -> None:
    record = get(database, curator.add(Proposal("Ana likes tea."), ANA).ids[0])
    with pytest.raises(Exception, match=r"(?i)unique"), database.write() as connection:
        connection.execute(
            sa.insert(memories.memories).values(
                scope_id=sa.select(memories.memories.c.scope_id).scalar_subquery(), changed_seq=99,
                **{**memories._columns(record), "id": "other", "seq": 99},
            )
        )  # fmt: skip


def test_the_same_sentence_about_another_time_is_another_memory(curator: Curator, database: Database) -> None:
    then = Proposal("Ana lives in Oslo.", valid_from=NOW - timedelta(days=900), valid_to=NOW - timedelta(days=500))
    past = curator.add(then, ANA)
    present = curator.add(Proposal("Ana lives in Oslo."), ANA)
    assert len(past.added) == len(present.added) == 1
    assert [record.id for record in live(database)] == [present.ids[0]]
    # Said once more, each interval reinforces its own.
    assert curator.add(Proposal("Ana lives in Oslo."), ANA).reinforced[0].of == present.ids[0]
    assert curator.add(then, ANA).reinforced[0].of == past.ids[0]


def test_saying_an_expired_memory_again_revives_it(curator: Curator, database: Database, clock: FrozenClock) -> None:
    old = curator.add(Proposal("Ana is on holiday.", expires_at=NOW + timedelta(days=1)), ANA).ids[0]
    clock.advance(days=2)
    assert live(database, now=clock()) == []
    new = curator.add(Proposal("Ana is on holiday."), ANA)
    assert new.added and new.ids[0] != old
    assert [record.id for record in live(database, now=clock())] == [new.ids[0]]
    assert get(database, old).reason == "expired"


def test_evidence_is_linked_in_order_and_what_is_unknown_is_said(curator: Curator, database: Database) -> None:
    said = [Message("user", text, text, id=name) for name, text in (("m1", "tea please"), ("m2", "green tea"))]
    Recorder(database, system_clock).record(said, ANA, "t1")
    other = curator.add(Proposal("Ana drinks."), ANA).ids[0]
    report = curator.add(Proposal("Ana likes tea.", evidence=("m2", "m1", other, "m2", "nope")), ANA)
    assert report.added[0].reason == "unknown evidence: nope"
    assert get(database, report.ids[0]).evidence == ("m1", "m2", other)
    curator.add(Proposal("Ana likes tea.", evidence=("m1",)), ANA)
    assert get(database, report.ids[0]).evidence == ("m1", "m2", other)
    # Evidence is looked for inside the scope only.
    assert curator.add(Proposal("x", evidence=("m1",)), Scope(("acme", "bob"))).added[0].reason is not None


def test_an_update_writes_a_successor_and_closes_the_old_record(
    curator: Curator, database: Database, clock: FrozenClock
) -> None:
    old = curator.add(Proposal("Ana lives in Oslo.", importance=0.5, metadata={"a": 1}), ANA).ids[0]
    clock.advance(hours=1)
    report = curator.update(old, "Ana lives in Rome.", scope=ANA, actor="bob", reason="she moved")
    before, after = get(database, old), get(database, report.ids[0])
    assert (before.text, before.retired_at, before.retired_by, before.reason) == (
        "Ana lives in Oslo.", clock(), "bob", "she moved",
    )  # fmt: skip
    assert (after.text, after.supersedes, after.evidence) == ("Ana lives in Rome.", old, (old,))
    assert (after.importance, after.metadata, after.actor, after.recorded_at) == (0.5, {"a": 1}, "bob", clock())
    assert after.seq > before.seq
    assert [record.id for record in live(database, now=clock())] == [after.id]
    with database.read() as connection:
        assert [change.action for change in journal.history(connection, old)] == ["added", "retired"]
    with pytest.raises(NotFound, match="was retired"):
        curator.update(old, "Ana lives in Bonn.", scope=ANA, actor="bob", reason=None)


def test_an_update_to_the_same_text_changes_nothing_but_spelling_counts(curator: Curator, database: Database) -> None:
    old = curator.add(Proposal("ana likes tea"), ANA).ids[0]
    assert curator.update(old, "ana likes tea", scope=None, actor="u", reason=None).skipped[0].reason == "unchanged"
    report = curator.update(old, "Ana likes tea.", scope=None, actor="u", reason=None)
    assert [record.text for record in live(database)] == ["Ana likes tea."]
    assert report.retired[0].id == old
    assert curator.update(report.ids[0], " ", scope=None, actor="u", reason=None).refused[0].reason == "blank"


def test_an_update_to_what_another_memory_says_folds_into_it(curator: Curator, database: Database) -> None:
    oslo = curator.add(Proposal("Ana lives in Oslo."), ANA).ids[0]
    rome = curator.add(Proposal("Ana lives in Rome."), ANA).ids[0]
    report = curator.update(oslo, "Ana lives in Rome.", scope=None, actor="u", reason=None)
    assert (report.reinforced[0].id, report.retired[0].id, report.retired[0].of) == (rome, oslo, rome)
    assert [(record.id, record.reinforced) for record in live(database)] == [(rome, 1)]


def test_an_update_to_what_an_expired_memory_said_is_seen(
    curator: Curator, database: Database, clock: FrozenClock
) -> None:
    curator.add(Proposal("Ana lives in Rome.", expires_at=NOW + timedelta(days=1)), ANA)
    oslo = curator.add(Proposal("Ana lives in Oslo."), ANA).ids[0]
    clock.advance(days=2)
    curator.update(oslo, "Ana lives in Rome.", scope=None, actor="u", reason=None)
    assert [record.text for record in live(database, now=clock())] == ["Ana lives in Rome."]


def test_an_expired_memory_cannot_be_updated_out_of_sight(curator: Curator, clock: FrozenClock) -> None:
    old = curator.add(Proposal("Ana is away.", expires_at=NOW + timedelta(days=1)), ANA).ids[0]
    clock.advance(days=2)
    with pytest.raises(NotFound, match="expired on 2026-05-02"):
        curator.update(old, "Ana is here.", scope=None, actor="u", reason=None)


def test_what_is_forgotten_is_hidden_until_it_is_restored(
    curator: Curator, database: Database, clock: FrozenClock
) -> None:
    name = curator.add(Proposal("Ana likes tea."), ANA).ids[0]
    before = get(database, name)
    assert curator.forget(name, scope=ANA, thread_id=None, actor="ana", reason="wrong").retired[0].id == name
    hidden = get(database, name)
    assert (hidden.retired_at, hidden.retired_by, hidden.reason) == (clock(), "ana", "wrong")
    assert live(database) == []
    again = curator.forget(name, scope=None, thread_id=None, actor="ana", reason=None)
    assert again.skipped[0].reason == "already forgotten"
    assert curator.restore(name, scope=None, thread_id=None, actor="ana", reason=None).restored[0].id == name
    assert get(database, name) == before
    again = curator.restore(name, scope=None, thread_id=None, actor="ana", reason=None)
    assert again.skipped[0].reason == "not forgotten"
    with database.read() as connection:
        history = journal.history(connection, name)
    assert [change.action for change in history] == ["added", "retired", "restored"]
    assert history[1].before is not None and history[1].after is not None
    assert (history[1].before["retired_at"], history[1].after["reason"]) == (None, "wrong")


def test_a_memory_whose_text_was_said_again_meanwhile_is_not_restored(curator: Curator, database: Database) -> None:
    old = curator.add(Proposal("Ana likes tea."), ANA).ids[0]
    curator.forget(old, scope=None, thread_id=None, actor="u", reason=None)
    new = curator.add(Proposal("Ana likes tea."), ANA).ids[0]
    skipped = curator.restore(old, scope=None, thread_id=None, actor="u", reason=None).skipped[0]
    assert (skipped.reason, skipped.of) == ("another live memory says the same", new)
    assert [record.id for record in live(database)] == [new]


def test_an_expired_twin_does_not_stand_in_the_way_of_restoring(
    curator: Curator, database: Database, clock: FrozenClock
) -> None:
    old = curator.add(Proposal("Ana likes tea."), ANA).ids[0]
    curator.forget(old, scope=None, thread_id=None, actor="u", reason=None)
    curator.add(Proposal("Ana likes tea.", expires_at=NOW + timedelta(days=1)), ANA)
    clock.advance(days=2)
    assert curator.restore(old, scope=None, thread_id=None, actor="u", reason=None).ids == (old,)
    assert [record.id for record in live(database, now=clock())] == [old]


def test_a_memory_is_reached_only_from_scopes_that_contain_it(curator: Curator, database: Database) -> None:
    name = curator.add(Proposal("Ana likes tea."), ANA).ids[0]
    for scope in (Scope(("acme", "bob")), Scope(("acm",)), Scope(("acme", "ana", "x"))):
        with pytest.raises(NotFound):
            curator.forget(name, scope=scope, thread_id=None, actor="u", reason=None)
        with pytest.raises(NotFound):
            curator.update(name, "x", scope=scope, actor="u", reason=None)
    assert len(live(database)) == 1
    assert curator.forget(name, scope=Scope(("acme",)), thread_id=None, actor="u", reason=None).retired


def test_a_message_is_forgotten_and_restored_by_its_id(curator: Curator, database: Database) -> None:
    recorder = Recorder(database, system_clock)
    for thread in ("t1", "t2"):
        recorder.record([Message("user", "hi", "hi", id="m1")], ANA, thread)
    with pytest.raises(NotFound, match=r"several conversations.*t1.*t2.*thread_id"):
        curator.forget("m1", scope=ANA, thread_id=None, actor="u", reason=None)
    with pytest.raises(NotFound, match="say whose it is"):
        curator.forget("m1", scope=None, thread_id=None, actor="u", reason=None)
    assert curator.forget("m1", scope=ANA, thread_id="t2", actor="u", reason="x").retired[0].id == "m1"
    assert curator.forget("m1", scope=ANA, thread_id="t2", actor="u", reason=None).skipped
    assert curator.restore("m1", scope=ANA, thread_id="t2", actor="u", reason=None).restored[0].id == "m1"
    assert curator.restore("m1", scope=ANA, thread_id="t2", actor="u", reason=None).skipped


def test_text_that_no_database_stores_is_made_storable_everywhere(curator: Curator, database: Database) -> None:
    more = {"k": "v\0\ud83d"}
    proposal = Proposal("nul \0 half \ud83d", kind="k\0", actor="a\0", session_id="s\ud83d", metadata=more)
    record = get(database, curator.add(proposal, ANA).ids[0])
    assert (record.text, record.kind, record.actor, record.session_id) == ("nul ␀ half \ufffd", "k␀", "a␀", "s\ufffd")
    assert record.metadata == more
    curator.forget(record.id, scope=None, thread_id=None, actor="b\0", reason="r\0\ud83d")
    assert get(database, record.id).reason == "r␀\ufffd"
    for name in ("no\0", "half\ud83d"):
        with pytest.raises(NotFound):
            curator.forget(name, scope=ANA, thread_id=name, actor="u", reason=None)


def test_an_export_is_adopted_once_with_its_times(curator: Curator, database: Database, clock: FrozenClock) -> None:
    name = curator.add(Proposal("Ana likes tea."), ANA).ids[0]
    curator.forget(name, scope=None, thread_id=None, actor="u", reason="gone")
    record = get(database, name)
    assert curator.adopt(record).skipped[0].reason == "already here"
    clock.advance(days=30)
    elsewhere = Curator(database, clock)
    copy = MemoryRecord(**{field: getattr(record, field) for field in record.__slots__} | {"id": "copy"})
    assert elsewhere.adopt(copy).added[0].id == "copy"
    adopted = get(database, "copy")
    assert (adopted.recorded_at, adopted.retired_at, adopted.reason) == (NOW, NOW, "gone")
    assert adopted.seq > record.seq


def get(database: Database, name: str) -> MemoryRecord:
    with database.read() as connection:
        record = memories.by_id(connection, name)
    assert record is not None
    return record


def live(database: Database, scope: Scope = ANA, now: datetime = NOW) -> list[MemoryRecord]:
    micros = round(now.timestamp() * 1_000_000)
    with database.read() as connection:
        return memories.list_records(
            connection, scope, include_history=False, kinds=None, now=micros, limit=None, offset=0
        )
