"""Rows of observations from the fold of a metadata log.

Most are changes of partitions, kept as tuples whose columns are made when a rule requests them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

from ...table.protocol import Row, Table, Tables
from ..source import Shown
from .columns import PARTITIONS
from .state import Ids, Partition

Earlier = tuple[int | None, int | None]
"""The file and the offset of the record that changed a partition before; None, None if none did."""
NOWHERE: Earlier = (None, None)
NOTHING: Any = (None,) * len(Partition._fields)
"""No partition: a row has none of its fields."""
_ISR, _EPOCH = map(Partition._fields.index, ("isr", "partition_epoch"))
_Column = Callable[[], Sequence[Any]]
"""Makes a column when it is requested."""


class At(NamedTuple):
    """The place of a record, and when it was written: columns of all observations."""

    cluster: int
    file: int
    offset: int
    ts: int
    controller_epoch: int
    committed: bool
    record: str


class Context(NamedTuple):
    """The possible releases of the active controller, and the levels that hold: columns of all observations.

    A feature that may be on counts as on.
    """

    releases: int
    level: int
    elr_on: bool
    migrating: bool
    unsure: bool = False
    """True if this program may not know all rules that hold here (unsure.py)."""


class Change(NamedTuple):
    """A partition before and after a record, with what only the state before the record shows.

    A field with the name of a column of PARTITIONS is that column.
    """

    at: At
    context: Context
    topic: str
    before: Partition
    """`NOTHING` for a new partition."""
    after: Partition
    earlier: Earlier
    named: bool
    inactive: Ids
    min_isr: int | None
    wrong_directories: tuple[str, ...]
    perhaps_lost: bool
    again: bool
    cordoned: Ids


class Rows:
    """Rows by their observations, until they are taken; those of PARTITIONS are in `changes`."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self._others: defaultdict[str, list[Row]] = defaultdict(list)
        self._count = 0

    def __len__(self) -> int:
        return len(self.changes) + self._count

    def add(self, observation: str, row: Row) -> None:
        self._others[observation].append(row)
        self._count += 1

    def extend(self, shown: Iterable[Shown]) -> None:
        for observation, row in shown:
            self.add(observation, row)

    def clear(self) -> None:
        self.changes = []
        self._others = defaultdict(list)
        self._count = 0

    def tables(self, tables: Tables) -> dict[str, Table]:
        """Return a table for each observation that has rows."""
        found = {name: tables.of_rows(rows) for name, rows in self._others.items()}
        return found | ({PARTITIONS.name: self.of_changes(tables)} if self.changes else {})

    def of_changes(self, tables: Tables) -> Table:
        """Return the table of PARTITIONS."""
        return tables.of_columns(len(self.changes), _columns(self.changes)) if self.changes else tables.of_rows([])


def _columns(changes: Sequence[Change]) -> Mapping[str, _Column]:
    """Return the columns of PARTITIONS, each made when it is requested."""
    own = dict(zip(Change._fields, zip(*changes, strict=True), strict=True))
    before, after = own["before"], own["after"]
    found: dict[str, _Column] = {
        **_by_name(At._fields, own["at"]),
        **_by_name(Context._fields, own["context"]),
        **_by_name(Partition._fields, after),
        **_by_name([f"before_{name}" for name in Partition._fields], before),
        **_by_name(("before_file", "before_offset"), own["earlier"]),
        **{name: partial(_itself, values) for name, values in own.items()},
    }
    isr, replicas, elr, directories = (found[name] for name in ("isr", "replicas", "elr", "directories"))
    found |= {
        "partition": found["number"],
        "created": lambda: [each is NOTHING for each in before],
        "unchanged": lambda: [*map(_is_unchanged, before, after)],
        "relocated": lambda: [*map(_is_relocated, before, after)],
        "was_empty": lambda: [each[_ISR] == () for each in before],
        "isr_size": lambda: [*map(len, isr())],
        "repeated": lambda: [*map(_repeated, isr(), replicas(), elr())],
        "directory_count": lambda: [*map(len, directories())],
        "replica_count": lambda: [*map(len, replicas())],
    }
    return {name: found[name] for name in PARTITIONS.columns}


def _by_name(names: Sequence[str], tuples: Sequence[tuple[Any, ...]]) -> dict[str, _Column]:
    """Return the columns of tuples, all made when one is requested."""
    made = cache(lambda: dict(zip(names, zip(*tuples, strict=True), strict=True)))
    return {name: partial(_of, made, name) for name in names}


def _of(made: Callable[[], Mapping[str, Sequence[Any]]], name: str) -> Sequence[Any]:
    return made()[name]


def _itself(column: Sequence[Any]) -> Sequence[Any]:
    return column


def _is_unchanged(before: Partition, after: Partition) -> bool:
    """Return whether only the partition epoch differs, which every record raises; a list's order is a difference."""
    if before[_ISR] != after[_ISR]:
        return False  # most changes
    return before[:_EPOCH] == after[:_EPOCH] and before[_EPOCH + 1 :] == after[_EPOCH + 1 :]


def _is_relocated(before: Partition, after: Partition) -> bool:
    """Return whether a record assigns replicas to other directories, and leaves the replicas unchanged."""
    return before is not NOTHING and before.replicas == after.replicas and before.directories != after.directories


@lru_cache(maxsize=65536)
def _repeated(*lists: tuple[int, ...]) -> bool:
    """Return whether one of the lists names a broker twice."""
    return any(len(set(ids)) < len(ids) for ids in lists)
