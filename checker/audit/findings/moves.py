"""The number of times that each move of the controller's state machines was made: the numbers on a diagram's edges."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ....model.expr import field
from ....model.sorts import Int
from ....traces.place import Place
from ..files.file import LogFile
from ..rules.catalogue import rules
from ..rules.verdicts import SILENT, VERDICT
from ..table.protocol import Column, Row, Table

_JUDGED_BY = {"replica": "KR101", "partition": "KR102"}
"""The rule on a machine's moves; a move that it is silent on was refused, or is from an unknown state."""
SHOWN = 5
"""The first lines of a move that are shown."""
_PAIR = ("cluster", "from_state", "to_state")
_PLACE = ("file", "line")


@dataclass(frozen=True)
class Move:
    """A pair of states, with the number of times a cluster's logs show it; `illegal` if one of these was."""

    machine: str
    source: str
    target: str
    count: int
    illegal: bool
    cluster: int = 0
    first_lines: tuple[Place, ...] = ()
    """The first lines that show it, if they were requested."""


def first_lines(judged: Mapping[str, Table]) -> list[Row]:
    """Return the first lines that show each move of some partitions: rows with the `machine`, the states, the place."""
    found: list[Row] = []
    for machine, code in _JUDGED_BY.items():
        made = judged[rules()[code].observation].where(field(code, VERDICT).ne(SILENT))
        numbered = made.along(_PAIR, _PLACE, number=Column("so_far"))
        rows = numbered.where(field("number", Int()) < SHOWN).rows()
        found += [{"machine": machine, **{name: row[name] for name in (*_PAIR, *_PLACE)}} for row in rows]
    return found


def moves(counted: Sequence[Row], lines: Iterable[Row], files: Mapping[int, LogFile]) -> tuple[Move, ...]:
    """Return the moves made, by machine, cluster and states; `counted` as for tallies, `lines` those of parts."""
    places: dict[tuple[str, int, str, str], list[tuple[int, int]]] = defaultdict(list)
    for row in lines:
        places[row["machine"], row["cluster"], row["from_state"], row["to_state"]].append((row["file"], row["line"]))
    return tuple(
        replace(move, first_lines=tuple(files[file].place(line) for file, line in shown))
        for machine in _JUDGED_BY
        for move in _of(machine, counted)
        for shown in [sorted(places[machine, move.cluster, move.source, move.target])[:SHOWN]]
    )


def _of(machine: str, counted: Sequence[Row]) -> Iterator[Move]:
    code = _JUDGED_BY[machine]
    made: dict[tuple[int, str, str], Counter[str]] = defaultdict(Counter)
    for row in (row for row in counted if row["observation"] == rules()[code].observation and row[code] != "silent"):
        made[row["cluster"], row["from_state"], row["to_state"]][row[code]] += row["n"]
    for (cluster, source, target), verdicts in sorted(made.items(), key=lambda each: each[0]):
        yield Move(machine, source, target, sum(verdicts.values()), verdicts["illegal"] > 0, cluster)
