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
from .state import Partition

PARTITION_CHANGES, REFERENCES, TOPICS = "metadata_partitions", "metadata_references", "metadata_topics"
REGISTRATIONS, FENCINGS, LEADERS = "metadata_registrations", "metadata_fencings", "metadata_leaders"
REMEMBERED, DEPOSED = "metadata_quorum_states", "metadata_deposed_leaders"
VOTERS, TRANSACTIONS, PRODUCERS = "metadata_voters", "metadata_transactions", "metadata_producer_ids"
BEGINNINGS, SNAPSHOTS, COPIES = "metadata_beginnings", "metadata_snapshots", "metadata_copies"
LEVELS, CONTROLLERS = "metadata_levels", "metadata_controllers"


class At(NamedTuple):
    """The place of a record, and when it was written."""

    cluster: int
    file: int
    offset: int
    ts: int
    controller_epoch: int
    committed: bool
    record: str


class Context(NamedTuple):
    """The possible releases of the active controller, and the levels that hold; a feature that may be on counts as
    on.
    """

    releases: int
    level: int
    elr_on: bool
    migrating: bool
    unsure: bool = False
    """True if this program may not know all rules that hold here (unsure.py)."""


Change = tuple[
    At,
    Context,
    str,
    Partition,
    Partition,
    tuple[int | None, int | None],
    bool,
    tuple[int, ...],
    int | None,
    tuple[str, ...],
    bool,
    bool,
    tuple[int, ...],
]
"""A partition before and after a record; the state of everything else is that before the record.

The fields: its place, the context, the topic's name, the partition before (`NOTHING` for a new one) and after, the file
and the offset of the record that changed it last (`NOWHERE` if none did), and the columns of `_OTHERS`. No value is a
list: Python's collector then untracks the change at once.
"""
_Column = Callable[[], Sequence[Any]]
"""Makes a column when it is requested."""
_OTHERS = ("named", "inactive", "min_isr", "wrong_directories", "perhaps_lost", "again", "cordoned")
"""Columns: whether the record names a leader; `inactive`, `min_isr`, `wrong_directories`, `may_be_lost` and
`put_where_cordoned` of `Cluster`; whether a record of the same batch changed the partition before.
"""


NOTHING: Any = (None,) * len(Partition._fields)
"""No partition: a row has none of its fields."""
NOWHERE = (None, None)
_ISR, _EPOCH = map(Partition._fields.index, ("isr", "partition_epoch"))
_STATE = Partition._fields[Partition._fields.index("leader") : _EPOCH + 1]
_SHOWN = (
    *(*At._fields, *Context._fields, "topic", "partition", *_STATE, *(f"before_{name}" for name in _STATE)),
    *("before_file", "before_offset", *_OTHERS),
)


class Rows:
    """Rows by their observations, until they are taken; those of PARTITION_CHANGES are in `changes`."""

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
        return found | ({PARTITION_CHANGES: self.of_changes(tables)} if self.changes else {})

    def of_changes(self, tables: Tables) -> Table:
        """Return the table of PARTITION_CHANGES."""
        return tables.of_columns(len(self.changes), _columns(self.changes)) if self.changes else tables.of_rows([])


def _columns(changes: Sequence[Change]) -> Mapping[str, _Column]:
    """Return the columns of PARTITION_CHANGES, each made when it is requested."""
    at, context, topic, before, after, earlier, *others = zip(*changes, strict=True)
    columns: dict[str, _Column] = {
        **_by_name(At._fields, at),
        **_by_name(Context._fields, context),
        **_by_name(Partition._fields, after),
        **_by_name([f"before_{name}" for name in Partition._fields], before),
        **_by_name(("before_file", "before_offset"), earlier),
        **{name: partial(_itself, own) for name, own in zip(_OTHERS, others, strict=True)},
    }
    columns |= {"topic": partial(_itself, topic), "partition": columns["number"]}
    isr, replicas, elr, directories = (columns[name] for name in ("isr", "replicas", "elr", "directories"))
    return {
        **{name: columns[name] for name in _SHOWN},
        "created": lambda: [each is NOTHING for each in before],
        "unchanged": lambda: [*map(_is_unchanged, before, after)],
        "relocated": lambda: [*map(_is_relocated, before, after)],
        "was_empty": lambda: [each[_ISR] == () for each in before],
        "isr_size": lambda: [*map(len, isr())],
        "repeated": lambda: [*map(_repeated, isr(), replicas(), elr())],
        "directory_count": lambda: [*map(len, directories())],
        "replica_count": lambda: [*map(len, replicas())],
    }


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
