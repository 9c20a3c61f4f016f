"""Evidence of a log about the cluster that wrote it: its brokers, its controllers, its partitions' replicas.

It gives the instance in which a run is searched, and the hidden steps that can have been taken at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

from ...model.errors import ModelError
from ...specs.lines import STATE_CHANGE, rows
from ...specs.machines import LEVELS
from ...traces.events.event import Event
from .directories import Directories
from .lines import Key, PlacedEvent, as_printed, key_of, listed_in
from .live import LIVE_FOUND, LiveBrokers
from .looks import ELECTION, EPOCH_RAISED, QUEUED, Looks
from .names import NO_LEADER, Names
from .partitions import Partitions

UNSEEN, REPLICAS = -1000, 2
"""The ids of brokers that no line names, and how many of them a partition may be on."""
_ROLES = frozenset({"move-made", "move-refused", "created", "elected"})

REQUESTS_ON_THE_WAY = 6
"""The most requests of a controller that a broker may still have to read; runs with more are not searched."""

TRIED = frozenset({"partition-online", "partition-refused"})
"""The rows in which a controller prints the result of an election."""

REGISTERED = "broker-registered"
OF_BROKERS = frozenset(
    {
        "alter-partition-written",
        "become-begun",
        "become-ended",
        REGISTERED,
        "follower-started",
        "isr-change-refused",
        "isr-committed",
        "isr-expands",
        "isr-shrinks",
        "isr-updated",
        "leader-and-isr-begun",
        "leader-and-isr-ended",
        "leader-and-isr-ignored",
        "leader-and-isr-received",
        "leader-epoch-refused",
        "leader-started",
        "leader-starts",
        "leader-unavailable",
        "same-leader",
    }
)
"""The rows that are also compared with --brokers: how brokers handle requests, and ISR changes."""


@cache
def compared() -> frozenset[str]:
    """The rows that are compared: those of the controller's two state machines."""
    return frozenset(
        row.id
        for row in rows().values()
        if row.speaker == "controller" and row.family == STATE_CHANGE and row.role in _ROLES
    )


class ElectionCall(NamedTuple):
    """The partitions whose preferred leaders a controller says that it elects, all in one call.

    `epochs`: partition -> its new leader epoch, or None where none was elected; `controller`: the electing controller.
    """

    controller: int | None
    epochs: Mapping[Key, int | None]


class Queued(NamedTuple):
    """The topics that a controller finds to be deleted; `gone`: those that may no longer exist.

    A controller that ends a deletion removes the topic first, then the order to delete it, and may die in between: a
    topic that no controller printed before exists.
    """

    topics: frozenset[str]
    gone: frozenset[str]


class NotDecidedError(ModelError):
    """The log is of a kind that the model does not cover: nothing is said about it."""


@dataclass(frozen=True)
class Evidence:
    """The evidence of a log; `lines` counts all that it has, understood or not.

    Raises:
        NotDecidedError: a log cannot be validated against a cluster's model, and why.
    """

    seen: Sequence[PlacedEvent]
    lines: int

    def of(self, *rows: str) -> list[Event]:
        """The events of some rows."""
        return [each.event for each in self.seen if each.event.row in rows]

    @cached_property
    def compared(self) -> list[PlacedEvent]:
        """The state machines' lines: of one controller after the other, each in the order of its file."""
        by_epoch: dict[int, list[PlacedEvent]] = {}
        files: dict[int, set[str]] = {}
        for each in self.seen:
            epoch = each.event.controller_epoch
            if each.event.row in compared() and epoch is not None:
                by_epoch.setdefault(epoch, []).append(each)
                files.setdefault(epoch, set()).add(each.place.file.rpartition("/")[0])
        for epoch, folders in files.items():
            if len(folders) > 1:
                raise NotDecidedError(
                    f"controller epoch {epoch} has lines in {len(folders)} folders: more than one life?"
                )
        return [each for epoch in sorted(by_epoch) for each in by_epoch[epoch]]

    @cached_property
    def partitions(self) -> Partitions:
        """The evidence about partitions."""
        return Partitions([each.event for each in self.seen], [each.event for each in self.compared])

    @cached_property
    def looks(self) -> Looks:
        """The evidence of what controllers print between the state machines' lines."""
        return Looks(self.seen, self.compared, frozenset(topic for topic, _ in self.partitions.named))

    @cached_property
    def live(self) -> LiveBrokers:
        """The evidence about live brokers."""
        return LiveBrokers(sorted(self.of(*LIVE_FOUND), key=lambda each: each.ts or 0))

    @cached_property
    def directories(self) -> Directories:
        """The evidence about failed log directories."""
        return Directories([each.event for each in self.seen])

    @cached_property
    def of_brokers(self) -> frozenset[str]:
        """The rows of brokers that are compared: those of files that the log has."""
        return frozenset(row for row in OF_BROKERS if rows()[row].family in self._families)

    @cached_property
    def _families(self) -> frozenset[str | None]:
        """The loggers with lines in the log; None: those of server.log."""
        return frozenset(row.family for row in (rows()[each.event.row] for each in self.seen) if row.loggers)

    @cached_property
    def levels(self) -> Mapping[str | None, str]:
        """The lowest level that is seen of each family of loggers; None: of server.log."""
        seen = ((rows()[each.event.row], each.event.level) for each in self.seen)
        levels = [(row.family, level) for row, level in seen if row.loggers and level in LEVELS]
        in_turn = sorted(levels, key=lambda each: LEVELS.index(each[1]), reverse=True)
        return dict(in_turn)

    @cached_property
    def has_server_log(self) -> bool:
        """Check whether brokers' server.log is there, with their lines on ISRs."""
        return None in self._families

    @cached_property
    def with_brokers(self) -> list[PlacedEvent]:
        """The state machines' lines and those of brokers, by time; at one time the controllers' come first."""
        machines = {id(each) for each in self.compared}
        wanted = [each for each in self.seen if id(each) in machines or each.event.row in self.of_brokers]
        known = self._known_before
        in_turn = sorted(
            wanted,
            key=lambda each: (known.get(id(each), each.event.ts or 0), id(each) not in known, id(each) not in machines),
        )
        begins = min((each.event.ts or 0 for each in self.seen if each.event.controller_epoch == 1), default=0)
        return [each for each in in_turn if each.event.row != REGISTERED or (each.event.ts or 0) >= begins]

    @cached_property
    def _known_before(self) -> Mapping[int, int]:
        """Registrations that a controller prints before the broker, which prints them when done -> that first time.

        By the id of what is seen. The broker's process has started before.
        """
        shown = self.live.events
        started: dict[str, int] = {}  # by file: a starting process does not print its id
        found: dict[int, int] = {}
        for each in sorted(self.seen, key=lambda one: one.event.ts or 0):
            file, now = each.place.file, each.event.ts or 0
            if each.event.row == "process-starts":
                started[file] = now
            elif each.event.row == REGISTERED and file in started:
                times = (one.ts or 0 for one in shown if each.event.speaker in (one.brokers or ()))
                before = [time for time in times if started[file] < time <= now]
                del started[file]  # who registers once more without a start lost its session
                if before:
                    found[id(each)] = min(before)
        return found

    @cached_property
    def registers(self) -> bool:
        """Check whether brokers print in server.log when they register."""
        return bool(self.of(REGISTERED))

    @cached_property
    def controllers(self) -> Mapping[int, int]:
        """Controller epoch -> broker, for the epochs that controllers print.

        The audit's histories have more: controllers that only brokers name, and several lives of a cluster. Here
        lines are those of one run, which only controllers' own lines begin.
        """
        found: dict[int, int] = {}
        for each in self.seen:
            epoch, broker = each.event.controller_epoch, each.event.controller
            if rows()[each.event.row].speaker != "controller" or epoch is None or broker is None:
                continue
            if each.event.row != "controller-epoch-read" and found.setdefault(epoch, broker) != broker:
                raise NotDecidedError(
                    f"controller epoch {epoch} belongs to brokers {found[epoch]} and {broker}: two lives?"
                )
        return found

    @cached_property
    def has_controller_log(self) -> bool:
        """Check whether every controller prints its start in controller.log; it may have died before it read more."""
        started = {each.controller for each in self.of(*EPOCH_RAISED, LIVE_FOUND[0])}
        return set(self.controllers.values()) <= started

    @cached_property
    def shutdowns(self) -> frozenset[int] | None:
        """The brokers that asked for a controlled shutdown; None where no log would show it."""
        if not self.has_controller_log:
            return None
        return frozenset(each.broker for each in self.of("controlled-shutdown") if each.broker is not None)

    @cached_property
    def elections(self) -> bool | None:
        """Check whether elections of preferred leaders were asked for; None where no log would show it."""
        if not self.has_controller_log:
            return None
        return any(each.detail for each in self.of(ELECTION))

    @cached_property
    def asked(self) -> Sequence[ElectionCall]:
        """The elections of preferred leaders that controllers print in controller.log."""
        tried = [each.event for each in self.compared if each.event.row in TRIED]
        found = []
        for event in (each.event for each in self.looks.in_turn if each.event.row == ELECTION):
            epochs: dict[Key, int | None] = {}
            for key in map(as_printed, (event.detail or "").split(",")):
                its = (each for each in tried if key_of(each) == key and each.controller == event.controller)
                after = (each for each in its if (each.ts or 0) >= (event.ts or 0))
                epochs[key] = next((each.leader_epoch for each in after), None)
            found.append(ElectionCall(event.controller, epochs))
        return found

    @cached_property
    def deleted(self) -> frozenset[str] | None:
        """The topics that a controller was asked to delete; None where no log would show it."""
        return frozenset(topic for topic, _ in self.partitions.deletions()) if self.has_controller_log else None

    @cached_property
    def queued(self) -> Mapping[tuple[int | None, int | None], Sequence[Queued]]:
        """Broker and controller epoch -> the topics that it found to be deleted when it became controller.

        The epoch is None where its file does not show it before.
        """
        found: dict[tuple[int | None, int | None], list[Queued]] = {}
        before: frozenset[str] = frozenset()
        told = (each for each in self.seen if each.event.row in ("topics-to-be-deleted", QUEUED))
        for each in sorted(told, key=lambda each: each.event.ts or 0):
            event, topics = each.event, listed_in(each.event)
            if event.row != QUEUED:
                reign = event.controller, self._reigns.get(id(each))
                found.setdefault(reign, []).append(Queued(topics, topics & before))
            before |= topics
        return found

    @cached_property
    def _reigns(self) -> Mapping[int, int]:
        """The epochs of controllers' lines that print none, by the id of what is seen: the last one in its file."""
        found: dict[int, int] = {}
        last: dict[tuple[str, int | None], int | None] = {}
        for each in self.seen:
            event, by = each.event, (each.place.file, each.event.controller)
            if event.row in EPOCH_RAISED:
                last[by] = event.controller_epoch
            epoch = last.get(by)
            if epoch is not None:
                found[id(each)] = epoch
        return found

    @cached_property
    def always_found(self) -> frozenset[int]:
        """The brokers that all controllers found live, each time, and none found anew: nobody looks while one is dead.

        Without requests only a controller's death is more than its registration. Where log directories fail there are
        none: a restarted broker has them again.
        """
        return self.live.always if self.has_controller_log and not self.directories.failed else frozenset()

    @cached_property
    def names(self) -> Names:
        """The brokers and partitions that the log names."""
        brokers: set[int] = set(self.controllers.values())
        for each in self.seen:
            event = each.event
            brokers |= {one for one in (event.replica, event.leader, event.speaker, event.broker) if one is not None}
            for several in (event.isr, event.replicas, event.recipients, event.brokers, event.deleted_brokers):
                brokers |= set(several or ())
        named = sorted(one for one in brokers if one > NO_LEADER)
        # Where no line lists the replicas, they may be on brokers that were never seen.
        unseen = [] if self.partitions.are_listed else [UNSEEN - number for number in range(REPLICAS)]
        return Names([*named, *unseen], sorted(self.partitions.named))

    def settings(self, known: Iterable[str]) -> dict[str, int]:
        """Return the instance that has room for the log's evidence."""
        epochs = [each.event.leader_epoch or 0 for each in self.with_brokers]
        versions = [each.event.partition_epoch or 0 for each in self.with_brokers]
        outages = len(self.live.events)
        wanted = {
            "outages": _room(2 * outages + 4),
            "most_requests": REQUESTS_ON_THE_WAY,
            "brokers": len(self.names.brokers),
            "partitions": max(len(self.names.partitions), 1),
            "failovers": max(self.controllers, default=1) - 1,
            "max_leader_epoch": _room(max([*epochs, *versions], default=0) + 2),
        }
        has = frozenset(known)
        return {name: value for name, value in wanted.items() if name in has}


def _room(least: int) -> int:
    """Return a power of two, so that logs that differ little share one instance, which is translated once."""
    return 1 << (max(least, 16) - 1).bit_length()
