"""One metadata log from the nodes' copies: the record at each offset, and which records are committed.

Raft's copies agree up to an offset and may differ after it: records that only some nodes have may be truncated later. A
record is identified by offset and epoch. The *chain* is the epochs of the log by their first offsets, from the copy
with the latest epoch, and the longest of these. Records are committed before the largest of

* the end of a snapshot, which contains only committed records;
* the offset up to which a majority of the voters have the chain;
* the first offset of the chain's last epoch: its leader had everything before it;
* the end, where the quorum has one voter.

Source: org.apache.kafka.raft.KafkaRaftClient, LeaderState.maybeUpdateHighWatermark; KIP-595.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from .....traces.metadata.batches import Batch, Frame, Record, idle_time
from ...files.metadata import MetadataCopy, Placed, Segment
from .foreign import sorted_out
from .headers import Position, astray, retimed

Pair = tuple[Segment, Frame]
"""A batch, and the file that contains it."""


class Stretch(NamedTuple):
    """Offsets from `first` to `last` that a copy has in one epoch, without a gap."""

    epoch: int
    first: int
    last: int


_MARK, _EPOCH = slice(12, 21), 4
"""The epoch, the magic and the CRC of a batch, and the size of the epoch."""
_COMPARED, _ALL_COMPARED = 15, 256
"""A batch is compared with others where these bits of its offset are 0, and before this offset."""
WITHIN = ("gap", "epoch", "header")
"""Kinds of misfits that put the headers of a whole copy in doubt."""


@dataclass(frozen=True)
class Misfit:
    """A place where a copy does not fit itself or the others: its batch, and the one that it contradicts."""

    kind: str
    """"gap" (an offset is skipped or repeated), "epoch" (the epoch falls), "header" (the batch has another offset or
    epoch in other copies), "time" (the header has other times than in another copy), "record" (another record with the
    same offset and epoch). The first two are within one copy, and may result from how its files were copied: no CRC
    covers offsets and epochs.
    """
    copy: MetadataCopy
    placed: Placed
    other: Placed | None


@dataclass(frozen=True)
class Scanned:
    """The headers of a copy's batches, and its control records."""

    copy: MetadataCopy
    stretches: tuple[Stretch, ...]
    misfits: tuple[Misfit, ...]
    voters: frozenset[int] = frozenset()
    """The last voters."""
    leaders: tuple[tuple[int, int, Placed], ...] = ()
    """The leader of each epoch with the batch that names it."""
    unsure: bool = False
    """True if some control record is not known completely, so that the voters may be others."""
    left_out: frozenset[Position] = frozenset()
    """Batches that are not read: other copies have them at another offset, or in another epoch."""
    unlike: bool = False
    """True if a batch is not that of the same offset and epoch in another copy."""

    def frames(self) -> Iterator[Pair]:
        """Yield the batches that are read."""
        return (pair for pair in self.copy.frames() if _position(pair) not in self.left_out)

    @property
    def odd(self) -> bool:
        """True if the copy does not fit itself: offsets leave gaps, or epochs begin without a LeaderChange."""
        begun = {(epoch, placed.frame.offset) for epoch, _, placed in self.leaders}
        return bool(self.misfits) or any((each.epoch, each.first) not in begun for each in self.stretches[1:])

    @property
    def start(self) -> int:
        return self.stretches[0].first if self.stretches else 0

    @property
    def end(self) -> int:
        """The offset after its last."""
        return self.stretches[-1].last + 1 if self.stretches else 0

    @property
    def epoch(self) -> int:
        return self.stretches[-1].epoch if self.stretches else -1

    @cached_property
    def _firsts(self) -> list[int]:
        return [each.first for each in self.stretches]

    def stretch_at(self, offset: int) -> Stretch | None:
        """Return the stretch with the record at an offset; None if it is not available."""
        at = bisect_right(self._firsts, offset) - 1
        return self.stretches[at] if at >= 0 and offset <= self.stretches[at].last else None

    def epoch_at(self, offset: int) -> int | None:
        """Return the epoch of the record at an offset; None if it is not available."""
        stretch = self.stretch_at(offset)
        return None if stretch is None else stretch.epoch


def _position(pair: Pair) -> Position:
    return pair[0].index, pair[1].position


def scanned(
    copy: MetadataCopy, left_out: frozenset[Position] = frozenset(), marks: dict[int, bytes] | None = None
) -> Scanned:
    """Read the headers of a copy's batches, and its last records of voters.

    Args:
        left_out: batches whose headers lie; they are not read.
        marks: receives epoch and CRC of some batches by their offsets; those of other copies are compared.
    """
    marks = {} if marks is None else marks
    unlike = False
    stretches: list[Stretch] = []
    misfits: list[Misfit] = []
    leaders: list[tuple[int, int, Placed]] = []
    before: Pair | None = None
    previous: Pair | None = None
    voters = copy.remembered.voters
    damage = 0
    unsure = False
    began = epoch = last = -1  # of the current stretch
    for pair in copy.frames():
        if left_out and _position(pair) in left_out:
            if not any(each.kind == "header" for each in misfits):
                misfits.append(Misfit("header", copy, Placed(*pair), None))
            previous = None
            continue
        segment, frame = pair
        _, offset, end, of, control, _, raw = frame
        if not offset & _COMPARED or offset < _ALL_COMPARED:
            mark = raw[_MARK]
            there = marks.setdefault(offset, mark)
            unlike |= there != mark and there[:_EPOCH] == mark[:_EPOCH]
        if offset == last + 1 and of == epoch and not control and before is previous:
            last, before, previous = end, pair, pair  # nearly all are so
            continue
        if previous is not None and offset != previous[1].last + 1:
            damaged = sum(segment.batches.problems for segment in copy.segments)
            if damaged == damage:  # something that was skipped, and reported, explains it
                misfits.append(Misfit("gap", copy, Placed(*pair), Placed(*previous)))
                segment.damage[_gap(pair, previous)] = None
            damage = damaged
        previous = pair
        if before is not None and offset != last + 1:
            if offset <= last:
                continue  # repeated records are not read again
        elif before is not None and of < before[1].epoch:
            misfits.append(Misfit("epoch", copy, Placed(*pair), Placed(*before)))
        if of != epoch or offset != last + 1:
            stretches += [Stretch(epoch, began, last)] if before is not None else []
            epoch, began = of, offset
        last, before = end, pair
        batch = segment.batches.decoded(frame) if control else None
        unsure |= control and batch is None
        if batch is not None:
            voters = _voters(batch) or voters
            unsure |= any(record.partial for record in batch.records)
            leaders += [
                (of, record.data["leaderId"], Placed(*pair))
                for record in batch.records
                if record.type == "LEADER_CHANGE" and record.data is not None
            ]
    stretches += [Stretch(epoch, began, last)] if before is not None else []
    return Scanned(copy, tuple(stretches), tuple(misfits), voters, tuple(leaders), unsure, left_out, unlike)


def _gap(pair: Pair, previous: Pair) -> str:
    """Return how a batch does not follow the previous one, in words."""
    position, offset, last = pair[1].position, pair[1].offset, previous[1].last
    if offset > last:
        return f"byte {position}: records from offset {last + 1} on are missing before a batch at offset {offset}"
    return f"byte {position}: a batch at offset {offset} after offset {last}: batches are doubled, or out of order"


def _voters(batch: Batch) -> frozenset[int]:
    return frozenset(voter["voterId"] for record in batch.records for voter in (record.data or {}).get("voters", ()))


@dataclass(frozen=True)
class Quorum:
    """The copies of one log."""

    copies: tuple[Scanned, ...]
    chain: Scanned
    committed: int
    """The offset before which records are committed."""
    because: str
    """The reason for `committed`, in words."""
    voters: frozenset[int]
    """The voters after the last change."""
    apart: tuple[Segment, ...] = ()
    """Files that are set apart: they are of another cluster."""
    doubtful: bool = False
    """True if nothing shows which cluster is meant."""

    @property
    def start(self) -> int:
        """The first offset that any copy has."""
        return min(each.start for each in self.copies if each.stretches) if self.chain.stretches else 0

    @property
    def end(self) -> int:
        return self.chain.end

    def diverging(self) -> Iterator[tuple[Scanned, int]]:
        """Yield copies with records that the chain does not have, and their number: they were never committed."""
        for each in self.copies:
            own = sum(self._foreign(stretch) for stretch in each.stretches)
            if own:
                yield each, own

    def strangers(self) -> Iterator[str]:
        """Yield a note for each snapshot that does not fit the chain."""
        for each in self.copies:
            for snapshot in each.copy.snapshots:
                if snapshot.end is not None and not may_end(self.chain, *snapshot.end):
                    yield (
                        f"{snapshot.path}: the log has another epoch before its end: committed records were lost, or"
                        " these folders are of several clusters (then copy their meta.properties too, or use --each)"
                    )

    def _foreign(self, stretch: Stretch) -> int:
        """Return the number of records of a stretch that the chain does not have."""
        first = max(stretch.first, self.chain.start)
        shared = sum(
            max(0, min(stretch.last, own.last) - max(first, own.first) + 1)
            for own in self.chain.stretches
            if own.epoch == stretch.epoch
        )
        return max(0, stretch.last - first + 1) - shared


def quorums(copies: Sequence[MetadataCopy]) -> list[Quorum]:
    """Return the logs of these copies: by cluster id, where known; a copy without one belongs to the only cluster."""
    ids = {copy.cluster_id for copy in copies if copy.cluster_id is not None}
    only = next(iter(ids)) if len(ids) == 1 else None
    groups: dict[str | None, list[MetadataCopy]] = {}
    for copy in copies:
        groups.setdefault(copy.cluster_id or only, []).append(copy)
    return [_of_group(group) for _, group in sorted(groups.items(), key=lambda g: g[0] or "")]


def _of_group(group: Sequence[MetadataCopy]) -> Quorum:
    """Return the log of these copies, without files of another cluster and batches whose headers lie."""
    marks: dict[int, bytes] = {}
    found = [scanned(copy, marks=marks) for copy in group]
    quorum = _quorum(found)
    odd = any(each.odd for each in found) or any(quorum.diverging())
    if not (odd or any(each.unlike for each in found) or _leave_holes(found) or any(quorum.strangers())):
        return quorum  # nearly always
    cluster = sorted_out(group)
    if cluster.apart:
        for each in (each for copy in cluster.copies for each in copy.segments):
            each.damage.clear()  # what follows a file of another cluster is no gap
        found = [scanned(copy) for copy in cluster.copies]
    if len(found) > 1 and (any(each.odd for each in found) or any(_quorum(found).diverging())):
        # headers that lie leave gaps, or copies that part
        left_out = astray(cluster.copies, [each.odd for each in found])
        found = [scanned(each.copy, own) if own else each for each, own in zip(found, left_out, strict=True)]
    return replace(_quorum(found), apart=tuple(cluster.apart), doubtful=cluster.doubtful)


def _leave_holes(copies: Sequence[Scanned]) -> bool:
    """Return whether no copy has some of the offsets between what copies have."""
    end: int | None = None
    for each in sorted((each for each in copies if each.stretches), key=lambda each: each.start):
        if end is not None and each.start > end:
            return True
        end = each.end if end is None else max(end, each.end)
    return False


def _quorum(copies: Sequence[Scanned]) -> Quorum:
    chain = max(copies, key=lambda each: (each.epoch, each.end, not each.misfits))
    voters = chain.voters or frozenset().union(*(each.voters for each in copies))
    committed, because = max(_known(copies, chain, voters))
    return Quorum(tuple(copies), chain, min(committed, chain.end) if chain.stretches else committed, because, voters)


def _known(copies: Sequence[Scanned], chain: Scanned, voters: frozenset[int]) -> Iterator[tuple[int, str]]:
    """Yield offsets before which everything is committed, with reasons."""
    yield 0, "nothing shows it"
    ends = [
        snapshot.end[0]
        for each in copies
        for snapshot in each.copy.snapshots
        if snapshot.end is not None and may_end(chain, *snapshot.end)
    ]
    if ends:
        yield max(ends), "a snapshot ends there"
    if chain.stretches:
        yield chain.stretches[-1].first, "a later epoch begins there"
    if chain.unsure:
        return
    if len(voters) == 1 and chain.stretches:
        yield chain.end, "the quorum has one voter"
    if len(voters) > 1:
        by_voter: dict[str, int] = {}
        for each in copies:  # a node's log may be here twice, copied at two times: it is one voter
            if _is_voter(each, voters):
                by_voter[each.copy.node] = max(_shared(each, chain), by_voter.get(each.copy.node, 0))
        reached = sorted(by_voter.values(), reverse=True)
        majority = len(voters) // 2 + 1
        if len(reached) >= majority:
            yield reached[majority - 1], "a majority of the voters has them"


def may_end(chain: Scanned, end: int, epoch: int) -> bool:
    """Return whether a snapshot with this end and last epoch may be one of the log.

    A snapshot of another cluster, or of records that were lost, need not be.
    """
    if not chain.stretches or end == 0:
        return True
    first, last = chain.stretches[0], chain.stretches[-1]
    if end <= first.first:
        return epoch <= first.epoch
    return epoch >= last.epoch if end > last.last + 1 else chain.epoch_at(end - 1) in (None, epoch)


def _is_voter(copy: Scanned, voters: frozenset[int]) -> bool:
    return copy.copy.node.isdigit() and int(copy.copy.node) in voters


def _shared(copy: Scanned, chain: Scanned) -> int:
    """Return the offset up to which a copy agrees with the chain."""
    ends = [
        min(own.last, there.last) + 1
        for own in copy.stretches
        for there in chain.stretches
        if own.epoch == there.epoch and own.first <= there.last and there.first <= own.last
    ]
    return max(ends, default=0)


class Joined(NamedTuple):
    """A batch of the log."""

    segment: Segment
    frame: Frame
    found: tuple[Record, ...] | None
    """Its records; None for a batch that idles, as half of all do: it is decoded on request."""
    committed: bool
    """True if it is committed."""
    gap: bool
    """True if no copy has the offsets before it."""

    @property
    def records(self) -> tuple[Record, ...]:
        return (self.segment.batches.records(self.frame) or ()) if self.found is None else self.found

    @property
    def time(self) -> int:
        """The time of its last record, if it has any."""
        return self.found[-1].timestamp if self.found else idle_time(self.frame)


def joined(quorum: Quorum, misfits: list[Misfit]) -> Iterator[Joined]:
    """Yield the batches of the chain in the order of their offsets, each from the first copy that has it.

    Copies with another record of the same offset and epoch go to `misfits`. Only one batch of each copy is in memory at
    a time.
    """
    expected: int | None = None
    end, committed, new = max(quorum.end, 1), quorum.committed, tuple.__new__
    for segment, frame in _chosen(quorum, misfits):
        _, offset, last, _, _, idle, _ = frame
        if offset >= end or (expected is not None and offset < expected):
            continue
        records = None if idle else segment.batches.records(frame)
        if idle or records is not None:
            yield new(Joined, (segment, frame, records, last < committed, expected is not None and expected != offset))
            expected = last + 1


def _chosen(quorum: Quorum, misfits: list[Misfit]) -> Iterator[Pair]:
    """Yield at each offset the first batch that has the chain's epoch, or stands where the chain has none.

    Where copies differ, a batch that is read completely comes before one that is not.
    """
    heads = [(each.copy, each.frames()) for each in quorum.copies]
    waiting = [(copy, frames, head) for copy, frames in heads if (head := next(frames, None)) is not None]
    while len(waiting) > 1:
        offset = min([frame.offset for _, _, (_, frame) in waiting])
        epoch = quorum.chain.epoch_at(offset)
        first: Pair | None = None
        owner = quorum.chain.copy
        after = []
        for copy, frames, head in waiting:
            if head[1].offset != offset:
                after.append((copy, frames, head))
                continue
            if (following := next(frames, None)) is not None:
                after.append((copy, frames, following))
            if epoch is not None and head[1].epoch != epoch:
                continue
            if first is None:
                owner, first = copy, head
            elif head[1].raw != first[1].raw:
                if known(first) or not known(head):
                    misfits.append(_unlike(copy, head, first))
                else:
                    misfits.append(_unlike(owner, first, head))
                    owner, first = copy, head
        waiting = after
        if first is not None:
            yield first
    for _, frames, head in waiting:
        yield from _of_chain(quorum.chain, itertools.chain([head], frames))


def known(pair: Pair) -> bool:
    """Return whether a batch is read completely: what is not known is not evidence."""
    segment, frame = pair
    return segment.batches.is_known(frame)


def _unlike(copy: MetadataCopy, pair: Pair, other: Pair) -> Misfit:
    """Return the misfit of a copy whose batch is not that of another copy."""
    return Misfit("time" if retimed(pair[1].raw, other[1].raw) else "record", copy, Placed(*pair), Placed(*other))


def _of_chain(log: Scanned, frames: Iterator[Pair]) -> Iterator[Pair]:
    """Yield one copy's batches that have the chain's epoch, or stand where the chain has none."""
    wanted, first, last = -1, 0, -1
    for pair in frames:
        _, offset, _, epoch, _, _, _ = pair[1]
        if not first <= offset <= last:
            wanted, first, last = log.stretch_at(offset) or (epoch, offset, offset)
        if epoch == wanted:
            yield pair
