"""Something that happened to a cluster, and how several of a kind are one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ....specs.happenings import Happening, happenings
from ....traces.place import Place
from .asking import question

MOST = 10_000
"""The most entries of a cluster that are reported, trouble first; all are counted."""
_PLACES = 3
"""The most places of an entry: its first, its longest and its last."""
_BY_EPOCH = ("quorum", "controller")
"""Subjects of which what happens in another epoch is another thing; so is another unclean election."""


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
    moment: bool = False
    """True if a tool showed it, at one moment: nothing shows when it began, or whether it went on."""
    node: int | None = None
    """The id of the broker or controller that it happened to, or that said so of a partition or topic."""
    topic: str | None = None
    partition: int | None = None
    epoch: int | None = None
    """The epoch of the controller, of the quorum's leader, or of the partition's leader."""
    reason: str | None = None
    issue: str | None = None
    """The issue of Kafka, where it is a known bug."""
    looks_like: str | None = None
    """The issue of Kafka, where it may be a known bug, or something else."""
    count: int = 1
    """The number of times that it happened."""
    longest: int | None = None
    """The length of the longest spell in milliseconds: of one that lasts, up to the end of the log."""
    places: tuple[Place, ...] = ()
    """The first line or record that shows it; where there are several, also the longest and the last."""
    at: tuple[int, int] | None = None
    """File and line of the first, whose text has the reason; None where the reason is known."""

    @property
    def word(self) -> Happening:
        return happenings()[self.what]

    @property
    def why(self) -> str | None:
        """The command that follows trouble back to its cause, to copy; null where there is none."""
        return question(self.what, self.node, self.topic, self.partition, self.since) if self.trouble else None

    @property
    def order(self) -> tuple[object, ...]:
        """Sort key: in the order of time, what has none at the end."""
        names = str(self.topic or ""), self.partition if self.partition is not None else -1
        where = [place.order for place in self.places[:1]]
        return self.since is None, self.since or 0, where, self.what, *names, self.node if self.node is not None else -1


def so_far(each: Happened, ends: int | None) -> Happened:
    """Return an entry with the length of its spell, which lasts until the log `ends` if nothing shows its end."""
    until = ends if each.lasts else each.until
    if not each.word.spell or each.since is None or until is None:
        return each
    return each if each.longest is not None else replace(each, longest=max(until - each.since, 0))


def judged(entries: Iterable[Happened]) -> list[Happened]:
    """Return the entries, each trouble or not by the vocabulary."""
    own = [_marked(each, each.word.is_trouble(_length(each), lasts=each.lasts or each.moment)) for each in entries]
    known = {(each.what, each.topic, each.partition): each.trouble for each in own}
    return [
        _marked(each, each.trouble and known.get((each.word.over or "", each.topic, each.partition), True))
        for each in map(_calmed, own)
    ]


def _marked(each: Happened, trouble: bool) -> Happened:
    return each if each.trouble == trouble else replace(each, trouble=trouble)


def _calmed(each: Happened) -> Happened:
    """Return an entry that is no trouble if its reason says so: a preferred replica that is not in sync keeps away."""
    calm = each.word.calm is not None and each.word.calm in (each.reason or "")
    return _marked(each, each.trouble and not calm)


def _length(each: Happened) -> int | None:
    if each.longest is not None or each.since is None or each.until is None:
        return each.longest
    return each.until - each.since


def alike_once(entries: Iterable[Happened]) -> list[Happened]:
    """Return entries of one kind, subject and reason as one, with a count and the times of the first and the last.

    Entries at one place are one.
    """
    groups: dict[tuple[object, ...], list[Happened]] = defaultdict(list)
    for each in entries:
        reason = None if each.word.spell and each.word.subject == "partition" else each.reason
        epoch = each.epoch if each.word.subject in _BY_EPOCH or each.what == "unclean-election" else None
        about = each.node, each.topic, each.partition, epoch, each.moment
        groups[(each.what, *about, reason, each.issue)].append(each)
    return sorted((_joined(own) for own in groups.values()), key=lambda each: each.order)


def _joined(several: list[Happened]) -> Happened:
    own = sorted({(each.places[:1], each.since, each.until): each for each in several}.values(), key=lambda e: e.order)
    first, last = own[0], own[-1]
    if len(own) == 1:
        return first
    spell = first.word.spell
    long = max(own, key=lambda each: each.longest or 0)
    ends = [each.until if each.until is not None else each.since for each in own]
    until = last.until if spell else max((ts for ts in ends if ts is not None), default=None)
    places = dict.fromkeys(place for each in (first, long, last) for place in each.places[:1])
    return replace(
        first,
        until=until,
        lasts=last.lasts,
        epoch=last.epoch,
        reason=long.reason,
        count=sum(each.count for each in own),
        longest=long.longest,
        places=tuple(places)[:_PLACES],
    )


def candidates(entries: Iterable[Happened]) -> list[Happened]:
    """Return the entries of which `shown` can take some, whatever their reasons are: those of as many kinds and
    subjects as it shows entries, trouble first."""
    groups: dict[tuple[object, ...], list[Happened]] = defaultdict(list)
    for each in judged(entries):
        groups[each.what, each.node, each.topic, each.partition].append(each)
    first = sorted(groups.values(), key=lambda group: min((not each.trouble, each.order) for each in group))
    return [each for group in first[:MOST] for each in group]


def shown(entries: Iterable[Happened]) -> tuple[Happened, ...]:
    """Return at most MOST entries in the order of time: trouble before others."""
    own = sorted(entries, key=lambda each: (not each.trouble, each.order))[:MOST]
    return tuple(sorted(own, key=lambda each: each.order))
