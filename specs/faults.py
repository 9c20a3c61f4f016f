"""Known bugs of Kafka, and causes outside it, that a stack trace or a line gives away. Data: faults.toml."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from . import toml
from .errors import TableError
from .releases import span


@dataclass(frozen=True)
class KnownBug:
    """A bug of Kafka, and the signs that only it leaves in a log."""

    issue: str
    """Its number: "KAFKA-14946"."""
    meaning: str
    releases: int
    """Bitmask of the releases that have it."""
    fixed: tuple[str, ...]
    """The first releases of their lines that do not have it."""
    line: str | None
    """The row of the line table that reports it; None: any that reports a fault or a failure."""
    throwable: str | None
    """The end of the class of the first throwable after the line; None: any, or none."""
    marks: tuple[str, ...]
    """Texts that lines of the stack trace contain, the first line included: all of them are there."""
    source: str

    @property
    def advice(self) -> str:
        """The issue, and where it is fixed."""
        return f"{self.issue}, fixed in {' and '.join(self.fixed)}"

    def shows(self, line: str, trace: Sequence[str]) -> bool:
        """Return whether a line of a row, and the stack trace after it, show the bug."""
        if self.line not in (None, line):
            return False
        if self.throwable is None:
            return True
        thrown = trace[0].partition(":")[0].strip() if trace else ""
        return thrown.endswith(self.throwable) and all(any(mark in each for each in trace) for mark in self.marks)


@dataclass(frozen=True)
class Cause:
    """A cause outside Kafka's code."""

    mark: str
    """A text that the line of a failure, or its stack trace, contains."""
    means: str
    source: str


@cache
def known_bugs() -> tuple[KnownBug, ...]:
    """Return all of them, in the order of the file.

    Raises:
        TableError: a row has neither a line nor a throwable with marks, so that it would show everywhere.
    """
    found = []
    for row in toml.read(toml.FOLDER / "faults.toml")["fault"]:
        where = f"faults.toml, {row.get('issue', '?')}"
        toml.check_keys(row, where, ("issue", "meaning", "releases", "fixed", "source"), ("line", "throwable", "marks"))
        if "line" not in row and not ("throwable" in row and row.get("marks")):
            raise TableError(f"{where}: expected a line, or a throwable with marks")
        found.append(
            KnownBug(
                row["issue"],
                row["meaning"],
                span(row["releases"]),
                tuple(row["fixed"]),
                row.get("line"),
                row.get("throwable"),
                tuple(row.get("marks", ())),
                row["source"],
            )
        )
    return tuple(found)


def known_bug(line: str, trace: Sequence[str]) -> KnownBug | None:
    """Return the bug that a line of a row, and the stack trace after it, show; None if it is none that is known."""
    return next((each for each in known_bugs() if each.shows(line, trace)), None)


@cache
def causes() -> tuple[Cause, ...]:
    """Return all causes, in the order of the file."""
    found = []
    for row in toml.read(toml.FOLDER / "faults.toml")["cause"]:
        toml.check_keys(row, f"faults.toml, {row.get('mark', '?')}", ("mark", "means", "source"))
        found.append(Cause(row["mark"], row["means"], row["source"]))
    return tuple(found)


def cause_of(texts: Sequence[str]) -> str | None:
    """Return the meaning of the first cause whose mark is in one of the texts of a failure; None if there is none."""
    return next((each.means for each in causes() if any(each.mark in text for text in texts)), None)
