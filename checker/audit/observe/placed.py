"""Events with the columns of the tenure that they belong to, in the order in which observations are made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from ....model.expr import field
from ....model.sorts import Int
from ....specs.machines import machine as table_of
from ..history.spans import Span
from ..lines import MOVED, REFUSED
from ..table.protocol import Table
from . import tracks

_SPAN_COLUMNS: Mapping[str, type] = {
    "first": int,
    "last": int,
    "cluster": int,
    "life": int,
    "tenure": int,
    "base": int,
    "block": int,
    "seen_level": str,
    "lossy": bool,
    "releases": int,
    "start_seen": bool,
    "known_since": int,
    "since": int,
    "until": int,
    "doubled": bool,
}
_WITH_CONTROLLER = table_of("replica").releases


def in_place(events: Table, spans: Sequence[Span], release: int | None) -> Table:
    """The events of tenures, sorted once, so that no observation sorts or moves all lines again."""
    columns = (*tracks.READS, *tracks.SPAN, "doubled", "at")
    return tracks.in_place(placed(events, spans, release).select(*columns))


def placed(events: Table, spans: Sequence[Span], release: int | None = None) -> Table:
    """Events of controllers with the columns of their span; those that no span covers are none of a controller's."""
    # Wordings that contradict each other (a changed build, two logs in one) tell of no release: it may be any.
    rows = [
        asdict(span) | {"controller_epoch": span.epoch, "releases": span.releases or _WITH_CONTROLLER} for span in spans
    ]
    if release is not None:
        rows = [row | {"releases": release} for row in rows]
    spoken = events.present("controller").without_lines(REFUSED)
    dated = spoken.present("controller_epoch").joined(
        rows, ("file", "controller", "controller_epoch"), _SPAN_COLUMNS, ("first", "last")
    )
    # Some lines name the controller only (1.0: a partition that ceases to exist); their place tells the epoch.
    undated = (
        spoken.of_lines(MOVED["partition"])
        .absent("controller_epoch")
        .joined(rows, ("file", "controller"), {**_SPAN_COLUMNS, "controller_epoch": int}, ("since", "until"))
    )
    at = field("base", Int()) + field("line", Int())
    return dated.plus(undated).derive(at=at).plus(events.of_lines(REFUSED))
