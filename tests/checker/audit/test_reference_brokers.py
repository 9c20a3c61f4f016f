"""The audit's verdicts on one broker's lines about a replica equal those of a brute-force search over completions.

The reference shares nothing with checker/audit: a small machine of a replica in ZooKeeper mode (2.6 and 2.7, INFO), and
a search. A *run* is a few lines; a completion adds lines that are missing. Three things must be so:

* a run that the machine prints as it is has no finding;
* an *illegal* run is printed by no completion with one line more; if the log is said to be lossy, by none at all;
* a run that no such completion prints has a finding.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options

RULES = {"KR627", *(f"KR60{number}" for number in range(1, 8))}
SELF, OTHERS = 0, (8001, 8002)
"""In a run, the broker itself; it gets a number of its own when the run is written."""
EPOCHS, VERSIONS = range(7), range(12)
ISRS = tuple(frozenset({SELF, *some}) for some in ((), OTHERS[:1], OTHERS[1:], OTHERS))
Ids = frozenset[int]


@dataclass(frozen=True)
class Line:
    """`kind`: starts, deletes, leads, follows, changes (an ISR, from `old`), written (an ISR)."""

    kind: str
    epoch: int = 0
    previous: int = -1
    isr: Ids = frozenset()
    old: Ids = frozenset()
    version: int = 0


@dataclass(frozen=True)
class State:
    """The state of a partition in one process of a broker; `pending` is the ISR that it is about to write."""

    epoch: int = -1
    leads: bool = False
    isr: Ids = frozenset()
    pending: Ids | None = None
    version: int = -1


def sound(old: Ids, new: Ids) -> bool:
    """Return True if a leader makes the one ISR from the other: it adds one member, or drops some, and stays in it
    itself."""
    return SELF in new and (new < old or (old < new and len(new) == len(old) + 1))


def after(state: State, line: Line) -> State | None:
    """The state after a line; None if no broker prints it there."""
    if line.kind in ("starts", "deletes"):
        return State()
    if line.kind in ("leads", "follows"):
        if line.previous != state.epoch or line.epoch <= state.epoch:
            return None
        leads = line.kind == "leads"
        if leads and SELF not in line.isr:
            return None  # no controller elects a leader from outside the ISR, and none writes one without its leader
        return State(line.epoch, leads, line.isr if leads else frozenset(), None, state.version)
    if not state.leads:
        return None
    if line.kind == "changes":
        return replace(state, pending=line.isr) if line.old == state.isr and sound(line.old, line.isr) else None
    # Each leader epoch is a write of its own: the version is above the epoch (docs/rules.md, KR607).
    if line.isr != state.pending or line.version <= max(state.version, state.epoch):
        return None
    return replace(state, isr=line.isr, pending=None, version=line.version)


def possible(state: State) -> Iterator[Line]:
    """The lines that can come next."""
    yield Line("starts")
    yield Line("deletes")
    for epoch in EPOCHS:
        yield Line("follows", epoch, state.epoch)
        yield from (Line("leads", epoch, state.epoch, isr) for isr in ISRS)
    for isr in ISRS:
        yield Line("changes", isr=isr, old=state.isr)
    if state.pending is not None:
        yield from (Line("written", isr=state.pending, version=version) for version in VERSIONS)


def with_one_more(states: set[State]) -> set[State]:
    return {found for state in states for line in possible(state) if (found := after(state, line)) is not None}


def printed(run: Sequence[Line], missing: int) -> bool:
    """Return True if the machine prints the run, with at most that many missing lines; a negative number: any."""
    reached = [{State()}]
    for _ in range(max(missing, 0)):
        reached.append(with_one_more(reached[-1]))
    if missing < 0:
        reached = [_closed({State()})]
    for line in run:
        here = [_after(states, line) for states in reached]
        for hidden in range(1, len(here)):
            here[hidden] |= with_one_more(here[hidden - 1])
        reached = here if missing >= 0 else [_closed(here[0])]
    return any(reached)


def _after(states: Iterable[State], line: Line) -> set[State]:
    return {found for state in states if (found := after(state, line)) is not None}


def _closed(states: set[State]) -> set[State]:
    """With all that can follow: a start can come at any time, so whatever the machine can be in."""
    return ANYTHING if states else set()


def _anything() -> set[State]:
    found, new = set[State](), {State()}
    while new:
        found |= new
        new = with_one_more(new) - found
    return found


ANYTHING = _anything()
"""All states that the machine can be in."""


# ---- Runs


def a_run(rng: random.Random) -> tuple[Line, ...]:
    """Return lines of the machine from a start, mostly with one thing changed."""
    state, lines = State(), list[Line]()
    for _ in range(rng.randint(2, 7)):
        found = [(line, then) for line in possible(state) if (then := after(state, line)) is not None]
        kinds = {line.kind for line, _ in found}
        going_on = kinds - {"starts", "deletes"}
        kind = rng.choice(sorted(going_on if going_on and rng.random() < 0.8 else kinds))
        # Small numbers: epochs and versions shall be met again.
        line, state = rng.choice([each for each in found if each[0].kind == kind][:8])
        lines.append(line)
    for _ in range(rng.choice((0, 1, 1, 2))):
        at = rng.randrange(len(lines))
        changed = rng.choice(CHANGES)(rng, lines[at])
        if changed or len(lines) > 1:
            lines[at : at + 1] = changed
    return tuple(lines)


CHANGES: tuple[Callable[[random.Random, Line], list[Line]], ...] = (
    lambda rng, line: [replace(line, epoch=rng.choice(EPOCHS))],
    lambda rng, line: [replace(line, previous=rng.choice((-1, *EPOCHS)))],
    lambda rng, line: [replace(line, version=rng.choice(VERSIONS))],
    lambda rng, line: [replace(line, isr=rng.choice((*ISRS, frozenset(OTHERS))))] if line.isr else [line],
    lambda rng, line: [replace(line, old=rng.choice(ISRS))],
    lambda rng, line: [replace(line, kind={"leads": "follows"}.get(line.kind, line.kind))],
    lambda rng, line: [],
    lambda rng, line: [line, line] if line.kind != "written" else [line],
)


# ---- Runs as files


def ids(of: Ids, broker: int) -> str:
    return ",".join(str(broker if each == SELF else each) for each in sorted(of))


def texts(run: Sequence[Line], broker: int) -> Iterator[tuple[str, str]]:
    """File and line of each, without its time; topic tN for broker N, so that no run is compared with another."""
    topic, log = f"t{broker}-0", "server.log"
    for line in run:
        isr, old = ids(line.isr, broker), ids(line.old, broker)
        of_partition = f"INFO [Partition {topic} broker={broker}]"
        where = f"starts at leader epoch {line.epoch} from offset 0 with high watermark 0"
        before = f"Previous leader epoch was {line.previous}. (state.change.logger)"
        if line.kind == "starts":
            yield log, "INFO starting (kafka.server.KafkaServer)"
        elif line.kind == "deletes":
            renamed = f"is renamed to /d1/{topic}.{'0' * 32}-delete and is scheduled for deletion"
            yield log, f"INFO Log for partition {topic} {renamed} (kafka.log.LogManager)"
        elif line.kind == "leads":
            added = "addingReplicas [] removingReplicas []."
            yield "state-change.log", f"INFO [Broker id={broker}] Leader {topic} {where} ISR [{isr}] {added} {before}"
        elif line.kind == "follows":
            yield "state-change.log", f"INFO [Broker id={broker}] Follower {topic} {where}. {before}"
        elif line.kind == "written":
            version = f"zkVersion updated to [{line.version}]"
            yield log, f"{of_partition} ISR updated to [{isr}] and {version} (kafka.cluster.Partition)"
        elif line.old < line.isr:
            yield log, f"{of_partition} Expanding ISR from {old} to {isr} (kafka.cluster.Partition)"
        else:
            replicas = "Leader: (highWatermark: 0, endOffset: 0). Out of sync replicas: (brokerId: 8001, endOffset: 0)."
            yield log, f"{of_partition} Shrinking ISR from {old} to {isr}. {replicas} (kafka.cluster.Partition)"


def write(run: Sequence[Line], broker: int, folder: Path) -> None:
    """A start before the run, and the process goes on after it."""
    files: dict[str, list[str]] = {"server.log": [], "state-change.log": []}
    begins = [("server.log", "INFO starting (kafka.server.KafkaServer)")]
    begins.append(("server.log", f"INFO [KafkaServer id={broker}] started (kafka.server.KafkaServer)"))
    ends = [("server.log", f"INFO [KafkaServer id={broker}] shutting down (kafka.server.KafkaServer)")]
    for second, (file, text) in enumerate([*begins, *texts(run, broker), *ends]):
        files[file].append(f"[2020-09-01 10:00:{second:02},000] {text}\n")
    folder.mkdir()
    for file, lines in files.items():
        (folder / file).write_text("".join(lines), encoding="utf-8")


def judged(runs: Sequence[Sequence[Line]], folder: Path, *, lossy: bool) -> list[set[str]]:
    """The verdicts of the rules on each run. All are audited at once, each as a cluster of its own: what one run shows
    of missing lines is no doubt about another."""
    folders = [folder / f"broker-{number}" for number, _ in enumerate(runs, start=1)]
    for number, (run, of_run) in enumerate(zip(runs, folders, strict=True), start=1):
        write(run, number, of_run)
    reports = audit([str(of_run) for of_run in folders], Options(engine="python", lossy=lossy, each=True))
    return [{f.verdict for f in report.findings if f.rule in RULES} for report in reports]


def agree(seeds: range, folder: Path) -> None:
    runs = [a_run(random.Random(seed)) for seed in seeds]
    for lossy in (False, True):
        (folder / str(lossy)).mkdir()
        for seed, run, verdicts in zip(seeds, runs, judged(runs, folder / str(lossy), lossy=lossy), strict=True):
            told = f"seed {seed}{', lossy' if lossy else ''}: {run} is {verdicts or 'silent'}"
            if printed(run, 0):
                assert not verdicts, told
            if printed(run, -1 if lossy else 1):
                assert "illegal" not in verdicts, told
            else:
                assert verdicts & {"illegal", "suspicious"}, told


@pytest.mark.full
def test_a_sample_agrees(tmp_path: Path) -> None:
    agree(range(150), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_ten_thousand_agree(block: int, tmp_path: Path) -> None:
    agree(range(1000 + 500 * block, 1500 + 500 * block), tmp_path)


def test_the_machine_prints_what_it_should_and_nothing_else() -> None:
    leads = Line("leads", 1, -1, frozenset({SELF, 8001}))
    shrinks = Line("changes", isr=frozenset({SELF}), old=leads.isr)
    wrote = Line("written", isr=frozenset({SELF}), version=3)
    assert printed([leads, shrinks, wrote], 0)
    assert printed([leads, shrinks, shrinks, wrote], 0)  # the first write failed
    assert not printed([leads, wrote], 0)
    assert printed([leads, wrote], 1)
    assert not printed([leads, shrinks, wrote, shrinks], 0)
    assert not printed([replace(leads, previous=4)], -1)
