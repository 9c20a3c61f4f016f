"""Lines with which a partition begins to lead or to follow on a broker, in a leader epoch."""

from __future__ import annotations

from .....model.expr import const, false, field, true
from .....model.sorts import Bool, Int
from ...fields import delete, leader_epoch, lossy, previous_leader_epoch, sorts
from ...lines import REPLICA_STOPPED
from ...table.encoding import Flag
from ...table.protocol import Column, Table
from ..case_when import case_when
from ..compared import was
from ..observation import Names, Observation
from .hosted import (
    AGAINST,
    HOSTED,
    HOSTED_LINES,
    KEPT,
    MERGED,
    NO_EPOCH,
    STAY,
    against,
    followed,
    followed_sorts,
    gap_in_journal,
    remembers,
    unknown_since,
)
from .taken import STARTS, had_epoch, received

epoch_before, first = field("epoch_before", Int()), field("first", Bool)
"""The broker's previous leader epoch, -1 if this is the `first` in its process."""
request_shown = field("request_shown", Flag)
"""True if the request with which the broker begins is available: at TRACE, as all are then."""
deleted_here = field("deleted_here", Flag)
"""True if the last deletion before is one for which the broker says that it stopped the replica."""
epoch_taken = field("epoch_taken", Int())
"""The leader epoch of the line before, or the one that this line prints as the previous one, if that is larger."""
_COMPARED = ("leader_epoch", "process_known", "row")


def _starts(lines: Table, key: Names, order: Names) -> Table:
    found = followed(lines.of_lines(STARTS).present("leader_epoch"), key, order, *_COMPARED)
    before = was(leader_epoch)
    return case_when(
        found.derive(alone=lossy).filled("gap", "alone"),
        epoch_taken=[
            (before < previous_leader_epoch, previous_leader_epoch),
            (true, before),
            (remembers, previous_leader_epoch),
        ],
    )


def _had(lines: Table, *_: Names) -> Table:
    asked = lines.of_lines(STARTS).present("previous_leader_epoch")
    starts = asked.derive(request_shown=received(leader_epoch).eq(leader_epoch))
    later = against(starts, "had").derive(epoch_before=had_epoch, first=false, gap=gap_in_journal)
    none = starts.absent("had_line").derive(epoch_before=const(NO_EPOCH, Int()), first=true, gap=unknown_since)
    gone = lines.of_lines(REPLICA_STOPPED).where(delete).derive(deletions=field("deletions", Int(0)) + 1)
    deleted = gone.grouped(KEPT, n=Column("count")).derive(deleted_here=true)
    return later.plus(none).attached(deleted, KEPT, ("deleted_here",))


ROLE_STARTS = Observation(
    "role_starts",
    made_from=HOSTED_LINES,
    lines=STARTS,
    columns={**HOSTED, **followed_sorts(*_COMPARED), **sorts(epoch_taken)},
    make=_starts,
    key=STAY,
    order=MERGED,
)
"""Lines in which a replica begins to lead or follow, each with the previous one while the broker hosts it."""

EPOCHS_BEFORE = Observation(
    "epochs_before",
    made_from=HOSTED_LINES,
    lines=STARTS + REPLICA_STOPPED,
    columns={**AGAINST, **sorts(epoch_before, first, request_shown, deleted_here)},
    make=_had,
    key=KEPT,
    order=MERGED,
)
"""Lines in which a replica begins to lead or follow and prints the previous epoch, with the broker's actual one."""
