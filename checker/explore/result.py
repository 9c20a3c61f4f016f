"""Results of exploring an instance: verdicts of properties, counts, and the paths that show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ...model.errors import unknown
from ...model.expr import true
from ...model.property import Property
from ...model.protocol import Instance
from .trace import Path

Verdict = Literal["holds", "violated", "unknown"]

TYPE_OK = Property("TypeOk", "Every field keeps a value of its sort: no range overflows.", true)
NO_DEADLOCK = Property("NoDeadlock", "Some action can be taken in every state.", true)


class Decided(NamedTuple):
    """The verdict on one property."""

    prop: Property
    verdict: Verdict
    path: Path | None = None
    """A counterexample, or the witness of a *sometimes* property that is met; always of shortest length."""
    reason: str = ""
    vacuous: str = ""
    """The reason why a property that holds says nothing, if it does not."""


class ActionCounts(NamedTuple):
    """Counts of an action: how often it was taken, and for each clause how often it `alone` was false."""

    action: str
    taken: int
    alone: Mapping[str, int] | None = None


@dataclass(frozen=True)
class Exploration:
    """The result of a run.

    Counts are of all states. `orbits`: how many of them were searched, where one of each orbit of interchangeable
    elements was.
    """

    instance: Instance
    verdict: Verdict
    properties: tuple[Decided, ...]
    distinct: int
    generated: int
    depth: int
    deadlocks: int
    """The states without successor."""
    at_bound: int
    """The deadlocks in which only a limit of the model forbids a step: none of what is modelled."""
    levels: tuple[int, ...]
    coverage: tuple[ActionCounts, ...]
    left_out: tuple[str, ...]
    stopped: str | None
    orbits: int | None
    seconds: float
    peak_mb: int

    def __getitem__(self, name: str) -> Decided:
        """Return the verdict on a property, by its name."""
        for each in self.properties:
            if each.prop.name == name:
                return each
        raise unknown("property", name, (each.prop.name for each in self.properties), self.instance.name)

    @property
    def violations(self) -> tuple[Decided, ...]:
        return tuple(each for each in self.properties if each.verdict == "violated")


def overall(verdicts: Iterable[Verdict]) -> Verdict:
    """violated if any is, else unknown if any is, else holds."""
    seen = set(verdicts)
    return "violated" if "violated" in seen else "unknown" if "unknown" in seen else "holds"
