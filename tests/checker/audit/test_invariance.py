"""Changes that must not change a verdict: clocks, rotation, compression, line ends, the order of PATHs, other
clusters."""

from __future__ import annotations

import gzip
import itertools
import random
import re
import shutil
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import Report

from lab.faults.brokers import with_faults as with_broker_faults
from tests.doubled import doubled
from tests.evaluated import COMPARING, evaluated
from tests.histories import START, History, history, save, texts, with_faults
from tests.recordings import RECORDED, audited, each

RELEASES = ("0.8.1", "0.11.0", "1.0.0", "1.1.1", "2.0.0", "2.3", "2.5", "2.8.1", "3.9")
TIME = re.compile(r"(?m)^\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),(\d{3})\]")

REPLACED_TOO = ("deposed-2.3.1", "zombie-2.0.0")

Place = tuple[str, int]
Finding = tuple[Place, str, str, str, str, str]
PYTHON = Options(engine="python")


def said(report: Report, root: Path, origin: Mapping[Place, Place] | None = None) -> list[Finding]:
    """Return the findings without what may differ: times, numbers of lives, names of files (given by `origin`)."""
    found = []
    for f in report.findings:
        place = (str(Path(f.file).relative_to(root)), f.line)
        entity = f"{f.entity} {f.controller_epoch} {f.assumption} {f.known_issue}"
        found.append(((origin or {}).get(place, place), f.rule, f.verdict, f.message, f.expected + f.got, entity))
    return sorted(found)


def counts(report: Report) -> dict[str, tuple[int, ...]]:
    return {code: (t.evaluated, t.held, t.failed, t.undecided) for code, t in report.rules.items()}


def facts(root: Path, *paths: Path, origin: Mapping[Place, Place] | None = None) -> tuple[object, ...]:
    (report,) = audit([str(path) for path in paths or (root,)], PYTHON)
    return said(report, root, origin), counts(report), report.verdict


def facts_of(name: str) -> tuple[object, ...]:
    """The facts of a recording, of which one audit serves all tests."""
    report = audited(name)
    return said(report, RECORDED / name), counts(report), report.verdict


def broken(seed: int, release: str, wipes: int = 0) -> History:
    """A history with a few faults, so that there is something to find."""
    made = history(seed, release, wipes=wipes)
    dice = random.Random(seed)
    made.written = with_faults(made.written, dice, dice.randint(0, 4))
    return made


histories = st.builds(broken, st.integers(0, 10_000), st.sampled_from(RELEASES), st.integers(0, 1))
few = settings(max_examples=15)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("histories")


def fresh(root: Path) -> Path:
    path = root / str(sum(1 for _ in root.iterdir()))
    path.mkdir()
    return path


# ---- Clocks


@pytest.mark.full
@few
@given(made=histories, broker=st.integers(1, 4), minutes=st.integers(-10, 10))
def test_any_clock_may_be_wrong(root: Path, made: History, broker: int, minutes: int) -> None:
    here, there = fresh(root), fresh(root)
    save(here, texts(made.written, made.release))
    save(there, texts(made.written, made.release, clocks={broker: minutes * 60_000}))
    assert facts(here) == facts(there)


def shifted(text: str, minutes: int) -> str:
    def moved(match: re.Match[str]) -> str:
        moment = datetime.fromisoformat(match[1]) + timedelta(minutes=minutes)
        return f"[{moment:%Y-%m-%d %H:%M:%S},{match[2]}]"

    return TIME.sub(moved, text)


def text_of(path: Path) -> str:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return data.decode("utf-8", "replace")


@pytest.mark.parametrize("name", each(0, of=3))
@pytest.mark.parametrize("minutes", [10, pytest.param(-10, marks=pytest.mark.slow)])
def test_any_clock_of_a_recording_may_be_wrong(name: str, minutes: int, tmp_path: Path) -> None:
    recording = RECORDED / name
    expected = facts_of(name)
    brokers = sorted(folder.name for folder in recording.iterdir() if folder.is_dir())
    wrong = brokers[(minutes > 0) :: 2]
    for path in recording.rglob("*.log*"):
        copy = tmp_path / path.relative_to(recording)
        copy.parent.mkdir(exist_ok=True)
        text = text_of(path)
        data = (shifted(text, minutes) if path.parent.name in wrong else text).encode()
        copy.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    assert facts(tmp_path) == expected


# ---- Files


def rotated(
    name: str, lines: list[str], cuts: list[int], folder: Path, hourly: bool, zipped: bool, end: str
) -> dict[Place, Place]:
    """Write lines as several files of one stream; where each line comes from."""
    edges = sorted({0, len(lines), *(cut % (len(lines) + 1) for cut in cuts)})
    parts = [lines[a:b] for a, b in itertools.pairwise(edges)]
    origin: dict[Place, Place] = {}
    at = 0
    for i, part in enumerate(parts):
        left = len(parts) - 1 - i
        suffix = (f".{datetime(2020, 1, 1) + timedelta(hours=i):%Y-%m-%d-%H}" if hourly else f".{left}") if left else ""
        path = folder / f"{name}{suffix}{'.gz' if zipped else ''}"
        path.parent.mkdir(parents=True, exist_ok=True)
        data = "".join(line + end for line in part).encode()
        path.write_bytes(gzip.compress(data) if zipped else data)
        for number in range(1, len(part) + 1):
            origin[str(path.relative_to(folder)), number] = (name, at + number)
        at += len(part)
    return origin


def distinct_times(made: History) -> History:
    """Rotated files are ordered by their first times: a file never begins in the millisecond of another."""
    from dataclasses import replace

    made.written = [replace(line, ts=START + 40 * i) for i, line in enumerate(made.written)]
    return made


@pytest.mark.full
@few
@given(
    made=histories.map(distinct_times),
    cuts=st.lists(st.integers(0, 10_000), max_size=4),
    hourly=st.booleans(),
    zipped=st.booleans(),
    end=st.sampled_from(["\n", "\r\n"]),
    order=st.randoms(use_true_random=False),
)
def test_files_may_be_split_and_named_in_any_order(
    root: Path, made: History, cuts: list[int], hourly: bool, zipped: bool, end: str, order: random.Random
) -> None:
    lines = texts(made.written, made.release)
    here, there = save(fresh(root), lines), fresh(root)
    origin: dict[Place, Place] = {}
    for broker, own in lines.items():
        # A throwable's line stays with the line that it belongs to.
        safe = [cut for cut in cuts if own[cut % len(own)].startswith("[")]
        origin |= rotated(f"broker-{broker}/state-change.log", own, safe, there, hourly, zipped, end)
    paths = sorted(path for path in there.rglob("*") if path.is_file())
    order.shuffle(paths)
    assert facts(there, *paths, origin=origin) == facts(here)


@pytest.mark.parametrize("name", each(1, of=3))
def test_recordings_may_be_split(name: str, tmp_path: Path) -> None:
    recording, dice = RECORDED / name, random.Random(name)
    origin: dict[Place, Place] = {}
    expected = facts_of(name)
    for path in sorted(recording.rglob("*.log*")):
        lines = text_of(path).splitlines()
        cuts = [dice.randrange(len(lines)) for _ in range(3)] if lines else []
        safe = [c for c in cuts if TIME.match(lines[c]) and lines[c][:25] != lines[c - 1][:25]]
        place = str(path.relative_to(recording)).removesuffix(".gz")
        for here, (_, line) in rotated(place, lines, safe, tmp_path, False, True, "\r\n").items():
            origin[here] = (str(path.relative_to(recording)), line)
    assert facts(tmp_path, origin=origin) == expected


@pytest.mark.full
@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "name", ["deposed-2.0.0", "zombie-2.8.2", *(pytest.param(name, marks=pytest.mark.slow) for name in REPLACED_TOO)]
)
def test_a_log_may_be_rotated_while_its_broker_is_replaced(name: str, every: int, tmp_path: Path) -> None:
    """A broker that goes on as controller hears of the next one in one file, and speaks in another."""
    expected = facts_of(name)
    shutil.copytree(RECORDED / name, tmp_path, dirs_exist_ok=True)
    split = 0
    for path in sorted(tmp_path.rglob("state-change.log*")):
        lines, place = text_of(path).splitlines(), str(path.relative_to(tmp_path))
        safe = [c for c in range(1, len(lines)) if TIME.match(lines[c]) and lines[c][:25] != lines[c - 1][:25]]
        path.unlink()
        for cut in safe[::every]:
            written = rotated(place.removesuffix(".gz"), lines, [cut], tmp_path, False, False, "\n")
            origin = {here: (place, line) for here, (_, line) in written.items()}
            assert facts(tmp_path, origin=origin) == expected, f"{place}:{cut}"
            split += 1
        path.write_bytes((RECORDED / name / place).read_bytes())
        for here in {file for file, _ in written} - {place}:
            (tmp_path / here).unlink()
    assert split * every > 100


@pytest.mark.full(every=4)
@pytest.mark.parametrize("year", ["1026", "1926", "2426", "2926"])
def test_any_year_will_do(year: str, tmp_path: Path) -> None:
    recording = RECORDED / "unclean-3.9.1"
    origin: dict[Place, Place] = {}
    for path in sorted(recording.rglob("*.log*")):
        place = str(path.relative_to(recording))
        here = tmp_path / place.removesuffix(".gz")
        here.parent.mkdir(parents=True, exist_ok=True)
        here.write_text(re.sub(r"(?m)^\[2026-", f"[{year}-", text_of(path)), encoding="utf-8")
        lines = len(text_of(path).splitlines())
        origin |= {(place.removesuffix(".gz"), n): (place, n) for n in range(1, lines + 1)}
    assert facts(tmp_path, origin=origin) == facts_of(recording.name)


@pytest.mark.parametrize("name", each(2, of=3))
def test_what_is_printed_twice_happened_once(name: str, tmp_path: Path) -> None:
    origin = doubled(RECORDED / name, tmp_path)
    once, (twice,) = audited(name), audit([str(tmp_path)], PYTHON)
    assert set(said(twice, tmp_path, origin)) == set(said(once, RECORDED / name))
    assert twice.verdict == once.verdict
    assert not [note for note in once.notes if "twice" in note]
    assert [note for note in twice.notes if "twice, to the millisecond; read once" in note]
    # Requests are looked at one by one where they have no version.
    moves = ("KR101", "KR102", "KR103", "KR104", "KR105", "KR205")
    assert {code: counts(twice)[code] for code in moves} == {code: counts(once)[code] for code in moves}


@pytest.mark.full(every=3)
@pytest.mark.parametrize("name", ["failover-on-leader-2.3.1-kill", "lifecycle-2.0.0", "reassign-2.3.1"])
@pytest.mark.parametrize("spoilt", ["binary", "cut"])
def test_a_part_that_cannot_be_read_is_a_gap(name: str, spoilt: str, tmp_path: Path) -> None:
    """Not read at all, or not to its end: what comes after it is not judged by what came before."""
    for path in sorted((RECORDED / name).rglob("*.log*")):
        lines = text_of(path).splitlines(keepends=True)
        oldest, middle, newest = (
            "".join(lines[len(lines) * part // 3 : len(lines) * (part + 1) // 3]).encode() for part in range(3)
        )
        base = tmp_path / path.relative_to(RECORDED / name).with_suffix("" if path.suffix == ".gz" else path.suffix)
        base.parent.mkdir(exist_ok=True)
        base.with_name(f"{base.name}.2").write_bytes(oldest)
        base.write_bytes(newest)
        if spoilt == "binary":
            base.with_name(f"{base.name}.1").write_bytes(b"\0" + middle)
        else:
            whole = gzip.compress(middle)
            base.with_name(f"{base.name}.1.gz").write_bytes(whole[: len(whole) // 2])
    (report,) = audit([str(tmp_path)], PYTHON)
    assert report.verdict == "incomplete"
    assert not [finding for finding in report.findings if finding.verdict == "illegal"]
    assert evaluated(report) >= COMPARING


# ---- What brokers tell


FAULTY = ("isr-flap-2.4.1", "unclean-2.8.2-trace", "traffic-3.9.1")
"""Recordings in which a fault of each kind is planted that brokers' lines can have: then there is much to find."""


@pytest.fixture(scope="module", params=FAULTY)
def faulty(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, object]:
    """The folder, and the facts."""
    folder = tmp_path_factory.mktemp(request.param)
    for path, text in with_broker_faults(RECORDED / request.param, 7).items():
        copy = folder / path.relative_to(RECORDED / request.param)
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(text, encoding="utf-8")
    (report,) = audit([str(folder)], PYTHON)
    assert len({finding.rule for finding in report.findings if finding.rule.startswith("KR6")}) >= 10
    return folder, (said(report, folder), counts(report), report.verdict)


@pytest.mark.full
@pytest.mark.slow(every=3)
@pytest.mark.parametrize("minutes", [-10, 10])
def test_findings_on_brokers_do_not_depend_on_clocks(faulty: tuple[Path, object], minutes: int, tmp_path: Path) -> None:
    folder, expected = faulty
    for path in folder.rglob("*.log"):
        copy = tmp_path / path.relative_to(folder)
        copy.parent.mkdir(exist_ok=True)
        text = path.read_text(encoding="utf-8")
        copy.write_text(shifted(text, minutes) if path.parent.name[-1] in "13" else text, encoding="utf-8")
    assert facts(tmp_path) == expected


@pytest.mark.full
@pytest.mark.slow(every=3)
@pytest.mark.parametrize("seed", range(2))
def test_findings_on_brokers_do_not_depend_on_files(faulty: tuple[Path, object], seed: int, tmp_path: Path) -> None:
    (folder, expected), dice, origin = faulty, random.Random(seed), dict[Place, Place]()
    for path in sorted(folder.rglob("*.log")):
        lines, place = path.read_text(encoding="utf-8").splitlines(), str(path.relative_to(folder))
        cuts = [dice.randrange(1, len(lines)) for _ in range(4)] if len(lines) > 1 else []
        safe = [cut for cut in cuts if TIME.match(lines[cut]) and lines[cut][:25] != lines[cut - 1][:25]]
        origin |= rotated(place, lines, safe, tmp_path, False, seed == 0, "\n")
    assert facts(tmp_path, origin=origin) == expected


# ---- Clusters


@pytest.mark.full
def test_each_equals_separate_runs(tmp_path: Path) -> None:
    """Also where two clusters have the same controllers and epochs."""
    folders = []
    for seed in range(12):
        made = broken(seed % 6, RELEASES[seed % len(RELEASES)], wipes=seed % 2)
        folders.append(save(tmp_path / f"cluster-{seed}", texts(made.written, made.release)))
    together = audit([str(folder) for folder in folders], Options(each=True, engine="python"))
    for folder, report in zip(folders, together, strict=True):
        (alone,) = audit([str(folder)], PYTHON)
        assert said(report, folder) == said(alone, folder)
        assert (counts(report), report.coverage, report.verdict) == (counts(alone), alone.coverage, alone.verdict)
        assert [life.epochs for life in report.lives] == [life.epochs for life in alone.lives]
    assert any(report.findings for report in together)


# ---- What is legal


@pytest.mark.full(every=10)
@pytest.mark.slow(every=2)
@pytest.mark.parametrize("release", ["0.8.0", *RELEASES])
def test_legal_histories_have_nothing_illegal(release: str, tmp_path: Path) -> None:
    """But for KAFKA-3143 up to 2.2, and whether or not the clusters were wiped in between."""
    folders = []
    for seed in range(5):
        made = history(seed, release, wipes=seed % 3)
        folders.append(str(save(tmp_path / str(seed), texts(made.written, release))))
    known = set() if made.has(">=2.3") else {"KR401"}
    for report in audit(folders, Options(each=True, engine="python")):
        illegal = [finding for finding in report.findings if finding.verdict == "illegal"]
        assert {finding.rule for finding in illegal} <= known, illegal[0]
        printed = ["KR102"] if release == "0.8.0" else ["KR101", "KR102", "KR201"]
        assert all(report.rules[code].evaluated for code in printed)


@pytest.mark.full
@pytest.mark.parametrize("release", ["0.8.0", "0.8.1"])
def test_legal_histories_in_wordings_of_two_releases_have_nothing_illegal(release: str, tmp_path: Path) -> None:
    """As builds between the two printed them: no release explains all lines, any may run. But for KAFKA-3143."""
    for seed in range(8):
        made = history(seed, release)
        lines = texts(made.written, "0.8.0", "0.8.1", "0.8.1")
        (report,) = audit([str(save(tmp_path / str(seed), lines))], PYTHON)
        assert "contradictory" in {stretch.releases for stretch in report.releases}
        assert {finding.rule for finding in report.findings if finding.verdict == "illegal"} <= {"KR401"}
        assert all(report.rules[code].evaluated for code in ("KR101", "KR102", "KR104"))
