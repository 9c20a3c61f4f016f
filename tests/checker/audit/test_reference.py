"""The audit's verdicts on moves equal those of a brute-force search over every completion of the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.specs.machines import machine as table_of
from isrproof.specs.releases import span
from isrproof.traces.events.event import Event
from isrproof.traces.events.parse import parse_line

from tests.brute_force import (
    LAST,
    LEVELS,
    MISSING,
    NAMES,
    RANK,
    Run,
    contradicts_itself,
    events,
    generated,
    text_of,
    verdict_of_run,
    verdicts_of_lines,
)


@dataclass(frozen=True)
class Facts:
    """Facts about a run as it is written.

    Args:
        places: where each of its lines is.
        parsed: each of them, as it is read.
        releases: those that print its wordings.
        level: that it shows.
        hours: the numbers of the lines before which an hour is missing.
        first, last: the numbers of the first and the last line of that level; those before the run's are below 0.
    """

    places: list[tuple[str, int]]
    parsed: list[Event]
    releases: list[int]
    level: str
    hours: set[int]
    first: int
    last: int

    def shown(self, run: Run, releases: Iterable[int]) -> Run:
        """The run as its log shows it, if these releases may have run."""
        mask = sum(1 << release for release in releases)
        lines = []
        before: dict[int, int] = {}
        for i, (line, event) in enumerate(zip(run.lines, self.parsed, strict=True)):
            evident = not (event.from_state_untrue or 0) & mask
            unshown = not self.first <= i <= self.last or before.get(line.machine, i) < self.first
            a = event.from_state if evident else None
            lines.append(replace(line, a=a, lost=i in self.hours, unshown=unshown))
            before[line.machine] = i
        return replace(run, lines=tuple(lines))


def written(run: Run, folder: Path) -> Facts:
    """Write the run."""
    folder.mkdir()
    places: list[tuple[str, int]] = []
    read: list[Event] = []
    texts: dict[int, list[str]] = {0: []}
    before = run.seen + run.chatter
    mask, levels, hours = -1, [], set()
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
        levels.append(parsed.level)
        if parsed.controller_epoch == 2:
            mask &= parsed.releases
    for hour, lines in texts.items():
        (folder / f"state-change.log.2020-09-13-{hour + 10:02d}").write_text("".join(f"{line}\n" for line in lines))
    level = min((each for each in levels if each), key=LEVELS.index, default="ERROR")
    own = [i - before for i, each in enumerate(levels) if each == level] or [-before, len(levels)]
    # Lines that no release writes together tell of none: any that has a controller may run.
    mask = mask or table_of("replica").releases
    return Facts(places, read, [r for r in range(len(NAMES)) if mask >> r & 1], level, hours, own[0], own[-1])


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
        """Return True if each line fits some release, but no single release fits all (docs/verdicts.md)."""
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
"""If any line may be missing no rule requires one; otherwise few findings are unknown."""
RANGES = ("auto", "2.2-2.3", "0.8.1-2.6", ">=2.6", "0.8.1-3.9")


@pytest.mark.full(every=10)
@pytest.mark.slow(every=3)
@pytest.mark.parametrize("release", RANGES)
@pytest.mark.parametrize("lossy", [False, True], ids=["contiguous", "lossy"])
def test_verdicts_equal_those_of_a_search(lossy: bool, release: str, tmp_path: Path) -> None:
    tally = compared((*range(120), _IN_TWO_FILES), tmp_path, lossy, release)
    assert all(tally[f"run {verdict}"] for verdict in RANK if verdict != _NOT_ASKED[lossy])


@pytest.mark.full
@pytest.mark.slow(every=3)
@pytest.mark.parametrize("release", ["auto", "0.8.0", "0.8.1", "0.8.0-0.11"])
@pytest.mark.parametrize("lossy", [False, True], ids=["contiguous", "lossy"])
def test_what_0_8_0_prints_untruly_is_no_evidence_there_and_nowhere_else(
    lossy: bool, release: str, tmp_path: Path
) -> None:
    tally = compared(range(150), tmp_path, lossy, release, early=True)
    assert all(tally[f"line {verdict}"] for verdict in RANK if verdict != _NOT_ASKED[lossy])
    assert tally["without a from-state"]


_TORN = 4272


@pytest.mark.full
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
