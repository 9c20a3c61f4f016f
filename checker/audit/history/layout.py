"""The layout of all clusters' files in their streams, and the lines that end a block."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..files.file import LogFile
from ..table.protocol import Row
from .doubts import NO_DOUBT, Doubts, Stretch, TenureOfCluster
from .foreign_epochs import ForeignEpoch, foreign_epochs
from .levels import LOGGED, LevelStretch, shown
from .statements import Run, RunKey, Statement
from .streams import Position, positions, streams


@dataclass(frozen=True)
class Arrangement:
    """Files in their streams, and what of their lines is in doubt."""

    streams: Sequence[Sequence[LogFile]]
    files: Mapping[int, LogFile]
    """Files by their index."""
    positions: Mapping[int, Position]
    """By file its position, with blocks that end where lines may be missing."""
    split_positions: Mapping[int, Position]
    """The same, with blocks that end at foreign epochs too."""
    foreign: Mapping[RunKey, Sequence[ForeignEpoch]]
    gapped: frozenset[int] = frozenset()
    """Clusters any of whose lines may be missing."""
    start_missing: frozenset[TenureOfCluster] = frozenset()
    """Tenures that lack lines of their start."""
    less_logged: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)
    """By file the stretches (first, last) in which any line may be missing."""
    repeated: frozenset[int] = frozenset()
    """Files with lines that stand twice."""
    out_of_turn: frozenset[int] = frozenset()
    """Files whose lines may not be where they were written."""
    levels: Mapping[int, Mapping[int, LevelStretch]] = field(default_factory=dict)
    """By file and level the stretch of its stream in which the level is shown."""

    def stream(self, run: Run) -> str:
        return self.files[run.file].stream

    def lossy(self, run: Run) -> bool:
        """Return whether any line of a run may be missing, or its lines are not where they were written."""
        file = self.files[run.file]
        known = file.lossy is not None or file.cluster in self.gapped or run.file in self.out_of_turn
        return known or run.disordered or run.inserted

    def is_less_logged(self, file: int, line: int) -> bool:
        """Return whether a line is in a stretch in which less was logged than elsewhere in its file."""
        return any(first <= line <= last for first, last in self.less_logged.get(file, ()))


def laid_out(
    files: Sequence[LogFile],
    statements: Mapping[int, Sequence[Statement]],
    doubts: Doubts = NO_DOUBT,
    rows: Iterable[Row] = (),
) -> Arrangement:
    """Return the layout of all files; `statements` are by the index of a file, `rows` those of `claims`."""
    ordered = streams(files)
    foreign = {
        key: found for stream in ordered for key, found in foreign_epochs(stream, statements, doubts.repeated).items()
    }
    cuts = {file.index: set(file.broken) for file in files}
    for each in (each for found in foreign.values() for each in found):
        cuts[each.file].add(each.line)
    less_logged = _joined(doubts.less_logged)
    joints = {file: sorted({edge for a, b in own for edge in (a, b + 1)}) for file, own in less_logged.items()}
    return Arrangement(
        streams=ordered,
        files={file.index: file for file in files},
        positions=positions(ordered, {file.index: file.broken for file in files}, joints),
        split_positions=positions(ordered, {index: sorted(lines) for index, lines in cuts.items()}, joints),
        foreign=foreign,
        gapped=doubts.gapped,
        start_missing=doubts.start_missing,
        less_logged=less_logged,
        repeated=doubts.repeated,
        out_of_turn=doubts.out_of_turn,
        levels=_levels(ordered, rows),
    )


def _levels(ordered: Sequence[Sequence[LogFile]], rows: Iterable[Row]) -> dict[int, dict[int, LevelStretch]]:
    of_file: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        if row["kind"] == LOGGED:
            of_file[row["file"]].append(row)
    found: dict[int, dict[int, LevelStretch]] = {}
    for stream in ordered:
        places = {file.index: number for number, file in enumerate(stream)}
        own = shown((row for index in places for row in of_file[index]), places)
        found |= dict.fromkeys(places, own)
    return found


def _joined(stretches: Iterable[Stretch]) -> dict[int, list[tuple[int, int]]]:
    """Return by file its stretches in order; those that overlap or touch are joined."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for file, first, last in sorted(stretches):
        own = found[file]
        if own and first <= own[-1][1] + 1:
            own[-1] = own[-1][0], max(own[-1][1], last)
        else:
            own.append((first, last))
    return dict(found)
