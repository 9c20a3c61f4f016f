"""Histories are fitted to what lines claim until nothing about them changes; only then anything is judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from .files.log import Log, Read
from .history.claims import Cut, controllers
from .history.histories import Histories, histories
from .history.spans import Span
from .history.wipes import wipes
from .observe.controller.moves import PARTITION_MOVES, REPLICA_MOVES
from .observe.duplicates import happening_once, without_duplicates
from .observe.placed import placed
from .table.protocol import Column, Row, Table


def fitted(log: Log, read: Read, release: int | None) -> tuple[Histories, Counter[int]]:
    """The histories that explain what the lines claim: wipes that no epoch shows are found, and doubled tenures.

    And for each file how many of its lines are duplicates, in doubled tenures.
    """
    found = _without_hidden_wipes(log, read, release)
    rows = log.over_partitions(partial(_duplicates, found.spans, release))
    doubled = _doubled(rows)
    if doubled:
        found = replace(found, spans=tuple(replace(span, doubled=span.tenure in doubled) for span in found.spans))
    repeated: Counter[int] = Counter()
    for row in rows:
        if row["tenure"] in doubled:
            repeated[row["file"]] += row["duplicates"]
    return found, +repeated


def _without_hidden_wipes(log: Log, read: Read, release: int | None) -> Histories:
    """The histories, cut where the moves of epoch 1 show that the cluster was wiped though no epoch does."""

    def fit(wiped: Sequence[Cut] = ()) -> Histories:
        return histories(read.files, *controllers(read.files, read.rows, log.over_lines, wiped))

    found = fit()
    young = _young(found)
    if not young:
        return found
    wiped = wipes(partial(_moves, young, release), log.over_partitions, found.restarts)
    return fit(wiped) if wiped else found


def _young(found: Histories) -> list[Span]:
    """The spans before the last line that states epoch 1: usually the tenures of epoch 1 only.

    What makes order uncertain (times that go back, another epoch in the middle of one) can be the wipe itself; but
    there is none between two creations in one millisecond.
    """
    early = {span.tenure for span in found.spans if span.first <= found.restarts.get(span.file, 0)}
    return [
        replace(span, lossy=span.lossy and not span.disordered, block=span.whole_block, doubled=True)
        for span in found.spans
        if span.tenure in early
    ]


def _moves(spans: Sequence[Span], release: int | None, events: Table) -> dict[str, Table]:
    """The moves of each machine in these spans."""
    lines = without_duplicates(placed(events, spans, release))
    return {"partition": PARTITION_MOVES.of(lines), "replica": REPLICA_MOVES.of(lines)}


def _duplicates(spans: Sequence[Span], release: int | None, events: Table) -> list[Row]:
    """Look: by file and tenure, how many lines are of what happens once, and how many of them are duplicates."""
    lines = happening_once(placed(events, spans, release))
    return lines.grouped(("file", "tenure"), n=Column("count"), duplicates=Column("count", "duplicate")).rows()


def _doubled(rows: Sequence[Row]) -> set[int]:
    """The tenures all of whose lines are there twice: two appenders write to one file, say.

    No controller does all things twice in one millisecond, to the same end.
    """
    lines: Counter[int] = Counter()
    duplicates: Counter[int] = Counter()
    for row in rows:
        lines[row["tenure"]] += row["n"]
        duplicates[row["tenure"]] += row["duplicates"]
    return {tenure for tenure, n in lines.items() if duplicates[tenure] and 2 * duplicates[tenure] >= n}
