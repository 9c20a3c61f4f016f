"""Moves of the controller's state machines, each with the state before it."""

from __future__ import annotations

from collections.abc import Mapping

from .....model.expr import Expr, const, either, false, field, ite, true
from .....model.sorts import Bool, Sort
from .....specs.machines import machine
from ...fields import (
    ANYTHING,
    SEEDED,
    before,
    block,
    from_state,
    from_state_untrue,
    releases,
    sorts,
    start_seen,
    states,
    to_state,
)
from ...lines import CREATED, MOVED, STOPPED
from ...table.encoding import Flag
from ...table.protocol import Column, Table
from ..compared import earlier, earlier_sorts, gap_in_tenure, was
from ..observation import Names, Observation
from ..order import OF_TENURE, PLACE
from ..placed import EVENTS, PLACED, level_shown

_EARLIER = ("block", "level_shown", "line", "file")
made = field("made", Bool)
"""True if a move was made; otherwise it was refused, or failed, and the state is unchanged."""

_true = ~releases.intersects(from_state_untrue)


def _columns(name: str) -> Mapping[str, Sort]:
    return {
        **PLACED,
        **sorts(from_state(name), to_state(name), before(name), made),
        **earlier_sorts(PLACED, *_EARLIER),
    }


def _replica_moves(events: Table, key: Names, order: Names) -> Table:
    """Return replica moves; a replica of a partition that the same controller created had no state before: it is
    `created`.
    """
    creations = events.of_lines(CREATED).derive(partition_new=true, new_block=block)
    lines = (
        _made_or_not(events, "replica")
        .plus(creations)
        .along(OF_TENURE, PLACE, created=Column("last", "partition_new"), created_block=Column("last", "new_block"))
        .of_lines(MOVED["replica"] + STOPPED["replica"])
    )
    return _with_state_before(lines.filled("created_block", "block"), "replica", key, order)


def _partition_moves(events: Table, key: Names, order: Names) -> Table:
    lines = _made_or_not(events, "partition").derive(created=false, created_block=block)
    return _with_state_before(lines, "partition", key, order)


def _made_or_not(events: Table, name: str) -> Table:
    """Return the lines on moves of a machine, each with the state `after` it; a line that prints no state shows none.

    A from-state is absent unless every possible release of the tenure prints it truly.
    """
    moved = events.of_lines(MOVED[name]).derive(after=to_state(name), made=true)
    stopped = events.of_lines(STOPPED[name]).present("from_state").derive(after=from_state(name), made=false)
    lines = moved.plus(stopped).derive(in_no_release=const(frozenset[str](), releases.sort))
    return lines.filled("from_state_untrue", "in_no_release").only_where(_true, "from_state")


def _with_state_before(lines: Table, name: str, key: Names, order: Names) -> Table:
    """Return moves with the state `before` them: after the line before, or a stand-in if there is none.

    Refusals are logged at a higher level than moves: what stands between is there only as long as moves are logged.
    """
    return (
        lines.along(key, order, before=Column("previous", "after"), **earlier(*_EARLIER))
        .filled("before_block", "created_block")
        .filled("before_level_shown", "level_shown")
        .derive(origin=_origin(name), gap=either(gap_in_tenure, ~level_shown, ~was(level_shown)))
        .filled("before", "origin")
    )


def _origin(name: str) -> Expr:
    """Return the state before an entity's first line."""
    sort = states(name)
    unseen = ite(start_seen, const(SEEDED, sort), const(ANYTHING, sort))
    return ite(field("created", Flag), const(machine(name).unknown_is, sort), unseen)


REPLICA_MOVES = Observation(
    "replica_moves",
    made_from=EVENTS,
    lines=(*MOVED["replica"], *STOPPED["replica"], *CREATED),
    columns=_columns("replica"),
    make=_replica_moves,
    key=(*OF_TENURE, "replica"),
    order=PLACE,
    counted_by=("from_state", "to_state"),
)
"""Replica moves made, refused and failed."""

PARTITION_MOVES = Observation(
    "partition_moves",
    made_from=EVENTS,
    lines=(*MOVED["partition"], *STOPPED["partition"]),
    columns=_columns("partition"),
    make=_partition_moves,
    key=OF_TENURE,
    order=PLACE,
    counted_by=("from_state", "to_state"),
)
"""Partition moves made, refused and failed."""
