"""Events with the columns of their span, in the order in which observations are made from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....model.expr import field
from ....model.sorts import Bool, BoolSort, EnumSort, Int, IntSort, SetSort, Sort
from ....specs.machines import machine as table_of
from ..fields import JOURNAL, READ, SPAN, TENURE, broker, sorts, ts
from ..files.file import JITTER
from ..history.journals import NO_JOURNALS, Journals
from ..history.spans import Span
from ..lines import BROKERS, MOVED, OF_BROKERS, REASONS
from ..table.encoding import Flag
from ..table.protocol import Column, Row, Table
from .observation import Input
from .order import IN_ORDER, NEAR, PARTITION, PLACE

at, level_shown = field("at", Int()), field("level_shown", Bool)
duplicate, late = field("duplicate", Bool), field("late", Flag)
PLACED: Mapping[str, Sort] = {**READ, **SPAN, **JOURNAL, **sorts(at, level_shown, duplicate, late)}
"""The columns of a placed event.

`at` grows along the lines of a tenure, and of one stream of a journal. `level_shown`: the stream is known to show
`seen_level` there, that of a journal TRACE. `duplicate`: an earlier line says the same about the same partition in the
same millisecond. `late`: an earlier line of the same partition and tenure was written later
than threads print late; two streams of a tenure have no order.
"""
EVENTS = Input("placed events", (), lambda events: events)


def of_controllers(placed: Table) -> Table:
    """Return the placed events that are in no broker's journal."""
    return placed.absent("journal")


_TYPES: Mapping[type[Sort], type] = {IntSort: int, BoolSort: bool, EnumSort: str, SetSort: int}
_SPAN_COLUMNS = {name: _TYPES[type(sort)] for name, sort in SPAN.items()} | dict.fromkeys(
    ("base", "level_from", "level_until"), int
)
_PLACE = field("base", Int()) + field("line", Int())
_SHOWN = (field("level_from", Int()) <= at) & (at <= field("level_until", Int()))
_WITH_CONTROLLER = table_of("replica").releases
_PRINTED = tuple(name for name in READ if name not in ("ts", "file", "line", "topic", "partition"))
"""The values that lines of one partition and one time print."""


def placed(events: Table, spans: Sequence[Span], release: int | None = None, journals: Journals = NO_JOURNALS) -> Table:
    """Return the events of tenures and of journals, sorted once, so that no observation sorts or moves all lines again.

    A line in which a broker names a controller of the same file can be in both: it is there twice.

    Args:
        release: mask of the releases that ran, if known; otherwise each span has its own.
    """
    columns = (*READ, *SPAN, *JOURNAL, "at", "level_shown")
    lines = _with_spans(events.without_lines(OF_BROKERS), spans, release)
    replicas = _with_journals(events.of_lines(BROKERS), journals, release)
    return marked(lines.plus(replicas).select(*columns).kept(NEAR, (*PARTITION, *IN_ORDER)))


def marked(lines: Table) -> Table:
    """Return lines of tenures with `duplicate` and `late`."""
    found = lines.along(
        (*NEAR, "life", "tenure"),
        PLACE,
        duplicate=Column("again", "ts", alike=_PRINTED),
    ).along((*NEAR, "life", "tenure", "stream"), PLACE, latest=Column("greatest", "ts"))
    return found.derive(late=ts + JITTER < field("latest", Int()))


def _with_spans(events: Table, spans: Sequence[Span], release: int | None) -> Table:
    """Return events of controllers with the columns of their span; events outside any span are not a controller's."""
    # Wordings that contradict each other (a modified build, two logs in one) fit no release: any is possible.
    rows = [
        vars(span) | {"controller_epoch": span.epoch, "releases": span.releases or _WITH_CONTROLLER} for span in spans
    ]
    if release is not None:
        rows = [row | {"releases": release, "life_at_least": release} for row in rows]
    by_controller = events.present("controller").without_lines(REASONS)
    dated = by_controller.present("controller_epoch").joined(rows, TENURE, _SPAN_COLUMNS, ("first", "last"))
    # Some lines name only the controller (1.0: a partition that ceases to exist); their place decides the epoch.
    undated = (
        by_controller.of_lines(MOVED["partition"])
        .absent("controller_epoch")
        .joined(rows, ("file", "controller"), {**_SPAN_COLUMNS, "controller_epoch": int}, ("since", "until"))
    )
    own = dated.plus(undated).derive(at=_PLACE)
    return own.derive(level_shown=_SHOWN).plus(events.of_lines(REASONS))


_PART_NUMBERS = (
    *("cluster", "life", "tenure", "journal", "broker", "base", "block", "releases", "known_since"),
    *("level_from", "level_until"),
)
_PART_COLUMNS: Mapping[str, type] = {
    **dict.fromkeys(_PART_NUMBERS, int),
    **dict.fromkeys(("lossy", "whole", "server_log"), bool),
}


def _with_journals(events: Table, journals: Journals, release: int | None) -> Table:
    """Return events of brokers with the columns of their journal and their process. `replica` is the broker's own.

    Their `tenure` is the journal, counted below 0: no controller's tenure has that number.
    """
    parts = [
        vars(part) | {"tenure": -part.journal, "known_since": 0, "lossy": part.lossy or part.out_of_turn}
        for part in journals.parts
    ]
    if release is not None:
        parts = [part | {"releases": release} for part in parts]
    processes = [vars(process) for process in journals.processes]
    of_life, of_none = ([part for part in parts if (part["life"] is None) is none] for none in (False, True))
    found = _of_parts(events, of_life, _PART_COLUMNS)
    found = found.plus(_of_parts(events, of_none, {n: t for n, t in _PART_COLUMNS.items() if n != "life"}))
    columns = {"process": int, "process_known": bool, "of_zookeeper": bool, "lived_until": int, "ends_from": int}
    columns |= {"jars": int, "takes_shown": bool}
    own = found.joined(processes, ("journal",), columns, ("first", "last"), of="ts")
    return own.derive(at=_PLACE, replica=broker).derive(level_shown=_SHOWN)


def _of_parts(events: Table, parts: Sequence[Row], columns: Mapping[str, type]) -> Table:
    named = [part for part in parts if part["speaker"] is not None]
    rest = [part for part in parts if part["speaker"] is None]
    own = events.present("speaker").joined(named, ("file", "speaker"), columns, ("first", "last"))
    return own.plus(events.absent("speaker").joined(rest, ("file",), columns, ("first", "last")))
