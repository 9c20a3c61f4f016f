"""Lines that never stand without another: where one of the two is not there, the file itself shows a gap.

All three are asked within one file and one tenure, so that neither clocks nor files that are not there matter:

* what the controller's own broker caches of an UpdateMetadata request, the controller has sent, as often;
* what the controller sends by UpdateMetadata, its own broker caches, if it caches anything later;
* what the controller elects it sends by LeaderAndIsr, if it sends anything later.

Clean recordings and logs of real clusters have no exception, at TRACE, where these lines are. (It caches less often
than the controller sends: what it is sent while it starts, it caches once.)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..fields import LEADER_DURING_DELETE, leader
from ..lines import CACHED, ELECTED, LEADER_AND_ISR_SENT, UPDATE_METADATA_SENT
from ..table.protocol import Column, Row, Table

_KINDS: Mapping[str, tuple[str, ...]] = {
    "elected": ELECTED,
    "asked": LEADER_AND_ISR_SENT,
    "told": UPDATE_METADATA_SENT,
    "cached": CACHED,
}
_MANY = 30
_TENURE = ("file", "controller", "controller_epoch")
_STATE = ("topic", "partition", "leader", "leader_epoch", "isr")


class _Printed(NamedTuple):
    """Between which lines a state is printed, and how often."""

    first: int
    last: int
    n: int


def shown(events: Table) -> list[Row]:
    """Look: by kind, tenure and state of a partition, between which lines the state is printed."""
    return [
        row | {"kind": kind}
        for kind, lines in _KINDS.items()
        for row in events.of_lines(lines)
        .present(*_TENURE, *_STATE)
        .where(leader.ne(LEADER_DURING_DELETE))
        .grouped((*_TENURE, *_STATE), first=Column("min", "line"), last=Column("max", "line"), n=Column("count"))
        .rows()
    ]


@dataclass(frozen=True)
class FollowUps:
    """`gaps`: the files in which a line is missing that belongs to another. `whole`: the files without such a gap that
    have so many pairs of lines which belong together that lines missing at random would have shown."""

    gaps: frozenset[int]
    whole: frozenset[int]


def follow_ups(rows: Iterable[Row]) -> FollowUps:
    """What rows of `shown` tell."""
    tenures: dict[tuple[int, ...], dict[str, dict[tuple[object, ...], _Printed]]] = defaultdict(
        lambda: {kind: {} for kind in _KINDS}
    )
    for row in rows:
        states = tenures[tuple(row[name] for name in _TENURE)][row["kind"]]
        state = tuple(tuple(row[name]) if name == "isr" else row[name] for name in _STATE)
        before = states.get(state, _Printed(row["first"], row["last"], 0))
        states[state] = _Printed(min(before.first, row["first"]), max(before.last, row["last"]), before.n + row["n"])
    pairs: Counter[int] = Counter()
    for (file, *_), kinds in tenures.items():
        pairs[file] += len(kinds["told"].keys() & kinds["cached"].keys())
    gaps = frozenset(file for (file, *_), kinds in tenures.items() if any(_missing(kinds)))
    return FollowUps(gaps, frozenset(file for file, n in pairs.items() if n >= _MANY) - gaps)


def _missing(kinds: Mapping[str, Mapping[tuple[object, ...], _Printed]]) -> Iterator[tuple[object, ...]]:
    elected, asked, told, cached = (kinds[kind] for kind in _KINDS)
    begins = min((each.first for kind in ("elected", "asked", "told") for each in kinds[kind].values()), default=None)
    if told and begins is not None:
        yield from (
            state for state, at in cached.items() if at.first > begins and (state not in told or told[state].n < at.n)
        )
    for firsts, follow_ups in ((told, cached), (elected, asked)):
        ends = max((each.last for each in follow_ups.values()), default=0)
        yield from (state for state, at in firsts.items() if state not in follow_ups and at.last < ends)
