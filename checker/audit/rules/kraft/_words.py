"""Verdicts and phrases that several rules on the metadata log share."""

from __future__ import annotations

from .....model.expr import Expr, ite
from ...sources.metadata.columns import committed
from ...table.protocol import Row
from ..verdicts import HELD, ILLEGAL, SUSPICIOUS


def broken_unless(condition: Expr) -> Expr:
    """Return held where the condition is; else illegal, but suspicious in a record that is not known to be committed.

    The controller that wrote such a record may have taken it back.
    """
    return ite(condition, HELD, ite(committed, ILLEGAL, SUSPICIOUS))


def where(row: Row) -> str:
    """Return the partition of a row, or its topic."""
    return f"{row['topic']}-{row['partition']}" if row.get("partition") is not None else str(row["topic"])


def ids(brokers: object) -> str:
    """Return brokers as Kafka prints a list."""
    return str(list(brokers)).replace("'", "") if isinstance(brokers, (list, tuple, set)) else str(brokers)
