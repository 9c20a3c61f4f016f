"""The metadata quorum's promises, and properties that show that a model of it is alive."""

from __future__ import annotations

from ..expr import after, exists, forall, var
from ..property import Property
from ..sorts import Int
from .state import LOG_SIZE, at, epoch, hw, log, one, other, role, voted

below = var("below", Int(0, LOG_SIZE - 1))

ONE_LEADER = Property(
    "OneLeaderPerEpoch",
    "No two voters lead one epoch.",
    forall(
        one,
        forall(
            other,
            (role[one].eq("Leader") & role[other].eq("Leader") & epoch[one].eq(epoch[other])).implies(one.eq(other)),
        ),
    ),
)
ONE_VOTE = Property(
    "OneVotePerEpoch",
    "A vote that was given is not given again, nor forgotten, in its epoch.",
    forall(
        one,
        (voted[one].is_some() & after(epoch[one]).eq(epoch[one])).implies(after(voted[one]).eq(voted[one])),
    ),
    "step",
)
EPOCH_GROWS = Property(
    "EpochNeverFalls", "No voter goes back to an earlier epoch.", forall(one, epoch[one] <= after(epoch[one])), "step"
)
LEADER_COMPLETE = Property(
    "LeaderIsComplete",
    "A leader has every record that any voter of its epoch or an earlier one knows to be committed.",
    forall(
        one,
        forall(
            other,
            (role[one].eq("Leader") & (epoch[other] <= epoch[one])).implies(
                forall(at, (at < hw[other]).implies(log[one].at(at).eq(log[other].at(at))))
            ),
        ),
    ),
)
COMMITTED_AGREES = Property(
    "CommittedAgrees",
    "Two voters know the same records to be committed.",
    forall(
        one,
        forall(
            other,
            forall(at, ((at < hw[one]) & (at < hw[other])).implies(log[one].at(at).eq(log[other].at(at)))),
        ),
    ),
)
COMMITTED_STAYS = Property(
    "CommittedStays",
    "A record that a voter knows to be committed is not cut from its log.",
    forall(one, forall(at, (at < hw[one]).implies(after(log[one]).at(at).eq(log[one].at(at))))),
    "step",
)
LOG_MATCHING = Property(
    "LogMatching",
    "Two logs with records of one epoch at one offset are equal up to that offset.",
    forall(
        one,
        forall(
            other,
            forall(
                at,
                (log[one].at(at).is_some() & log[one].at(at).eq(log[other].at(at))).implies(
                    forall(below, (below <= at).implies(log[one].at(below).eq(log[other].at(below))))
                ),
            ),
        ),
    ),
)
WATERMARK_GROWS = Property(
    "HighWatermarkNeverFalls",
    "While a voter leads an epoch, its high watermark never falls.",
    forall(
        one,
        (role[one].eq("Leader") & after(role[one]).eq("Leader") & after(epoch[one]).eq(epoch[one])).implies(
            hw[one] <= after(hw[one])
        ),
    ),
    "step",
)
COMMITS = Property("RecordCommits", "A record is committed.", exists(one, hw[one] > 0), "sometimes")
LATER_LEADER = Property(
    "LaterLeaderCommits",
    "A leader commits a record after an earlier leader's.",
    exists(one, role[one].eq("Leader") & (hw[one] > 1) & log[one].at(0).ne(log[one].at(1))),
    "sometimes",
)
PROPERTIES = (
    *(ONE_LEADER, ONE_VOTE, EPOCH_GROWS, LEADER_COMPLETE, COMMITTED_AGREES, COMMITTED_STAYS, LOG_MATCHING),
    WATERMARK_GROWS,
    *(COMMITS, LATER_LEADER),
)
