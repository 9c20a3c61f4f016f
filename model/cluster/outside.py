"""What happens to a cluster from outside: brokers die and come back, topics are created."""

from __future__ import annotations

from ..action import Action, Clause, action, waived
from ..expr import Expr, ite, none, setting, some, var
from ..sorts import Value
from . import requests
from .broker_lines import registered_anew
from .effects import ISR, REQUESTS, ZOMBIES, Effects
from .state import (
    CACHES,
    OUTAGES,
    Broker,
    assignment,
    b,
    controller,
    created,
    exists_topic,
    outages,
    p,
    phase,
    process,
    registered,
    registration,
)

one, other = var("one", Broker), var("other", Broker)


def gone(effects: Effects, broker: Expr) -> dict[Expr, Expr | Value]:
    """The updates by which a broker's controller process ends."""
    return {each[broker]: value for each, value in process(effects.chosen.parts).items()}


def _told(effects: Effects) -> bool:
    return REQUESTS in effects.chosen.parts


def die(effects: Effects) -> Action:
    return action(
        "Die",
        "A broker dies, and its ZooKeeper session ends: it is registered no more, and if it was controller, nobody is.",
        b,
        guard={
            "is registered": waived(registered.contains(b), "nothing but the count of outages changes for the dead")
        },
        limits={"outages are left": outages < setting(OUTAGES)},
        updates={**unregistered(), **gone(effects, b), **(requests.forgotten(effects, b) if _told(effects) else {})},
    )


def unregistered() -> dict[Expr, Expr | Value]:
    """The updates by which a broker's ZooKeeper session ends."""
    return {
        registered: registered.remove(b),
        controller: ite(controller.eq(some(b)), none(Broker), controller),
        outages: outages + 1,
    }


def come_back(effects: Effects) -> Action:
    if _told(effects):
        effects.lines += registered_anew(b, registration[b] + 1, starts=True)
    dead = ~registered.contains(b)
    needed = effects.chosen.parts & {CACHES, ISR}
    registers_once = dead if needed else waived(dead, "nothing but the count of outages changes")
    guard: dict[str, Expr | Clause] = {"is not registered": registers_once}
    if ZOMBIES in effects.chosen.parts:
        guard["is no zombie"] = waived(phase[b].eq("none"), "what an earlier controller does is fenced")
    return action(
        "ComeBack",
        "A dead broker starts again and registers.",
        b,
        guard=guard,
        limits={"outages are left": outages < setting(OUTAGES)},
        updates={
            registered: registered.insert(b),
            outages: outages + 1,
            **(requests.restarts(effects, b) if _told(effects) else {}),
        },
    )


def create_topic(_: Effects) -> Action:
    return action(
        "CreateTopic",
        "An administrator creates a topic of one partition with two replicas; the first is the preferred leader.",
        p,
        one,
        other,
        guard={
            "is not there": ~exists_topic(p),
            "two replicas": waived(one.ne(other), "one replica is legal too; two keep instances small"),
        },
        updates={
            created: created.insert(p),
            assignment[p]: assignment[p].put(0, some(one)).put(1, some(other)),
        },
    )
