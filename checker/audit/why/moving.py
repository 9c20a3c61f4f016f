"""The reasons why a reassignment did not end: the clauses of the model's guards that fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....model.evaluate import name_of
from ....model.kraft.state import b, to
from ....model.sorts import Value
from ..findings.happened import Happened
from ..happened.in_words import listed
from ..report.shown import partition_name, printed
from ..sources.metadata.state import Partition
from . import kraft, zookeeper
from .guards import Refused, asks, evaluated
from .known import Known
from .topics import moving_of, targets

END, JOIN, ASK = "FinishReassignment", "AlterPartition", "Ask"
"""The steps that end a reassignment of model cluster, and that let a replica join the ISR in model kraft."""
_ENDS = "a reassignment ends when "
"""The beginning of the clause of model kraft that lets a reassignment end; releases differ in the rest."""


def not_moved(entry: Happened, known: Known) -> Refused:
    """Return why the partitions of a topic have not got the replicas that were asked for."""
    own = moving_of(entry, known)
    if own:
        return Refused.of(_by_records(key, each, known) for key, each in sorted(own.items()))
    if known.registrations or not entry.lasts:
        return Refused()
    if not known.live:
        shows = "the logs of the controller then, or in KRaft mode the metadata log, would show it"
        return Refused(unknown=(f"whether the replicas that topic {entry.topic} is to get are in sync: {shows}",))
    return Refused.of(_by_lines(entry.topic or "", number, target, known) for number, target in targets(entry))


def _by_lines(topic: str, number: int, target: Sequence[int], known: Known) -> Refused:
    """Return why a controller of ZooKeeper mode did not end the reassignment of a partition."""
    name = partition_name(topic, number)
    row = known.last_isr((topic, number))
    isr = None if row is None else row.isr
    brokers = zookeeper.Named.of(target, isr or ())
    # Only three replicas have room in the model: those that are missing come first.
    first = sorted(target, key=lambda each: each in (isr or ()))
    env = brokers.state(None, isr=isr, replicas=first, before=brokers.ids, broker=brokers.ids[0])
    found = evaluated(brokers.guard(END), env)
    if not found.fails or row is None:
        what = f"whether the replicas {listed(target)} of {name} are in sync"
        return Refused(unknown=zookeeper.would_tell(found.lacks, what))
    when = "" if row.ts is None else f" since {printed(row.ts)}"
    values = f"ISR {listed(isr or ())}{when} by {row.place}; asked for {listed(target)}"
    text = f"the reassignment of {name} could not end ({values}): {asks('cluster', found.fails)}"
    missing = [each for each in target if each not in (isr or ()) and known.gone(each) is None]
    return Refused(
        (text,), tuple(f"why {each} has not joined the ISR of {name}: {_shows(row.leader, each)}" for each in missing)
    )


def _shows(leader: int, node: int) -> str:
    of = f"its leader {leader}, and of {node}," if leader >= 0 else f"{node}"
    return f"the server.log of {of} would show it"


def _by_records(key: tuple[str, int], now: Partition, known: Known) -> Refused:
    """Return why the reassignment of a partition did not end, and why replicas that it waits for did not join."""
    name, ids = partition_name(*key), tuple(dict.fromkeys((*now.replicas, *now.isr)))
    staying = [each for each in now.replicas if each not in now.removing]
    values = [f"ISR {listed(now.isr) or 'empty'}"]
    values += [f"{how} {listed(those)}" for how, those in (("adding", now.adding), ("removing", now.removing)) if those]
    fails: dict[tuple[str, ...], str] = {}
    for release in known.releases:
        env = _state(ids, now, known, now.isr, release) | {"ends": True}
        guard = {label: each for label, each in kraft.guard(len(ids), JOIN, release).items() if label.startswith(_ENDS)}
        fails.setdefault(evaluated(guard, env).fails, release)
    said = []
    if any(fails):
        text = f"the reassignment of {name} could not end ({'; '.join(values)})"
        said.append(f"{text}: {_by_release(fails)}")
    waits = (_joins(name, each, ids, now, known) for each in staying if each not in now.isr)
    return Refused.of((Refused(tuple(said)), *(waits if said else ())))


def _by_release(fails: Mapping[tuple[str, ...], str]) -> str:
    """Return the clauses that fail: releases that differ, of those that can have written the log, each with its own."""
    if len(fails) == 1:
        return asks("kraft", next(iter(fails)))
    each = (asks(f"kraft of {of}", labels) if labels else f"that of {of} lets it end" for labels, of in fails.items())
    return "; ".join(sorted(each))


def _joins(name: str, node: int, ids: Sequence[int], now: Partition, known: Known) -> Refused:
    """Return why a replica has not joined an ISR: nobody could ask for it, or the controller would refuse it."""
    state = known.registered(node)
    fails: list[Sequence[str]] = []
    for release in known.releases:
        env = _state(ids, now, known, (*now.isr, node), release)
        env |= {"ends": False, name_of(b): ids.index(node), "recovered": False}
        asking, answering = (kraft.guard(len(ids), step, release) for step in (ASK, JOIN))
        fails.append((evaluated(asking, env).fails if now.leader < 0 else ()) or evaluated(answering, env).fails)
    if fails and all(fails):
        values = f"{state}; leader {now.leader if now.leader >= 0 else 'none'}"
        return Refused((f"{node} could not join the ISR of {name} ({values}): {asks('kraft', fails[0])}",))
    known_not = f"why {node} has not joined the ISR of {name}: no clause of model kraft fails"
    return Refused(unknown=(f"{known_not}; {_shows(now.leader, node)}",))


def _state(ids: Sequence[int], now: Partition, known: Known, isr: Sequence[int], release: str) -> dict[str, Value]:
    """Return the state of the last record, with a request of the leader for an ISR."""
    leader, asked = ids.index(now.leader) if now.leader in ids else -1, kraft.indices(ids, isr)
    values: dict[str, Value] = {
        "registration": tuple(known.registered(node) for node in ids),
        "place": tuple(now.replicas.index(node) if node in now.replicas else -1 for node in ids),
        "isr": kraft.indices(ids, now.isr),
        "adding": kraft.indices(ids, now.adding),
        "removing": kraft.indices(ids, now.removing),
        "elr": kraft.indices(ids, now.elr),
        "last_known": next((ids.index(node) for node in now.last_known if node in ids), -1),
        "leader": leader,
        "recovering": now.recovering,
        "leader_epoch": now.leader_epoch,
        "partition_epoch": now.partition_epoch,
        # The fields of a request as the model has them: the one who sends it, its epochs, the ISR, its recovery.
        "request": (max(leader, 0), now.leader_epoch, now.partition_epoch, asked, now.recovering, frozenset()),
        name_of(to): leader,
    }
    return kraft.state(len(ids), values, release)
