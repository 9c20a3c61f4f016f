"""The family of models of KRaft's controller: a row per release, and the parts."""

from __future__ import annotations

from ...specs.releases import in_mode, span
from ..action import Action
from ..family import Chosen, Family, Part
from ..protocol import Model
from . import partitions, registrations
from .change import DIRECTORIES, ELR, REASSIGNMENT, UNCLEAN, UNCLEAN_ASKED
from .properties import PARTITION_IN_LOG, properties
from .state import CORDONED, MIN_ISR, SETTINGS, fields

PARTS = (
    Part(UNCLEAN, "unclean.leader.election.enable"),
    Part(UNCLEAN_ASKED, "administrators that request unclean elections"),
    Part(REASSIGNMENT, "administrators that request other replicas"),
    Part(CORDONED, "brokers whose log directories are all cordoned"),
)
BEHAVIOURS = (
    *("KAFKA-12670", "KAFKA-13916", "KAFKA-15109", "KAFKA-15665", "KAFKA-16624", "KAFKA-18106", "KAFKA-19522"),
    *("KAFKA-19975", "KAFKA-20832"),
    *(
        "KIP-704",
        "KIP-841",
        "KIP-858",
        "KIP-903",
        "KIP-966",
        "KIP-1066",
        "ELR emptied by directories",
        "old lists of a reassignment",
        "last known leader of the leaderless",
    ),
)


def _build(chosen: Chosen) -> Model:
    actions = [
        registrations.register(chosen),
        registrations.unfence(chosen),
        registrations.fence(chosen),
        registrations.shut_down(chosen),
        registrations.unregister(chosen),
        partitions.create(chosen),
        partitions.ask(chosen),
        partitions.alter_partition(chosen),
        partitions.forget(chosen),
        partitions.elect_preferred(chosen),
    ]
    if {UNCLEAN, UNCLEAN_ASKED} & chosen.parts:
        actions.append(partitions.elect_unclean(chosen))
    if chosen.has(DIRECTORIES):
        actions += [registrations.lose_directory(chosen), registrations.assign_directory(chosen)]
    if registrations.may_be_cordoned(chosen):
        actions += [registrations.cordon(chosen), registrations.uncordon(chosen)]
    if REASSIGNMENT in chosen.parts:
        actions += [partitions.want(chosen), partitions.reassign(chosen), partitions.cancel(chosen)]
    return Model(
        KRAFT.name,
        KRAFT.statement,
        (*SETTINGS, *((MIN_ISR,) if chosen.has(ELR) else ())),
        fields(chosen.behaviours | chosen.parts),
        tuple(actions),
        properties(chosen),
        projections=(PARTITION_IN_LOG,),
    )


BEYOND = (
    ("KAFKA-12733", "since 3.3 a fenced broker is refused; before, JoinsActive shows it"),
    ("KAFKA-14154, KAFKA-13790, KAFKA-14296", "the effect of metadata on brokers is not part of the state"),
    ("KAFKA-15019, KAFKA-15375", "the model has no time: a session may end whenever it lasts"),
    ("KIP-1312, KAFKA-20865", "no partition depends on registrations of controllers, or on voters"),
    ("KAFKA-20839", "levels and features do not change; `validate` takes them from the log"),
    ("KAFKA-16157, KAFKA-14616, KAFKA-16234, KAFKA-17190", "a partition has one life, a broker one directory"),
    ("KAFKA-15489, KAFKA-14644", "the model has one controller: the models of raft have its quorum"),
    ("KAFKA-15003, KAFKA-16171, KAFKA-17506", "the model has no migration from ZooKeeper"),
    ("KAFKA-15221, KAFKA-15583", "the model has no logs and offsets; the replication models have them"),
)
OWNERS = {
    **dict.fromkeys(("registration", "offline", "cordoned"), "registrations in the metadata log"),
    **dict.fromkeys(
        ("place", "isr", "leader", "recovering", "leader_epoch", "partition_epoch", "adding", "removing", "elr"),
        "the partition in the metadata log",
    ),
    "last_known": "the partition in the metadata log",
    "request": "requests on the way",
    "wanted": "administrator",
}


def _actor(taken: Action) -> str:
    """Return the actor of a step."""
    return {"Ask": "leader", "Forget": "leader", "Want": "administrator"}.get(taken.name, "controller")


KRAFT = Family(
    "kraft",
    "KRaft's controller: registrations of brokers, and the changes of one partition.",
    in_mode("kraft") & span(">=3.0"),
    BEHAVIOURS,
    PARTS,
    _build,
    BEYOND,
    OWNERS,
    _actor,
)
