"""Zombies: a broker whose ZooKeeper session is over, and whose controller goes on as if nothing was (KAFKA-6082).

Up to 2.0 only the version of a znode, and the controller epoch in it, stop what a zombie writes (KAFKA-6082).
"""

from __future__ import annotations

from dataclasses import replace

from ..action import Action, Clause, action, waived
from ..expr import setting
from . import requests
from .broker_lines import registered_anew
from .effects import REQUESTS, ZOMBIES, Effects
from .outside import gone, unregistered
from .state import (
    OUTAGES,
    b,
    c,
    controller_epoch,
    epoch,
    has_registrations,
    outages,
    phase,
    registered,
    registration,
    znode,
)


def lose_session(_: Effects) -> Action:
    return action(
        "LoseSession",
        "A controller's ZooKeeper session is over, and it does not know yet.",
        b,
        guard={
            "is registered": waived(registered.contains(b), "a session ends once; nothing else would change"),
            "acts as controller": waived(phase[b].ne("none"), "any other broker is as good as dead"),
        },
        limits={"outages are left": outages < setting(OUTAGES)},
        updates=unregistered(),
    )


def resign(effects: Effects) -> Action:
    if REQUESTS in effects.chosen.parts:
        effects.lines += registered_anew(b, registration[b] + 1, starts=False)
    return action(
        "Resign",
        "A zombie learns that its session is over: it resigns, and registers again.",
        b,
        guard={
            "is not registered": waived(~registered.contains(b), "a controller may resign at any time"),
            "acts as controller": waived(phase[b].ne("none"), "any other broker only comes back"),
        },
        updates={
            **gone(effects, b),
            registered: registered.insert(b),
            **(requests.registers(b) if has_registrations(effects.chosen.parts) else {}),
        },
        cites=("onControllerResignation in KafkaController.scala",),
    )


def fenced(chosen: Effects, each: Action) -> Action:
    """Return an action with the check of the controller epoch of releases since 2.1, if it writes partition states."""
    writes = c in each.params and any(update.field == znode for update in each.updates)
    if chosen.chosen.has("KAFKA-6082") or ZOMBIES not in chosen.chosen.parts or not writes:
        return each
    check = Clause("the controller epoch is its own", epoch[c].eq(controller_epoch))
    return replace(each, guard=(*each.guard, check), cites=(*each.cites, "KAFKA-6082"))
