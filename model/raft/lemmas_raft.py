"""Lemmas for the safety of the metadata quorum: they hold at first, and every action keeps them, for any voters.

Two majorities have a voter in common. A voter votes once in an epoch: so an epoch has one leader, and its records are
those of one log. A voter that had the committed records voted later only for voters that had them too: so every later
leader has them.
"""

from __future__ import annotations

from ..action import update
from ..expr import both, field, fill, forall, some, var
from ..property import Property
from ..protocol import Ghosts, Model, starts
from ..script import Lemmas, remembering
from ..sorts import MapOf, OptionOf, SeqOf, SetOf
from .base import candidate, having, offset, voter, whom
from .properties import below
from .state import (
    FIELDS,
    LOG_SIZE,
    Epoch,
    Offset,
    Voter,
    at,
    epoch,
    granted,
    hw,
    is_majority,
    log,
    one,
    other,
    role,
    voted,
)

by_epoch = MapOf(Epoch, OptionOf(Voter))
votes = field("votes", MapOf(Voter, by_epoch))
elected = field("elected", by_epoch)
electors = field("electors", MapOf(Epoch, SetOf(Voter)))
led = field("led", MapOf(Epoch, SeqOf(Epoch, LOG_SIZE)))
settled = field("settled", MapOf(Epoch, Offset))
holders = field("holders", MapOf(Epoch, SetOf(Voter)))
learned_in = field("learned_in", MapOf(Voter, Epoch))

HISTORY = Ghosts(
    "history",
    (
        starts(
            votes, fill(votes.sort, fill(by_epoch, None)), "the candidate that got each voter's vote, in each epoch"
        ),
        starts(elected, fill(elected.sort, None), "the voter that was elected in each epoch"),
        starts(electors, fill(electors.sort, frozenset()), "the voters that elected the leader of each epoch"),
        starts(led, fill(led.sort, ()), "the log of each epoch's leader, as it last was in that epoch"),
        starts(settled, fill(settled.sort, 0), "below it the leader of each epoch knew its log to be committed"),
        starts(holders, fill(holders.sort, frozenset()), "the majority that had it so far"),
        starts(
            learned_in,
            fill(learned_in.sort, 0),
            "the epoch of the leader that knew each voter's high watermark to be committed",
        ),
    ),
    updates={
        "BecomeCandidate": (update(votes[voter][epoch[voter] + 1], some(voter)),),
        "GrantVote": (update(votes[voter][epoch[candidate]], some(candidate)),),
        "BecomeLeader": (
            update(elected[epoch[candidate]], some(candidate)),
            update(electors[epoch[candidate]], granted[candidate]),
            update(led[epoch[candidate]], log[candidate].append(epoch[candidate])),
        ),
        "Append": (update(led[epoch[voter]], log[voter].append(epoch[voter])),),
        "AdvanceHighWatermark": (
            update(settled[epoch[voter]], offset),
            update(holders[epoch[voter]], having(voter, offset)),
            update(learned_in[voter], epoch[voter]),
        ),
        "LearnHighWatermark": (update(learned_in[voter], learned_in[whom]),),
    },
)

d, e = var("d", Epoch), var("e", Epoch)


VOTES_ARE_RECORDED = Property(
    "VotesAreRecorded",
    "The vote on a voter's disk is the one it gave in its epoch, and it gave none in a later one.",
    forall(
        one,
        both(votes[one][epoch[one]].eq(voted[one]), forall(e, (epoch[one] < e).implies(votes[one][e].is_none()))),
    ),
)
CANDIDATES_HAVE_VOTES = Property(
    "CandidatesHaveVotes",
    "A voter whose vote a candidate has gave it in the candidate's epoch.",
    forall(
        one,
        forall(
            other,
            (role[one].eq("Candidate") & granted[one].contains(other)).implies(votes[other][epoch[one]].eq(some(one))),
        ),
    ),
)
ELECTED_BY_MAJORITY = Property(
    "ElectedByMajority",
    "The voter elected in an epoch was elected by the votes of a majority, given in that epoch.",
    forall(
        e,
        elected[e]
        .is_some()
        .implies(
            is_majority(electors[e]) & forall(one, electors[e].contains(one).implies(votes[one][e].eq(elected[e])))
        ),
    ),
)
LEADERS_ARE_ELECTED = Property(
    "LeadersAreElected",
    "The leader of an epoch was elected in it.",
    forall(one, role[one].eq("Leader").implies(elected[epoch[one]].eq(some(one)))),
)
ELECTED_ONCE = Property(
    "ElectedOnce",
    "The voter elected in an epoch has reached it, and is no longer a candidate in it.",
    forall(
        one,
        forall(
            e,
            elected[e].eq(some(one)).implies((e <= epoch[one]) & ~(role[one].eq("Candidate") & epoch[one].eq(e))),
        ),
    ),
)
LEADERS_LOG_IS_KEPT = Property(
    "LeadersLogIsKept",
    (
        "The log of a leading voter is that of its epoch's leader; an epoch without an elected leader has no "
        "records, and none that are known to be committed."
    ),
    both(
        forall(
            one,
            role[one]
            .eq("Leader")
            .implies(
                led[epoch[one]].length().eq(log[one].length()) & forall(at, led[epoch[one]].at(at).eq(log[one].at(at)))
            ),
        ),
        forall(e, elected[e].is_none().implies(led[e].length().eq(0) & settled[e].eq(0))),
    ),
)
RECORDS_ARE_THE_LEADERS = Property(
    "RecordsAreTheLeaders",
    "Up to a record of an epoch a log is that of the epoch's leader.",
    forall(
        one,
        forall(
            at,
            forall(
                e,
                forall(
                    below,
                    (log[one].at(at).eq(some(e)) & (below <= at)).implies(log[one].at(below).eq(led[e].at(below))),
                ),
            ),
        ),
    ),
)
RECORDS_NOT_AHEAD = Property(
    "RecordsNotAhead",
    "No log holds a record of a later epoch than its voter has reached, nor did a leader's of a later than its own.",
    both(
        forall(one, forall(at, forall(e, log[one].at(at).eq(some(e)).implies(e <= epoch[one])))),
        forall(d, forall(at, forall(e, led[d].at(at).eq(some(e)).implies(e <= d)))),
    ),
)
SETTLED_BY_MAJORITY = Property(
    "SettledByMajority",
    (
        "The records that a leader knew to be committed end with a record of its epoch, and a majority had "
        "them. The leading voter knows them."
    ),
    both(
        forall(
            e,
            (settled[e] > 0).implies(is_majority(holders[e]) & led[e].at(settled[e] - 1).eq(some(e))),
        ),
        forall(one, role[one].eq("Leader").implies(settled[epoch[one]] <= hw[one])),
    ),
)
HOLDERS_HOLD = Property(
    "HoldersHold",
    (
        "A voter that had the records that the leader of an epoch knew to be committed still has them, and "
        "has reached that epoch."
    ),
    forall(
        one,
        forall(
            e,
            ((settled[e] > 0) & holders[e].contains(one)).implies(
                (e <= epoch[one]) & forall(at, (at < settled[e]).implies(log[one].at(at).eq(led[e].at(at))))
            ),
        ),
    ),
)
LATER_LEADERS_HOLD = Property(
    "LaterLeadersHold",
    ("The voter elected in a later epoch had the records that the leader of an earlier one knew to be committed."),
    forall(
        d,
        forall(
            e,
            forall(
                at,
                ((d < e) & elected[e].is_some() & (at < settled[d])).implies(led[e].at(at).eq(led[d].at(at))),
            ),
        ),
    ),
)
CANDIDATES_HOLD = Property(
    "CandidatesHold",
    (
        "A candidate with the vote of a voter that had the records that the leader of an earlier epoch knew "
        "to be committed has them, too."
    ),
    forall(
        one,
        forall(
            other,
            forall(
                d,
                forall(
                    at,
                    both(
                        role[one].eq("Candidate"),
                        granted[one].contains(other),
                        holders[d].contains(other),
                        d < epoch[one],
                        at < settled[d],
                    ).implies(log[one].at(at).eq(led[d].at(at))),
                ),
            ),
        ),
    ),
)
HW_IS_SETTLED = Property(
    "HwIsSettled",
    (
        "The records that a voter knows to be committed were known to be committed by the leader of its "
        "epoch or an earlier one."
    ),
    forall(
        one,
        (hw[one] > 0).implies((hw[one] <= settled[learned_in[one]]) & (learned_in[one] <= epoch[one])),
    ),
)
SETTLED_IS_IN_LOG = Property(
    "SettledIsInLog",
    "A voter that knows records to be committed has them as that leader had.",
    forall(one, forall(at, (at < hw[one]).implies(log[one].at(at).eq(led[learned_in[one]].at(at))))),
)

LEMMAS = (
    VOTES_ARE_RECORDED,
    CANDIDATES_HAVE_VOTES,
    ELECTED_BY_MAJORITY,
    LEADERS_ARE_ELECTED,
    ELECTED_ONCE,
    LEADERS_LOG_IS_KEPT,
    RECORDS_ARE_THE_LEADERS,
    RECORDS_NOT_AHEAD,
    SETTLED_BY_MAJORITY,
    HOLDERS_HOLD,
    LATER_LEADERS_HOLD,
    CANDIDATES_HOLD,
    HW_IS_SETTLED,
    SETTLED_IS_IN_LOG,
)


def with_history(model: Model) -> Model:
    """Return the model that also remembers each vote."""
    return remembering(model, HISTORY)


SCRIPT = Lemmas(frozenset(each.expr for each in FIELDS), LEMMAS, with_history, lambda model: (), {})
