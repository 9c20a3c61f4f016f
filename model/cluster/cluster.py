"""The family of cluster models: a row per release, and the parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...specs.releases import in_mode, span
from ..action import Action
from ..family import Chosen, Family, Part
from ..lines import Block
from ..property import Property
from ..protocol import Model
from . import (
    broker_properties,
    controller,
    deletion,
    directories,
    elections,
    isr,
    metadata,
    outside,
    reassign,
    requests,
    shutdown,
    unclean,
    zombies,
)
from .beyond import BEYOND
from .controller_properties import partition_in_zookeeper, properties
from .effects import (
    DELETION,
    FACTORS,
    ISR,
    ISR_OUTSIDE,
    PREFERRED,
    REQUESTS,
    SHUTDOWN,
    UNCLEAN,
    ZOMBIES,
    Effects,
    RequestedMove,
)
from .progress import UNASKED, progress
from .refusals import refusals
from .state import (
    ASKED,
    CACHES,
    CANCELLED,
    DIRECTORIES,
    LARGE,
    REASSIGNMENT,
    RESTARTS,
    SETTINGS,
    SETTINGS_OF_PART,
    UNCLEAN_ASKED,
    UNCLEAN_LATER,
    UNSEEN_DIRECTORIES,
    UNSEEN_MOVES,
    c,
    fields,
    owners,
)

PARTS = (
    Part(SHUTDOWN, "brokers that ask the controller before they stop"),
    Part(DELETION, "deletion of topics"),
    Part(LARGE, "topics of several partitions, which are deleted together", needs=(DELETION,)),
    Part(PREFERRED, "elections of the preferred leader"),
    Part(ASKED, "elections of the preferred leaders of requested partitions"),
    Part(ZOMBIES, "controllers that do not know that their session is over"),
    Part(REQUESTS, "LeaderAndIsr requests on their way to brokers, and their effect on brokers"),
    Part(ISR, "leaders that shrink and expand the ISR", needs=(REQUESTS,)),
    Part(CACHES, "UpdateMetadata requests on their way, and brokers' metadata caches", needs=(REQUESTS,)),
    Part(REASSIGNMENT, "partitions that get other replicas", needs=(REQUESTS, ISR)),
    Part(UNSEEN_MOVES, "partitions that get other replicas, as controllers see them", needs=(ISR_OUTSIDE,)),
    Part(CANCELLED, "reassignments that are cancelled (since 2.4)", usual=True),
    Part(DIRECTORIES, "log directories that fail while their broker lives", needs=(REQUESTS,)),
    Part(UNSEEN_DIRECTORIES, "log directories that fail while their broker lives, as controllers see them"),
    Part(FACTORS, "topics with one replica, or three"),
    Part(ISR_OUTSIDE, "ISRs that change in ZooKeeper, without brokers and their knowledge"),
    Part(
        RESTARTS,
        (
            "brokers that are back before a controller notices their loss (controllers see this since 2.2), "
            "without requests"
        ),
    ),
    Part(UNCLEAN, "unclean.leader.election.enable, for all topics"),
    Part(UNCLEAN_LATER, "unclean.leader.election.enable of topics, switched on while the cluster runs"),
    Part(UNCLEAN_ASKED, "unclean elections of single partitions that an administrator requests (since 2.4)"),
)
BEHAVIOURS = (
    "KAFKA-3143",
    "KAFKA-6082",
    "KAFKA-6650",
    "KAFKA-6835",
    "KAFKA-7482",
    "KAFKA-8237",
    "KAFKA-9212",
    "KAFKA-9672",
    "KAFKA-10314",
    "KAFKA-13225",
    "KAFKA-13972",
    "KAFKA-14140",
    "KIP-380",
    "KIP-455",
    "KIP-497",
    "KIP-704",
    "retry-all elections",
)

_WRITERS: dict[str, tuple[Callable[[Effects], Action], ...]] = {
    "": (
        controller.elect,
        controller.initialize_context,
        controller.start_partitions,
        controller.broker_change,
        controller.elect_for_new_brokers,
        controller.elect_for_dead_leaders,
        controller.move_replicas_offline,
        controller.new_partitions,
    ),
    PREFERRED: (controller.elect_preferred,),
    ASKED: (elections.ask, elections.elect),
    SHUTDOWN: (),  # those of a release
    DELETION: (
        deletion.delete_topic,
        deletion.note_deletions,
        deletion.complete_deletion,
        deletion.resume_deletions,
        deletion.retry_deletion,
        deletion.begin_deletion,
        deletion.stop,
        deletion.delete_stopped,
        deletion.delete_replica,
        deletion.fail_to_delete,
    ),
    REQUESTS: (requests.handle, requests.refuse, requests.lose),
    CACHES: (metadata.handle,),
    DIRECTORIES: (),  # those with requests or without
    ZOMBIES: (zombies.lose_session, zombies.resign),
    ISR_OUTSIDE: (outside.shrink, outside.expand),
    FACTORS: (outside.create_single, outside.create_triple),
    LARGE: (outside.join_topic,),
    "outside": (outside.die, outside.come_back, outside.create_topic),
}


def whole(chosen: Chosen) -> Chosen:
    """Return what is chosen, with the parts that others imply: without requests they are the same to a controller."""
    implied = {REASSIGNMENT: UNSEEN_MOVES, DIRECTORIES: UNSEEN_DIRECTORIES}
    return replace(chosen, parts=chosen.parts | {part for part, by in implied.items() if by in chosen.parts})


def _build(chosen: Chosen) -> Model:
    chosen = whole(chosen)
    attempts: dict[str, tuple[RequestedMove, ...]] = {}
    actions = []
    for part, writers in {
        **_WRITERS,
        SHUTDOWN: shutdown.writers(chosen),
        ISR: isr.writers(chosen),
        UNCLEAN_LATER: unclean.writers(chosen),
        UNCLEAN_ASKED: (unclean.elect_asked,) if chosen.has("KIP-460") else (),
        DIRECTORIES: directories.writers(chosen),
        REASSIGNMENT: reassign.writers(chosen),
    }.items():
        if part in ("", "outside", *chosen.parts):
            for write in writers:
                effects = Effects(chosen)
                made = requests.sent(effects, zombies.fenced(effects, write(effects)))
                actions.append(replace(made, prints=tuple(_of(made, block) for block in effects.lines)))
                attempts[actions[-1].name] = tuple(effects.attempts)
    return Model(
        CLUSTER.name,
        CLUSTER.statement,
        (*SETTINGS, *dict.fromkeys(each for part in sorted(chosen.parts) for each in SETTINGS_OF_PART.get(part, ()))),
        fields(chosen.parts),
        actions=tuple(actions),
        properties=(*properties(chosen), *_promised(chosen)),
        projections=(partition_in_zookeeper(chosen),),
        ghosts=(
            refusals(chosen, actions, attempts),
            progress(chosen, actions),
            *((reassign.logs(chosen),) if {REASSIGNMENT, REQUESTS} <= chosen.parts else ()),
        ),
    )


def _promised(chosen: Chosen) -> tuple[Property, ...]:
    of_requests = broker_properties.properties(chosen) if REQUESTS in chosen.parts else ()
    of_isr = isr.properties(chosen) if ISR in chosen.parts else ()
    of_caches = metadata.properties(chosen) if CACHES in chosen.parts else ()
    of_shutdown = shutdown.properties(chosen) if SHUTDOWN in chosen.parts else ()
    of_directories = directories.properties(chosen) if DIRECTORIES in chosen.parts else ()
    return (
        *of_requests,
        *of_isr,
        *of_caches,
        *of_directories,
        *((deletion.DELETED_WHOLE, deletion.QUEUED_WHOLE) if LARGE in chosen.parts else ()),
        *of_shutdown,
        *(reassign.properties(chosen) if {REASSIGNMENT, REQUESTS} <= chosen.parts else ()),
    )


def _of(made: Action, block: Block) -> Block:
    """Return the lines as a step writes them: its parameters are not iterated over."""
    return tuple(replace(line, over=tuple(each for each in line.over if each not in made.params)) for line in block)


def _actor(taken: Action) -> str:
    """Return the actor of a step: a controller is its first parameter; a step that no broker takes is from outside."""
    if c in taken.params:
        return "controller"
    return "outside" if taken.name in UNASKED else "broker"


CLUSTER = Family(
    "cluster",
    "A cluster in ZooKeeper mode: ZooKeeper, brokers that die and come back, controllers that take over.",
    in_mode("zk") & span(">=1.1"),
    BEHAVIOURS,
    PARTS,
    _build,
    BEYOND,
    owners(),
    _actor,
)
