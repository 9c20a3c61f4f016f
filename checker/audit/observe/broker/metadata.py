"""Brokers' cached states of a partition, beside the states that the controller of that epoch sent; never joined by
clocks.
"""

from __future__ import annotations

from collections.abc import Mapping

from .....model.expr import both, const, either, field
from .....model.sorts import Bool, Int, Sort
from ...fields import JOURNAL, LEADER_DURING_DELETE, READ, SPAN, leader, partition_epoch, sorts, written_by_epoch
from ...lines import CACHED, UPDATE_METADATA_SENT, is_line
from ...table.protocol import Column, Table
from ..compared import LINE, LINE_BEFORE, earlier
from ..controller.views import PARTITION_VIEWS, without_deletions
from ..observation import Input, Names, Observation
from ..order import NEAR
from ..placed import at
from .across import created_again, rank
from .high_watermarks import LIFE
from .hosted import HOSTED_LINES

_ORDER = ("rank", "at", "file")
_none = const(0, Int(0))
same_sent = field("same_sent", Bool)


def _cached(events: Table) -> Table:
    return events.present("journal", *NEAR).of_lines(CACHED).where(leader.ne(LEADER_DURING_DELETE))


CACHED_LINES = Input("metadata that brokers cache", CACHED, _cached)


def _together(views: Table, hosted: Table, cached: Table) -> Table:
    """Return the lines of both, for partitions that were created once; what is sent has `rank` 0."""
    sent = without_deletions(views.of_lines(UPDATE_METADATA_SENT)).derive(rank=_none)
    lines = sent.plus(cached.derive(rank=const(1, Int(0))))
    known = lines.attached(created_again(views, hosted), LIFE, ("again",)).absent("again")
    return known.present("leader_epoch", "controller_epoch").kept(NEAR, (*LIFE, *_ORDER))


def _taken(lines: Table, key: Names, order: Names) -> Table:
    """Return a broker's cached states in leader epochs for which the same controller sent some; up to 0.11 without a
    version.
    """
    is_sent = is_line(UPDATE_METADATA_SENT)
    state = (*key, "leader", "isr")
    counted = (
        lines.along(
            key,
            order,
            sent=Column("so_far", where=is_sent),
            with_version=Column("so_far", where=is_sent & partition_epoch.eq(partition_epoch)),
            with_writer=Column("so_far", where=is_sent & written_by_epoch.eq(written_by_epoch)),
            **earlier(*LINE, of=is_sent),
        )
        .along(state, order, alike=Column("so_far", where=is_sent))
        .along((*state, "partition_epoch"), order, of_version=Column("so_far", where=is_sent))
        .along((*state, "written_by_epoch"), order, of_writer=Column("so_far", where=is_sent))
    )
    same = both(
        field("alike", Int(0)) > 0,
        either(field("with_version", Int(0)).eq(0), field("of_version", Int(0)) > 0),
        either(field("with_writer", Int(0)).eq(0), field("of_writer", Int(0)) > 0),
    )
    return counted.of_lines(CACHED).where(field("sent", Int(0)) > 0).derive(same_sent=same)


_ROW: Mapping[str, Sort] = {
    **READ,
    **SPAN,
    **JOURNAL,
    **sorts(at, rank),
    **LINE_BEFORE,
}

METADATA_TAKEN = Observation(
    "metadata_taken",
    made_from=Input(
        "metadata of controllers and brokers",
        lines=(*PARTITION_VIEWS.lines, *HOSTED_LINES.lines, *CACHED),
        of=(PARTITION_VIEWS, HOSTED_LINES, CACHED_LINES),
        of_inputs=_together,
    ),
    lines=UPDATE_METADATA_SENT + CACHED,
    columns={**_ROW, **sorts(same_sent)},
    make=_taken,
    key=(*LIFE, "leader_epoch", "controller_epoch"),
    order=_ORDER,
)
"""Metadata that brokers cached, in leader epochs for which the same controller sent some.

`same_sent`: it has the leader and ISR of one sent with that version, and of one that the same controller wrote.
"""
