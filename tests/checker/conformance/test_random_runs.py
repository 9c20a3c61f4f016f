"""Random runs of the model: an audit of their logs finds nothing illegal but what their releases do wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from isrproof.checker.conformance import simulate
from isrproof.model.cluster.cluster import CLUSTER

from tests.engines import columns
from tests.random_runs import OF_AN_INSTANCE, STEPS, UNCLEAN_PARTS, instance_of, simulated

BROKERS_SAY = (
    "Received LeaderAndIsr request",
    "starting the become-leader transition",
    "starting the become-follower transition",
    "is not higher than the current leader epoch",
    "matches the current leader epoch",
    "since its controller epoch",
    "new leader -1 is unavailable",
    "since it is already the leader",
    "is the same as the old leader",
    "smaller than the current broker epoch",
    "Shrinking ISR",
    "Expanding ISR",
    "ISR updated to",
    "Partition state has been reset",
    "Finished LeaderAndIsr request",
    "Stopping serving replicas in dir",
    "in an offline log directory",
)
SELDOM = {"since its controller epoch", "Partition state has been reset", "is the same as the old leader"}
TOGETHER = 50
"""So many runs are audited at once."""


def _illegal(seeds: Sequence[int], folder: Path, more: Sequence[str] = ()) -> list[tuple[int, str]]:
    """Return the illegal findings in random runs, except for known bugs of their releases; all lines are understood."""
    found = []
    for at in range(0, len(seeds), TOGETHER):
        made = list(simulated(seeds[at : at + TOGETHER], folder, more))
        for (seed, release, _), report in zip(made, columns([each for *_, each in made]), strict=True):
            known = {"KR401"} if "KAFKA-3143" in CLUSTER.release(release).behaviours else set()
            rules = {each["rule"] for each in report["findings"] if each["severity"] == "error"}
            found += [(seed, rule) for rule in sorted(rules - known)]
            assert report["coverage"]["unknown"] == 0
    return found


@pytest.mark.full
@pytest.mark.parametrize("runs", [250, pytest.param(1_000, marks=pytest.mark.slow)])
def test_nothing_is_illegal_in_a_thousand_random_runs_but_what_their_releases_do_wrong(
    runs: int, tmp_path: Path
) -> None:
    """All parts and releases, at TRACE and INFO; brokers write there what the model lets them write."""
    assert _illegal(range(runs), tmp_path) == []
    assert {*BROKERS_SAY} - _said(tmp_path) <= SELDOM


@pytest.mark.full
@pytest.mark.parametrize("runs", [OF_AN_INSTANCE, pytest.param(500, marks=pytest.mark.slow)])
def test_nothing_is_illegal_where_unclean_elections_come_while_it_runs(runs: int, tmp_path: Path) -> None:
    assert _illegal(range(runs), tmp_path, UNCLEAN_PARTS) == []


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1_000, 11_000, 500))
def test_nothing_is_illegal_in_ten_thousand_random_runs(start: int, tmp_path: Path) -> None:
    assert _illegal(range(start, start + 500), tmp_path) == []
    assert {*BROKERS_SAY} - _said(tmp_path) <= SELDOM


@pytest.mark.full(every=3)
@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_runs_of_many_seeds_are_those_of_each(number: int) -> None:
    _, instance = instance_of(number)
    seeds = range(4)
    each = [simulate.random_run(instance, seed, STEPS) for seed in seeds]
    assert list(simulate.random_runs(instance, seeds, STEPS)) == each


def _said(folder: Path) -> set[str]:
    """Every line that brokers can write is in some log."""
    text = "".join(each.read_text("utf-8") for each in folder.rglob("*.log"))
    return {said for said in BROKERS_SAY if said in text}
