"""The state of replication: the quorum (ZooKeeper, or the controller's log), each replica, and requests in flight."""

from __future__ import annotations

from ..expr import Expr, field, fill, full, some, var
from ..protocol import starts
from ..sorts import Finite, Int, MapOf, OptionOf, Record, SeqOf, SetOf, Setting
from ..views import PARTITION, Broker, Projection

REPLICAS = Setting("replicas", 3, "the number of replicas", at_least=1)
LOG_SIZE = Setting("log_size", 2, "the number of records that fit into a log", at_least=1)
MAX_RECORDS = Setting("max_records", 2, "the number of records that producers send, in all", at_least=1)
MAX_LEADER_EPOCH = Setting("max_leader_epoch", 2, "the last leader epoch")
SETTINGS = (REPLICAS, LOG_SIZE, MAX_RECORDS, MAX_LEADER_EPOCH)

Replica = Finite("Replica", REPLICAS)
Epoch = Int(0, MAX_LEADER_EPOCH)
Offset = Int(0, LOG_SIZE)
Entry = Record("Entry", id=Int(0, MAX_RECORDS - 1), epoch=Epoch)
LeaderAndIsr = Record("LeaderAndIsr", leader=OptionOf(Replica), isr=SetOf(Replica))

quorum_leader = field("quorum_leader", OptionOf(Replica))
quorum_isr = field("quorum_isr", SetOf(Replica))
quorum_epoch = field("quorum_epoch", Int(-1, MAX_LEADER_EPOCH))
requests = field("requests", MapOf(Epoch, OptionOf(LeaderAndIsr)))
next_leader_epoch = field("next_leader_epoch", Int(0, MAX_LEADER_EPOCH + 1))

log = field("log", MapOf(Replica, SeqOf(Entry, LOG_SIZE)))
hw = field("hw", MapOf(Replica, Offset))
local_epoch = field("local_epoch", MapOf(Replica, Int(-1, MAX_LEADER_EPOCH)))
local_leader = field("local_leader", MapOf(Replica, OptionOf(Replica)))
local_isr = field("local_isr", MapOf(Replica, SetOf(Replica)))

next_record_id = field("next_record_id", Int(0, MAX_RECORDS))

FIELDS = (
    starts(quorum_leader, None, "the leader that the quorum holds"),
    starts(quorum_isr, full(Replica), "the ISR that the quorum holds"),
    starts(quorum_epoch, -1, "the leader epoch that the quorum holds"),
    starts(
        requests, fill(requests.sort, None), "every LeaderAndIsr ever sent, by epoch: it may come late, twice or never"
    ),
    starts(next_leader_epoch, 0, "the epoch of the controller's next change"),
    starts(log, fill(log.sort, ()), "each replica's log"),
    starts(hw, fill(hw.sort, 0), "each replica's high watermark: the first offset it does not know to be committed"),
    starts(local_epoch, fill(local_epoch.sort, -1), "the leader epoch that each replica has reached"),
    starts(local_leader, fill(local_leader.sort, None), "the leader that each replica presumes"),
    starts(local_isr, fill(local_isr.sort, frozenset()), "the ISR as each replica was sent it, or wrote it as leader"),
    starts(next_record_id, 0, "the id of the next record that a producer sends"),
)

PARTITION_OF_QUORUM = Projection(
    PARTITION,
    {Broker: Replica},
    {"leader": quorum_leader, "isr": quorum_isr, "replicas": full(Replica), "leader_epoch": quorum_epoch},
)

leader, follower, replica = var("leader", Replica), var("follower", Replica), var("replica", Replica)
epoch, offset = var("epoch", Epoch), var("offset", Offset)


def end(of: Expr) -> Expr:
    """The log end offset of a replica: the offset of its next record."""
    return log[of].length()


def only(one: Expr) -> Expr:
    """The set of one replica."""
    return some(one).set()


def presumes_leadership(who: Expr) -> Expr:
    """The replica believes that it leads. It may be wrong: a zombie."""
    return local_leader[who].eq(some(who))


def follows(who: Expr, whom: Expr) -> Expr:
    """The replica believes that the other one leads."""
    return local_leader[who].eq(some(whom))


def follows_in_same_epoch(who: Expr, whom: Expr) -> Expr:
    """Both believe that the other one leads, and in the same leader epoch."""
    return presumes_leadership(whom) & follows(who, whom) & local_epoch[who].eq(local_epoch[whom])


def is_true_leader(who: Expr) -> Expr:
    """The replica leads as the quorum has it, epoch included: its writes to the quorum succeed."""
    return quorum_leader.eq(some(who)) & presumes_leadership(who) & local_epoch[who].eq(quorum_epoch)


def same_entry(one: Expr, other: Expr, at: Expr) -> Expr:
    """Both logs have a record at the offset, the same one."""
    return log[one].at(at).is_some() & log[one].at(at).eq(log[other].at(at))
