"""Controlled shutdown: a broker that stops asks the controller to take its leaderships away (controller.md 4).

The broker stops afterwards whatever the answer is: it dies by the step that all brokers die by. A controller that
takes over does not know who was shutting down.
"""

from __future__ import annotations

from ..action import Action, action, waived
from ..expr import both, fill, mapped, some
from ..sorts import Bool, MapOf
from .controller import writes
from .effects import Effects
from .lines import SHUTDOWN_STRATEGY, prints_line
from .state import (
    Partition,
    b,
    c,
    cached,
    followed,
    live,
    now,
    p,
    partition_state,
    phase,
    replica_state,
    shutting,
    to_move,
    znode,
)


def shut_down(effects: Effects) -> Action:
    """Elections by ControlledShutdownPartitionLeaderElectionStrategy for what the broker leads."""
    leaving = shutting[c].insert(b)
    staying = live[c].minus(leaving)
    known = effects.queued_apart(c, p, both(effects.is_assigned(c, p, b), cached[c][p].is_some()))
    led = both(known, cached[c][p].value["leader"].eq(some(b)))
    isr = znode[p].value["isr"].minus(leaving)
    effects.lines.append(prints_line("controlled-shutdown", c, broker=b))
    leader = effects.first(p, effects.with_directory(c, p, staying).intersect(isr))
    recipients = staying if effects.chosen.has("KAFKA-7482") else live[c]
    state, held = effects.elected(c, p, partition_state[c][p], led, leader, isr, SHUTDOWN_STRATEGY, recipients)
    return action(
        "ShutDown",
        "A broker asks for a controlled shutdown: the controller elects other leaders for what it leads.",
        c,
        b,
        guard={
            "is idle": phase[c].eq("idle"),
            "is live": waived(live[c].contains(b), "who is not known to live leads nothing"),
        },
        limits={"did not ask before": ~shutting[c].contains(b)},
        updates={
            phase[c]: "stopping",
            shutting[c]: leaving,
            followed[c]: mapped(p, both(known, cached[c][p].value["leader"].ne(some(b)))),
            to_move[c]: some(b).set(),
            **writes(state, held),
        },
        cites=("doControlledShutdown in KafkaController.scala",),
    )


def stop_followers(effects: Effects) -> Action:
    """What the broker did not lead when it asked is stopped there; what it led is not, though it leads it no more."""
    state, held = effects.offline(c, p, b, replica_state[c][p][b], followed[c][p])
    return action(
        "StopFollowers",
        "Of a broker that is shutting down, the replicas that followed when it asked are moved to OfflineReplica.",
        c,
        b,
        guard={"leaders are moved": phase[c].eq("stopping"), "it is this broker": to_move[c].contains(b)},
        updates={
            phase[c]: now("idle"),
            to_move[c]: to_move[c].remove(b),
            followed[c]: fill(MapOf(Partition, Bool), False),
            replica_state[c]: mapped(p, replica_state[c][p].put(b, state)),
            cached[c]: mapped(p, held.cache),
            znode: mapped(p, held.znode),
        },
        cites=("doControlledShutdown in KafkaController.scala",),
    )
