from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from langgraph_memory.clock import system_clock
from langgraph_memory.records import Message
from langgraph_memory.scope import Scope
from langgraph_memory.sessions.recorder import Recorder
from langgraph_memory.storage import vectors
from langgraph_memory.storage.database import Database


def test_a_vector_comes_back_as_it_was_but_for_half_precision(database: Database) -> None:
    rows = {seq: unit(seq) for seq in range(1, 6)}
    with database.write() as connection:
        model = vectors.register_model(connection, "m", 384)
        vectors.put(connection, model, rows)
    with database.read() as connection:
        found = vectors.get(connection, model, [1, 2, 3, 4, 5, 6])
    assert set(found) == set(rows)
    for seq, row in rows.items():
        assert found[seq].dtype == np.float32
        assert abs(float(found[seq] @ row) - 1.0) < 1e-3
        np.testing.assert_array_equal(found[seq], row.astype("<f2").astype(np.float32))


def test_the_first_vector_of_a_row_stays(database: Database) -> None:
    with database.write() as connection:
        model = vectors.register_model(connection, "m", 384)
        vectors.put(connection, model, {1: unit(1)})
        vectors.put(connection, model, {1: unit(2), 2: unit(2)})
        found = vectors.get(connection, model, [1, 2])
    assert float(found[1] @ unit(1)) > 0.99
    assert float(found[2] @ unit(2)) > 0.99


def test_models_keep_their_vectors_apart(database: Database) -> None:
    with database.write() as connection:
        one, other = vectors.register_model(connection, "one", 384), vectors.register_model(connection, "other", 8)
        assert vectors.register_model(connection, "one", 384) == one
        vectors.put(connection, one, {1: unit(1)})
        vectors.put(connection, other, {1: unit(1, 8)})
        assert vectors.get(connection, one, [1])[1].shape == (384,)
        assert vectors.get(connection, other, [1])[1].shape == (8,)
        with pytest.raises(ValueError, match="one was stamped with 384 dimensions, now it has 8"):
            vectors.register_model(connection, "one", 8)


def test_the_model_in_use_is_written_down(database: Database) -> None:
    with database.write() as connection:
        assert vectors.current_model(connection) is None
        vectors.set_current_model(connection, "one")
        vectors.set_current_model(connection, "other")
    with database.read() as connection:
        assert vectors.current_model(connection) == "other"


def test_the_vectors_of_a_scope_are_streamed_whole_and_alone(database: Database) -> None:
    recorder = Recorder(database, system_clock)
    for name, count in (("x", 7), ("y", 3)):
        said = [Message("user", str(number), str(number), id=str(number)) for number in range(count)]
        recorder.record(said, Scope(("a", name)), "t")
    with database.write() as connection:
        model = vectors.register_model(connection, "m", 384)
        vectors.put(connection, model, {seq: unit(seq) for seq in range(1, 11)})
    with database.read() as connection:
        chunks = list(vectors.stream_inside(connection, Scope(("a", "x")), model, chunk=3))
        assert [sorted(chunk) for chunk in chunks] == [[1, 2, 3], [4, 5, 6], [7]]
        every = [seq for chunk in vectors.stream_inside(connection, Scope(("a",)), model) for seq in chunk]
    assert sorted(every) == list(range(1, 11))


def unit(seed: int, dimension: int = 384) -> NDArray[np.float32]:
    row = np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
    return row / np.linalg.norm(row)
