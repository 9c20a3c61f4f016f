"""An excuse: a way in which a log can show what a finding says although Kafka did nothing wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...observe.observation import Input
from ...table.protocol import Row, Table

DOUBT, DOUBTED = "doubt", "doubted"
"""Columns of a failing row that is suspicious though its rule says more: the assumption that would make it certain,
and the rule's own verdict."""


@dataclass(frozen=True)
class Excuse:
    """A way in which the log may deceive; what it explains is suspicious at most."""

    name: str
    """Observations name it (`Input.excuses`)."""
    assumes: str
    """The `assumption` of a finding that it explains."""
    says: str
    """The possible explanation, as a clause for people."""
    asks: Callable[[Row], bool]
    """Returns True if it can explain a failing row at all."""
    explained: Callable[[Sequence[Row], Mapping[Input, Table]], Sequence[bool]]
    """Returns, for each of some failing rows, whether it explains the row; the tables are those of their partitions."""


def doubted(row: Row, assumes: str) -> Row:
    """A failing row, now suspicious."""
    return row | {"verdict": "suspicious", DOUBT: assumes, DOUBTED: row["verdict"]}
