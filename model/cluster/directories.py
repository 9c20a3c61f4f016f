"""Log directories that fail while their broker lives (KIP-112; docs/zookeeper.md, "Failed log directories").

A broker stops serving the replicas in a directory that fails. It reports by a znode that a directory failed, not which
one. The controller sends it LeaderAndIsr for all its replicas; the answer names those that are offline
(KAFKA_STORAGE_ERROR). These are then moved as if their broker had died. A later controller learns of them from the
answers to the requests that it starts with.

Each replica has a directory of its own here. A broker that starts again has all of them: they were repaired. Where
requests are left out, a controller may get such an answer whenever it is idle.

Not in the model: a broker exits if all its directories fail; up to 2.0 StopReplica makes an offline replica an unknown
one.
"""

from __future__ import annotations

from collections.abc import Callable

from ..action import Action, Clause, action, waived
from ..expr import Expr, after, both, either, exists, forall, mapped, set_of, setting, some
from ..family import Chosen
from ..property import Property
from ..sorts import Value
from .broker_lines import directory_fails
from .broker_properties import informed_and_quiet
from .effects import ISR, REQUESTS, Effects
from .lines import prints_line
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
    created,
    directory_failures,
    failed,
    hosted,
    listed,
    live,
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
    reported_failures,
    storage_errors,
    to_move,
    znode,
)

_LEFT = {"directories may fail": directory_failures < setting(DIRECTORY_FAILURES)}


def fail(effects: Effects) -> Action:
    effects.lines += directory_fails(b, p)
    updates: dict[Expr, Expr | Value] = {
        failed[b]: failed[b].insert(p),
        reported_failures: reported_failures.insert(b),
        directory_failures: directory_failures + 1,
    }
    if REQUESTS in effects.chosen.parts:
        updates[hosted[b]] = hosted[b].put(p, NO_ZNODE)
        hosts = hosted[b][p].is_some()
        lives = both(runs(b), registered.contains(b))
    else:
        hosts = both(created.contains(p), effects.replicas(p).contains(b))
        lives = registered.contains(b)
    if ISR in effects.chosen.parts:
        updates[proposed[b]] = proposed[b].put(p, NOTHING_ASKED)
    if {REASSIGNMENT, REQUESTS} <= effects.chosen.parts:
        updates[listed[b]] = listed[b].put(p, NO_BROKERS)
    return action(
        "FailDirectory",
        "The log directory of a replica fails: the replica is offline on its broker, which reports it to ZooKeeper.",
        b,
        p,
        guard={
            "the broker runs, and is registered": waived(lives, "an unregistered broker reports nothing"),
            "it hosts the partition": waived(hosts, "a missing partition cannot fail"),
        },
        limits=_LEFT,
        updates=updates,
        cites=("handleLogDirFailure in ReplicaManager.scala", "KIP-112"),
    )


def report(_: Effects) -> Action:
    return action(
        "TellOfDirectory",
        "A log directory without a replica fails: its broker reports it to ZooKeeper all the same.",
        b,
        guard={"the broker is registered": waived(registered.contains(b), "an unregistered broker reports nothing")},
        limits=_LEFT,
        updates={reported_failures: reported_failures.insert(b), directory_failures: directory_failures + 1},
        cites=("handleLogDirFailure in ReplicaManager.scala", "KIP-112"),
    )


def answer_broken(_: Effects) -> Action:
    is_known = either(offline_dirs[c][b].contains(p), storage_errors[c][b].contains(p))
    return action(
        "AnswerStorageError",
        ("A live broker answers a LeaderAndIsr request of the controller with KAFKA_STORAGE_ERROR for a replica."),
        c,
        b,
        p,
        guard={
            "is idle": waived(
                phase[c].eq("idle"), "answers come at any time, and the controller handles them when it is idle"
            ),
            "takes it for live": live[c].contains(b),
            "its directory has failed": failed[b].contains(p),
            "the controller does not know it yet": ~is_known,
        },
        updates={storage_errors[c]: storage_errors[c].put(b, storage_errors[c][b].insert(p))},
        cites=("processLeaderAndIsrResponseReceived in KafkaController.scala", "KIP-112"),
    )


def answer_works(_: Effects) -> Action:
    return action(
        "AnswerWorks",
        "A broker that was back before the controller noticed its loss answers that a replica works again.",
        c,
        b,
        p,
        guard={
            "is idle": waived(phase[c].eq("idle"), "answers come at any time"),
            "is known as offline": waived(offline_dirs[c][b].contains(p), "otherwise nothing changes"),
            "its directory works": both(registered.contains(b), ~failed[b].contains(p)),
        },
        updates={offline_dirs[c]: offline_dirs[c].put(b, offline_dirs[c][b].remove(p))},
        cites=("processLeaderAndIsrResponseReceived in KafkaController.scala", "KIP-112"),
    )


def probe(effects: Effects) -> Action:
    asked = both(effects.is_assigned(c, p, r), reported_failures.contains(r))
    effects.lines.append(prints_line("log-dir-failure", c, brokers=reported_failures))
    online = effects.replica_to(c, p, r, asked, replica_state[c][p][r], "OnlineReplica")
    from_states = tuple(each for each in effects.valid["replica"]["OnlineReplica"] if each != "NewReplica")
    moved = set_of(r, both(asked, one_of(replica_state[c][p][r], from_states)))
    effects.sends(c, p, moved, ~moved.is_empty(), cached[c][p])
    idle: Expr | Clause = phase[c].eq("idle")
    if REQUESTS not in effects.chosen.parts:
        idle = waived(phase[c].eq("idle"), "the thread does one thing at a time; a question disturbs nothing")
    return action(
        "AskForDirectories",
        "The controller learns that a log directory of a broker failed: it asks by moving all its replicas to "
        "OnlineReplica, which notifies the broker of them.",
        c,
        guard={
            "is idle": idle,
            "brokers have reported": waived(~reported_failures.is_empty(), "otherwise there is nothing to ask"),
        },
        updates={replica_state[c]: mapped(p, mapped(r, online)), reported_failures: NO_BROKERS},
        cites=("onBrokerLogDirFailure in KafkaController.scala", "KIP-112"),
    )


def mark(effects: Effects) -> Action:
    news = storage_errors[c][b]
    effects.lines.append(prints_line("log-dir-replicas-offline", c, broker=b, detail=news))
    return action(
        "MarkOffline",
        (
            "A broker answered KAFKA_STORAGE_ERROR for replicas: the controller marks them offline, and moves "
            "them like replicas of a dead broker."
        ),
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


def writers(chosen: Chosen) -> tuple[Callable[[Effects], Action], ...]:
    """The actions, with requests or without; since 2.2 a controller sees that a broker was gone, and asks anew."""
    if REQUESTS in chosen.parts:
        return (fail, probe, mark)
    without = (fail, report, probe, answer_broken, mark)
    return without if chosen.has("KIP-380") else (*without, answer_works)


def _has_asked(chosen: Chosen, c: Expr) -> Expr:
    """Check that the controller has settled, and has handled every report of a failed directory."""
    heeded = forall(r, storage_errors[c][r].is_empty())
    return both(informed_and_quiet(chosen, c), reported_failures.is_empty(), heeded)


def _reported_as_it_is() -> Property:
    errors, offline = storage_errors[c][b].contains(p), offline_dirs[c][b].contains(p)
    stays = both(live[c].contains(b), after(live[c].contains(b)), registered.contains(b))
    heard = both(~errors, after(errors)).implies(both(live[c].contains(b), failed[b].contains(p)))
    works = both(stays, offline, ~after(offline)).implies(~failed[b].contains(p))
    return Property(
        "AnswersAreTrue",
        (
            "A controller hears of a failed directory only from brokers that it takes for live and whose "
            "directory has failed, and that a replica works again only if it does."
        ),
        forall(c, forall(b, forall(p, both(heard, works)))),
        "step",
        cites=("KIP-112",),
    )


def properties(chosen: Chosen) -> tuple[Property, ...]:
    """Return the properties that are promised where log directories fail."""
    held = znode[p].value
    leads, in_isr = held["leader"].eq(some(b)), both(held["isr"].contains(b), held["isr"].size() > 1)
    out = both(failed[b].contains(p), registered.contains(b)).implies(~either(leads, in_isr))
    alive = Property(
        "FailedReplicaLeads",
        ("For a while ZooKeeper names as leader a live broker whose log directory has failed: the model is alive."),
        exists(p, exists(b, both(leads, registered.contains(b), failed[b].contains(p)))),
        "sometimes",
    )
    if REQUESTS not in chosen.parts:  # nobody knows there which answers are to come
        return (alive, _reported_as_it_is())
    return (
        Property(
            "FailedReplicaIsOut",
            "Once the controller has settled and has handled brokers' reports of log directories, and no request is "
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
        alive,
    )
