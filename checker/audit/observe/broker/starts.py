"""Lines with which a partition begins to lead or to follow on a broker, in a leader epoch."""

from __future__ import annotations

from .....model.expr import const, false, field, true
from .....model.sorts import Bool, Int
from ...fields import leader_epoch, lossy, sorts, whole
from ...table.protocol import Table
from ..compared import was
from ..observation import Names, Observation
from .hosted import HOSTED, HOSTED_LINES, KEPT, MERGED, NO_EPOCH, STARTS, STAY, followed, followed_sorts

known_epoch, first = field("known_epoch", Int()), field("first", Bool)
"""The leader epoch of the line before in the process, -1 if this is the `first`."""
_COMPARED = ("leader_epoch", "process_known", "row")


def _starts(lines: Table, key: Names, order: Names) -> Table:
    return followed(lines.of_lines(STARTS).present("leader_epoch"), key, order, *_COMPARED)


def _in_process(lines: Table, key: Names, order: Names) -> Table:
    found = _starts(lines, key, order)
    later = found.present("before_line").derive(known_epoch=was(leader_epoch), first=false)
    return later.plus(
        found.absent("before_line").derive(known_epoch=const(NO_EPOCH, Int()), first=true, gap=lossy | ~whole)
    )


ROLE_STARTS = Observation(
    "role_starts",
    made_from=HOSTED_LINES,
    lines=STARTS,
    columns={**HOSTED, **followed_sorts(*_COMPARED)},
    make=_starts,
    key=STAY,
    order=MERGED,
)
"""Where a replica begins to lead or follow, each with the one before while the broker hosts it."""

ROLE_STARTS_IN_PROCESS = Observation(
    "role_starts_in_process",
    made_from=HOSTED_LINES,
    lines=STARTS,
    columns={**HOSTED, **followed_sorts(*_COMPARED), **sorts(known_epoch, first)},
    make=_in_process,
    key=KEPT,
    order=MERGED,
)
"""The same, each with the one before in the process, whether or not the broker says that it knows of it."""
