"""The brokers and one partition as the metadata log has them, and requests that are not answered yet.

Brokers are numbers from 0 on. The brokers asked for, as replicas or as an ISR, are part of the state, though no record
holds them: a replay of a log puts there what the record has.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...specs.machines import machine
from ..expr import Expr, const, exists, field, fill, forall, ite, mapped, set_of, var, variables
from ..protocol import Field, starts
from ..sorts import Bool, Bound, Enum, Int, MapOf, OptionOf, Record, SetOf, Setting

BROKERS = Setting("brokers", 3, "the number of brokers", at_least=1)
MAX_EPOCH = Setting("max_partition_epoch", 4, "the last partition epoch: the number of changes to the partition")
MIN_ISR = Setting("min_isr", 2, "the effective min.insync.replicas: never more than the number of replicas", at_least=1)
REPLICAS = Setting("replicas", 3, "the number of replicas that an administrator requests", at_least=1)
SETTINGS = (BROKERS, REPLICAS, MAX_EPOCH)

NOBODY = -1
Broker = Int(0, Bound(BROKERS, -1))
Leader = Int(NOBODY, Bound(BROKERS, -1))
Place = Int(NOBODY, Bound(BROKERS, -1))
Places = MapOf(Broker, Place)
Epoch = Int(0, MAX_EPOCH)
Brokers = SetOf(Broker)
REGISTRATION = "broker-registration"
"""The table of specs/machines with the states of a registration."""
UNREGISTERED, FENCED, UNFENCED, LEAVING, LEFT = STATES = tuple(each.name for each in machine(REGISTRATION).states)
Registration = Enum("Registration", STATES)
Request = Record(
    "AlterPartition",
    sender=Broker,
    leader_epoch=Epoch,
    partition_epoch=Epoch,
    isr=Brokers,
    recovering=Bool,
    outdated=Brokers,
)

# Brokers
registration = field("registration", MapOf(Broker, Registration))
offline, cordoned = field("offline", Brokers), field("cordoned", Brokers)

# The partition, as PartitionRegistration has it
place = field("place", Places)
isr, adding, removing, elr = (field(name, Brokers) for name in ("isr", "adding", "removing", "elr"))
leader, last_known = field("leader", Leader), field("last_known", Leader)
recovering = field("recovering", Bool)
leader_epoch, partition_epoch = field("leader_epoch", Epoch), field("partition_epoch", Epoch)

# Asked for
wanted = field("wanted", Places)
request = field("request", OptionOf(Request))

b, r, s, to = var("b", Broker), var("r", Broker), var("s", Broker), var("to", Leader)
NO_BROKERS = const(frozenset(), Brokers)
NONE = const(NOBODY, Place)
NOTHING_ASKED = const(None, OptionOf(Request))
_PARTITION = (
    starts(
        place,
        fill(Places, NOBODY),
        "the position of each broker among the replicas, from 0 on; -1: it is not a replica",
    ),
    starts(isr, frozenset(), "the in-sync replicas"),
    starts(leader, NOBODY, "the leader; -1: none"),
    starts(recovering, False, "the leader was elected uncleanly, and has not recovered since"),
    starts(leader_epoch, 0, "grows with each record that names a leader"),
    starts(partition_epoch, 0, "grows with each record"),
    starts(adding, frozenset(), "the replicas that a reassignment adds"),
    starts(removing, frozenset(), "the replicas that a reassignment removes"),
)
CORDONED = "cordoned directories"
"""A part of the model."""
_OF_BEHAVIOUR = {
    "KIP-966": (
        starts(elr, frozenset(), "the eligible leader replicas"),
        starts(last_known, NOBODY, "the leader when the last member left the ISR; -1: none"),
    ),
    "KIP-858": (starts(offline, frozenset(), "the brokers on which the replica's directory has failed"),),
    CORDONED: (starts(cordoned, frozenset(), "the brokers whose directories are all cordoned"),),
}


def fields(behaviours: Iterable[str]) -> tuple[Field, ...]:
    """The state of a cluster whose release has these behaviours and parts."""
    return (
        starts(registration, fill(registration.sort, UNREGISTERED), "the state of each broker, by its records"),
        *_PARTITION,
        *(each for id in sorted(set(behaviours) & set(_OF_BEHAVIOUR)) for each in _OF_BEHAVIOUR[id]),
        starts(wanted, mapped(r, ite(r < REPLICAS, r, NONE)), "the replicas that an administrator requests"),
        starts(request, None, "a leader's AlterPartition request on its way"),
    )


def each(name: str, *inside: Expr) -> Expr:
    """A variable over brokers that none of the expressions binds: it may be bound around them."""
    bound = {str(one.data) for expr in inside for one in variables(expr)}
    while name in bound:
        name += "_"
    return var(name, Broker)


def is_there() -> Expr:
    """The partition has been created, and its topic not removed."""
    return exists(r, place[r] >= 0)


def members(of: Expr) -> Expr:
    """The replicas, of their places."""
    one = each("member", of)
    return set_of(one, of[one] >= 0)


def first_of(who: Expr, among: Expr, of: Expr) -> Expr:
    """A broker is the first one of a set."""
    one = each("next", among, of)
    return among.contains(who) & forall(one, among.contains(one).implies(of[who] <= of[one]))


def without_gaps(of: Expr, kept: Expr) -> Expr:
    """The places of the brokers that stay, in the order that they had."""
    one = each("kept", of, kept)
    earlier = each("before", of, kept)
    before = set_of(earlier, kept.contains(earlier) & (of[earlier] < of[one]))
    return mapped(one, ite(kept.contains(one), before.size(), NONE))


def alone(who: Expr) -> Expr:
    """The set of one broker; of nobody, none."""
    one = each("only", who)
    return set_of(one, one.eq(who))
