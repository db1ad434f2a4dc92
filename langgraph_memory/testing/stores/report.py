"""What a run of the suite found: which checks passed, which failed and why, as data and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from langgraph_memory.testing.stores.suite import BASE, Capability


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one check ended.

    Attributes:
        name: the behaviour, in words.
        law: what should be so, in a sentence.
        reason: why it failed, or was skipped.
    """

    name: str
    capability: Capability
    law: str
    status: Literal["passed", "failed", "skipped"]
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class StoreReport:
    """The outcomes of all checks of one store; printing it shows a table and every failure."""

    store: str
    outcomes: Sequence[Outcome]

    @property
    def ok(self) -> bool:
        """Whether nothing failed that the store has."""
        return not self.failed

    @property
    def conformant(self) -> bool:
        """Whether the base capabilities are whole, whatever is with the extended ones."""
        return not any(one.status == "failed" and one.capability in BASE for one in self.outcomes)

    @property
    def failed(self) -> Mapping[str, str]:
        """Why each check failed that did, by its name."""
        return {one.name: one.reason or "" for one in self.outcomes if one.status == "failed"}

    @property
    def passed(self) -> Sequence[str]:
        """The names of the checks that passed."""
        return [one.name for one in self.outcomes if one.status == "passed"]

    @property
    def skipped(self) -> Mapping[Capability, str]:
        """The capabilities that the store does not have, and how that was seen."""
        return {one.capability: one.reason or "" for one in self.outcomes if one.status == "skipped"}

    def __str__(self) -> str:
        lines = [self.store, f"  {'capability':<18} {'':<9} {'passed':>6} {'failed':>6}  "]
        for capability in Capability:
            mine = [one for one in self.outcomes if one.capability == capability]
            if not mine:
                continue
            kind = "base" if capability in BASE else "extended"
            if capability in self.skipped:
                lines.append(f"  {capability:<18} {kind:<9} not there: {self.skipped[capability]}")
                continue
            passed = sum(one.status == "passed" for one in mine)
            lines.append(f"  {capability:<18} {kind:<9} {passed:>6} {len(mine) - passed:>6}")
        for one in self.outcomes:
            if one.status == "failed":
                lines += [f"  FAILED {one.name} ({one.capability})", f"    {one.law}", f"    {one.reason}"]
        lines.append(f"  {len(self.passed)} passed, {len(self.failed)} failed")
        return "\n".join(line.rstrip() for line in lines)
