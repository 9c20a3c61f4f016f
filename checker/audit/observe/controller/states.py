"""States of a partition that views show: one by one, by version of the znode, and by leader epoch."""

from __future__ import annotations

from .....model.expr import const, field, ite, true
from .....model.sorts import Bool, Int
from ...fields import partition_epoch, sorts
from ...lines import ELECTED, REASSIGNED, REMOVED, VIEWS, is_line
from ...table.protocol import Column, Table
from ..compared import compared, compared_sorts
from ..observation import Names, Observation
from ..order import IN_ORDER
from .views import INCARNATION, PARTITION_VIEWS, VIEW, ZNODE, repeated, without_deletions

read_in = field("read_in", Int())
"""The controller epoch in which the version before was last printed."""
after_write = field("after_write", Int())
"""0 for the line of a write, 1 for others: a version is sent after it is written."""
_first_of_version = field("first_of_version", Bool)


def _shown(views: Table, *_: Names) -> Table:
    return without_deletions(views).where(~repeated)


def _versions(views: Table, key: Names, order: Names) -> Table:
    """Return versions, each with the row that wrote it, or the version before; if none did, the first that printed it.

    A later contradiction does not replace it.
    """
    written = is_line(ELECTED + REASSIGNED + REMOVED)
    shown = (
        without_deletions(views)
        .where(~repeated | written)
        .present("partition_epoch", "isr")
        .derive(after_write=ite(written, const(0, Int()), const(1, Int())))
        .along(
            key,
            order,
            version_before=Column("previous", "partition_epoch"),
            read_in=Column("previous", "controller_epoch"),
        )
        .derive(first_of_version=~partition_epoch.eq(field("version_before", Int())), first=true)
        .filled("first_of_version", "first")
    )
    return compared(shown, key, order, *ZNODE, of=_first_of_version)


def _same_epoch(views: Table, key: Names, order: Names) -> Table:
    return compared(_shown(views), key, order, "leader", "leader_epoch")


STATES = Observation("states", PARTITION_VIEWS, VIEWS, VIEW, _shown)
"""Views that differ from what the line before showed of the partition."""

VERSIONS = Observation(
    "versions",
    made_from=PARTITION_VIEWS,
    lines=VIEWS,
    columns={**VIEW, **compared_sorts(VIEW, *ZNODE), **sorts(read_in, after_write)},
    make=_versions,
    key=INCARNATION,
    order=("partition_epoch", "after_write", *IN_ORDER),
)
"""States in the order of their znode's versions (partition epochs), each with the one before."""

SAME_LEADER_EPOCH = Observation(
    "same_leader_epoch",
    made_from=PARTITION_VIEWS,
    lines=VIEWS,
    columns={**VIEW, **compared_sorts(VIEW, "leader", "leader_epoch")},
    make=_same_epoch,
    key=(*INCARNATION, "leader_epoch"),
    order=IN_ORDER,
)
"""States with the same leader epoch, each with the leader of the one before."""
