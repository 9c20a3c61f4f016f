"""Events with the columns of the span that they are in, in the order in which observations are made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from ....model.expr import field
from ....model.sorts import Bool, BoolSort, EnumSort, Int, IntSort, SetSort, Sort
from ....specs.machines import machine as table_of
from ..fields import EVENT, SPAN, sorts, ts
from ..files.file import JITTER
from ..history.spans import Span
from ..lines import MOVED, REASONS
from ..table.protocol import Column, Table
from .absent import false_where_absent
from .observation import Input
from .order import IN_ORDER, NEAR, PARTITION, PLACE

at = field("at", Int())
duplicate, late = field("duplicate", Bool), field("late", Bool)
PLACED: Mapping[str, Sort] = {**EVENT, **SPAN, **sorts(at, duplicate, late)}
"""The columns of a placed event.

`at` grows along the lines of a tenure. `duplicate`: a line above says the same of the same partition in the same
millisecond. `late`: a line above, of the same partition and tenure, was written later than threads print late.
"""
EVENTS = Input("placed events", (), lambda events: events)

_TYPES: Mapping[type[Sort], type] = {IntSort: int, BoolSort: bool, EnumSort: str, SetSort: int}
_SPAN_COLUMNS = {name: _TYPES[type(sort)] for name, sort in SPAN.items()} | {"base": int}
_WITH_CONTROLLER = table_of("replica").releases
_PRINTED = tuple(name for name in EVENT if name not in ("ts", "file", "line", "topic", "partition"))
"""What lines of one partition and one time print."""


def placed(events: Table, spans: Sequence[Span], release: int | None = None) -> Table:
    """The events of tenures, sorted once, so that no observation sorts or moves all lines again.

    Args:
        release: mask of the releases that ran, if it is known; else each span has its own.
    """
    columns = (*EVENT, *SPAN, "at")
    return marked(_with_spans(events, spans, release).select(*columns).kept(NEAR, (*PARTITION, *IN_ORDER)))


def marked(lines: Table) -> Table:
    """Lines of tenures with `duplicate` and `late`."""
    found = lines.along(
        (*NEAR, "life", "tenure"),
        PLACE,
        duplicate=Column("again", "ts", alike=_PRINTED),
        latest=Column("greatest", "ts"),
    )
    return false_where_absent(found.derive(late=ts + JITTER < field("latest", Int())), "late")


def _with_spans(events: Table, spans: Sequence[Span], release: int | None) -> Table:
    """Events of controllers with the columns of their span; those that no span covers are none of a controller's."""
    # Wordings that contradict each other (a changed build, two logs in one) fit no release: it may be any.
    rows = [
        asdict(span) | {"controller_epoch": span.epoch, "releases": span.releases or _WITH_CONTROLLER} for span in spans
    ]
    if release is not None:
        rows = [row | {"releases": release} for row in rows]
    spoken = events.present("controller").without_lines(REASONS)
    dated = spoken.present("controller_epoch").joined(
        rows, ("file", "controller", "controller_epoch"), _SPAN_COLUMNS, ("first", "last")
    )
    # Some lines name the controller only (1.0: a partition that ceases to exist); their place decides the epoch.
    undated = (
        spoken.of_lines(MOVED["partition"])
        .absent("controller_epoch")
        .joined(rows, ("file", "controller"), {**_SPAN_COLUMNS, "controller_epoch": int}, ("since", "until"))
    )
    return dated.plus(undated).derive(at=field("base", Int()) + field("line", Int())).plus(events.of_lines(REASONS))
