"""What a log tells of the cluster that wrote it: who there is, who was controller when, how partitions are assigned.

It makes the instance in which a run is looked for, and says which hidden steps can have been taken at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from ...model.errors import ModelError
from ...specs.lines import STATE_CHANGE, rows
from ...traces.events.event import Event
from ...traces.place import Place
from .names import NO_LEADER, Names

UNSEEN, REPLICAS = -1000, 2
"""The ids of brokers that no line names, and how many of them a partition may be on."""
_ROLES = frozenset({"move-made", "move-refused", "created", "elected"})


@cache
def compared() -> frozenset[str]:
    """The rows that are compared: what the controller's two state machines log."""
    return frozenset(
        row.id
        for row in rows().values()
        if row.speaker == "controller" and row.family == STATE_CHANGE and row.role in _ROLES
    )


class NotDecidedError(ModelError):
    """The log is of a kind that the model cannot speak of: nothing is said about it."""


@dataclass(frozen=True)
class Seen:
    """A line of a log that is understood."""

    place: Place
    event: Event


@dataclass(frozen=True)
class Evidence:
    """What a log says; `lines` are all that it has, understood or not.

    Raises:
        NotDecidedError: where a log cannot be validated against a cluster's model, and why.
    """

    seen: Sequence[Seen]
    lines: int

    @cached_property
    def compared(self) -> list[Seen]:
        """The state machines' lines: of one controller after the other, each in the order of its file."""
        by_epoch: dict[int, list[Seen]] = {}
        files: dict[int, set[str]] = {}
        for each in self.seen:
            epoch = each.event.controller_epoch
            if each.event.row in compared() and epoch is not None:
                by_epoch.setdefault(epoch, []).append(each)
                files.setdefault(epoch, set()).add(each.place.file.rpartition("/")[0])
        for epoch, folders in files.items():
            if len(folders) > 1:
                raise NotDecidedError(f"controller epoch {epoch} speaks in {len(folders)} folders: more than one life?")
        return [each for epoch in sorted(by_epoch) for each in by_epoch[epoch]]

    @cached_property
    def controllers(self) -> Mapping[int, int]:
        """Controller epoch -> broker, for the epochs that are named."""
        found: dict[int, int] = {}
        for each in self.seen:
            epoch, broker = each.event.controller_epoch, each.event.controller
            if rows()[each.event.row].speaker != "controller" or epoch is None or broker is None:
                continue
            if each.event.row != "controller-epoch-read" and found.setdefault(epoch, broker) != broker:
                raise NotDecidedError(f"controller epoch {epoch} is of brokers {found[epoch]} and {broker}: two lives?")
        return found

    @cached_property
    def assignments(self) -> Mapping[tuple[str, int], tuple[int, ...] | None]:
        """Partition -> its replicas, in order; None where no line tells."""
        found: dict[tuple[str, int], tuple[int, ...] | None] = {}
        for each in self.seen:
            event = each.event
            if event.topic is not None and event.partition is not None and event.replicas:
                known = found.setdefault((event.topic, event.partition), event.replicas)
                if sorted(known or ()) != sorted(event.replicas):
                    raise NotDecidedError(f"{event.topic}-{event.partition} was reassigned, which is not in the model")
        return {key: found.get(key) for key in self.names.partitions}

    def members(self, partition: tuple[str, int]) -> frozenset[int]:
        """The brokers that lines name as replicas of a partition."""
        found: set[int] = set()
        for each in self.seen:
            event = each.event
            if (event.topic, event.partition) == partition:
                found |= {one for one in (event.replica, event.leader) if one is not None and one > NO_LEADER}
                found |= set(event.isr or ())
        return frozenset(found)

    @cached_property
    def has_controller_log(self) -> bool:
        """Every controller says in controller.log how it started."""
        started = {each.event.controller for each in self.seen if each.event.row == "live-brokers"}
        return set(self.controllers.values()) <= started

    @cached_property
    def shutdowns(self) -> frozenset[int] | None:
        """The brokers that asked for a controlled shutdown; None where no log would tell."""
        if not self.has_controller_log:
            return None
        asked = {each.event.broker for each in self.seen if each.event.row == "controlled-shutdown"}
        return frozenset(each for each in asked if each is not None)

    @cached_property
    def elections(self) -> bool | None:
        """Whether elections of preferred leaders were asked for; None where no log would tell."""
        if not self.has_controller_log:
            return None
        return any(each.event.row == "election-requested" and each.event.detail for each in self.seen)

    def live(self, row: str) -> Mapping[int, frozenset[frozenset[int]]] | None:
        """Broker -> the live brokers that it found, each time, as controller; None where no log would tell.

        Args:
            row: of its starts, live-brokers, or of changes, live-brokers-changed.
        """
        if not self.has_controller_log:
            return None
        found: dict[int, set[frozenset[int]]] = {}
        for each in self.seen:
            if each.event.row == row and each.event.controller is not None:
                found.setdefault(each.event.controller, set()).add(frozenset(each.event.brokers or ()))
        return {broker: frozenset(sets) for broker, sets in found.items()}

    @cached_property
    def names(self) -> Names:
        """The brokers and partitions that the log speaks of."""
        brokers: set[int] = set(self.controllers.values())
        for each in self.seen:
            event = each.event
            brokers |= {one for one in (event.replica, event.leader, event.speaker, event.broker) if one is not None}
            for several in (event.isr, event.replicas, event.recipients, event.brokers, event.deleted_brokers):
                brokers |= set(several or ())
        partitions = {(each.event.topic, each.event.partition) for each in self.compared}
        known = {(topic, number) for topic, number in partitions if topic is not None and number is not None}
        named = sorted(one for one in brokers if one > NO_LEADER)
        told = {(each.event.topic, each.event.partition) for each in self.seen if each.event.replicas}
        # Where no line tells the replicas, they may be on brokers that were never seen.
        unseen = [] if known <= told else [UNSEEN - number for number in range(REPLICAS)]
        return Names([*named, *unseen], sorted(known))

    def settings(self, known: Iterable[str]) -> dict[str, int]:
        """The instance that has room for what the log tells."""
        epochs = [each.event.leader_epoch or 0 for each in self.compared]
        versions = [each.event.partition_epoch or 0 for each in self.compared]
        wanted = {
            "brokers": len(self.names.brokers),
            "partitions": max(len(self.names.partitions), 1),
            "failovers": max(self.controllers, default=1) - 1,
            "max_leader_epoch": max([*epochs, *versions], default=0) + 2,
        }
        return {name: value for name, value in wanted.items() if name in known}
