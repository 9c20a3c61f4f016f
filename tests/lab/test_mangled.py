"""However a recording is mangled, an audit says of it nothing illegal that it does not say of the recording itself."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from isrproof.checker.audit.report.model import Report

from lab.mangled import rounds
from lab.mangled.harness import Case, Outcome, in_process, outcomes, shown, single, table, written_to
from lab.mangled.parts import RECORDED, read, recorded
from lab.mangled.rounds import collected, of_round
from lab.mangled.shipped import at_another_time
from lab.mangled.ways import mangled

RECORDINGS = sorted(recorded())
SMALL = ("failover-on-leader-2.0.0-kill", "failover-elsewhere-2.3.1-term", "lifecycle-2.8.2")
GAINED_ONCE = (
    Case("chaos-2.3.1-1", (("searched", 3),), 2),
    Case("chaos-3.5.2-3", (("physical lines missing", 0.1),), 7),
    Case("failover-on-leader-2.3.1-kill", (("hour missing", 0.3),), 2),
    Case("failover-on-leader-2.3.1-kill", (("hour missing", 0.3),), 3),
    Case("chaos-2.3.1-1", (("another cluster beside", 4),), 2),
    Case("stale-broker-2.8.2", (("another cluster beside", 4),), 210),
    Case("lifecycle-0.11.0.3", (("stretch missing", 0.05),), 5),
    Case("lifecycle-2.2.2", (("tail missing", 0.9),), 2002),
    Case("lifecycle-2.8.2-trace", (("lines missing", 0.01),), 3002),
    Case("lifecycle-3.9.1", (("hour missing", 0.3),), 2),
    Case("reassign-2.3.1", (("stretch missing", 0.05),), 7),
    Case("log-dir-failure-0.11.0.3", (("zones", 3),), 3),
    Case("stale-broker-2.4.1", (("zones", 3),), 2),
    Case("traffic-2.4.1", (("stretch missing", 0.05),), 1000),
    Case("traffic-3.9.1", (("hour missing", 0.05),), 1002),
    Case("chaos-1.1.1-2", (("level changed", 4),), 5),
    Case("failover-on-leader-2.2.2-kill", (("lines missing", 0.1),), 409),
    Case("isr-flap-2.0.0", (("redacted", 1),), 1),
    Case("failover-on-leader-2.3.1-term", (("level changed", 5),), 7),
    Case("kraft-unclean-3.3.2", (("milliseconds cut off", 1), ("traces dropped", 1), ("hour again, sorted", 2)), 404),
    Case("zombie-2.8.2", (("another cluster inside", 2),), 1601),
    Case("unclean-2.0.0", (("another cluster inside", 2),), 5021),
    Case("reassign-2.8.2", (("redacted", 1),), 1),
    Case("unclean-0.11.0.3", (("sampled", 10),), 5012),
    Case("log-dir-failure-3.9.1", (("one zone later", 2),), 5012),
    Case("stale-broker-2.4.1", (("one zone later", 2),), 5100),
    Case(
        "kraft-unclean-3.3.2", (("hour again, sorted", 2), ("sorted as text", 2), ("one rotated file missing", 2)), 5003
    ),
    Case("kraft-chaos-3.5.2", (("times corrupted", 1),), 22002),
    Case("kraft-chaos-4.2.0", (("hour again, sorted", 1),), 31002),
    Case("failover-on-leader-2.3.1-kill", (("stretch missing", 0.3),), 51003),
    Case("kraft-segments-4.1.0", (("another KRaft cluster inside", 2),), 9002),
    Case("kraft-segments-4.1.0", (("another KRaft cluster inside", 2),), 9109),
    Case("kraft-segments-4.1.0", (("another KRaft cluster beside", 3),), 9128),
    Case("kraft-migration-3.9.1", (("another KRaft cluster inside", 2), ("lines doubled", 0.1), ("grep -v", 1)), 9137),
    Case("chaos-3.5.2-3", (("hour again, sorted", 2),), 83008),
    Case("unclean-2.4.1", (("copy beside", 2), ("brokers concatenated", 2), ("physical lines missing", 0.1)), 14),
    Case("stale-broker-3.9.1", (("one zone later", 2),), 88005),
    Case("kraft-segments-4.1.0", (("another KRaft cluster inside", 2),), 88006),
)
"""Cases in which several lines are missing: those of a deletion, of a creation, of the start of a controller or of a
broker; a request that failed, and those of the epoch in which a high watermark was reached. The last: a line that is
missing where it was written is below later ones, in a copy. Beside these: files of one broker in several zones, two
clusters in one file, or topics under one name, levels that change, one of a broker's two files from another zone, and
the start of a node among lines that were sorted by the wrong times."""
LOST_UNTOLD_ONCE = (Case("chaos-1.1.1-2", (("two machines", 2),), 41003),)
"""A tenure goes on in another folder, where its lines begin as if those of its start were missing."""
ONCE_IN_ANOTHER_ORDER = (
    pytest.param(Case("log-dir-failure-0.11.0.3", (("rotated files joined", 1),), 5), marks=pytest.mark.full),
    pytest.param(Case("traffic-3.9.1", (("lines spliced", 0.1), ("gz beside", 2)), 9), marks=pytest.mark.full),
)
"""One line lists several partitions, and each has a finding: the engines reported them in another order."""


def sample(seed: int, count: int, recordings: tuple[str, ...] = tuple(RECORDINGS)) -> list[Case]:
    cases = random.Random(seed).sample(single(recordings, range(seed, seed + 3)), count)
    return sorted(cases, key=lambda case: case.recording)


def combined(seed: int, count: int) -> list[Case]:
    """Two or three ways, one after the other."""
    dice = random.Random(seed)
    found = [rounds.combined(dice, dice.choice(RECORDINGS), number) for number in range(count)]
    return sorted(found, key=lambda case: case.recording)


def checked(cases: list[Case], audited: Callable[..., list[Report]]) -> list[Outcome]:
    """Return the outcomes of the cases: nothing is illegal that is not so in the recording itself, and losses are
    reported."""
    paths = recorded()
    recordings = {name: read(paths[name]) for name in {case.recording for case in cases}}
    found = list(outcomes(cases, recordings, audited))
    print(shown(table(found)))
    for outcome in found:
        assert not outcome.bad, outcome
    assert len(found) >= 0.9 * len(cases)
    return found


@pytest.mark.full
@pytest.mark.parametrize(("engine", "count"), [pytest.param("python", 15, marks=pytest.mark.slow), ("columns", 15)])
def test_nothing_illegal_is_gained(engine: str, count: int) -> None:
    if engine == "columns":
        pytest.importorskip("numpy", reason="columns in memory need NumPy")
    checked(sample(1, count), in_process(engine))


def test_nothing_illegal_is_gained_of_small_recordings() -> None:
    checked(sample(1, 5, SMALL), in_process("python"))


@pytest.mark.full
def test_nothing_illegal_is_gained_where_it_once_was() -> None:
    pytest.importorskip("numpy", reason="columns in memory need NumPy")
    assert len(checked(list(GAINED_ONCE), in_process("columns"))) == len(GAINED_ONCE)


@pytest.mark.full
def test_what_is_lost_is_told_where_it_once_was_not() -> None:
    assert [outcome.told for outcome in checked(list(LOST_UNTOLD_ONCE), in_process("python")) if outcome.lost] == [True]


@pytest.mark.parametrize("case", ONCE_IN_ANOTHER_ORDER)
def test_engines_tell_of_the_partitions_of_one_line_in_one_order(case: Case) -> None:
    pytest.importorskip("numpy", reason="columns in memory need NumPy")
    recordings = {case.recording: read(RECORDED / case.recording)}
    (found,) = outcomes([case], recordings, in_process("python"), in_process("columns"))
    assert found.agreed


@pytest.mark.full
def test_nothing_illegal_is_gained_by_several_ways() -> None:
    pytest.importorskip("numpy", reason="columns in memory need NumPy")
    checked(combined(1, 15), in_process("columns"))


@pytest.mark.full(every=5)
@pytest.mark.parametrize("way", ["file twice in one", "overlap inside", "copy beside", "lines doubled", "gz beside"])
def test_what_is_there_twice_is_read_once(way: str) -> None:
    """No finding is lost of a recording that is known to have some, and the report says that lines are there twice."""
    for outcome in checked(single(("failover-on-leader-2.0.0-kill",), (1, 2), (way,)), in_process("python")):
        assert outcome.told
        assert outcome.kept == 2


def test_two_logs_of_one_broker_in_two_zones_are_not_read_as_one(tmp_path: Path) -> None:
    files = read(RECORDED / "stale-broker-2.4.1")
    mixed = {path: at_another_time(own, 19_800 if "server" in path else 0) for path, own in files.items()}
    together = {path: at_another_time(own, 19_800) for path, own in files.items()}
    for name, each in (("mixed", mixed), ("together", together)):
        written_to(each, tmp_path / name)
    notes, none = (report.notes for report in in_process("python")([f"{tmp_path}/mixed", f"{tmp_path}/together"]))
    assert sum("their clocks differ by 5:30 h" in note for note in notes) == 3
    assert not [note for note in none if "clocks" in note]


@pytest.mark.full
@pytest.mark.spark
def test_engines_say_the_same_of_a_mangled_recording(tmp_path: Path) -> None:
    from tests.engines import columns, reference, spark

    for number, case in enumerate(sample(7, 8, SMALL)):
        written_to(mangled(read(RECORDED / case.recording), case.ways, case.seed), tmp_path / str(number))
    folders = sorted(tmp_path.iterdir())
    expected = reference(folders)
    assert columns(folders) == expected
    assert columns(folders, buckets=3, piece=100, part=5_000) == expected
    assert spark(folders, buckets=2, piece=200) == expected


@pytest.mark.full
@pytest.mark.corpus
@pytest.mark.parametrize(("largest", "count"), [(20_000, 30), pytest.param(400_000, 1_000, marks=pytest.mark.slow)])
def test_nothing_illegal_is_gained_of_other_peoples_logs(corpus: Path, largest: int, count: int) -> None:
    pytest.importorskip("numpy", reason="columns in memory need NumPy")
    paths = collected(corpus, largest)
    cases = random.Random(count).sample(single(tuple(paths), (count,)), count)
    recordings = {name: read(paths[name]) for name in {case.recording for case in cases}}
    none_bad(outcomes(cases, recordings, in_process("python"), in_process("columns")), count)


@pytest.mark.slow
def test_nothing_illegal_is_gained_in_three_thousand_recordings() -> None:
    """The first rounds of `python -m lab.mangled`, which also takes other people's logs, and goes on where it was."""
    pytest.importorskip("numpy", reason="columns in memory need NumPy")
    paths = recorded()
    recordings = {name: read(path) for name, path in paths.items()}
    cases = [case for number in range(1, 36) for case in of_round(number, tuple(paths))]
    assert len(cases) > 3_000
    none_bad(outcomes(cases, recordings, in_process("python"), in_process("columns")), len(cases))


def none_bad(outcomes: Iterable[Outcome], count: int) -> None:
    """Nothing illegal is gained, or lost without a report, and the engines agree."""
    found = list(outcomes)
    print(shown(table(found)))
    assert not [outcome for outcome in found if outcome.bad]
    assert len(found) >= 0.9 * count
