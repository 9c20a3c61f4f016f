"""What was read of files: what the audit has to know of each, what the report has to know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ....specs.machines import LEVELS
from ....traces.formats.reading import Numbering
from ....traces.place import Place

UNKNOWN_LEVEL = LEVELS.index("ERROR")
"""The level of a file that shows none: nothing below ERROR is taken to be logged. Levels are indices into LEVELS."""
CLOCK_PUT_BACK = 1_000
"""Milliseconds by which the times of a file may go back, though its lines are in order."""

OTHER_LOGS = ("server.log", "log-cleaner.log", "kafka-request.log", "kafka-authorizer.log", "kafkaServer-gc.log")
"""Files that a broker writes beside those of its controller (config/log4j.properties, bin/kafka-run-class.sh)."""
JITTER = 100
"""Milliseconds by which threads may print late."""


@dataclass(frozen=True)
class LogFile:
    """One file, as the readers saw it.

    `stream` names the log that the file is a part of, without rotation. `first_ts` is in milliseconds, as printed.
    `hour` is the first of the `hours` that it is of, counted from 1970, for a log that is rotated by the hour or by the
    day. `number` is the file's number in a rotation by size.
    `level` is the lowest that the file shows. `lossy` says why any line may be missing; None: none is. `machines`: it
    has lines of the controller's state machines. `broken` are the numbers of its lines that are not whole: others may
    be missing there. `goes_back`: its times do. `oldest` and `youngest` are the least and the greatest time.

    A file that several brokers write to is several of these, each with its lines numbered from 1: `label` says who
    writes, `numbering` where a line stands in the file; None: at its number.
    """

    index: int
    cluster: int
    path: str
    directory: str
    stream: str
    first_ts: int | None = None
    hour: int | None = None
    level: int = UNKNOWN_LEVEL
    lossy: str | None = None
    number: int | None = None
    machines: bool = True
    broken: tuple[int, ...] = ()
    goes_back: bool = False
    oldest: int | None = None
    youngest: int | None = None
    label: str = ""
    numbering: Numbering | None = None
    hours: int = 1

    def place(self, line: int) -> Place:
        """Where one of its lines stands in the file."""
        if self.numbering is None:
            return Place(self.path, line)
        number, part = self.numbering.place(line)
        return Place(self.path, number, part=part)


@dataclass(frozen=True)
class FileFacts:
    """What was read of a file.

    `coverage` counts lines per class, `rows` per row of the line table, `unknown` per template, the commonest first.
    `taught_nothing`: it has lines that may be a controller's, for all that is known, and none of them was understood.

    `label` says who writes, of a file that tells it. `read_as` are its envelopes and its layout, `unknown_layout`
    says why that is not known. `zone` is the
    writer's, in minutes east of UTC, where its lines and their envelope have times. `notes` tell what was done to its
    lines.
    """

    index: int
    cluster: int
    path: str
    lines: int
    coverage: Mapping[str, int]
    rows: Mapping[str, int]
    unknown: Mapping[str, int]
    bearing_unknown: int
    taught_nothing: bool = False
    problem: str | None = None
    lossy: str | None = None
    label: str = ""
    read_as: str | None = None
    unknown_layout: str | None = None
    zone: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """For notes: the path, and who writes."""
        return f"{self.path} ({self.label})" if self.label else self.path

    @property
    def unread(self) -> bool:
        """Nothing of it could be read: to the audit it is a file that is not there."""
        return self.problem is not None and not self.lines
