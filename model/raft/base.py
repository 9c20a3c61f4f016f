"""Elections and replication as KIP-595 has them, but for what is on disk: a voter that restarts forgets its vote.

Candidates raise the epoch and ask for votes; the one with a majority of them leads the epoch, and begins it with a
record.
Followers fetch: they cut their log where it parts from the leader's, and append what it has. The leader knows a record
to be committed when a majority has it and it is of the leader's own epoch.
"""

from __future__ import annotations

from typing import Any

from ..action import action, waived
from ..expr import Expr, const, either, forall, ite, minimum, none, set_of, some, var
from ..protocol import Model
from ..sorts import SetOf
from . import properties
from .state import (
    FIELDS,
    LOG_SIZE,
    MAX_EPOCH,
    SETTINGS,
    Offset,
    Role,
    Voter,
    at,
    end,
    epoch,
    follows,
    granted,
    hw,
    is_majority,
    last_epoch,
    leader,
    log,
    role,
    same_end,
    voted,
)

voter, candidate, whom = var("voter", Voter), var("candidate", Voter), var("whom", Voter)
offset = var("offset", Offset)
member = var("member", Voter)
NOBODY = none(Voter)
Updates = dict[Expr, Any]


def stands(who: Expr) -> Updates:
    """A voter raises the epoch, votes for itself and asks for votes."""
    return {
        epoch[who]: epoch[who] + 1,
        role[who]: "Candidate",
        voted[who]: some(who),
        leader[who]: NOBODY,
        granted[who]: some(who).set(),
    }


def has_same_record(who: Expr, whom: Expr, to: Expr) -> Expr:
    """A log has the record before an offset that another log has there."""
    return (to <= end(who)) & log[who].at(to - 1).eq(log[whom].at(to - 1))


def up_to_date(who: Expr, than: Expr) -> Expr:
    """A log has a last record of a later epoch than another log, or of the same and is not shorter."""
    return (last_epoch(than) < last_epoch(who)) | (last_epoch(than).eq(last_epoch(who)) & (end(than) <= end(who)))


def having(who: Expr, to: Expr) -> Expr:
    """The voters that a leader knows to have the record before an offset: itself, and those that follow it."""
    return set_of(member, member.eq(who) | (follows(member, who) & has_same_record(member, who, to)))


UNATTACHED, CANDIDATE, RESIGNED = const("Unattached", Role), const("Candidate", Role), const("Resigned", Role)
NO_VOTES = const(frozenset(), SetOf(Voter))


def restarts(who: Expr, vote: Expr) -> Updates:
    """A process starts with what is on its disk, `vote` of its vote; a leader comes up resigned in its own epoch."""
    stood = role[who].eq("Candidate") & vote.eq(some(who))
    led = role[who].eq("Leader") | role[who].eq("Resigned")
    waits = ite(leader[who].is_some(), const("Follower", Role), UNATTACHED)
    return {
        role[who]: ite(led, RESIGNED, ite(stood, CANDIDATE, waits)),
        voted[who]: vote,
        granted[who]: ite(stood, some(who).set(), NO_VOTES),
        hw[who]: 0,
    }


become_candidate = action(
    "BecomeCandidate",
    "A voter that hears of no leader for too long raises the epoch, and asks for votes.",
    voter,
    guard={"does not lead": waived(role[voter].ne("Leader"), "a leader that stands again no longer leads its epoch")},
    limits={"epochs are left": epoch[voter] < MAX_EPOCH},
    updates=stands(voter),
    cites=("KIP-595", "QuorumState.transitionToCandidate"),
)

grant_vote = action(
    "GrantVote",
    "A voter votes for a candidate of its epoch, or of a later one, which it then reaches.",
    voter,
    candidate,
    guard={
        "a candidate asks": waived(
            role[candidate].eq("Candidate") & voter.ne(candidate), "a vote without a candidate elects no leader"
        ),
        "no later epoch is known": epoch[voter] <= epoch[candidate],
        "the vote is free": either(
            epoch[voter] < epoch[candidate],
            (role[voter].eq("Unattached") | role[voter].eq("Prospective"))
            & (voted[voter].is_none() | voted[voter].eq(some(candidate))),
        ),
        "the candidate's log is up to date": up_to_date(candidate, voter),
    },
    updates={
        epoch[voter]: epoch[candidate],
        role[voter]: ite(epoch[voter] < epoch[candidate], UNATTACHED, role[voter]),
        leader[voter]: NOBODY,
        voted[voter]: some(candidate),
        granted: granted.put(voter, ite(epoch[voter] < epoch[candidate], NO_VOTES, granted[voter])).put(
            candidate, granted[candidate].insert(voter)
        ),
    },
    cites=("KIP-595", "KafkaRaftClient.handleVoteRequest"),
)

become_leader = action(
    "BecomeLeader",
    "A candidate with the votes of a majority leads its epoch, and begins it with a record (LeaderChange).",
    candidate,
    guard={
        "is a candidate": waived(
            role[candidate].eq("Candidate"),
            "only a node that asks for votes has some; needed if voters ask before they stand (KIP-996)",
        ),
        "has a majority": is_majority(granted[candidate]),
    },
    limits={"the log has room": end(candidate) < LOG_SIZE},
    updates={
        role[candidate]: "Leader",
        granted[candidate]: NO_VOTES,
        log[candidate]: log[candidate].append(epoch[candidate]),
    },
    cites=("KIP-595", "QuorumState.transitionToLeader"),
)

append = action(
    "Append",
    "A leader appends a record.",
    voter,
    guard={"leads": role[voter].eq("Leader")},
    limits={"the log has room": end(voter) < LOG_SIZE},
    updates={log[voter]: log[voter].append(epoch[voter])},
)

hear_of_epoch = action(
    "HearOfEpoch",
    "A voter hears of a later epoch, and of no leader of it.",
    voter,
    whom,
    guard={"the epoch is later": epoch[voter] < epoch[whom]},
    updates={
        epoch[voter]: epoch[whom],
        role[voter]: "Unattached",
        voted[voter]: NOBODY,
        leader[voter]: NOBODY,
        granted[voter]: NO_VOTES,
    },
    cites=("KIP-595", "QuorumState.transitionToUnattached"),
)

follow = action(
    "Follow",
    "A voter hears of the leader of its epoch, or of a later one.",
    voter,
    whom,
    guard={
        "the other one leads": waived(
            role[whom].eq("Leader") & voter.ne(whom), "a voter without a leader fetches nothing"
        ),
        "no later epoch is known": epoch[voter] <= epoch[whom],
        "is new to it": waived(
            either(epoch[voter] < epoch[whom], leader[voter].is_none()), "to follow once more changes nothing"
        ),
    },
    updates={
        role[voter]: "Follower",
        leader[voter]: some(whom),
        voted[voter]: ite(epoch[voter] < epoch[whom], NOBODY, voted[voter]),
        granted[voter]: NO_VOTES,
        epoch[voter]: epoch[whom],
    },
    cites=("KIP-595", "QuorumState.transitionToFollower"),
)

fetch = action(
    "Fetch",
    "A follower whose log is a prefix of its leader's appends the next record.",
    voter,
    whom,
    guard={
        "follows": waived(follows(voter, whom), "a record that fits is the right one, whichever log it is from"),
        "the logs agree so far": same_end(voter, whom),
        "the leader has more": end(voter) < end(whom),
    },
    updates={log[voter]: log[voter].append(log[whom].at(end(voter)).value)},
    cites=("KIP-595", "KafkaRaftClient.handleFetchResponse"),
)

truncate = action(
    "Truncate",
    "A follower whose log diverges from its leader's cuts it where they diverge.",
    voter,
    whom,
    offset,
    guard={
        "follows": follows(voter, whom),
        "the logs diverge at the offset": forall(at, (at < offset).implies(log[voter].at(at).eq(log[whom].at(at))))
        & log[voter].at(offset).ne(log[whom].at(offset)),
        "cuts its own records": waived(offset < end(voter), "to cut beyond the end cuts nothing"),
    },
    updates={log[voter]: log[voter].take(offset), hw[voter]: minimum(hw[voter], offset)},
    cites=("KIP-595", "ReplicatedLog.truncateToEndOffset"),
)

advance_hw = action(
    "AdvanceHighWatermark",
    "A leader knows a record of its own epoch to be committed: a majority has it.",
    voter,
    offset,
    guard={
        "leads": waived(role[voter].eq("Leader"), "a majority follows leaders only"),
        "grows": (hw[voter] < offset) & (offset <= end(voter)),
        "the record is of its epoch": waived(
            log[voter].at(offset - 1).eq(some(epoch[voter])),
            "breaks LeaderIsComplete with four epochs, in 18 states (Raft, figure 8)",
        ),
        "a majority has it": is_majority(having(voter, offset)),
    },
    updates={hw[voter]: offset},
    cites=("KIP-595", "LeaderState.maybeUpdateHighWatermark"),
)

learn_hw = action(
    "LearnHighWatermark",
    "A follower hears from its leader how far the log is committed.",
    voter,
    whom,
    guard={
        "follows": waived(
            follows(voter, whom), "a record that any voter knows to be committed is committed, if the logs agree"
        ),
        "the logs agree so far": same_end(voter, whom),
        "grows": waived(hw[voter] < minimum(hw[whom], end(voter)), "a lower high watermark does no harm"),
    },
    updates={hw[voter]: minimum(hw[whom], end(voter))},
)

resign = action(
    "Resign",
    "A leader resigns: it shuts down, or hears from no majority.",
    voter,
    guard={"leads": waived(role[voter].eq("Leader"), "a voter that does not lead loses nothing by it")},
    updates={role[voter]: "Resigned"},
    cites=("KIP-595", "KAFKA-15489"),
)

restart = action(
    "Restart",
    "A voter's process dies and starts again. Epoch and log are on its disk; its vote is forgotten.",
    voter,
    guard={},
    updates=restarts(voter, NOBODY),
)

CHANGES_OF_VOTERS = "changes of the voters (KIP-853)"

QUORUM = Model(
    name="quorum",
    statement="KRaft's metadata quorum with votes in memory only.",
    settings=SETTINGS,
    fields=FIELDS,
    actions=(
        *(become_candidate, grant_vote, become_leader, append, hear_of_epoch, follow, fetch, truncate, advance_hw),
        *(learn_hw, resign, restart),
    ),
    properties=properties.PROPERTIES,
    left_out=(
        CHANGES_OF_VOTERS,
        "snapshots",
        "late answers: a vote is counted, and a fetch is seen, as soon as it is given",
        "losses of the disk",
    ),
)
