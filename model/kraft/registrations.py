"""Registrations of brokers, and what the controller does to a partition when one of them changes.

Source: org.apache.kafka.controller.ReplicationControlManager (handleBrokerFenced and its like),
ClusterControlManager, BrokerHeartbeatManager.calculateNextBrokerState.
"""

from __future__ import annotations

from dataclasses import replace

from ..action import Action, Clause, action, waived
from ..expr import Expr, const, either, ite, setting, some, var
from ..family import Chosen
from ..sorts import Bool, SetOf
from .change import ELR, UNCLEAN, Acceptable, Change, Wanted, asked, change, has_directory, is_active, may_lead
from .state import (
    CORDONED,
    FENCED,
    LEAVING,
    LEFT,
    MAX_EPOCH,
    NO_BROKERS,
    REGISTRATION,
    UNFENCED,
    UNREGISTERED,
    Registration,
    alone,
    b,
    cordoned,
    elr,
    isr,
    leader,
    members,
    offline,
    partition_epoch,
    place,
    registration,
    request,
    to,
)

clean = var("clean", Bool)
MANAGER = "ReplicationControlManager"


def is_one_of(who: Expr, *states: str) -> Expr:
    return const(frozenset(states), SetOf(Registration)).contains(registration[who])


def room(changed: Change) -> dict[str, Expr]:
    """The limit of a search."""
    return {"epochs are left": changed.updates[partition_epoch] <= setting(MAX_EPOCH)}


def may_be_unclean(chosen: Chosen) -> bool:
    """Check whether elections that nobody asked for may be unclean, as the topic's configuration allows."""
    return UNCLEAN in chosen.parts and chosen.has("KAFKA-12670")


def _others(chosen: Chosen) -> Acceptable:
    return lambda who: may_lead(chosen, who) & who.ne(b)


def _removal(chosen: Chosen, looked_at: Expr) -> Change:
    """The broker leaves the ISR, and leads no more."""
    wanted = Wanted(_others(chosen), isr=isr.remove(b), unclean=may_be_unclean(chosen))
    return change(chosen, wanted, looked_at)


def register(chosen: Chosen) -> Action:
    """Return the action of a broker that registers: fenced at first; since 4.0 its earlier process leaves all ISRs."""
    updates: dict[Expr, Expr] = {}
    guard: dict[str, Expr | Clause] = {"its leader stays": to.eq(leader)}
    limits = {}
    if chosen.has("KAFKA-18106"):
        made = _cleaned(chosen)
        updates |= made.updates
        guard, limits = dict(made.guard), room(made)
    return action(
        "Register",
        "A process of a broker registers; its earlier process is known to have ended.",
        b,
        *asked(chosen),
        *((clean,) if chosen.has("KAFKA-18106") and chosen.has(ELR) else ()),
        guard=guard,
        limits=limits,
        updates={
            **updates,
            registration[b]: FENCED,
            **({offline: offline.remove(b)} if chosen.has("KIP-858") else {}),
            **({cordoned: cordoned.remove(b)} if may_be_cordoned(chosen) else {}),
            request: _outdated(),
        },
        cites=(f"{MANAGER}.handleBrokerShutdown, ClusterControlManager.registerBroker",),
    )


def _outdated() -> Expr:
    """Return the request on its way, marked outdated for a broker that registers anew and so is another broker."""
    there = request.value
    return ite(request.is_none(), request, some(there.changed(outdated=there["outdated"].insert(b))))


def _cleaned(chosen: Chosen) -> Change:
    """Return the change of a clean stop, the same as fencing; after an unclean one the broker also leaves the ELR."""
    fenced = _removal(chosen, isr.contains(b))
    if not chosen.has(ELR):
        return fenced
    stopped = Wanted(_others(chosen), isr=isr.remove(b), unclean=may_be_unclean(chosen), stopped=alone(b))
    lost = change(chosen, stopped, isr.contains(b) | elr.contains(b))
    guard = {
        **{f"clean: {label}": _if(clean, each) for label, each in fenced.guard.items()},
        **{f"unclean: {label}": _if(~clean, each) for label, each in lost.guard.items()},
    }
    return Change(guard, {each: ite(clean, after, lost.updates[each]) for each, after in fenced.updates.items()})


def _if(condition: Expr, each: Expr | Clause) -> Expr | Clause:
    if isinstance(each, Clause):
        return waived(condition.implies(each.condition), each.waiver)
    return condition.implies(each)


def unfence(chosen: Chosen) -> Action:
    """Return the action that unfences a broker that has caught up: it may lead a partition that nobody leads."""
    wanted = Wanted(
        lambda who: (is_active(who) | who.eq(b)) & has_directory(chosen, who),
        unclean=may_be_unclean(chosen),
    )
    made = change(chosen, wanted, leader < 0)
    return action(
        "Unfence",
        "A fenced broker has caught up: it may lead, and be in an ISR.",
        b,
        *asked(chosen),
        guard={"it is fenced": is_one_of(b, *chosen.previous(REGISTRATION, UNFENCED)), **made.guard},
        limits=room(made),
        updates={registration[b]: UNFENCED, **made.updates},
        cites=(f"{MANAGER}.handleBrokerUnfenced",),
    )


def fence(chosen: Chosen) -> Action:
    """Return the action that fences a broker: its session ends, or it may stop, maybe fenced; it leaves all ISRs."""
    made = _removal(chosen, isr.contains(b))
    after = ite(is_one_of(b, LEAVING, LEFT), const(LEFT, Registration), const(FENCED, Registration))
    return action(
        "Fence",
        "A broker's session ends, or the broker stops: it leaves the ISR, and no longer leads.",
        b,
        *asked(chosen),
        guard={"it is registered": waived(~is_one_of(b, UNREGISTERED), "no other broker has a session"), **made.guard},
        limits=room(made),
        updates={registration[b]: after, **made.updates},
        cites=(f"{MANAGER}.handleBrokerFenced",),
    )


def shut_down(chosen: Chosen) -> Action:
    """Return the action of a broker that asks to stop: it leaves all ISRs; until 3.2 no record shows the request."""
    made = _removal(chosen, isr.contains(b))
    reports_fencing = chosen.has("KAFKA-13916")
    return action(
        "ShutDown",
        "A broker asks for a controlled shutdown, perhaps once more: it leaves the ISR, and no longer leads.",
        b,
        *asked(chosen),
        guard={"it is unfenced": is_one_of(b, UNFENCED, LEAVING), **made.guard},
        limits=room(made),
        updates={**({registration[b]: LEAVING} if reports_fencing else {}), **made.updates},
        cites=(f"{MANAGER}.handleBrokerInControlledShutdown", "KIP-841"),
    )


def unregister(chosen: Chosen) -> Action:
    """Return the action by which an administrator takes a broker out of the cluster."""
    made = _removal(chosen, either(isr.contains(b), elr.contains(b)) if chosen.has(ELR) else isr.contains(b))
    return action(
        "Unregister",
        "A broker's registration is removed: it leaves the ISR, and no longer leads.",
        b,
        *asked(chosen),
        guard={"it is registered": is_one_of(b, *chosen.previous(REGISTRATION, UNREGISTERED)), **made.guard},
        limits=room(made),
        updates={
            registration[b]: UNREGISTERED,
            request: _outdated(),
            **({cordoned: cordoned.remove(b)} if may_be_cordoned(chosen) else {}),
            **made.updates,
        },
        cites=(f"{MANAGER}.handleBrokerUnregistered",),
    )


def may_be_cordoned(chosen: Chosen) -> bool:
    """Check whether log directories can be cordoned, and are in this instance."""
    return CORDONED in chosen.parts and chosen.has("KIP-1066")


def cordon(chosen: Chosen) -> Action:
    return action(
        "Cordon",
        "A broker reports that all its directories are cordoned: it is to get no new replica.",
        b,
        guard={
            "it is registered": waived(~is_one_of(b, UNREGISTERED), "no other broker sends heartbeats"),
            "they were not before": waived(~cordoned.contains(b), "otherwise nothing changes"),
        },
        updates={cordoned: cordoned.insert(b)},
        cites=(f"{MANAGER}.handleDirectoriesCordoned", "KIP-1066"),
    )


def uncordon(chosen: Chosen) -> Action:
    return action(
        "Uncordon",
        "A broker reports that one of its directories is no longer cordoned.",
        b,
        guard={"all were before": waived(cordoned.contains(b), "otherwise nothing changes")},
        updates={cordoned: cordoned.remove(b)},
        cites=(f"{MANAGER}.handleDirectoriesCordoned", "KIP-1066"),
    )


def lose_directory(chosen: Chosen) -> Action:
    """Return the action of a broker that reports that the directory of its replica has failed."""
    wanted = Wanted(_others(chosen), isr=isr.remove(b), unclean=may_be_unclean(chosen))
    made = change(chosen, wanted)
    return action(
        "LoseDirectory",
        "The directory of a replica fails: the replica leaves the ISR, and no longer leads.",
        b,
        *asked(chosen),
        guard={
            "it is registered": waived(~is_one_of(b, UNREGISTERED), "no other broker sends heartbeats"),
            "it has a replica": waived(members(place).contains(b), "another directory does not concern the partition"),
            **made.guard,
        },
        limits=room(made),
        updates={offline: offline.insert(b), **made.updates},
        cites=(f"{MANAGER}.handleDirectoriesOffline", "KIP-858"),
    )


def assign_directory(chosen: Chosen) -> Action:
    """Return the action that assigns a directory; up to 4.2 its builder empties the eligible leader replicas."""
    empties = chosen.has("ELR emptied by directories") and chosen.has(ELR)
    reported = replace(chosen, behaviours=chosen.behaviours - {ELR}) if empties else chosen
    made = change(reported, Wanted(lambda who: may_lead(chosen, who), directory=True))
    forgotten = {elr: NO_BROKERS} if empties else {}
    return action(
        "AssignDirectory",
        "A broker reports the directory of its replica; that does not repair a failed one.",
        b,
        *asked(chosen),
        guard={
            "it is registered": waived(~is_one_of(b, UNREGISTERED), "no other broker has a broker epoch"),
            "it has a replica": waived(members(place).contains(b), "NOT_LEADER_OR_FOLLOWER"),
            **made.guard,
        },
        limits=room(made),
        updates={**made.updates, **forgotten},
        cites=(f"{MANAGER}.handleAssignReplicasToDirs", "KIP-858"),
    )
