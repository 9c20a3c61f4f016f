"""Which clusters have lines of another one among those that nodes print of the metadata quorum.

* A node's wording goes from one release to another and back, in the time of two processes.
* Lines tell of leaders that never were voters, as the metadata log tells.
* Lines print voters of two quorums: none of the one is in the other.
* Ids of clusters take turns. A cluster whose disks were formatted anew has one id after the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby

from ...table.protocol import Row
from ..metadata.chronicle import Chronicle
from .raft import STATE, claimed


def of_others(lines: Sequence[Row], chronicles: Mapping[int, Chronicle]) -> set[int]:
    """The clusters among whose lines, in the order of their files, are those of another one."""
    return {
        *wordings_take_turns(lines),
        *led_by_no_voter(lines, chronicles),
        *voters_of_two(lines),
        *ids_take_turns(lines),
    }


def wordings_take_turns(lines: Iterable[Row]) -> Iterator[int]:
    walked: dict[tuple[int, int, int], _Wordings] = defaultdict(_Wordings)
    for row in lines:
        if row["node"] is not None and walked[row["cluster"], row["file"], row["node"]].go_back(row):
            yield row["cluster"]


@dataclass
class _Wordings:
    """Of the lines so far, by set of releases that have such a wording, the process of the last one; and before it the
    process of the last one that is worded otherwise, as in none of these releases."""

    last: dict[int, int] = field(default_factory=dict)
    otherwise: dict[int, int] = field(default_factory=dict)

    def go_back(self, row: Row) -> bool:
        """Take the next line: whether one stands between it and an earlier one, no more than a start away, that was
        worded otherwise than both."""
        releases, process = row["releases"], row["process"]
        others = [each for each in self.last if not each & releases]
        if others:
            self.otherwise[releases] = max(self.last[each] for each in others)
        self.last[releases] = process
        return any(process - self.otherwise[each] < 2 for each in others if each in self.otherwise)


def led_by_no_voter(lines: Iterable[Row], chronicles: Mapping[int, Chronicle]) -> Iterator[int]:
    """One such line alone may be a fault of who wrote it."""
    told: Counter[int] = Counter()
    for row in claimed(lines):
        chronicle = chronicles.get(row["cluster"])
        told[row["cluster"]] += (
            chronicle is not None and row["leader"] is not None and chronicle.never_votes(row["leader"])
        )
    yield from (cluster for cluster, n in told.items() if n > 1)


def voters_of_two(lines: Iterable[Row]) -> Iterator[int]:
    """Voters change one at a time (KIP-853)."""
    voters: dict[int, set[tuple[int, ...]]] = defaultdict(set)
    for row in lines:
        if row["row"] == STATE and row["replicas"]:
            voters[row["cluster"]].add(tuple(row["replicas"]))
    for cluster, own in voters.items():
        if any(not {*one} & {*other} for one, other in combinations(own, 2)):
            yield cluster


def ids_take_turns(lines: Iterable[Row]) -> Iterator[int]:
    """Of one file in its order, or of all by their times; or the two contradict each other."""
    named: dict[int, list[Row]] = defaultdict(list)
    for row in lines:
        if row["detail"] is not None:
            named[row["cluster"]].append(row)
    for cluster, rows in named.items():
        by_time = _in_turn(sorted((row for row in rows if row["ts"] is not None), key=lambda row: int(row["ts"])))
        orders = [by_time, *(_in_turn(own) for _, own in groupby(rows, key=lambda row: row["file"]))]
        if any(len({*ids}) < len(ids) or not _agree(ids, by_time) for ids in orders):
            yield cluster


def _in_turn(rows: Iterable[Row]) -> list[str]:
    return [id for id, _ in groupby(rows, key=lambda row: str(row["detail"]))]


def _agree(ids: Sequence[str], others: Sequence[str]) -> bool:
    """Whether two orders are the same of what is in both."""
    return [id for id in ids if id in others] == [id for id in others if id in ids]
