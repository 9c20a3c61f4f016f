"""What a look at partitions tells of how files were collected: lines that are late, lines that are missing.

A missing line is seen where an entity leaves a state that nothing led to, though lines that are not there could have
led to it. Such a contradiction is a fault, under the assumption that no line is missing. The assumption is dropped for
the whole cluster, since whoever lost lines of one file lost those of others,

* where files show otherwise that they were collected carelessly: lines are cut, late, there twice, or lack another
  that belongs to them (history/follow_ups.py);
* where there are several contradictions: no log of a real cluster that we know has two that Kafka made. If all lines
  that belong together are together, it takes more of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache

from ...model.expr import Expr
from .fields import before, from_state, releases
from .files.file import LogFile
from .history.doubts import Doubts
from .history.follow_ups import follow_ups, shown
from .rules.moves import may_precede_with_gap
from .table.protocol import Row, Table
from .table.rows import known

OverLines = Callable[[Callable[[Table], list[Row]], Collection[int]], list[Row]]
"""Gives what a look gives of the lines of some files."""
_CONTRADICTED = {"replica_moves": ("KR103", "replica"), "partition_moves": ("KR104", "partition")}
_CONTRADICTIONS = ("moves", "contradicted", "unmoved")
_SEVERAL = 2
_RARE = 10_000
"""Of so many moves, one in contradiction may be a fault of the controller's, however many there are in all."""
_MOST = 100
"""The same, where all lines that belong together are there."""


def doubts(looked: Mapping[str, Sequence[Row]], files: Mapping[int, LogFile], over_lines: OverLines) -> Doubts:
    """What is to be doubted, from what a look at all partitions gave (pipeline.py); `files` are by their index."""
    moves, contradicted, unmoved = (_of_cluster(looked["contradiction"], name) for name in _CONTRADICTIONS)
    careless = {files[row["file"]].cluster for row in (*looked["late"], *looked["repeated"])}
    careless |= {file.cluster for file in files.values() if file.broken}
    asked = {cluster for cluster, n in (contradicted + unmoved).items() if n * _RARE >= moves[cluster]}
    theirs = {index: file for index, file in files.items() if file.cluster in asked}
    pairs = follow_ups(over_lines(shown, theirs) if theirs else (), theirs.values())
    gapped = asked & pairs.gaps
    for cluster in asked & contradicted.keys() - gapped:
        n = contradicted[cluster]
        if cluster in careless or n >= (max(_SEVERAL, moves[cluster] / _MOST) if cluster in pairs.whole else _SEVERAL):
            gapped.add(cluster)
    late = frozenset((row["file"], row["controller"], row["controller_epoch"]) for row in looked["late"])
    return Doubts(late, frozenset(gapped))


def contradictions(counts: Sequence[Row], fails: Sequence[Row]) -> list[Row]:
    """Near the data: by cluster, how many moves there are, and how many faults that a missing line may explain."""
    found: dict[str, Counter[int]] = {name: Counter() for name in _CONTRADICTIONS}
    for row in counts:
        if row["observation"] in _CONTRADICTED:
            found["moves"][row["cluster"]] += row["n"]
    for row in fails:
        found["contradicted"][row["cluster"]] += _for_want_of_a_line(row)
        found["unmoved"][row["cluster"]] += _for_want_of_a_move(row)
    clusters = sorted({cluster for each in found.values() for cluster in each})
    return [{"cluster": one, **{name: each[one] for name, each in found.items()}} for one in clusters]


def _of_cluster(rows: Iterable[Row], name: str) -> Counter[int]:
    total = Counter[int]()
    for row in rows:
        total[row["cluster"]] += row[name]
    return +total


def _for_want_of_a_line(row: Row) -> bool:
    """Whether a move is in contradiction to what came before, and missing lines would explain it."""
    if row["observation"] not in _CONTRADICTED:
        return False
    code, machine = _CONTRADICTED[row["observation"]]
    return bool(row["rule"] == code and row["verdict"] == "illegal" and known(_explained(machine))(row))


@cache
def _explained(machine: str) -> Expr:
    return releases.intersects(may_precede_with_gap(machine)[before(machine)][from_state(machine)])


def _for_want_of_a_move(row: Row) -> bool:
    """Whether a fault is that some replica was not moved."""
    return bool(row["rule"] == "KR401" and row["verdict"] == "illegal")
