"""KIP-853: voters are added and removed, one at a time, by records in the log itself (3.9, with kraft.version 1).

A node uses the latest set of voters in its log, committed or not: for votes, for what is committed, and for whether it
may stand. A log that is cut takes its node back to the set before. A leader changes the set once the change before is
committed, and once it has committed a record of its own epoch. Without the second, two leaders after one another could
each change the same set, and the two new sets may have majorities that do not meet (Ongaro, raft-dev, July 2015).

The asker of a change is no part of it: an administrator, or since 4.2 the node itself (KIP-1186). A node has the voter
of its id removed, if it has another directory, and then itself added. The leader does the same for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..action import Action, Clause, action, waived
from ..expr import Expr, const, exists, field, fill, forall, full, ite, set_of, some, var
from ..property import Property
from ..protocol import Behaviour, starts
from ..sorts import MapOf, SeqOf, SetOf
from .base import CHANGES_OF_VOTERS, Updates, candidate, having, offset, up_to_date, voter, whom
from .kip595 import RAFT
from .state import LOG_SIZE, MAX_EPOCH, VOTERS, Role, Voter, end, epoch, follows, granted, hw, log, one, other, role

voter_sets = field("voter_sets", MapOf(Voter, SeqOf(SetOf(Voter), LOG_SIZE)))
first_voters = field("first_voters", SetOf(Voter))
FIELDS = (
    starts(voter_sets, fill(voter_sets.sort, ()), "each node's log: the voters since each record"),
    starts(first_voters, full(Voter), "the voters that the cluster was formatted with"),
)
member, asked = var("member", Voter), var("asked", Voter)


def set_before(who: Expr, to: Expr) -> Expr:
    """The voters that a log names last before an offset: the first ones where it names none."""
    return voter_sets[who].at(to - 1).get(first_voters)


def voters_of(who: Expr) -> Expr:
    """The voters that a node goes by: the latest in its log, committed or not."""
    return set_before(who, end(who))


def is_majority_of(some_of_them: Expr, voters: Expr) -> Expr:
    """Some of the voters are more than half of them."""
    return voters.size() < some_of_them.size() + some_of_them.size()


def names(who: Expr, voters: Expr) -> Updates:
    """The next record of a node's log is one since which these are the voters."""
    return {voter_sets[who]: voter_sets[who].append(voters)}


def also(name: str, guard: Mapping[str, Expr | Clause], updates: Updates, *cites: str) -> Action:
    """An action of raft with more clauses, some in the place of those of the same label, and more updates."""
    whole = RAFT.action(name)
    new = action(name, whole.statement, *whole.params, guard=guard, updates=updates)
    clauses = {each.label: each for each in (*whole.guard, *new.guard)}
    return replace(
        whole, guard=tuple(clauses.values()), updates=(*whole.updates, *new.updates), cites=(*whole.cites, *cites)
    )


begin_without = action(
    "BeginWithout",
    "A node is left out of the voters that the cluster is formatted with (kafka-storage format --initial-controllers).",
    voter,
    guard={
        "nothing has happened": forall(member, epoch[member].eq(0)),
        "others are left": ~first_voters.remove(voter).is_empty(),
        "is one of them": waived(first_voters.contains(voter), "a node that is left out twice is left out"),
    },
    updates={first_voters: first_voters.remove(voter)},
    cites=("KIP-853", "kafka.tools.StorageTool"),
)

become_candidate = also(
    "BecomeCandidate", {"is a voter": voters_of(voter).contains(voter)}, {}, "QuorumState.isObserver"
)

grant_vote = also(
    "GrantVote",
    {"the candidate asks it, as one of its voters": voters_of(candidate).contains(voter)},
    {},
    "CandidateState.recordGrantedVote",
)

become_leader = also(
    "BecomeLeader",
    {"has a majority": is_majority_of(granted[candidate], voters_of(candidate))},
    names(candidate, voters_of(candidate)),
    "CandidateState.majoritySize",
)

append = also("Append", {}, names(voter, voters_of(voter)))

# Where voters never change nothing breaks without this clause; here it does.
FOLLOWS = {"follows": follows(voter, whom)}

fetch = also(
    "Fetch", FOLLOWS, names(voter, set_before(whom, end(voter) + 1)), "KRaftControlRecordStateMachine.updateState"
)

learn_hw = also("LearnHighWatermark", FOLLOWS, {})

truncate = also(
    "Truncate",
    {},
    {voter_sets[voter]: voter_sets[voter].take(offset)},
    "KRaftControlRecordStateMachine.truncateNewEntries",
)

advance_hw = also(
    "AdvanceHighWatermark",
    {"a majority has it": is_majority_of(having(voter, offset).intersect(voters_of(voter)), voters_of(voter))},
    {
        role[voter]: ite(
            set_before(voter, offset).eq(voters_of(voter)) & ~voters_of(voter).contains(voter),
            const("Resigned", Role),
            role[voter],
        )
    },
    "RemoveVoterHandler.highWatermarkUpdated",
)


def may_change(who: Expr) -> dict[str, Expr | Clause]:
    """Return the guard of a leader that changes the voters."""
    return {
        "leads": role[who].eq("Leader"),
        "a record of its epoch is committed": log[who].at(hw[who] - 1).eq(some(epoch[who])),
        "the change before is committed": set_before(who, hw[who]).eq(voters_of(who)),
    }


def changes(who: Expr, voters: Expr) -> Updates:
    """A leader appends a record that names other voters, and goes by them at once."""
    return {log[who]: log[who].append(epoch[who])} | names(who, voters)


ROOM = {"the log has room": end(voter) < LOG_SIZE}

add_voter = action(
    "AddVoter",
    "A leader adds a node to the voters.",
    voter,
    whom,
    guard=may_change(voter) | {"is not a voter yet": waived(~voters_of(voter).contains(whom), "it would add no node")},
    limits=ROOM,
    updates=changes(voter, voters_of(voter).insert(whom)),
    cites=("KIP-853", "KIP-1186", "AddVoterHandler"),
)

remove_voter = action(
    "RemoveVoter",
    "A leader removes a voter, itself perhaps, but never the last one.",
    voter,
    whom,
    guard=may_change(voter)
    | {
        "is a voter": waived(voters_of(voter).contains(whom), "it would remove no node"),
        "is not the last": ~voters_of(voter).remove(whom).is_empty(),
    },
    limits=ROOM,
    updates=changes(voter, voters_of(voter).remove(whom)),
    cites=("KIP-853", "KIP-1186", "RemoveVoterHandler", "VoterSet.removeVoter"),
)


def can_be_elected(who: Expr) -> Expr:
    """A majority of a node's voters has no log that is further than its own."""
    behind = set_of(asked, voters_of(who).contains(asked) & up_to_date(who, asked))
    return voters_of(who).contains(who) & is_majority_of(behind, voters_of(who))


def differ_by_one(some_voters: Expr, voters: Expr) -> Expr:
    """Two sets are equal, or one has one voter more: any majority of one has a voter of any majority of the other."""
    return some_voters.minus(voters).size() + voters.minus(some_voters).size() <= 1


MAJORITIES_MEET = Property(
    "MajoritiesMeet",
    "The voters of two nodes that could both be elected differ by one at most: their majorities meet.",
    forall(
        one,
        forall(
            other,
            (can_be_elected(one) & can_be_elected(other)).implies(differ_by_one(voters_of(one), voters_of(other))),
        ),
    ),
)
REMOVED_LEADER_RESIGNS = Property(
    "RemovedLeaderResigns",
    "A leader is one of its voters, or the change that removes it is not committed.",
    forall(
        one,
        (role[one].eq("Leader") & set_before(one, hw[one]).eq(voters_of(one))).implies(voters_of(one).contains(one)),
    ),
)
A_VOTER_STAYS = Property("SomeVoterStays", "No set of voters is empty.", forall(one, ~voters_of(one).is_empty()))
VOTERS_CHANGE = Property(
    "VotersChange",
    "A leader commits a change of the voters.",
    exists(one, role[one].eq("Leader") & set_before(one, hw[one]).ne(first_voters)),
    "sometimes",
)
COMMITS_LATER = Property(
    "ChangedVotersCommit",
    "A leader commits one more record with voters that were changed.",
    exists(
        one,
        role[one].eq("Leader")
        & set_before(one, hw[one]).ne(first_voters)
        & voter_sets[one].at(hw[one] - 2).eq(voter_sets[one].at(hw[one] - 1)),
    ),
    "sometimes",
)
LEADER_REMOVED = Property(
    "LeaderRemovesItself",
    "A leader has committed that it is no longer a voter.",
    exists(one, role[one].eq("Resigned") & ~set_before(one, hw[one]).contains(one) & first_voters.contains(one)),
    "sometimes",
)

KIP_853 = Behaviour(
    "KIP-853",
    "Records in the log add and remove voters, one at a time.",
    replaces=(become_candidate, grant_vote, become_leader, append, fetch, truncate, advance_hw, learn_hw),
    adds=(begin_without, add_voter, remove_voter),
    fields=FIELDS,
    properties=(MAJORITIES_MEET, REMOVED_LEADER_RESIGNS, A_VOTER_STAYS, VOTERS_CHANGE, COMMITS_LATER, LEADER_REMOVED),
    cites=("KIP-853", "KAFKA-14094"),
    brings=(CHANGES_OF_VOTERS,),
    left_out=(
        "that a node must have caught up before it is made a voter",
        "directory ids and endpoints of voters, and records that change nothing else",
        "a leader that removed itself and goes on, as the request for it has timed out",
    ),
)

RAFT_VOTERS = replace(
    RAFT.with_behaviours(
        KIP_853,
        name="raft-voters",
        statement="The metadata quorum of 3.9 with kraft.version 1: records in the log add and remove voters.",
    ),
    # ChangedVotersCommit takes three records: of a leader's epoch, of the change, and the one that they commit.
    settings=(VOTERS, MAX_EPOCH, replace(LOG_SIZE, default=3)),
)
