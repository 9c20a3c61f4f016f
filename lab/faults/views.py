"""Faults in the printed values of a partition: leader, ISR, leader epoch, version of the znode."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from isrproof.specs.behaviours import behaviour
from isrproof.traces.events.event import Event

from .echoes import Echoes
from .recording import (
    CREATED,
    ELECTED,
    LEADER_AND_ISR_SENT,
    REASSIGNED,
    UPDATE_METADATA_SENT,
    WRITTEN,
    ControllerLine,
    Edit,
    Fault,
    Recording,
)

ASKED = LEADER_AND_ISR_SENT + UPDATE_METADATA_SENT
NOBODY, DELETING = -1, -2


@dataclass(frozen=True)
class View:
    """A line that prints leader and leader epoch."""

    origin: ControllerLine
    earlier: tuple[Event, ...]
    """The lines printed before about the same incarnation."""
    tenures: tuple[tuple[str, int], ...]
    replicas: tuple[int, ...] | None
    """The assignment as printed here or last."""
    reassigning: bool
    """A reassignment was announced before."""
    echoes: Echoes = field(repr=False)

    @property
    def event(self) -> Event:
        return self.origin.event

    @property
    def leader(self) -> int:
        return NOBODY if self.event.leader is None else self.event.leader

    @property
    def isr(self) -> tuple[int, ...]:
        return self.event.isr or ()

    @property
    def epoch(self) -> int:
        return self.event.leader_epoch or 0

    @property
    def name(self) -> str:
        return f"{self.event.topic}-{self.event.partition}"

    def last_version(self) -> Event | None:
        """The last line before that prints the version just before this one's."""
        version = self.event.partition_epoch
        found = [e for e in self.earlier if version is not None and e.partition_epoch == version - 1 and e.isr]
        return found[-1] if found else None

    def fault(self, what: str, hidden: str | None = None, **changed: object) -> Fault:
        one = self.origin
        return Fault(one.file, one.line, f"{self.name}: {what}", self.echoes.changed(one, **changed), hidden)


def printed(recording: Recording) -> Iterator[View]:
    """Return every view of every partition, in the order of controller epochs and lines."""
    entities: dict[tuple[object, object], list[ControllerLine]] = defaultdict(list)
    for one in recording.by_controllers:
        if one.event.row in CREATED + WRITTEN + ASKED:
            entities[one.event.topic, one.event.partition].append(one)
    echoes = Echoes.of(recording)
    for lines in entities.values():
        earlier: list[ControllerLine] = []
        replicas: tuple[int, ...] | None = None
        reassigning = created = False
        for one in lines:
            event = one.event
            if event.row in CREATED or (event.from_state == "NewPartition" and not created):
                earlier = []
            created = event.row in CREATED
            replicas = event.replicas or replicas
            reassigning = reassigning or event.row in REASSIGNED
            if event.row in CREATED or event.leader is None or event.leader_epoch is None or event.leader == DELETING:
                continue
            events = tuple(each.event for each in earlier)
            yield View(one, events, tuple((e.file, e.epoch) for e in earlier), replicas, reassigning, echoes)
            earlier.append(one)


def leader_outside_isr(recording: Recording) -> Iterator[Fault]:
    """The leader is a broker that the same line does not have in the ISR."""
    for view in printed(recording):
        others = [broker for broker in recording.brokers if broker not in view.isr]
        if view.leader >= 0 and view.isr and others:
            yield view.fault(f"leader {others[0]}, not in ISR {list(view.isr)}", leader=others[0])


def empty_isr(recording: Recording) -> Iterator[Fault]:
    """No replica leads and none is in sync."""
    kept = behaviour("KAFKA-5642").releases & recording.release.mask
    for view in printed(recording):
        if view.isr:
            hidden = None if kept else "up to 1.0 this is legal with unclean leader election"
            yield view.fault("ISR empty", hidden, leader=NOBODY, isr=())


def stranger_in_isr(recording: Recording) -> Iterator[Fault]:
    """The ISR has a broker that is not assigned to the partition."""
    for view in printed(recording):
        known = {*view.isr, *(view.replicas or ())}
        strangers = [broker for broker in (*recording.brokers, 99) if broker not in known]
        if not view.isr:
            continue
        hidden = None
        if not view.replicas:
            hidden = "no line before prints the assignment"
        elif view.reassigning:
            hidden = "a reassignment was announced, which makes it legal"
        yield view.fault(f"broker {strangers[0]} in the ISR", hidden, isr=(*view.isr, strangers[0]))


def isr_grows(recording: Recording) -> Iterator[Fault]:
    """An election puts an assigned replica into the ISR that was not in it just before."""
    for view in printed(recording):
        before = view.last_version()
        if view.event.row not in ELECTED or before is None or before.isr is None or view.leader not in before.isr:
            continue
        newcomers = [broker for broker in view.replicas or () if broker not in {*before.isr, *view.isr}]
        if newcomers and view.epoch == (before.leader_epoch or 0) + 1:
            yield view.fault(f"broker {newcomers[0]} comes into the ISR", isr=(*view.isr, newcomers[0]))


def nobody_elected(recording: Recording) -> Iterator[Fault]:
    """An election succeeds without a leader."""
    for view in printed(recording):
        if view.event.row in ELECTED and view.event.partition_epoch is not None:
            yield view.fault("nobody elected", leader=NOBODY)


def elected_twice(recording: Recording) -> Iterator[Fault]:
    """An election is printed once more, a millisecond later: with the same time it would not be a second one."""
    for view in printed(recording):
        one, event = view.origin, view.event
        if event.row in ELECTED and event.partition_epoch is not None and event.from_state != "NewPartition":
            again = replace(event, ts=None if event.ts is None else event.ts + 1)
            edits = (Edit(one.file, one.line, again, added=True),)
            yield Fault(one.file, one.line + 1, f"{view.name}: elected twice with one outcome", edits)


def epoch_falls_in_znode(recording: Recording) -> Iterator[Fault]:
    """A write of the znode carries a smaller leader epoch than the write before."""
    for view in printed(recording):
        written = [e.leader_epoch or 0 for e in view.earlier if e.row in WRITTEN]
        if view.event.row in WRITTEN and written and written[-1] > 0:
            yield view.fault(f"leader epoch {written[-1] - 1} after {written[-1]}", leader_epoch=written[-1] - 1)


def epoch_falls_in_request(recording: Recording) -> Iterator[Fault]:
    """A LeaderAndIsr request carries a smaller leader epoch than one that the same controller sent before."""
    for view in printed(recording):
        here = (view.origin.file, view.origin.epoch)
        sent = [
            e.leader_epoch or 0
            for e, tenure in zip(view.earlier, view.tenures, strict=True)
            if e.row in LEADER_AND_ISR_SENT and tenure == here
        ]
        if view.event.row in LEADER_AND_ISR_SENT and sent and 0 < sent[-1] <= view.epoch:
            yield view.fault(f"a request with leader epoch {sent[-1] - 1} after {sent[-1]}", leader_epoch=sent[-1] - 1)


def epoch_jumps(recording: Recording) -> Iterator[Fault]:
    """An election moves the leader epoch by more than one, from one version of the znode to the next."""
    for view in printed(recording):
        before = view.last_version()
        if view.event.row in ELECTED and before is not None:
            yield view.fault(f"leader epoch {view.epoch + 3} after {before.leader_epoch}", leader_epoch=view.epoch + 3)


def two_leaders(recording: Recording) -> Iterator[Fault]:
    """A leader epoch gets a second leader: in a request, or by an election that keeps the epoch."""
    for view in printed(recording):
        led = [e for e in view.earlier if e.leader is not None and e.leader >= 0]
        if view.event.row in ASKED:
            same = [e.leader for e in led if e.leader_epoch == view.epoch]
            others = [broker for broker in view.isr if broker != view.leader]
            if view.leader in same and others:
                yield view.fault(f"leader {others[0]} in leader epoch {view.epoch}", leader=others[0])
        elif view.earlier and led and view.earlier[-1] is led[-1] and NOBODY < view.leader != led[-1].leader:
            epoch = led[-1].leader_epoch
            yield view.fault(f"leader {view.leader} in leader epoch {epoch}", leader_epoch=epoch)


def two_states(recording: Recording) -> Iterator[Fault]:
    """A version of the znode is printed with another state than before."""
    for view in printed(recording):
        known = [e for e in view.earlier if e.partition_epoch is not None and e.isr]
        if view.event.partition_epoch is None or not known:
            continue
        if view.event.row in ASKED:
            same = [e for e in known if e.partition_epoch == view.event.partition_epoch]
            fewer = tuple(broker for broker in view.isr if broker == view.leader)
            if same and fewer and fewer != view.isr and view.isr == same[-1].isr:
                yield view.fault(f"ISR {list(fewer)} in version {view.event.partition_epoch}", isr=fewer)
        elif (known[-1].partition_epoch or 0) < view.event.partition_epoch and known[-1].leader_epoch != view.epoch:
            version = known[-1].partition_epoch
            yield view.fault(f"another state in version {version}", partition_epoch=version)


def unclean_with_bigger_isr(recording: Recording) -> Iterator[Fault]:
    """A broker from outside the ISR of the version before is elected, and is not alone in the ISR."""
    for view in printed(recording):
        before = view.last_version()
        if view.event.row not in ELECTED or before is None or view.leader < 0:
            continue
        members = before.isr or ()
        outside = [broker for broker in (*(view.replicas or ()), *recording.brokers) if broker not in members]
        if outside:
            isr = (outside[0], members[0])
            yield view.fault(f"leader {outside[0]} from outside ISR {list(members)}", leader=outside[0], isr=isr)
