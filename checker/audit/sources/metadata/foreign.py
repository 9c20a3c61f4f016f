"""Files of another cluster among the copies of a metadata log.

No segment and no snapshot names its cluster, and a folder's meta.properties may be missing, or may not be of all files
in it. But ids of topics, of processes and of directories are random, and no two clusters write the same batch. So
files are of one cluster if they share an id or a batch, directly or by other files. A file without ids is of the same
cluster as the other files of its copy; if these have none either, as the others unless a batch contradicts them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from .....traces.metadata.batches import Record
from ...files.metadata import MetadataCopy, Remembered, Segment
from .state import Cluster

_IDS = frozenset({"topicId", "incarnationId", "logDirs", "directories", "voterDirectoryId", "directoryId"})
"""Fields with ids that are random."""
APART = "of another cluster than the other files (they have none of its ids, and none of its batches): it was set apart"
_RESERVED = "A" * 20
"""Beginning of the ids that Kafka reserves (Uuid.RESERVED): every cluster has them."""
_Mark = str | tuple[int, int, int]
"""An id, or a batch by its offset, its epoch and a hash of its bytes."""


@dataclass(frozen=True)
class Sorted:
    """The copies of one cluster, and files that are of others."""

    copies: Sequence[MetadataCopy]
    apart: Sequence[Segment] = ()
    doubtful: bool = False
    """True if as many copies are of another cluster, so that nothing shows which of them is meant."""


def sorted_out(copies: Sequence[MetadataCopy]) -> Sorted:
    """Return the copies without files of another cluster: that of the most copies is kept."""
    own = {each.index: number for number, copy in enumerate(copies) for each in (*copy.segments, *copy.snapshots)}
    marks = {each.index: frozenset(_marks(each)) for copy in copies for each in (*copy.segments, *copy.snapshots)}
    groups = _groups(copies, marks)
    ranked = sorted(groups, key=lambda group: (-len({own[index] for index in group}), -len(group), min(group)))
    kept = ranked[0].copy()
    others = [group for group in ranked[1:] if _is_another(group, kept, marks)]
    kept.update(*(group for group in ranked[1:] if group not in others))
    if not others:
        return Sorted(copies)
    first, second = ({own[index] for index in group} for group in (ranked[0], others[0]))
    apart = [each for copy in copies for each in (*copy.segments, *copy.snapshots) if each.index not in kept]
    for each in apart:
        each.damage[APART] = None
    left = [_without(copy, kept) for copy in copies]
    return Sorted([copy for copy in left if copy.segments or copy.snapshots], apart, len(first) == len(second))


def _without(copy: MetadataCopy, kept: set[int]) -> MetadataCopy:
    """Return a copy without the files that are not kept; what it remembers may then be of another cluster, too."""
    segments = tuple(each for each in copy.segments if each.index in kept)
    snapshots = tuple(each for each in copy.snapshots if each.index in kept)
    if len(segments) == len(copy.segments) and len(snapshots) == len(copy.snapshots):
        return copy
    return replace(copy, segments=segments, snapshots=snapshots, remembered=Remembered())


def shares_nothing(one: Cluster, other: Cluster) -> bool:
    """Return whether two states, both of which have topics or brokers, have no topic and no process in common."""
    mine, its = _of_state(one), _of_state(other)
    return bool(mine) and bool(its) and mine.isdisjoint(its)


def _of_state(state: Cluster) -> set[str]:
    return {*state.names, *(broker.incarnation for broker in state.brokers.values())}


def _is_another(group: set[int], kept: set[int], marks: Mapping[int, frozenset[_Mark]]) -> bool:
    """Return whether files that share nothing with those that are kept have ids, or another batch at the same place."""
    mine, its = (frozenset().union(*(marks[index] for index in those)) for those in (group, kept))
    places = {mark[:2] for mark in its if not isinstance(mark, str)}
    return any(isinstance(mark, str) or mark[:2] in places for mark in mine)


def _groups(copies: Sequence[MetadataCopy], marks: Mapping[int, frozenset[_Mark]]) -> list[set[int]]:
    """Return the numbers of the files by cluster."""
    groups: dict[int, set[int]] = {}
    marked: dict[_Mark, int] = {}

    def join(one: int, other: int) -> None:
        mine, its = groups[one], groups[other]
        if mine is not its:
            mine |= its
            groups.update(dict.fromkeys(its, mine))

    for copy in copies:
        for each in (*copy.segments, *copy.snapshots):
            groups[each.index] = {each.index}
            for mark in marks[each.index]:
                join(marked.setdefault(mark, each.index), each.index)
    named = {index for mark, index in marked.items() if isinstance(mark, str)}
    for copy in copies:
        files = [each.index for each in (*copy.segments, *copy.snapshots)]
        with_ids = [index for index in files if not groups[index].isdisjoint(named)]
        for index in files if with_ids else ():
            if index not in with_ids:
                join(with_ids[0], index)
    return [*{id(group): group for group in groups.values()}.values()]


def _marks(segment: Segment) -> Iterator[_Mark]:
    """Yield the ids in a file, and its batches if it is a segment."""
    seen: set[str] = set()
    for frame in segment.batches.frames():
        if segment.end is None:
            yield frame.offset, frame.epoch, hash(frame.raw)
        for record in () if frame.idle else segment.batches.records(frame) or ():
            seen.update(_ids(record))
    yield from seen


def _ids(record: Record) -> Iterator[str]:
    found = [*(record.data or {}).items()]
    while found:
        name, value = found.pop()
        for each in value if isinstance(value, list) else (value,):
            if isinstance(each, dict):
                found += each.items()
            elif name in _IDS and isinstance(each, str) and not each.startswith(_RESERVED):
                yield each
