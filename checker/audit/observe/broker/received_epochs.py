"""Controllers' messages about one partition to a broker process: requests, and metadata that it cached."""

from __future__ import annotations

from collections.abc import Mapping

from .....model.expr import const, field
from .....model.sorts import Int, Sort
from ...fields import JOURNAL, LEADER_DURING_DELETE, READ, SPAN, leader, partition_epoch, sorts
from ...lines import BECOME_BEGUN, BECOME_ENDED, CACHED, FORGOTTEN, is_line
from ...table.encoding import Flag
from ...table.protocol import Column, Table
from ..compared import LINE, LINE_BEFORE, earlier
from ..observation import Names, Observation
from ..order import NEAR, PLACE
from ..placed import EVENTS, at
from .hosted import REPLICA

version, forgotten = field("version", Int()), field("forgotten", Int(0))
_HEARD = (*BECOME_BEGUN, *BECOME_ENDED, *CACHED, *FORGOTTEN)
_ROW: Mapping[str, Sort] = {**READ, **SPAN, **JOURNAL, **sorts(at), **LINE_BEFORE}


def _epochs(events: Table, key: Names, order: Names) -> Table:
    """Return lines that print the controller epoch of a request."""
    own = events.present("journal", *NEAR, "controller_epoch").of_lines(_HEARD)
    return own.along(key, order, **earlier("controller_epoch", *LINE))


def _cached(events: Table, key: Names, order: Names) -> Table:
    """Return a broker's cached states of a partition; where no version is printed, it is 0."""
    own = events.present("journal", *NEAR).of_lines(CACHED + FORGOTTEN)
    dying = own.derive(dying=leader.eq(LEADER_DURING_DELETE), none=const(0, Int()))
    marked = dying.derive(gone=is_line(FORGOTTEN) | field("dying", Flag))
    counted = marked.along(REPLICA, order, forgotten=Column("so_far", "gone"))
    shown = counted.of_lines(CACHED).where(leader.ne(LEADER_DURING_DELETE)).present("leader_epoch")
    versions = shown.derive(version=partition_epoch).filled("version", "none")
    return versions.along(key, order, **earlier("leader_epoch", "version", *LINE))


EPOCHS_RECEIVED = Observation(
    "epochs_received",
    made_from=EVENTS,
    lines=_HEARD,
    columns={**_ROW, "before_controller_epoch": Int()},
    make=_epochs,
    key=REPLICA,
    order=PLACE,
)
"""Lines of a broker that print the controller epoch of a request, each with the one before."""

METADATA_CACHED = Observation(
    "metadata_cached",
    made_from=EVENTS,
    lines=CACHED + FORGOTTEN,
    columns={**_ROW, **sorts(version, forgotten), "before_leader_epoch": Int(), "before_version": Int()},
    make=_cached,
    key=(*REPLICA, "forgotten"),
    order=PLACE,
)
"""A broker's cached states of a partition, each with the previous one; `forgotten` counts the deletions up to it."""
