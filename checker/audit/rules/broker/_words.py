"""Phrases that several rules share."""

from __future__ import annotations

from ...lines import LEADS
from ...table.protocol import Row
from ..controller._words import ids

__all__ = ["does", "ids", "where"]


def where(row: Row) -> str:
    """Return the partition of a row, as Kafka prints it, and the broker that wrote the line."""
    return f"{row['topic']}-{row['partition']} on broker {row['broker']}"


def does(row: Row) -> str:
    return "leads" if row["row"] in LEADS else "follows"
