"""The amount of a log that was judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ..table.protocol import Row


@dataclass(frozen=True)
class Scope:
    """The requested partitions that controllers' lines are about, and replicas that their brokers' lines are about."""

    partitions: int = 0
    replicas: int = 0


def scopes(rows: Iterable[Row]) -> dict[int, Scope]:
    """Return scopes by cluster that has any line; `rows` come from `observe.narrow.scope` over tables without a
    partition in common.
    """
    partitions: Counter[int] = Counter()
    replicas: Counter[int] = Counter()
    for row in rows:
        partitions[row["cluster"]] += row.get("partitions") or 0
        replicas[row["cluster"]] += row.get("replicas") or 0
    return {cluster: Scope(partitions[cluster], replicas[cluster]) for cluster in sorted(partitions)}
