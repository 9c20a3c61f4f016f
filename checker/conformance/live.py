"""Evidence of a log about the brokers that controllers found live."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from ...traces.events.event import Event
from .lines import sets_of

LIVE_FOUND = ("live-brokers", "live-brokers-changed")
"""The rows in which a controller prints the live brokers: when it became controller, and later."""


class Change(NamedTuple):
    """A line of live brokers, beside the one before it."""

    event: Event
    gone: frozenset[int]
    """The brokers that are live no longer."""
    came: frozenset[int]
    """The brokers that were not live before; none at the first line."""
    bounced: frozenset[int]
    """The brokers that were back before they were found gone."""


@dataclass(frozen=True)
class LiveBrokers:
    """The evidence of the lines in which controllers print live brokers."""

    events: Sequence[Event]
    """The lines, by time."""

    @cached_property
    def changes(self) -> Sequence[Change]:
        """The lines, each beside the one before it."""
        found: list[Change] = []
        before: frozenset[int] | None = None
        for event in self.events:
            now = frozenset(event.brokers or ())
            before = now if before is None else before
            found.append(Change(event, before - now, now - before, frozenset(event.bounced_brokers or ())))
            before = now
        return found

    @cached_property
    def registrations(self) -> Counter[int]:
        """Broker -> how often controllers found it anew: a broker that does not print it registered no more often."""
        return Counter(chain.from_iterable((*each.came, *each.bounced) for each in self.changes))

    @cached_property
    def always(self) -> frozenset[int]:
        """The brokers that all controllers found live, each time, and none found anew."""
        found = [frozenset(each.brokers or ()) for each in self.events]
        bounced = chain.from_iterable(each.bounced for each in self.changes)
        return frozenset.intersection(*found).difference(bounced) if found else frozenset()

    def by_controller(self, row: str) -> Mapping[int, frozenset[frozenset[int]]]:
        """Broker -> the live brokers that it found, each time, as controller.

        Args:
            row: of its starts, live-brokers, or of changes, live-brokers-changed.
        """
        own = (each for each in self.events if each.row == row)
        return sets_of((each.controller, frozenset(each.brokers or ())) for each in own if each.controller is not None)

    def gone_and_back(self) -> Iterator[tuple[int, Event]]:
        """Yield brokers that were found live, then gone, then live, and the first line that shows them gone."""
        gone: dict[int, Event] = {}
        for event, left, _, bounced in self.changes:
            gone |= dict.fromkeys((*left, *bounced), event)
            for broker in sorted(gone.keys() & frozenset(event.brokers or ())):
                yield broker, gone.pop(broker)
