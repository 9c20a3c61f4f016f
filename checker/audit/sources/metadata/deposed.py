"""Active leaders that lose a partition, until the record that explains it: the source of DEPOSED."""

from __future__ import annotations

from collections.abc import Iterator

from ...table.protocol import Row
from .rows import At, Earlier
from .state import Cluster, Data, Partition

OF_BROKERS = (
    *("UNREGISTER_BROKER_RECORD", "BROKER_REGISTRATION_CHANGE_RECORD"),
    *("FENCE_BROKER_RECORD", "UNFENCE_BROKER_RECORD"),
)
"""Records beside which stand the changes of partitions that belong to them."""
_ABOUT = (*OF_BROKERS, "REGISTER_BROKER_RECORD")


class Deposed:
    """Active leaders that lost a partition since the last record that changed none.

    Changes of partitions come from a handler that ends with a record about the broker, perhaps in the next batch if
    there are thousands. Records two batches later belong to something else.
    """

    def __init__(self) -> None:
        self.waiting: list[tuple[int, Partition, At, Earlier]] = []
        """The leader, the partition afterwards, the place of the record, and the place of the one that changed it
        before.
        """
        self._since = -1

    def begins(self, last: int) -> None:
        """Begin a batch after the one at offset `last`."""
        if self._since != last:
            self.waiting = []

    def loses(self, before: Partition, after: Partition, at: At, earlier: Earlier, state: Cluster, batch: int) -> None:
        """Record that an active leader loses a partition in the batch at an offset.

        It is kept unless the leader stays in the ISR, was moved away, or has its replica in a directory that it lost.
        """
        broker = before.leader
        if broker in after.isr or broker not in after.replicas or state.lost_directory(before, broker):
            return
        if not self.waiting:
            self._since = batch
        self.waiting.append((broker, after, at, earlier))

    def explained(self, kind: str, data: Data, state: Cluster) -> Iterator[tuple[At, Row]]:
        """Yield a row, and the record that it is about, for each leader that the first record without a change of a
        partition is not about.
        """
        about = data.get("brokerId", data.get("id")) if kind in _ABOUT else None
        waiting, self.waiting = self.waiting, []
        for broker, after, at, (file, offset) in waiting:
            if broker != about:
                columns = {
                    "topic": state.names.get(after.topic, after.topic),
                    "partition": after.number,
                    "broker": broker,
                    "leader": after.leader,
                    "isr": list(after.isr),
                    "replicas": list(after.replicas),
                    "before_file": file,
                    "before_offset": offset,
                }
                yield at, columns
