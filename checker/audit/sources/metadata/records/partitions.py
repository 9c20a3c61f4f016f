"""Records about partitions: the registration before and after each."""

from __future__ import annotations

from collections.abc import Mapping

from ......specs.metadata.levels import CORDONED
from ..fold import Fold, Handler
from ..rows import NOTHING, NOWHERE, At, Change
from ..state import NO_CHANGE, Data, Partition

CHANGE = "PARTITION_CHANGE_RECORD"
_new = tuple.__new__
"""Creates a named tuple in half the time that its class takes."""


def _create(fold: Fold, data: Data, at: At) -> None:
    after = Partition.of(data)
    there = fold.state.partitions.get(after.topic)
    if fold.state.whole and after.topic not in fold.state.names:
        fold.missing(at, after.topic, after.number)
        return
    fold.touched.setdefault(after.topic, (at, after.number))
    _record(fold, (there or {}).get(after.number), after, data, at)


def change(fold: Fold, data: Data, at: At) -> None:
    """Apply a PartitionChange."""
    topic, number = data["topicId"], data["partitionId"]
    there = fold.state.partitions.get(topic)
    before = there.get(number) if there else None
    if before is not None:
        _record(fold, before, before.merged(data), data, at)
    elif fold.state.whole:
        fold.missing(at, topic, number)
    elif fold.chronicle is not None:
        fold.chronicle.changed_unseen()


def _clear_elr(fold: Fold, data: Data, at: At) -> None:
    state, name = fold.state, data["topicName"]
    if name and name not in state.ids:
        if state.whole:
            fold.missing(at, name)
        return
    hit = state.partitions.get(state.ids[name], {}).values() if name else state.all()
    for partition in [each for each in hit if each.elr or each.last_known]:
        _record(fold, partition, partition.cleared(), {}, at)


HANDLERS: Mapping[str, Handler] = {
    "PARTITION_RECORD": _create,
    CHANGE: change,
    "CLEAR_ELR_RECORD": _clear_elr,
}


def _record(fold: Fold, before: Partition | None, after: Partition, data: Data, at: At) -> None:
    """Record a partition before and after a record with `data`; before is None for a new partition."""
    state, topic = fold.state, after.topic
    inactive = state.inactive(after.isr, after.leader)
    wrong = state.wrong_directories(after, before) if data.get("directories") else ()
    if before is None:
        state.put(after, before)
    least = state.min_isr(after)  # Kafka computes it before it writes the change, and all others of the request
    if fold.least_before and least is not None:
        least = max(least, fold.least_before.get(topic) or 0)
    if after.number == 0 and before is not None and before.replicas != after.replicas:
        fold.least_before.setdefault(topic, least)
    if before is not None:
        state.put(after, before)
    if fold.chronicle is not None:
        fold.chronicle.put(after, at)
        if before is not None:
            fold.chronicle.changed(before, after, at)
    if fold.conditions is not None:
        fold.conditions.changed(before, after, at)
    name = state.names.get(topic, topic)
    if fold.course is not None:
        fold.course.changed(name, before, after, least, state, at)
    named = data.get("leader", NO_CHANGE) != NO_CHANGE
    if named and fold.known is not None and before is not None and before.leader == after.leader:
        fold.known.leader_named_again(before, after, name, at, fold.context)
    if fold.rows is None:
        return
    key = after[:2]
    earlier = fold.last.get(key, NOWHERE)
    fold.last[key] = at[1:3]
    if before is not None and before.leader != after.leader and before.leader in state.active:
        fold.deposed.loses(before, after, at, earlier, state, fold.base)
    context = fold.known_context or fold.context
    if fold.unsure.of_some and not context.unsure and fold.unsure.has_partition(before, after):
        context = context._replace(unsure=True)
    there = NOTHING if before is None else before
    lost = bool(wrong) and state.may_be_lost(wrong)
    again = earlier[0] == at.file and (earlier[1] or 0) >= fold.base
    places = data.get("replicas") and state.level >= CORDONED
    cordoned = state.put_where_cordoned(after, before) if places else ()
    fold.rows.changes.append(
        _new(Change, (at, context, name, there, after, earlier, named, inactive, least, wrong, lost, again, cordoned))
    )
