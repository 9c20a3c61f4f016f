"""Replicas whose log directory has failed, and what the broker does with them afterwards."""

from __future__ import annotations

from .....model.expr import both, false, field, true
from .....model.sorts import Bool, Int
from ...fields import delete, sorts
from ...lines import BECOME_BEGUN, OFFLINE, STOP_WHILE_OFFLINE, is_line
from ...table.protocol import Column, Table
from ..case_when import case_when
from ..compared import earlier
from ..observation import Names, Observation
from .hosted import HOSTED, HOSTED_LINES, KEPT, MERGED, in_order
from .taken import STARTS

offline = field("offline", Bool)
_LINES = (*STARTS, *BECOME_BEGUN, *OFFLINE, *STOP_WHILE_OFFLINE)


def _taken(lines: Table, key: Names, order: Names) -> Table:
    """Return roles after a failure; up to 2.0 the broker forgets an offline replica when it is to be deleted, though
    that fails.
    """
    own = lines.of_lines(_LINES)
    forgotten = both(is_line(STOP_WHILE_OFFLINE), delete)
    marked = case_when(own, off=[(forgotten, false), (is_line((*OFFLINE, *STOP_WHILE_OFFLINE)), true)])
    printed = field("off", Bool).eq(field("off", Bool))
    found = marked.along(
        key, order, offline=Column("last", "off"), **earlier("file", "line", "clock", "row", of=printed)
    )
    return found.of_lines((*STARTS, *BECOME_BEGUN)).present("offline").where(in_order())


TAKEN_OFFLINE = Observation(
    "taken_offline",
    made_from=HOSTED_LINES,
    lines=_LINES,
    columns={**HOSTED, **sorts(offline), "before_file": Int(0), "before_line": Int(0)},
    make=_taken,
    key=KEPT,
    order=MERGED,
)
"""Lines in which a broker begins a role, each with the last line that said that the replica is in a failed log
directory.
"""
