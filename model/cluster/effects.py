"""What the controller's state machines do to caches and ZooKeeper when they move an entity.

Written once, and used by every handler: valid previous states (specs/machines), elections (controller.md 2.1), the
removal of a replica from the ISR (controller.md 1.4). A handler's call reads ZooKeeper anew and writes with the version
that it read; where another writer was in between it reads again, so the call is one step.

Sources: ReplicaStateMachine.scala, PartitionStateMachine.scala, Election.scala.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..expr import Expr, both, either, ite, none, record, some
from ..family import Chosen, of_table
from .state import (
    Broker,
    Znode,
    assignment,
    cached,
    epoch,
    first,
    literal,
    live,
    one_of,
    replica_state,
    replicas,
    topics,
    znode,
)


@dataclass(frozen=True)
class Moved:
    """What becomes of one entity: its state in the controller, the partition's cache entry, and its znode.

    `done`: the move was made; `asked`: it was tried at all.
    """

    asked: Expr
    done: Expr
    state: Expr
    cache: Expr
    znode: Expr


class Effects:
    """The moves of a release."""

    def __init__(self, chosen: Chosen) -> None:
        self.chosen = chosen
        self.replica = of_table("replica", chosen)
        self.partition = of_table("partition", chosen)

    def replica_to(self, state: Expr, target: str) -> Expr:
        """A replica's state after a move that does not touch ZooKeeper; the old one where the table forbids it."""
        return ite(one_of(state, self.replica[target]), literal(target, state.sort), state)

    def partition_to(self, state: Expr, target: str) -> Expr:
        """The same of a partition."""
        return ite(one_of(state, self.partition[target]), literal(target, state.sort), state)

    def online(self, c: Expr, p: Expr, state: Expr, asked: Expr, cache: Expr | None = None) -> Moved:
        """A partition to OnlinePartition: its znode is created, or a leader elected by the offline strategy.

        Args:
            state: the partition's state before the move.
            asked: whether the partition is moved at all.
            cache: the cache entry before, if it is not the one that the controller has.
        """
        now, held, online, mine = znode[p], znode[p].value, live[c], epoch[c]
        before = cached[c][p] if cache is None else cache
        is_new = state.eq("NewPartition")
        preferred = first(assignment[p], online)
        made = record(
            Znode,
            leader=preferred,
            isr=replicas(assignment[p]).intersect(online),
            leader_epoch=0,
            version=0,
            controller_epoch=mine,
        )
        creates = both(is_new, now.is_none(), preferred.is_some())
        clean = first(assignment[p], online.intersect(held["isr"]))
        leader, isr = clean, held["isr"].intersect(online)
        if "unclean elections" in self.chosen.parts:
            leader, isr = ite(clean.is_some(), clean, preferred), ite(clean.is_some(), isr, preferred.set())
        elected = held.changed(
            leader=leader,
            isr=isr,
            leader_epoch=held["leader_epoch"] + 1,
            version=held["version"] + 1,
            controller_epoch=mine,
        )
        elects = both(~is_new, now.is_some(), held["controller_epoch"] <= mine, leader.is_some())
        valid = one_of(state, self.partition["OnlinePartition"])
        done = both(asked, valid, either(creates, elects))
        new = some(ite(is_new, made, elected))
        return Moved(
            asked,
            done,
            ite(done, literal("OnlinePartition", state.sort), state),
            ite(done, new, before),
            ite(done, new, now),
        )

    def waits_for_leader(self, state: Expr) -> Expr:
        """A partition that `triggerOnlinePartitionStateChange` tries to bring online."""
        return one_of(state, ("NewPartition", "OfflinePartition"))

    def offline(self, c: Expr, p: Expr, r: Expr) -> Moved:
        """A replica to OfflineReplica: out of the ISR, unless it is the last member; a leader leads no more."""
        state, now, held, mine = replica_state[c][p][r], znode[p], znode[p].value, epoch[c]
        asked = both(topics[c].contains(p), replicas(assignment[p]).contains(r))
        known = cached[c][p].is_some()
        removes = held["isr"].contains(r)
        readable = now.is_some() & (held["controller_epoch"] <= mine)
        fenced = held.changed(controller_epoch=mine)
        removed = fenced.changed(
            leader=ite(held["leader"].eq(some(r)), none(Broker), held["leader"]),
            isr=ite(held["isr"].eq(some(r).set()), held["isr"], held["isr"].remove(r)),
            leader_epoch=held["leader_epoch"] + 1,
            version=held["version"] + 1,
        )
        valid = both(asked, one_of(state, self.replica["OfflineReplica"]))
        writes = both(valid, known, readable, removes)
        # Without a leader and ISR there is nothing to remove; 1.1 drops such a replica silently.
        nothing = known & readable if self.chosen.has("KAFKA-6650") else known.implies(readable)
        done = both(valid, nothing)
        return Moved(
            asked,
            done,
            ite(done, literal("OfflineReplica", state.sort), state),
            ite(writes, some(removed), ite(both(valid, known, readable), some(fenced), cached[c][p])),
            ite(writes, some(removed), now),
        )


def leads_nowhere(c: Expr, p: Expr) -> Expr:
    """The leader that the controller has in its cache is not online; none is not online either."""
    entry = cached[c][p]
    return entry.is_some() & either(entry.value["leader"].is_none(), ~entry.value["leader"].set().subset_of(live[c]))
