"""Control records: the leaders and voters of the metadata quorum."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..columns import LEADERS, VOTERS
from ..fold import Fold, Handler
from ..rows import At
from ..state import Data


def _leader_change(fold: Fold, data: Data, at: At) -> None:
    leader, epoch = data["leaderId"], at.controller_epoch
    first = epoch > fold.epoch
    since, until = fold.leader_changes
    fold.leader_changes = since if until == at.offset else at.offset, at.offset + 1
    fold.led_by(leader, max(fold.epoch, epoch))
    voters = sorted({voter["voterId"] for voter in data["voters"]})
    fold.quorum = tuple(voters)
    if fold.chronicle is not None and at.committed:
        fold.chronicle.leaders[epoch] = leader, at.file, at.offset
        fold.chronicle.voters.update(voters)
    known = fold.leaders.setdefault(epoch, (leader, at.file, at.offset))
    granting = sorted({voter["voterId"] for voter in data["grantingVoters"]})
    last = fold.state.voters or ()  # from KRaftVoters records; uncommitted ones count
    columns = {
        "leader_id": leader,
        "other_leader": known[0],
        "before_file": known[1],
        "before_offset": known[2],
        "voters": voters,
        "granting": granting,
        "majority": _is_majority(granting, voters) and _is_majority(granting, last),
        "first": first,
    }
    fold.show(LEADERS, at, columns, unsure=fold.unsure.quorum)


def _is_majority(granting: Collection[int], voters: Collection[int]) -> bool:
    """Return whether more than half of the voters granted their votes; True where none are known."""
    return not voters or 2 * len({*granting} & {*voters}) > len(voters)


def _voters(fold: Fold, data: Data, at: At) -> None:
    after = tuple(sorted(voter["voterId"] for voter in data["voters"]))
    before = fold.state.voters
    fold.state.voters = after
    if fold.chronicle is not None:
        fold.chronicle.voters_are(after)
    earlier = fold.earlier(at, ("voters", 0))
    if before is not None:
        if fold.course is not None:
            fold.course.voters(before, after, at)
        columns = {"voters": list(after), "before_voters": list(before), "changed": len({*after} ^ {*before})}
        fold.show(VOTERS, at, earlier | columns, unsure=fold.unsure.quorum)


def _version(fold: Fold, data: Data, at: At) -> None:
    fold.unsure.feature("kraft.version", data["kRaftVersion"])


HANDLERS: Mapping[str, Handler] = {
    "LEADER_CHANGE": _leader_change,
    "KRAFT_VOTERS": _voters,
    "KRAFT_VERSION": _version,
}
