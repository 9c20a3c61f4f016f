"""A brute-force search over every completion of the log of a run: what the audit's verdicts on moves are held against.

It shares nothing with checker/audit: its tables are written a second time below, from the facts dossier of
the controller, and it searches. A *run* is a few printed lines of two replicas of a partition and of the partition
itself. A completion adds the steps that the log need not show; a release explains a run if some completion of it is a
path of that release's machines.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import takewhile

from isrproof.specs.errors import IsrproofError
from isrproof.specs.releases import RELEASES
from isrproof.traces.events.event import Event
from isrproof.traces.events.render import render

REPLICA, OTHER_REPLICA, PARTITION = 0, 1, 2
"""The three machines of a run."""
RANK = ("held", "unknown", "suspicious", "illegal")
"""Verdicts, the worst last."""
MISSING = ("suspicious", "illegal")
"""Verdicts on a state that nothing led to."""
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
    """Return True if a log of `level` with no line missing may lack the line of this move."""
    if machine != PARTITION and release <= _10 and (a, b) in _SILENT_UP_TO_1_0:
        return True
    return LEVELS.index(level_of(machine, b, release)) < LEVELS.index(level)


def seeds(machine: int, release: int) -> set[str]:
    """States that a controller's start-up may give; an entity that comes later does not exist."""
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
    unshown: bool = False
    """The level may have been higher for a time since the machine's line before: any line may be missing there."""

    @property
    def after(self) -> str | None:
        """The state after it, None if the line does not show it."""
        return self.a if self.refused else self.b


@dataclass(frozen=True)
class Run:
    """The content of a log: lines of a tenure under epoch 2; `seen`: its beginning is there.

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
    """Return the largest number of one machine's lines that some completion explains; `level` None if any line may be
    missing. Before each line, so many that the log must show may be missing; the lines of a deletion are one.

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
        hidden = None if line.lost or line.unshown else level
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
    """Return True if the line creates the partition of this replica, which then has no state yet."""
    return machine != PARTITION and (line.machine, line.b, line.refused) == (PARTITION, "NewPartition", False)


def created(run: Run, machine: int) -> bool:
    """Return True if the partition of this replica is created before the replica's first line."""
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
    """Return the explained lines of all lines by one release. The machines are independent except for where they start:
    their completions interleave freely."""
    parts = [own(run, machine) for machine in range(3)]
    tight = [tuple(replace(line, lost=False, unshown=False) for line in part) for part in parts]

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
            one = (replace(line, lost=False, unshown=False, refused=line.refused or of_states),)
            whole = [explained(one, start, r, level) == 1 for r, start in zip(releases, before, strict=True)]
            loose = [explained(one, start, r, None) == 1 for r, start in zip(releases, before, strict=True)]
            one_more = [explained(one, start, r, level, 1) == 1 for r, start in zip(releases, before, strict=True)]
            verdicts.append(verdict(whole, loose, lossy or line.lost or line.unshown, one_more))
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
    """Return True if several lines are illegal if none is missing, but not if any may be: then lines are missing."""
    whole, loose = (verdicts_of_lines(run, releases, level, lossy, of_states=True) for lossy in (False, True))
    return sum(one in MISSING and other not in MISSING for one, other in zip(whole, loose, strict=True)) > 1


def text_of(event: Event, release: str) -> str:
    """As the release prints it; 0.8.1 writes what 0.8.0 has no words for."""
    try:
        return render(event, release)
    except IsrproofError:
        return render(event, NAMES[_081])
