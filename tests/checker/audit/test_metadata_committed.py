"""Records that are committed: by a majority, a later epoch, a snapshot or the only voter."""

from __future__ import annotations

from pathlib import Path

from isrproof.checker.audit.files.metadata import copies
from isrproof.checker.audit.report.model import RecordsReport
from isrproof.checker.audit.sources.metadata.quorum import Quorum, quorums
from isrproof.traces.metadata.files import found_in

from tests.metadata_folders import BEGINNING, THREE_VOTERS, change, elected, found, put, report


def quorum(folder: Path) -> Quorum:
    (found,) = quorums(copies(found_in([str(folder)])))
    return found


def test_what_a_majority_has_is_committed(tmp_path: Path) -> None:
    tail = [change(13, isr=[1, 2]), change(14, isr=[1])]
    put(tmp_path, 1, [*THREE_VOTERS, *tail])
    put(tmp_path, 2, [*THREE_VOTERS, *tail[:1]])
    put(tmp_path, 3, THREE_VOTERS)
    assert (quorum(tmp_path).committed, quorum(tmp_path).end) == (14, 15)
    assert report(tmp_path).coverage.records == RecordsReport(decoded=14, control=1, unknown=0, uncommitted=1)


def test_one_copy_of_three_is_committed_up_to_its_last_epoch(tmp_path: Path) -> None:
    put(tmp_path, 1, [*THREE_VOTERS, change(13, isr=[1, 2]), elected(14, 2, 2), change(15, 2, isr=[1])])
    shown = quorum(tmp_path)
    assert (shown.committed, shown.because) == (14, "a later epoch begins there")


def test_the_only_voter_commits_alone(tmp_path: Path) -> None:
    put(tmp_path, 1, [*BEGINNING, change(13, isr=[1, 2])])
    assert quorum(tmp_path).committed == 14


def test_what_a_snapshot_has_is_committed(tmp_path: Path) -> None:
    put(tmp_path, 1, [*THREE_VOTERS, change(13, isr=[1, 2]), change(14, isr=[1])])
    put(tmp_path, 1, [], "00000000000000000014-0000000001.checkpoint")
    assert (quorum(tmp_path).committed, quorum(tmp_path).because) == (14, "a snapshot ends there")


def test_an_observer_is_no_voter(tmp_path: Path) -> None:
    for node in (1, 4, 5):
        put(tmp_path, node, [*THREE_VOTERS, change(13, isr=[1, 2])])
    assert quorum(tmp_path).committed == 0


def test_a_voter_that_was_copied_twice_is_one_voter(tmp_path: Path) -> None:
    log = [*THREE_VOTERS, change(13, isr=[1, 2])]
    put(tmp_path / "monday", 1, log)
    put(tmp_path / "tuesday", 1, log)
    assert quorum(tmp_path).committed == 0
    put(tmp_path / "tuesday", 2, log)
    assert quorum(tmp_path).committed == 14
    assert [log.nodes for log in report(tmp_path).metadata or ()] == [("1", "2")]


def test_a_snapshot_that_does_not_fit_the_log_commits_nothing(tmp_path: Path) -> None:
    """As of another cluster, where no meta.properties distinguishes them: epoch 1 goes on to offset 13 and further."""
    put(tmp_path, 1, [*THREE_VOTERS, elected(13, 3, 1), change(14, 3, isr=[1, 2])])
    put(tmp_path, 2, [], "00000000000000000800-0000000002.checkpoint")
    assert quorum(tmp_path).committed == 13
    assert any("these folders are of several clusters" in note for note in report(tmp_path).notes)
    put(tmp_path, 2, [], "00000000000000000800-0000000003.checkpoint")
    assert quorum(tmp_path).committed == 15


def test_a_fault_that_is_not_committed_is_suspicious(tmp_path: Path) -> None:
    for node in (1, 2, 3):
        put(tmp_path, node, [*THREE_VOTERS, change(13, isr=[1, 2], leader=3)][: 14 if node == 1 else 13])
    assert found(report(tmp_path)) == [("KR505", "suspicious", 13)]
    put(tmp_path, 2, [*THREE_VOTERS, change(13, isr=[1, 2], leader=3)])
    assert found(report(tmp_path)) == [("KR505", "illegal", 13)]


def test_a_tail_of_an_earlier_epoch_is_told_apart(tmp_path: Path) -> None:
    put(tmp_path, 1, [*THREE_VOTERS, elected(13, 2, 1), change(14, 2, isr=[1, 2])])
    put(tmp_path, 2, [*THREE_VOTERS, elected(13, 2, 1), change(14, 2, isr=[1, 2])])
    put(tmp_path, 3, [*THREE_VOTERS, change(13, isr=[3], leader=2), change(14, isr=[2]), change(15, isr=[1])])
    shown = report(tmp_path)
    assert found(shown) == []
    assert shown.coverage.records is not None
    assert shown.coverage.records.uncommitted == 3
    assert any("3 records at its end" in note for note in shown.notes)


def test_clusters_of_two_ids_are_two_histories(tmp_path: Path) -> None:
    put(tmp_path, 1, [*BEGINNING, change(13, isr=[1, 2])], cluster="one")
    put(tmp_path, 2, [*BEGINNING, change(13, isr=[1, 3])], cluster="two")
    shown = report(tmp_path)
    assert found(shown) == []
    assert shown.metadata is not None
    assert [log.nodes for log in shown.metadata] == [("1",), ("2",)]
