from __future__ import annotations

import re

import pytest
import sqlalchemy as sa
from children import barrier, run_all
from stores import open_database

from langgraph_memory.errors import SchemaTooNew
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.migrations import MIGRATIONS, migrate
from langgraph_memory.storage.schema import metadata

INVISIBLE = re.compile("sqlite_|text_index|schema_version")


def test_migrating_again_changes_nothing(database: Database) -> None:
    before = _schema(database)
    assert migrate(database) == len(MIGRATIONS)
    assert _schema(database) == before


def test_the_statements_see_the_tables_that_the_migrations_make(database: Database) -> None:
    with database.read() as connection:
        inspector = sa.inspect(connection)
        made = {name for name in inspector.get_table_names() if not INVISIBLE.match(name)}
        assert made == set(metadata.tables)
        for table in metadata.tables.values():
            columns = {column["name"]: column for column in inspector.get_columns(table.name)}
            assert list(columns) == [column.name for column in table.columns], table.name
            keys = inspector.get_pk_constraint(table.name)["constrained_columns"]
            assert set(keys) == {column.name for column in table.primary_key}, table.name
            for column in table.columns:
                found = columns[column.name]
                if not column.primary_key:
                    assert found["nullable"] == column.nullable, f"{table.name}.{column.name}"
                assert isinstance(found["type"], _kind(column.type)), f"{table.name}.{column.name}: {found['type']!r}"


def test_unique_columns_are_unique_in_the_database(database: Database) -> None:
    with database.read() as connection:
        inspector = sa.inspect(connection)
        for table in metadata.tables.values():
            unique = {tuple(rule["column_names"]) for rule in inspector.get_unique_constraints(table.name)}
            for column in table.columns:
                if column.unique:
                    assert (column.name,) in unique, f"{table.name}.{column.name}"


def test_a_number_once_given_never_comes_back(database: Database) -> None:
    for table, values in (
        ("outbox", "(owner_seq, stage, claimed_until) VALUES (1, 'embed', 0)"),
        ("scopes", "(path, last_seq, changed_seq, erased_seq) VALUES ('a/', 0, 0, 0)"),
    ):
        numbers = []
        for _ in range(2):
            with database.write() as connection:
                numbers.append(connection.exec_driver_sql(f"INSERT INTO {table} {values} RETURNING id").scalar_one())
                connection.exec_driver_sql(f"DELETE FROM {table}")
        assert numbers[0] < numbers[1], table


def test_processes_may_migrate_at_once(store_url: str) -> None:
    gate = barrier(3)
    assert run_all(_migrate_in_child, [(store_url, gate)] * 3) == [len(MIGRATIONS)] * 3


def test_a_database_of_a_newer_version_is_left_alone(database: Database) -> None:
    with database.write() as connection:
        connection.exec_driver_sql("UPDATE schema_version SET version = 99")
    with pytest.raises(SchemaTooNew, match=rf"version 99.*knows up to {len(MIGRATIONS)}.*Upgrade"):
        migrate(database)


def _migrate_in_child(store_url: str, gate: object) -> int:
    database = open_database(store_url)
    gate.wait()
    version = migrate(database)
    database.close()
    return version


def _schema(database: Database) -> object:
    with database.read() as connection:
        inspector = sa.inspect(connection)
        return [
            (name, [column["name"] for column in inspector.get_columns(name)], _indexes(inspector, name))
            for name in sorted(inspector.get_table_names())
        ]


def _indexes(inspector: sa.Inspector, table: str) -> list[object]:
    found = inspector.get_indexes(table)
    return sorted((index["name"], str(index["column_names"]), index["unique"]) for index in found)


def _kind(declared: sa.types.TypeEngine[object]) -> type | tuple[type, ...]:
    if isinstance(declared, sa.Boolean):
        return sa.Boolean
    if isinstance(declared, sa.Integer):
        return sa.Integer
    if isinstance(declared, sa.Float):
        return sa.Float
    if isinstance(declared, sa.LargeBinary):
        return (sa.LargeBinary,)
    return sa.Text
