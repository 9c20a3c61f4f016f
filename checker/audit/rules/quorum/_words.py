"""Verdicts and phrases that several rules on nodes' lines share."""

from __future__ import annotations

from .....model.expr import ite
from ...fields import lossy
from ...sources.nodes.columns import covered, differs, fits, foreign, proposed
from ...table.protocol import Row
from ..verdicts import HELD, ILLEGAL, SILENT, SUSPICIOUS

in_doubt = ite(lossy, SUSPICIOUS, ILLEGAL)
"""Illegal; but suspicious where lines may be missing, including one about a restart of the process."""
_not_in_it = ite(foreign, SUSPICIOUS, ILLEGAL)
in_the_log = ite(fits, HELD, ite(proposed, SILENT, ite(differs.is_empty() & ~covered, SILENT, _not_in_it)))
"""Held if the metadata log has the state. Otherwise the controller may have taken it back, it may have been written
after the log was copied, or it may belong to another cluster.
"""


def printed(row: Row) -> str:
    """Return what a line prints about a partition."""
    parts = [("leader epoch", row.get("leader_epoch")), ("leader", row.get("leader")), ("ISR", row.get("isr"))]
    return ", ".join(f"{name} {_text(value)}" for name, value in parts if value is not None)


def known(row: Row) -> str:
    """Return what the log has there."""
    if row.get("known_leader") is None:
        return "no such partition epoch in the metadata log"
    leader, epoch, isr = row["known_leader"], row["known_leader_epoch"], row["known_isr"]
    return f"leader epoch {epoch}, leader {leader}, ISR {_text(isr)}"


def _text(value: object) -> str:
    return str(list(value)) if isinstance(value, (list, tuple, set, frozenset)) else str(value)


def contradicts(row: Row) -> bool:
    return row.get("known_leader") is not None
