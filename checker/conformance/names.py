"""Names in logs of the elements of a model's finite sorts: ids of brokers, topics and partition numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...model.cluster.state import Partition
from ...model.sorts import FiniteSort, MapSort, OptionSort, RecordSort, SeqSort, SetSort, Sort, Value

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
        if isinstance(sort, FiniteSort) and column in ("topic", "partition"):
            return self.partitions[value][column == "partition"]
        if isinstance(sort, FiniteSort) and column == "detail":
            return "{}-{}".format(*self.partitions[value])
        if isinstance(sort, SetSort) and column == "lagging":
            return tuple(number for each in sorted(value) for number in (self.brokers[each], LOG_END))
        if isinstance(sort, FiniteSort):
            return self.brokers[value]
        if isinstance(sort, OptionSort):
            return NO_LEADER if value is None else self.printed(column, value, sort.element)
        if isinstance(sort, SetSort) and sort.element == Partition:
            return ",".join(self.printed("detail", each, sort.element) for each in sorted(value))
        if isinstance(sort, SetSort) and column == "detail":
            members = ", ".join(str(self.brokers[each]) for each in sorted(value))
            return f"CommittedPartitionState(isr=Set({members}), leaderRecoveryState=RECOVERED)"
        if isinstance(sort, SetSort):
            return tuple(sorted(self.printed(column, each, sort.element) for each in value))
        if isinstance(sort, MapSort | SeqSort):  # places in order, some of which may be free
            inner = sort.value if isinstance(sort, MapSort) else sort.element
            return tuple(self.printed(column, each, inner) for each in value if each is not None)
        if isinstance(sort, RecordSort):
            raise TypeError(f"column {column} cannot print a record")
        return value

    def topics(self, partitions: Iterable[int]) -> str:
        """The topics of some partitions, as they are listed."""
        return ",".join(sorted({self.partitions[each][0] for each in partitions}))


def numbered(brokers: int, partitions: int) -> Names:
    """Brokers 1, 2 ..., and a topic of one partition each: t1-0, t2-0 ..."""
    topics = [f"t{number + 1}" for number in range(partitions)]
    return Names(range(1, brokers + 1), [(topic, 0) for topic in topics])
