"""Beginnings of history along a metadata log: at its first record, or with a snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .....traces.metadata.batches import Record
from ...files.metadata import Segment
from ...table.protocol import Row
from .apply import snapshot_state
from .copies import leaders_by_epoch
from .fold import Fold
from .quorum import Quorum
from .seen import Collected
from .snapshots import is_whole
from .state import Cluster, Partition

Waiting = list[tuple[tuple[int, int], str, Segment]]


def snapshots(quorum: Quorum) -> Waiting:
    """Return the snapshots of all copies, in the order of their ends."""
    return sorted(
        (snapshot.end, snapshot.path, snapshot)
        for each in quorum.copies
        for snapshot in each.copy.snapshots
        if snapshot.end is not None and snapshot.end[0] > 0
    )


def first(quorum: Quorum, cluster: int, waiting: Waiting, seen: Collected) -> tuple[Fold, int]:
    """Return the state with which the log begins, and the offset from which on records are applied to it."""
    if waiting and not quorum.chain.stretches:
        return _from_snapshot(quorum, cluster, waiting, waiting[-1][0][0], seen, "there is no segment with records")
    if quorum.start == 0:
        return _fold(quorum, cluster, seen), 0
    return _from_snapshot(quorum, cluster, waiting, quorum.start, seen, f"the log begins at offset {quorum.start}")


def after_gap(quorum: Quorum, cluster: int, waiting: Waiting, offset: int, seen: Collected) -> tuple[Fold, int]:
    """Return the state with which the log continues where offsets are missing, like `first`."""
    return _from_snapshot(
        quorum, cluster, waiting, offset, seen, f"records right before offset {offset} are in no file"
    )


def _from_snapshot(
    quorum: Quorum, cluster: int, waiting: Waiting, offset: int, seen: Collected, why: str
) -> tuple[Fold, int]:
    while waiting and waiting[0][0][0] < offset:
        waiting.pop(0)
    if not waiting:
        seen.notes.append(f"{why}, and no snapshot shows the state before that: earlier events are not judged")
        if seen.chronicle is not None:
            seen.chronicle.from_start, seen.chronicle.start = False, offset
        seen.lost(offset)
        return _fold(quorum, cluster, seen, Cluster(whole=False)), offset
    (end, _), path, snapshot = waiting.pop(0)
    seen.notes.append(f"{why}: history begins with the snapshot {path}")
    records = [record for batch in snapshot.batches for record in batch.records]
    seen.counted(records)
    state, unsure = snapshot_state(records)
    seen.unsure.join(unsure)
    state.whole, state.all_disks = is_whole(snapshot, records), False
    seen.levels.append((end, None, state.level))
    if state.migration != (seen.migration[-1][-1] if seen.migration else 0):
        seen.migration.append((end, None, state.migration))
    seen.registered(end, None, state)
    seen.course.at[end, None] = snapshot.index
    if seen.begun is not None:
        seen.begun += _partitions(snapshot, cluster, records, state)
    if seen.chronicle is not None:
        seen.chronicle.begins(state, snapshot.index, end)
    return _fold(quorum, cluster, seen, state, snapshot.index), end


def _partitions(snapshot: Segment, cluster: int, records: Iterable[Record], state: Cluster) -> Iterator[Row]:
    """Yield the partitions of a snapshot, each at its record there, as rows of PARTITIONS have them."""
    for offset, _, time, _, kind, _, data, *_ in records:
        if kind == "PARTITION_RECORD" and data is not None:
            partition = Partition.of(data)
            named = {"topic": state.names.get(partition.topic, partition.topic), "partition": partition.number}
            place = {
                "cluster": cluster,
                "file": snapshot.index,
                "offset": offset,
                "ts": time,
                "controller_epoch": None,  # a snapshot does not name its writer
            }
            yield partition._asdict() | named | place


def _fold(quorum: Quorum, cluster: int, seen: Collected, state: Cluster | None = None, file: int = -1) -> Fold:
    """Return a fold; `state`: the known past of the cluster, from a snapshot `file`; None: the log has all of it."""
    found = Fold(
        cluster,
        Cluster() if state is None else state,
        first_broker_seen=state is not None,
        leaders=leaders_by_epoch(quorum),
        chronicle=seen.chronicle,
        rows=seen.rows,
        conditions=seen.conditions,
        course=seen.course,
        known=seen.known,
        unsure=seen.unsure,
    )
    seen.conditions.begins(found.state, file)
    seen.course.begins(found.state, file)
    if seen.chronicle is not None:
        seen.chronicle.voters.update(quorum.voters)
    return found
