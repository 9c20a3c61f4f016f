"""A thing that both lines and records show happened once: which of the two says so, by kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..findings.happened import Happened
from ..findings.metadata import MetadataLog
from .controllers import ACTIVE
from .quorum import LED

_QUARTER = 15 * 60 * 1000
"""Clocks of time zones differ by multiples of a quarter of an hour."""
_LATE = 5_000
"""The milliseconds after which a line may print what a record says."""


@dataclass(frozen=True)
class Both:
    """The way in which lines and records that show one kind of thing become one entry."""

    same: tuple[str, ...] = ()
    """The fields in which a line's entry equals a record's that is about the same thing; empty: none is compared."""
    records_know_all: bool = False
    """True if, while there are records, what they lack did not happen."""
    line_says_why: bool = False
    """True if a line has a reason that records lack: the record's entry takes it."""


_LEADERSHIP = Both(same=("epoch", "node"))
_ALL = Both(records_know_all=True)
_PARTITION = ("topic", "partition")
BOTH: Mapping[str, Both] = {
    ACTIVE: _LEADERSHIP,
    LED: _LEADERSHIP,
    "fenced": _ALL,
    "unfenced": _ALL,
    "unregistered": _ALL,
    "voters-changed": _ALL,
    "offline": _ALL,
    "under-replicated": _ALL,
    "under-min-isr": Both(same=_PARTITION),
    "isr-shrunk": Both(same=_PARTITION, records_know_all=True, line_says_why=True),
    "isr-expanded": _ALL,
    "unclean-election": _ALL,
    "created": _ALL,
    "deleted": _ALL,
    "reassignment-running": _ALL,
    "reassignment-ended": _ALL,
    "directory-failed": Both(same=("node",), line_says_why=True),
    "migration-phase": _ALL,
}
"""The kinds that both show: a line's entry that is the same is left out. Any other kind only lines show."""


def once(of_lines: Sequence[Happened], of_records: Sequence[Happened], logs: Sequence[MetadataLog]) -> list[Happened]:
    """Return what happened to a cluster, from its lines and its metadata logs, each thing once."""
    zone = _zone(of_lines, of_records)
    said: dict[tuple[object, ...], Happened] = {}
    for each in sorted(of_lines, key=lambda each: each.order):
        said.setdefault(_key(each), each)
    known = {_key(each) for each in of_records}
    left = [_until_records(each, logs, zone) for each in of_lines if not _is_known(each, known, logs, zone)]
    return [*left, *_with_lines(of_records, said)]


def _key(each: Happened) -> tuple[object, ...]:
    both = BOTH.get(each.what)
    return (each.what, *(getattr(each, name) for name in (both.same if both is not None else ())))


def _is_known(each: Happened, known: Iterable[object], logs: Sequence[MetadataLog], zone: int) -> bool:
    """Return whether records show what a line's entry says, or that it did not happen."""
    both = BOTH.get(each.what)
    if both is None:
        return False
    if both.same and _key(each) in known:
        return True
    return both.records_know_all and any(_covers(log, each, zone) for log in logs)


def _until_records(each: Happened, logs: Sequence[MetadataLog], zone: int) -> Happened:
    """Return a line's entry, a spell without an end up to where records begin: they have the rest."""
    both, since = BOTH.get(each.what), each.since
    begins = min((zone + ts for log in logs if (ts := _begins(log, each)) is not None), default=None)
    if both is None or not both.records_know_all or not each.lasts or since is None or begins is None or begins < since:
        return each
    return replace(each, lasts=False, until=begins, longest=begins - since)


def _begins(log: MetadataLog, each: Happened) -> int | None:
    """Return the time from which a log knows all about such things; None: from the cluster's beginning."""
    if each.word.subject in ("partition", "topic") and log.migration:
        return log.taken_over if log.migrated else log.course.ends  # the partitions were ZooKeeper's
    return log.course.begins


def _covers(log: MetadataLog, each: Happened, zone: int) -> bool:
    """Return whether a log has the records of an entry's time; what has no time is covered by one that has them all."""
    begins, ends = _begins(log, each), log.course.ends
    if ends is None or (each.since is None and begins is not None):
        return False
    time = None if each.since is None else each.since - zone
    return time is None or ((begins is None or begins <= time) and time <= ends + _LATE)


def _zone(of_lines: Iterable[Happened], of_records: Iterable[Happened]) -> int:
    """Return by how much lines' times, as printed, are ahead of records', which are UTC: leaders show it."""
    led = {_key(each): each.since for each in of_records if each.what in (ACTIVE, LED)}
    for each in of_lines:
        since = led.get(_key(each))
        if each.what in (ACTIVE, LED) and since is not None and each.since is not None:
            return round((each.since - since) / _QUARTER) * _QUARTER
    return 0


def _with_lines(of_records: Iterable[Happened], said: Mapping[tuple[object, ...], Happened]) -> Iterator[Happened]:
    """Yield the records' entries, with the line that says why where there is one."""
    taken: set[tuple[object, ...]] = set()
    for each in of_records:
        both, key = BOTH.get(each.what), _key(each)
        line = said.get(key) if both is not None and both.line_says_why and key not in taken else None
        taken.add(key)
        yield (
            each
            if line is None
            else replace(each, at=line.at, reason=line.reason or each.reason, places=(*each.places, *line.places))
        )
