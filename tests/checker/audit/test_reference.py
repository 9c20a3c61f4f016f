"""The audit's verdicts on transitions equal those of a brute-force search over every completion of the log.

The reference shares nothing with checker/audit: its tables are written a second time below, from the facts dossier of
the controller, and it searches. A *run* is a few printed lines of two replicas of a partition and of the partition
itself. A completion adds the steps that the log need not show; a release explains a run if some completion of it is a
path of that release's machines.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import takewhile
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.specs.errors import IsrproofError
from isrproof.specs.machines import machine as table_of
from isrproof.specs.releases import RELEASES, span
from isrproof.traces.events.event import Event
from isrproof.traces.events.parse import parse_line
from isrproof.traces.events.render import render

REPLICA, OTHER_REPLICA, PARTITION = 0, 1, 2
"""The three machines of a run."""
LEVELS = ("TRACE", "INFO", "ERROR")
NAMES = [release.name for release in RELEASES]
_MOVED = {"NewPartition": "partition-created", "OnlinePartition": "partition-online"}
_26, _23, _10, _081 = (NAMES.index(name) for name in ("2.6.0", "2.3", "1.0.2", "0.8.1"))
_080, LAST = NAMES.index("0.8.0"), NAMES.index("3.9")

_REPLICA = {
    "NewReplica": "NonExistentReplica",
    "OnlineReplica": "NewReplica OnlineReplica OfflineReplica ReplicaDeletionIneligible",
    "OfflineReplica": "NewReplica OnlineReplica OfflineReplica ReplicaDeletionIneligible",
    "ReplicaDeletionStarted": "OfflineReplica",
    "ReplicaDeletionSuccessful": "ReplicaDeletionStarted",
    "ReplicaDeletionIneligible": "ReplicaDeletionStarted OfflineReplica",
    "NonExistentReplica": "ReplicaDeletionSuccessful",
}
_REPLICA_0_8_0 = {
    "NewReplica": "NonExistentReplica",
    "OnlineReplica": "NewReplica OnlineReplica OfflineReplica",
    "OfflineReplica": "NewReplica OnlineReplica",
    "NonExistentReplica": "OfflineReplica",
}
_PARTITION = {
    "NewPartition": "NonExistentPartition",
    "OnlinePartition": "NewPartition OnlinePartition OfflinePartition",
    "OfflinePartition": "NewPartition OnlinePartition OfflinePartition",
    "NonExistentPartition": "OfflinePartition",
}
ANYTHING = frozenset({*_REPLICA, *_PARTITION})
DELETION = frozenset(state for state in ANYTHING if state.startswith(("ReplicaDeletion", "NonExistent")))
_SILENT_UP_TO_1_0 = {(a, "OnlineReplica") for a in ("OnlineReplica", "OfflineReplica", "ReplicaDeletionIneligible")}


def table(machine: int, release: int) -> dict[str, str]:
    if machine == PARTITION:
        return _PARTITION
    return _REPLICA if release >= _081 else _REPLICA_0_8_0


def valid(machine: int, a: str, b: str, release: int) -> bool:
    if (a, b) == ("OfflineReplica", "ReplicaDeletionIneligible") and release < _23:
        return False  # KAFKA-8237
    if (a, b) == ("OfflinePartition", "OfflinePartition") and release < _081:
        return False
    return a in table(machine, release).get(b, "").split()


def level_of(machine: int, b: str, release: int) -> str:
    """The level of the line of a move to `b`."""
    return "INFO" if release >= _26 and b in ("NewPartition", "OnlinePartition") else "TRACE"


def may_hide(machine: int, a: str, b: str, release: int, level: str) -> bool:
    """Whether a log of `level` with no line missing may lack the line of this move."""
    if machine != PARTITION and release <= _10 and (a, b) in _SILENT_UP_TO_1_0:
        return True
    return LEVELS.index(level_of(machine, b, release)) < LEVELS.index(level)


def seeds(machine: int, release: int) -> set[str]:
    """What a controller's start-up may give; an entity that comes later does not exist."""
    if machine == PARTITION:
        return set(_PARTITION)
    return {"OnlineReplica", "NonExistentReplica", "ReplicaDeletionIneligible" if release >= _081 else "OfflineReplica"}


@dataclass(frozen=True)
class Line:
    """`machine` went (or, `refused`, failed to go) from a to b; `lost`: a rotation hour is missing just before.

    As a log shows it, `a` is None where the line does not print it, or where it is no evidence.
    """

    machine: int
    a: str | None
    b: str
    refused: bool = False
    lost: bool = False

    @property
    def after(self) -> str | None:
        """The state after it, None if the line does not show it."""
        return self.a if self.refused else self.b


@dataclass(frozen=True)
class Run:
    """What a log holds: lines of a tenure under epoch 2; `seen`: its beginning is there.

    `chatter`: the log shows its level, whatever the lines. The file is rotated before line `cut`. Every other line has
    the wording of `second`, if that is given.
    """

    lines: tuple[Line, ...]
    release: int
    seen: bool
    level: str
    chatter: bool
    cut: int
    second: int | None = None

    def printer(self, number: int) -> str:
        return NAMES[self.release if self.second is None or number % 2 == 0 else self.second]


@cache
def steps(machine: int, release: int, level: str | None) -> dict[str, frozenset[str]]:
    """From each state the moves that a log of `level` may lack; all moves for None."""
    states = table(machine, release)
    return {
        a: frozenset(
            b
            for b in states
            if valid(machine, a, b, release) and (level is None or may_hide(machine, a, b, release, level))
        )
        for a in states
    }


@cache
def explained(
    lines: tuple[Line, ...], starts: frozenset[str], release: int, level: str | None, missing: int = 0
) -> int:
    """How many of one machine's lines some completion explains, at most; `level` None if any line may be missing.

    Before each line, so many that the log must show may be missing; the lines of a deletion are one.

    A release prints no state that it does not have; where nothing came before, that is not asked. A line without a
    from-state needs no explanation.
    """
    known = frozenset(table(lines[0].machine, release) if lines else ())
    possible = starts if starts == ANYTHING else starts & known
    for i, line in enumerate(lines):
        if line.a is None:
            possible = {line.b} & known
            continue
        hidden = None if line.lost else level
        deletion = DELETION if missing else frozenset[str]()
        possible = reached(line.machine, possible, known, release, hidden, deletion)
        for _ in range(missing):
            one_more = {b for a in possible & known for b in steps(line.machine, release, None)[a]}
            possible = reached(line.machine, possible | one_more, known, release, hidden, deletion)
        made = line.refused or valid(line.machine, line.a, line.b, release)
        if line.a not in possible or not made:
            return i
        possible = {line.a if line.refused else line.b} & known
    return len(lines)


def reached(
    machine: int,
    possible: frozenset[str],
    known: frozenset[str],
    release: int,
    level: str | None,
    gone: frozenset[str] = frozenset(),
) -> frozenset[str]:
    """The states after any number of moves that a log of `level` may lack; nothing leaves one that is not known.

    Moves to the states `gone` may be missing too.
    """
    found = set(possible)
    frontier = possible & known
    while frontier:
        more = {b for a in frontier for b in steps(machine, release, None)[a] & gone}
        frontier = (frozenset(b for a in frontier for b in steps(machine, release, level)[a]) | more) - found
        found |= frontier
    return frozenset(found)


def own(run: Run, machine: int) -> tuple[Line, ...]:
    """The lines of one machine that show its state; a missing hour counts for the next line of each."""
    found: list[Line] = []
    lost = False
    for line in run.lines:
        lost = lost or line.lost
        if line.machine == machine and line.after is not None:
            found.append(replace(line, lost=lost))
            lost = False
        elif not found and creates_replica(line, machine):
            lost = False
    return tuple(found)


def creates_replica(line: Line, machine: int) -> bool:
    """Whether the line creates the partition of this replica, which then has no state yet."""
    return machine != PARTITION and (line.machine, line.b, line.refused) == (PARTITION, "NewPartition", False)


def created(run: Run, machine: int) -> bool:
    """Whether the partition of this replica is created before the replica's first line."""
    before = takewhile(lambda line: line.machine != machine or line.after is None, run.lines)
    return any(creates_replica(line, machine) for line in before)


def starts(run: Run, machine: int, release: int) -> frozenset[str]:
    """The states before the first line. A machine first met after a missing hour may have any."""
    if created(run, machine):
        return frozenset({"NonExistentReplica"})
    lines = own(run, machine)
    known = run.seen and not (lines and lines[0].lost)
    return frozenset(seeds(machine, release)) if known else ANYTHING


def verdict(explains: Iterable[bool], even_if_lossy: Iterable[bool], lossy: bool, with_one_more: Iterable[bool]) -> str:
    """Per release of the range: whether it explains the lines if none is missing, if any may be, if one is."""
    whole = list(explains)
    if all(whole):
        return "held"
    if any(even_if_lossy if lossy else whole):
        return "unknown"
    return "suspicious" if any(with_one_more) else "illegal"


def verdict_of_run(run: Run, releases: list[int], level: str, lossy: bool) -> str:
    """Of all lines by one release; the machines are independent but for where they start: their completions interleave
    freely."""
    parts = [own(run, machine) for machine in range(3)]
    tight = [tuple(replace(line, lost=False) for line in part) for part in parts]

    def explains(parts: list[tuple[Line, ...]], release: int, level: str | None, missing: int = 0) -> bool:
        return all(
            explained(p, starts(run, m, release), release, level, missing) == len(p) for m, p in enumerate(parts)
        )

    whole = [explains(tight, release, level) for release in releases]
    loose = [explains(parts, release, None if lossy else level) for release in releases]
    one_more = [explains(parts, release, level, 1) for release in releases]
    return verdict(whole, loose, True, one_more)


def verdicts_of_lines(run: Run, releases: list[int], level: str, lossy: bool, *, of_states: bool = False) -> list[str]:
    """Each line after the one before it of the same machine: what was wrong earlier does not count again.

    Args:
        of_states: whether only its from-state matters, not where the move leads.
    """
    found: dict[int, Iterator[str]] = {}
    for machine in range(3):
        lines = own(run, machine)
        verdicts = []
        for i, line in enumerate(lines):
            past = lines[i - 1].after if i else None
            before = [starts(run, machine, r) if past is None else frozenset({past}) for r in releases]
            one = (replace(line, lost=False, refused=line.refused or of_states),)
            whole = [explained(one, start, r, level) == 1 for r, start in zip(releases, before, strict=True)]
            loose = [explained(one, start, r, None) == 1 for r, start in zip(releases, before, strict=True)]
            one_more = [explained(one, start, r, level, 1) == 1 for r, start in zip(releases, before, strict=True)]
            verdicts.append(verdict(whole, loose, lossy or line.lost, one_more))
        found[machine] = iter(verdicts)
    return [next(found[line.machine]) if line.after is not None else "held" for line in run.lines]


# ---- Generated runs, as files ----------------------------------------------------------------------------------------


def generated(seed: int, *, early: bool = False, mixed: bool = False) -> Run:
    """A walk of the machines of some release with up to two faults, as a log of some level shows it.

    If `early`, of 0.8.0 or 0.8.1, or in wordings of both; if `mixed`, in wordings of two releases.
    """
    dice = random.Random(seed)
    release = dice.randint(_080, _081) if early else dice.randint(_081, LAST)
    second = dice.choice((None, _080, _081)) if early else None
    level = dice.choice(("TRACE", "TRACE", "INFO", "ERROR"))
    state = [dice.choice(sorted(table(m, release))) for m in range(3)]
    seen = dice.random() < 0.6
    if seen:
        state = [dice.choice(sorted(seeds(m, release))) for m in range(3)]
    lines: list[Line] = []
    for _ in range(dice.randint(1, 7)):
        m = dice.choice((REPLICA, REPLICA, OTHER_REPLICA, PARTITION, PARTITION))
        targets = sorted(table(m, release))
        legal = [b for b in targets if valid(m, state[m], b, release)]
        wild = dice.random()
        if wild < 0.12:  # refused, or failed for another reason
            lines.append(Line(m, state[m], dice.choice(targets), refused=True))
            continue
        if wild < 0.18:  # out of nothing
            lines.append(Line(m, dice.choice(targets), dice.choice(targets), refused=dice.random() < 0.2))
            state[m] = lines[-1].after
            continue
        b = dice.choice(legal if legal and wild < 0.95 else targets)
        hidden = may_hide(m, state[m], b, release, level) and (level != "TRACE" or dice.random() < 0.5)
        if not hidden and wild > 0.25:  # else it happened, and its line is not there
            lines.append(Line(m, state[m], b, lost=dice.random() < 0.04))
        state[m] = b
    # A line without an epoch (1.0) tells nothing before its controller has spoken of one.
    chatter, cut = dice.random() < 0.7, dice.randint(0, 12)
    if mixed:
        second = dice.randint(_081, LAST)
    chatter = chatter or any(NAMES[each].startswith("1.0") for each in (release, second) if each is not None)
    return Run(tuple(lines), release, seen, level, chatter, cut, second)


def events(run: Run) -> Iterator[Event]:
    """A line of epoch 1 if the start shall be seen, one of another topic to show the level, then those of the run."""
    told = {"topic": "t", "partition": 0, "controller": 3, "controller_epoch": 2}
    state = {
        "leader": 1,
        "isr": (1, 2),
        "leader_epoch": 4,
        "partition_epoch": 7,
        "recovery": "RECOVERED",
        "replicas": (1, 2),
    }
    other = told | state | {"topic": "z", "from_state": "OnlinePartition", "to_state": "OnlinePartition"}
    only_errors = run.level == "ERROR" or (run.level == "INFO" and run.release < _26)
    shows_level = "partition-refused" if only_errors else "partition-online"
    if run.seen:
        yield Event(shows_level, **(other | {"controller": 9, "controller_epoch": 1}))
    if run.chatter:
        yield Event(shows_level, **other)
    for number, line in enumerate(run.lines, start=run.seen + run.chatter):
        fields = told | state | {"from_state": line.a, "to_state": line.b}
        if line.machine != PARTITION:
            fields["replica"] = 1 + line.machine
            yield Event("replica-refused" if line.refused else "replica-moved", **fields)
        elif line.refused:
            yield Event("partition-refused", **fields)
        else:
            if line.b == "NonExistentPartition" and run.printer(number).startswith("1.0"):
                fields["controller_epoch"] = None
            yield Event(_MOVED.get(line.b, "partition-offline-or-gone"), **fields)


def contradicts_itself(run: Run, releases: list[int], level: str) -> bool:
    """Whether several lines are illegal if none is missing, and not so if any may be: then lines are missing."""
    whole, loose = (verdicts_of_lines(run, releases, level, lossy, of_states=True) for lossy in (False, True))
    return sum(one in MISSING and other not in MISSING for one, other in zip(whole, loose, strict=True)) > 1


@dataclass(frozen=True)
class Facts:
    """Of a run as it is written.

    Args:
        places: where each of its lines is.
        parsed: each of them, as it is read.
        releases: those that print its wordings.
        level: that it shows.
        hours: the numbers of the lines before which an hour is missing.
    """

    places: list[tuple[str, int]]
    parsed: list[Event]
    releases: list[int]
    level: str
    hours: set[int]

    def shown(self, run: Run, releases: Iterable[int]) -> Run:
        """The run as its log shows it, if these releases may have run."""
        mask = sum(1 << release for release in releases)
        lines = []
        for i, (line, event) in enumerate(zip(run.lines, self.parsed, strict=True)):
            evident = not (event.from_state_untrue or 0) & mask
            lines.append(replace(line, a=event.from_state if evident else None, lost=i in self.hours))
        return replace(run, lines=tuple(lines))


def text_of(event: Event, release: str) -> str:
    """As the release prints it; 0.8.1 writes what 0.8.0 has no words for."""
    try:
        return render(event, release)
    except IsrproofError:
        return render(event, NAMES[_081])


def written(run: Run, folder: Path) -> Facts:
    """Write the run."""
    folder.mkdir()
    places: list[tuple[str, int]] = []
    read: list[Event] = []
    texts: dict[int, list[str]] = {0: []}
    before = run.seen + run.chatter
    mask, levels, hours = -1, set(), set()
    told = list(events(run))
    for i, event in enumerate(told):
        if i >= before and run.lines[i - before].lost and any(texts.values()):
            texts[max(texts) + 2] = []
            hours.add(i - before)
        elif i - before == run.cut and any(texts.values()) and any(each.controller_epoch for each in told[i:]):
            # A file without any epoch says of no line to which one it belongs.
            texts[max(texts) + 1] = []
        text = text_of(replace(event, ts=1_600_000_000_000 + max(texts) * 3_600_000 + i), run.printer(i))
        hour = max(texts)
        texts[hour].append(text)
        if i >= before:
            places.append((f"state-change.log.2020-09-13-{hour + 10:02d}", len(texts[hour])))
        parsed = parse_line(text)
        assert isinstance(parsed, Event)
        if i >= before:
            read.append(parsed)
        levels.add(parsed.level)
        if parsed.controller_epoch == 2:
            mask &= parsed.releases
    for hour, lines in texts.items():
        (folder / f"state-change.log.2020-09-13-{hour + 10:02d}").write_text("".join(f"{line}\n" for line in lines))
    level = min((each for each in levels if each), key=LEVELS.index, default="ERROR")
    # Lines that no release writes together tell of none: any that has a controller may run.
    mask = mask or table_of("replica").releases
    return Facts(places, read, [r for r in range(len(NAMES)) if mask >> r & 1], level, hours)


RANK = ("held", "unknown", "suspicious", "illegal")
MISSING = ("suspicious", "illegal")
"""Verdicts on a state that nothing led to."""


@dataclass(frozen=True)
class Judged:
    """A run as its log shows it, with the verdict on each of its lines by the audit and by the search; `whole` is the
    search's verdict on all of them at once."""

    seed: int
    run: Run
    releases: list[int]
    audited: list[str]
    expected: list[str]
    whole: str

    @property
    def torn(self) -> bool:
        """Whether each line fits some release, and no one release fits all (docs/verdicts.md)."""
        return self.whole in MISSING and not any(verdict in MISSING for verdict in self.expected)


def judged_runs(runs: Mapping[int, Run], folder: Path, lossy: bool, release: str) -> Iterator[Judged]:
    """Audit the runs, by their seeds, in one go; and search for completions of each."""
    runs = {seed: run for seed, run in runs.items() if run.lines}
    facts = {seed: written(run, folder / str(seed)) for seed, run in runs.items()}
    options = Options.of(release, each=True, engine="python", lossy=lossy)
    reports = audit([str(folder / str(seed)) for seed in runs], options)
    for (seed, run), report in zip(runs.items(), reports, strict=True):
        fact = facts[seed]
        places, releases, level = fact.places, fact.releases, fact.level
        if options.releases is not None:
            releases = [r for r in range(LAST + 1) if span(release) >> r & 1]
        run = fact.shown(run, releases)
        audited = ["held"] * len(places)
        for finding in report.findings:
            place = (Path(finding.file).name, finding.line)
            if finding.rule in ("KR101", "KR102", "KR103", "KR104") and place in places:
                i = places.index(place)
                audited[i] = max(audited[i], finding.verdict, key=RANK.index)
        gapped = lossy or contradicts_itself(run, releases, level)
        expected = verdicts_of_lines(run, releases, level, gapped)
        yield Judged(seed, run, releases, audited, expected, verdict_of_run(run, releases, level, gapped))


def compared(
    seeds: Iterable[int], folder: Path, lossy: bool, release: str = "auto", *, early: bool = False
) -> Counter[str]:
    """Count the verdicts on the runs of these seeds, after each of the audit's equals the search's."""
    tally: Counter[str] = Counter()
    for judged in judged_runs({seed: generated(seed, early=early) for seed in seeds}, folder, lossy, release):
        assert judged.audited == judged.expected, judged
        whole = "unknown" if judged.torn else judged.whole
        assert max(judged.audited, key=RANK.index) == whole, judged
        tally[f"run {whole}"] += 1
        tally["torn"] += judged.torn
        tally["lines"] += len(judged.audited)
        tally.update(f"line {verdict}" for verdict in judged.expected)
        tally["without a from-state"] += sum(line.a is None for line in judged.run.lines)
    return tally


_IN_TWO_FILES = 1294
"""A run that begins in one file and prints a state that its start does not allow in the next."""
_NOT_ASKED = {True: "suspicious", False: "unknown"}
"""Where any line may be missing nobody asks for one; else few findings are unknown."""
RANGES = ("auto", "2.2-2.3", "0.8.1-2.6", ">=2.6", "0.8.1-3.9")


@pytest.mark.parametrize("release", RANGES)
@pytest.mark.parametrize("lossy", [False, True], ids=["contiguous", "lossy"])
def test_verdicts_equal_those_of_a_search(lossy: bool, release: str, tmp_path: Path) -> None:
    tally = compared((*range(120), _IN_TWO_FILES), tmp_path, lossy, release)
    assert all(tally[f"run {verdict}"] for verdict in RANK if verdict != _NOT_ASKED[lossy])


@pytest.mark.parametrize("release", ["auto", "0.8.0", "0.8.1", "0.8.0-0.11"])
@pytest.mark.parametrize("lossy", [False, True], ids=["contiguous", "lossy"])
def test_what_0_8_0_prints_untruly_is_no_evidence_there_and_nowhere_else(
    lossy: bool, release: str, tmp_path: Path
) -> None:
    tally = compared(range(150), tmp_path, lossy, release, early=True)
    assert all(tally[f"line {verdict}"] for verdict in RANK if verdict != _NOT_ASKED[lossy])
    assert tally["without a from-state"]


_TORN = 4272


@pytest.mark.parametrize("lossy", [False, True], ids=["contiguous", "lossy"])
def test_of_lines_that_no_release_writes_together_none_is_illegal_that_fits_one(lossy: bool, tmp_path: Path) -> None:
    """As of two clusters in one folder: each line is judged alone then, for all releases."""
    runs = {seed: generated(seed, mixed=True) for seed in (*range(150), _TORN)}
    found = list(judged_runs(runs, tmp_path, lossy, "auto"))
    for judged in found:
        for audited, expected in zip(judged.audited, judged.expected, strict=True):
            assert audited != "illegal" or expected == "illegal", judged
    assert sum(len(judged.releases) > 30 for judged in found) > 30
    assert sum("illegal" in judged.audited for judged in found) > 10
    assert any(judged.torn for judged in found)


@pytest.mark.slow
@pytest.mark.parametrize("lossy", [False, True], ids=["contiguous", "lossy"])
def test_verdicts_of_ten_thousand_runs(lossy: bool, tmp_path: Path) -> None:
    tally: Counter[str] = Counter()
    for i, release in enumerate(RANGES):
        for batch in range(4):
            folder = tmp_path / f"{i}-{batch}"
            folder.mkdir()
            start = 10_000 * i + 1_000 * batch + 1_000
            tally += compared(range(start, start + 800), folder, lossy, release)
    assert sum(tally[f"run {verdict}"] for verdict in RANK) >= 10_000
    print(dict(tally))
