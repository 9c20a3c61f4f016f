"""Something that happened to a cluster, and how several of a kind are one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ....specs.happenings import Happening, happenings
from ....traces.place import Place

MOST = 10_000
"""The most entries of a cluster that are reported, trouble first; all are counted."""
_PLACES = 3
"""The most places of an entry: its first, its longest and its last."""

_BY_EPOCH = ("quorum-led", "controller-active", "unclean-election")
"""Happenings that are others in each epoch."""


@dataclass(frozen=True)
class Happened:
    """Something that happened, once or several times alike."""

    what: str
    """A name of the vocabulary (specs/happenings.toml)."""
    trouble: bool = False
    since: int | None = None
    """The time of the first, in milliseconds as printed."""
    until: int | None = None
    """The time at which the last ended; None if it is a moment, or no end is shown."""
    lasts: bool = False
    """True if no line shows its end."""
    node: int | None = None
    """The id of the broker or controller that it happened to, or that said so of a partition or topic."""
    topic: str | None = None
    partition: int | None = None
    epoch: int | None = None
    """The epoch of the controller, of the quorum's leader, or of the partition's leader."""
    reason: str | None = None
    issue: str | None = None
    """The issue of Kafka, where it is a known bug."""
    count: int = 1
    """How often it happened."""
    longest: int | None = None
    """The length of the longest that ended, in milliseconds."""
    places: tuple[Place, ...] = ()
    """The first line or record that shows it; where there are several, also the longest and the last."""
    at: tuple[int, int] | None = None
    """File and line of the first, whose text has the reason; None where the reason is known."""

    @property
    def word(self) -> Happening:
        return happenings()[self.what]

    @property
    def order(self) -> tuple[object, ...]:
        """Sort key: in the order of time, what has none at the end."""
        names = str(self.topic or ""), self.partition if self.partition is not None else -1
        where = [place.order for place in self.places[:1]]
        return self.since is None, self.since or 0, where, self.what, *names, self.node if self.node is not None else -1


def judged(entries: Iterable[Happened]) -> list[Happened]:
    """Return the entries, each trouble or not by the vocabulary."""
    return [
        replace(each, trouble=each.trouble or each.word.is_trouble(each.since, _end(each), lasts=each.lasts))
        for each in entries
    ]


def _end(each: Happened) -> int | None:
    """Return the end by which an entry is long: of several, the longest decides."""
    if each.longest is not None and each.since is not None:
        return each.since + each.longest
    return each.until


def alike_once(entries: Iterable[Happened]) -> list[Happened]:
    """Return entries of one kind, subject and reason as one, with a count and the times of the first and the last.

    Entries at one place are one.
    """
    groups: dict[tuple[object, ...], list[Happened]] = defaultdict(list)
    for each in entries:
        epoch = each.epoch if each.what in _BY_EPOCH else None
        about = each.what, each.node, epoch, each.topic, each.partition
        groups[(*about, each.reason, each.issue, each.at is None)].append(each)
    return sorted((_joined(own) for own in groups.values()), key=lambda each: each.order)


def _joined(several: list[Happened]) -> Happened:
    own = sorted({(each.places[:1], each.since, each.until): each for each in several}.values(), key=lambda e: e.order)
    first, last = own[0], own[-1]
    if len(own) == 1:
        return first
    lengths = [each.until - each.since for each in own if None not in (each.since, each.until)]  # type: ignore[operator]
    spell = first.word.spell
    longest = max(lengths, default=None) if spell else None
    long = next((each for each in own if longest is not None and _length(each) == longest), first)
    ends = [each.until if each.until is not None else each.since for each in own]
    until = last.until if spell else max((ts for ts in ends if ts is not None), default=None)
    places = dict.fromkeys(place for each in (first, long, last) for place in each.places[:1])
    return replace(
        first,
        trouble=any(each.trouble for each in own),
        until=until,
        lasts=last.lasts,
        epoch=last.epoch,
        count=sum(each.count for each in own),
        longest=longest,
        places=tuple(places)[:_PLACES],
    )


def _length(each: Happened) -> int | None:
    return None if each.until is None or each.since is None else each.until - each.since


def shown(entries: Iterable[Happened]) -> tuple[Happened, ...]:
    """Return at most MOST entries in the order of time: trouble before others."""
    own = sorted(entries, key=lambda each: (not each.trouble, each.order))[:MOST]
    return tuple(sorted(own, key=lambda each: each.order))
