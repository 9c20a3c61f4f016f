"""Kafka releases that can be recorded, and the requirements of each on today's Java.

The releases themselves, with their modes, are rows of specs/releases.toml; the tables here say how they are installed.
They were tried on Java 17; the jar changes have these reasons:

* ZooKeeper's client 3.4.11 to 3.4.14 never connects on Java >= 14, so its jars are those of 3.5.10 there;
* 0.9 to 0.11 use javax.xml.bind, which left Java in 11;
* the tool that dumps a log left Kafka's core in 4.3, so its jar is not a dependency of core's;
* log4j 1.2 itself is left out everywhere: slf4j-log4j12 1.7.36 brings reload4j, the same with its holes closed.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from ...specs.releases import ALL, RELEASES, Release, check_cover, in_mode, span
from .errors import RecordError

ZOOKEEPER = "org.apache.zookeeper:zookeeper:3.5.10"
LOGGING = "org.slf4j:slf4j-log4j12:1.7.36"

_RECORDED = {"zk": span(">=0.9"), "kraft": span(">=3.3")}
"""Releases that the recorder can start, by mode."""
_SCALA = (
    ("<=0.11, 1.1", "2.11"),
    ("1.0, 2.0-2.5, 2.8", "2.12"),
    ("2.6-2.7, >=3.0", "2.13"),
)
"""The Scala version of the build that is used, by release."""
_MORE = (
    ("<=1.0, 2.0-2.3", ZOOKEEPER),
    ("<=0.11", "javax.xml.bind:jaxb-api:2.3.1"),
    (">=4.3", "org.apache.kafka:kafka-tools:{kafka}"),
)
"""Jars in addition to the dependencies of Kafka's core; a newer version of one of these replaces it."""
_DUMP_TOOL = (
    ("<=4.2", "kafka.tools.DumpLogSegments"),
    (">=4.3", "org.apache.kafka.tools.DumpLogSegments"),
)
"""The main class of the tool that dumps a log."""


@dataclass(frozen=True)
class Line:
    """Releases that are installed alike: `0.11.0` stands for 0.11.0.0 to 0.11.0.3."""

    name: str
    patches: tuple[str, ...]
    scala: str
    dump_tool: str
    """The main class of Kafka's DumpLogSegments."""
    more: tuple[str, ...] = ()
    """Maven coordinates in addition to Kafka's own; a newer version of one of Kafka's own replaces it."""

    @property
    def zookeeper_swapped(self) -> bool:
        return ZOOKEEPER in self.more

    def coordinates(self, version: str) -> tuple[str, ...]:
        """Maven coordinates of all that is installed for a release of the line, Kafka's core first."""
        more = (each.format(kafka=version) for each in self.more)
        return f"org.apache.kafka:kafka_{self.scala}:{version}", LOGGING, *more


def _of(table: Sequence[tuple[str, str]], row: Release) -> tuple[str, ...]:
    """Return the values of a table that hold for a release."""
    return tuple(value for releases, value in table if span(releases) & row.mask)


def _line(row: Release) -> Line:
    (scala,), (dump_tool,) = _of(_SCALA, row), _of(_DUMP_TOOL, row)
    return Line(row.name, row.tags, scala, dump_tool, _of(_MORE, row))


def _lines(mode: str) -> tuple[Line, ...]:
    return tuple(_line(row) for row in RELEASES if row.mask & _RECORDED[mode] & in_mode(mode))


for _name, _table in (("versions of Scala", _SCALA), ("dump tools", _DUMP_TOOL)):
    check_cover((span(releases) for releases, _ in _table), ALL, f"record/releases.py, {_name}")

LINES = _lines("zk")
"""Releases that can be recorded with ZooKeeper."""
KRAFT_LINES = _lines("kraft")
"""Releases that can be recorded in KRaft mode."""


def key(version: str) -> tuple[int, ...]:
    """Sort key of a version: `0.10.2.2` -> (0, 10, 2, 2)."""
    return tuple(int(part) for part in version.split("."))


def first_to_last(lines: Sequence[Line]) -> str:
    """Return the first of their releases and the last as text: `0.9.0.0 to 3.9.2`."""
    return f"{lines[0].patches[0]} to {lines[-1].patches[-1]}"


def line_of(version: str) -> Line:
    """Return the row of a full version such as `2.0.0`; RecordError names the nearest known one otherwise."""
    for line in LINES:
        if version in line.patches:
            return line
    if any(version in line.patches for line in KRAFT_LINES):
        raise RecordError(
            f"Kafka {version} has no ZooKeeper mode; the newest release that can be recorded with it is"
            f" {LINES[-1].patches[-1]}. With --kraft it can be recorded in KRaft mode ({first_to_last(KRAFT_LINES)})."
        )
    known = [patch for line in LINES for patch in line.patches]
    near = [patch for patch in known if patch.startswith(f"{version}.")] or difflib.get_close_matches(
        version, known, n=3, cutoff=0.5
    )
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    raise RecordError(f"Kafka {version} is not among the releases that can be recorded ({first_to_last(LINES)}).{hint}")
