"""Evidence of a log about log directories that fail while their broker lives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...traces.events.event import Event
from .lines import MARKED, Key, as_printed, listed_in, marked_in, sets_of

ASKED_FOR = "log-dir-failure"
"""The row in which a controller prints that brokers reported failed directories: since 2.2."""

_STOPPED = "replicas-offline"
_BROKER_SAYS = frozenset({"log-directory-fails", _STOPPED})
FAILED = _BROKER_SAYS | {MARKED, ASKED_FOR}
"""The rows that show a failed directory."""


@dataclass(frozen=True)
class Directories:
    """The evidence of all lines about failed log directories."""

    events: Sequence[Event]

    @cached_property
    def failed(self) -> bool:
        """Check whether some line shows a failed directory."""
        return any(each.row in FAILED for each in self.events)

    @cached_property
    def marked(self) -> Mapping[tuple[int | None, int | None], frozenset[frozenset[Key]]]:
        """Controller and broker -> the replicas of the broker that the controller marked as offline, each time."""
        return sets_of(((each.controller, each.broker), marked_in(each)) for each in self.events if each.row == MARKED)

    @cached_property
    def offline(self) -> frozenset[tuple[int | None, Key]]:
        """The brokers with the partitions whose replicas controllers marked as offline."""
        return frozenset((broker, key) for (_, broker), each in self.marked.items() for keys in each for key in keys)

    @cached_property
    def stopped(self) -> frozenset[tuple[int | None, Key]]:
        """The brokers with the partitions whose replicas they themselves report as offline."""
        own = (each for each in self.events if each.row == _STOPPED)
        return frozenset((each.speaker, as_printed(one)) for each in own for one in listed_in(each))

    @cached_property
    def heeded(self) -> Mapping[int | None, frozenset[frozenset[int]]] | None:
        """Controller -> the brokers that it says reported failed directories, each time; None if no line shows it."""
        asked = (each for each in self.events if each.row == ASKED_FOR)
        return sets_of((each.controller, frozenset(each.brokers or ())) for each in asked) or None

    @cached_property
    def brokers(self) -> frozenset[int | None]:
        """The brokers that reported failed directories, as they say themselves, or a controller says."""
        told = {each.speaker for each in self.events if each.row in _BROKER_SAYS}
        return frozenset({*told, *(one for each in (self.heeded or {}).values() for found in each for one in found)})
