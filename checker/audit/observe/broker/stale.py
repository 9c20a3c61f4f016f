"""A broker's cached states of a partition, beside the leader epochs that it adopted as a replica; by its own clock."""

from __future__ import annotations

from .....model.expr import both, const, field
from .....model.sorts import Bool, Int
from ...fields import (
    LEADER_DURING_DELETE,
    leader,
    leader_epoch,
    lived_until,
    lossy,
    of_zookeeper,
    process_known,
    sorts,
    whole,
)
from ...lines import BECOME_BEGUN, CACHED, FORGOTTEN, is_line
from ...table.encoding import Flag
from ...table.protocol import Column, Table
from ..case_when import case_when
from ..compared import earlier
from ..observation import Input, Names, Observation
from ..order import NEAR
from ..placed import EVENTS
from .fetching import SOON
from .hosted import HOSTED, HOSTED_LINES, REPLICA
from .taken import STARTS, received, same_request

taken_epoch, cached_epoch = field("taken_epoch", Int()), field("cached_epoch", Int())
_none = const(0, Int(0))


def _together(hosted: Table, events: Table) -> Table:
    """Return both kinds of lines, of complete journals in which each start of a process shows."""
    cached = events.present("journal", *NEAR).of_lines(CACHED + FORGOTTEN)
    lines = hosted.of_lines((*STARTS, *BECOME_BEGUN)).plus(cached)
    return lines.where(both(process_known, of_zookeeper, whole, ~lossy))


def _stale(lines: Table, key: Names, order: Names) -> Table:
    """Return the last leader epoch that a broker adopted in its process, with the last one that it cached there.

    Where the partition or the replica was deleted, epochs may restart: nothing is compared.
    """
    dying = lines.of_lines(CACHED + FORGOTTEN).derive(dying=leader.eq(LEADER_DURING_DELETE))
    marked = dying.derive(gone=is_line(FORGOTTEN) | field("dying", Flag))
    forgotten = marked.where(field("gone", Bool)).grouped(key, forgotten=Column("count"))
    cached = marked.where(~field("gone", Bool)).present("leader_epoch")
    most = cached.grouped(key, cached_epoch=Column("max", "leader_epoch"))
    own = case_when(
        lines.along(key, order, **earlier("line", "file", of=is_line(CACHED))).of_lines((*STARTS, *BECOME_BEGUN)),
        taken_epoch=[
            (is_line(STARTS), leader_epoch),
            (both(is_line(BECOME_BEGUN), same_request), received(leader_epoch)),
        ],
    ).present("taken_epoch")
    taken = own.grouped(key, most=Column("max", "taken_epoch"))
    last = own.attached(taken, key, ("most",)).where(taken_epoch.eq(field("most", Int())))
    first_taken = last.along(key, order, earlier=Column("so_far")).where(field("earlier", Int(0)).eq(0))
    renewed = first_taken.attached(forgotten, key, ("forgotten",)).absent("forgotten")
    kept = renewed.where(field("deletions", Int(0)).eq(0))
    found = kept.attached(most, key, ("cached_epoch",))
    return found.present("cached_epoch").where(field("clock", Int()) + SOON < lived_until)


METADATA_BESIDE_TAKEN = Observation(
    "metadata_beside_taken",
    made_from=Input(
        "replicas and metadata of a broker",
        lines=(*HOSTED_LINES.lines, *CACHED, *FORGOTTEN),
        of=(HOSTED_LINES, EVENTS),
        of_inputs=_together,
    ),
    lines=(*STARTS, *BECOME_BEGUN, *CACHED, *FORGOTTEN),
    columns={
        **HOSTED,
        **sorts(taken_epoch, cached_epoch),
        "before_line": Int(0),
        "before_file": Int(0),
    },
    make=_stale,
    key=REPLICA,
    order=("ts", "at", "file"),
)
"""Lines in which a broker adopted the last leader epoch of a partition in its process, at least a minute before its
last line; with the greatest epoch that it cached there, and the line before that caches one.
"""
