"""Log directories that fail while their broker lives (KIP-112; broker.md 1, controller.md 4).

A broker stops to serve the replicas in a directory that fails, and tells by a znode that one did, not which. The
controller asks it by LeaderAndIsr of all its replicas; the answer names those that are offline (KAFKA_STORAGE_ERROR).
These are then moved as if their broker had died. A later controller learns of them from the answers to the requests
that it starts with.

Each replica has a directory of its own here. A broker that starts again has all of them: they were repaired.

Not in the model: that a broker ends if all its directories fail; that up to 2.0 StopReplica makes a replica that is
offline one that is unknown.
"""

from __future__ import annotations

from ..action import Action, action, waived
from ..expr import Expr, both, either, exists, forall, mapped, setting, some, those
from ..family import Chosen
from ..property import Property
from ..sorts import Value
from .broker_lines import directory_fails
from .effects import ISR, Effects
from .lines import prints_line
from .promises import informed_and_quiet
from .requests import runs
from .state import (
    DIRECTORY_FAILURES,
    NO_BROKERS,
    NO_PARTITIONS,
    NO_ZNODE,
    NOTHING_ASKED,
    REASSIGNMENT,
    b,
    c,
    cached,
    directory_failures,
    failed,
    hosted,
    listed,
    marked,
    now,
    offline_dirs,
    one_of,
    p,
    phase,
    proposed,
    r,
    registered,
    replica_state,
    storage_errors,
    to_move,
    told_of_failures,
    znode,
)


def fail(effects: Effects) -> Action:
    effects.lines += directory_fails(b, p)
    updates: dict[Expr, Expr | Value] = {
        failed[b]: failed[b].insert(p),
        hosted[b]: hosted[b].put(p, NO_ZNODE),
        told_of_failures: told_of_failures.insert(b),
        directory_failures: directory_failures + 1,
    }
    if ISR in effects.chosen.parts:
        updates[proposed[b]] = proposed[b].put(p, NOTHING_ASKED)
    if REASSIGNMENT in effects.chosen.parts:
        updates[listed[b]] = listed[b].put(p, NO_BROKERS)
    return action(
        "FailDirectory",
        "The log directory of a replica fails: the replica is offline on its broker, which tells ZooKeeper so.",
        b,
        p,
        guard={
            "the broker runs, and is registered": waived(
                both(runs(b), registered.contains(b)), "who is not registered tells nobody"
            ),
            "it hosts the partition": waived(hosted[b][p].is_some(), "what is not there cannot fail"),
        },
        limits={"directories may fail": directory_failures < setting(DIRECTORY_FAILURES)},
        updates=updates,
        cites=("handleLogDirFailure in ReplicaManager.scala", "KIP-112"),
    )


def probe(effects: Effects) -> Action:
    asked = both(effects.is_assigned(c, p, r), told_of_failures.contains(r))
    effects.lines.append(prints_line("log-dir-failure", c, brokers=told_of_failures))
    online = effects.replica_to(c, p, r, asked, replica_state[c][p][r], "OnlineReplica")
    from_states = tuple(each for each in effects.valid["replica"]["OnlineReplica"] if each != "NewReplica")
    moved = those(r, both(asked, one_of(replica_state[c][p][r], from_states)))
    effects.sends(c, p, moved, ~moved.is_empty(), cached[c][p])
    return action(
        "AskForDirectories",
        "The controller learns that a log directory of a broker failed: it asks by moving all its replicas to "
        "OnlineReplica, which tells the broker of them.",
        c,
        guard={
            "is idle": phase[c].eq("idle"),
            "brokers have told": waived(~told_of_failures.is_empty(), "else nothing is asked"),
        },
        updates={replica_state[c]: mapped(p, mapped(r, online)), told_of_failures: NO_BROKERS},
        cites=("onBrokerLogDirFailure in KafkaController.scala", "KIP-112"),
    )


def mark(effects: Effects) -> Action:
    news = storage_errors[c][b]
    effects.lines.append(prints_line("log-dir-replicas-offline", c, broker=b, detail=news))
    return action(
        "MarkOffline",
        "A broker answered KAFKA_STORAGE_ERROR of replicas: the controller marks them offline, and moves them like "
        "those of a dead broker.",
        c,
        b,
        guard={"is idle": phase[c].eq("idle"), "it answered so": ~news.is_empty()},
        updates={
            storage_errors[c]: storage_errors[c].put(b, NO_PARTITIONS),
            offline_dirs[c]: offline_dirs[c].put(b, offline_dirs[c][b].union(news)),
            marked[c]: news,
            to_move[c]: some(b).set(),
            phase[c]: now("failing"),
        },
        cites=("processLeaderAndIsrResponseReceived in KafkaController.scala", "KIP-112"),
    )


def _has_asked(chosen: Chosen, c: Expr) -> Expr:
    """The controller has settled, and has heeded all that it was told of directories."""
    heeded = forall(r, storage_errors[c][r].is_empty())
    return both(informed_and_quiet(chosen, c), told_of_failures.is_empty(), heeded)


def properties(chosen: Chosen) -> tuple[Property, ...]:
    """What is promised where log directories fail."""
    held = znode[p].value
    leads, in_isr = held["leader"].eq(some(b)), both(held["isr"].contains(b), held["isr"].size() > 1)
    out = both(failed[b].contains(p), registered.contains(b)).implies(~either(leads, in_isr))
    return (
        Property(
            "FailedReplicaIsOut",
            "Once the controller has settled and has heeded what brokers told of log directories, and no request is "
            "on its way, a replica whose directory failed leads nothing, and is in no ISR unless it is the last.",
            forall(c, _has_asked(chosen, c).implies(forall(p, forall(b, out)))),
            cites=("KIP-112",),
        ),
        Property(
            "OfflineHostsNothing",
            "A broker hosts no partition whose log directory has failed on it.",
            forall(b, forall(p, failed[b].contains(p).implies(hosted[b][p].is_none()))),
            cites=("kafka.server.ReplicaManager",),
        ),
        Property(
            "FailedReplicaLeads",
            "For a while ZooKeeper names a live broker as leader whose log directory has failed: the model is alive.",
            exists(p, exists(b, both(leads, registered.contains(b), failed[b].contains(p)))),
            "sometimes",
        ),
    )
