"""The facts about the files that were read, for the audit and for the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ....specs.lines import rows
from ....specs.machines import LEVELS
from ....traces.formats.reading import Numbering
from ....traces.place import Place

UNKNOWN_LEVEL = LEVELS.index("ERROR")
"""The level of a file that shows none: nothing below ERROR counts as logged. Levels are indices into LEVELS."""
CLOCK_PUT_BACK = 1_000
"""The milliseconds by which the times of a file may go back although its lines are in order."""

OTHER_LOGS = ("server.log", "log-cleaner.log", "kafka-request.log", "kafka-authorizer.log", "kafkaServer-gc.log")
"""Files that a broker writes beside those of its controller (config/log4j.properties, bin/kafka-run-class.sh)."""
JITTER = 100
"""The milliseconds by which threads may print late."""


MOST_ENDS = 2
"""The number of lines that may be cut because a file begins or ends there."""
MOST_LOST = 0.01
"""The largest share of the lines that bear on rules that may be gaps in a file: beyond it the run is incomplete."""


@dataclass(frozen=True)
class LogFile:
    """One file, as the readers saw it.

    A file that several brokers write to becomes one of these per writer, each with its lines numbered from 1.
    """

    index: int
    cluster: int
    path: str
    directory: str
    stream: str
    """The log that the file is a part of, without rotation."""
    first_ts: int | None = None
    """The first time, in milliseconds as printed."""
    hour: int | None = None
    """The first of the `hours` that the file covers, counted from 1970, for a log that is rotated hourly or daily."""
    level: int = UNKNOWN_LEVEL
    """The lowest level that the file shows."""
    lossy: str | None = None
    """The reason why any line may be missing; None: none is."""
    number: int | None = None
    """The file's number in a rotation by size."""
    machines: bool = True
    """True if it has lines of the controller's state machines."""
    broken: tuple[int, ...] = ()
    """The numbers of its broken lines: others may be missing there."""
    goes_back: bool = False
    """True if its times go back."""
    oldest: int | None = None
    """The smallest time."""
    youngest: int | None = None
    """The greatest time."""
    label: str = ""
    """The writer of the lines."""
    numbering: Numbering | None = None
    """The places of the lines in the file; None: a line stands at its number."""
    hours: int = 1
    """The number of hours that the file covers."""

    def place(self, line: int) -> Place:
        """Return the place of one of its lines in the file."""
        if self.numbering is None:
            return Place(self.path, line)
        number, part = self.numbering.place(line)
        return Place(self.path, number, part=part)


@dataclass(frozen=True)
class LoggedError:
    """Lines of level ERROR or FATAL that nothing uses, alike but for their numbers."""

    template: str
    count: int
    first: int
    """The number of the first line."""


@dataclass(frozen=True)
class FileFacts:
    """The facts about one file for the report."""

    index: int
    cluster: int
    path: str
    lines: int
    coverage: Mapping[str, int]
    """The number of lines of each class."""
    rows: Mapping[str, int]
    """The number of lines of each row of the line table."""
    unknown: Mapping[str, int]
    """The number of lines of each unknown template, the most frequent first."""
    bearing_unknown: int
    taught_nothing: bool = False
    """True if it has lines that may be a controller's, and none of them was understood."""
    problem: str | None = None
    lossy: str | None = None
    label: str = ""
    """The writer, if the file shows it."""
    read_as: str | None = None
    """Its envelopes and its layout."""
    unknown_layout: str | None = None
    """The reason why its layout is not known."""
    zone: int | None = None
    """The writer's time zone in minutes east of UTC, where both its lines and their envelope have times."""
    notes: tuple[str, ...] = ()
    """Notes on how its lines were processed."""
    resembling: int = 0
    """The number of lines that begin as lines that bear on a rule do, but were not understood: each is a gap."""
    errors: tuple[LoggedError, ...] = ()
    """The lines of level ERROR or FATAL that nothing uses."""

    @property
    def bearing(self) -> int:
        """The number of lines that bear on rules and were understood."""
        return sum(n for row, n in self.rows.items() if (known := rows().get(row)) is not None and known.bears)

    @property
    def much_lost(self) -> bool:
        """True if more of the lines that bear on rules were not understood than a file may lack at its ends."""
        lost = self.resembling
        return lost > MOST_ENDS and lost > MOST_LOST * (self.bearing + self.bearing_unknown + lost)

    @property
    def name(self) -> str:
        """The file's name in notes: the path, and the writer."""
        return f"{self.path} ({self.label})" if self.label else self.path

    @property
    def unread(self) -> bool:
        """True if nothing could be read: to the audit such a file does not exist."""
        return self.problem is not None and not self.lines
