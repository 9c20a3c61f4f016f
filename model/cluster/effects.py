"""The effects of the controller's state machines on caches and ZooKeeper when they move an entity.

Written once, and used by every handler: valid previous states (specs/machines), elections, and the removal of a
replica from the ISR (docs/zookeeper.md, "How a replica leaves the ISR"). A handler's call reads ZooKeeper anew and
writes with the version that it read; where another writer was in between it reads again, so the call is one step.

Sources: ReplicaStateMachine.scala, PartitionStateMachine.scala, Election.scala.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..expr import Expr, after, both, either, false, full, ite, record, set_of, some, true, var
from ..family import Chosen, of_table
from ..lines import Block
from . import lines
from .state import (
    CACHES,
    DIRECTORIES,
    NO_ASSIGNMENT,
    NO_BROKER,
    REASSIGNMENT,
    UNASSIGNED,
    UNCLEAN_LATER,
    Broker,
    Replicas,
    Znode,
    assignment,
    cached,
    epoch,
    first_host,
    hosts,
    literal,
    live,
    marked,
    offline_dirs,
    one_of,
    origin,
    replicas,
    shutting,
    to_delete,
    topics,
    unclean_allowed,
    znode,
)

DELETION, ISR, PREFERRED, SHUTDOWN = "deletion", "ISR changes", "preferred elections", "controlled shutdown"
REQUESTS, UNCLEAN, ZOMBIES = "requests", "unclean elections", "zombies"
FACTORS, ISR_OUTSIDE = "one or three replicas", "ISRs of unseen leaders"

NO_REPLICAS = record(Replicas, now=UNASSIGNED, before=NO_ASSIGNMENT)
_broker, _replica = var("directory_of", Broker), var("r", Broker)


@dataclass(frozen=True)
class HeldPartition:
    """A partition as it is in the middle of a handler's call: the cache entry and the znode."""

    cache: Expr
    znode: Expr


@dataclass(frozen=True)
class RequestedMove:
    """A move that a state machine is asked for: it is made where the table has it.

    `asked` and `state`, the state before, are written with the variables of the entity, p and r.
    """

    table: str
    target: str
    asked: Expr
    state: Expr


@dataclass(frozen=True)
class RequestBatch:
    """The requests of one kind that a call sends: at most one to each broker."""

    kind: str
    of: Expr
    """The partition; a variable if the call is about all of them."""
    to: Expr
    """The brokers that are notified."""
    given: Expr
    """The condition under which they are."""
    entry: Expr
    """The controller's cache entry as it is sent."""
    is_new: Expr = false
    """The request marks the partition as new."""
    empty: Expr = false
    """The request is sent even if it names no partition."""
    listed: Expr = NO_REPLICAS
    """The replicas of the partition."""


@dataclass(frozen=True)
class Offline:
    """A replica as a move to OfflineReplica leaves it, with its partition.

    `given`: the other replicas are to be sent leader and ISR; `empty`: there are none, and only live brokers are sent.
    """

    state: Expr
    held: HeldPartition
    given: Expr
    empty: Expr


class Effects:
    """The moves of a release.

    While a handler is written, `attempts` gets the moves that are asked for, `lines` what is logged of them, and
    `batches` what is sent, in the order in which they are asked for. `closed`: the brokers whose connections it closes.
    `completed`: the controller has in memory that a partition has the replicas that were asked for, and no others.
    """

    def __init__(self, chosen: Chosen) -> None:
        self.chosen = chosen
        self.valid = {table: of_table(table, chosen) for table in ("replica", "partition")}
        self.attempts: list[RequestedMove] = []
        self.lines: list[Block] = []
        self.batches: list[RequestBatch] = []
        self.closed: Expr | None = None
        self.completed = False

    def asked(self, table: str, asked: Expr, state: Expr, target: str) -> Expr:
        """Check whether the table allows a move that is asked for."""
        self.attempts.append(RequestedMove(table, target, asked, state))
        return both(asked, one_of(state, self.valid[table][target]))

    def replica_to(self, c: Expr, p: Expr, r: Expr, asked: Expr, state: Expr, target: str) -> Expr:
        """A replica's state after a move that does not touch ZooKeeper."""
        done = self.asked("replica", asked, state, target)
        valid = self.valid["replica"][target]
        self.lines.append(lines.replica_moved(c, p, r, state, target, done, both(asked, ~done), valid))
        return ite(done, literal(target, state.sort), state)

    def partition_to(self, c: Expr, p: Expr, asked: Expr, state: Expr, target: str) -> Expr:
        """A partition's state after a move that does not touch ZooKeeper."""
        done = self.asked("partition", asked, state, target)
        valid = self.valid["partition"][target]
        self.lines.append(lines.partition_moved(c, p, state, target, done, both(asked, ~done), valid))
        return ite(done, literal(target, state.sort), state)

    def staying_brokers(self, c: Expr) -> Expr:
        """The live brokers that are not shutting down."""
        return live[c].minus(shutting[c]) if SHUTDOWN in self.chosen.parts else live[c]

    def online_brokers(self, c: Expr, p: Expr) -> Expr:
        """The brokers that may lead a partition: those that stay, and whose directory of it has not failed."""
        return self.with_directory(c, p, self.staying_brokers(c))

    def with_directory(self, c: Expr, p: Expr, brokers: Expr) -> Expr:
        """Return the brokers whose directory of the partition has not failed, as far as the controller knows."""
        if DIRECTORIES not in self.chosen.parts:
            return brokers
        return brokers.minus(set_of(_broker, offline_dirs[c][_broker].contains(p)))

    def to_be_moved(self, c: Expr, p: Expr, r: Expr) -> Expr:
        """A replica of a broker that is to be moved: all are that it has, or those whose directory has failed."""
        assigned = self.is_assigned(c, p, r)
        if DIRECTORIES not in self.chosen.parts:
            return assigned
        return both(assigned, either(marked[c].is_empty(), marked[c].contains(p)))

    def is_queued(self, c: Expr, p: Expr) -> Expr:
        """The controller is about to delete the topic: most handlers leave it alone."""
        return to_delete[c].contains(p)

    def queued_apart(self, c: Expr, p: Expr, asked: Expr) -> Expr:
        """The condition, of a partition whose topic is not being deleted."""
        return both(asked, ~self.is_queued(c, p)) if DELETION in self.chosen.parts else asked

    def leads_nowhere(self, c: Expr, p: Expr) -> Expr:
        """The leader that the controller has in its cache is not online; none is not online either."""
        entry = cached[c][p]
        absent = ~entry.value["leader"].set().subset_of(self.online_brokers(c, p))
        return entry.is_some() & either(entry.value["leader"].is_none(), absent)

    def brought_online(self, c: Expr, p: Expr, state: Expr) -> tuple[Expr, HeldPartition]:
        """`triggerOnlinePartitionStateChange`: partitions that are new or offline, of topics that stay."""
        waiting = self.queued_apart(c, p, one_of(state, ("NewPartition", "OfflinePartition")))
        return self.online(c, p, state, waiting)

    def may_be_unclean(self, p: Expr) -> Expr:
        """Check whether a replica from outside the ISR may be elected where no member is online."""
        if UNCLEAN in self.chosen.parts:
            return true
        return unclean_allowed.contains(p) if UNCLEAN_LATER in self.chosen.parts else false

    def online(self, c: Expr, p: Expr, state: Expr, asked: Expr, *, forced: bool = False) -> tuple[Expr, HeldPartition]:
        """Move to OnlinePartition by the offline strategy: create the znode, or elect a leader.

        `forced`: elect from outside the ISR if need be, whatever the topic's setting.
        """
        now, held, online, mine = znode[p], znode[p].value, self.online_brokers(c, p), epoch[c]
        is_new = state.eq("NewPartition")
        preferred = self.first(p, online)
        made = record(
            Znode,
            leader=preferred,
            isr=replicas(assignment[p]).intersect(online),
            leader_epoch=0,
            version=0,
            controller_epoch=mine,
            recovery="RECOVERED",
        )
        creates = both(is_new, now.is_none(), preferred.is_some())
        leader = in_sync = self._in_sync(c, p)
        isr, recovery = held["isr"].intersect(online), held["recovery"]
        allowed = true if forced else self.may_be_unclean(p)
        if allowed is not false:
            clean = either(in_sync.is_some(), ~allowed)
            leader, isr = ite(clean, leader, preferred), ite(clean, isr, preferred.set())
            if self.chosen.has("KIP-704"):
                recovery = ite(clean, recovery, literal("RECOVERING", recovery.sort))
        elects = both(~is_new, *self.electable(c, p, leader).values())
        new = some(ite(is_new, made, self.led(c, held, leader, isr).changed(recovery=recovery)))
        strategy = lines.OFFLINE_STRATEGY
        if self.chosen.has("KIP-460"):
            strategy += "(true)" if forced else "(false)"
        return self._moved(c, p, state, asked, either(creates, elects), new, strategy, online, is_new)

    def _in_sync(self, c: Expr, p: Expr) -> Expr:
        """Return the first member of the ISR that is online, or none."""
        return self.first(p, self.online_brokers(c, p).intersect(znode[p].value["isr"]))

    def electable(self, c: Expr, p: Expr, leader: Expr | None = None) -> dict[str, Expr]:
        """Return the conditions under which a partition that had a leader gets one, by what they say.

        `leader`: the replica that is elected, or none; by default a member of the ISR.
        """
        return {
            "no later controller wrote its state": self._readable(c, p),
            "a member of the ISR is online": (self._in_sync(c, p) if leader is None else leader).is_some(),
        }

    def elected(
        self, c: Expr, p: Expr, state: Expr, asked: Expr, leader: Expr, isr: Expr, strategy: str, recipients: Expr
    ) -> tuple[Expr, HeldPartition]:
        """Move to OnlinePartition by another strategy, with the leader (if any) and ISR that it finds.

        `recipients`: the brokers it is sent to, as far as they have a replica.
        """
        new = self.led(c, znode[p].value, leader, isr)
        return self.elected_as(c, p, state, asked, leader, new, strategy, recipients)

    def elected_as(
        self,
        c: Expr,
        p: Expr,
        state: Expr,
        asked: Expr,
        leader: Expr,
        new: Expr,
        strategy: str,
        recipients: Expr,
        twice: Expr = false,
    ) -> tuple[Expr, HeldPartition]:
        """Move as `elected` does, with the state that is written; `twice`: it is written, and so logged, twice."""
        found = both(self._readable(c, p), leader.is_some())
        if twice is not false:
            done = both(asked, one_of(state, self.valid["partition"]["OnlinePartition"]), found, twice)
            self.lines.append(lines.partition_online(c, p, state, new, done, false, (), strategy, false)[:1])
        return self._moved(c, p, state, asked, found, some(new), strategy, recipients)

    def _moved(
        self,
        c: Expr,
        p: Expr,
        state: Expr,
        asked: Expr,
        can: Expr,
        new: Expr,
        strategy: str,
        recipients: Expr,
        is_new: Expr = false,
    ) -> tuple[Expr, HeldPartition]:
        done = both(self.asked("partition", asked, state, "OnlinePartition"), can)
        valid, refused = self.valid["partition"]["OnlinePartition"], both(asked, ~done)
        self.lines.append(lines.partition_online(c, p, state, new.value, done, refused, valid, strategy, is_new))
        self.sends(c, p, self.replicas(p).intersect(recipients), done, new, is_new)
        after = ite(done, literal("OnlinePartition", state.sort), state)
        return after, HeldPartition(ite(done, new, cached[c][p]), ite(done, new, znode[p]))

    def _readable(self, c: Expr, p: Expr) -> Expr:
        """Check that a state znode exists and that no later controller wrote it."""
        return znode[p].is_some() & (znode[p].value["controller_epoch"] <= epoch[c])

    def led(self, c: Expr, held: Expr, leader: Expr, isr: Expr) -> Expr:
        """Return the state that a controller writes: leader epoch and version one higher, and its own epoch."""
        return held.changed(
            leader=leader,
            isr=isr,
            leader_epoch=held["leader_epoch"] + 1,
            version=held["version"] + 1,
            controller_epoch=epoch[c],
        )

    def sends(
        self, c: Expr, p: Expr, to: Expr, given: Expr, entry: Expr, is_new: Expr = false, empty: Expr = false
    ) -> None:
        """Log and send the requests of a call."""
        self.sends_request(c, p, to, given, entry, is_new)
        self.updates(c, p, given, entry, empty=empty)

    def sends_request(
        self, c: Expr, p: Expr, to: Expr, given: Expr, entry: Expr, is_new: Expr = false, printed: Expr | None = None
    ) -> None:
        """Log and send LeaderAndIsr; since 2.2 none is logged to brokers that are not live (KIP-380).

        `printed`: the entry, where it is not what the step leaves in the cache.
        """
        self.batches.append(RequestBatch("LeaderAndIsr", p, to, given, entry, is_new, listed=self._replicas_sent(p)))
        if self.chosen.has("KIP-380"):
            to = to.intersect(after(live[c]))
        kept = after(cached[c][p]) if printed is None else printed
        self.lines.append(lines.sends(c, p, to, given, is_new, kept, self.listed(p)))

    def stops(self, c: Expr, p: Expr, given: Expr, entry: Expr) -> None:
        """Log and send StopReplica that deletes replicas: those r of which a condition holds."""
        self.batches.append(RequestBatch("StopReplica", p, set_of(_replica, given), true, entry))
        self.lines.append(lines.stops(c, p, _replica, both(given, after(live[c]).contains(_replica)), entry))

    def listed(self, p: Expr) -> lines.Listed:
        """The replicas of a partition as a list, those that are added, and those that are removed."""
        if REASSIGNMENT not in self.chosen.parts:
            return lines.Listed(assignment[p], (), ())
        return lines.listed(assignment[p], self._before(p))

    def _before(self, p: Expr) -> Expr:
        return NO_ASSIGNMENT if self.completed else origin[p]

    def _replicas_sent(self, p: Expr) -> Expr:
        """Return the replicas of a partition as a request has them."""
        return record(Replicas, now=assignment[p], before=self._before(p))

    def updates(self, c: Expr, p: Expr, given: Expr, entry: Expr, to: Expr | None = None, empty: Expr = false) -> None:
        """Log and send UpdateMetadata requests to all live brokers, or to some: each also names the live brokers.

        Without caches in the model they are heard at once.
        """
        to = full(Broker) if to is None else to
        self.batches.append(
            RequestBatch("UpdateMetadata", p, to, given, entry, empty=empty, listed=self._replicas_sent(p))
        )
        at_once = CACHES not in self.chosen.parts
        self.lines += lines.updates(c, p, to, given, self.not_online(c, p), at_once, self.listed(p).replicas)

    def not_online(self, c: Expr, p: Expr) -> Expr:
        """The replicas of a partition that are not online after the step."""
        online = after(live[c])
        if SHUTDOWN in self.chosen.parts:
            online = online.minus(after(shutting[c]))
        if DIRECTORIES in self.chosen.parts:
            online = online.minus(set_of(_broker, after(offline_dirs[c])[_broker].contains(p)))
        return self.replicas(p).minus(online)

    def is_assigned(self, c: Expr, p: Expr, r: Expr) -> Expr:
        """A replica of a topic that the controller knows."""
        return both(topics[c].contains(p), self.replicas(p).contains(r))

    def replicas(self, p: Expr) -> Expr:
        """The brokers that have a replica of a partition, or are to have one."""
        return replicas(assignment[p]) if self.completed else hosts(self.chosen.parts, p)

    def first(self, p: Expr, allowed: Expr) -> Expr:
        """The first of them that is in a set, or none."""
        return first_host(self.chosen.parts, p, allowed)

    def offline(
        self, c: Expr, p: Expr, r: Expr, state: Expr, asked: Expr, stay: Expr | None = None
    ) -> tuple[Expr, HeldPartition]:
        """Move to OfflineReplica, in a call for one broker, and notify the others.

        `stay`: the brokers that are notified, by default those of all other replicas.
        """
        left = self.taken_offline(c, p, r, state, asked)
        recipients = (self.replicas(p) if stay is None else stay).remove(r)
        self.sends(c, p, recipients, left.given, left.held.cache, empty=left.empty)
        return left.state, left.held

    def taken_offline(self, c: Expr, p: Expr, r: Expr, state: Expr, asked: Expr) -> Offline:
        """Move to OfflineReplica, notifying nobody: out of the ISR, unless it is the last member; leader no more."""
        before = HeldPartition(cached[c][p], znode[p])
        held = before.znode.value
        known = before.cache.is_some()
        readable = before.znode.is_some() & (held["controller_epoch"] <= epoch[c])
        removed = self.led(
            c,
            held,
            ite(held["leader"].eq(some(r)), NO_BROKER, held["leader"]),
            ite(held["isr"].eq(some(r).set()), held["isr"], held["isr"].remove(r)),
        )
        valid = self.asked("replica", asked, state, "OfflineReplica")
        read = both(valid, known, readable)
        writes = both(read, held["isr"].contains(r))
        # Without a leader and ISR there is nothing to remove; 1.1 drops such a replica silently.
        can = known & readable if self.chosen.has("KAFKA-6650") else known.implies(readable)
        fenced = some(held.changed(controller_epoch=epoch[c]))
        done = both(valid, can)
        silent = ~known if self.chosen.has("KAFKA-6650") else false
        left = ite(writes, removed, held.changed(controller_epoch=epoch[c]))
        refused, before_it = both(asked, ~done, ~both(valid, silent)), self.valid["replica"]["OfflineReplica"]
        self.lines += lines.replica_offline(c, p, r, state, left, done, refused, before_it, read)
        held_now = HeldPartition(
            ite(writes, some(removed), ite(read, fenced, before.cache)),
            ite(writes, some(removed), before.znode),
        )
        # Since 2.3 the live brokers are sent even where there is no leader and ISR to send.
        empty = false if self.chosen.has("KAFKA-3143") else both(done, ~known)
        given = self.queued_apart(c, p, both(done, read))
        return Offline(ite(done, literal("OfflineReplica", state.sort), state), held_now, given, empty)
