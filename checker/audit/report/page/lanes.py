"""The timeline's lanes: the state of each broker and controller over time, and which controller was active.

In ZooKeeper mode a broker is alive or not, as a controller last printed it; in a metadata log it has the state of its
registration.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from ...findings.brokers import BrokerTimeline, LiveBrokers, TenureTimes
from ...findings.happened import Happened
from ...findings.metadata import BrokerChange, MetadataLog
from ...happened.processes import FAILED, STARTED, STOPPED
from ...happened.quorum import LED, WITHOUT
from ..model import Report
from ..shown import plain

UP, LEAVING, DOWN, LOST = "alive", "leaving", "dead", "none"
KINDS = {"Unfenced": UP, "ControlledShutdown": LEAVING, "Fenced": DOWN, "ShutDown": DOWN}
"""The kind of spell that a registration's state is drawn as; other states are not drawn."""


@dataclass(frozen=True)
class LaneSegment:
    """A broker's state from one time to another, in milliseconds; None: from the beginning, or to the end."""

    first: int | None
    last: int | None
    kind: str
    text: str


@dataclass(frozen=True)
class Lane:
    """A line of the timeline."""

    name: str
    spells: tuple[LaneSegment, ...]


@dataclass(frozen=True)
class Active:
    """A time as the active controller."""

    lane: str
    """The name of the lane."""
    epoch: int
    first: int
    last: int
    fails_over: bool
    """True if another controller was active before."""
    text: str


def lanes(report: Report) -> tuple[Lane, ...]:
    """Return a lane for each broker, and for each controller that is not a broker: by number, one log after the
    other.
    """
    found: dict[str, tuple[LaneSegment, ...]] = {}
    shown = report.brokers or BrokerTimeline()
    ids = {each for live in shown.live for each in live.brokers} | {each.controller for each in _timed(shown)}
    for broker in sorted(ids):
        found[_broker(broker)] = tuple(_alive(shown.live, broker))
    for number, log in enumerate(report.metadata or ()):
        registered = sorted({each.broker for each in log.brokers})
        for broker in registered:
            name = _broker(broker, number)
            registrations = _registered([each for each in log.brokers if each.broker == broker])
            found[name] = tuple(_joined(found.get(name, ()), tuple(registrations)))
        for leader in sorted({each.leader for each in log.reigns}):
            found.setdefault(_name(log, leader, number), ())
    for node, spells in _processes(report.happened).items():
        if not any(found.get(name) for name in (_broker(node), _broker(node, kind="node"))):
            found[_broker(node, kind="node")] = spells
    if quorum := tuple(_until_next([*_quorum(report.happened)])):
        found["quorum"] = quorum
    return tuple(Lane(name, spells) for name, spells in found.items())


def active_controllers(report: Report) -> Iterator[Active]:
    """Yield ZooKeeper's controllers by epoch, then those of each metadata log."""
    tenures = _timed(report.brokers or BrokerTimeline())
    lives = [None, *(each.life for each in tenures)]
    for before, each in zip(lives, tenures, strict=False):
        life = f", life {each.life}" if each.life > 1 else ""
        text = f"controller epoch {each.controller_epoch}{life}, broker {each.controller}"
        first, last = each.first or 0, each.last or 0
        yield Active(_broker(each.controller), each.controller_epoch, first, last, before == each.life, text)
    for number, log in enumerate(report.metadata or ()):
        for index, reign in enumerate(log.reigns):
            name = _name(log, reign.leader, number)
            last = reign.first if reign.last is None else reign.last
            yield Active(name, reign.epoch, reign.first, last, index > 0, f"raft epoch {reign.epoch}, led by {name}")


def _quorum(happened: Iterable[Happened]) -> Iterator[LaneSegment]:
    """Yield the times with and without a leader of the metadata quorum."""
    for each in happened:
        if each.what in (LED, WITHOUT) and each.since is not None:
            text = f"led by {each.node} in epoch {each.epoch}" if each.what == LED else f"no leader: {each.reason}"
            until = each.since + (each.longest or 0) if each.lasts else each.until
            yield LaneSegment(each.since, until, UP if each.what == LED else LOST, plain(text))


def _processes(happened: Iterable[Happened]) -> Mapping[int, tuple[LaneSegment, ...]]:
    """Return for each node the times of its processes, as far as its own lines show them."""
    found: dict[int, list[LaneSegment]] = defaultdict(list)
    for each in happened:
        if each.node is None or each.since is None:
            continue
        own = found[each.node]
        if each.what == STARTED:
            own.append(LaneSegment(each.since, None, UP, "up, as it prints itself"))
        elif each.what in (STOPPED, FAILED) and own and own[-1].last is None:
            own[-1] = replace(own[-1], last=each.since)
    return {node: tuple(_until_next(own)) for node, own in sorted(found.items()) if own}


def _until_next(own: Sequence[LaneSegment]) -> Iterator[LaneSegment]:
    """Yield the spells, none beyond the begin of the next."""
    for each, after in zip(own, [*own[1:], None], strict=False):
        yield each if after is None or each.last is not None else replace(each, last=after.first)


def _joined(earlier: Sequence[LaneSegment], later: Sequence[LaneSegment]) -> Iterator[LaneSegment]:
    """Yield a migrated broker's spells: from its first registration with KRaft on, the registration counts."""
    since = later[0].first if later else None
    for each in earlier:
        if since is None or (each.first or 0) < since:
            yield replace(each, last=each.last if since is None else min(each.last or since, since))
    yield from later


def _timed(shown: BrokerTimeline) -> list[TenureTimes]:
    return [each for each in shown.tenures if each.first is not None]


def _broker(broker: int, log: int = 0, kind: str = "broker") -> str:
    return f"{kind} {broker}{f', log {log + 1}' * (log > 0)}"


def _name(log: MetadataLog, node: int, number: int) -> str:
    """Return the name of a node; a controller that is not a broker is a node of its own."""
    return _broker(node, number, "broker" if any(each.broker == node for each in log.brokers) else "node")


def _alive(live: Sequence[LiveBrokers], broker: int) -> Iterator[LaneSegment]:
    """Yield whether a broker was among the live brokers that controllers name, until one says otherwise."""
    changes: list[LiveBrokers] = []
    for each in live:
        if not changes or (broker in each.brokers) != (broker in changes[-1].brokers):
            changes.append(each)
    for each, after in zip_longest(changes, changes[1:]):  # there are none if no line that was read names live brokers
        up = broker in each.brokers
        text = f"{'alive' if up else 'not alive'}, as broker {each.controller} printed it: {plain(str(each.place))}"
        yield LaneSegment(each.ts, None if after is None else after.ts, UP if up else DOWN, text)


def _registered(changes: Sequence[BrokerChange]) -> Iterator[LaneSegment]:
    for each, after in zip(changes, [*changes[1:], None], strict=True):
        if each.state in KINDS:
            last = None if after is None else after.ts
            yield LaneSegment(
                each.ts, last, KINDS[each.state], f"{each.state}, broker epoch {each.epoch}: offset {each.offset}"
            )
