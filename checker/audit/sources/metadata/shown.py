"""All rows that the copies of a metadata log contribute.

The log is applied from its first record or a snapshot on, each snapshot is compared with it, and the copies with each
other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .....specs.metadata.levels import NAME
from .....traces.metadata.batches import Record
from .....traces.metadata.reader import NO_OP_RECORD
from ...files.metadata import Placed, Segment
from ...table.protocol import Row
from ..source import Shown
from .chronicle import Chronicle
from .columns import COPIES, LEADERS, REMEMBERED, SNAPSHOTS
from .conditions import Conditions
from .deposed import OF_BROKERS
from .fold import Fold, differences, snapshot_state
from .known import Known
from .quorum import Joined, Misfit, Quorum, Scanned, joined
from .rows import Rows
from .state import Cluster, Partition, registration
from .unsure import Unsure


@dataclass
class Seen:
    """Facts collected on the way, for the report. Facts from the snapshot at the beginning have no time."""

    records: Counter[str] = field(default_factory=Counter)
    """Records by class, each of the log once, however many copies have it."""
    leaders: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """By epoch its leader, with offset and time of the record that names it."""
    last: dict[int, Joined] = field(default_factory=dict)
    """By epoch its last committed batch."""
    levels: list[tuple[int, int | None, int]] = field(default_factory=list)
    """The levels of metadata.version with the offsets and times from which on they hold: (offset, ts, level)."""
    brokers: list[tuple[int, int | None, int, int, str]] = field(default_factory=list)
    """The epochs and states of brokers' registrations: (offset, ts, broker, epoch, state)."""
    migration: list[tuple[int, int | None, int]] = field(default_factory=list)
    """The states of a migration from ZooKeeper: (offset, ts, state)."""
    conditions: Conditions = field(default_factory=Conditions)
    """Partitions that are offline or under-replicated."""
    known: Known = field(default_factory=Known)
    """Faults that are legal in the releases that have them."""
    notes: list[str] = field(default_factory=list)
    begun: list[Row] | None = None
    """The partitions of the snapshots that history begins with; None if not requested."""
    rows: Rows | None = None
    """The rows of observations; None if not requested."""
    chronicle: Chronicle | None = None
    """The chronicle with which lines of text are compared; None if not requested."""
    unsure: Unsure = field(default_factory=Unsure)
    """Contents that this program does not know."""
    _registered: dict[int, tuple[int, str]] = field(default_factory=dict)

    def idled(self, committed: bool) -> None:
        """Count a NoOp that was alone in a batch."""
        self.records["decoded"] += 1
        if not committed:
            self.records["uncommitted"] += 1

    def counted(self, records: Sequence[Record], *, committed: bool = True) -> None:
        self.records["decoded"] += len(records)
        for record in records:
            if record.control or record.data is None:
                self.records["decoded"] -= 1
                self.records["unknown" if record.data is None else "control"] += 1
            elif record.partial:
                self.records["decoded"] -= 1
                self.records["partial"] += 1
        if not committed:
            self.records["uncommitted"] += len(records)

    def applied(self, fold: Fold, record: Record) -> None:
        """Record that a record of a type in `_KEPT_TYPES` was applied."""
        if record.type == "LEADER_CHANGE" and record.data is not None:
            self.leaders[record.epoch] = record.data["leaderId"], record.offset, record.timestamp
            return
        is_known = fold.state.whole or NAME in fold.state.features
        at = record.offset, record.timestamp
        if is_known and fold.state.level != (self.levels[-1][-1] if self.levels else 1):
            self.levels.append((*at, fold.state.level))
        if fold.state.migration != (self.migration[-1][-1] if self.migration else 0):
            self.migration.append((*at, fold.state.migration))
        if record.type not in _OF_LEVELS:
            self.registered(*at, fold.state)

    def registered(self, offset: int, ts: int | None, state: Cluster) -> None:
        """Record the brokers' states from an offset on."""
        now = {broker.id: (broker.epoch, registration(broker)) for broker in state.brokers.values()}
        over = self._registered.items() if state.whole else ()
        gone = {broker: (epoch, registration(None)) for broker, (epoch, _) in over if broker not in now}
        for broker, its in sorted({**now, **gone}.items()):
            if self._registered.get(broker) != its:
                self.brokers.append((offset, ts, broker, *its))
        self._registered = now

    def lost(self, offset: int) -> None:
        """Record that records before an offset are missing: the brokers' states are no longer known."""
        self.brokers += [(offset, None, broker, epoch, NOT_KNOWN) for broker, (epoch, _) in self._registered.items()]
        self._registered = {}


NOT_KNOWN = "Unknown"
"""A broker's state while records are missing that may have changed it."""
_OF_LEVELS = frozenset({"FEATURE_LEVEL_RECORD", "REMOVE_FEATURE_LEVEL_RECORD"})
_KEPT_TYPES = _OF_LEVELS | {
    "ZK_MIGRATION_STATE_RECORD",
    "LEADER_CHANGE",
    "END_TRANSACTION_RECORD",
    "REGISTER_BROKER_RECORD",
    *OF_BROKERS,
}
"""Types of records that change the leader, metadata.version, or a broker's state."""
_TOGETHER = 20_000
"""The number of rows judged at once, plus the rest of a batch: more would only take more memory."""


def shown(quorum: Quorum, cluster: int, seen: Seen) -> Iterator[Rows]:
    """Yield the rows of all observations, some thousand at a time; each chunk is dropped when the next is requested.

    Facts for the report go to `seen`.
    """
    seen.rows = rows = Rows()
    misfits = [misfit for each in quorum.copies for misfit in each.misfits]
    rows.extend(_leaders_elsewhere(quorum, cluster))
    waiting = snapshots(quorum)
    fold, start = first(quorum, cluster, waiting, seen)
    for each in joined(quorum, misfits):
        segment, frame, found, committed, gap = each
        if gap:
            fold, start = after_gap(quorum, cluster, waiting, frame.offset, seen)
            if seen.chronicle is not None:
                seen.chronicle.broken = True
        if committed:
            seen.last[frame.epoch] = each
        if seen.chronicle is not None and committed and found != ():
            seen.chronicle.committed(frame.epoch, each.time, frame.offset)
        beside = waiting and waiting[0][0][0] <= frame.last
        if found is None and not beside and fold.idles_at(frame.offset, frame.epoch):
            seen.idled(committed)  # half of all batches
            continue
        records = each.records
        seen.counted(records, committed=committed)
        fold.begins(frame.offset)
        for record in records:
            while waiting and waiting[0][0][0] <= record.offset:
                rows.extend(_beside(fold, waiting.pop(0)[2], segment, seen, begins=frame.offset))
            if record.offset >= start and (record.type != NO_OP_RECORD or not fold.idles(record)):
                fold.record(record, segment, committed)
                if record.type in _KEPT_TYPES:
                    seen.applied(fold, record)
        fold.ends()
        if len(rows) >= _TOGETHER:
            yield rows
            rows.clear()
    if seen.chronicle is not None:
        seen.chronicle.ends()
    for _, _, snapshot in waiting:
        if snapshot.end is not None and snapshot.end[0] == quorum.end:
            rows.extend(_beside(fold, snapshot, None, seen))
    seen.notes += quorum.strangers()
    for scanned, count in quorum.diverging():
        seen.records["uncommitted"] += count
        last = scanned.copy.segments[-1].path
        seen.notes.append(f"{last}: {count} records at its end are in no later epoch: they were never committed")
    rows.extend(_misfits(quorum, fold, misfits))
    rows.extend(_remembered(quorum, fold))
    yield rows


Waiting = list[tuple[tuple[int, int], str, Segment]]


def snapshots(quorum: Quorum) -> Waiting:
    """Return the snapshots of all copies, in the order of their ends."""
    return sorted(
        (snapshot.end, snapshot.path, snapshot)
        for each in quorum.copies
        for snapshot in each.copy.snapshots
        if snapshot.end is not None and snapshot.end[0] > 0
    )


def first(quorum: Quorum, cluster: int, waiting: Waiting, seen: Seen) -> tuple[Fold, int]:
    """Return the state with which the log begins, and the offset from which on records are applied to it."""
    if waiting and not quorum.chain.stretches:
        return _from_snapshot(quorum, cluster, waiting, waiting[-1][0][0], seen, "there is no segment with records")
    if quorum.start == 0:
        return _fold(quorum, cluster, seen), 0
    return _from_snapshot(quorum, cluster, waiting, quorum.start, seen, f"the log begins at offset {quorum.start}")


def after_gap(quorum: Quorum, cluster: int, waiting: Waiting, offset: int, seen: Seen) -> tuple[Fold, int]:
    """Return the state with which the log continues where offsets are missing, like `first`."""
    return _from_snapshot(
        quorum, cluster, waiting, offset, seen, f"records right before offset {offset} are in no file"
    )


def _from_snapshot(
    quorum: Quorum, cluster: int, waiting: Waiting, offset: int, seen: Seen, why: str
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
    state.whole, state.all_disks = _is_whole(snapshot, records), False
    seen.levels.append((end, None, state.level))
    if state.migration != (seen.migration[-1][-1] if seen.migration else 0):
        seen.migration.append((end, None, state.migration))
    seen.registered(end, None, state)
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


def _fold(quorum: Quorum, cluster: int, seen: Seen, state: Cluster | None = None, file: int = -1) -> Fold:
    """Return a fold; `state`: the known past of the cluster, from a snapshot `file`; None: the log has all of it."""
    found = Fold(
        cluster,
        state,
        from_start=state is None,
        leaders=_leaders_by_epoch(quorum),
        chronicle=seen.chronicle,
        rows=seen.rows,
        conditions=seen.conditions,
        known=seen.known,
        unsure=seen.unsure,
    )
    seen.conditions.begins(found.state, file)
    if seen.chronicle is not None:
        seen.chronicle.voters.update(quorum.voters)
    return found


def _leaders_by_epoch(quorum: Quorum) -> dict[int, tuple[int, int, int]]:
    """Return the leader of each epoch according to the first copy that is not read for its records."""
    found: dict[int, tuple[int, int, int]] = {}
    for each in quorum.copies:
        for epoch, leader, placed in each.leaders if each is not quorum.chain else ():
            found.setdefault(epoch, (leader, placed.segment.index, placed.frame.offset))
    return found


def _leaders_elsewhere(quorum: Quorum, cluster: int) -> Iterator[Shown]:
    """Yield leaders of epochs that the chain does not have, where two copies disagree."""
    own = {epoch for epoch, _, _ in quorum.chain.leaders}
    by_epoch = _leaders_by_epoch(quorum)
    for each in quorum.copies:
        for epoch, leader, placed in each.leaders:
            if epoch not in own and by_epoch[epoch][0] != leader:
                row = _row(cluster, placed, "LEADER_CHANGE", committed=True)
                other = {
                    "other_leader": by_epoch[epoch][0],
                    "before_file": by_epoch[epoch][1],
                    "before_offset": by_epoch[epoch][2],
                }
                rest = {"voters": [leader], "granting": [leader], "majority": True, "first": True, "unsure": False}
                yield LEADERS.name, row | other | rest | {"leader_id": leader}


def _remembered(quorum: Quorum, fold: Fold) -> Iterator[Shown]:
    """Yield each node's quorum-state of an epoch, beside the epoch's LeaderChange."""
    changes: dict[int, tuple[Placed, Record]] = {}
    for each in (quorum.chain, *quorum.copies):
        for epoch, _, placed in each.leaders if not each.misfits else ():
            stretch = each.stretch_at(placed.frame.offset)
            if stretch is None or stretch.last == placed.frame.last or epoch in changes:
                continue  # no CRC covers the epoch: records after it have the same
            batch = placed.segment.batches.decoded(placed.frame)
            found = [record for record in batch.records if record.type == "LEADER_CHANGE"] if batch else []
            if len(found) == 1 and found[0].data is not None:
                changes[epoch] = placed, found[0]
    for each in quorum.copies:
        own, node = each.copy.remembered, each.copy.node
        if own.epoch is None or own.epoch not in changes:
            continue
        placed, record = changes[own.epoch]
        data = record.data or {}
        granted = {str(voter["voterId"]) for voter in data["grantingVoters"]}
        row = _row(fold.cluster, placed, "LEADER_CHANGE", committed=True) | _of_quorum(fold)
        row |= {"offset": record.offset, "node": node, "leader_id": data["leaderId"]}
        for kind, other in (("leader", own.leader), ("vote", own.voted if node in granted else None)):
            if other is not None:
                yield REMEMBERED.name, row | {"kind": kind, "other_leader": other, "agrees": other == data["leaderId"]}


def _row(cluster: int, placed: Placed, kind: str, *, committed: bool) -> Row:
    frame = placed.frame
    return {
        "cluster": cluster,
        "file": placed.segment.index,
        "offset": frame.offset,
        "ts": None,
        "controller_epoch": frame.epoch,
        "committed": committed,
        "record": kind,
    }


def _beside(
    fold: Fold, snapshot: Segment, log: Segment | None, seen: Seen, *, begins: int | None = None
) -> Iterator[Shown]:
    """Compare a snapshot with the log up to its end; each row is at the snapshot's record that it is about.

    `begins`: the offset at which the batch with the record at its end begins.
    """
    records = [record for batch in snapshot.batches for record in batch.records]
    seen.counted(records)
    if not _is_whole(snapshot, records):
        seen.notes.append(f"{snapshot.path}: the snapshot is incomplete, so it is not compared with the log")
    if not fold.state.whole or snapshot.end is None or not _is_whole(snapshot, records):
        return  # absence proves nothing
    end, epoch = snapshot.end
    places = _places(records)
    row = {"cluster": fold.cluster, "file": snapshot.index, "ts": None, "controller_epoch": epoch, "committed": True}
    row |= fold.context._asdict() | {"record": "SNAPSHOT"}
    if log is not None:
        row |= {"before_file": log.index, "before_offset": end - 1}
    state, unsure = snapshot_state(records)
    unsure.join(fold.unsure)
    seen.unsure.reasons |= unsure.reasons
    for kind, names, differs in differences(state, fold.state):
        place = (None, names["broker"]) if kind == "broker" else (names.get("topic"), names.get("partition"))
        offset = places.get(place, places.get((names.get("topic"), None), 0))
        topic = fold.state.ids.get(names.get("topic", ""), state.ids.get(names.get("topic", "")))
        doubted = unsure.has(topic=topic, partition=names.get("partition"), brokers={names.get("broker", -1)})
        shown = {"kind": kind, "differs": differs, "offset": offset, "proved": True, "unsure": doubted}
        yield SNAPSHOTS.name, row | names | shown
    if fold.epoch < 0:
        return  # history has just begun with another copy of it: no record before its end is available
    wrong = [] if epoch == fold.epoch else [f"epoch {epoch} of the last record before its end, not {fold.epoch}"]
    if begins is not None and begins < end:
        wrong.append(f"the end {end} inside the batch that begins at offset {begins}")
    yield SNAPSHOTS.name, row | {"kind": "end", "differs": wrong, "offset": 0, "proved": False}


def _is_whole(snapshot: Segment, records: Sequence[Record]) -> bool:
    """Return whether a snapshot was read from its header to its footer."""
    return (
        snapshot.batches.problem is None
        and bool(records)
        and records[-1].type == "SNAPSHOT_FOOTER"
        and [record.offset for record in records] == list(range(len(records)))
    )


def _places(records: Sequence[Record]) -> dict[tuple[object, object], int]:
    """Return the offset of a snapshot's record of each topic (its name, None), partition, and broker (None, its id)."""
    names: dict[str, str] = {}
    found: dict[tuple[object, object], int] = {}
    for record in records:
        data = record.data
        if data is None:
            continue
        if record.type == "TOPIC_RECORD":
            names[data["topicId"]] = data["name"]
            found[data["name"], None] = record.offset
        elif record.type == "PARTITION_RECORD":
            found[names.get(data["topicId"], data["topicId"]), data["partitionId"]] = record.offset
        elif record.type == "REGISTER_BROKER_RECORD":
            found[None, data["brokerId"]] = record.offset
    return found


def _of_quorum(fold: Fold) -> Row:
    """Return the context of rows about the quorum, at the end of the log."""
    context = fold.context
    return context._replace(unsure=context.unsure or fold.unsure.quorum)._asdict()


def _misfits(quorum: Quorum, fold: Fold, misfits: list[Misfit]) -> Iterator[Shown]:
    """Yield misfits, and a row for each copy that fits completely."""
    context = _of_quorum(fold)
    uneven = {each.index for misfit in misfits if misfit.kind != "record" for each in misfit.copy.segments}
    for misfit in misfits:
        compared = {each.segment.index for each in (misfit.placed, misfit.other) if each is not None}
        proved = misfit.kind == "record" and not compared & uneven
        row = _row(fold.cluster, misfit.placed, "BATCH", committed=misfit.placed.frame.offset < quorum.committed)
        other = misfit.other
        where = {} if other is None else {"before_file": other.segment.index, "before_offset": other.frame.offset}
        doubted = context["unsure"] or any(_is_partial(each) for each in (misfit.placed, other) if each is not None)
        shown = {"kind": misfit.kind, "fits": False, "proved": proved, "unsure": doubted}
        yield COPIES.name, row | context | where | shown
    unfit = {id(misfit.copy) for misfit in misfits}
    for each in quorum.copies:
        if id(each.copy) not in unfit and each.stretches:
            yield COPIES.name, _whole(fold.cluster, each) | context


def _is_partial(placed: Placed) -> bool:
    """Return whether a batch has a record that this program does not know completely."""
    return any(record.partial for record in placed.segment.batches.records(placed.frame) or ())


def _whole(cluster: int, scanned: Scanned) -> Row:
    return {
        "cluster": cluster,
        "file": scanned.copy.segments[0].index,
        "offset": scanned.start,
        "ts": None,
        "controller_epoch": scanned.epoch,
        "committed": True,
        "record": "BATCH",
        "fits": True,
        "proved": False,
    }
