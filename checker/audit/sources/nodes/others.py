"""Clusters that have lines of another one among nodes' lines about the metadata quorum.

* A node's wording goes from one release to another and back, in the time of two processes.
* Lines name leaders that never were voters, according to the metadata log.
* Lines print voters of two disjoint quorums.
* Ids of clusters alternate. A cluster whose disks were formatted again has one id after the other.
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
    """Return the clusters that have lines of another one among theirs, which are in the order of their files."""
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
    """The lines so far, by their wording."""

    last: dict[int, int] = field(default_factory=dict)
    """By set of releases with such a wording, the process of its last line."""
    otherwise: dict[int, int] = field(default_factory=dict)
    """By the same, the process of the last line before it whose wording none of these releases has."""

    def go_back(self, row: Row) -> bool:
        """Add the next line; return whether a line with another wording stands between it and an equally worded earlier
        one, at most one start away.
        """
        releases, process = row["releases"], row["process"]
        others = [each for each in self.last if not each & releases]
        if others:
            self.otherwise[releases] = max(self.last[each] for each in others)
        self.last[releases] = process
        return any(process - self.otherwise[each] < 2 for each in others if each in self.otherwise)


def led_by_no_voter(lines: Iterable[Row], chronicles: Mapping[int, Chronicle]) -> Iterator[int]:
    """Yield clusters with leaders that were never voters; a single such line may be a fault of its writer."""
    claims_of_strangers: Counter[int] = Counter()
    for row in claimed(lines):
        chronicle = chronicles.get(row["cluster"])
        claims_of_strangers[row["cluster"]] += (
            chronicle is not None and row["leader"] is not None and chronicle.never_votes(row["leader"])
        )
    yield from (cluster for cluster, n in claims_of_strangers.items() if n > 1)


def voters_of_two(lines: Iterable[Row]) -> Iterator[int]:
    """Yield clusters with two disjoint quorums; voters change one at a time (KIP-853)."""
    voters: dict[int, set[tuple[int, ...]]] = defaultdict(set)
    for row in lines:
        if row["row"] == STATE and row["replicas"]:
            voters[row["cluster"]].add(tuple(row["replicas"]))
    for cluster, own in voters.items():
        if any(not {*one} & {*other} for one, other in combinations(own, 2)):
            yield cluster


def ids_take_turns(lines: Iterable[Row]) -> Iterator[int]:
    """Yield clusters whose ids alternate in one file, or in all by their times; or these contradict each other."""
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
    """Return whether two orders agree on what both contain."""
    return [id for id in ids if id in others] == [id for id in others if id in ids]
