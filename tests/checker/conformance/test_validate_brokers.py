"""Logs that some run writes, including the lines of its brokers."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from isrproof.checker.conformance import cluster, read, simulate
from isrproof.checker.conformance.names import numbered
from isrproof.checker.conformance.validate import Told, Validation, validate
from isrproof.model.cluster.cluster import CLUSTER

from tests.validated import RECORDED, command

slow = pytest.mark.slow


@pytest.mark.full
@pytest.mark.parametrize(
    "recording", ["3.9.1", *(pytest.param(each, marks=slow) for each in ("2.8.2", "2.8.2-trace", "3.5.2"))]
)
def test_a_broker_does_partition_by_partition_what_a_request_asks(recording: str) -> None:
    """A follower starts before another one of the same request finds its leader unavailable."""
    release = recording.partition("-")[0]
    code, said = command("cluster", str(RECORDED / f"traffic-{recording}"), "--release", release, "--brokers")
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    assert said["compared"] > 140


@pytest.mark.full
def test_which_line_of_a_millisecond_was_first_is_not_known() -> None:
    """A leader starts in server.log while state-change.log shows that the rest of the request is not new."""
    code, said = command("cluster", str(RECORDED / "traffic-2.4.1"), "--release", "2.4.1", "--brokers")
    assert (code, said["verdict"]) == (3, "unknown")
    assert said["line"]["file"].endswith("broker-1/server.log")
    assert re.search(r"broker-1/state-change\.log:\d+ has the same millisecond", said["reason"])


def _with_brokers(seed: int, release: str, parts: tuple[str, ...], level: str, folder: Path) -> Path:
    room = {"brokers": 3, "partitions": 1, "outages": 4, "failovers": 2, "max_leader_epoch": 40}
    room |= {"most_requests": 5, "isr_changes": 4}
    model = CLUSTER.model(release, adding=parts)
    instance = model.instance(**{each.name: room[each.name] for each in model.settings})
    run = simulate.random_run(instance, seed, 30)
    simulate.write(simulate.log_of(instance, run, CLUSTER.release(release), level, numbered(3, 1)), folder)
    return folder


def _validated_with_brokers(folder: Path, release: str, level: str) -> Validation | None:
    """Return the answer for a log in which the state machines print something."""
    evidence, row = read.read([str(folder)]), CLUSTER.release(release)
    if not evidence.compared:
        return None
    model = CLUSTER.model(release, adding=cluster.parts(evidence, brokers=True))
    may = cluster.possible(evidence)
    return validate(model, row, evidence, level, Told(may), actor=CLUSTER.actor, brokers=True)


def _accepts_what_is_simulated(seed: int, folder: Path) -> bool:
    dice = random.Random(seed)
    release = dice.choice(("1.1", "2.0.0", "2.1", "2.3", "2.6.1", "2.8", "3.3.2", "3.9"))
    parts = ("requests", *(["ISR changes"] if dice.random() < 0.5 else []))
    level = "INFO" if release not in ("1.1", "2.0.0", "2.1", "2.3") and dice.random() < 0.3 else "TRACE"
    found = _validated_with_brokers(_with_brokers(seed, release, parts, level, folder), release, level)
    assert found is None or found.verdict == "accepted", (seed, release, level, found)
    return found is not None and found.compared > 10


@pytest.mark.full
def test_what_brokers_write_is_accepted(tmp_path: Path) -> None:
    """Logs of any release, at TRACE, and at INFO where that is the default: requests, and changes of ISRs."""
    assert sum(_accepts_what_is_simulated(seed, tmp_path / str(seed)) for seed in (0, 4, 8)) > 1


@slow
@pytest.mark.parametrize("start", range(100, 1_100, 50))
def test_what_brokers_write_is_accepted_in_a_thousand_runs(start: int, tmp_path: Path) -> None:
    assert sum(_accepts_what_is_simulated(seed, tmp_path / str(seed)) for seed in range(start, start + 50)) > 10


@pytest.mark.full
def test_a_broker_s_line_that_is_changed_or_missing_is_where_it_is_rejected(tmp_path: Path) -> None:
    folder = _with_brokers(9, "3.9", ("requests",), "TRACE", tmp_path)
    whole = {path: path.read_text("utf-8") for path in folder.rglob("state-change.log")}
    path, text = next(each for each in whole.items() if "starting the become-leader transition" in each[1])
    lines = text.splitlines(keepends=True)
    number = next(at for at, line in enumerate(lines, 1) if "starting the become-leader transition" in line)
    found = _validated_with_brokers(folder, "3.9", "TRACE")
    assert found is not None
    assert found.verdict == "accepted"
    for wrong in ([lines[number - 1].replace("become-leader", "become-follower")], []):
        path.write_text("".join([*lines[: number - 1], *wrong, *lines[number:]]), encoding="utf-8")
        found = _validated_with_brokers(folder, "3.9", "TRACE")
        assert found is not None
        assert found.verdict == "rejected"
        assert found.place is not None
        assert found.place.file == str(path)
        assert found.place.line >= number


@slow
def test_a_recording_is_accepted_with_what_its_brokers_write() -> None:
    """A leader wrote a smaller ISR, which only the next request shows: server.log was not kept."""
    code, said = command("cluster", str(RECORDED / "failover-elsewhere-2.0.0-kill"), "--brokers")
    assert (code, said["verdict"], said["matched"], said["compared"]) == (0, "accepted", 53, 53)


@slow
@pytest.mark.parametrize(
    ("recording", "lines"),
    [
        ("isr-flap-2.0.0", 83),
        ("isr-flap-2.4.1", 95),
        ("isr-flap-2.8.2", 76),
        ("isr-flap-3.9.1", 76),
        ("failover-on-leader-2.3.1-term", 72),
    ],
)
def test_recordings_are_accepted_with_what_their_brokers_write(recording: str, lines: int) -> None:
    """Two of three replicas leave an ISR at once; controller.log is at DEBUG where state-change.log is at INFO."""
    release = recording.removesuffix("-term").rpartition("-")[2]
    code, said = command("cluster", str(RECORDED / recording), "--brokers", "--release", release)
    assert (code, said["verdict"], said["matched"], said["compared"]) == (0, "accepted", lines, lines)


@slow
def test_with_what_brokers_write_it_is_accepted() -> None:
    """An unclean election, which no log shows to be allowed; a controller that prints a broker before the broker
    does."""
    code, said = command("cluster", str(RECORDED / "unclean-2.4.1"), "--brokers")
    assert (code, said["verdict"], said["matched"], said["compared"]) == (0, "accepted", 93, 93)
    assert said["model"].endswith("with unclean elections")
    code, said = command("cluster", str(RECORDED / "unclean-2.4.1"), "--brokers", "--without", "unclean elections")
    assert (code, said["verdict"]) == (1, "rejected")
