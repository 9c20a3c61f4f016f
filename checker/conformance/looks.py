"""Evidence of a log about what controllers print between the lines of their state machines."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ...traces.events.event import Event
from .directories import ASKED_FOR
from .lines import MARKED, Key, PlacedEvent, key_of
from .live import LIVE_FOUND
from .partitions import LEADER_CHECKED, REASSIGNED
from .written import OF_TOPICS

ELECTION = "election-requested"
EPOCH_RAISED = frozenset({"controller-elected", "controller-epoch-raised"})
QUEUED = "topic-deletion-queued"
LOOKS = EPOCH_RAISED | {
    *LIVE_FOUND,
    ELECTION,
    QUEUED,
    "controlled-shutdown",
    REASSIGNED,
    LEADER_CHECKED,
    ASKED_FOR,
    MARKED,
}
"""The rows about a controller's election, the brokers that it found live, and what was asked of it or reported."""


@dataclass(frozen=True)
class Looks:
    """The evidence of the rows `LOOKS`."""

    seen: Sequence[PlacedEvent]
    """All lines."""
    compared: Sequence[PlacedEvent]
    """The state machines' lines."""
    topics: frozenset[str]
    """The topics that the state machines name."""

    def between(self, lines: Sequence[PlacedEvent]) -> list[PlacedEvent] | None:
        """The lines with the controllers' `LOOKS` between them, by time; at one time these come first.

        None where no log has them, or where their times are not known.
        """
        looks = self.in_turn
        if not looks or any(each.event.ts is None for each in (*looks, *lines)):
            return None
        found: list[PlacedEvent] = []
        at = 0
        for line in lines:
            while at < len(looks) and (looks[at].event.ts or 0) <= (line.event.ts or 0):
                found.append(looks[at])
                at += 1
            found.append(line)
        return found

    @cached_property
    def in_turn(self) -> Sequence[PlacedEvent]:
        """The controllers' `LOOKS` by time.

        Calls for elections that nothing lies between are merged into one: the result is the same, and for lines in one
        millisecond the call that caused each is not known.
        """
        told = map(self._of_named, (each for each in self.seen if self._is_look(each)))
        times = sorted(each.event.ts or 0 for each in self.compared)
        found: list[PlacedEvent] = []
        for each in sorted(told, key=lambda one: one.event.ts or 0):
            joined = _one_call(found[-1].event, each.event, times) if found else None
            if joined is None:
                found.append(each)
            else:
                found[-1] = replace(found[-1], event=joined)
        return found

    def _is_look(self, line: PlacedEvent) -> bool:
        """Check whether some step of the model may write a line: none does for no topic, or for queued topics."""
        row, what = line.event.row, line.event.detail
        if row == ELECTION:
            return bool(what) and line.event.strategy != "UNCLEAN"
        if row == ASKED_FOR:
            return bool(line.event.brokers)
        if row == QUEUED:
            return id(line) in self._queues_more
        return row in self.rows and id(line) not in self._taken_up

    def _of_named(self, line: PlacedEvent) -> PlacedEvent:
        """A line without the topics of which the state machines say nothing: the model has none of these."""
        if line.event.row not in OF_TOPICS:
            return line
        named = (each for each in (line.event.detail or "").split(",") if each in self.topics)
        return replace(line, event=replace(line.event, detail=",".join(named)))

    @cached_property
    def rows(self) -> frozenset[str]:
        """The `LOOKS` that help: not those in the millisecond of a replica's move, if such are printed."""
        moves = any(each.event.row == "replica-moved" for each in self.compared)
        return LOOKS - {LEADER_CHECKED} if moves else LOOKS

    @cached_property
    def _queues_more(self) -> frozenset[int]:
        """The lines, by id, in which a controller notes one topic more: it prints all that are queued.

        A topic that no line of the state machines names does not count.
        """
        found: set[int] = set()
        before: dict[int | None, frozenset[str]] = {}
        for each in self.seen:
            if each.event.row == QUEUED:
                now = frozenset((each.event.detail or "").split(","))
                known = before.get(each.event.controller, frozenset())
                if not now < known and not (now - known or now).isdisjoint(self.topics):
                    found.add(id(each))
                before[each.event.controller] = now
        return frozenset(found)

    @cached_property
    def _taken_up(self) -> frozenset[int]:
        """The lines, by id, in which a later controller prints a reassignment that it takes up: up to 2.3."""
        found: set[int] = set()
        before: dict[Key | None, Event] = {}
        for event, line in ((each.event, id(each)) for each in self.seen if each.event.row == REASSIGNED):
            last = before.get(key_of(event))
            if last is not None and last.replicas == event.replicas and last.controller != event.controller:
                found.add(line)
            before[key_of(event)] = event
        return frozenset(found)


def _one_call(first: Event, second: Event, times: Sequence[int]) -> Event | None:
    """Two calls for elections as one, if they can be: one controller's, of other partitions, at `times` without a line
    between them."""
    if not first.row == second.row == ELECTION or first.controller != second.controller:
        return None
    asked = [*(first.detail or "").split(","), *(second.detail or "").split(",")]
    begins, ends = (bisect_left(times, each.ts or 0) for each in (first, second))
    return replace(first, detail=",".join(asked)) if begins == ends and len(set(asked)) == len(asked) else None
