"""Reports travel through graph state as plain JSON, and become events for whoever streams a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from langgraph_memory.errors import ModelError
from langgraph_memory.events import emit
from langgraph_memory.records import Outcome, Report, Usage

if TYPE_CHECKING:
    from langgraph_memory.models.chat import CallBudget

_KINDS = ("added", "reinforced", "skipped", "refused", "failed", "retired", "restored")


def emit_report(runtime: Any, report: Report) -> None:
    """Send one event for every outcome; texts stay in the state."""
    for kind in _KINDS:
        for outcome in getattr(report, kind):
            emit(runtime, {"type": f"memory.{kind}", "id": outcome.id, "reason": outcome.reason, "of": outcome.of})  # type: ignore[typeddict-item]


@contextmanager
def spent(budget: CallBudget) -> Iterator[None]:
    """Let an error of the model tell what was spent on it."""
    try:
        yield
    except ModelError as error:
        error.report = Report(usage=budget.usage)
        raise


def plain_report(report: Report) -> dict[str, Any]:
    """Return a report as plain JSON."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(report).items()}


def read_report(plain: dict[str, Any]) -> Report:
    """Return the report that `plain_report` made plain, also after a round trip through JSON."""
    return Report(
        **{kind: tuple(Outcome(**outcome) for outcome in plain[kind]) for kind in _KINDS},
        batches=tuple(plain["batches"]),
        usage=Usage(**plain["usage"]),
        notes=tuple(plain["notes"]),
    )
