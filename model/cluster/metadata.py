"""Brokers' metadata caches: the leaders and live brokers that clients see (MetadataCache.scala).

UpdateMetadata requests go the way of all requests of a controller. Each replaces the live brokers, and the partitions
that it names: leader -2 removes one, a partition that it does not name stays. Leader epochs are not compared: the last
request wins. The cache holds more than leader and leader epoch; the rest has no part in what is promised here.

Not in the model: requests for a change of listeners, or of a rack; reads while a map is changed in place (up to 2.0).
"""

from __future__ import annotations

from ..action import Action, action
from ..expr import Expr, both, either, exists, forall, ite, mapped, none, record, some
from ..family import Chosen
from ..property import Property
from .broker_lines import metadata_cached
from .controller_properties import is_settled
from .effects import DELETION, Effects
from .requests import head, is_quiet, may_read, read, replicas_in_request, runs
from .state import (
    Cached,
    alive,
    b,
    c,
    created,
    e,
    metadata,
    p,
    queued,
    registered,
    znode,
)


def handle(effects: Effects) -> Action:
    request = head(effects.chosen, b, e)
    entry = request["states"][p]
    leads = record(Cached, leader=entry.value["leader"], leader_epoch=entry.value["leader_epoch"])
    kept = ite(request["deleted"].contains(p), none(Cached), metadata[b][p])
    effects.lines += metadata_cached(effects, b, e, request, replicas_in_request(effects))
    return action(
        "HandleUpdateMetadata",
        "A broker gets an UpdateMetadata request: its metadata cache has the live brokers and leaders that it names.",
        b,
        e,
        guard=may_read(effects, "UpdateMetadata"),
        updates={
            **read(effects),
            alive[b]: request["live"],
            metadata[b]: mapped(p, ite(entry.is_some(), some(leads), kept)),
        },
        cites=("updateMetadata in MetadataCache.scala", "maybeUpdateMetadataCache in ReplicaManager.scala"),
    )


def agrees(chosen: Chosen, b: Expr) -> Expr:
    """A broker's cache has the live brokers of ZooKeeper, and each partition's leader and leader epoch."""
    mine, held = metadata[b][p], znode[p]
    same = both(mine.is_some(), *(mine.value[name].eq(held.value[name]) for name in ("leader", "leader_epoch")))
    stays = both(held.is_some(), ~queued.contains(p)) if DELETION in chosen.parts else held.is_some()
    return both(alive[b].eq(registered), forall(p, stays.implies(same)))


def properties(chosen: Chosen) -> tuple[Property, ...]:
    """Return the properties that are promised of metadata caches."""
    quiet = both(exists(c, is_settled(chosen, c)), is_quiet(chosen))
    found = [
        Property(
            "CacheAgrees",
            (
                "Once the controller has settled and no request is on its way, every live broker's metadata cache "
                "agrees with ZooKeeper: on the live brokers, and on each partition's leader and leader epoch."
            ),
            quiet.implies(forall(b, registered.contains(b).implies(agrees(chosen, b)))),
            cites=("KAFKA-7235", "KAFKA-13225"),
        ),
        Property(
            "DeadCacheNothing",
            "A broker that does not run has nothing in its metadata cache.",
            forall(b, either(runs(b), both(alive[b].is_empty(), forall(p, metadata[b][p].is_none())))),
            cites=("kafka.server.MetadataCache",),
        ),
    ]
    if DELETION in chosen.parts:
        gone = forall(b, registered.contains(b).implies(forall(p, created.contains(p) | metadata[b][p].is_none())))
        found.append(
            Property(
                "DeletedIsForgotten",
                "Once the controller has settled and no request is on its way, no live broker's metadata cache has a "
                "topic that is deleted.",
                quiet.implies(gone),
                cites=("kafka.server.MetadataCache",),
            )
        )
    return tuple(found)
