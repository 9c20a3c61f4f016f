"""Histories of all clusters, from their files' statements about controller epochs.

A *tenure* is one controller's time as controller under one epoch. A *life* is one history of a cluster, from its
creation to its wipe; a file continues after a wipe, so one file can hold several. A history is built in steps:

1. The files of each stream are put in order, and their lines into blocks (streams.py).
2. Lines are found in which a controller reports another's epoch within its own run (foreign_epochs.py, layout.py).
3. Each stream is walked once: it shows one local history of each life (walk.py, local_histories.py).
4. Local histories of several streams that agree are joined to lives (lives.py).
5. The runs of a life make tenures; for each it is decided which streams to read, so that copies are read once
(tenures.py, copies.py).
6. For each tenure, the logged level is found, and the epoch since which everything is available (completeness.py).
7. The runs that are read become spans: the lines of a file, with everything that rules need to know about them
(spans.py).
8. Each broker's lines about its own replicas are one journal, cut into processes (journals.py).

All of this is plain Python over few rows, the same for every engine. Order is the position in a file, and of a file in
its stream. Clocks of two brokers are never compared. The result has these properties:

* Within a life an epoch has one controller. Statements that contradict this are in two lives.
* A block is a stretch of a stream from which no line is missing. No two streams have a block in common.
* `known_since` of an epoch is at most the epoch if all of its tenure is available, and the epoch plus one if not.
* A life needs evidence to be called new: epoch 1 again with partitions created under it, or a wipe that `claims.wipes`
  found. Without it a controller's fall to an earlier epoch is kept as an `EpochChange` that rules judge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..files.file import LogFile
from ..table.protocol import Row
from .doubts import NO_DOUBT, Doubts
from .journals import NO_JOURNALS, Journals, journals
from .layout import Arrangement, laid_out
from .lives import Note, lives
from .spans import LINES_PER_FILE, Span, reaching, spans_of_life
from .statements import BrokerReport, Run, Statement, by_file
from .tenures import JoinedLife, with_tenures
from .walk import EpochChange, walk

DISORDERED = "its times go back: files were not joined in the order in which they were written; lines may be missing"
_MOST_NAMED = 3
GAPPED = (
    "lines contradict each other repeatedly: some are missing, or belong to another cluster; any line may be missing"
)

QUIET = (
    "brokers act on requests without a line that they received them, though there are such lines for others: the level"
    " was changed, or lines are missing; controllers' lines there are judged as if any line may be missing"
)

OUT_OF_TURN = (
    "a broker handles requests of one controller in another order than they were sent: lines are missing, or not where"
    " they were written (a clock was set back, and lines were sorted by their times)"
)


@dataclass(frozen=True)
class Life:
    """One history of a cluster."""

    life: int
    cluster: int
    epochs: Mapping[int, int]
    """The controller of each epoch."""
    files: tuple[int, ...]
    """The files that state it."""
    why: str
    """The reason why it begins."""


@dataclass(frozen=True)
class Histories:
    """All clusters' spans, lives, changes of epoch and notes."""

    spans: tuple[Span, ...]
    lives: tuple[Life, ...]
    epoch_changes: tuple[EpochChange, ...]
    notes: tuple[Note, ...]
    restarts: Mapping[int, int] = field(default_factory=dict)
    """For each file the last line that states epoch 1, the first of a life; no entry if none does."""
    journals: Journals = NO_JOURNALS


def histories(
    files: Sequence[LogFile],
    runs: Iterable[Run],
    reports: Iterable[BrokerReport],
    doubts: Doubts = NO_DOUBT,
    rows: Sequence[Row] = (),
) -> Histories:
    """Return the histories of all clusters; `runs` and `reports` are their files' statements, `rows` are those of
    `wrote`.
    """
    runs = tuple(runs)
    statements = by_file(runs, reports)
    layout = laid_out(files, statements, doubts, rows)
    walked = [
        walk(stream, statements, layout.positions, mixed=stream[0].cluster in doubts.mixed) for stream in layout.streams
    ]
    groups, kept_apart = lives([history for found, _ in walked for history in found])
    joined = with_tenures(groups, layout.files)
    written = journals(rows, layout, _only_lives(joined))
    return Histories(
        spans=tuple(reaching([span for life in joined for span in spans_of_life(life, layout)], layout)),
        lives=tuple(_life(life) for life in joined),
        epoch_changes=tuple(change for _, changes in walked for change in changes),
        notes=(
            *_disordered((run for life in joined for history in life.members for run in history.runs), layout),
            *(Note(cluster, GAPPED) for cluster in sorted(doubts.gapped)),
            *_less_logged(layout),
            *(
                Note(layout.files[i].cluster, f"{layout.files[i].path}: {OUT_OF_TURN}")
                for i in sorted(layout.out_of_turn)
            ),
            *kept_apart,
            *_copies(joined),
            *written.notes,
        ),
        restarts=_restarts(statements),
        journals=written,
    )


def _life(life: JoinedLife) -> Life:
    epochs: dict[int, int] = {}
    for history in life.members:
        epochs |= history.controllers
    files = sorted(set().union(*(history.files for history in life.members)))
    return Life(life.number, life.cluster, dict(sorted(epochs.items())), tuple(files), life.members[0].why)


def _only_lives(lives: Sequence[JoinedLife]) -> dict[int, int]:
    """Return by cluster its life, if it has only one: no line of a broker shows which of several it belongs to."""
    several = Counter(life.cluster for life in lives)
    return {life.cluster: life.number for life in lives if several[life.cluster] == 1}


def _disordered(runs: Iterable[Run], layout: Arrangement) -> list[Note]:
    files = [layout.files[index] for index in sorted({run.file for run in runs if run.disordered or run.inserted})]
    return [Note(file.cluster, f"{file.path}: {DISORDERED}") for file in files]


def _less_logged(layout: Arrangement) -> list[Note]:
    """Return a note on each file that has stretches in which less was logged than elsewhere."""
    notes = []
    for index, own in sorted(layout.less_logged.items()):
        file = layout.files[index]
        where = ", ".join(f"{a} to {b}" if b < LINES_PER_FILE else f"from {a} on" for a, b in own[:_MOST_NAMED])
        more = f" and {len(own) - _MOST_NAMED} more stretches" if len(own) > _MOST_NAMED else ""
        notes.append(Note(file.cluster, f"{file.path}: lines {where}{more}: {QUIET}"))
    return notes


def _copies(joined: Iterable[JoinedLife]) -> list[Note]:
    """Return a note on each copy that is not read."""
    notes = (
        Note(life.cluster, f"{copy.stream}: repeats {copy.original}, so it is not read again")
        for life in joined
        for tenure in life.tenures.values()
        for copy in tenure.order.copies
    )
    return list(dict.fromkeys(notes))


def _restarts(statements: Mapping[int, Sequence[Statement]]) -> dict[int, int]:
    last = {file: [each.last for each in own if each.epoch == 1] for file, own in statements.items()}
    return {file: max(lines) for file, lines in last.items() if lines}
