"""Unclean elections while the cluster runs: of topics for which they are switched on, and those that are asked for.

unclean.leader.election.enable of a topic is read in ZooKeeper with every election. That it was switched on moves the
controller since 2.1 only (KAFKA-6835): before, a partition without leader stays so until something else moves it. The
default of all topics (since 2.0, KAFKA-6526) is left out: it moves the controller as a topic's does. Since 2.4 an
administrator may ask for the unclean election of a partition without a live leader, whatever its topic says (KIP-460).
"""

from __future__ import annotations

from collections.abc import Callable

from ..action import Action, action, waived
from ..expr import Expr, both, exists, false, ite, mapped, true, var
from ..family import Chosen
from ..lines import Line
from ..property import Property
from .controller import writes
from .effects import DELETION, Effects
from .lines import prints_line
from .state import (
    Partition,
    assignment,
    c,
    cached,
    exists_topic,
    one_of,
    p,
    partition_state,
    pending_unclean,
    phase,
    queued,
    registered,
    replicas,
    unclean_allowed,
    znode,
)

one = var("one_partition", Partition)


def allow(effects: Effects) -> Action:
    acts = both(phase[c].ne("none"), false if effects.chosen.has("KAFKA-6835") else true)
    return action(
        "AllowUnclean",
        "An administrator switches unclean elections on for a topic; since 2.1 the controller is notified.",
        one,
        guard={
            "is there": waived(exists_topic(one), "a missing topic elects no leader"),
            "is not on": waived(~unclean_allowed.contains(one), "the controller would try once more"),
        },
        updates={
            unclean_allowed: unclean_allowed.insert(one),
            pending_unclean: mapped(c, ite(acts, pending_unclean[c].insert(one), pending_unclean[c])),
        },
        cites=("TopicConfigHandler in ConfigHandler.scala", "KAFKA-6835"),
    )


def elect_allowed(effects: Effects) -> Action:
    """`triggerOnlinePartitionStateChange(topic)`."""
    effects.lines.append(prints_line("unclean-election-enabled", c, topic=one))
    waits = both(p.eq(one), one_of(partition_state[c][p], ("NewPartition", "OfflinePartition")))
    waits = effects.queued_apart(c, p, waits)
    return action(
        "ElectAllowed",
        (
            "The controller handles that unclean elections are on for a topic: it tries to elect a leader for "
            "each partition without one."
        ),
        c,
        one,
        guard={
            "is idle": waived(phase[c].eq("idle"), "an election disturbs no handler"),
            "was notified": waived(pending_unclean[c].contains(one), "an election without a candidate changes nothing"),
        },
        updates={
            pending_unclean[c]: pending_unclean[c].remove(one),
            **writes(*effects.online(c, p, partition_state[c][p], waits)),
        },
        cites=("processTopicUncleanLeaderElectionEnable in KafkaController.scala",),
    )


def elect_asked(effects: Effects) -> Action:
    led = cached[c][p].value["leader"].set().intersects(effects.staying_brokers(c))
    wanted = effects.queued_apart(c, p, both(p.eq(one), cached[c][p].is_some(), ~led))
    asked = {"controller": c, "detail": one, "strategy": "UNCLEAN", "kind": "AdminClientTriggered"}
    effects.lines.append((Line("election-requested", c, asked),))
    return action(
        "ElectUnclean",
        (
            "An administrator requests a leader for a partition that no live broker leads, from outside the ISR "
            "if need be."
        ),
        c,
        one,
        guard={
            "is idle": waived(phase[c].eq("idle"), "an election disturbs no handler"),
            "has no live leader": waived(exists(p, wanted), "otherwise there is nothing to do"),
        },
        updates=writes(*effects.online(c, p, partition_state[c][p], wanted, forced=True)),
        cites=("processReplicaLeaderElection in KafkaController.scala", "KIP-460"),
    )


def writers(chosen: Chosen) -> tuple[Callable[[Effects], Action], ...]:
    """Return a release's actions, where elections are switched on: up to 2.0 nobody is notified."""
    return (allow,) if chosen.has("KAFKA-6835") else (allow, elect_allowed)


def waits_for_unclean(chosen: Chosen) -> Expr:
    """Some partition without a live leader may be led by any replica, and one of them lives."""
    leaderless = both(znode[p].is_some(), ~znode[p].value["leader"].set().intersects(registered))
    able = both(unclean_allowed.contains(p), replicas(assignment[p]).intersects(registered))
    stays = ~queued.contains(p) if DELETION in chosen.parts else leaderless
    return exists(p, both(leaderless, able, stays))


def allowed_is_elected(chosen: Chosen, fair: tuple[str, ...]) -> Property:
    """Return the property that the controller elects once unclean elections are switched on."""
    waits = waits_for_unclean(chosen)
    return Property(
        "AllowedIsElected",
        (
            "A partition without a live leader, of a topic with unclean elections, eventually gets one, or no "
            "replica lives."
        ),
        waits,
        "leads_to",
        ("KAFKA-6835",),
        goal=~waits,
        fair=fair,
    )
