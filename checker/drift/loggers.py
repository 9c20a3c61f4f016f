"""Drift of loggers: classes that rows name by a package that they have left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...specs.lines import FAMILIES, Row, rows
from .classes import outermost, simple
from .finding import Finding
from .read import Kafka


@dataclass(frozen=True)
class Lives:
    """The places of the classes of a row's loggers in this source."""

    found: tuple[str, ...]
    """Names of loggers that print its lines here."""
    moved: tuple[tuple[str, str], ...]
    """Names in the table, with the class's name here."""


def named(row: Row, release: int) -> tuple[str, ...]:
    """Return the loggers of a row in a release."""
    return tuple(name for name, mask in row.loggers if mask & release)


def covers(logger: str, name: str) -> bool:
    """Return whether a logger's name in a row covers this one: itself, a class within it, or a member of its family."""
    family = next((family for family in FAMILIES if logger.startswith(family)), None)
    return f"{name}.".startswith((f"{logger}.", f"{logger}$", *((family,) if family else ())))


def is_class(logger: str) -> bool:
    """Return whether the name is that of a class, not of a package or of a logger with a name of its own."""
    return logger.rsplit(".", 1)[-1][:1].isupper()


def index(kafka: Kafka) -> Mapping[str, tuple[str, ...]]:
    """Return the names of classes that print, by their simple names."""
    found: dict[str, set[str]] = defaultdict(set)
    for name in (*kafka.with_logger, *_inheriting(kafka)):
        found[simple(name)].add(name)
    return {name: tuple(sorted(names)) for name, names in found.items()}


def _inheriting(kafka: Kafka) -> Iterator[str]:
    """Yield classes that print by inheritance."""
    waiting, seen = [simple(name) for name in kafka.with_logger], set()
    while waiting:
        parent = waiting.pop()
        if parent in seen:
            continue
        seen.add(parent)
        for name in kafka.heirs.get(parent, ()):
            yield name
            waiting.append(simple(name))


def lives(row: Row, release: int, kafka: Kafka, printing: Mapping[str, tuple[str, ...]]) -> Lives:
    """Return the places of the classes of a row's loggers."""
    found: list[str] = []
    moved: list[tuple[str, str]] = []
    outer = kafka.outer
    for logger in named(row, release):
        if not is_class(logger):
            found.append(logger)
            continue
        here = printing.get(simple(logger), ())
        homes = sorted({outermost(name) for name in here})
        if outermost(logger) in homes:
            found.append(logger)
        elif homes:  # a remainder under the old name, such as an object of Scala, prints nothing
            moved += [(logger, name) for name in homes]
        elif outermost(logger) in outer:
            found.append(logger)
    return Lives(tuple(found), tuple(moved))


def moved(release: int, kafka: Kafka, printing: Mapping[str, tuple[str, ...]]) -> Iterator[Finding]:
    """Yield a finding for each logger that moved, with the rows whose lines are lost by it.

    For an irrelevant row, only lines that no other row covers are lost.
    """
    lost: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows().values():
        if row.releases & release:
            known = named(row, release)
            for old, new in lives(row, release, kafka, printing).moved:
                if not any(covers(logger, new) for logger in known):
                    lost[old, new].append(row)
    for (old, new), those in lost.items():
        bearing = [row for row in those if row.bears]
        if bearing:
            roles = ", ".join(f"{row.id} ({row.role})" for row in bearing)
            yield Finding("logger", 0, old, f"is {new}; lost: {roles}", True)
        elif not _taken(new, release):
            ids = ", ".join(row.id for row in those)
            yield Finding("logger", 1, old, f"is {new}; its lines are unknown (irrelevant: {ids})", False)


def _taken(name: str, release: int) -> bool:
    """Return whether any row's logger covers this name."""
    return any(
        covers(logger, name) for row in rows().values() if row.releases & release for logger in named(row, release)
    )
