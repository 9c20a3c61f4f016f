"""Requests for one partition by administrators, leaders and the controller itself.

Source: org.apache.kafka.controller.ReplicationControlManager.
"""

from __future__ import annotations

from ..action import Action, Clause, action, waived
from ..expr import Expr, const, either, fill, forall, ite, mapped, record, set_of, some, var
from ..family import Chosen
from ..sorts import Bool
from .change import Wanted, asked, change, is_active, may_lead
from .registrations import MANAGER, may_be_cordoned, may_be_unclean, room
from .state import (
    NO_BROKERS,
    NONE,
    NOTHING_ASKED,
    UNREGISTERED,
    Place,
    Places,
    Registration,
    Request,
    adding,
    b,
    cordoned,
    first_of,
    is_there,
    isr,
    leader,
    leader_epoch,
    members,
    partition_epoch,
    place,
    r,
    recovering,
    registration,
    removing,
    request,
    s,
    to,
    wanted,
    without_gaps,
)

FIRST, SECOND = const(0, Place), const(1, Place)
one, other = var("one", r.sort), var("other", r.sort)
NOTHING_WANTED = fill(Places, -1)
recovered = var("recovered", Bool)


def _placed(chosen: Chosen) -> dict[str, Expr | Clause]:
    """Return the guard of replicas that a user names; the controller itself never chose a cordoned broker."""
    if not may_be_cordoned(chosen) or chosen.has("KAFKA-20832"):
        return {}
    return {"no named broker is cordoned, even if it has a replica": ~members(wanted).intersects(cordoned)}


def create(chosen: Chosen) -> Action:
    """Return the action that creates a partition: its active replicas are the ISR, and the first of them leads."""
    ready = set_of(r, members(wanted).contains(r) & is_active(r))
    return action(
        "CreateTopic",
        "A topic is created: the active replicas are its ISR, and the first of them leads.",
        to,
        guard={
            "it does not exist": ~is_there(),
            "a replica is active": waived(~ready.is_empty(), "the leader is"),
            "the leader is active": ready.contains(to),
            "the first active replica leads": waived(
                first_of(to, ready, wanted), "any of them has all records, for there are none"
            ),
            **_placed(chosen),
        },
        updates={place: wanted, isr: ready, leader: to, wanted: NOTHING_WANTED},
        cites=(f"{MANAGER}.createTopic",),
    )


def ask(chosen: Chosen) -> Action:
    """Return the action of a leader that asks for one member more, or one less; or only says that it has recovered."""
    asks = record(
        Request,
        sender=leader,
        leader_epoch=leader_epoch,
        partition_epoch=partition_epoch,
        isr=ite(b.eq(leader), isr, ite(isr.contains(b), isr.remove(b), isr.insert(b))),
        recovering=recovering & ~recovered,
        outdated=NO_BROKERS,
    )
    return action(
        "Ask",
        "A leader asks for an ISR; the request is on its way, and may come late.",
        b,
        recovered,
        guard={
            "somebody leads": leader >= 0,
            "it waits for no answer": waived(request.is_none(), "a leader asks for one change at a time"),
            "the other one is a replica": waived(members(place).contains(b), "the controller checks that itself"),
            "it changes something": waived(
                either(b.ne(leader), recovering), "a request without a change is not written"
            ),
        },
        updates={request: some(asks)},
        cites=("Partition.scala, AlterPartitionManager",),
    )


def forget(chosen: Chosen) -> Action:
    return action(
        "Forget",
        "A request is lost, or refused: the leader asks again if it still needs to.",
        guard={"a request is on its way": waived(request.is_some(), "otherwise nothing changes")},
        updates={request: NOTHING_ASKED},
    )


def alter_partition(chosen: Chosen) -> Action:
    """Return the action, with the order of validateAlterPartitionData: the first condition that fails is the error."""
    asked_change = request.value
    wants = Wanted(
        lambda who: may_lead(chosen, who),
        isr=asked_change["isr"],
        recovering=asked_change["recovering"],
        unclean=may_be_unclean(chosen),
    )
    made = change(chosen, wants)
    guard: dict[str, Expr | Clause] = {
        "a request has come": waived(
            request.is_some(), "without a request there is no ISR, so the leader is not in it"
        ),
        "its leader epoch is the current one": waived(
            asked_change["leader_epoch"].eq(leader_epoch), "FENCED_LEADER_EPOCH; the partition epoch already shows it"
        ),
        "it is the leader's": waived(asked_change["sender"].eq(leader), "INVALID_REQUEST; the epoch already shows it"),
        "its partition epoch is the current one": asked_change["partition_epoch"].eq(partition_epoch),
        "the ISR is within the replicas": waived(asked_change["isr"].subset_of(members(place)), "INVALID_REQUEST"),
        "the leader is in the ISR": waived(asked_change["isr"].contains(leader), "INVALID_REQUEST"),
        "a leader that has not recovered is alone": either(
            ~asked_change["recovering"], asked_change["isr"].size() <= 1
        ),
        "a leader recovers only once": waived(either(recovering, ~asked_change["recovering"]), "INVALID_REQUEST"),
    }
    if chosen.has("KIP-841"):
        guard["all members are active"] = forall(s, asked_change["isr"].contains(s).implies(is_active(s)))
    if chosen.has("KIP-903"):
        guard["all members are the intended processes"] = ~asked_change["isr"].intersects(asked_change["outdated"])
    return action(
        "AlterPartition",
        "The controller writes the ISR that the leader asks for.",
        *asked(chosen),
        guard={**guard, **made.guard},
        limits=room(made),
        updates={request: NOTHING_ASKED, **made.updates},
        cites=(f"{MANAGER}.validateAlterPartitionData", "KIP-497", "KIP-841", "KIP-903"),
    )


def elect_preferred(chosen: Chosen) -> Action:
    made = change(chosen, Wanted(lambda who: may_lead(chosen, who), preferred=True))
    return action(
        "ElectPreferred",
        "An administrator, or the controller by itself, wants the preferred replica to lead.",
        *asked(chosen),
        guard={
            "another replica leads, or none": waived(~first_of(leader, members(place), place), "nothing would change"),
            **made.guard,
        },
        limits=room(made),
        updates=made.updates,
        cites=(f"{MANAGER}.electLeader, maybeBalancePartitionLeaders",),
    )


def elect_unclean(chosen: Chosen) -> Action:
    made = change(chosen, Wanted(lambda who: may_lead(chosen, who), unclean=True))
    return action(
        "ElectUnclean",
        "An administrator, or since 3.9 the controller by itself, wants any replica to lead.",
        *asked(chosen),
        guard={"nobody leads": leader < 0, **made.guard},
        limits=room(made),
        updates=made.updates,
        cites=(f"{MANAGER}.electLeader, maybeElectUncleanLeaders", "KAFKA-12670"),
    )


def want(chosen: Chosen) -> Action:
    return action(
        "Want",
        "An administrator chooses two other replicas.",
        one,
        other,
        guard={
            "there are two": waived(one.ne(other), "one replica is legal, too; two keep instances small"),
            "the partition exists": waived(
                is_there(), "a topic is created with the replicas that were chosen at first"
            ),
            "makes no other request": waived(members(wanted).is_empty(), "one request is made at a time"),
        },
        updates={wanted: mapped(r, ite(r.eq(one), FIRST, ite(r.eq(other), SECOND, NONE)))},
    )


def reassign(chosen: Chosen) -> Action:
    """Return the action that reassigns: replicas are the wanted ones, then those to go; new ones are added."""
    target, current = members(wanted), members(place)
    going, new = current.minus(target), target.minus(current)
    last = ite(going.contains(r), _behind(target, going, r), NONE)
    after = mapped(r, ite(target.contains(r), wanted[r], last))
    keeps = chosen.has("old lists of a reassignment")
    wants = Wanted(
        lambda who: may_lead(chosen, who),
        place=after,
        removing=ite(going.is_empty(), removing, going) if keeps else going,
        adding=ite(new.is_empty(), adding, new) if keeps else new,
    )
    made = change(chosen, wants)
    return action(
        "Reassign",
        "An administrator requests other replicas; if the ISR allows it, the reassignment ends at once.",
        *asked(chosen),
        guard={
            "the partition exists": is_there(),
            "there are replicas": ~target.is_empty(),
            "all are registered": waived(forall(s, target.contains(s).implies(is_known(s))), "only they can catch up"),
            **_placed(chosen),
            **made.guard,
        },
        limits=room(made),
        updates={wanted: NOTHING_WANTED, **made.updates},
        cites=(f"{MANAGER}.changePartitionReassignment",),
    )


def _behind(target: Expr, going: Expr, who: Expr) -> Expr:
    """The place of one that is to go: after all that stay, in the order of their ids."""
    return target.union(set_of(s, going.contains(s) & (s < who))).size()


def is_known(who: Expr) -> Expr:
    return registration[who].ne(const(UNREGISTERED, Registration))


def cancel(chosen: Chosen) -> Action:
    """Return the action that cancels: added replicas go; if nobody is left in the ISR, the first enters uncleanly."""
    kept = members(place).minus(adding)
    back = without_gaps(place, kept)
    left = isr.minus(adding)
    first = set_of(r, first_of(r, kept, place))
    wants = Wanted(
        lambda who: may_lead(chosen, who),
        isr=ite(left.is_empty(), first, left),
        place=back,
        adding=NO_BROKERS,
        removing=NO_BROKERS,
        unclean=may_be_unclean(chosen),
    )
    made = change(chosen, wants)
    return action(
        "Cancel",
        "An administrator cancels a reassignment.",
        *asked(chosen),
        guard={
            "a reassignment goes on": ~adding.union(removing).is_empty(),
            "another replica is in the ISR, or leaders may be unclean": (
                const(may_be_unclean(chosen), Bool) | ~left.is_empty()
            ),
            **made.guard,
        },
        limits=room(made),
        updates=made.updates,
        cites=(f"{MANAGER}.cancelPartitionReassignment, PartitionReassignmentRevert",),
    )
