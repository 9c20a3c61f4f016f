"""Fitting of histories: they are fitted to the lines' claims until they no longer change; only then is anything
judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ..files.log import Log, Read
from ..history.claims import Cut, controllers
from ..history.doubts import NO_DOUBT, Doubts
from ..history.histories import Histories, histories
from ..history.spans import Span
from ..history.wipes import wipes
from ..observe.controller.moves import PARTITION_MOVES, REPLICA_MOVES
from ..observe.duplicates import without_duplicates
from ..observe.placed import placed
from ..table.protocol import Table


def fitted(log: Log, read: Read, release: int | None, doubts: Doubts = NO_DOUBT) -> Histories:
    """Return the histories that explain the lines' claims.

    They are cut where the moves of epoch 1 show that the cluster was wiped although no epoch does.
    """

    def fit(wiped: Sequence[Cut] = ()) -> Histories:
        stated = controllers(read.files, read.rows, log.over_lines, wiped, doubts)
        return histories(read.files, *stated, doubts, read.rows)

    found = fit()
    young = _young(found)
    if not young:
        return found
    wiped = wipes(partial(_moves, young, release), log.over_partitions, found.restarts)
    return fit(wiped) if wiped else found


def _young(found: Histories) -> list[Span]:
    """Return the spans before the last line that states epoch 1: usually the tenures of epoch 1 only.

    Signs of an uncertain order (times that go back, another epoch in the middle of one) can be the wipe itself; but two
    creations in one millisecond have no wipe between them.
    """
    early = {span.tenure for span in found.spans if span.first <= found.restarts.get(span.file, 0)}
    return [
        replace(span, lossy=span.lossy and not span.disordered, block=span.whole_block)
        for span in found.spans
        if span.tenure in early
    ]


def _moves(spans: Sequence[Span], release: int | None, events: Table) -> dict[str, Table]:
    """Return the moves of each machine in these spans."""
    lines = without_duplicates(placed(events, spans, release))
    return {"partition": PARTITION_MOVES.of(lines), "replica": REPLICA_MOVES.of(lines)}
