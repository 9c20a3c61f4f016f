"""Evidence for signs: counts of a look at all partitions, claims, and a second look at partitions if it is due."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as of_object
from functools import cached_property, partial
from typing import Any, TypeVar, cast

from ....model.expr import field
from ....model.sorts import Int
from ..files.file import LogFile
from ..files.log import Look
from ..history.doubts import NO_DOUBT, Doubts, raised
from ..history.spans import LINES_PER_FILE, Span
from ..history.streams import streams
from ..sources.source import Source
from ..table.protocol import Row, Table
from .sign import PLACE, STREAM, Counts, LookOfSign, Partitions, Sign

_Made = TypeVar("_Made")
CONTRADICTED, UNMOVED, MOVES = "contradicted", "unmoved", "moves"
"""Counted: states that nothing led to though a missing line would explain them; start-ups that moved nothing; moves."""
_RARE = 10_000
"""The number of moves of which one contradiction may be a fault of the controller, whatever the total."""


@dataclass(frozen=True)
class Evidence:
    """All that the signs of an audit are looked for in."""

    signs: Sequence[Sign]
    files: Mapping[int, LogFile]
    spans: Sequence[Span]
    claims: Sequence[Row]
    """Rows of the first look at all lines."""
    looked: Mapping[str, Sequence[Row]]
    """Rows of the look at all partitions, by what they are (pipeline.py)."""
    requests: Source
    over_partitions: Callable[[Look], list[Row]]
    known: Doubts = NO_DOUBT
    """Doubts that the look at partitions has taken into account."""
    _made: dict[Callable[[Evidence], Any], Any] = of_object(default_factory=dict)

    @cached_property
    def numbers(self) -> Mapping[int, Counter[str]]:
        """By cluster what the signs count in a look at partitions."""
        found: dict[int, Counter[str]] = defaultdict(Counter)
        for row in self.looked["sign"]:
            found[row["cluster"]][row["counted"]] += row["n"]
        return found

    @cached_property
    def asked(self) -> frozenset[int]:
        """Clusters that have contradictions, and more of them than Kafka makes: signs look at their lines."""
        return frozenset(
            cluster
            for cluster, n in self.numbers.items()
            if (faults := n[CONTRADICTED] + n[UNMOVED]) and faults * _RARE >= n[MOVES]
        )

    @cached_property
    def theirs(self) -> Mapping[int, LogFile]:
        """The files of clusters that are asked."""
        return {index: file for index, file in self.files.items() if file.cluster in self.asked}

    @cached_property
    def _facts(self) -> Mapping[str, Sequence[Row]]:
        found: dict[str, list[Row]] = defaultdict(list)
        if self.theirs:
            own = [span for span in self.spans if span.file in self.theirs]
            files = [
                {"file": file.index, STREAM: number, "before": nth * LINES_PER_FILE}
                for number, stream in enumerate(streams(tuple(self.theirs.values())))
                for nth, file in enumerate(stream)
            ]
            looks = [(sign.name, sign.look, sign.lines) for sign in self.signs if sign.look is not None]
            for row in self.over_partitions(partial(_look, looks, own, files)):
                found[row["sign"]].append(row)
        return found

    def facts(self, sign: str) -> Sequence[Row]:
        """Rows of a sign's look at the lines of clusters that are asked."""
        return self._facts[sign]

    def once(self, make: Callable[[Evidence], _Made]) -> _Made:
        """Return the result of a function of this evidence, computed once for all signs."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast(_Made, self._made[make])

    @cached_property
    def repeated(self) -> frozenset[int]:
        """Files in which lines stand twice."""
        return frozenset(row["file"] for row in self.looked["repeated"])


def _look(
    looks: Sequence[tuple[str, LookOfSign, tuple[str, ...]]],
    spans: Sequence[Span],
    files: Sequence[Row],
    events: Table,
) -> list[Row]:
    placed = events.joined(files, ("file",), {STREAM: int, "before": int})
    theirs = placed.derive(**{PLACE: field("before", Int(0)) + field("line", Int(0))})
    return [row | {"sign": name} for name, look, lines in looks for row in look(theirs.of_lines(lines), spans)]


def numbers(signs: Sequence[Sign], seen: Partitions) -> list[Row]:
    """Part of the look at partitions: by cluster what the signs count."""
    found: Counter[tuple[int, str]] = Counter()
    for sign in signs:
        counts: Counts = iter(()) if sign.counted is None else sign.counted(seen)
        for cluster, counted, n in counts:
            found[cluster, counted] += n
    return [{"cluster": cluster, "counted": counted, "n": n} for (cluster, counted), n in sorted(found.items()) if n]


def raised_by(evidence: Evidence) -> Doubts:
    """The doubts that all signs raise."""
    found = NO_DOUBT
    for sign in evidence.signs:
        found |= raised(sign.effect, sign.found(evidence), sign.name)
    return found
