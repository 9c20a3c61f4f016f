"""Lines that a controller prints after it has written a partition's znode."""

from __future__ import annotations

from .....model.expr import both, field
from .....model.sorts import Bool, Int
from ...fields import from_state, isr, leader, leader_epoch, sorts, to_state
from ...lines import ELECTED, LEADER_AND_ISR_SENT, REASSIGNED, REMOVED, is_line
from ...table.encoding import Flag
from ...table.protocol import Column, Table
from ..compared import compared, compared_sorts, earlier, earlier_sorts, gap_in_tenure, same_version, was
from ..observation import Names, Observation
from ..order import IN_ORDER, PLACE
from .views import INCARNATION, INCARNATION_OF_TENURE, PARTITION_VIEWS, VIEW, ZNODE, without_deletions

election = is_line(ELECTED)
sent = field("sent", Int(0))
"""The number of requests about the partition that were sent before, in the tenure."""
sent_between = ~sent.eq(was(sent))
"""True if a request was sent between an election and the previous one."""
_WRITTEN = ("leader", "isr", "leader_epoch", "partition_epoch")
printed_again = field("printed_again", Bool)
"""True if an election prints the same as the previous one, from OnlinePartition, as by a call that elects more than
once.

Both lines print what the last election wrote, so the leader epoch has grown by more than one since the state before.
"""
_epoch_before = field("epoch_before_that", Int())
_ELECTION = {**VIEW, **sorts(from_state("partition"), to_state("partition"))}
_COUNTED = {**_ELECTION, **sorts(sent)}
_REPEATED = (*ZNODE, "sent", "block", "line", "file")


def _elections(views: Table, key: Names, order: Names) -> Table:
    return compared(views.of_lines(ELECTED).present("partition_epoch"), key, order, *ZNODE)


def _writes(views: Table, key: Names, order: Names) -> Table:
    wrote = without_deletions(views.of_lines(ELECTED + REASSIGNED + REMOVED)).present("isr")
    return _with_repeats(compared(wrote, key, order, *_WRITTEN), key, order)


def _with_repeats(elections: Table, key: Names, order: Names) -> Table:
    same = both(*(each.eq(was(each)) for each in (leader, isr, leader_epoch)), same_version)
    by_one = leader_epoch.eq(_epoch_before + 1)
    marked = elections.along(key, order, epoch_before_that=Column("previous", "before_leader_epoch"))
    marked = marked.derive(grew_by_one=by_one, same_again=both(from_state("partition").eq("OnlinePartition"), same))
    return marked.derive(printed_again=both(election, field("same_again", Flag), ~field("grew_by_one", Flag)))


def _repeated_elections(views: Table, key: Names, order: Names) -> Table:
    elections = (
        without_deletions(views.of_lines(ELECTED + LEADER_AND_ISR_SENT))
        .along(key, order, sent=Column("so_far", where=is_line(LEADER_AND_ISR_SENT)))
        .of_lines(ELECTED)
        .present("partition_epoch", "isr")
        .along(key, order, **earlier(*_REPEATED))
        .derive(gap=gap_in_tenure)
    )
    return _with_repeats(elections, key, order)


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
    columns={**_COUNTED, **earlier_sorts(_COUNTED, *_REPEATED), **sorts(printed_again)},
    make=_repeated_elections,
    key=INCARNATION_OF_TENURE,
    order=PLACE,
)
"""Elections of a partition by one controller, each with the one before, and `sent`: the requests sent before it."""

ZNODE_WRITES = Observation(
    "znode_writes",
    made_from=PARTITION_VIEWS,
    lines=ELECTED + REASSIGNED + REMOVED,
    columns={**VIEW, **compared_sorts(VIEW, *_WRITTEN), **sorts(printed_again)},
    make=_writes,
    key=INCARNATION,
    order=IN_ORDER,
)
"""Lines printed after a write of the znode, in the order of the log, each with the one before."""
