"""The state of a cluster: ZooKeeper, and each broker's controller process.

A broker that is not controller has a blank process. A controller keeps what it reads of ZooKeeper in caches, as in
ControllerContext.scala, without noticing that they grow old.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...specs.machines import machine
from ..expr import (
    Expr,
    both,
    const,
    either,
    exists,
    field,
    fill,
    forall,
    full,
    ite,
    mapped,
    none,
    substitute,
    var,
)
from ..protocol import Field, starts
from ..sorts import (
    Bool,
    Bound,
    Enum,
    Finite,
    Int,
    MapOf,
    OptionOf,
    Record,
    RecordSort,
    SeqOf,
    SetOf,
    Setting,
    Sort,
    Value,
)

BROKERS = Setting("brokers", 3, "the number of brokers", at_least=1)
PARTITIONS = Setting("partitions", 1, "the largest number of topics, of one partition each", at_least=1)
OUTAGES = Setting("outages", 4, "the number of times that brokers die or come back, in all")
FAILOVERS = Setting("failovers", 2, "the number of controllers elected after the first")
MAX_LEADER_EPOCH = Setting("max_leader_epoch", 12, "the last leader epoch, and the last version of a state znode")
CHANNEL = Setting(
    "most_requests", 4, "the number of requests of one controller to one broker that can be on the way", at_least=1
)
SETTINGS = (BROKERS, PARTITIONS, OUTAGES, FAILOVERS, MAX_LEADER_EPOCH)
ISR_CHANGES = Setting("isr_changes", 1, "the number of times that leaders change ISRs, or ask for a change, in all")
REASSIGNMENTS = Setting("reassignments", 1, "the number of reassignments and cancellations, in all")
DIRECTORY_FAILURES = Setting(
    "directory_failures", 1, "the number of times that the log directory of a replica fails, in all"
)
ELECTIONS = Setting("elections", 1, "the number of requested elections of single partitions, in all")
SETTINGS_OF_PART: Mapping[str, tuple[Setting, ...]] = {
    "requests": (CHANNEL,),
    "ISR changes": (ISR_CHANGES,),
    "ISRs of unseen leaders": (ISR_CHANGES,),
    "reassignment": (REASSIGNMENTS,),
    "reassignment without requests": (REASSIGNMENTS,),
    "log directories": (DIRECTORY_FAILURES,),
    "log directories without requests": (DIRECTORY_FAILURES,),
    "elections of some leaders": (ELECTIONS,),
}
CACHES, REASSIGNMENT, DIRECTORIES = "metadata caches", "reassignment", "log directories"
UNSEEN_MOVES, CANCELLED = "reassignment without requests", "cancelled reassignments"
UNSEEN_DIRECTORIES = "log directories without requests"
ASKED, LARGE = "elections of some leaders", "topics of several partitions"
RESTARTS = "quick restarts"
UNCLEAN_LATER, UNCLEAN_ASKED = "unclean elections switched on", "unclean elections asked for"

Broker = Finite("Broker", BROKERS)
Partition = Finite("Partition", PARTITIONS)
Place = Int(0, 2)
PLACES = (0, 1, 2)
ControllerEpoch = Int(0, Bound(FAILOVERS, 1))
LeaderEpoch = Int(0, MAX_LEADER_EPOCH)
Recovery = Enum("LeaderRecoveryState", ("RECOVERED", "RECOVERING"))
Znode = Record(
    "PartitionState",
    leader=OptionOf(Broker),
    isr=SetOf(Broker),
    leader_epoch=LeaderEpoch,
    version=LeaderEpoch,
    controller_epoch=ControllerEpoch,
    recovery=Recovery,
)
Assignment = MapOf(Place, OptionOf(Broker))

# What is not there, by what it would be.
NO_BROKER, NO_BROKERS = none(Broker), const(frozenset(), SetOf(Broker))
NO_PARTITIONS = const(frozenset(), SetOf(Partition))
NO_ZNODE, NO_ASSIGNMENT = none(Znode), none(Assignment)
UNASSIGNED = fill(Assignment, None)
NOTHING_ASKED = none(SetOf(Broker))

_REPLICA, _PARTITION = machine("replica"), machine("partition")
ReplicaState = Enum("ReplicaState", tuple(each.name for each in _REPLICA.states))
PartitionState = Enum("PartitionState", tuple(each.name for each in _PARTITION.states))
Znodes = MapOf(Partition, OptionOf(Znode))
ReplicaStates = MapOf(Partition, MapOf(Broker, ReplicaState))
PartitionStates = MapOf(Partition, PartitionState)
Marks = MapOf(Partition, MapOf(Broker, Bool))
Phase = Enum(
    "Phase",
    (
        "none",
        "elected",
        "starting",
        "idle",
        "electing",
        "failing",
        "moving",
        "stopping",
        "resuming",
        "retrying",
        "deleting",
        "reassigning",
        "finishing",
    ),
)

# What a LeaderAndIsr request says, of which partitions it says that they are new, and for which life of its broker it
# is meant. Each tenure of a controller has a connection to each broker, so the controller epoch of a request is the
# tenure. With metadata caches UpdateMetadata requests are on the same way: they name the live brokers too, and which
# partitions are being deleted (leader -2); and with reassignments StopReplica requests, with the leader epochs. Only
# where partitions get other replicas a request says which they are, and which they were before.
Tenure = Int(1, Bound(FAILOVERS, 1))
BrokerEpoch = Int(0, OUTAGES)
Request = Record("Request", broker_epoch=BrokerEpoch, states=Znodes, new=SetOf(Partition))
RequestKind = Enum("RequestKind", ("LeaderAndIsr", "UpdateMetadata", "StopReplica"))
_CONTENT: Mapping[str, Sort] = {
    "kind": RequestKind,
    "broker_epoch": BrokerEpoch,
    "states": Znodes,
    "new": SetOf(Partition),
    "live": SetOf(Broker),
    "deleted": SetOf(Partition),
}
Replicas = Record("Replicas", now=Assignment, before=OptionOf(Assignment))
AnyRequest = Record("AnyRequest", **_CONTENT)
ListingRequest = Record("ListingRequest", **_CONTENT, replicas=MapOf(Partition, Replicas))
Members = MapOf(Partition, SetOf(Broker))
Cached = Record("CachedMetadata", leader=OptionOf(Broker), leader_epoch=LeaderEpoch)
Metadata = MapOf(Partition, OptionOf(Cached))

c, b, r = var("c", Broker), var("b", Broker), var("r", Broker)
p, _of_it = var("p", Partition), var("of_its_topic", Partition)
e = var("e", Tenure)

# ZooKeeper
registered = field("registered", SetOf(Broker))
created = field("created", SetOf(Partition))
controller = field("controller", OptionOf(Broker))
controller_epoch = field("controller_epoch", ControllerEpoch)
assignment = field("assignment", MapOf(Partition, Assignment))
znode = field("znode", Znodes)

# The controller process of each broker
phase = field("phase", MapOf(Broker, Phase))
epoch = field("epoch", MapOf(Broker, ControllerEpoch))
live = field("live", MapOf(Broker, SetOf(Broker)))
topics = field("topics", MapOf(Broker, SetOf(Partition)))
cached = field("cached", MapOf(Broker, Znodes))
replica_state = field("replica_state", MapOf(Broker, ReplicaStates))
partition_state = field("partition_state", MapOf(Broker, PartitionStates))
to_move = field("to_move", MapOf(Broker, SetOf(Broker)))

# Of controlled shutdown
shutting = field("shutting", MapOf(Broker, SetOf(Broker)))
followed = field("followed", MapOf(Broker, MapOf(Partition, Bool)))

# Of deletion
queued = field("queued", SetOf(Partition))
to_delete = field("to_delete", MapOf(Broker, SetOf(Partition)))
ineligible = field("ineligible", MapOf(Broker, MapOf(Partition, Bool)))
to_stop = field("to_stop", MapOf(Broker, Marks))
asked_to_delete = field("asked_to_delete", MapOf(Broker, Marks))

# Of topics of several partitions: of each the partition that stands for its topic
topic_of = field("topic_of", MapOf(Partition, Partition))

# Of elections that are asked for
asked = field("asked", SetOf(Partition))
elections = field("elections_so_far", Int(0, ELECTIONS))

# Of unclean elections that are switched on while the cluster runs
unclean_allowed = field("unclean_allowed", SetOf(Partition))
pending_unclean = field("pending_unclean", MapOf(Broker, SetOf(Partition)))

# Of requests
registration = field("registration", MapOf(Broker, BrokerEpoch))
known = field("known", MapOf(Broker, MapOf(Broker, BrokerEpoch)))
batched = field("batched", MapOf(Broker, SetOf(Partition)))
accepted_epoch = field("accepted_epoch", MapOf(Broker, ControllerEpoch))
hosted = field("hosted", MapOf(Broker, Znodes))

# Of reassignments: while one goes on, a topic's assignment is what is asked for, and `origin` what was before
origin = field("origin", MapOf(Partition, OptionOf(Assignment)))
reassignments = field("reassignments_so_far", Int(0, REASSIGNMENTS))
reassigning = field("reassigning", MapOf(Broker, SetOf(Partition)))
finishing = field("finishing", MapOf(Broker, OptionOf(Partition)))
listed = field("listed", MapOf(Broker, Members))

# Of metadata caches
alive = field("alive", MapOf(Broker, SetOf(Broker)))
metadata = field("metadata", MapOf(Broker, Metadata))

# Of log directories
Hosted = MapOf(Broker, SetOf(Partition))
failed = field("failed", Hosted)
reported_failures = field("reported_failures", SetOf(Broker))
directory_failures = field("directory_failures_so_far", Int(0, DIRECTORY_FAILURES))
offline_dirs = field("offline_dirs", MapOf(Broker, Hosted))
storage_errors = field("storage_errors", MapOf(Broker, Hosted))
marked = field("marked", MapOf(Broker, SetOf(Partition)))

# Of ISR changes
proposed = field("proposed", MapOf(Broker, MapOf(Partition, OptionOf(SetOf(Broker)))))
isr_changes = field("isr_changes_so_far", Int(0, ISR_CHANGES))

outages = field("outages_so_far", Int(0, OUTAGES))

_NO_REPLICAS = fill(ReplicaStates, fill(MapOf(Broker, ReplicaState), _REPLICA.unknown_is))
_NO_PARTITIONS = fill(PartitionStates, _PARTITION.unknown_is)

# What a broker's controller process is while the broker is no controller: what a part of the model adds is by its name.
BLANK: Mapping[Expr, Expr | Value] = {
    phase: "none",
    epoch: 0,
    live: frozenset(),
    topics: frozenset(),
    cached: fill(Znodes, None),
    replica_state: _NO_REPLICAS,
    partition_state: _NO_PARTITIONS,
    to_move: frozenset(),
}
BLANK_OF_PART: Mapping[str, Mapping[Expr, Expr | Value]] = {
    "controlled shutdown": {shutting: frozenset(), followed: fill(MapOf(Partition, Bool), False)},
    "deletion": {
        to_delete: frozenset(),
        ineligible: fill(MapOf(Partition, Bool), False),
        to_stop: fill(Marks, fill(MapOf(Broker, Bool), False)),
        asked_to_delete: fill(Marks, fill(MapOf(Broker, Bool), False)),
    },
    "requests": {known: fill(MapOf(Broker, BrokerEpoch), 0), batched: frozenset()},
    RESTARTS: {known: fill(MapOf(Broker, BrokerEpoch), 0)},
    REASSIGNMENT: {reassigning: frozenset(), finishing: None},
    UNCLEAN_LATER: {pending_unclean: frozenset()},
    DIRECTORIES: {
        offline_dirs: fill(Hosted, frozenset()),
        storage_errors: fill(Hosted, frozenset()),
        marked: frozenset(),
    },
}
_MEANINGS = {
    shutting: "the brokers that it knows to be shutting down",
    followed: "the partitions whose replica on a broker that is shutting down it has yet to stop",
    to_delete: "the topics that it is about to delete",
    ineligible: "the topics whose deletion something blocks",
    to_stop: "the replicas that it is about to stop, to delete them",
    asked_to_delete: "the replicas whose deletion it has requested without an answer yet",
    reassigning: "the partitions whose reassignment it has to resume",
    pending_unclean: "the topics for which it has yet to handle that unclean elections were switched on",
    finishing: "the partition whose reassignment it is ending or cancelling",
    offline_dirs: "the replicas that it knows to be in a failed log directory",
    storage_errors: "the replicas for which brokers answered KAFKA_STORAGE_ERROR that it has yet to handle",
    marked: "the partitions of the broker to move whose log directory has failed; none if the broker is dead",
    known: "the broker epochs that it read with the live brokers",
    phase: "the activity of each broker's controller process",
    epoch: "the controller epoch it was elected with",
    live: "the live brokers, as it read them last",
    topics: "the topics that it knows",
    cached: "each partition's state, as it read or wrote it last",
    replica_state: "its replica state machine",
    partition_state: "its partition state machine",
    to_move: "the brokers whose replicas it has yet to move to OfflineReplica",
    batched: "the partitions of replicas that it has moved; it sends them once the last broker's are moved",
}

_ZOOKEEPER = (
    starts(registered, full(Broker), "ZooKeeper: the live brokers, /brokers/ids"),
    starts(controller, None, "ZooKeeper: the controller, /controller"),
    starts(controller_epoch, 0, "ZooKeeper: /controller_epoch"),
    starts(assignment, fill(assignment.sort, UNASSIGNED), "ZooKeeper: each topic's replicas, in order"),
    starts(created, frozenset(), "ZooKeeper: the existing topics"),
    starts(znode, fill(znode.sort, None), "ZooKeeper: each partition's state znode"),
)
_REGISTRATION = starts(registration, fill(registration.sort, 0), "ZooKeeper: the epoch of each broker's registration")
_COUNTED = starts(isr_changes, 0, "the number of times that leaders changed ISRs, or asked for a change")


def _of_part(part: str, parts: Iterable[str]) -> tuple[Field, ...]:
    """The fields that a part adds beside a controller's process."""
    if part == "ISR changes":
        nothing = fill(proposed.sort, fill(MapOf(Partition, OptionOf(SetOf(Broker))), NOTHING_ASKED))
        return (starts(proposed, nothing, "each broker: the ISRs that it asked the controller for"), _COUNTED)
    if part == "ISRs of unseen leaders" and "ISR changes" not in parts:
        return (_COUNTED,)
    if part == "deletion":
        return (starts(queued, frozenset(), "ZooKeeper: topics queued for deletion, /admin/delete_topics"),)
    if part == LARGE:
        return (starts(topic_of, mapped(p, p), "each partition's topic, identified by one of its partitions"),)
    if part == UNCLEAN_LATER:
        what = "ZooKeeper: the topics with unclean.leader.election.enable, /config/topics"
        return (starts(unclean_allowed, frozenset(), what),)
    if part == ASKED:
        what = "ZooKeeper: partitions whose preferred leaders are requested, /admin/preferred_replica_election"
        return (
            starts(asked, frozenset(), what),
            starts(elections, 0, "the number of elections of single partitions that were requested"),
        )
    if part == "requests":
        return (
            _REGISTRATION,
            _on_the_way(parts),
            starts(
                accepted_epoch,
                fill(accepted_epoch.sort, 0),
                "each broker: the highest controller epoch that it heard of",
            ),
            starts(hosted, fill(hosted.sort, fill(Znodes, None)), "each broker: the partitions that it hosts, as sent"),
        )
    if part == RESTARTS and "requests" not in parts:
        return (_REGISTRATION,)
    if part == REASSIGNMENT:
        before = fill(origin.sort, None)
        of_zookeeper = (
            starts(origin, before, "ZooKeeper: the replicas that a partition had before its reassignment, in order"),
            starts(reassignments, 0, "the number of reassignments and cancellations"),
        )
        if "requests" not in parts:
            return of_zookeeper
        what = "each broker: the replicas of the partitions that it leads, as sent"
        return (*of_zookeeper, starts(listed, fill(listed.sort, fill(Members, frozenset())), what))
    if part == DIRECTORIES:
        what = "ZooKeeper: the brokers that reported a failed log directory, /log_dir_event_notification"
        return (
            starts(
                failed, fill(Hosted, frozenset()), "each broker: the replicas that are offline: their directory failed"
            ),
            starts(reported_failures, frozenset(), what),
            starts(directory_failures, 0, "the number of failures of log directories"),
        )
    if part == CACHES:
        return (
            starts(alive, fill(alive.sort, frozenset()), "each broker's metadata cache: the live brokers"),
            starts(metadata, fill(metadata.sort, fill(Metadata, None)), "each broker's metadata cache: the leaders"),
        )
    return ()


def has_registrations(parts: Iterable[str]) -> bool:
    """The registrations of brokers have numbers."""
    return bool({"requests", RESTARTS} & {*parts})


def _on_the_way(parts: Iterable[str]) -> Field:
    of = channel(parts)
    what = "LeaderAndIsr and UpdateMetadata requests" if CACHES in parts else "LeaderAndIsr requests"
    return starts(of, fill(of.sort, fill(MapOf(Tenure, _queue(parts)), ())), f"{what} on the way, by controller epoch")


def channel(parts: Iterable[str]) -> Expr:
    """The requests on their way to each broker, of each controller, in the order in which they were sent."""
    return field("channel", MapOf(Broker, MapOf(Tenure, _queue(parts))))


def _queue(parts: Iterable[str]) -> Sort:
    return SeqOf(request_sort(parts), CHANNEL)


def request_sort(parts: Iterable[str]) -> RecordSort:
    """Return the sort of a request."""
    if REASSIGNMENT in parts:
        return ListingRequest
    return AnyRequest if has_kinds(parts) else Request


def has_kinds(parts: Iterable[str]) -> bool:
    """Requests of several kinds are on the way."""
    return bool({CACHES, REASSIGNMENT} & {*parts})


def owners() -> dict[str, str]:
    """Return the holder of each field."""
    of_zookeeper = (
        registered,
        created,
        controller,
        controller_epoch,
        assignment,
        origin,
        znode,
        queued,
        topic_of,
        asked,
        unclean_allowed,
        registration,
        reported_failures,
    )
    held = {
        "ZooKeeper": of_zookeeper,
        "controller": tuple(process(BLANK_OF_PART)),
        "requests on the way": (channel(()),),
        "broker": (accepted_epoch, hosted, listed, failed, proposed, alive, metadata),
    }
    return {str(each.data): owner for owner, mine in held.items() for each in mine}


def process(parts: Iterable[str]) -> dict[Expr, Expr | Value]:
    """The fields of a controller process, each with its value while the broker is no controller."""
    more = [BLANK_OF_PART.get(part, {}) for part in sorted(parts)]
    return {**BLANK, **{each: blank for fields in more for each, blank in fields.items()}}


def fields(parts: Iterable[str]) -> tuple[Field, ...]:
    """The state of a cluster that has these parts."""
    return (
        *_ZOOKEEPER,
        *(each for part in sorted(parts) for each in _of_part(part, parts)),
        *(starts(each, fill(each.sort, blank), _MEANINGS[each]) for each, blank in process(parts).items()),
        starts(outages, 0, "the number of times that brokers died or came back"),
    )


def literal(value: str, sort: Sort) -> Expr:
    """A value of an enum, as an expression."""
    return const(value, sort)


def now(name: str) -> Expr:
    """A phase of a controller process."""
    return const(name, Phase)


def one_of(state: Expr, values: tuple[str, ...]) -> Expr:
    """An enum has one of some values."""
    return const(frozenset(values), SetOf(state.sort)).contains(state)


def replicas(of: Expr) -> Expr:
    """The set of brokers that an assignment names."""
    found = of[PLACES[0]].set()
    for place in PLACES[1:]:
        found = found.union(of[place].set())
    return found


def first(of: Expr, allowed: Expr) -> Expr:
    """The first broker of an assignment that is in a set, or none."""
    found = NO_BROKER
    for place in reversed(PLACES):
        found = ite(of[place].is_some() & of[place].set().subset_of(allowed), of[place], found)
    return found


def had(of: Expr) -> Expr:
    """The replicas that a partition had before its reassignment, in order; none while none goes on."""
    return origin[of].get(UNASSIGNED)


def hosts(parts: Iterable[str], of: Expr) -> Expr:
    """The brokers that have a replica of a partition, or are to have one."""
    mine = replicas(assignment[of])
    return ite(origin[of].is_some(), mine.union(replicas(had(of))), mine) if REASSIGNMENT in parts else mine


def first_host(parts: Iterable[str], of: Expr, allowed: Expr) -> Expr:
    """The first of them that is in a set, or none: what a reassignment asks for comes first."""
    found = first(assignment[of], allowed)
    if REASSIGNMENT not in parts:
        return found
    before = first(had(of), allowed)
    return ite(either(found.is_some(), origin[of].is_none()), found, before)


def of_one_topic(parts: Iterable[str], of: Expr, other: Expr) -> Expr:
    """Two partitions are of one topic."""
    return topic_of[of].eq(topic_of[other]) if LARGE in parts else of.eq(other)


def some_of_topic(parts: Iterable[str], of: Expr, condition: Expr) -> Expr:
    """A condition on a partition p holds of one of its topic."""
    if LARGE not in parts:
        return substitute(condition, {p: of}) if of != p else condition
    return exists(_of_it, both(of_one_topic(parts, of, _of_it), substitute(condition, {p: _of_it})))


def all_of_topic(parts: Iterable[str], of: Expr, condition: Expr) -> Expr:
    """A condition on a partition p holds of all of its topic."""
    if LARGE not in parts:
        return substitute(condition, {p: of}) if of != p else condition
    return forall(_of_it, of_one_topic(parts, of, _of_it).implies(substitute(condition, {p: _of_it})))


def exists_topic(of: Expr) -> Expr:
    """The topic of a partition was created."""
    return created.contains(of)
