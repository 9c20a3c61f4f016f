"""The number of times that each move of the controller's state machines was made: the numbers on a diagram's edges."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..rules.catalogue import rules
from ..table.protocol import Row

_JUDGED_BY = {"replica": "KR101", "partition": "KR102"}
"""The rule on a machine's moves; a move that it is silent on was refused, or is from an unknown state."""


@dataclass(frozen=True)
class Move:
    """A pair of states, with the number of times a cluster's logs show it; `illegal` if one of these was."""

    machine: str
    source: str
    target: str
    count: int
    illegal: bool
    cluster: int = 0


def moves(counted: Sequence[Row]) -> tuple[Move, ...]:
    """Return the moves made, by machine, cluster and states; `counted` as for tallies."""
    return tuple(move for machine in _JUDGED_BY for move in _of(machine, counted))


def _of(machine: str, counted: Sequence[Row]) -> Iterator[Move]:
    code = _JUDGED_BY[machine]
    made: dict[tuple[int, str, str], Counter[str]] = defaultdict(Counter)
    for row in (row for row in counted if row["observation"] == rules()[code].observation and row[code] != "silent"):
        made[row["cluster"], row["from_state"], row["to_state"]][row[code]] += row["n"]
    for (cluster, source, target), verdicts in sorted(made.items(), key=lambda each: each[0]):
        yield Move(machine, source, target, sum(verdicts.values()), verdicts["illegal"] > 0, cluster)
