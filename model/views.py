"""Views: what a model's state and a log line can both be projected to, and the properties stated over them.

The properties of this file are the objects that the explorer checks, the prover proves and the audit's rules use.

| reading of `Broker` | where |
|---|---|
| an id, int | audit, recorded clusters |
| an element of `Replica` | the replication models, by `Projection` |
| uninterpreted | proofs for any number of replicas |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from .errors import DefinitionError, SortError, unknown
from .expr import Expr, after, field, forall, resort, substitute, true
from .property import Property
from .sorts import Bool, Int, Open, OptionOf, SetOf, Sort, same, with_sorts

Broker = Open("Broker")


@dataclass(frozen=True)
class View:
    """Named fields, each with its sort and its meaning."""

    name: str
    fields: Mapping[str, tuple[Sort, str]]

    def __getitem__(self, name: str) -> Expr:
        if name not in self.fields:
            raise unknown("field", name, self.fields, f"view {self.name}")
        return field(name, self.fields[name][0])


PARTITION = View(
    "partition",
    {
        "leader": (OptionOf(Broker), "the leader; none is printed as -1"),
        "isr": (SetOf(Broker), "the committed in-sync replicas"),
        "replicas": (SetOf(Broker), "the assignment, replicas being added or removed included"),
        "leader_epoch": (Int(), "grows with each change of leader"),
        "partition_epoch": (Int(), "grows with each change of the partition; the version of the znode in ZK mode"),
        "controller_epoch": (Int(), "the epoch of the controller that wrote it"),
    },
)

REPLICA = View(
    "replica",
    {
        "leads": (Bool, "it takes itself for the leader"),
        "leader_epoch": (Int(), "the leader epoch that it has taken"),
        "high_watermark": (Int(), "the end of the records that it takes for committed"),
    },
)

LOG = View(
    "log",
    {
        "leads": (Bool, "it leads the partition, in an epoch in which no other replica leads"),
        "log_end": (Int(), "the offset of its next record"),
        "committed": (Int(), "the end of the records of the partition that any replica has committed"),
        "cut": (Bool, "the step cuts it"),
        "leader_end": (Int(), "the offset of the next record of the replica that it follows"),
    },
)

_leader, _isr, _replicas = PARTITION["leader"], PARTITION["isr"], PARTITION["replicas"]
_leader_epoch, _partition_epoch = PARTITION["leader_epoch"], PARTITION["partition_epoch"]
_controller_epoch = PARTITION["controller_epoch"]
_new_leader = after(_leader).ne(_leader)

LEADER_IN_ISR = Property(
    "LeaderInIsr",
    "The leader, if there is one, is in the ISR.",
    _leader.set().subset_of(_isr),
    cites=("kafka.controller.PartitionStateMachine", "KIP-497"),
)
ISR_NOT_EMPTY = Property(
    "IsrNotEmpty",
    "The ISR has a member: some replica is known to hold all committed records, even without a leader.",
    ~_isr.is_empty(),
    cites=("kafka.controller.ReplicaStateMachine", "KAFKA-3143"),
)
ISR_WITHIN_REPLICAS = Property(
    "IsrWithinReplicas",
    "Every member of the ISR is assigned to the partition.",
    _isr.subset_of(_replicas),
    cites=("KAFKA-9672",),
)
LEADER_EPOCH_NEVER_FALLS = Property(
    "LeaderEpochNeverFalls",
    "The leader epoch of a partition never becomes smaller.",
    _leader_epoch <= after(_leader_epoch),
    "step",
    cites=("KIP-101", "KAFKA-9212"),
)
PARTITION_EPOCH_NEVER_FALLS = Property(
    "PartitionEpochNeverFalls",
    "The partition epoch (the version of the state znode) never becomes smaller.",
    _partition_epoch <= after(_partition_epoch),
    "step",
    cites=("KIP-497",),
)
CONTROLLER_EPOCH_NEVER_FALLS = Property(
    "ControllerEpochNeverFalls",
    "A partition's state is never overwritten by a controller of an earlier epoch.",
    _controller_epoch <= after(_controller_epoch),
    "step",
    cites=("KAFKA-6082",),
)
ONE_LEADER_PER_EPOCH = Property(
    "OneLeaderPerEpoch",
    "Two brokers never lead a partition in the same leader epoch.",
    after(_leader_epoch)
    .eq(_leader_epoch)
    .implies(after(_leader).is_none() | _leader.is_none() | after(_leader).eq(_leader)),
    "step",
    cites=("KIP-101",),
)
ONE_STATE_PER_PARTITION_EPOCH = Property(
    "OneStatePerPartitionEpoch",
    "One partition epoch names one state: the same leader, leader epoch and ISR.",
    after(_partition_epoch)
    .eq(_partition_epoch)
    .implies(
        after(_leader).eq(_leader) & after(_leader_epoch).eq(_leader_epoch) & after(_isr).eq(_isr),
    ),
    "step",
    cites=("KIP-497",),
)
EPOCH_STEP = Property(
    "EpochStep",
    "One change of the partition (partition epoch + 1) moves the leader epoch by 0 or 1.",
    after(_partition_epoch)
    .eq(_partition_epoch + 1)
    .implies(after(_leader_epoch).eq(_leader_epoch) | after(_leader_epoch).eq(_leader_epoch + 1)),
    "step",
    cites=("KIP-497",),
)
NEW_LEADER_NEW_EPOCH = Property(
    "NewLeaderNewEpoch",
    "A change of leader comes with a larger leader epoch.",
    _new_leader.implies(_leader_epoch < after(_leader_epoch)),
    "step",
    cites=("KIP-101",),
)
LEADER_FROM_ISR = Property(
    "LeaderFromIsr",
    "A new leader was in the ISR just before its election (a clean election).",
    _new_leader.implies(after(_leader).set().subset_of(_isr)),
    "step",
    cites=("kafka.controller.PartitionLeaderElectionAlgorithms",),
)
UNCLEAN_LEADER_ALONE_IN_ISR = Property(
    "UncleanLeaderAloneInIsr",
    "A new leader from outside the ISR starts with itself as the whole ISR.",
    (_new_leader & ~after(_leader).set().subset_of(_isr)).implies(after(_isr).eq(after(_leader).set())),
    "step",
    cites=("kafka.controller.PartitionLeaderElectionAlgorithms",),
)

PARTITION_PROPERTIES: tuple[Property, ...] = (
    LEADER_IN_ISR,
    ISR_NOT_EMPTY,
    ISR_WITHIN_REPLICAS,
    LEADER_EPOCH_NEVER_FALLS,
    PARTITION_EPOCH_NEVER_FALLS,
    CONTROLLER_EPOCH_NEVER_FALLS,
    ONE_LEADER_PER_EPOCH,
    ONE_STATE_PER_PARTITION_EPOCH,
    EPOCH_STEP,
    NEW_LEADER_NEW_EPOCH,
    LEADER_FROM_ISR,
    UNCLEAN_LEADER_ALONE_IN_ISR,
)


_leads, _own_epoch, _high_watermark = REPLICA["leads"], REPLICA["leader_epoch"], REPLICA["high_watermark"]
HIGH_WATERMARK_MONOTONE = Property(
    "HighWatermarkMonotone",
    "Within one leader epoch, the high watermark of its leader never falls.",
    (_leads & after(_leads) & after(_own_epoch).eq(_own_epoch)).implies(_high_watermark <= after(_high_watermark)),
    "step",
)

COMMITTED_WITHIN_LOG = Property(
    "CommittedWithinLog",
    (
        "A leader has as many records as were ever committed: this is the part of NoCommittedRecordLost that "
        "a log shows, because no line prints records."
    ),
    LOG["leads"].implies(LOG["committed"] <= LOG["log_end"]),
    cites=("KIP-101", "KAFKA-7128"),
)

TRUNCATION_WITHIN_LEADER = Property(
    "TruncationWithinLeader",
    (
        "A log that is cut ends at the end of its leader's log, or before it: this is the part of "
        "TruncationPrefix that a log shows."
    ),
    LOG["cut"].implies(after(LOG["log_end"]) <= after(LOG["leader_end"])),
    "step",
    cites=("KIP-101", "KIP-279"),
)

LOG_PROPERTIES: tuple[Property, ...] = (COMMITTED_WITHIN_LOG, TRUNCATION_WITHIN_LEADER)
REPLICA_PROPERTIES: tuple[Property, ...] = (HIGH_WATERMARK_MONOTONE,)


@dataclass(frozen=True)
class Projection:
    """The state of a model seen as a view.

    Args:
        sorts: the sort of the model that stands for each open sort of the view: `{Broker: Replica}`.
        values: the fields of the view that the model has, as expressions over its state.
        key: the variable by which the values speak of one of several entities, if there are several: the property is
            then promised of each of them.
        given: the condition that such an entity exists; nothing is said of one that does not exist.
    """

    view: View
    sorts: Mapping[Sort, Sort]
    values: Mapping[str, Expr]
    key: Expr | None = None
    given: Expr = true

    def __post_init__(self) -> None:
        for name, value in self.values.items():
            wanted = with_sorts(self.view[name].sort, self.sorts)
            if not same(value.sort, wanted):
                raise SortError(f"view {self.view.name}: {name} is a {wanted}, its projection a {value.sort}")

    def sees(self, prop: Property) -> bool:
        """Check whether the projection has every field that the property reads."""
        return {*prop.needs, *prop.needs_after} <= set(self.values)

    def of(self, prop: Property) -> Property:
        """The property of the view, stated over the model's state.

        Raises:
            DefinitionError: the model does not show a field that the property needs.
        """
        if not self.sees(prop):
            missing = sorted({*prop.needs, *prop.needs_after} - set(self.values))
            raise DefinitionError(f"property {prop.name} needs {', '.join(missing)}, which the projection leaves out")
        condition = resort(prop.condition, self.sorts)
        now = {field(name, with_sorts(self.view[name].sort, self.sorts)): value for name, value in self.values.items()}
        later = {after(leaf): after(value) for leaf, value in now.items() if leaf.data in prop.needs_after}
        stated = substitute(condition, now | later)
        if self.given is not true:
            there = self.given & after(self.given) if prop.needs_after else self.given
            stated = there.implies(stated)
        return replace(prop, condition=stated if self.key is None else forall(self.key, stated))
