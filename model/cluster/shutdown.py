"""Controlled shutdown: a broker that stops asks the controller to take its leaderships away (doControlledShutdown).

The broker stops afterwards whatever the answer is: it dies by the step that all brokers die by. A controller that
takes over does not know who was shutting down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..action import Action, Clause, action, waived
from ..expr import Expr, after, both, either, false, fill, forall, ite, mapped, setting, some, var
from ..family import Chosen
from ..property import Property
from ..sorts import Bool, MapOf, Value
from .controller import writes
from .effects import FACTORS, ISR_OUTSIDE, Effects, HeldPartition
from .lines import SHUTDOWN_STRATEGY, prints_line
from .state import (
    ISR_CHANGES,
    Partition,
    b,
    c,
    cached,
    followed,
    isr_changes,
    live,
    now,
    p,
    partition_state,
    phase,
    r,
    registered,
    replica_state,
    shutting,
    to_move,
    znode,
)

hit = var("hit", Partition)


@dataclass(frozen=True)
class _Asked:
    """Terms of a request for a controlled shutdown: p is a partition that the controller looks at."""

    leaving: Expr
    staying: Expr
    followed: Expr
    led: Expr
    recipients: Expr

    def leader(self, effects: Effects, isr: Expr) -> Expr:
        return effects.first(p, effects.with_directory(c, p, self.staying).intersect(isr))


def _asked(effects: Effects) -> _Asked:
    leaving = shutting[c].insert(b)
    staying = live[c].minus(leaving)
    known = both(effects.is_assigned(c, p, b), cached[c][p].is_some())
    if not effects.chosen.before("2.1"):  # KAFKA-6753: topics that are being deleted are left alone
        known = effects.queued_apart(c, p, known)
    if FACTORS in effects.chosen.parts:  # who has the only replica keeps it
        known = both(known, effects.replicas(p).ne(some(b).set()))
    leads = cached[c][p].value["leader"].eq(some(b))
    effects.lines.append(prints_line("controlled-shutdown", c, broker=b))
    recipients = staying if effects.chosen.has("KAFKA-7482") else live[c]
    return _Asked(leaving, staying, both(known, ~leads), both(known, leads), recipients)


def _begun(asked: _Asked) -> dict[Expr, Expr | Value]:
    return {
        phase[c]: "stopping",
        shutting[c]: asked.leaving,
        followed[c]: mapped(p, asked.followed),
        to_move[c]: some(b).set(),
    }


_IDLE: dict[str, Expr | Clause] = {
    "is idle": phase[c].eq("idle"),
    "is live": waived(live[c].contains(b), "a broker that is not known to be live leads nothing"),
}
_ONCE = {"did not ask before": ~shutting[c].contains(b)}


def shut_down(effects: Effects) -> Action:
    """Return the action of elections by ControlledShutdownPartitionLeaderElectionStrategy for what the broker leads."""
    asked = _asked(effects)
    isr = znode[p].value["isr"].minus(asked.leaving)
    state, held = effects.elected(
        c, p, partition_state[c][p], asked.led, asked.leader(effects, isr), isr, SHUTDOWN_STRATEGY, asked.recipients
    )
    return action(
        "ShutDown",
        (
            "A broker asks for a controlled shutdown: the controller elects other leaders for the partitions "
            "that it leads."
        ),
        c,
        b,
        guard=_IDLE,
        limits=_ONCE,
        updates={**_begun(asked), **writes(state, held)},
        cites=("doControlledShutdown in KafkaController.scala",),
    )


def shut_down_contended(effects: Effects) -> Action:
    """Return the action of a call that another writer interrupts: up to 2.3 all of it is done once more."""
    asked, now = _asked(effects), znode[p].value
    behind = some(
        znode[hit].value.changed(isr=znode[hit].value["isr"].remove(r), version=znode[hit].value["version"] + 1)
    )
    read = ite(p.eq(hit), behind.value, now)
    isr = read["isr"].minus(asked.leaving)
    leader = asked.leader(effects, isr)
    new = effects.led(c, read, leader, isr)
    if effects.chosen.has("retry-all elections"):
        new = ite(p.eq(hit), new, effects.led(c, new, leader, isr))
    state, held = effects.elected_as(
        c, p, partition_state[c][p], asked.led, leader, new, SHUTDOWN_STRATEGY, asked.recipients,
        twice=p.ne(hit) if effects.chosen.has("retry-all elections") else false,
    )  # fmt: skip
    lost = both(p.eq(hit), leader.is_none())
    left = HeldPartition(ite(both(lost, held.cache.is_some()), behind, held.cache), ite(lost, behind, held.znode))
    leads = both(registered.contains(b), znode[hit].is_some(), znode[hit].value["leader"].eq(some(b)))
    return action(
        "ShutDownContended",
        (
            "A broker asks for a controlled shutdown, and takes a follower out of an ISR while the controller "
            "elects other leaders: that one election finds another version, and is retried."
        ),
        c,
        b,
        hit,
        r,
        guard={
            **_IDLE,
            "it leads the partition": waived(leads, "a broker that does not lead writes nothing"),
            "a follower is in the ISR": both(znode[hit].value["isr"].contains(r), r.ne(b)),
        },
        limits={**_ONCE, "ISR changes are left": isr_changes < setting(ISR_CHANGES)},
        updates={**_begun(asked), **writes(state, left), isr_changes: isr_changes + 1},
        cites=("electLeaderForPartitions in PartitionStateMachine.scala",),
    )


def stop_followers(effects: Effects) -> Action:
    """Return the action that stops the replicas that followed when the broker asked; those that led are not stopped."""
    state, held = effects.offline(c, p, b, replica_state[c][p][b], followed[c][p])
    return action(
        "StopFollowers",
        "The replicas that followed on a broker when it asked to shut down are moved to OfflineReplica.",
        c,
        b,
        guard={"leaders are moved": phase[c].eq("stopping"), "it is this broker": to_move[c].contains(b)},
        updates={
            phase[c]: now("idle"),
            to_move[c]: to_move[c].remove(b),
            followed[c]: fill(MapOf(Partition, Bool), False),
            replica_state[c]: mapped(p, replica_state[c][p].put(b, state)),
            cached[c]: mapped(p, held.cache),
            znode: mapped(p, held.znode),
        },
        cites=("doControlledShutdown in KafkaController.scala",),
    )


def writers(chosen: Chosen) -> tuple[Callable[[Effects], Action], ...]:
    """The actions of a release: where leaders write the ISR themselves, one can come in between."""
    contended = ISR_OUTSIDE in chosen.parts and not chosen.has("KIP-497")
    return (shut_down, stop_followers, *((shut_down_contended,) if contended else ()))


_held = znode[p].value
ONE_ELECTION_PER_CALL = Property(
    "OneElectionPerCall",
    "A controller elects the leader of a partition once for each event: the leader epoch grows by one at most.",
    forall(
        p,
        either(
            znode[p].is_none(), after(znode[p]).is_none(), after(_held["leader_epoch"]) <= _held["leader_epoch"] + 1
        ),
    ),
    "step",
    cites=("kafka.controller.PartitionStateMachine",),
)


def properties(chosen: Chosen) -> tuple[Property, ...]:
    """Return the properties that are promised where an election can find that another wrote."""
    return (ONE_ELECTION_PER_CALL,) if shut_down_contended in writers(chosen) else ()
