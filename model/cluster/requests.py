"""Requests on their way to brokers, and how brokers handle LeaderAndIsr (ReplicaManager.scala).

A controller has a connection to each broker that it takes for live; on each, requests arrive in the order in which they
were sent. A request that a broker has not read when it dies is sent again in its next life, until the controller notes
the death: since 2.2 a request names the life it is meant for (KIP-380). A request that a controller has not sent when
it dies may be lost.

Not in the model: StopReplica that deletes nothing (it stops fetchers, and what they fetch is no part of the state).
UpdateMetadata is on the same way where brokers have metadata caches (`metadata.py`); else it is heard at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..action import Action, Clause, Update, action, waived
from ..expr import (
    Expr,
    both,
    const,
    either,
    exists,
    false,
    forall,
    free,
    ite,
    mapped,
    none,
    record,
    set_of,
    setting,
    some,
    true,
    var,
)
from ..family import Chosen
from ..sorts import Int, Value
from .broker_lines import Handling, broker_epoch_refused, metadata_ignored
from .effects import DELETION, ISR, NO_REPLICAS, REQUESTS, Effects, RequestBatch
from .lines import Listed
from .lines import listed as printed
from .state import (
    CACHES,
    CHANNEL,
    DIRECTORIES,
    NO_BROKERS,
    NO_PARTITIONS,
    NO_ZNODE,
    NOTHING_ASKED,
    REASSIGNMENT,
    UNASSIGNED,
    Broker,
    Cached,
    Partition,
    accepted_epoch,
    alive,
    b,
    c,
    channel,
    e,
    epoch,
    failed,
    has_kinds,
    hosted,
    known,
    listed,
    live,
    metadata,
    offline_dirs,
    p,
    phase,
    proposed,
    registered,
    registration,
    replicas,
    request_sort,
    storage_errors,
    to_delete,
)

_to, _acting = var("to", Broker), var("acting", Broker)
_of, _any = var("of", Partition), var("any_of", Partition)
_NOTHING_WAIVED: Mapping[str, str] = {}
_NO_LISTS = mapped(_of, NO_REPLICAS)


def runs(b: Expr) -> Expr:
    """The process of a broker runs; a zombie's does."""
    return either(registered.contains(b), phase[b].ne("none"))


def is_acting(tenure: Expr) -> Expr:
    """Some broker acts as the controller of this epoch."""
    return exists(_acting, both(phase[_acting].ne("none"), epoch[_acting].eq(tenure)))


def is_quiet(chosen: Chosen) -> Expr:
    """No request is on its way."""
    return forall(_to, forall(e, channel(chosen.parts)[_to][e].length().eq(0)))


def head(chosen: Chosen, b: Expr, tenure: Expr) -> Expr:
    """The request of a tenure that a broker reads next."""
    nothing = mapped(_of, NO_ZNODE)
    return channel(chosen.parts)[b][tenure].at(0).get(_request(chosen, "LeaderAndIsr", const(0, Int(0, 0)), nothing))


def _request(
    chosen: Chosen,
    kind: str,
    broker_epoch: Expr,
    states: Expr,
    new: Expr = NO_PARTITIONS,
    live: Expr = NO_BROKERS,
    deleted: Expr = NO_PARTITIONS,
    listed: Expr = _NO_LISTS,
) -> Expr:
    content: dict[str, Expr | Value] = {"broker_epoch": broker_epoch, "states": states, "new": new}
    if has_kinds(chosen.parts):
        content |= {"kind": kind, "live": live, "deleted": deleted}
    if REASSIGNMENT in chosen.parts:
        content["replicas"] = listed
    return record(request_sort(chosen.parts), **content)


def is_kind(effects: Effects, kind: str) -> Expr:
    """Check that the next request is of this kind; without the parts that have other kinds, all are LeaderAndIsr."""
    return head(effects.chosen, b, e)["kind"].eq(kind) if has_kinds(effects.chosen.parts) else true


def read(effects: Effects) -> dict[Expr, Expr | Value]:
    """The updates by which a broker reads a request, and takes note of its controller epoch."""
    queue = channel(effects.chosen.parts)
    return {queue[b]: queue[b].put(e, queue[b][e].drop(1)), accepted_epoch[b]: e}


def may_read(effects: Effects, kind: str, harmless: Mapping[str, str] = _NOTHING_WAIVED) -> dict[str, Expr | Clause]:
    """Return the guard of a broker that obeys a request of a kind (ReplicaManager.scala).

    `harmless`: the clauses that requests of the kind do not need, with the reason.
    """
    some_request = channel(effects.chosen.parts)[b][e].length() > 0
    guard: dict[str, Expr | Clause] = {"a request is on the way": some_request}
    if kind != "LeaderAndIsr":  # which is what is read of an empty channel
        guard["a request is on the way"] = waived(some_request, "without a request there is none of this kind")
    if has_kinds(effects.chosen.parts):
        guard["it is of this kind"] = is_kind(effects, kind)
    asked = {"the broker runs": runs(b), "its controller epoch is not older": accepted_epoch[b] <= e}
    if effects.chosen.has("KIP-380"):
        asked["its broker epoch is not older"] = _for_this_life(effects, b, e)
    return guard | {name: waived(each, harmless[name]) if name in harmless else each for name, each in asked.items()}


def accepts(effects: Effects, ordered: Expr, mine: Expr) -> Expr:
    """Check that a broker obeys a request for a partition: one it does not host, or with a higher leader epoch.

    It obeys nothing for a partition whose log directory has failed.
    """
    news = either(mine.is_none(), mine.value["leader_epoch"] < ordered.value["leader_epoch"])
    heeds = both(ordered.is_some(), news)
    return both(heeds, ~failed[b].contains(p)) if DIRECTORIES in effects.chosen.parts else heeds


def is_found(effects: Effects, ordered: Expr) -> Expr:
    """Check that there is a leader, and that a broker to follow it has it in its metadata cache as live."""
    leader = ordered.value["leader"]
    if CACHES not in effects.chosen.parts:
        return leader.is_some()
    return both(leader.is_some(), either(leader.eq(some(b)), leader.set().subset_of(alive[b])))


def takes(effects: Effects, ordered: Expr, mine: Expr) -> Expr:
    """Check that a broker takes a state; without a leader it follows nobody and keeps its epoch (makeFollowers)."""
    return both(accepts(effects, ordered, mine), is_found(effects, ordered))


def _handling(effects: Effects, ordered: Expr) -> Handling:
    mine = hosted[b][p]
    new = head(effects.chosen, b, e)["new"].contains(p)
    takes, found = accepts(effects, ordered, mine), is_found(effects, ordered)
    return Handling(effects, b, e, ordered, new, mine, takes, found, replicas_in_request(effects))


def replicas_in_request(effects: Effects) -> Listed:
    """The replicas of p, as the request that a broker reads has them; those of the topic where it has none."""
    if REASSIGNMENT not in effects.chosen.parts:
        return effects.listed(p)
    told = head(effects.chosen, b, e)["replicas"][p]
    return printed(told["now"], told["before"])


def handle(effects: Effects) -> Action:
    """Return the action of steps 2 to 9 (docs/zookeeper.md, "How a broker takes LeaderAndIsr")."""
    ordered, mine = head(effects.chosen, b, e)["states"][p], hosted[b][p]
    leads = ordered.value["leader"].eq(some(b))
    handling = _handling(effects, ordered)
    effects.lines += handling.received()
    updates: dict[Expr, Expr | Value] = {}
    if DIRECTORIES in effects.chosen.parts:
        effects.lines.append(handling.offline(failed[b].contains(p)))
        updates |= _storage_answered(effects, ordered, mine)
    effects.lines += [handling.refused(), *handling.becomes(), handling.ended()]
    # A leader takes itself for recovered at once, and says so when it asks for another ISR (KIP-704).
    kept = ordered.value.changed(isr=ite(leads, ordered.value["isr"], NO_BROKERS), recovery="RECOVERED")
    taken = takes(effects, ordered, mine)
    updates |= {**read(effects), hosted[b]: mapped(p, ite(taken, some(kept), mine))}
    if ISR in effects.chosen.parts:
        updates[proposed[b]] = mapped(p, ite(taken, NOTHING_ASKED, proposed[b][p]))
    if REASSIGNMENT in effects.chosen.parts:
        told = head(effects.chosen, b, e)["replicas"][p]
        members = replicas(told["now"]).union(replicas(told["before"].get(UNASSIGNED)))
        updates[listed[b]] = mapped(p, ite(taken, ite(leads, members, NO_BROKERS), listed[b][p]))
    return action(
        "HandleLeaderAndIsr",
        (
            "A broker gets a LeaderAndIsr request: it leads or follows the partitions that it does not host yet, "
            "or for which it knows a lower leader epoch. A follower keeps no ISR; without a leader a replica "
            "follows nothing."
        ),
        b,
        e,
        guard=may_read(effects, "LeaderAndIsr"),
        updates=updates,
        cites=("becomeLeaderOrFollower in ReplicaManager.scala",),
    )


def _storage_answered(effects: Effects, ordered: Expr, mine: Expr) -> dict[Expr, Expr | Value]:
    """Return what the controller learns from the answer: the replicas whose directory failed (KAFKA_STORAGE_ERROR).

    A replica that is obeyed again has no failed directory any more, which changes nothing else: it is noted at once. A
    known failure needs no second look. A broker that is no longer controller gets no answer.
    """
    acts = both(phase[_acting].ne("none"), epoch[_acting].eq(e))
    known_ones, news = offline_dirs[_acting][b], storage_errors[_acting][b]
    broken = set_of(p, both(ordered.is_some(), failed[b].contains(p))).minus(known_ones)
    works = known_ones.minus(set_of(p, accepts(effects, ordered, mine)))
    return {
        storage_errors: mapped(
            _acting, ite(acts, storage_errors[_acting].put(b, news.union(broken)), storage_errors[_acting])
        ),
        offline_dirs: mapped(_acting, ite(acts, offline_dirs[_acting].put(b, works), offline_dirs[_acting])),
    }


def _for_this_life(effects: Effects, b: Expr, tenure: Expr) -> Expr:
    return registration[b] <= head(effects.chosen, b, tenure)["broker_epoch"]


def refuse(effects: Effects) -> Action:
    """Return the action of steps 0 and 1 (docs/zookeeper.md, "How a broker takes LeaderAndIsr")."""
    old, ordered = (
        e < accepted_epoch[b],
        ite(is_kind(effects, "LeaderAndIsr"), head(effects.chosen, b, e)["states"][p], NO_ZNODE),
    )
    queue = channel(effects.chosen.parts)
    if effects.chosen.has("KIP-380"):
        this_life = _for_this_life(effects, b, e)
        ordered = ite(this_life, ordered, NO_ZNODE)
        effects.lines.append(broker_epoch_refused(b, e, both(is_kind(effects, "LeaderAndIsr"), ~this_life)))
        old = either(old, ~this_life)
    handling = _handling(effects, ordered)
    effects.lines += [*handling.received(), handling.ignored(accepted_epoch[b]), handling.ended()]
    if CACHES in effects.chosen.parts:
        this_life = _for_this_life(effects, b, e) if effects.chosen.has("KIP-380") else true
        effects.lines.append(
            metadata_ignored(b, e, accepted_epoch[b], both(is_kind(effects, "UpdateMetadata"), this_life))
        )
    return action(
        "RefuseRequest",
        "A broker refuses a request of an earlier controller (STALE_CONTROLLER_EPOCH), or for an earlier life of its "
        "own (STALE_BROKER_EPOCH).",
        b,
        e,
        guard={
            "a request is on the way": waived(queue[b][e].length() > 0, "without one nothing changes"),
            "the broker runs": waived(runs(b), "a dead broker would refuse it later, too"),
            "it is older than the known epoch": old,
        },
        updates={queue[b]: queue[b].put(e, queue[b][e].drop(1))},
        cites=("becomeLeaderOrFollower in ReplicaManager.scala", "KIP-380"),
    )


def lose(effects: Effects) -> Action:
    queue = channel(effects.chosen.parts)
    return action(
        "LoseRequests",
        "A controller is deposed: requests that it has not sent to a broker are never sent.",
        b,
        e,
        guard={
            "a request is on the way": waived(queue[b][e].length() > 0, "otherwise nothing changes"),
            "no controller acts in this epoch": ~is_acting(e),
        },
        updates={queue[b]: queue[b].put(e, _nothing(queue))},
        cites=("RequestSendThread in ControllerChannelManager.scala",),
    )


def forgotten(effects: Effects, broker: Expr) -> dict[Expr, Expr | Value]:
    """The updates by which a broker's process ends: what it heard, hosts and asked for is gone, but for its disk."""
    gone: dict[Expr, Expr | Value] = {accepted_epoch[broker]: 0, hosted[broker]: mapped(p, NO_ZNODE)}
    if DIRECTORIES in effects.chosen.parts:
        gone[failed[broker]] = frozenset()
    if CACHES in effects.chosen.parts:
        gone |= {alive[broker]: frozenset(), metadata[broker]: mapped(p, none(Cached))}
    if REASSIGNMENT in effects.chosen.parts:
        gone[listed[broker]] = mapped(p, NO_BROKERS)
    return gone | ({proposed[broker]: mapped(p, NOTHING_ASKED)} if ISR in effects.chosen.parts else {})


def registers(broker: Expr) -> dict[Expr, Expr | Value]:
    """The updates by which a broker registers anew."""
    return {registration[broker]: registration[broker] + 1}


def restarts(effects: Effects, broker: Expr) -> dict[Expr, Expr | Value]:
    """The updates by which a broker starts: of connections only those are made anew whose controller still acts."""
    queue = channel(effects.chosen.parts)
    kept = mapped(e, ite(is_acting(e), queue[broker][e], _nothing(queue)))
    return {**registers(broker), queue[broker]: kept}


def _nothing(queue: Expr) -> Expr:
    """No request, of those that may be on a way."""
    return const((), queue[b][e].sort)


def sent(effects: Effects, made: Action) -> Action:
    """Return a controller's step with its requests: each call of a state machine is one to each broker concerned."""
    if REQUESTS not in effects.chosen.parts or not (effects.batches or effects.closed):
        return made
    channels = channel(effects.chosen.parts)
    live_ones, lives = _after(made, live)[c], _after(made, known)[c]
    queue = channels[_to][epoch[c]]
    if effects.closed is not None:
        queue = ite(effects.closed.contains(_to), _nothing(channels), queue)
    for batch in effects.batches:
        if batch.kind != "UpdateMetadata" or CACHES in effects.chosen.parts:
            request, names_some = _sent_by(effects, made, batch, lives[_to], live_ones)
            queue = ite(both(live_ones.contains(_to), names_some), queue.append(request), queue)
    updates = Update(channels, mapped(_to, channels[_to].put(epoch[c], queue)))
    room = forall(_to, queue.length() <= setting(CHANNEL))
    limited = action(made.name, made.statement, *made.params, guard={}, updates={}, limits={"there is room": room})
    return replace(made, updates=(*made.updates, updates), limits=(*made.limits, *limited.limits))


def _sent_by(effects: Effects, made: Action, batch: RequestBatch, life: Expr, live_ones: Expr) -> tuple[Expr, Expr]:
    """Return the request for a broker, and whether it is sent: it names some partition, or is sent all the same."""
    entry = batch.entry
    given, deleted = both(batch.given, batch.to.contains(_to)), _deleted(effects, made, batch)
    ordered = both(given, entry.is_some())
    states = _by_partition(made, batch, ite(both(ordered, ~deleted), entry, NO_ZNODE), NO_ZNODE)
    new = _partitions(made, batch, both(given, batch.is_new))
    names_some = exists(_any, states[_any].is_some())
    is_told = both(ordered, ~deleted) if batch.kind != "StopReplica" else false
    told = _by_partition(made, batch, ite(is_told, batch.listed, NO_REPLICAS), NO_REPLICAS)
    if batch.kind != "UpdateMetadata":
        return _request(effects.chosen, batch.kind, life, states, new, listed=told), names_some
    gone = _partitions(made, batch, both(ordered, deleted))
    request = _request(effects.chosen, batch.kind, life, states, new, live_ones, gone, told)
    empty = batch.empty
    if batch.of in free(empty) and batch.of not in made.params:
        empty = exists(batch.of, empty)
    return request, either(names_some, ~gone.is_empty(), both(empty, batch.to.contains(_to)))


def _by_partition(made: Action, batch: RequestBatch, ordered: Expr, nothing: Expr) -> Expr:
    """Return what a broker is sent, by partition."""
    if batch.of in made.params:
        return mapped(_of, ite(_of.eq(batch.of), ordered, nothing))
    return mapped(batch.of, ordered)


def _partitions(made: Action, batch: RequestBatch, content: Expr) -> Expr:
    """The partitions that a request names."""
    return set_of(_of, both(_of.eq(batch.of), content)) if batch.of in made.params else set_of(batch.of, content)


def _deleted(effects: Effects, made: Action, batch: RequestBatch) -> Expr:
    """UpdateMetadata says of a topic that is being deleted nothing but this."""
    if batch.kind != "UpdateMetadata" or DELETION not in effects.chosen.parts:
        return false
    return _after(made, to_delete)[c].contains(batch.of)


def _after(made: Action, which: Expr) -> Expr:
    """A field as a step leaves it."""
    return next((each.value for each in made.updates if each.field == which), which)
