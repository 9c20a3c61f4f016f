"""All that an audit found in the logs of all clusters, before it is split by cluster and narrowed for a reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ....traces.timeline import TimelineRow
from ..history.histories import Histories
from ..table.protocol import Row
from .finding import Finding
from .moves import Move
from .tally import Tally


@dataclass(frozen=True)
class Repeated:
    """How many lines of a file say what another line says of the same millisecond, and the first of them."""

    lines: int
    first: int

    @staticmethod
    def by_file(rows: Iterable[Row]) -> dict[int, Repeated]:
        """From rows (`file`, `n`, `first`), of which a file can have several."""
        found: dict[int, Repeated] = {}
        for row in rows:
            before = found.get(row["file"], Repeated(0, row["first"]))
            found[row["file"]] = Repeated(before.lines + row["n"], min(before.first, row["first"]))
        return found


@dataclass(frozen=True)
class Audited:
    """`findings` are in the order of cluster, life, controller epoch, place; `tallies` by cluster and rule.

    `repeated` is by the file's number, where lines are there more than once. `timeline` is None where it was not asked
    for.
    """

    histories: Histories
    findings: tuple[Finding, ...]
    tallies: Mapping[int, Mapping[str, Tally]]
    moves: tuple[Move, ...]
    repeated: Mapping[int, Repeated]
    timeline: tuple[TimelineRow, ...] | None = None
