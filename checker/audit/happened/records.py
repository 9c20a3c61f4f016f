"""Entries from a metadata log: brokers, the quorum, partitions, topics and the migration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..findings.happened import Happened
from ..findings.metadata import BrokerChange, MetadataLog
from ..observe.controller.conditions import OFFLINE
from ..sources.metadata.course import (
    DIRECTORY_FAILED,
    EXPANDED,
    LEFT_BEHIND,
    REASSIGNING,
    SHRUNK,
    UNCLEAN,
    UNDER_MIN,
    VOTERS_CHANGED,
    WAITING,
    Needed,
    Step,
    adding_to,
)
from ..sources.metadata.seen import NOT_KNOWN
from .controllers import reigns
from .in_words import listed
from .partitions import conditions
from .quorum import LED

FENCED, UNFENCED, UNREGISTERED = "fenced", "unfenced", "unregistered"
REASSIGNED, PHASE = "reassignment-ended", "migration-phase"
_REGISTERED, _ACTIVE, _GONE = "Fenced", "Unfenced", "Unregistered"
"""States in specs/machines/broker-registration.toml."""
_STARTING = 60_000
"""The milliseconds that a broker may take from its registration until it is unfenced: at the end of a log it may still
be starting. Source: initial.broker.registration.timeout.ms, at its default.
"""


def of_log(log: MetadataLog) -> Iterator[Happened]:
    """Yield what a metadata log shows."""
    yield from brokers(log)
    yield from reigns(log)
    yield from led(log)
    yield from partitions(log)
    yield from steps(log)
    yield from phases(log)
    for what, count in sorted(log.course.others.items()):
        yield Happened(what, count=count, reason="more of these, of which only the number was kept")


# ---- Brokers, the quorum, the migration


def brokers(log: MetadataLog) -> Iterator[Happened]:
    """Yield the spells in which brokers were fenced, and when they were unfenced or unregistered.

    A broker that starts is fenced until it has caught up, and one that shuts down in order is fenced at its end: this
    is no spell, unless a start does not end.
    """
    by_broker: dict[int, list[BrokerChange]] = {}
    for each in log.brokers:
        by_broker.setdefault(each.broker, []).append(each)
    for _, own in sorted(by_broker.items()):
        yield from _of_broker(own, log)


def _of_broker(changes: Sequence[BrokerChange], log: MetadataLog) -> Iterator[Happened]:
    begun: BrokerChange | None = None
    starts = False
    before: str | None = None
    for each in changes:
        if each.state == _REGISTERED:
            if begun is None:
                begun, starts = each, before != _ACTIVE and each.ts is not None
        elif begun is not None:
            if not starts:
                yield _fenced(begun, log, until=each)
            begun = None
        if each.ts is not None and each.state in (_ACTIVE, _GONE):
            what = UNFENCED if each.state == _ACTIVE else UNREGISTERED
            yield Happened(what, since=each.ts, node=each.broker, places=log.course.places(each.offset, each.ts))
        before = each.state
    if begun is not None and not (starts and _is_young(begun, log)):
        yield _fenced(begun, log, reason="it registered, and was not unfenced since" if starts else None)


def _is_young(begun: BrokerChange, log: MetadataLog) -> bool:
    ends = log.course.ends
    return ends is None or begun.ts is None or ends - begun.ts < _STARTING


def _fenced(
    begun: BrokerChange, log: MetadataLog, until: BrokerChange | None = None, reason: str | None = None
) -> Happened:
    over = until is not None and until.state != NOT_KNOWN
    return Happened(
        FENCED,
        since=begun.ts,
        until=until.ts if over and until is not None else None,
        lasts=not over,
        node=begun.broker,
        reason="until it was unregistered" if until is not None and until.state == _GONE else reason,
        places=log.course.places(begun.offset, begun.ts),
    )


def led(log: MetadataLog) -> Iterator[Happened]:
    """Yield the leaders of the quorum: who leads it is the active controller."""
    for each in reigns(log):
        yield replace(each, what=LED)


def phases(log: MetadataLog) -> Iterator[Happened]:
    """Yield the states of a migration from ZooKeeper."""
    for each in log.migration:
        yield Happened(PHASE, since=each.ts, reason=each.state, places=log.course.places(each.offset, each.ts))


# ---- Partitions without a leader, or with a replica missing


def partitions(log: MetadataLog) -> Iterator[Happened]:
    """Yield the spells of partitions, those without a leader with the brokers that must return."""
    running = {step.topic: step for step in log.course.steps if step.what == REASSIGNING and step.lasts}
    added = {
        (topic, partition): step.ids.get(adding_to(partition), ())
        for topic, step in running.items()
        for partition in step.ids["partitions"]
    }
    for condition, each in zip(log.conditions, conditions(log.conditions, added), strict=True):
        key = condition.topic, condition.partition, condition.place.offset or 0
        needed = log.course.needed.get(key)
        if condition.condition == OFFLINE and needed is not None:
            others = sorted({*(condition.replicas or ())} - {*(condition.isr or ())} - {*needed.elr})
            each = replace(each, reason=must_return(condition.isr or (), others, needed))
        yield each


def must_return(isr: Sequence[int], others: Sequence[int], needed: Needed) -> str:
    """Return who must come back for a partition, and who may lead only by unclean election.

    Args:
        others: its replicas that are neither in its ISR nor in its ELR.
    """
    able = list(dict.fromkeys((*isr, *needed.elr)))
    left = [each for each in able if each not in (*needed.away, *needed.diskless)]
    said = [f"{_one_of(needed.away)} must come back"] if needed.away else []
    said += [f"{_one_of(needed.diskless)} must get the directory of its replica back"] if needed.diskless else []
    said += [f"{_one_of(left)} is active, and no record elects it"] if left else []
    text = " or ".join(said) if said else "no replica is in sync"
    text += f": the ISR is {listed(isr)}" if isr else ": the ISR is empty" if able else ""
    text += f", the ELR {listed(needed.elr)}" if needed.elr else ""
    if needed.last_known and not able:
        text += f"; broker {listed(needed.last_known)} led it last"
    return text + (f"; {listed(others)} may lead only by unclean election" if others else "")


# ---- Steps


def steps(log: MetadataLog) -> Iterator[Happened]:
    """Yield what was collected along the log (sources/metadata/course.py)."""
    for step in log.course.steps:
        entry = _entry(step, log)
        yield entry
        if step.what == REASSIGNING and step.last is not None:
            place = (log.course.place(step.last),)
            yield replace(entry, what=REASSIGNED, since=step.last.ts, until=None, reason=_ended(step), places=place)


def _entry(step: Step, log: MetadataLog) -> Happened:
    last = step.last
    (epoch,) = step.ids.get("epoch", (None,))
    return Happened(
        step.what,
        since=step.first.ts,
        until=None if last is None else last.ts,
        lasts=step.lasts,
        node=step.node,
        topic=step.topic,
        partition=step.partition,
        epoch=epoch,
        reason=_REASONS[step.what](step) if step.what in _REASONS else step.word or None,
        count=step.times,
        places=tuple(log.course.place(each) for each in dict.fromkeys((step.first, last or step.first))),
    )


def _isr(step: Step) -> str:
    """Return the replicas that left an ISR or came back, those that did so several times with their counts."""
    pairs = zip(step.ids["brokers"], step.ids["times"], strict=True)
    named = [str(broker) if times == 1 else f"{broker} ({times} times)" for broker, times in pairs]
    return f"replica{'s' * (len(named) > 1)} {', '.join(named)} {'left' if step.what == SHRUNK else 'joined'}"


def _unclean(step: Step) -> str:
    (before,), (leader,), isr = step.ids["before"], step.ids["leader"], step.ids["isr"]
    led_before = f"after leader {before}" if before >= 0 else "after it had none"
    known = ", its last known leader" if leader in step.ids["last"] else ""
    elr = f", the ELR {listed(step.ids['elr'])}" if step.ids["elr"] else ""
    marked = "; the record marks it, though it was eligible" if leader in step.ids["elr"] else ""
    return f"leader {leader}{known}, {led_before}: the ISR was {listed(isr) or 'empty'}{elr}{marked}"


def _under_min(step: Step) -> str:
    (least,), isr = step.ids["least"], step.ids["isr"]
    return f"the ISR was {listed(isr) or 'empty'}, min.insync.replicas is {least}"


def _moving(step: Step) -> str:
    return ", ".join([_partitions(step), *_moved(step)])


def _moved(step: Step) -> Iterator[str]:
    return (f"{how} {listed(step.ids[how])}" for how in ("adding", "removing") if step.ids[how])


def _ended(step: Step) -> str:
    cancelled = len(step.ids["cancelled"])
    if step.word:
        return step.word
    if not cancelled:
        return ", ".join([_partitions(step), *_moved(step)])
    every = len(step.ids["partitions"])
    return f"cancelled for {cancelled} of {_partitions(step)}" if cancelled < every else "it was cancelled"


def _partitions(step: Step) -> str:
    count = len(step.ids["partitions"])
    return f"{count} partition{'s' * (count != 1)}"


def _voters(step: Step) -> str:
    said = [f"{listed(step.ids[how])} {how}" for how in ("added", "removed") if step.ids[how]]
    return f"{', '.join(said)}: the voters are {listed(step.ids['now'])}"


def _waits(step: Step) -> str:
    added, missing = step.ids["added"], step.ids["missing"]
    stays = "which stays, is" if len(missing) == 1 else "which stay, are"
    return f"{listed(added)}, to be added, {'is' if len(added) == 1 else 'are'} in sync; {listed(missing)}, {stays} not"


def _directory(step: Step) -> str:
    return f"directory {step.word}"


def _left_behind(step: Step) -> str:
    return f"{step.word} is removed from it while it is in ZooKeeper mode: the log stays there"


_REASONS: Mapping[str, Callable[[Step], str]] = {
    SHRUNK: _isr,
    EXPANDED: _isr,
    UNCLEAN: _unclean,
    UNDER_MIN: _under_min,
    REASSIGNING: _moving,
    DIRECTORY_FAILED: _directory,
    VOTERS_CHANGED: _voters,
    WAITING: _waits,
    LEFT_BEHIND: _left_behind,
}


def _one_of(brokers: Sequence[int]) -> str:
    return f"broker {brokers[0]}" if len(brokers) == 1 else f"one of brokers {listed(brokers)}"
