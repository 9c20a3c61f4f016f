"""Copies of a metadata log beside each other, and beside what nodes remember of the quorum."""

from __future__ import annotations

from collections.abc import Iterator

from .....traces.metadata.batches import Record
from ...files.metadata import Placed
from ...table.protocol import Row
from ..source import Shown
from .columns import COPIES, LEADERS, REMEMBERED
from .fold import Fold
from .quorum import WITHIN, Misfit, Quorum, Scanned, known


def leaders_by_epoch(quorum: Quorum) -> dict[int, tuple[int, int, int]]:
    """Return the leader of each epoch according to the first copy that is not read for its records."""
    found: dict[int, tuple[int, int, int]] = {}
    for each in quorum.copies:
        for epoch, leader, placed in each.leaders if each is not quorum.chain else ():
            found.setdefault(epoch, (leader, placed.segment.index, placed.frame.offset))
    return found


def rows_of_leaders(quorum: Quorum, cluster: int) -> Iterator[Shown]:
    """Yield leaders of epochs that the chain does not have, where two copies disagree."""
    own = {epoch for epoch, _, _ in quorum.chain.leaders}
    by_epoch = leaders_by_epoch(quorum)
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


def rows_of_quorum_states(quorum: Quorum, fold: Fold) -> Iterator[Shown]:
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


def rows_of_misfits(quorum: Quorum, fold: Fold, misfits: list[Misfit]) -> Iterator[Shown]:
    """Yield misfits, and a row for each copy that fits completely."""
    context = _of_quorum(fold)
    uneven = {each.index for misfit in misfits if misfit.kind in WITHIN for each in misfit.copy.segments}
    for misfit in misfits:
        compared = {each.segment.index for each in (misfit.placed, misfit.other) if each is not None}
        proved = misfit.kind == "record" and not compared & uneven
        row = _row(fold.cluster, misfit.placed, "BATCH", committed=misfit.placed.frame.offset < quorum.committed)
        other = misfit.other
        where = {} if other is None else {"before_file": other.segment.index, "before_offset": other.frame.offset}
        doubted = context["unsure"] or not all(known(each) for each in (misfit.placed, other) if each is not None)
        shown = {"kind": misfit.kind, "fits": False, "proved": proved, "unsure": doubted}
        yield COPIES.name, row | context | where | shown
    unfit = {id(misfit.copy) for misfit in misfits}
    for each in quorum.copies:
        if id(each.copy) not in unfit and each.stretches:
            yield COPIES.name, _whole(fold.cluster, each) | context


def _whole(cluster: int, scanned: Scanned) -> Row:
    return {
        "cluster": cluster,
        "file": scanned.copy.segments[0].index,
        "offset": scanned.start,
        "ts": None,
        "controller_epoch": scanned.epoch,
        "committed": True,
        "record": "BATCH",
        "kind": "whole",
        "fits": True,
        "proved": False,
    }


def _of_quorum(fold: Fold) -> Row:
    """Return the context of rows about the quorum, at the end of the log."""
    context = fold.context
    return context._replace(unsure=context.unsure or fold.unsure.quorum)._asdict()


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
