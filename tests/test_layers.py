"""The house has floors: imports only point downwards, and neighbours on one floor do not know each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import langgraph_memory

PACKAGE = Path(langgraph_memory.__file__).parent

FLOORS = [
    {"errors", "twins", "unportable"},
    {"clock", "scope", "settings", "prompts", "events"},
    {"records", "arguments"},
    {"text", "models"},
    {"retrieval"},
    {"storage"},
    {"sessions", "writing", "editing", "knowledge", "checkpoints"},
    {"importing"},
    {"maintenance"},
    {"flows"},
    {"agent", "store", "toolkits"},
    {"compaction"},
    {"parts"},
    {"verbs"},
    {"memory"},
    {"__init__"},
    {"evaluation"},
    {"cli", "testing", "studio"},
]
FLOOR = {name: number for number, names in enumerate(FLOORS) for name in names}
MODULES = sorted(path for path in PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    """Return the top-level part of the package that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [node.module or ""] if (node.module or "").count(".") >= 1 else names
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if name.split(".")[0] == "langgraph_memory":
                yield [*name.split("."), "__init__"][1], node.lineno


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_downwards(path: Path) -> None:
    here = room(path)
    for there, line in imports(path):
        assert there == here or FLOOR[there] < FLOOR[here], f"{path.name}:{line} imports {there} from {here}"


def test_every_part_has_a_floor() -> None:
    assert {room(path) for path in MODULES} | {"prompts"} == set(FLOOR)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_module_introduces_itself_and_stays_one_idea(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    if source.strip():
        first = (ast.get_docstring(ast.parse(source)) or "").splitlines()
        assert first and first[0].endswith((".", ":")), f"{path.name} has no opening sentence"
    lines = source.count("\n")
    assert lines <= 350, f"{path.name} has {lines} lines: which two ideas are in it?"
