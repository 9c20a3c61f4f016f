"""Share of chains that end at the true cause, in random runs of models: `python -m lab.why_simulated [RUNS]`.

A run's steps say what was done to which broker, and when; half of the runs are of the model of the cluster, whose logs
are text, half of KRaft's, which writes a metadata log. Each time of more than a second in which a partition was offline
or under-replicated has a chain (`isrproof why`): its cause is *right* if it is something that was done to that broker,
of that kind, and in force then; *unknown* if the chain names no cause; else *wrong*. Exit code 1 if any is wrong, or
less than 95 % of those with a fault in force are right.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from isrproof.checker.audit.findings.happened import Happened
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.why.answer import knowing
from isrproof.checker.audit.why.table import chain_of
from isrproof.checker.conformance import simulate
from isrproof.checker.conformance.metadata.simulate import log_of
from isrproof.checker.conformance.names import numbered
from isrproof.checker.conformance.simulate import START, STEP, RunStep
from isrproof.model.cluster.cluster import CLUSTER
from isrproof.model.kraft.kraft import KRAFT
from isrproof.model.protocol import Instance
from isrproof.specs.errors import IsrproofError
from isrproof.specs.releases import release

from .why import LONG, NO_FAULT, RIGHT, UNKNOWN, WRONG, reported

RUNS, OF_AN_INSTANCE, STEPS = 200, 25, 60
OF_CLUSTER = ("1.1", "2.0.0", "2.3", "2.8")
OF_KRAFT = ("3.5", "3.9", "4.2")
KINDS = ("offline", "under-replicated")
_ROOM = {
    "brokers": 3, "partitions": 2, "outages": 8, "failovers": 4, "max_leader_epoch": 80, "replicas": 3,
    "max_partition_epoch": 60, "isr_changes": 12,
}  # fmt: skip
_BEGINS = {
    "Die": "die", "Fence": "fence", "Unregister": "unregister", "ShutDown": "shut down", "Register": "register",
    "LoseDirectory": "disk",
}  # fmt: skip
_ENDS = {
    "Unfence": ("fence", "register", "shut down", "unregister"),
    "Register": ("disk",),
}
_LEARNS = ("BrokerChange", "InitializeContext")
_FITS: Mapping[str, Sequence[str]] = {
    "session-expired": ("die",),
    "process-lost": ("die",),
    "fenced": ("fence", "register", "shut down"),
    "unregistered": ("unregister", "die"),
    "process-stopped": ("shut down",),
    "directory-failed": ("disk",),
}
"""The deeds, by the kind of a cause that stands for them. In ZooKeeper a registration ends with its session."""


@dataclass(frozen=True)
class Done:
    """Something that was done to a broker, and when."""

    kind: str
    node: int
    since: int
    until: int | None


def done(steps: Sequence[tuple[RunStep, int]]) -> list[Done]:
    """Return what was done in the steps of a run, each with its time.

    A controller of ZooKeeper mode may still act on a death after the broker is back: it ends as the controller learns
    of all brokers again.
    """
    found: list[Done] = []
    back: set[int] = set()
    for step, ts in steps:
        if step.action in _LEARNS:
            found = [
                replace(each, until=ts) if each.kind == "die" and each.until is None and each.node in back else each
                for each in found
            ]
            back = set()
        node = step.params.get("b")
        if not isinstance(node, int):
            continue
        if step.action == "ComeBack":
            back.add(node + 1)
        if step.action == "Die":
            back.discard(node + 1)
        for kind in _ENDS.get(step.action, ()):
            found = [
                replace(each, until=ts) if (each.kind, each.node, each.until) == (kind, node + 1, None) else each
                for each in found
            ]
        if step.action in _BEGINS:
            found.append(Done(_BEGINS[step.action], node + 1, ts, None))
    return found


def judged(entry: Happened, cause: Happened | None, what: Sequence[Done]) -> str:
    """Return what the cause of an entry's chain is."""
    assert entry.since is not None
    now = [each for each in what if each.since <= entry.since and (each.until is None or entry.since <= each.until)]
    if cause is None:
        return UNKNOWN if now else NO_FAULT
    fits = any(each.node == cause.node and each.kind in _FITS.get(cause.what, ()) for each in now)
    return RIGHT if fits or (cause.what == "isr-shrunk" and _shrunk(cause, entry)) else WRONG


def _shrunk(cause: Happened, entry: Happened) -> bool:
    """Return whether a leader dropped a replica that lags from the ISR of the partition: the model does it at will."""
    return (cause.topic, cause.partition) == (entry.topic, entry.partition)


def in_cluster(seeds: Sequence[int], folder: Path) -> Iterator[tuple[Path, list[Done]]]:
    """Write the text logs of some runs of the cluster, and yield each with what was done in it."""
    row = release(random.Random(seeds[0]).choice(OF_CLUSTER))
    instance = _instance(CLUSTER.model(row.name))
    names = numbered(_ROOM["brokers"], _ROOM["partitions"])
    for seed, run in zip(seeds, simulate.random_runs(instance, seeds, STEPS), strict=True):
        log = simulate.log_of(instance, run, row, "TRACE", names)
        timed, now = [], START
        for step, places in log.steps:
            timed.append((step, now))
            now += len(places) + STEP
        where = folder / str(seed)
        if log.files:
            simulate.write(log, where)
            yield where, done(timed)


def in_kraft(seeds: Sequence[int], folder: Path) -> Iterator[tuple[Path, list[Done]]]:
    """Write the metadata logs of some runs of KRaft, and yield each with what was done in it."""
    row = release(random.Random(seeds[0]).choice(OF_KRAFT))
    instance = _instance(KRAFT.model(row.name))
    for seed, run in zip(seeds, simulate.random_runs(instance, seeds, STEPS), strict=True):
        log = log_of(instance, run, row)
        timed, now = [], START
        for step, offsets in log.steps:
            now = START + STEP * offsets[0] if offsets else now
            timed.append((step, now))
        where = folder / str(seed)
        log.save(where)
        yield where, done(timed)


def _instance(model: object) -> Instance:
    return model.instance(**{each.name: _ROOM[each.name] for each in model.settings if each.name in _ROOM})  # type: ignore[attr-defined, no-any-return]


def results(path: Path, what: Sequence[Done]) -> Iterator[tuple[str, Happened, Happened | None]]:
    """Yield the spells of a run, what the chain of each is, and its cause."""
    try:
        knowns = knowing([str(path)], Options(engine="python"))
    except IsrproofError:  # nothing was printed
        return
    for known in knowns.values():
        for each in known.entries:
            if each.what in KINDS and each.since is not None and (each.longest or 0) > LONG:
                cause = chain_of(each, known).cause
                yield judged(each, cause, what), each, cause


def main(arguments: Sequence[str]) -> int:
    runs = int(arguments[0]) if arguments else RUNS
    counts: dict[str, Counter[str]] = {}
    for first in range(0, runs, OF_AN_INSTANCE):
        made = in_cluster if first // OF_AN_INSTANCE % 2 == 0 else in_kraft
        seeds = range(first, min(first + OF_AN_INSTANCE, runs))
        with tempfile.TemporaryDirectory() as folder:
            for path, what in made(seeds, Path(folder)):
                for result, each, cause in results(path, what):
                    counts.setdefault(f"{made.__name__[3:]} {each.what}", Counter())[result] += 1
                    if result in (WRONG, UNKNOWN) and "--verbose" in arguments:
                        named = "" if cause is None else f": {cause.what} {cause.node} at {cause.since}"
                        print(f"{result} {path.name} {each.what} {each.topic}-{each.partition} at {each.since}{named}")
    return reported(dict(sorted(counts.items())), f"{runs} runs")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
