"""Lines that print a partition's leader and ISR: its views, over all of its incarnations."""

from __future__ import annotations

from collections.abc import Mapping

from .....model.expr import Expr, both, const, field, ite
from .....model.sorts import Bool, Int, Sort
from ...fields import (
    EVENT,
    LEADER_DURING_DELETE,
    SPAN,
    block,
    from_state,
    isr,
    leader,
    leader_epoch,
    partition_epoch,
    replicas,
    sorts,
    tenure,
    written_by_epoch,
)
from ...lines import CREATED, ELECTED, REASSIGNED, STOPPED, VIEWS, is_line, line
from ...table.encoding import Flag
from ...table.protocol import Column, Table
from ..observation import Input
from ..order import IN_ORDER, NEAR, PARTITION
from ..placed import at

ZNODE = ("leader", "isr", "leader_epoch", "partition_epoch")
"""The parts of the partition's znode that a view shows."""
INCARNATION = (*PARTITION, "incarnation")
"""A partition from its creation to its deletion."""
INCARNATION_OF_TENURE = (*INCARNATION, "controller_epoch")

creation, fresh, reassigning = field("creation", Bool), field("fresh", Flag), field("reassigning", Int(0))
emptied, repeated, joined = field("emptied", Flag), field("repeated", Flag), field("joined", Flag)
VIEW: Mapping[str, Sort] = {
    **EVENT,
    **SPAN,
    **sorts(at, field("incarnation", Int(0)), creation, fresh, reassigning, repeated, emptied, joined),
}
"""The columns of a view.

`incarnation`: the number of creations of the partition up to here, in its life. `reassigning`: the number of
reassignments announced up to here. `replicas`: as printed, or else as printed last. `creation`: this line creates the
znode; `fresh`: and its assignment was printed just before, by the same controller. `repeated`: it prints the same as
the line before. `emptied`: the ISR is empty, and was not in the view before. `joined`: the line prints the assignment,
and the ISR has a member that is not in the assignment, nor in the last printed one, nor in the ISR of the line before,
and no leader has written since.
"""
_LINES = (*CREATED, *STOPPED["partition"], *VIEWS)


def _previous(value: Expr) -> Expr:
    """Return the value that the line before printed in the same column, for the same partition."""
    return field(f"previous_{value.data}", value.sort)


_STATE = (written_by_epoch, leader_epoch, partition_epoch, leader, isr)
_PREVIOUS = (line, tenure, block, *_STATE)
_same_block = tenure.eq(_previous(tenure)) & block.eq(_previous(block))
_repeats = both(
    ~creation,
    leader.ne(LEADER_DURING_DELETE),
    _same_block,
    *(value.eq(_previous(value)) for value in _STATE),
    replicas.eq(field("last_replicas", replicas.sort)),
)
_shown_before = {f"shown_{value.data}": value for value in (isr, tenure, block)}
"""Values of the view before; a failed move, which prints no ISR, may be between."""
_emptied = both(
    isr.is_empty(),
    ~field("shown_isr", isr.sort).is_empty(),
    tenure.eq(field("shown_tenure", tenure.sort)),
    block.eq(field("shown_block", block.sort)),
)

_joined = both(
    _same_block,
    # A leader keeps the replicas with which its leader epoch began; it ignores later requests of that epoch. So no
    # leader has written between the two: it is one state, or a controller's next. Otherwise the state is from before
    # that one (KAFKA-9212).
    ite(
        _previous(leader_epoch) < leader_epoch,
        partition_epoch.eq(_previous(partition_epoch) + 1),
        _previous(leader_epoch).eq(leader_epoch) & partition_epoch.eq(_previous(partition_epoch)),
    ),
    # Not a subset of the union of these: that way the intermediate sets are mostly empty.
    ~isr.minus(replicas).minus(field("last_replicas", replicas.sort)).minus(_previous(isr)).is_empty(),
)


def partition_views(events: Table) -> Table:
    """Return lines that print leader and ISR, with what was printed before for their partition.

    A topic that is deleted and created again starts over, so nothing is compared across a creation. A new controller
    finds a partition new without saying so: then the election from NewPartition is the only sign.

    A controller sends one state to many brokers, one after the other: of such equal lines, only the first is here.
    """
    lines = _with_line_before(_with_creations(events.of_lines(_LINES)))
    views = _without_equal(lines.of_lines(VIEWS).present("leader_epoch", "leader"))
    return (
        _counted(views)
        .filled("replicas", "last_replicas")
        .filled("written_by_epoch", "controller_epoch")
        .select(*VIEW)
        .kept(NEAR, (*INCARNATION, *IN_ORDER))
    )


def _with_creations(lines: Table) -> Table:
    """Add `creation`; `assigned` is the tenure where a line prints a new partition's assignment, or 0."""
    # A failed election leaves the partition new, and leaves time to change its assignment.
    marked = lines.derive(was_new=from_state("partition").eq("NewPartition"))
    return marked.derive(
        creation=is_line(CREATED) | (is_line(ELECTED) & field("was_new", Flag)),
        assigned=ite(is_line(CREATED), tenure, const(0, Int())),
    )


def _with_line_before(lines: Table) -> Table:
    """Add what the lines before printed for the same partition."""
    return lines.along(
        PARTITION,
        IN_ORDER,
        earlier=Column("so_far", "creation"),
        announced=Column("so_far", where=is_line(REASSIGNED)),
        last_replicas=Column("last", "replicas"),
        assigned_in=Column("previous", "assigned"),
        **{f"previous_{value.data}": Column("previous", str(value.data)) for value in _PREVIOUS},
        **{name: Column("last", str(value.data), is_line(VIEWS)) for name, value in _shown_before.items()},
    )


def _without_equal(views: Table) -> Table:
    """Return the first of lines that print one state; with `repeated`."""
    # No two elections write the same: a line of one that prints the same as the previous one is one line too many.
    equal = _repeats & line.eq(_previous(line)) & ~is_line(ELECTED)
    return views.derive(repeated=_repeats, equal=equal).where(~field("equal", Flag))


def _counted(views: Table) -> Table:
    """Add counts of the lines up to each: creations, reassignments."""
    created, announced = field("earlier", Int()), field("announced", Int())
    return views.derive(
        incarnation=ite(creation, created + 1, created),
        reassigning=ite(is_line(REASSIGNED), announced + 1, announced),
        fresh=creation & field("assigned_in", Int()).eq(tenure),
        emptied=_emptied,
        joined=_joined,
    )


PARTITION_VIEWS = Input("partition views", _LINES, partition_views, excuses=("order", "creation"))


def without_deletions(views: Table) -> Table:
    """Return every printed view of a partition that is not the mark of a deletion."""
    return views.where(leader.ne(LEADER_DURING_DELETE))


def states_shown(views: Table) -> Table:
    """Return every state of a partition that the log shows, at the first line that shows it."""
    return (
        without_deletions(views)
        .along((*INCARNATION, *ZNODE), IN_ORDER, shown=Column("so_far"))
        .where(field("shown", Int()).eq(0))
    )
