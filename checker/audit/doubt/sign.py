"""A sign: something in a log that shows how it was collected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..history.doubts import Effect
from ..history.spans import Span
from ..observe.observation import Input
from ..table.protocol import Row, Table

STREAM, PLACE = "stream", "place"
"""Columns that a look's lines also have: the number of their stream, and a number that orders the lines of a stream."""
Counts = Iterator[tuple[int, str, int]]
"""Clusters, what is counted of them, and how many there are."""
LookOfSign = Callable[[Table, Sequence[Span]], list[Row]]


class Partitions(NamedTuple):
    """The lines of some partitions, judged."""

    counts: Sequence[Row]
    """Rows of judge.counted."""
    fails: Sequence[Row]
    """Rows of judge.failing, as far as no excuse explains them."""
    inputs: Mapping[Input, Table]
    """Tables of all these partitions."""
    concerned: Mapping[Input, Table] | None
    """Tables of the partitions that have a finding; None: none has."""


@dataclass(frozen=True)
class Sign:
    """A sign, what it puts in doubt, and how it is found."""

    name: str
    shows: str
    """A description of what the log shows, as a clause for people."""
    effect: Effect
    found: Callable[[Any], Iterable[Any]]
    """From the `Evidence` of an audit to what is in doubt, each in the scope of the effect."""
    counted: Callable[[Partitions], Counts] | None = None
    """Counts, in each look at partitions, what `found` weighs."""
    look: LookOfSign | None = None
    """A look at the lines of clusters in which something is amiss: at all lines of some partitions, with `STREAM` and
    `PLACE`. Lines that name no partition are in each of these tables. A function of a module: it goes to workers.
    """
    lines: tuple[str, ...] = ()
    """The lines that the look reads, ids of rows of the line table."""
