"""What several rules on the metadata log share."""

from __future__ import annotations

from .....model.expr import Expr, ite
from ...sources.metadata.columns import committed
from ...table.protocol import Row
from ..verdicts import HELD, ILLEGAL, SUSPICIOUS


def broken_unless(condition: Expr) -> Expr:
    """Held where the condition is; else illegal, but suspicious in a record that is not known to be committed: the
    controller that wrote it may have taken it back."""
    return ite(condition, HELD, ite(committed, ILLEGAL, SUSPICIOUS))


def where(row: Row) -> str:
    """The partition of a row, or its topic."""
    return f"{row['topic']}-{row['partition']}" if row.get("partition") is not None else str(row["topic"])


def ids(brokers: object) -> str:
    """Brokers as Kafka prints a list."""
    return str(list(brokers)).replace("'", "") if isinstance(brokers, (list, tuple, set)) else str(brokers)
