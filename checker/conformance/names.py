"""Names in logs of the elements of a model's finite sorts: ids of brokers, topics and partition numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...model.cluster.state import Partition
from ...model.sorts import SCALARS, BySort, FiniteSort, MapSort, OptionSort, SeqSort, SetSort, Sort, Value

NO_LEADER = -1
LOG_END = 0
"""The log end offset in a model without records."""


@dataclass(frozen=True)
class Names:
    """The broker ids, and the partitions as (topic, number), by the numbers of the elements that stand for them."""

    brokers: Sequence[int]
    partitions: Sequence[tuple[str, int]]

    def printed(self, column: str, value: Value, sort: Sort | None) -> Value:
        """A value of the model as the column of an event that is printed."""
        return value if sort is None else _PRINTED[type(sort)](self, column, value, sort)

    def topics(self, partitions: Iterable[int]) -> str:
        """The topics of some partitions, as they are listed."""
        return ",".join(sorted({self.partitions[each][0] for each in partitions}))


def numbered(brokers: int, partitions: int) -> Names:
    """Brokers 1, 2 ..., and a topic of one partition each: t1-0, t2-0 ..."""
    topics = [f"t{number + 1}" for number in range(partitions)]
    return Names(range(1, brokers + 1), [(topic, 0) for topic in topics])


def _element(names: Names, column: str, value: Value, sort: FiniteSort) -> Value:
    if column in ("topic", "partition"):
        return names.partitions[value][column == "partition"]
    return "{}-{}".format(*names.partitions[value]) if column == "detail" else names.brokers[value]


def _set(names: Names, column: str, value: Value, sort: SetSort) -> Value:
    if column == "lagging":
        return tuple(number for each in sorted(value) for number in (names.brokers[each], LOG_END))
    if sort.element == Partition:
        return ",".join(names.printed("detail", each, sort.element) for each in sorted(value))
    if column == "detail":
        members = ", ".join(str(names.brokers[each]) for each in sorted(value))
        return f"CommittedPartitionState(isr=Set({members}), leaderRecoveryState=RECOVERED)"
    return tuple(sorted(names.printed(column, each, sort.element) for each in value))


def _places(names: Names, column: str, value: Value, inner: Sort) -> Value:
    """Places in order, some of which may be free."""
    return tuple(names.printed(column, each, inner) for each in value if each is not None)


_PRINTED: BySort[Value] = BySort(
    {
        **dict.fromkeys(SCALARS, lambda names, column, value, sort: value),
        FiniteSort: _element,
        SetSort: _set,
        OptionSort: lambda names, column, value, sort: (
            NO_LEADER if value is None else names.printed(column, value, sort.element)
        ),
        MapSort: lambda names, column, value, sort: _places(names, column, value, sort.value),
        SeqSort: lambda names, column, value, sort: _places(names, column, value, sort.element),
    },
    "a column of a line cannot print a record, {sort}",
)
