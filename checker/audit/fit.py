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
from .observe import tracks
from .observe.placed import in_place
from .table.protocol import Column, Row, Table


def fitted(log: Log, read: Read, release: int | None) -> tuple[Histories, Counter[int]]:
    """The histories that explain what the lines claim: wipes that no epoch shows are found, and what is printed twice.

    And per file how many lines repeat another one, where all is printed twice.
    """

    def fit(wiped: Sequence[Cut] = ()) -> Histories:
        return histories(read.files, *controllers(read.files, read.rows, log.over_lines, wiped))

    found = fit()
    # Before the last line that speaks of epoch 1: usually the tenures of epoch 1 only.
    early = {span.tenure for span in found.spans if span.first <= found.restarts.get(span.file, 0)}
    # What makes order uncertain (times that go back, another epoch in the middle of one) can be the wipe itself; but
    # there is none between two creations in one millisecond.
    young = [
        replace(span, lossy=span.lossy and not span.disordered, block=span.whole_block, doubled=True)
        for span in found.spans
        if span.tenure in early
    ]
    if young and (cuts := wipes(partial(_moves, young, release), log.over_partitions, found.restarts)):
        found = fit(cuts)
    repeated: Counter[int] = Counter()
    rows = log.over_partitions(partial(_repeats, found.spans, release))
    doubled = _doubled(rows)
    for row in rows:
        if row["tenure"] in doubled:
            repeated[row["file"]] += row["again"]
    if doubled:
        found = replace(found, spans=tuple(replace(span, doubled=span.tenure in doubled) for span in found.spans))
    return found, +repeated


def _doubled(rows: Sequence[Row]) -> set[int]:
    """The tenures all of whose lines are there twice: two appenders write to one file, say.

    No controller does all things twice in one millisecond, to the same end.
    """
    done: Counter[int] = Counter()
    again: Counter[int] = Counter()
    for row in rows:
        done[row["tenure"]] += row["n"]
        again[row["tenure"]] += row["again"]
    return {tenure for tenure, n in done.items() if again[tenure] and 2 * again[tenure] >= n}


def _repeats(spans: Sequence[Span], release: int | None, events: Table) -> list[Row]:
    """Look: by file and tenure, how many lines tell what happens once, and how many of them repeat the one before."""
    done = tracks.done(in_place(events, spans, release))
    return done.grouped(("file", "tenure"), n=Column("count"), again=Column("count", "again")).rows()


def _moves(spans: Sequence[Span], release: int | None, events: Table) -> dict[str, Table]:
    lines = tracks.once(in_place(events, spans, release))
    return {"partition": tracks.partition_moves(lines), "replica": tracks.replica_moves(lines)}
