"""Request numbers that restart within a life of the cluster.

A controller keeps one connection to its own broker as long as it has its epoch: the correlation ids of the requests
that this broker handles rise, and no request comes twice. (For another broker they restart when that broker does.) If
they restart under the same epoch, the cluster was wiped, or lines of another cluster follow. If the histories have no
other life there, the lines with which it began are missing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .....model.expr import field
from .....model.sorts import Int
from ...fields import TENURE, controller, speaker
from ...history.doubts import GAPPED
from ...history.spans import Span
from ...lines import CACHED, LEADER_AND_ISR_RECEIVED
from ...table.protocol import Column, Row, Table
from ..sign import Sign

_LIFE = ("cluster", "life")
_REACH = ("since", "until")
"""A broker takes requests after the last line of the controller's, too."""
_REQUEST = (*_LIFE, *TENURE, "correlation_id")
_NUMBER = (*_REQUEST, "row", "topic", "partition")
_LINES = (*LEADER_AND_ISR_RECEIVED, *CACHED)
_times = field("times", Int())


def numbered(events: Table, spans: Sequence[Span]) -> list[Row]:
    """Look: by life, tenure and number of a request that a controller's own broker took, between which lines it did,
    and how often a partition took the number at another time.

    A line that stands there twice is read once, where it is first: a file that is there twice in one begins nothing.
    """
    rows = [vars(span) | {"controller_epoch": span.epoch} for span in spans]
    lines = (
        events.of_lines(_LINES)
        .present(*TENURE, "speaker", "correlation_id")
        .where(speaker.eq(controller))
        .joined(rows, TENURE, dict.fromkeys(_LIFE, int), _REACH)
        .grouped((*_NUMBER, "ts"), line=Column("min", "line"))
    )
    bounds = lines.grouped(_REQUEST, first=Column("min", "line"), last=Column("max", "line"))
    return [*bounds.rows(), *lines.grouped(_NUMBER, times=Column("count")).where(_times > 1).rows()]


def begun_anew(rows: Iterable[Row]) -> frozenset[int]:
    """The clusters in which numbers begin anew within one life, from rows of `numbered`, each of other partitions."""
    twice: set[int] = set()
    numbers: dict[tuple[Any, ...], dict[int, tuple[int, int]]] = defaultdict(dict)
    for row in rows:
        if "times" in row:
            twice.add(row["cluster"])
            continue
        own, number = numbers[tuple(row[name] for name in (*_LIFE, *TENURE))], row["correlation_id"]
        first, last = own.get(number, (row["first"], row["last"]))
        own[number] = min(first, row["first"]), max(last, row["last"])
    return frozenset(twice | {cluster for (cluster, *_), own in numbers.items() if _fall(own)})


def _fall(lines: Mapping[int, tuple[int, int]]) -> bool:
    """Return whether a number stands before the last line of a smaller one; `lines`: by number the first and last."""
    reached = 0
    for _, (first, last) in sorted(lines.items()):
        if first < reached:
            return True
        reached = max(reached, last)
    return False


SIGN: Sign = Sign(
    "requests-begin-anew",
    "the numbers of a controller's requests to its own broker begin anew, and no line says why",
    GAPPED,
    lambda evidence: evidence.asked & begun_anew(evidence.facts(SIGN.name)),
    look=numbered,
    lines=_LINES,
)
