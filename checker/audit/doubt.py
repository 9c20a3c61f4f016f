"""What a look at partitions tells of how files were collected: lines that are late, lines that are missing.

A missing line is seen where an entity leaves a state that nothing led to, though lines that are not there could have
led to it. One such contradiction is a fault, under the assumption that no line is missing. Of several the likelier
cause is that lines are missing: no recording and no log of real clusters has two in one cluster that Kafka made. Then
the assumption is dropped for the whole cluster, since whoever lost lines of one file lost those of others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

from ...model.expr import Expr
from .fields import before, from_state, releases
from .history.doubts import Doubts
from .history.histories import Histories
from .rules.moves import may_precede_with_gap
from .table.protocol import Row
from .table.rows import known

_CONTRADICTED = {"replica_moves": ("KR103", "replica"), "partition_moves": ("KR104", "partition")}
_SEVERAL = 2
_RARE = 10_000
"""Of so many moves, one in contradiction may be a fault of the controller's, however many there are in all."""


def doubts(late: Sequence[Row], counts: Sequence[Row], failing: Sequence[Row], histories: Histories) -> Doubts:
    """What is to be doubted, from the tenures with late lines, counts of verdicts, and rows that some rule fails."""
    return Doubts(
        frozenset((row["file"], row["controller"], row["controller_epoch"]) for row in late),
        frozenset(_gapped(counts, failing)),
    )


def _gapped(counts: Sequence[Row], failing: Sequence[Row]) -> list[int]:
    """The clusters with several moves that missing lines would explain."""
    made: Counter[int] = Counter()
    for row in counts:
        if row["observation"] in _CONTRADICTED:
            made[row["cluster"]] += row["n"]
    found = Counter(row["cluster"] for row in failing if _for_want_of_a_line(row))
    return [cluster for cluster, n in found.items() if n >= _SEVERAL and n * _RARE >= made[cluster]]


def _for_want_of_a_line(row: Row) -> bool:
    """Whether a move is in contradiction to what came before, and missing lines would explain it."""
    if row["observation"] not in _CONTRADICTED:
        return False
    code, machine = _CONTRADICTED[row["observation"]]
    return row[code] == "illegal" and bool(known(_explained(machine))(row))


@cache
def _explained(machine: str) -> Expr:
    return releases.intersects(may_precede_with_gap(machine)[before(machine)][from_state(machine)])
