"""Leaders of the quorum that are cut off, and stay leader (KAFKA-15489)."""

from __future__ import annotations

from pathlib import Path

import pytest
from isrproof.traces.cases.bugs import bug_cases

from tests.checker.audit.happened.test_quorum import happened

FILES = dict(bug_cases()["KAFKA-15489"].files)
LEADER, OTHERS = FILES["node-1/server.log"], [FILES[f"node-{node}/server.log"] for node in (2, 3)]
REASON = "it is cut off, and leads epoch 2 for 47 s or more after node 2 leads epoch 3"
LIKE = f"{REASON} (looks like KAFKA-15489, fixed in 3.7.0)"
FENCES = [line for line in LEADER if "Fencing broker" in line]
STARTS = "[2023-07-01 10:05:30,000] INFO [ControllerServer id=1] Starting controller (kafka.server.ControllerServer)"
STOPS = "[2023-07-01 10:05:10,000] INFO [BrokerServer id=1] shutting down (kafka.server.BrokerServer)"


def bugs(folder: Path, leader: list[str], others: list[list[str]] | None = None, release: str = "3.6.2") -> list[str]:
    files = [leader, *(others or map(list, OTHERS))]
    files = [[line.replace("RELEASE", release) for line in lines] for lines in files]
    return [each.reason or "" for each in happened(folder, *files) if each.what == "known-bug"]


def test_a_leader_prints_something_long_after_another_one_leads(tmp_path: Path) -> None:
    assert bugs(tmp_path / "a", [*LEADER]) == [LIKE]
    never_told = [line for line in LEADER if "10:09:09" not in line]
    assert bugs(tmp_path / "b", never_told) == [LIKE]


@pytest.mark.parametrize("release", ["3.7.0", "4.2.0"])
def test_a_leader_resigns_where_the_bug_is_not(release: str, tmp_path: Path) -> None:
    assert not bugs(tmp_path, [*LEADER], release=release)


def test_a_leader_that_prints_nothing_may_have_been_paused_or_have_ended(tmp_path: Path) -> None:
    assert not bugs(tmp_path / "paused", [line for line in LEADER if line not in FENCES])
    assert not bugs(tmp_path / "soon", [line for line in LEADER if line != FENCES[-1]])
    for name, own in (("started", STARTS), ("stopped", STOPS)):
        assert not bugs(tmp_path / name, sorted([*LEADER, own]))


def test_clocks_that_are_not_alike_show_nothing(tmp_path: Path) -> None:
    other_zone = [[line.replace("2023-07-01 10:", "2023-07-01 09:") for line in lines] for lines in OTHERS]
    assert not bugs(tmp_path, [*LEADER], other_zone)


def test_a_leader_that_knows_the_next_one_at_once_is_not_cut_off(tmp_path: Path) -> None:
    at_once = [line.replace("10:09:09", "10:05:03") for line in LEADER]
    assert not bugs(tmp_path, sorted(at_once))
