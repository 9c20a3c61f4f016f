"""The lines that the controller writes when it moves an entity, and when it starts (docs/lines.md)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..expr import Expr, after, both, const, ite, some, true, var
from ..lines import Block, Line
from ..sorts import OptionOf, SeqOf
from .state import (
    NO_BROKERS,
    PLACES,
    UNASSIGNED,
    Broker,
    assignment,
    cached,
    epoch,
    live,
    one_of,
    p,
    r,
    replicas,
)

_broker = var("broker", Broker)

OFFLINE_STRATEGY = "OfflinePartitionLeaderElectionStrategy"
PREFERRED_STRATEGY = "PreferredReplicaPartitionLeaderElectionStrategy"
REASSIGNMENT_STRATEGY = "ReassignPartitionLeaderElectionStrategy"
SHUTDOWN_STRATEGY = "ControlledShutdownPartitionLeaderElectionStrategy"


def _prints(row: str, c: Expr, given: Expr, entity: tuple[Expr, ...], **fields: object) -> Line:
    """A line of the controller, one for each entity; a variable of no entity is a parameter of the step."""
    over = tuple(each for each in entity if each in (p, r))
    of = {"topic": entity[0], "partition": entity[0]} if entity else {}
    speaking = {"controller": c, "controller_epoch": epoch[c]}
    return Line(row, c, {**speaking, **of, **fields}, given, over)


def replica_moved(
    c: Expr, of: Expr, which: Expr, state: Expr, target: str, done: Expr, refused: Expr, valid: tuple[str, ...]
) -> Block:
    """A replica's move, or its refusal, with the exception if the table of `valid` states before does not have it."""
    printed = {"replica": which, "from_state": state, "to_state": target}
    thrown = _thrown("thrown-replica-refused", c, of, ~one_of(state, valid), **printed, valid_states=valid)
    failed = _prints("replica-refused", c, refused, (of, which), **printed)
    return (_prints("replica-moved", c, done, (of, which), **printed), replace(failed, then=(thrown,)))


def replica_offline(
    c: Expr,
    of: Expr,
    which: Expr,
    state: Expr,
    left: Expr,
    done: Expr,
    refused: Expr,
    valid: tuple[str, ...],
    read: Expr,
) -> list[Block]:
    """A replica's move to OfflineReplica, with what is left of the ISR where it was read."""
    removed = _prints(
        "offline-replica-removed-from-isr", c, both(done, read), (of, which),
        replica=which, to_state="OfflineReplica", **leader_and_isr(left), written_by_epoch=left["controller_epoch"],
    )  # fmt: skip
    return [(removed,), replica_moved(c, of, which, state, "OfflineReplica", done, refused, valid)]


def partition_moved(
    c: Expr, of: Expr, state: Expr, target: str, done: Expr, refused: Expr, valid: tuple[str, ...]
) -> Block:
    """A partition's move that touches nothing else, or its refusal."""
    row = "partition-created" if target == "NewPartition" else "partition-offline-or-gone"
    printed = {"from_state": state, "to_state": target}
    thrown = _thrown("thrown-partition-refused", c, of, ~one_of(state, valid), **printed, valid_states=valid)
    failed = _prints("partition-refused", c, refused, (of,), **printed)
    return (_prints(row, c, done, (of,), **printed, replicas=assignment[of]), replace(failed, then=(thrown,)))


def partition_online(
    c: Expr,
    of: Expr,
    state: Expr,
    new: Expr,
    done: Expr,
    refused: Expr,
    valid: tuple[str, ...],
    strategy: str,
    is_new: Expr,
) -> Block:
    """A partition's move to OnlinePartition, or its failure with the exception."""
    printed = {"from_state": state, "to_state": "OnlinePartition"}
    moves, nobody = one_of(state, valid), {"error": "kafka.common.StateChangeFailedException"}
    thrown = (
        _thrown("thrown-partition-refused", c, of, ~moves, **printed, valid_states=valid),
        _thrown("thrown-no-leader", c, of, both(moves, ~is_new), strategy=strategy, **nobody),
    )
    failed = _prints("partition-refused", c, refused, (of,), **printed)
    return (
        _prints("partition-online", c, done, (of,), **printed, **leader_and_isr(new)),
        replace(failed, then=thrown),
    )


def _thrown(row: str, c: Expr, of: Expr, given: Expr, **fields: object) -> Line:
    """The first line of a stack trace, below the line of what failed."""
    error = {"error": "java.lang.IllegalStateException"}
    return Line(row, c, {**error, "topic": of, "partition": of, **fields}, given)


def leader_and_isr(held: Expr) -> dict[str, object]:
    """A partition's state as it is printed."""
    return {
        "leader": held["leader"],
        "isr": held["isr"],
        "leader_epoch": held["leader_epoch"],
        "partition_epoch": held["version"],
        "recovery": held["recovery"],
    }


def prints_line(row: str, c: Expr, given: Expr = true, **fields: object) -> Block:
    """A line of the controller's log."""
    return (_prints(row, c, given, (), **fields),)


@dataclass(frozen=True)
class Listed:
    """The replicas of a partition as printed: in order, and those that a reassignment adds and removes."""

    replicas: Expr
    adding: Expr | tuple[()]
    removing: Expr | tuple[()]


def listed(now: Expr, before: Expr) -> Listed:
    """Return the replicas as printed, with those `before` a reassignment, if one is in progress."""
    had, goes_on = before.get(UNASSIGNED), before.is_some()
    mine, its = replicas(now), replicas(had)
    in_turn = const((), SeqOf(OptionOf(Broker), 2 * len(PLACES)))
    for place in PLACES:
        in_turn = in_turn.append(now[place])
    for place in PLACES:
        old = had[place]
        in_turn = ite(both(goes_on, ~old.set().subset_of(mine)), in_turn.append(old), in_turn)
    return Listed(in_turn, ite(goes_on, mine.minus(its), NO_BROKERS), ite(goes_on, its.minus(mine), NO_BROKERS))


def sends(c: Expr, of: Expr, to: Expr, given: Expr, is_new: Expr, kept: Expr, listed: Listed, which: Expr = r) -> Block:
    """The LeaderAndIsr requests of a call.

    Args:
        to: the brokers that are asked to lead or to follow.
        given: something is sent for the partition.
        kept: the cache entry that is sent.
    """
    entry = kept.value
    state = {**leader_and_isr(entry), "written_by_epoch": entry["controller_epoch"], "replicas": listed.replicas}
    sent = both(given, kept.is_some())
    requested = both(sent, to.contains(which))
    kind = entry["leader"].eq(some(which))
    new = {"is_new": is_new, "adding": listed.adding, "removing": listed.removing}
    leads = _prints("leader-and-isr-sent", c, both(requested, kind), (of, which),
                  kind="become-leader", recipient=which, **state, **new)  # fmt: skip
    follows = _prints("leader-and-isr-sent", c, both(requested, ~kind), (of, which),
                    kind="become-follower", recipient=which, **state, **new)  # fmt: skip
    return (leads, follows)


def stops(c: Expr, of: Expr, which: Expr, given: Expr, entry: Expr) -> Block:
    """A StopReplica request that deletes a replica; before 2.6 nothing is printed here."""
    printed = {"recipient": which, "leader_epoch": entry.value["leader_epoch"], "delete": true}
    return (_prints("stop-replica-sent", c, given, (of, which), **printed),)


def updates(c: Expr, of: Expr, to: Expr, given: Expr, offline: Expr, at_once: bool, assigned: Expr) -> list[Block]:
    """UpdateMetadata to live brokers, as it is printed up to 2.5, and as they print it if they hear it at once."""
    entry, live_ones = after(cached[c][of]).value, after(live[c]).intersect(to)
    state = {**leader_and_isr(entry), "written_by_epoch": entry["controller_epoch"], "replicas": assigned}
    state["offline_replicas"] = offline
    sent = both(given, after(cached[c][of]).is_some())
    requested: list[Block] = [(_prints("update-metadata-sent", c, sent, (of,), **state, recipients=live_ones),)]
    if at_once:
        cached_line = _prints(
            "metadata-cached", c, both(sent, live_ones.contains(_broker)), (of,), **state, speaker=_broker
        )
        requested.append((replace(cached_line, speaker=_broker, over=(*cached_line.over, _broker)),))
    return requested
