"""The state of each voter of the metadata quorum: epoch, vote and log on disk; role and high watermark in memory."""

from __future__ import annotations

from ..expr import Expr, field, fill, setting, some, var
from ..protocol import starts
from ..sorts import Enum, Finite, Int, MapOf, OptionOf, SeqOf, SetOf, Setting

VOTERS = Setting("voters", 3, "the number of voters", at_least=1)
MAX_EPOCH = Setting("max_epoch", 2, "the last epoch")
LOG_SIZE = Setting("log_size", 2, "the number of records that fit into a log", at_least=1)
SETTINGS = (VOTERS, MAX_EPOCH, LOG_SIZE)

Voter = Finite("Voter", VOTERS)
Epoch = Int(0, MAX_EPOCH)
Offset = Int(0, LOG_SIZE)
Role = Enum("Role", ("Unattached", "Prospective", "Candidate", "Follower", "Leader", "Resigned"))

role = field("role", MapOf(Voter, Role))
epoch = field("epoch", MapOf(Voter, Epoch))
voted = field("voted", MapOf(Voter, OptionOf(Voter)))
leader = field("leader", MapOf(Voter, OptionOf(Voter)))
granted = field("granted", MapOf(Voter, SetOf(Voter)))
log = field("log", MapOf(Voter, SeqOf(Epoch, LOG_SIZE)))
hw = field("hw", MapOf(Voter, Offset))

FIELDS = (
    starts(role, fill(role.sort, "Unattached"), "the role of each voter in its epoch"),
    starts(epoch, fill(epoch.sort, 0), "the epoch that each voter has reached"),
    starts(voted, fill(voted.sort, None), "the candidate that has each voter's vote in its epoch"),
    starts(leader, fill(leader.sort, None), "the leader that each voter follows in its epoch"),
    starts(granted, fill(granted.sort, frozenset()), "the voters whose votes each candidate has, or would have"),
    starts(log, fill(log.sort, ()), "each voter's log: for each record the epoch in which it was appended"),
    starts(hw, fill(hw.sort, 0), "below it each voter knows the log to be committed"),
)

one, other = var("one", Voter), var("other", Voter)
at = var("at", Int(0, LOG_SIZE - 1))


def end(of: Expr) -> Expr:
    """The offset of a voter's next record."""
    return log[of].length()


def last_epoch(of: Expr) -> Expr:
    """The epoch of a voter's last record; 0 of an empty log, which no record has."""
    return log[of].at(end(of) - 1).get(0)


def is_majority(of: Expr) -> Expr:
    """A set of voters is more than half of them."""
    return setting(VOTERS) < of.size() + of.size()


def follows(who: Expr, whom: Expr) -> Expr:
    """A voter follows a leader of its own epoch that still leads it."""
    return leader[who].eq(some(whom)) & role[whom].eq("Leader") & epoch[who].eq(epoch[whom])


def same_end(who: Expr, whom: Expr) -> Expr:
    """The last record of one log is in the other, at its offset and of its epoch: up to there they are equal."""
    return log[who].at(end(who) - 1).eq(log[whom].at(end(who) - 1))
