"""How much of a log was looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ..table.protocol import Row


@dataclass(frozen=True)
class Scope:
    """Partitions that lines of controllers are about, and replicas that lines of their brokers are about, of those that
    were asked for."""

    partitions: int = 0
    replicas: int = 0


def scopes(rows: Iterable[Row]) -> dict[int, Scope]:
    """By cluster that has any line; `rows` are what `observe.narrow.scope` gives of tables without a partition in
    common."""
    partitions: Counter[int] = Counter()
    replicas: Counter[int] = Counter()
    for row in rows:
        partitions[row["cluster"]] += row.get("partitions") or 0
        replicas[row["cluster"]] += row.get("replicas") or 0
    return {cluster: Scope(partitions[cluster], replicas[cluster]) for cluster in sorted(partitions)}
