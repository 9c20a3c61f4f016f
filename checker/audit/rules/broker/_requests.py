"""Phrases that rules on whole requests share."""

from __future__ import annotations

from ...sources.requests.columns import KINDS
from ...table.protocol import Row


def request(row: Row, kind: int = 0) -> str:
    """Return the request of a row, and the broker that handles it."""
    return f"{KINDS[kind]} request {row['correlation_id']} of controller {row['controller']} to broker {row['broker']}"
