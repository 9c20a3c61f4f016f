"""Which Kafka releases can be recorded and what each needs to run on today's Java.

One row a line of releases. Tried on Java 17; the jar changes are for these reasons:

* ZooKeeper's client 3.4.11 to 3.4.14 never connects on Java >= 14, so its jars are those of 3.5.10 there;
* 0.9 to 0.11 use javax.xml.bind, which left Java in 11;
* log4j 1.2 itself is left out everywhere: slf4j-log4j12 1.7.36 brings reload4j, the same with its holes closed.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from .errors import RecordError

JAXB = "javax.xml.bind:jaxb-api:2.3.1"
ZOOKEEPER = "org.apache.zookeeper:zookeeper:3.5.10"
LOGGING = "org.slf4j:slf4j-log4j12:1.7.36"


@dataclass(frozen=True)
class Line:
    """Releases that are installed alike: `0.11` stands for 0.11.0.0 to 0.11.0.2."""

    name: str
    patches: tuple[str, ...]
    scala: str
    more: tuple[str, ...] = ()
    """Maven coordinates beside Kafka's own; a newer version of one of Kafka's own replaces it."""

    @property
    def zookeeper_swapped(self) -> bool:
        return ZOOKEEPER in self.more


def _line(name: str, last: int, scala: str, *more: str) -> Line:
    return Line(name, tuple(f"{name}.{patch}" for patch in range(last + 1)), scala, more)


LINES = (
    _line("0.9.0", 1, "2.11", ZOOKEEPER, JAXB),
    _line("0.10.0", 1, "2.11", ZOOKEEPER, JAXB),
    _line("0.10.1", 1, "2.11", ZOOKEEPER, JAXB),
    _line("0.10.2", 2, "2.11", ZOOKEEPER, JAXB),
    _line("0.11.0", 3, "2.11", ZOOKEEPER, JAXB),
    _line("1.0", 2, "2.12", ZOOKEEPER),
    _line("1.1", 1, "2.11"),
    _line("2.0", 1, "2.12", ZOOKEEPER),
    _line("2.1", 1, "2.12", ZOOKEEPER),
    _line("2.2", 2, "2.12", ZOOKEEPER),
    _line("2.3", 1, "2.12", ZOOKEEPER),
    _line("2.4", 1, "2.12"),
    _line("2.5", 1, "2.12"),
    _line("2.6", 3, "2.13"),
    _line("2.7", 2, "2.13"),
    _line("2.8", 2, "2.12"),
    _line("3.0", 2, "2.13"),
    _line("3.1", 2, "2.13"),
    _line("3.2", 3, "2.13"),
    _line("3.3", 2, "2.13"),
    _line("3.4", 1, "2.13"),
    _line("3.5", 2, "2.13"),
    _line("3.6", 2, "2.13"),
    _line("3.7", 2, "2.13"),
    _line("3.8", 1, "2.13"),
    _line("3.9", 1, "2.13"),
)
"""Releases that can be recorded with ZooKeeper."""


def key(version: str) -> tuple[int, ...]:
    """Sort key of a version: `0.10.2.2` -> (0, 10, 2, 2)."""
    return tuple(int(part) for part in version.split("."))


KRAFT_LINES = (
    *(line for line in LINES if key(line.name) >= (3, 3)),
    _line("4.0", 1, "2.13"),
    _line("4.1", 1, "2.13"),
    _line("4.2", 0, "2.13"),
)
"""Releases that can be recorded in KRaft mode."""


def span(lines: Sequence[Line]) -> str:
    """The first of their releases to the last: `0.9.0.0 to 3.9.1`."""
    return f"{lines[0].patches[0]} to {lines[-1].patches[-1]}"


def line_of(version: str) -> Line:
    """The row of a full version such as `2.0.0`; RecordError names the nearest known one otherwise."""
    for line in LINES:
        if version in line.patches:
            return line
    if version.startswith("4"):
        raise RecordError(
            f"Kafka {version} has no ZooKeeper mode; the newest release that can be recorded with it is"
            f" {LINES[-1].patches[-1]}. With --kraft it can be recorded in KRaft mode ({span(KRAFT_LINES)})."
        )
    known = [patch for line in LINES for patch in line.patches]
    near = [patch for patch in known if patch.startswith(f"{version}.")] or difflib.get_close_matches(
        version, known, n=3, cutoff=0.5
    )
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    raise RecordError(f"Kafka {version} is not among the releases that can be recorded ({span(LINES)}).{hint}")
