"""All rows that the copies of a metadata log contribute.

The log is applied from its first record or a snapshot on, each snapshot is compared with it, and the copies with each
other.
"""

from __future__ import annotations

from collections.abc import Iterator

from .....traces.metadata.reader import NO_OP_RECORD
from .apply import apply
from .beginnings import after_gap, first, snapshots
from .copies import rows_of_leaders, rows_of_misfits, rows_of_quorum_states
from .quorum import Quorum, Scanned, joined
from .rows import Rows
from .seen import KEPT_TYPES, Collected
from .snapshots import rows_of_snapshot

_TOGETHER = 20_000
"""The number of rows judged at once, plus the rest of a batch: more would only take more memory."""


def shown(quorum: Quorum, cluster: int, seen: Collected) -> Iterator[Rows]:
    """Yield the rows of all observations, some thousand at a time; each chunk is dropped when the next is requested.

    Facts for the report go to `seen`.
    """
    seen.rows = rows = Rows()
    if quorum.doubtful:
        seen.unsure.everything = True
        seen.unsure.reasons["files of several clusters are among these, and nothing shows which of them is meant"] = 1
    misfits = [misfit for each in quorum.copies for misfit in each.misfits]
    rows.extend(rows_of_leaders(quorum, cluster))
    waiting = snapshots(quorum)
    fold, start = first(quorum, cluster, waiting, seen)
    cut = start > 0
    for each in joined(quorum, misfits):
        segment, frame, found, committed, gap = each
        if gap:
            fold, start = after_gap(quorum, cluster, waiting, frame.offset, seen)
            if seen.chronicle is not None:
                seen.chronicle.broken = True
        if cut:
            seen.course.begins_at, cut = each.time, False
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
                rows.extend(rows_of_snapshot(fold, waiting.pop(0)[2], segment, seen, begins=frame.offset))
            if record.offset >= start and (record.type != NO_OP_RECORD or not fold.idles(record)):
                apply(fold, record, segment, committed)
                if record.type in KEPT_TYPES:
                    seen.applied(fold, record, segment.index)
        fold.ends()
        if len(rows) >= _TOGETHER:
            yield rows
            rows.clear()
    if seen.chronicle is not None:
        seen.chronicle.ends()
    for _, _, snapshot in waiting:
        if snapshot.end is not None and snapshot.end[0] == quorum.end:
            rows.extend(rows_of_snapshot(fold, snapshot, None, seen))
    for scanned in quorum.copies if quorum.chain.stretches else ():
        _ends_early(scanned)
    seen.notes += quorum.strangers()
    for scanned, count in quorum.diverging():
        seen.records["uncommitted"] += count
        last = scanned.copy.segments[-1].path
        seen.notes.append(f"{last}: {count} records at its end are in no later epoch: they were never committed")
    rows.extend(rows_of_misfits(quorum, fold, misfits))
    rows.extend(rows_of_quorum_states(quorum, fold))
    yield rows


def _ends_early(scanned: Scanned) -> None:
    """Note files that end with zeros, and a copy that lacks records before the end of its own last snapshot."""
    copy = scanned.copy
    for segment in copy.segments:
        if segment.batches.zeros:
            segment.damage[f"{segment.batches.zeros} zeros at its end, where records may have been"] = None
    if not copy.segments or not copy.snapshots:
        return
    last = copy.segments[-1]
    until, end = max(scanned.end, last.batches.begins or 0), copy.snapshots[-1].end or (0, 0)
    if until < end[0]:
        why = f"the log ends at offset {until}, but a snapshot of its folder ends at {end[0]}: records are missing"
        last.damage[why] = None
