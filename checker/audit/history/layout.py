"""How the files of all clusters lie in their streams, and which of their lines end a block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..files.file import LogFile
from .doubts import NO_DOUBT, Doubts, TenureOfCluster
from .foreign_epochs import ForeignEpoch, foreign_epochs
from .statements import Run, RunKey, Statement
from .streams import Position, positions, streams


@dataclass(frozen=True)
class Layout:
    """The streams; and the files and their positions, both by the index of the file.

    `gapped` are the clusters of whose lines any may be missing; `beheaded` the tenures of whose first lines some are.
    `positions` have blocks that end where lines may be
    missing. In `split_positions` they end at foreign epochs too.
    """

    streams: Sequence[Sequence[LogFile]]
    files: Mapping[int, LogFile]
    positions: Mapping[int, Position]
    split_positions: Mapping[int, Position]
    foreign: Mapping[RunKey, Sequence[ForeignEpoch]]
    gapped: frozenset[int] = frozenset()
    beheaded: frozenset[TenureOfCluster] = frozenset()

    def stream(self, run: Run) -> str:
        return self.files[run.file].stream

    def lossy(self, run: Run) -> bool:
        """Whether any line of a run may be missing, or its lines are not where they were written."""
        file = self.files[run.file]
        return file.lossy is not None or file.cluster in self.gapped or run.disordered or run.inserted


def laid_out(
    files: Sequence[LogFile], statements: Mapping[int, Sequence[Statement]], doubts: Doubts = NO_DOUBT
) -> Layout:
    """The layout of all files; `statements` are by the index of a file."""
    ordered = streams(files)
    foreign = {key: found for stream in ordered for key, found in foreign_epochs(stream, statements).items()}
    cuts = {file.index: set(file.broken) for file in files}
    for each in (each for found in foreign.values() for each in found):
        cuts[each.file].add(each.line)
    return Layout(
        streams=ordered,
        files={file.index: file for file in files},
        positions=positions(ordered, {file.index: file.broken for file in files}),
        split_positions=positions(ordered, {index: sorted(lines) for index, lines in cuts.items()}),
        foreign=foreign,
        gapped=doubts.gapped,
        beheaded=doubts.beheaded,
    )
