"""LeaderAndIsr requests on their way to brokers, and what brokers make of them (broker.md 2.1).

A controller has a connection to each broker that it takes for live; on each, requests arrive in the order in which they
were sent. What a broker has not read when it dies is sent to it again in its next life, until the controller takes note
of the death: since 2.2 a request tells for which life it is meant (KIP-380). What a controller has not sent when it
dies may be lost.

Not in the model: StopReplica that deletes nothing (it stops fetchers, and what they fetch is no part of the state);
UpdateMetadata, which the part "requests" leaves to be heard at once.
"""

from __future__ import annotations

from dataclasses import replace

from ..action import Action, Clause, Update, action, waived
from ..expr import Expr, both, const, either, exists, forall, ite, mapped, none, record, setting, some, those, var
from ..sorts import SetOf, Value
from .broker_lines import Handling, broker_epoch_refused
from .effects import ISR, REQUESTS, Batch, Effects
from .state import (
    CHANNEL,
    Broker,
    Channel,
    Partition,
    Request,
    Znode,
    b,
    c,
    channel,
    e,
    epoch,
    heard,
    hosted,
    known,
    live,
    p,
    phase,
    proposed,
    registered,
    registration,
)

_to, _acting = var("to", Broker), var("acting", Broker)
_of, _any = var("of", Partition), var("any_of", Partition)
_NOTHING = const((), Channel)
_NOTHING_ASKED = none(SetOf(Broker))
_NO_ONE = const(frozenset(), SetOf(Broker))


def runs(b: Expr) -> Expr:
    """The process of a broker runs; a zombie's does."""
    return either(registered.contains(b), phase[b].ne("none"))


def is_acting(tenure: Expr) -> Expr:
    """Some broker acts as the controller of this epoch."""
    return exists(_acting, both(phase[_acting].ne("none"), epoch[_acting].eq(tenure)))


def is_quiet() -> Expr:
    """No request is on its way."""
    return forall(_to, forall(e, channel[_to][e].length().eq(0)))


def head(b: Expr, tenure: Expr) -> Expr:
    """The request of a tenure that a broker reads next."""
    nobody = record(Request, broker_epoch=0, states=mapped(_of, none(Znode)), new=const(frozenset(), SetOf(Partition)))
    return channel[b][tenure].at(0).get(nobody)


def accepts(told: Expr, mine: Expr) -> Expr:
    """A broker heeds what it is told of a partition that it does not host, or in a higher leader epoch."""
    return both(told.is_some(), either(mine.is_none(), mine.value["leader_epoch"] < told.value["leader_epoch"]))


def takes(told: Expr, mine: Expr) -> Expr:
    """Who is told of no leader follows nobody, and stays in the leader epoch in which it is (broker.md 2.3)."""
    return both(accepts(told, mine), told.value["leader"].is_some())


def _handling(effects: Effects, told: Expr) -> Handling:
    mine = hosted[b][p]
    return Handling(effects, b, e, told, head(b, e)["new"].contains(p), mine, accepts(told, mine))


def handle(effects: Effects) -> Action:
    """Steps 2 to 9 of broker.md 2.1; log directories do not fail here."""
    told, mine = head(b, e)["states"][p], hosted[b][p]
    leads = told.value["leader"].eq(some(b))
    handling = _handling(effects, told)
    effects.lines += [*handling.received(), handling.refused(), *handling.becomes(), handling.ended()]
    kept = told.value.changed(isr=ite(leads, told.value["isr"], _NO_ONE))
    guard: dict[str, Expr | Clause] = {
        "a request is on the way": channel[b][e].length() > 0,
        "the broker runs": runs(b),
        "its controller epoch is not older": heard[b] <= e,
    }
    if effects.chosen.has("KIP-380"):
        guard["its broker epoch is not older"] = _for_this_life(b, e)
    updates: dict[Expr, Expr | Value] = {
        channel[b]: channel[b].put(e, channel[b][e].drop(1)),
        heard[b]: e,
        hosted[b]: mapped(p, ite(takes(told, mine), some(kept), mine)),
    }
    if ISR in effects.chosen.parts:
        updates[proposed[b]] = mapped(p, ite(takes(told, mine), _NOTHING_ASKED, proposed[b][p]))
    return action(
        "HandleLeaderAndIsr",
        "A broker gets a LeaderAndIsr request: it leads or follows the partitions that it does not host yet, or of "
        "which it knows a lower leader epoch. A follower keeps no ISR; without a leader nothing is followed.",
        b,
        e,
        guard=guard,
        updates=updates,
        cites=("becomeLeaderOrFollower in ReplicaManager.scala",),
    )


def _for_this_life(b: Expr, tenure: Expr) -> Expr:
    return registration[b] <= head(b, tenure)["broker_epoch"]


def refuse(effects: Effects) -> Action:
    """Steps 0 and 1 of broker.md 2.1."""
    old, told = e < heard[b], head(b, e)["states"][p]
    if effects.chosen.has("KIP-380"):
        told = ite(_for_this_life(b, e), told, none(Znode))
        effects.lines.append(broker_epoch_refused(b, e, ~_for_this_life(b, e)))
        old = either(old, ~_for_this_life(b, e))
    handling = _handling(effects, told)
    effects.lines += [*handling.received(), handling.ignored(heard[b]), handling.ended()]
    return action(
        "RefuseRequest",
        "A broker refuses a request of an earlier controller (STALE_CONTROLLER_EPOCH), or for an earlier life of its "
        "own (STALE_BROKER_EPOCH).",
        b,
        e,
        guard={
            "a request is on the way": waived(channel[b][e].length() > 0, "without one nothing changes"),
            "the broker runs": waived(runs(b), "what a dead broker refuses it would refuse later"),
            "it is older than what is known": old,
        },
        updates={channel[b]: channel[b].put(e, channel[b][e].drop(1))},
        cites=("becomeLeaderOrFollower in ReplicaManager.scala", "KIP-380"),
    )


def lose(_: Effects) -> Action:
    return action(
        "LoseRequests",
        "A controller is one no more: what it has not sent to a broker is never sent.",
        b,
        e,
        guard={
            "a request is on the way": waived(channel[b][e].length() > 0, "else nothing changes"),
            "nobody acts in this epoch": ~is_acting(e),
        },
        updates={channel[b]: channel[b].put(e, _NOTHING)},
        cites=("RequestSendThread in ControllerChannelManager.scala",),
    )


def forgotten(effects: Effects, broker: Expr) -> dict[Expr, Expr | Value]:
    """The updates by which a broker's process ends: what it heard, hosts and asked for is gone, but for its disk."""
    gone: dict[Expr, Expr | Value] = {heard[broker]: 0, hosted[broker]: mapped(p, none(Znode))}
    return gone | ({proposed[broker]: mapped(p, _NOTHING_ASKED)} if ISR in effects.chosen.parts else {})


def registers(broker: Expr) -> dict[Expr, Expr | Value]:
    """The updates by which a broker registers anew."""
    return {registration[broker]: registration[broker] + 1}


def restarts(broker: Expr) -> dict[Expr, Expr | Value]:
    """The updates by which a broker starts: of connections only those are made anew whose controller still acts."""
    kept = mapped(e, ite(is_acting(e), channel[broker][e], _NOTHING))
    return {**registers(broker), channel[broker]: kept}


def sent(effects: Effects, made: Action) -> Action:
    """A controller's step with what it sends: each call of a state machine is one request to each broker concerned."""
    if REQUESTS not in effects.chosen.parts or not (effects.batches or effects.closed):
        return made
    live_ones, lives = _after(made, live)[c], _after(made, known)[c]
    queue = channel[_to][epoch[c]]
    if effects.closed is not None:
        queue = ite(effects.closed.contains(_to), _NOTHING, queue)
    for batch in effects.batches:
        states = _states(made, batch)
        request = record(Request, broker_epoch=lives[_to], states=states, new=_new(made, batch))
        is_told = both(live_ones.contains(_to), exists(_any, states[_any].is_some()))
        queue = ite(is_told, queue.append(request), queue)
    updates = Update(channel, mapped(_to, channel[_to].put(epoch[c], queue)))
    room = forall(_to, queue.length() <= setting(CHANNEL))
    limited = action(made.name, made.statement, *made.params, guard={}, updates={}, limits={"there is room": room})
    return replace(made, updates=(*made.updates, updates), limits=(*made.limits, *limited.limits))


def _states(made: Action, batch: Batch) -> Expr:
    """What a broker is told, by partition."""
    told = ite(both(_is_told(batch), batch.entry.is_some()), batch.entry, none(Znode))
    if batch.of in made.params:
        return mapped(_of, ite(_of.eq(batch.of), told, none(Znode)))
    return mapped(batch.of, told)


def _new(made: Action, batch: Batch) -> Expr:
    """The partitions of which it is told that they are new."""
    told = both(_is_told(batch), batch.is_new)
    return those(_of, both(_of.eq(batch.of), told)) if batch.of in made.params else those(batch.of, told)


def _is_told(batch: Batch) -> Expr:
    return both(batch.given, batch.to.contains(_to))


def _after(made: Action, which: Expr) -> Expr:
    """A field as a step leaves it."""
    return next((each.value for each in made.updates if each.field == which), which)
