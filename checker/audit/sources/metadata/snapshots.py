"""Snapshots beside the log up to their ends: the rows of SNAPSHOTS."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .....specs.metadata.levels import DIRECTORIES, NAME
from .....traces.metadata.batches import Record
from ...files.metadata import Segment
from ..source import Shown
from .apply import snapshot_state
from .columns import SNAPSHOTS
from .fold import Fold
from .foreign import APART, shares_nothing
from .seen import Collected
from .state import Cluster, Partition


def rows_of_snapshot(
    fold: Fold, snapshot: Segment, log: Segment | None, seen: Collected, *, begins: int | None = None
) -> Iterator[Shown]:
    """Compare a snapshot with the log up to its end; each row is at the snapshot's record that it is about.

    `begins`: the offset at which the batch with the record at its end begins.
    """
    records = [record for batch in snapshot.batches for record in batch.records]
    seen.counted(records)
    if not is_whole(snapshot, records):
        snapshot.damage[_lacking(snapshot, records)] = None
    if not fold.state.whole or snapshot.end is None or not is_whole(snapshot, records):
        return  # absence proves nothing
    end, epoch = snapshot.end
    places = _places(records)
    row = {"cluster": fold.cluster, "file": snapshot.index, "ts": None, "controller_epoch": epoch, "committed": True}
    row |= fold.context._asdict() | {"record": "SNAPSHOT"}
    if log is not None:
        row |= {"before_file": log.index, "before_offset": end - 1}
    state, unsure = snapshot_state(records)
    if shares_nothing(state, fold.state):
        snapshot.damage[APART] = None
        return
    unsure.join(fold.unsure)
    seen.unsure.reasons |= unsure.reasons
    for kind, names, differs in _differences(state, fold.state):
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


def _lacking(snapshot: Segment, records: Sequence[Record]) -> str:
    """Return the reason why a snapshot is not whole, in words."""
    if not records:
        zeros = snapshot.batches.zeros
        why = f"it has {zeros} zeros, and no record" if zeros else "it has no record"
    elif records[-1].type != "SNAPSHOT_FOOTER":
        why = "its end is missing"
    else:
        why = "records are missing, doubled, or out of order"
    return f"{why}: the snapshot is incomplete, so it is not compared with the log"


def is_whole(snapshot: Segment, records: Sequence[Record]) -> bool:
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


def _differences(snapshot: Cluster, state: Cluster) -> Iterator[tuple[str, dict[str, Any], list[str]]]:
    """Yield differences between a snapshot and the log's state at its end: per entity its kind, its names, and what
    differs.
    """
    for topic in sorted({*snapshot.names, *state.names}):
        name = state.names.get(topic, snapshot.names.get(topic, topic))
        here, there = snapshot.partitions.get(topic, {}), state.partitions.get(topic, {})
        if (topic in snapshot.names) != (topic in state.names):
            yield "topic", {"topic": name}, [f"the topic {_only(topic in snapshot.names)}"]
            continue
        for number in sorted({*here, *there}):
            yield (
                "partition",
                {"topic": name, "partition": number},
                _partition_differences(here.get(number), there.get(number), elr=state.elr),
            )
    for broker in sorted({*snapshot.brokers, *state.brokers}):
        one, other = snapshot.brokers.get(broker), state.brokers.get(broker)
        found = [_only(one is not None)] if one is None or other is None else []
        if one is not None and other is not None:
            found = [
                f"{name} {getattr(one, name)}, not {getattr(other, name)}"
                for name in ("epoch", "incarnation", "fenced", "in_shutdown")
                if getattr(one, name) != getattr(other, name)
            ]
            if state.level >= DIRECTORIES and sorted(one.directories) != sorted(other.directories):
                found.append("directories")
        yield "broker", {"broker": broker}, found
    for feature in sorted({*snapshot.features, *state.features}):
        absent = 1 if feature == NAME else 0  # a log without the record runs at 3.0-IV1
        one_level, other_level = snapshot.features.get(feature, absent), state.features.get(feature, absent)
        yield "feature", {}, [] if one_level == other_level else [f"{feature} {one_level}, not {other_level}"]


def _only(in_snapshot: bool) -> str:
    return "is only in the snapshot" if in_snapshot else "is not in the snapshot"


def _partition_differences(one: Partition | None, other: Partition | None, *, elr: bool) -> list[str]:
    """Return the fields in which a snapshot's partition is not the log's; `elr`: eligible leader replicas are on.

    Where they were on and are turned off, partitions keep theirs until they change, and snapshots do not contain them
    (ImageWriterOptions.isEligibleLeaderReplicasEnabled, since 4.0).
    """
    if one is None or other is None:
        return [_only(one is not None)]
    if not elr and not (one.elr or one.last_known):
        other = other._replace(elr=(), last_known=())
    return [f"{name} {getattr(one, name)}, not {getattr(other, name)}" for name in one.differences(other)]
