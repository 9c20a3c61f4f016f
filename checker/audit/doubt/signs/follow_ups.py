"""Lines that never stand alone: if one of a pair is missing, the file itself shows a gap.

Each pair is looked for within one stream and one tenure, so neither clocks nor missing files matter:

* The controller has sent, by UpdateMetadata, whatever its own broker caches, and as often, unless several brokers may
  speak in the stream.
* Its own broker caches whatever the controller sends by UpdateMetadata, if it caches anything that was sent later. A
  broker takes requests in turn, but refuses those under way once another controller has sent it a later epoch.
* The controller sends, by LeaderAndIsr, whatever it elects, if it sends anything later.
* The controller has brought online whatever it creates and then sends by LeaderAndIsr.

Clean recordings and logs of real clusters have no exception at TRACE, where these lines are logged. (A broker may cache
less often than the controller sends: what it is sent while it starts, it caches once.)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ...fields import LEADER_DURING_DELETE, TENURE, leader, to_state
from ...files.file import LogFile
from ...history.doubts import GAPPED
from ...history.streams import streams
from ...lines import CACHED, CREATED, ELECTED, LEADER_AND_ISR_SENT, MOVED, UPDATE_METADATA_SENT
from ...table.protocol import Column, Row, Table
from ..evidence import Evidence
from ..sign import Sign

_KINDS: Mapping[str, tuple[str, ...]] = {
    "elected": ELECTED,
    "asked": LEADER_AND_ISR_SENT,
    "sent": UPDATE_METADATA_SENT,
    "cached": CACHED,
}
_OF_PARTITION: Mapping[str, tuple[str, ...]] = {"created": CREATED, "online": (*MOVED["partition"], *ELECTED)}
_ONLINE = "OnlinePartition"
_MANY = 30
_NOWHERE = (-1, 0)
_STATE = ("topic", "partition", "leader", "leader_epoch", "isr")


class _Printed(NamedTuple):
    """Between which lines a state is printed, as (file in its stream, line), and how often."""

    first: tuple[int, int]
    last: tuple[int, int]
    n: int


def shown(events: Table) -> list[Row]:
    """Look: by kind, tenure and state of a partition, between which lines the state is printed."""
    return [
        row | {"kind": kind}
        for kind, lines in _KINDS.items()
        for row in events.of_lines(lines)
        .present(*TENURE, *_STATE)
        .where(leader.ne(LEADER_DURING_DELETE))
        .grouped((*TENURE, *_STATE), first=Column("min", "line"), last=Column("max", "line"), n=Column("count"))
        .rows()
    ] + [row | {"kind": kind} for kind, lines in _OF_PARTITION.items() for row in _of_partition(events, kind, lines)]


def _of_partition(events: Table, kind: str, lines: tuple[str, ...]) -> list[Row]:
    """The same of what makes a partition new or online, whatever its state is then."""
    found = events.of_lines(lines).present(*TENURE, "topic")
    if kind == "online":
        found = found.where(to_state("partition").eq(_ONLINE))
    return found.grouped(
        (*TENURE, "topic", "partition"),
        first=Column("min", "line"),
        last=Column("max", "line"),
        n=Column("count"),
    ).rows()


_State = tuple[object, ...]
_Kinds = Mapping[str, Mapping[_State, _Printed]]


@dataclass(frozen=True)
class FollowUps:
    """`gaps`: the clusters in which a line is missing that belongs to another. `whole`: those without such a gap that
    have enough pairs of lines which belong together to show lines that are missing at random."""

    gaps: frozenset[int]
    whole: frozenset[int]


def follow_ups(rows: Iterable[Row], files: Iterable[LogFile], repeated: Collection[int] = ()) -> FollowUps:
    """Return the pairs in rows of `shown`; `files` are their files, `repeated` those with lines that stand twice."""
    ordered = streams(tuple(files))
    places = {file.index: (number, i) for number, stream in enumerate(ordered) for i, file in enumerate(stream)}
    tenures: dict[tuple[int, ...], dict[str, dict[_State, _Printed]]] = defaultdict(
        lambda: {kind: {} for kind in (*_KINDS, *_OF_PARTITION)}
    )
    for row in rows:
        stream, i = places[row["file"]]
        states = tenures[stream, row["controller"], row["controller_epoch"]][row["kind"]]
        names = _STATE[:2] if row["kind"] in _OF_PARTITION else _STATE
        state = tuple(tuple(row[name]) if name == "isr" else row[name] for name in names)
        first, last = (i, row["first"]), (i, row["last"])
        before = states.get(state, _Printed(first, last, 0))
        states[state] = _Printed(min(before.first, first), max(before.last, last), before.n + row["n"])
    pairs: Counter[int] = Counter()
    for (stream, *_), kinds in tenures.items():
        pairs[ordered[stream][0].cluster] += len(kinds["sent"].keys() & kinds["cached"].keys())
    speaking = Counter(stream for stream, _ in {key[:2] for key, kinds in tenures.items() if kinds["sent"]})
    several = {stream for stream, controllers in speaking.items() if controllers > 1}
    twice = {places[file][0] for file in repeated if file in places}
    gaps = frozenset(
        ordered[stream][0].cluster
        for (stream, *_), kinds in tenures.items()
        if any(_missing(kinds, counted=stream not in several, twice=stream in twice))
    )
    return FollowUps(gaps, frozenset(cluster for cluster, n in pairs.items() if n >= _MANY) - gaps)


def _missing(kinds: _Kinds, *, counted: bool, twice: bool) -> Iterator[_State]:
    """States of which a line is missing.

    Args:
        counted: a state is to be there as often as there are lines of the other kind.
        twice: lines stand twice. How often, and how late, a state is printed then shows nothing.
    """
    elected, asked, sent, cached = (kinds[kind] for kind in _KINDS)
    created, online = (kinds[kind] for kind in _OF_PARTITION)
    begins = min((each.first for kind in ("elected", "asked", "sent") for each in kinds[kind].values()), default=None)
    if sent and begins is not None:
        inside = ((state, at.n) for state, at in cached.items() if at.first > begins)
        yield from (state for state, n in inside if state not in sent or (counted and not twice and sent[state].n < n))
    took = ((sent[state], 0 if twice else at.n) for state, at in cached.items() if state in sent)
    taken = max((_sent(at, n) for at, n in took), default=_NOWHERE)
    until = {state: at.first if twice else at.last for state, at in asked.items()}
    sends = max(until.values(), default=_NOWHERE)
    for firsts, follow_ups, ends in ((sent, cached, taken), (elected, asked, sends)):
        yield from (state for state, at in firsts.items() if state not in follow_ups and at.last < ends)
    new = {partition: at.last for partition, at in created.items() if partition not in online}
    yield from (state for state, last in until.items() if state[:2] in new and new[state[:2]] < last)


def _sent(sent: _Printed, n: int) -> tuple[int, int]:
    """Return the earliest place where a state was sent that is cached n times."""
    return sent.last if n >= sent.n else sent.first


def pairs(evidence: Evidence) -> FollowUps:
    """Lines that belong together, of the clusters that are asked."""
    return follow_ups(evidence.facts(SIGN.name), evidence.theirs.values(), evidence.repeated)


SIGN: Sign = Sign(
    "follow-up-missing",
    "a line is missing that always stands with another",
    GAPPED,
    lambda evidence: evidence.asked & evidence.once(pairs).gaps,
    look=lambda events, spans: shown(events),
)
