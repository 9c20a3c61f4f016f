"""The audit and its data for PySpark: DataFrames of a user's session. docs/spark.md shows how to use it."""

from __future__ import annotations

from .audited import Audit, audit_logs, coverage, findings, happened, partitions
from .lines import events, parse, records
from .registered import register
from .stored import events_table, write_events
from .tables import SCHEMA, tables

__all__ = [
    "SCHEMA",
    "Audit",
    "audit_logs",
    "coverage",
    "events",
    "events_table",
    "findings",
    "happened",
    "parse",
    "partitions",
    "records",
    "register",
    "tables",
    "write_events",
]
