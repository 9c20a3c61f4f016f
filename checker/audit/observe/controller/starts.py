"""Elections that fail at a controller's start, with what the log shows of the partition until then."""

from __future__ import annotations

from .....model.expr import field, true
from .....model.sorts import Bool, Int, SetOf
from .....model.views import Broker
from ...fields import (
    LEADER_DURING_DELETE,
    from_state,
    isr,
    leader,
    lossy,
    replicas,
    seen_level,
    sorts,
    to_state,
    ts,
)
from ...lines import MOVED, MOVES_AND_VIEWS, READY, STOPPED, is_line
from ...table.encoding import Flag
from ...table.protocol import Column, Table
from ..observation import Names, Observation
from ..order import IN_ORDER, OF_TENURE, PARTITION, PLACE
from ..placed import EVENTS, PLACED

last_leader, last_leader_in = field("last_leader", leader.sort), field("last_leader_in", Int())
last_lossy, last_isr = field("last_lossy", lossy.sort), field("last_isr", isr.sort)
"""Values of the last line that printed a leader and an ISR: also its epoch, and whether lines of its span may be
missing.
"""
last_replicas = field("last_replicas", replicas.sort)
made_offline = field("made_offline", SetOf(Broker))
"""The replicas that this tenure has moved, or tried to move, to OfflineReplica by then."""
moves_before = field("moves_before", Int(0))
"""The number of moves of the partition that this tenure has made or tried before."""
found_alive = field("found_alive", Flag)
"""True if the last leader's first move in this tenure, before or after, is from OnlineReplica to OfflineReplica."""
at_start = field("at_start", Bool)
"""True if the controller was not ready yet; above TRACE the partition may also have gone offline later, without a
line.
"""

_FAILED = STOPPED["partition"]
_every_move_shown = seen_level.eq("TRACE")


def _failed_starts(events: Table, key: Names, order: Names) -> Table:
    failed = events.of_lines(_FAILED).select(*PARTITION)
    lines = _with_last_view(events.of_lines(MOVES_AND_VIEWS).matching(failed, PARTITION))
    found = _found_alive(events.of_lines(MOVED["replica"]).matching(failed, PARTITION))
    ready = events.of_lines(READY).grouped(("tenure",), ready_ts=Column("min", "ts"))
    return (
        lines.along(
            key,
            order,
            moves_before=Column("so_far", where=is_line(MOVED["partition"] + _FAILED)),
            made_offline=Column("gathered", "replica", to_state("replica").eq("OfflineReplica")),
        )
        .of_lines(_FAILED)
        .attached(found, (*OF_TENURE, "last_leader"), ("found_alive",))
        .attached(ready, ("tenure",), ("ready_ts",))
        .derive(shown=_every_move_shown, at_start=_every_move_shown | (ts <= field("ready_ts", Int())))
        .filled("at_start", "shown")
        .filled("last_isr", "last_replicas")
    )


def _found_alive(moves: Table) -> Table:
    """Return the replicas that a tenure found alive and moved to OfflineReplica, as `last_leader`."""
    first = moves.along((*OF_TENURE, "replica"), PLACE, moved=Column("so_far"))
    went = from_state("replica").eq("OnlineReplica") & to_state("replica").eq("OfflineReplica")
    return (
        first.where(field("moved", Int()).eq(0) & went)
        .derive(found_alive=true)
        .renamed(replica="last_leader")
        .select(*OF_TENURE, "last_leader", "found_alive")
    )


def _with_last_view(lines: Table) -> Table:
    """Return lines with what earlier lines last printed of the partition, in any epoch; marks of deletions do not
    count.
    """
    view = leader.ne(LEADER_DURING_DELETE)
    return lines.along(
        PARTITION,
        IN_ORDER,
        last_leader=Column("last", "leader", view),
        last_leader_in=Column("last", "controller_epoch", view),
        last_lossy=Column("last", "lossy", view),
        last_isr=Column("last", "isr", view),
        last_replicas=Column("last", "replicas"),
    )


FAILED_STARTS = Observation(
    "failed_starts",
    made_from=EVENTS,
    lines=(*MOVES_AND_VIEWS, *READY),
    columns={
        **PLACED,
        **sorts(from_state("partition"), to_state("partition"), last_leader, last_leader_in, last_lossy, last_isr),
        **sorts(last_replicas, made_offline, moves_before, at_start, found_alive),
    },
    make=_failed_starts,
    key=OF_TENURE,
    order=PLACE,
)
"""Elections that failed although the tenure has not yet moved the partition: it was offline when the tenure began."""
