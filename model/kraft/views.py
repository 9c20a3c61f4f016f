"""A partition as KRaft's metadata log shows it, and what the controller promises of its changes.

The properties of this file are those that the explorer checks of the model `kraft`, and that rules ask of each record
of a metadata log.
"""

from __future__ import annotations

from ..expr import Expr, after, both, either, ite
from ..property import Property
from ..sorts import Bool, SetOf
from ..views import PARTITION, Broker, View

LOGGED = View(
    "partition in the metadata log",
    {
        **{name: PARTITION.fields[name] for name in ("leader", "isr", "replicas")},
        "adding": (SetOf(Broker), "the replicas that a reassignment adds"),
        "removing": (SetOf(Broker), "the replicas that a reassignment removes"),
        "elr": (SetOf(Broker), "the eligible leader replicas, if the feature is on"),
        "last_known": (SetOf(Broker), "the leader when the last member left the ISR"),
        "recovering": (Bool, "the leader was elected uncleanly, and has not recovered since"),
        "inactive": (SetOf(Broker), "the brokers that are not registered, fenced, or in controlled shutdown"),
    },
)
_leader, _isr, _replicas = LOGGED["leader"], LOGGED["isr"], LOGGED["replicas"]
_adding, _removing = LOGGED["adding"], LOGGED["removing"]
_inactive = after(LOGGED["inactive"])
ELECTION = both(after(_leader).ne(_leader), after(_leader).is_some())
"""Another replica leads afterwards."""
_reassigned = both(~_adding.union(_removing).is_empty(), after(_adding).union(after(_removing)).is_empty())
_caught_up = after(_leader).set().subset_of(after(_isr)) & either(after(_isr).intersects(_isr), _reassigned)
"""The leader entered the ISR in the same record: the leader before vouches for it, and may leave with it."""
_trusted = after(_leader).set().subset_of(_isr.union(LOGGED["elr"]))
ELECTED_CLEANLY = either(_trusted, _caught_up)
"""An elected leader, if any, was in the ISR or eligible, or enters the ISR of others."""
_marked = both(after(_isr).eq(after(_leader).set()), after(LOGGED["recovering"]))


def _are(replicas: Expr) -> Expr:
    return after(_replicas).eq(replicas)


REASSIGNMENT_COMPLETES = both(
    _reassigned, _are(_replicas.minus(_removing)), either(_adding.is_empty(), ~_are(_replicas.minus(_adding)))
)
"""A reassignment ends, and is not cancelled: that would leave the replicas without those that were added."""

REVERTED_UNCLEANLY = both(
    both(_reassigned, _are(_replicas.minus(_adding)), _isr.subset_of(_adding)),
    both(
        ~after(_isr).is_empty(),
        after(_isr).subset_of(after(_replicas)),
        ~after(_isr).subset_of(_isr.union(LOGGED["elr"])),
    ),
)
"""A reassignment is cancelled though only those that it added are in the ISR: it gets the first of those that stay,
alive or not, where unclean elections are allowed (PartitionReassignmentRevert)."""

ELECTED_ACTIVE = Property(
    "ElectedIsActive",
    "The elected replica is unfenced, and not in controlled shutdown.",
    ELECTION.implies(~after(_leader).set().intersects(_inactive)),
    "step",
    cites=("KAFKA-13916", "KAFKA-19522"),
)
JOINS_ACTIVE = Property(
    "JoinsActive",
    "A replica that enters the ISR is unfenced, and not in controlled shutdown.",
    ~after(_isr).minus(_isr).intersects(_inactive),
    "step",
    cites=("KIP-841",),
)
UNCLEAN_MARKED = Property(
    "UncleanIsMarked",
    ("A replica that is elected without being in the ISR or eligible is alone in the ISR, and marked as recovering."),
    ELECTION.implies(either(ELECTED_CLEANLY, _marked)),
    "step",
    cites=("KIP-704", "KIP-966"),
)
ELECTED_TRUSTED = Property(
    "ElectedIsTrusted",
    ("The elected replica was in the ISR, eligible, or the last known leader; or a reassignment made way for it."),
    ELECTION.implies(either(_trusted, after(_leader).set().subset_of(LOGGED["last_known"]), _caught_up)),
    "step",
)
REASSIGNED_IN_SYNC = Property(
    "ReassignmentEndsInSync",
    "A reassignment ends when all remaining replicas are in the ISR.",
    REASSIGNMENT_COMPLETES.implies(either(after(_replicas).subset_of(after(_isr)), after(LOGGED["recovering"]))),
    "step",
    cites=("KAFKA-15665",),
)
_awaited = ite(_adding.size() < _removing.size(), after(_replicas), _adding.minus(_removing))
ADDED_IN_SYNC = Property(
    "ReassignmentEndsWithAdded",
    (
        "A reassignment ends when all replicas that it adds are in the ISR; if it adds fewer than it "
        "removes, when all remaining replicas are."
    ),
    REASSIGNMENT_COMPLETES.implies(either(_awaited.subset_of(after(_isr)), after(LOGGED["recovering"]))),
    "step",
    cites=("KAFKA-19975",),
)
