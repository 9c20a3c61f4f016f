"""What rules on whole requests share."""

from __future__ import annotations

from ...sources.requests.columns import KINDS
from ...table.protocol import Row


def request(row: Row, kind: int = 0) -> str:
    """The request of a row, and who handles it."""
    return f"{KINDS[kind]} request {row['correlation_id']} of controller {row['controller']} to broker {row['broker']}"
