"""Leads-to properties of a cluster: events that happen in time, if nothing prevents them forever.

Steps that brokers and controllers take by themselves are fair. Events from outside (brokers die and come back, topics
are created, an administrator asks for something), and the content of an answer, are not: they may never happen, or
each time. The properties are requested by name: each needs the whole graph of states.

Kafka's controller takes events in the order in which they come; here any pending event may be next. So where topics are
created and deleted without end, other events can be put off: properties of a settled controller are not requested with
deletion.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..action import Action
from ..expr import Expr, both, either, exists, full, set_of, some, true
from ..family import Chosen
from ..property import Property
from ..protocol import Ghosts
from . import unclean
from .controller_properties import has_settled
from .effects import DELETION, REQUESTS
from .metadata import agrees
from .requests import is_quiet
from .state import (
    CACHES,
    DIRECTORIES,
    REASSIGNMENT,
    UNCLEAN_LATER,
    Broker,
    b,
    c,
    failed,
    hosted,
    hosts,
    ineligible,
    live,
    p,
    phase,
    queued,
    registered,
    znode,
)

_CREATED = {"CreateTopic", "CreateSingle", "CreateTriple"}
UNASKED = frozenset(
    {
        "Die",
        "ComeBack",
        "LoseSession",
        "DeleteTopic",
        "JoinTopic",
        "AskElection",
        "AllowUnclean",
        "FailDirectory",
        "TellOfDirectory",
        "LeaderShrinksIsr",
        "LeaderExpandsIsr",
        *_CREATED,
    }
)
OUTSIDE = UNASKED | {
    "FailToDelete",
    "ShutDown",
    "ShutDownContended",
    "ElectPreferred",
    "ElectUnclean",
    "ShrinkIsr",
    "ExpandIsr",
    "Reassign",
    "ReassignSingle",
    "ReassignTriple",
    "CancelReassignment",
}


def progress(chosen: Chosen, actions: Iterable[Action]) -> Ghosts:
    """The properties, with the actions of the model that are fair."""
    fair = tuple(each.name for each in actions if each.name not in OUTSIDE)
    found = [_gets_a_leader(chosen, fair)]
    found.append(_deletion_ends(fair) if DELETION in chosen.parts else _settles(chosen, fair))
    if REQUESTS in chosen.parts:
        found.append(_leader_leads(fair))
    if UNCLEAN_LATER in chosen.parts:
        found.append(unclean.allowed_is_elected(chosen, fair))
    if {DIRECTORIES, REQUESTS} <= chosen.parts:
        found.append(_failed_leader_is_replaced(fair))
    if CACHES in chosen.parts:
        found.append(_caches_agree(chosen, fair))
    if {REASSIGNMENT, REQUESTS} <= chosen.parts:
        found.append(_strangers_leave(chosen, fair))
    return Ghosts("progress", (), {}, tuple(found))


def _settles(chosen: Chosen, fair: tuple[str, ...]) -> Property:
    quiet = is_quiet(chosen) if REQUESTS in chosen.parts else true
    return Property(
        "ControllerSettles",
        (
            "While a broker lives, some broker eventually is controller, has nothing left to do and knows the "
            "live brokers, and no request is on its way."
        ),
        ~registered.is_empty(),
        "leads_to",
        ("kafka.controller.KafkaController",),
        goal=registered.is_empty() | both(has_settled(chosen), quiet),
        fair=fair,
    )


def _stays(chosen: Chosen) -> Expr:
    return both(znode[p].is_some(), ~queued.contains(p) if DELETION in chosen.parts else true)


def _gets_a_leader(chosen: Chosen, fair: tuple[str, ...]) -> Property:
    held = znode[p].value
    leaderless = ~held["leader"].set().intersects(registered)
    able = registered
    if DIRECTORIES in chosen.parts:
        able = able.minus(set_of(b, failed[b].contains(p)))
    waits = exists(p, both(_stays(chosen), leaderless, held["isr"].intersects(able)))
    return Property(
        "LeaderIsElected",
        "A partition without a live leader eventually gets one, or no member of its ISR lives any more.",
        waits,
        "leads_to",
        ("kafka.controller.PartitionStateMachine",),
        goal=~waits,
        fair=fair,
    )


def _deletion_ends(fair: tuple[str, ...]) -> Property:
    all_back = registered.eq(full(Broker))
    failed = exists(c, both(phase[c].eq("idle"), live[c].eq(registered), exists(p, ineligible[c][p])))
    return Property(
        "DeletionEnds",
        "While all brokers live, deletions eventually end, unless a broker reports that they failed.",
        both(~queued.is_empty(), all_back),
        "leads_to",
        ("kafka.controller.TopicDeletionManager", "KAFKA-6650"),
        goal=either(queued.is_empty(), ~all_back, failed),
        fair=fair,
    )


def _leader_leads(fair: tuple[str, ...]) -> Property:
    mine, held = hosted[b][p].value, znode[p].value
    leads = both(mine["leader"].eq(some(b)), mine["leader_epoch"].eq(held["leader_epoch"]))
    waits = exists(p, exists(b, both(registered.contains(b), held["leader"].eq(some(b)), ~leads)))
    return Property(
        "LeaderComesToLead",
        "The live broker that ZooKeeper names as leader eventually learns of it, or ZooKeeper names another.",
        waits,
        "leads_to",
        ("KAFKA-7235",),
        goal=~waits,
        fair=fair,
    )


def _failed_leader_is_replaced(fair: tuple[str, ...]) -> Property:
    leads = both(registered.contains(b), failed[b].contains(p), znode[p].value["leader"].eq(some(b)))
    waits = exists(p, exists(b, leads))
    return Property(
        "FailedLeaderIsReplaced",
        (
            "A leader whose log directory failed eventually stops leading: the controller is notified, and asks "
            "its broker."
        ),
        waits,
        "leads_to",
        ("KIP-112",),
        goal=~waits,
        fair=fair,
    )


def _caches_agree(chosen: Chosen, fair: tuple[str, ...]) -> Property:
    waits = exists(b, both(registered.contains(b), ~agrees(chosen, b)))
    return Property(
        "CacheComesToAgree",
        "The metadata caches of all live brokers eventually agree with ZooKeeper.",
        waits,
        "leads_to",
        ("KAFKA-7235", "KAFKA-13225"),
        goal=~waits,
        fair=fair,
    )


def _strangers_leave(chosen: Chosen, fair: tuple[str, ...]) -> Property:
    """Return the property that strangers leave the ISR in time: here it is fair that leaders shrink ISRs."""
    held = znode[p].value
    waits = exists(p, both(held["leader"].set().intersects(registered), ~held["isr"].subset_of(hosts(chosen.parts, p))))
    return Property(
        "StrangersLeaveIsr",
        ("While a live broker leads, a member of the ISR that is not a replica of the partition eventually leaves it."),
        waits,
        "leads_to",
        ("KAFKA-9672",),
        goal=~waits,
        fair=(*fair, "ShrinkIsr"),
    )
