"""Names that two topics have at once: lines of several clusters or brokers are mixed."""

from __future__ import annotations

from collections.abc import Iterator

from ...history.doubts import MIXED
from ...observe.broker.hosted import HOSTED_LINES
from ...observe.broker.metadata import CACHED_LINES
from ...observe.broker.topic_ids import names_shared, taken_twice
from ..evidence import Evidence
from ..sign import Counts, Partitions, Sign

_SHARED, _TWICE = "shared", "twice"
_SEVERAL = 2


def _shared(seen: Partitions) -> Counts:
    return ((row["cluster"], _SHARED, row["n"]) for row in names_shared(seen.inputs[HOSTED_LINES]))


def _twice(seen: Partitions) -> Counts:
    if seen.concerned is None:
        return
    for lines in (HOSTED_LINES, CACHED_LINES):
        yield from ((row["cluster"], _TWICE, row["n"]) for row in taken_twice(seen.concerned[lines]))


def _of_two(evidence: Evidence) -> Iterator[int]:
    return (cluster for cluster, n in evidence.numbers.items() if n[_SHARED])


def _of_two_states(evidence: Evidence) -> Iterator[int]:
    return (cluster for cluster, n in evidence.numbers.items() if n[_TWICE] >= _SEVERAL)


SIGN = Sign(
    "name-shared",
    "a broker has two topics of one name, and deleted neither",
    MIXED,
    _of_two,
    counted=_shared,
)
TWICE = Sign(
    "taken-twice",
    "a broker takes two states of one partition from one request, several times",
    MIXED,
    _of_two_states,
    counted=_twice,
)
