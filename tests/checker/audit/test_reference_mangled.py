"""The verdicts of the brute-force search (tests/brute_force.py) on runs whose lines come mangled.

Lines are there twice; those of one millisecond come in another order; a line is cut. What is there twice is read once.
A line that is a fault in some orders of its milliseconds only is suspicious. Where a line is cut, anything may have
been on it.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from math import factorial, prod
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.specs.machines import machine as table_of
from isrproof.traces.events.event import Event
from isrproof.traces.events.parse import parse_line

from tests.brute_force import (
    LEVELS,
    MISSING,
    NAMES,
    RANK,
    Line,
    Run,
    events,
    generated,
    text_of,
    valid,
    verdicts_of_lines,
)

_MOST = 800
"""Runs with more orders than that are left out."""
BEGIN = 1_600_000_000_000


@dataclass(frozen=True)
class Mangled:
    """A run as it is written: its lines in the order of the file, each with the number of its millisecond.

    Args:
        again: of lines, by their number in the run, how many lines below they come once more.
        cut: the number of the line of which only the beginning is there.
    """

    run: Run
    moments: tuple[int, ...]
    again: dict[int, int]
    cut: int | None


def mangled(seed: int) -> Mangled:
    dice = random.Random(f"mangled {seed}")
    run = generated(seed)
    lines = [replace(line, lost=False) for line in run.lines]
    cut = dice.randrange(len(lines)) if lines and dice.random() < 0.3 else None
    moments = [0] * len(lines)
    for i in range(1, len(lines)):
        moments[i] = moments[i - 1] + (cut is not None or dice.random() < 0.5)
    order = sorted(range(len(lines)), key=lambda i: (moments[i], dice.random()))
    again = {i: dice.randint(0, 6) for i in range(len(lines)) if i != cut and dice.random() < 0.15}
    shown = replace(run, lines=tuple(lines[i] for i in order), cut=99, second=None)
    return Mangled(shown, tuple(moments[i] for i in order), again, cut)


@dataclass(frozen=True)
class Shown:
    """The content of the file: the lines that are read, the place of each, and facts about all of them."""

    run: Run
    moments: tuple[int, ...]
    places: tuple[int, ...]
    releases: list[int]
    level: str
    careless: bool


def written(made: Mangled, folder: Path) -> Shown:
    """Write the run to one file."""
    folder.mkdir()
    dice = random.Random(f"cut {made.run}")
    first = made.run.seen + made.run.chatter
    entries: list[tuple[float, int | None, str, str | None]] = []
    mask, levels = -1, set()
    for number, event in enumerate(events(made.run)):
        i = number - first
        moment = number if i < 0 else first + made.moments[i]
        text = text_of(replace(event, ts=BEGIN + moment), NAMES[made.run.release])
        parsed = parse_line(text)
        assert isinstance(parsed, Event)
        if made.cut is not None and i == made.cut:
            entries.append((number, None, text[: dice.randint(45, 70)], None))
            continue
        levels.add(parsed.level)
        if parsed.controller_epoch == 2:
            mask &= parsed.releases
        entries.append((number, i, text, parsed.level))
        if i in made.again:
            entries.append((number + made.again[i] + 0.5, None, text, parsed.level))
    entries.sort(key=lambda entry: entry[0])
    (folder / "state-change.log").write_text("".join(f"{text}\n" for _, _, text, _ in entries))
    # Lines that no release writes together tell of none.
    mask = mask or table_of("replica").releases
    at = {i: place for place, (_, i, _, _) in enumerate(entries, start=1) if i is not None and i >= 0}
    level = min(levels, key=_level)
    of_level = [place for place, (*_, own) in enumerate(entries, start=1) if own == level]
    within = range(of_level[0], of_level[-1] + 1)
    return _shown(made, at, [r for r in range(len(NAMES)) if mask >> r & 1], level, within)


def _level(level: str | None) -> int:
    return LEVELS.index(level) if level in LEVELS else len(LEVELS)


def _shown(made: Mangled, at: dict[int, int], releases: list[int], level: str | None, within: range) -> Shown:
    """The lines that are read; those that are not `within` the lines of the level, or follow none there, show less."""
    lines: list[Line] = []
    moments: list[int] = []
    places: list[int] = []
    seen: set[tuple[Line, int]] = set()
    lost, twice = False, bool(made.again)
    before: dict[int, int] = {}
    for i, (line, moment) in enumerate(zip(made.run.lines, made.moments, strict=True)):
        if i == made.cut:
            lost = True
        elif (line, moment) in seen:
            twice = True
        else:
            seen.add((line, moment))
            unshown = at[i] not in within or before.get(line.machine, at[i]) < within.start
            before[line.machine] = at[i]
            lines.append(replace(line, lost=lost, unshown=unshown))
            moments.append(moment)
            places.append(at[i])
            lost = False
    run = replace(made.run, lines=tuple(lines))
    return Shown(run, tuple(moments), tuple(places), releases, str(level), twice or made.cut is not None)


# ---- Orders


def orders(moments: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All orders of lines in which those of each millisecond are in any order."""
    groups: dict[int, list[int]] = defaultdict(list)
    for i, moment in enumerate(moments):
        groups[moment].append(i)
    for chosen in product(*(permutations(group) for group in groups.values())):
        yield tuple(i for group in chosen for i in group)


def _count(moments: Sequence[int]) -> int:
    return prod(factorial(n) for n in Counter(moments).values())


def in_any_order(shown: Shown, *, lossy: bool) -> tuple[list[str], set[int]]:
    """The verdict on each line's from-state as it stands, suspicious where some order makes less of it; and which those
    are."""
    standing = _verdicts(shown, shown.run.lines, lossy)
    doubted: set[int] = set()
    for order in orders(shown.moments):
        verdicts = _verdicts(shown, [shown.run.lines[i] for i in order], lossy)
        for i, verdict in zip(order, verdicts, strict=True):
            if standing[i] in MISSING and RANK.index(verdict) < RANK.index(standing[i]):
                doubted.add(i)
    return [("suspicious" if i in doubted else verdict) for i, verdict in enumerate(standing)], doubted


def _verdicts(shown: Shown, lines: Sequence[Line], lossy: bool) -> list[str]:
    run = replace(shown.run, lines=tuple(lines))
    return verdicts_of_lines(run, shown.releases, shown.level, lossy, of_states=True)


def of_move(line: Line, releases: Sequence[int]) -> str:
    """The verdict on a move alone: whether the releases allow it."""
    allowed = [line.refused or valid(line.machine, str(line.a), line.b, release) for release in releases]
    return "held" if all(allowed) else "unknown" if any(allowed) else "illegal"


def expected(shown: Shown) -> list[str]:
    verdicts, doubted = in_any_order(shown, lossy=False)
    loose = _verdicts(shown, shown.run.lines, True)
    contradicted = [
        i for i, verdict in enumerate(verdicts) if verdict in MISSING and loose[i] not in MISSING and i not in doubted
    ]
    if len(contradicted) >= (1 if shown.careless else 2):
        verdicts, _ = in_any_order(shown, lossy=True)
    moves = [of_move(line, shown.releases) for line in shown.run.lines]
    return [max(pair, key=RANK.index) for pair in zip(verdicts, moves, strict=True)]


def compared(seeds: Iterable[int], folder: Path) -> Counter[str]:
    """Audit the runs of these seeds in one go; count the verdicts, after each equals the reference's."""
    made = {seed: mangled(seed) for seed in seeds}
    made = {seed: each for seed, each in made.items() if len(each.run.lines) > 1 and _count(each.moments) <= _MOST}
    shown = {seed: written(each, folder / str(seed)) for seed, each in made.items()}
    reports = audit([str(folder / str(seed)) for seed in made], Options(each=True, engine="python"))
    tally: Counter[str] = Counter()
    for (seed, one), report in zip(shown.items(), reports, strict=True):
        audited = dict.fromkeys(one.places, "held")
        for finding in report.findings:
            if finding.rule in ("KR101", "KR102", "KR103", "KR104") and finding.line in audited:
                assert finding.line is not None
                audited[finding.line] = max(audited[finding.line], finding.verdict, key=RANK.index)
            else:
                assert finding.rule not in ("KR101", "KR102", "KR103", "KR104"), (seed, finding)
        assert list(audited.values()) == expected(one), (seed, made[seed], one)
        tally["runs"] += 1
        tally["cut"] += made[seed].cut is not None
        tally["twice"] += bool(made[seed].again)
        tally["in another order"] += _count(one.moments) > 1
        tally.update(f"line {verdict}" for verdict in audited.values())
    return tally


@pytest.mark.full
def test_verdicts_on_mangled_runs_equal_those_of_a_search(tmp_path: Path) -> None:
    tally = compared(range(400), tmp_path)
    assert tally["runs"] > 200
    assert all(tally[kind] > 50 for kind in ("cut", "twice", "in another order"))
    assert all(tally[f"line {verdict}"] for verdict in RANK)


@pytest.mark.slow
def test_verdicts_on_ten_thousand_mangled_runs_equal_those_of_a_search(tmp_path: Path) -> None:
    tally: Counter[str] = Counter()
    for begin in range(1_000, 21_500, 500):
        folder = tmp_path / str(begin)
        folder.mkdir()
        tally += compared(range(begin, begin + 500), folder)
    assert tally["runs"] >= 10_000
    print(dict(tally))
