"""Lines that never stand alone: if one of a pair is missing, the file itself shows a gap.

Each pair is looked for within one stream and one tenure, so neither clocks nor missing files matter:

* Whatever the controller's own broker caches, the controller has sent by UpdateMetadata, and as often, unless several
  brokers may write to the stream.
* Whatever the controller sends by UpdateMetadata, its own broker caches, if it caches anything that was sent later. A
  broker handles requests in order, but refuses those in flight once another controller has sent it a later epoch.
* The controller sends, by LeaderAndIsr, whatever it elects, if it sends anything later.
* The controller has brought online whatever it creates and then sends by LeaderAndIsr.

Clean recordings and logs of real clusters have no exception at TRACE, where these lines are logged. (A broker may cache
less often than the controller sends: it caches only once what it receives while it starts.)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import add
from typing import Literal

from .....model.expr import field
from .....model.sorts import Int
from ...fields import LEADER_DURING_DELETE, leader, to_state
from ...files.file import LogFile
from ...history.doubts import GAPPED
from ...history.spans import Span
from ...history.streams import streams
from ...lines import CACHED, CREATED, ELECTED, LEADER_AND_ISR_SENT, MOVED, UPDATE_METADATA_SENT
from ...table.protocol import Column, Row, Table
from ..evidence import Evidence
from ..sign import PLACE, STREAM, Sign

_ONLINE_LINES = (*MOVED["partition"], *ELECTED)
_ONLINE = "OnlinePartition"
_MANY = 30
_TENURE = (STREAM, "controller", "controller_epoch")
_PARTITION = (*_TENURE, "topic", "partition")
_STATE = (*_PARTITION, "leader", "leader_epoch", "isr")
_BOUNDS = {"first": Column("min", PLACE), "last": Column("max", PLACE)}
_n, _sent_n, _created, _asked = (field(name, Int(0)) for name in ("n", "sent_n", "created", "asked"))

_MERGED: Mapping[str, Callable[[int, int], int]] = {
    "begins": min,
    "sent": min,
    "pairs": add,
    "unsent": max,
    "sent less": max,
    "taken": max,
    "taken once": max,
    "uncached": min,
    "sends": max,
    "sends once": max,
    "unasked": min,
    "never online": max,
    "never online once": max,
}
"""The facts about a tenure, and how those from several partitions are merged. `once`: lines stand twice, so that how
often and how late a state is printed shows nothing."""


def shown(events: Table, _: Sequence[Span] = ()) -> list[Row]:
    """Look: by tenure of a stream the facts of `_MERGED`, as places in the stream, or a number of states.

    begins: the first state that the controller prints. sent: the first that it sends. pairs: the states that it sends
    and its broker caches. unsent, sent less: the last that is cached and never sent, or less often than cached. taken:
    the last place of what was sent that had been cached. uncached: the first that is sent and not cached. sends: the
    last request. unasked: the first that is elected and never asked for. never online: a partition is asked for that
    was created and did not come online.
    """
    elected, asked = _states(events, ELECTED), _states(events, LEADER_AND_ISR_SENT)
    sent, cached = _states(events, UPDATE_METADATA_SENT), _states(events, CACHED)
    of_sent = sent.renamed(first="sent_first", last="sent_last", n="sent_n")
    taken = cached.attached(of_sent, _STATE, ("sent_first", "sent_last", "sent_n"))
    lost, lost_once = _never_online(events, asked, "last"), _never_online(events, asked, "first")
    return [
        *_bound("begins", elected.plus(asked).plus(sent), "min", "first"),
        *_bound("sent", sent, "min", "first"),
        *_bound("pairs", taken, "count", "sent_n"),
        *_bound("unsent", taken.absent("sent_n"), "max", "first"),
        *_bound("sent less", taken.where(_n > _sent_n), "max", "first"),
        *_bound("taken", taken.where(_n >= _sent_n), "max", "sent_last"),
        *_bound("taken", taken.where(_n < _sent_n), "max", "sent_first"),
        *_bound("taken once", taken.present("sent_n"), "max", "sent_first"),
        *_bound("uncached", sent.attached(_as_there(cached), _STATE, ("there",)).absent("there"), "min", "last"),
        *_bound("sends", asked, "max", "last"),
        *_bound("sends once", asked, "max", "first"),
        *_bound("unasked", elected.attached(_as_there(asked), _STATE, ("there",)).absent("there"), "min", "last"),
        *_bound("never online", lost, "max", "asked"),
        *_bound("never online once", lost_once, "max", "asked"),
    ]


def _states(events: Table, lines: tuple[str, ...]) -> Table:
    """Return by tenure and state of a partition the places between which the state is printed, and how often."""
    found = events.of_lines(lines).present(*_STATE).where(leader.ne(LEADER_DURING_DELETE))
    return found.grouped(_STATE, **_BOUNDS, n=Column("count"))


def _as_there(states: Table) -> Table:
    return states.renamed(n="there")


def _never_online(events: Table, asked: Table, until: str) -> Table:
    """Return the partitions that are asked for after they were created, and did not come online."""
    created = events.of_lines(CREATED).present(*_PARTITION).grouped(_PARTITION, created=Column("max", PLACE))
    online = events.of_lines(_ONLINE_LINES).present(*_PARTITION).where(to_state("partition").eq(_ONLINE))
    came = online.grouped(_PARTITION, there=Column("count"))
    left = created.attached(came, _PARTITION, ("there",)).absent("there")
    requests = asked.grouped(_PARTITION, asked=Column("max", until))
    return requests.attached(left, _PARTITION, ("created",)).where(_created < _asked)


def _bound(kind: str, states: Table, how: Literal["min", "max", "count"], column: str) -> Iterator[Row]:
    found = states.grouped(_TENURE, at=Column(how, column)).rows()
    return (row | {"kind": kind} for row in found)


@dataclass(frozen=True)
class FollowUps:
    """`gaps`: the clusters in which a line is missing that belongs to another. `whole`: those without such a gap that
    have enough pairs of lines which belong together to show lines that are missing at random."""

    gaps: frozenset[int]
    whole: frozenset[int]


def follow_ups(rows: Iterable[Row], files: Iterable[LogFile], repeated: Collection[int] = ()) -> FollowUps:
    """Return the pairs in rows of `shown`, each of other partitions; `files` are their files, `repeated` those with
    lines that stand twice.
    """
    ordered = streams(tuple(files))
    tenures: dict[tuple[int, ...], dict[str, int]] = defaultdict(dict)
    for row in rows:
        own, kind, at = tenures[tuple(row[name] for name in _TENURE)], row["kind"], row["at"]
        own[kind] = _MERGED[kind](own[kind], at) if kind in own else at
    pairs: Counter[int] = Counter()
    for (stream, *_), own in tenures.items():
        pairs[ordered[stream][0].cluster] += own.get("pairs", 0)
    speaking = Counter(stream for stream, _ in {key[:2] for key, own in tenures.items() if "sent" in own})
    several = {stream for stream, controllers in speaking.items() if controllers > 1}
    twice = {number for number, stream in enumerate(ordered) if any(file.index in repeated for file in stream)}
    gaps = frozenset(
        ordered[stream][0].cluster
        for (stream, *_), own in tenures.items()
        if _is_missing(own, counted=stream not in several, twice=stream in twice)
    )
    return FollowUps(gaps, frozenset(cluster for cluster, n in pairs.items() if n >= _MANY) - gaps)


def _is_missing(known: Mapping[str, int], *, counted: bool, twice: bool) -> bool:
    """Return whether a line about a state is missing.

    Args:
        known: what `shown` has of a tenure.
        counted: a state is to be there as often as there are lines of the other kind.
        twice: lines stand twice.
    """
    once = " once" if twice else ""
    late = [kind for kind in ("unsent", *(["sent less"] if counted and not twice else [])) if kind in known]
    return (
        ("sent" in known and any(known[kind] > known["begins"] for kind in late))
        or _is_before("uncached", f"taken{once}", known)
        or _is_before("unasked", f"sends{once}", known)
        or f"never online{once}" in known
    )


def _is_before(one: str, other: str, known: Mapping[str, int]) -> bool:
    return one in known and other in known and known[one] < known[other]


def pairs(evidence: Evidence) -> FollowUps:
    """Lines that belong together, of the clusters that are asked."""
    return follow_ups(evidence.facts(SIGN.name), evidence.theirs.values(), evidence.repeated)


SIGN: Sign = Sign(
    "follow-up-missing",
    "a line is missing that always stands with another",
    GAPPED,
    lambda evidence: evidence.asked & evidence.once(pairs).gaps,
    look=shown,
    lines=(*ELECTED, *LEADER_AND_ISR_SENT, *UPDATE_METADATA_SENT, *CACHED, *CREATED, *_ONLINE_LINES),
)
