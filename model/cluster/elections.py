"""Elections that are asked for, of some partitions and not of others: of preferred leaders.

An administrator names partitions, or the controller finds brokers that lead less than they should; all that were named
are one call of the partition state machine. Up to 2.1 every named one is elected, even if the preferred one leads
already; since 2.2 only the others.

Not in the model: elections of partitions that have no leader and ISR yet; a starting controller takes up what was asked
without waiting for a further event (docs/zookeeper.md, "Start and failover", step 12).
"""

from __future__ import annotations

from ..action import Action, action, waived
from ..expr import Expr, both, full, ite, set_of, setting
from ..lines import Line
from .controller import writes
from .effects import Effects
from .lines import PREFERRED_STRATEGY
from .state import (
    ELECTIONS,
    NO_BROKER,
    NO_PARTITIONS,
    Broker,
    asked,
    assignment,
    c,
    cached,
    elections,
    exists_topic,
    p,
    partition_state,
    phase,
    topics,
    znode,
)


def ask(_: Effects) -> Action:
    return action(
        "AskElection",
        "An administrator or the controller's balancer requests the preferred leader of one more partition.",
        p,
        guard={
            "is there": waived(exists_topic(p), "a missing partition gets no leader"),
            "was not requested": waived(~asked.contains(p), "it would change nothing"),
        },
        limits={"elections are left": elections < setting(ELECTIONS)},
        updates={asked: asked.insert(p), elections: elections + 1},
    )


def wanted(effects: Effects) -> Expr:
    """Partition p is elected: it was asked for, it is known, and since 2.2 another than the preferred one leads."""
    named = effects.queued_apart(c, p, both(asked.contains(p), topics[c].contains(p), cached[c][p].is_some()))
    if effects.chosen.before("2.2"):
        return named
    return both(named, cached[c][p].value["leader"].ne(assignment[p][0]))


def elect(effects: Effects) -> Action:
    preferred, isr = assignment[p][0], znode[p].value["isr"]
    alive = preferred.set().subset_of(effects.online_brokers(c, p).intersect(isr))
    named = wanted(effects)
    printed = {"detail": set_of(p, named), "strategy": "PREFERRED", "kind": "ZkTriggered"}
    some_named = ~set_of(p, named).is_empty()
    effects.lines.append((Line("election-requested", c, {"controller": c, **printed}, some_named),))
    state, held = effects.elected(
        c, p, partition_state[c][p], named, ite(alive, preferred, NO_BROKER), isr, PREFERRED_STRATEGY, full(Broker)
    )
    return action(
        "ElectAsked",
        (
            "The controller makes the first replica of each requested partition its leader, if it is online and "
            "in the ISR."
        ),
        c,
        guard={
            "is idle": waived(phase[c].eq("idle"), "an election disturbs no handler"),
            "elections are requested": waived(~asked.is_empty(), "otherwise there is nothing to do"),
        },
        updates={asked: NO_PARTITIONS, **writes(state, held)},
        cites=("onPreferredReplicaElection, onReplicaElection in KafkaController.scala", "KIP-460"),
    )
