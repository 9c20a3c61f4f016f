"""Recorded clusters are accepted by the lines of their controllers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from isrproof.checker.conformance import read

from tests.validated import RECORDED, command

slow = pytest.mark.slow


@slow
@pytest.mark.parametrize("recording", ["unclean-3.5.2", "unclean-3.9.1", "traffic-2.8.2", "stale-broker-2.8.2"])
def test_what_unseen_leaders_did_is_found(recording: str) -> None:
    """Since 3.2 a leader that was elected uncleanly is said to recover, which the model does not follow."""
    code, said = command("cluster", str(RECORDED / recording), "--release", recording.rpartition("-")[2])
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])


@slow
@pytest.mark.parametrize("recording", ["2.0.0-kill", "2.0.0-term", "2.3.1-kill", "2.3.1-term"])
def test_other_failovers_are_accepted_too(recording: str) -> None:
    assert command("cluster", str(RECORDED / f"failover-elsewhere-{recording}"))[1]["verdict"] == "accepted"


@pytest.mark.full
def test_what_leaders_wrote_in_between_is_not_held_against_a_log() -> None:
    """A version that grows more than the leader epoch: a leader wrote it, and the state machines' lines do not show
    it."""
    folder = str(RECORDED / "unclean-2.8.2")
    code, said = command("cluster", folder, "--without", "ISRs of unseen leaders")
    assert (code, said["verdict"], said["guard"]) == (3, "unknown", None)
    assert "try --brokers" in said["reason"]
    code, said = command("cluster", folder)
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    assert "ISRs of unseen leaders" in said["model"]


@pytest.mark.full
def test_a_topic_may_have_three_replicas(tmp_path: Path) -> None:
    folder = RECORDED / "isr-flap-2.8.2"
    code, said = command("cluster", str(folder))
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    wrong = "state LeaderAndIsr(leader=2, leaderEpoch=0, isr=List(2, 3, 1)"
    for path in folder.rglob("*.log"):
        text = path.read_text("utf-8")
        if wrong in text:
            (tmp_path / path.name).write_text(text.replace(wrong, wrong.replace("leader=2", "leader=3")), "utf-8")
    code, said = command("cluster", str(tmp_path / "state-change.log"), "--release", "2.8")
    assert (code, said["verdict"]) == (1, "rejected")


@pytest.mark.parametrize("recording", ["zombie-2.8.2", pytest.param("zombie-2.0.0", marks=slow)])
def test_elections_of_some_leaders_are_accepted(recording: str) -> None:
    code, said = command("cluster", str(RECORDED / recording), "--release", recording.rpartition("-")[2])
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    assert "elections of some leaders" in said["model"]


@pytest.mark.full
@pytest.mark.parametrize("recording", ["reassign-2.8.2", pytest.param("reassign-2.3.1", marks=slow)])
def test_reassignments_are_accepted(recording: str, tmp_path: Path) -> None:
    """Elections of three partitions at once, of two replicas at once, while a broker is dead, and resumed by another
    controller.

    Who is elected is among those that were asked for.
    """
    folder, release = tmp_path / "log", recording.rpartition("-")[2]
    shutil.copytree(RECORDED / recording, folder)
    code, said = command("cluster", str(folder), "--release", release)
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    assert "reassignment without requests" in said["model"]
    code, said = command("cluster", str(folder), "--release", release, "--brokers")
    assert (code, said["verdict"]) == (3, "unknown")
    assert "validate does not follow reassignments" in said["reason"]


def test_a_topic_that_is_created_again_is_not_reassigned() -> None:
    """Each life has its replicas; a partition may have others than it was created with, which are not its own."""
    shown = read.read([str(RECORDED / "lifecycle-2.8.2")]).partitions
    assert shown.assignments["gone", 0] == {(1, 2, 3), (3, 2)}
    assert shown.reassigned is None
    other = read.read([str(RECORDED / "reassign-2.8.2")]).partitions.reassigned
    assert other is not None
    assert (other.topic, other.partition) == ("move", 1)


@slow
@pytest.mark.parametrize("release", ["2.8.2", "3.9.1"])
def test_a_recording_in_which_a_topic_of_several_partitions_is_deleted_is_accepted(release: str) -> None:
    """Twice, with elections of some leaders and a controlled shutdown in between."""
    code, said = command("cluster", str(RECORDED / f"lifecycle-{release}"), "--release", release)
    assert (code, said["verdict"], said["matched"], said["compared"]) == (0, "accepted", 40, 40)


@pytest.mark.full
@pytest.mark.parametrize(("release", "lines"), [("2.0.0", 182), pytest.param("1.1.1", 187, marks=slow)])
def test_a_recording_with_moves_of_replicas_is_accepted(release: str, lines: int) -> None:
    """Two topics of several partitions, one deleted and made again, elections, shutdowns, and ISRs of unseen leaders.

    A controlled shutdown up to 2.0 asks for replicas that are deleted already, too (KAFKA-6753).
    """
    code, said = command("cluster", str(RECORDED / f"lifecycle-{release}"))
    assert (code, said["verdict"], said["matched"], said["compared"]) == (0, "accepted", lines, lines)


@pytest.mark.slow
def test_a_deletion_up_to_2_0_is_accepted() -> None:
    """A partition is moved to NonExistentPartition when its deletion is complete; since 2.1 when it starts."""
    code, said = command("cluster", str(RECORDED / "stale-broker-2.0.0"), "--release", "2.0.0")
    assert (code, said["verdict"], said["matched"], said["compared"]) == (0, "accepted", 65, 65)
    code, said = command("cluster", str(RECORDED / "stale-broker-2.0.0"), "--release", "2.1")
    assert (code, said["verdict"]) == (1, "rejected")
