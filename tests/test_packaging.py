"""What is shipped is what is written: packages, data, public names."""

from __future__ import annotations

import inspect
import tomllib
from importlib.resources import files
from pathlib import Path

import langgraph_memory
from langgraph_memory import Memory

ROOT = Path(__file__).parents[1]


def test_every_package_is_listed_for_shipping() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = set(project["tool"]["setuptools"]["packages"])
    written = {
        ".".join(path.parent.relative_to(ROOT).parts) for path in (ROOT / "langgraph_memory").rglob("__init__.py")
    }
    assert listed == written | {"langgraph_memory.prompts"}


def test_data_files_are_reachable_as_package_data() -> None:
    assert files("langgraph_memory.models").joinpath("data/minilm_vocab.txt").is_file()
    assert files("langgraph_memory.cli").joinpath("data/demo.jsonl").is_file()
    assert files("langgraph_memory.prompts").joinpath("recalled.md").is_file()
    assert files("langgraph_memory").joinpath("py.typed").is_file()


def test_the_public_door_has_exactly_these_names() -> None:
    assert langgraph_memory.__all__ == [
        "MEMORY",
        "Answer",
        "CompactionMiddleware",
        "Embedder",
        "Entry",
        "Gap",
        "Hit",
        "LangGraphMemoryError",
        "Memory",
        "MemoryMiddleware",
        "MemoryRecord",
        "Message",
        "Receipt",
        "Recipe",
        "Report",
        "Scope",
        "Settings",
    ]
    for name in langgraph_memory.__all__:
        assert getattr(langgraph_memory, name).__module__.startswith("langgraph_memory.")


def test_every_public_verb_has_a_docstring() -> None:
    for name, verb in inspect.getmembers(Memory, inspect.isfunction):
        if not name.startswith("_"):
            assert verb.__doc__, f"Memory.{name} has no docstring"


def test_no_registry_host_or_machine_path_is_named() -> None:
    suspicious = ("pypi.org", "pythonhosted", "/work/", "index-url")
    for path in [*ROOT.glob("*.*"), *ROOT.glob(".ci/*"), *(ROOT / "langgraph_memory").rglob("*.py")]:
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert not [word for word in suspicious if word in text], path
