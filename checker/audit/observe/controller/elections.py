"""Lines that a controller prints after it has written a partition's znode."""

from __future__ import annotations

from .....model.expr import field
from .....model.sorts import Int
from ...fields import from_state, sorts, to_state
from ...lines import ELECTED, LEADER_AND_ISR_SENT, REASSIGNED, REMOVED, is_line
from ...table.protocol import Column, Table
from ..compared import compared, compared_sorts, earlier, earlier_sorts, gap_in_tenure, was
from ..observation import Names, Observation
from ..order import IN_ORDER, PLACE
from .views import INCARNATION, INCARNATION_OF_TENURE, PARTITION_VIEWS, VIEW, ZNODE, without_deletions

election = is_line(ELECTED)
sent = field("sent", Int(0))
"""How many requests about the partition were sent before, in the tenure."""
sent_between = ~sent.eq(was(sent))
"""Whether a request was sent between an election and the one before."""
_WRITTEN = ("leader", "isr", "leader_epoch")
_ELECTION = {**VIEW, **sorts(from_state("partition"), to_state("partition"))}
_COUNTED = {**_ELECTION, **sorts(sent)}
_REPEATED = (*ZNODE, "sent", "block", "line", "file")


def _elections(views: Table, key: Names, order: Names) -> Table:
    return compared(views.of_lines(ELECTED).present("partition_epoch"), key, order, *ZNODE)


def _writes(views: Table, key: Names, order: Names) -> Table:
    wrote = without_deletions(views.of_lines(ELECTED + REASSIGNED + REMOVED)).present("isr")
    return compared(wrote, key, order, *_WRITTEN)


def _repeated_elections(views: Table, key: Names, order: Names) -> Table:
    return (
        without_deletions(views.of_lines(ELECTED + LEADER_AND_ISR_SENT))
        .along(key, order, sent=Column("so_far", where=is_line(LEADER_AND_ISR_SENT)))
        .of_lines(ELECTED)
        .present("partition_epoch", "isr")
        .along(key, order, **earlier(*_REPEATED))
        .derive(gap=gap_in_tenure)
    )


ELECTIONS = Observation(
    "elections",
    made_from=PARTITION_VIEWS,
    lines=ELECTED,
    columns={**_ELECTION, **compared_sorts(VIEW, *ZNODE)},
    make=_elections,
    key=INCARNATION,
    order=IN_ORDER,
)
"""Elections that wrote a znode, in the order of the log, each with the one before."""

ELECTIONS_BY_VERSION = Observation(
    "elections_by_version",
    made_from=PARTITION_VIEWS,
    lines=ELECTED,
    columns={**_ELECTION, **compared_sorts(VIEW, *ZNODE)},
    make=_elections,
    key=INCARNATION,
    order=("partition_epoch", *IN_ORDER),
)
"""Elections that wrote a znode, in the order of its versions, each with the one before."""

REPEATED_ELECTIONS = Observation(
    "repeated_elections",
    made_from=PARTITION_VIEWS,
    lines=ELECTED + LEADER_AND_ISR_SENT,
    columns={**_COUNTED, **earlier_sorts(_COUNTED, *_REPEATED)},
    make=_repeated_elections,
    key=INCARNATION_OF_TENURE,
    order=PLACE,
)
"""Elections of a partition by one controller, each with the one before, and `sent`: the requests sent before it."""

ZNODE_WRITES = Observation(
    "znode_writes",
    made_from=PARTITION_VIEWS,
    lines=ELECTED + REASSIGNED + REMOVED,
    columns={**VIEW, **compared_sorts(VIEW, *_WRITTEN)},
    make=_writes,
    key=INCARNATION,
    order=IN_ORDER,
)
"""Lines printed after a write of the znode, in the order of the log, each with the one before."""
