"""docs/spark-tables.md: the columns of the tables of isrproof.spark, from their declaration."""

from __future__ import annotations

from collections.abc import Sequence

from ...spark.tables import SCHEMA, Column, structs, tables
from . import table

PATH = "docs/spark-tables.md"
NEXT = "[Rules](rules.md), for the codes in the tables, or [what happened](happened.md)"


def write() -> str:
    """Return a section for each table, and the fields of structs."""
    lines = [
        "# Tables of isrproof.spark",
        "",
        "This page lists the columns of the tables that [isrproof.spark](spark.md) makes. Their version is",
        f"`{SCHEMA}`: the number changes if a column is removed, or changes its type or its meaning; a new column does",
        "not change it. A value that a line does not print is null. A `timestamp_ntz` is a time as the line prints it,",
        "which has no zone.",
        "",
        "`python -m isrproof.checker.pages` writes this page from `spark/tables.py`, `spark/meanings.toml`, and the",
        "classes of the audit.",
    ]
    for each in tables().values():
        lines += ["", f"## {each.name}", "", each.says, "", *_columns(each.columns)]
    lines += ["", "## Structs", "", "A column of type `struct` has these fields."]
    for name, fields in structs().items():
        lines += ["", f"### {name}", "", *_columns(fields)]
    return "\n".join(lines) + "\n"


def _columns(columns: Sequence[Column]) -> list[str]:
    return table(("column", "type", "meaning"), ((each.name, f"`{each.type}`", each.meaning) for each in columns))
