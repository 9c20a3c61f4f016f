"""Request numbers that begin anew within a life of the cluster.

A controller keeps one connection to its own broker as long as it has its epoch: the correlation ids of what that broker
takes from it rise, and no request comes twice. (To another broker they begin anew when that broker starts again.) If
they begin anew under the same epoch, the cluster was wiped, or lines of another cluster follow. If histories know of
no other life there, the lines with which it began are missing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ...fields import TENURE, controller, speaker
from ...history.doubts import GAPPED
from ...history.spans import Span
from ...lines import CACHED, LEADER_AND_ISR_RECEIVED
from ...table.protocol import Column, Row, Table
from ..sign import Sign

_LIFE = ("cluster", "life")
_REACH = ("since", "until")
"""A broker takes requests after the last line of the controller's, too."""
_NUMBER = (*_LIFE, *TENURE, "row", "topic", "partition", "correlation_id")
_LINE = (*_NUMBER, "ts")


def numbered(events: Table, spans: Sequence[Span]) -> list[Row]:
    """Look: by life, tenure, partition, number and time of a request that a controller's own broker took, its line.

    A line that stands there twice is read once, where it is first: a file that is there twice in one begins nothing.
    """
    rows = [asdict(span) | {"controller_epoch": span.epoch} for span in spans]
    return (
        events.of_lines((*LEADER_AND_ISR_RECEIVED, *CACHED))
        .present(*TENURE, "speaker", "correlation_id")
        .where(speaker.eq(controller))
        .joined(rows, TENURE, dict.fromkeys(_LIFE, int), _REACH)
        .grouped(_LINE, line=Column("min", "line"))
        .rows()
    )


def begun_anew(rows: Iterable[Row]) -> frozenset[int]:
    """The clusters in which numbers begin anew within one life, from rows of `numbered`, of any pieces of the files."""
    first: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        known = first.setdefault(_key(row, _LINE), row)
        if row["line"] < known["line"]:
            first[_key(row, _LINE)] = row
    times: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    numbers: dict[tuple[Any, ...], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row in first.values():
        times[_key(row, _NUMBER)].add(row["ts"])
        numbers[_key(row, (*_LIFE, *TENURE))][row["correlation_id"]].append(row["line"])
    twice = {cluster for (cluster, *_), own in times.items() if len(own) > 1}
    return frozenset(twice | {cluster for (cluster, *_), own in numbers.items() if _fall(own)})


def _key(row: Row, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def _fall(lines: Mapping[int, Sequence[int]]) -> bool:
    """Return whether a number stands before the last line of a smaller one; `lines` are by number."""
    reached = 0
    for _, own in sorted(lines.items()):
        if min(own) < reached:
            return True
        reached = max(reached, *own)
    return False


SIGN: Sign = Sign(
    "requests-begin-anew",
    "the numbers of a controller's requests to its own broker begin anew, and no line says why",
    GAPPED,
    lambda evidence: evidence.asked & begun_anew(evidence.facts(SIGN.name)),
    look=numbered,
)
