"""Lemmas about each node by itself in a quorum whose voters change, for any number of nodes.

To prove one leader per epoch and that nothing committed is lost takes lemmas about all sets of voters that some log
still names (Schultz, Dardik, Tripakis, "Formal Verification of a Distributed Dynamic Reconfiguration Protocol", CPP
2022); they are not written. The explorer decides these promises for three nodes.
"""

from __future__ import annotations

from ..expr import both, forall
from ..property import Property
from ..script import Lemmas
from .kip853 import FIELDS as FIELDS_OF_VOTERS
from .kip853 import first_voters, voter_sets, voters_of
from .state import FIELDS, at, end, epoch, hw, leader, log, one, role

stands_or_leads = role[one].eq("Candidate") | role[one].eq("Leader")

SETS_ARE_OF_RECORDS = Property(
    "SetsAreOfRecords",
    "At each record of a log, the log names at least one voter.",
    both(
        ~first_voters.is_empty(),
        forall(
            one,
            both(
                voter_sets[one].length().eq(log[one].length()),
                forall(at, voter_sets[one].at(at).is_some().implies(~voter_sets[one].at(at).value.is_empty())),
            ),
        ),
    ),
)
CANDIDATES_ARE_VOTERS = Property(
    "CandidatesAreVoters",
    ("A node that asks for votes is one of its voters, and has left the epoch in which the cluster was formatted."),
    forall(
        one,
        both(
            role[one].eq("Candidate").implies(voters_of(one).contains(one)),
            stands_or_leads.implies(leader[one].is_none() & (epoch[one] > 0)),
        ),
    ),
)
HW_WITHIN_LOG = Property(
    "HwWithinLog", "The records that a node knows to be committed are in its log.", forall(one, hw[one] <= end(one))
)

LEMMAS = (SETS_ARE_OF_RECORDS, CANDIDATES_ARE_VOTERS, HW_WITHIN_LOG)
SCRIPT = Lemmas(
    frozenset(each.expr for each in (*FIELDS, *FIELDS_OF_VOTERS)), LEMMAS, lambda model: model, lambda model: (), {}
)
