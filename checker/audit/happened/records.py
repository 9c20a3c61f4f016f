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
    Occurrence,
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
    yield from occurrences(log)
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
    running = {each.topic: each for each in log.course.occurrences if each.what == REASSIGNING and each.lasts}
    added = {
        (topic, partition): each.ids.get(adding_to(partition), ())
        for topic, each in running.items()
        for partition in each.ids["partitions"]
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


def occurrences(log: MetadataLog) -> Iterator[Happened]:
    """Yield what was collected along the log (sources/metadata/course.py)."""
    for each in log.course.occurrences:
        entry = _entry(each, log)
        yield entry
        if each.what == REASSIGNING and each.last is not None:
            place = (log.course.place(each.last),)
            yield replace(entry, what=REASSIGNED, since=each.last.ts, until=None, reason=_ended(each), places=place)


def _entry(each: Occurrence, log: MetadataLog) -> Happened:
    last = each.last
    (epoch,) = each.ids.get("epoch", (None,))
    return Happened(
        each.what,
        since=each.first.ts,
        until=None if last is None else last.ts,
        lasts=each.lasts,
        node=each.node,
        topic=each.topic,
        partition=each.partition,
        epoch=epoch,
        reason=_REASONS[each.what](each) if each.what in _REASONS else each.word or None,
        count=each.times,
        places=tuple(map(log.course.place, dict.fromkeys((each.first, last or each.first)))),
    )


def _isr(each: Occurrence) -> str:
    """Return the replicas that left an ISR or came back, those that did so several times with their counts."""
    pairs = zip(each.ids["brokers"], each.ids["times"], strict=True)
    named = [str(broker) if times == 1 else f"{broker} ({times} times)" for broker, times in pairs]
    return f"replica{'s' * (len(named) > 1)} {', '.join(named)} {'left' if each.what == SHRUNK else 'joined'}"


def _unclean(each: Occurrence) -> str:
    (before,), (leader,), isr = each.ids["before"], each.ids["leader"], each.ids["isr"]
    led_before = f"after leader {before}" if before >= 0 else "after it had none"
    known = ", its last known leader" if leader in each.ids["last"] else ""
    elr = f", the ELR {listed(each.ids['elr'])}" if each.ids["elr"] else ""
    marked = "; the record marks it, though it was eligible" if leader in each.ids["elr"] else ""
    return f"leader {leader}{known}, {led_before}: the ISR was {listed(isr) or 'empty'}{elr}{marked}"


def _under_min(each: Occurrence) -> str:
    (least,), isr = each.ids["least"], each.ids["isr"]
    return f"the ISR was {listed(isr) or 'empty'}, min.insync.replicas is {least}"


def _moving(each: Occurrence) -> str:
    return ", ".join([_partitions(each), *_moved(each)])


def _moved(each: Occurrence) -> Iterator[str]:
    return (f"{how} {listed(each.ids[how])}" for how in ("adding", "removing") if each.ids[how])


def _ended(each: Occurrence) -> str:
    cancelled = len(each.ids["cancelled"])
    if each.word:
        return each.word
    if not cancelled:
        return ", ".join([_partitions(each), *_moved(each)])
    every = len(each.ids["partitions"])
    return f"cancelled for {cancelled} of {_partitions(each)}" if cancelled < every else "it was cancelled"


def _partitions(each: Occurrence) -> str:
    count = len(each.ids["partitions"])
    return f"{count} partition{'s' * (count != 1)}"


def _voters(each: Occurrence) -> str:
    said = [f"{listed(each.ids[how])} {how}" for how in ("added", "removed") if each.ids[how]]
    return f"{', '.join(said)}: the voters are {listed(each.ids['now'])}"


def _waits(each: Occurrence) -> str:
    added, missing = each.ids["added"], each.ids["missing"]
    stays = "which stays, is" if len(missing) == 1 else "which stay, are"
    return f"{listed(added)}, to be added, {'is' if len(added) == 1 else 'are'} in sync; {listed(missing)}, {stays} not"


def _directory(each: Occurrence) -> str:
    return f"directory {each.word}"


def _left_behind(each: Occurrence) -> str:
    return f"{each.word} is removed from it while it is in ZooKeeper mode: the log stays there"


_REASONS: Mapping[str, Callable[[Occurrence], str]] = {
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
