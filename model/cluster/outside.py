"""Events from outside the cluster: brokers die and come back, topics are created."""

from __future__ import annotations

from itertools import combinations

from ..action import Action, Clause, action, waived
from ..expr import Expr, both, const, either, exists, forall, ite, mapped, setting, some, var
from ..sorts import Value
from . import requests
from .broker_lines import registered_anew
from .controller import unknown_is
from .effects import REQUESTS, ZOMBIES, Effects
from .state import (
    DIRECTORIES,
    ISR_CHANGES,
    LARGE,
    NO_BROKER,
    OUTAGES,
    REASSIGNMENT,
    Broker,
    Partition,
    ReplicaState,
    assignment,
    b,
    c,
    cached,
    controller,
    created,
    epoch,
    exists_topic,
    failed,
    finishing,
    has_registrations,
    isr_changes,
    live,
    outages,
    p,
    phase,
    process,
    queued,
    r,
    registered,
    registration,
    replica_state,
    replicas,
    some_of_topic,
    to_move,
    topic_of,
    znode,
)

_another, of_topic = var("another", Partition), var("of_topic", Partition)
one, other, third = var("one", Broker), var("other", Broker), var("third", Broker)


def gone(effects: Effects, broker: Expr) -> dict[Expr, Expr | Value]:
    """The updates by which a broker's controller process ends."""
    return {each[broker]: value for each, value in process(effects.chosen.parts).items()}


def _sends_requests(effects: Effects) -> bool:
    return REQUESTS in effects.chosen.parts


def die(effects: Effects) -> Action:
    return action(
        "Die",
        (
            "A broker dies, and its ZooKeeper session ends: it is no longer registered, and if it was "
            "controller, no broker is."
        ),
        b,
        guard={"is registered": waived(registered.contains(b), "for a dead broker only the count of outages changes")},
        limits={"outages are left": outages < setting(OUTAGES)},
        updates={
            **unregistered(),
            **gone(effects, b),
            **_forgotten(effects, b),
        },
    )


def _forgotten(effects: Effects, broker: Expr) -> dict[Expr, Expr | Value]:
    """The updates by which a broker's process ends, beside its session."""
    if _sends_requests(effects):
        return requests.forgotten(effects, broker)
    return {failed[broker]: frozenset()} if DIRECTORIES in effects.chosen.parts else {}


def unregistered() -> dict[Expr, Expr | Value]:
    """The updates by which a broker's ZooKeeper session ends."""
    return {
        registered: registered.remove(b),
        controller: ite(controller.eq(some(b)), NO_BROKER, controller),
        outages: outages + 1,
    }


def come_back(effects: Effects) -> Action:
    if _sends_requests(effects):
        effects.lines += registered_anew(b, registration[b] + 1, starts=True)
    dead = ~registered.contains(b)
    nothing = "only the counts of outages and registrations change"
    registers_once = dead if _sends_requests(effects) else waived(dead, nothing)
    guard: dict[str, Expr | Clause] = {"is not registered": registers_once}
    if ZOMBIES in effects.chosen.parts:
        guard["is no zombie"] = waived(phase[b].eq("none"), "an earlier controller is fenced")
    return action(
        "ComeBack",
        "A dead broker starts again and registers.",
        b,
        guard=guard,
        limits={"outages are left": outages < setting(OUTAGES)},
        updates={
            registered: registered.insert(b),
            outages: outages + 1,
            **_starts(effects, b),
        },
    )


def _starts(effects: Effects, broker: Expr) -> dict[Expr, Expr | Value]:
    """The updates by which a broker starts, beside that it is registered."""
    if _sends_requests(effects):
        return requests.restarts(effects, broker)
    return requests.registers(broker) if has_registrations(effects.chosen.parts) else {}


def create_topic(effects: Effects) -> Action:
    return _created(
        "CreateTopic",
        "An administrator creates a topic of one partition with two replicas; the first is the preferred leader.",
        effects,
        one,
        other,
    )


def create_single(effects: Effects) -> Action:
    meaning = "An administrator creates a topic of one partition with one replica."
    return _created("CreateSingle", meaning, effects, one)


def create_triple(effects: Effects) -> Action:
    meaning = "An administrator creates a topic of one partition with three replicas."
    return _created("CreateTriple", meaning, effects, one, other, third)


def join_topic(_: Effects) -> Action:
    stands_for_none = forall(_another, either(_another.eq(p), topic_of[_another].ne(p)))
    return action(
        "JoinTopic",
        "A partition that does not exist yet becomes part of another's topic.",
        p,
        of_topic,
        guard={
            "does not exist": waived(~exists_topic(p), "more partitions of a topic are legal"),
            "has no topic": both(topic_of[p].eq(p), stands_for_none, p.ne(of_topic)),
            "the topic is there to stay": both(topic_of[of_topic].eq(of_topic), ~queued.contains(of_topic)),
        },
        updates={topic_of[p]: of_topic},
        cites=("PartitionModifications in KafkaController.scala",),
    )


def _created(name: str, meaning: str, effects: Effects, *asked: Expr) -> Action:
    places = assignment[p]
    for place, broker in enumerate(asked):
        places = places.put(place, some(broker))
    guard: dict[str, Expr | Clause] = {"does not exist": ~exists_topic(p)}
    if LARGE in effects.chosen.parts:  # partitions of a topic that is being deleted are left alone
        guard["its topic is not queued"] = ~some_of_topic(effects.chosen.parts, p, queued.contains(p))
    if len(asked) > 1:
        distinct = both(*(mine.ne(its) for mine, its in combinations(asked, 2)))
        guard[f"{('two', 'three')[len(asked) - 2]} replicas"] = waived(distinct, "fewer replicas are legal, too")
    return action(name, meaning, p, *asked, guard=guard, updates={created: created.insert(p), assignment[p]: places})


def _leads() -> Expr:
    """A live broker leads."""
    leader = znode[p].value["leader"]
    return both(znode[p].is_some(), leader.is_some(), leader.set().subset_of(registered))


def shrink(effects: Effects) -> Action:
    isr, leader = znode[p].value["isr"], znode[p].value["leader"]
    fallen = some(one).set().union(some(other).set())
    return _isr_changed(
        effects,
        "LeaderShrinksIsr",
        "The leader takes one or two followers that are behind out of the ISR.",
        (one, other),
        {"they are followers in it": both(fallen.subset_of(isr), ~leader.set().intersects(fallen))},
        isr.minus(fallen),
    )


def expand(effects: Effects) -> Action:
    isr = znode[p].value["isr"]
    outside = effects.replicas(p).minus(isr).intersect(registered)
    given: dict[str, Expr] = {}
    if REASSIGNMENT in effects.chosen.parts:  # an added broker was notified, and a dropped one follows no more
        nowhere = const(unknown_is("replica"), ReplicaState)
        given["a controller gave it a state"] = exists(r, replica_state[r][p][one].ne(nowhere))
        dropped = both(finishing[r].eq(some(p)), ~replicas(assignment[p]).contains(one), ~to_move[r].contains(one))
        given["no controller dropped it"] = ~exists(r, dropped)
    return _isr_changed(
        effects,
        "LeaderExpandsIsr",
        ("The leader takes a live replica that caught up into the ISR: it follows because a controller asked it to."),
        (one,),
        {
            "it is a live replica outside": outside.contains(one),
            "a controller knows that it is live": exists(r, live[r].contains(one)),
            **given,
        },
        isr.insert(one),
    )


def _isr_changed(
    effects: Effects, name: str, meaning: str, who: tuple[Expr, ...], given: dict[str, Expr], isr: Expr
) -> Action:
    """Return the action of a changed ISR: up to 2.6 the controller is notified, here at once; since 2.7 it writes."""
    held = znode[p].value
    new = held.changed(isr=isr, version=held["version"] + 1)
    room = {"ISR changes are left": isr_changes < setting(ISR_CHANGES)}
    counted: dict[Expr, Expr | Value] = {isr_changes: isr_changes + 1}
    guard: dict[str, Expr | Clause] = {"a live broker leads": _leads(), **given}
    if not effects.chosen.has("KIP-497"):
        cached_state = ite(cached[b][p].is_some(), cached[b].put(p, some(new)), cached[b])
        updates: dict[Expr, Expr | Value] = {znode[p]: some(new), cached: mapped(b, cached_state), **counted}
        return action(name, meaning, p, *who, guard=guard, limits=room, updates=updates)
    new = new.changed(controller_epoch=epoch[c], recovery="RECOVERED")
    guard["a controller is idle"] = both(phase[c].eq("idle"), cached[c][p].is_some())
    updates = {znode[p]: some(new), cached[c]: cached[c].put(p, some(new)), **counted}
    return action(name, meaning, c, p, *who, guard=guard, limits=room, updates=updates, cites=("KIP-497",))
