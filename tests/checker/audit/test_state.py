"""The state of the cluster: what a log shows of it is what ZooKeeper held; what it does not show is not claimed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.findings import state
from isrproof.checker.audit.findings.metadata import MetadataLog, MigrationChange
from isrproof.checker.audit.findings.state import LAST_SHOWN, LASTS, OVER, Condition
from isrproof.checker.audit.observe.controller.conditions import OFFLINE, UNDER_REPLICATED
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import Report
from isrproof.checker.audit.report.perfetto import offline_changes
from isrproof.checker.audit.report.state_text import in_short, state_text
from isrproof.checker.audit.report.text import state_of_cluster
from isrproof.traces.record.clock import milliseconds
from isrproof.traces.record.compare import Version, state_versions
from isrproof.traces.record.manifest import read

from tests import engines
from tests.histories import history, save, texts
from tests.recordings import EACH, QUICK, RECORDED, SOME
from tests.recordings import audited as report

EVERY = pytest.mark.parametrize("name", EACH)
TP = tuple[str, int]


def partitions(name: str, condition: str, *ends: str) -> set[TP]:
    return {(each.topic, each.partition) for each in found(name, condition) if each.end in ends}


def found(name: str, condition: str) -> list[Condition]:
    return [each for each in report(name).state.conditions if each.condition == condition]


class Truth(NamedTuple):
    """Return ZooKeeper's content at the end: the last version of each partition's state, the live brokers, the
    assignment."""

    versions: dict[TP, Version]
    live: set[int]
    assigned: dict[TP, set[int]]
    level: str

    @property
    def offline(self) -> set[TP]:
        return {tp for tp, version in self.versions.items() if version.leader not in self.live}

    @property
    def under_replicated(self) -> set[TP]:
        return {tp for tp, version in self.versions.items() if not self.assigned[tp] <= set(version.isr)}


@cache
def truth(name: str) -> Truth:
    manifest = read(RECORDED / name)
    written = {(each.zxid, each.topic, each.partition): each for each in state_versions(manifest)}
    versions: dict[TP, Version] = {}
    live: set[int] = set()
    assigned: dict[TP, set[int]] = {}
    for row in manifest["znodes"]:
        match row["path"].split("/")[1:], row["change"]:
            case ["brokers", "ids", broker], change:
                (live.discard if change == "delete" else live.add)(int(broker))
            case ["brokers", "topics", topic], "delete":
                assigned = {tp: replicas for tp, replicas in assigned.items() if tp[0] != topic}
            case ["brokers", "topics", topic], _:
                assigned |= {(topic, int(n)): set(each) for n, each in row["value"]["partitions"].items()}
            case ["brokers", "topics", topic, "partitions", n, "state"], "delete":
                del versions[topic, int(n)]
            case ["brokers", "topics", topic, "partitions", n, "state"], _:
                versions[topic, int(n)] = written[row["zxid"], topic, int(n)]
    return Truth(versions, live, assigned, manifest["state_change_level"])


# ---- What ZooKeeper said


@EVERY
def test_who_is_offline_at_the_end_is_so_in_zookeeper(name: str) -> None:
    lasting, shown = (partitions(name, OFFLINE, end) for end in (LASTS, LAST_SHOWN))
    assert lasting | shown == truth(name).offline
    assert not shown or truth(name).level == "INFO"


@pytest.mark.full
def test_some_are() -> None:
    assert sum(bool(truth(name).offline) for name in QUICK) == 10
    assert {end for name in SOME for end in [each.end for each in found(name, OFFLINE)]} >= {LASTS, OVER}


@EVERY
def test_who_is_under_replicated_in_zookeeper_was_shown_so(name: str) -> None:
    assert truth(name).under_replicated <= partitions(name, UNDER_REPLICATED, LAST_SHOWN)


@EVERY
def test_an_isr_that_was_shown_last_was_changed_by_its_leader_only(name: str) -> None:
    versions = truth(name).versions
    for each in found(name, UNDER_REPLICATED):
        if each.end == LAST_SHOWN and (each.topic, each.partition) not in truth(name).under_replicated:
            assert versions[each.topic, each.partition].leader == each.leader


class Stretch(NamedTuple):
    """Return the time in which a partition had no leader in ZooKeeper, in milliseconds."""

    partition: TP
    since: int
    until: int


def without_leader(name: str) -> Iterator[Stretch]:
    versions = state_versions(read(RECORDED / name))
    for one, version in enumerate(versions):
        if version.leader == -1:
            tp = (version.topic, version.partition)
            later = [each for each in versions[one + 1 :] if (each.topic, each.partition) == tp]
            if later and later[0].created == version.created and later[0].leader >= 0:
                yield Stretch(tp, version.time, later[0].time)


@EVERY
def test_every_second_without_a_leader_is_told_of(name: str) -> None:
    for tp, since, until in without_leader(name):
        own = [each for each in found(name, OFFLINE) if (each.topic, each.partition) == tp]
        times = [(each.since, each.until) for each in own if each.since is not None and each.until is not None]
        assert any(begin <= since + 1000 and until - 1000 <= end for begin, end in times), (tp, since, until)


@pytest.mark.full
def test_there_are_such_seconds() -> None:
    assert sum(until - since > 1000 for name in QUICK for _, since, until in without_leader(name)) > 10


# ---- What is counted


@EVERY
def test_every_stopped_move_is_counted_once(name: str) -> None:
    rows = report(name).coverage.rows
    for machine, row in (("partition", "partition-refused"), ("replica", "replica-refused")):
        assert sum(each.count for each in report(name).state.stopped if each.machine == machine) == rows.get(row, 0)
    refused = sum(each.count for each in report(name).state.stopped if each.refused)
    assert refused == report(name).rules["KR105"].evaluated


@pytest.mark.full
def test_a_failed_election_has_its_cause() -> None:
    causes = {each.cause for name in SOME for each in report(name).state.stopped if not each.refused}
    assert {"thrown-no-leader", "thrown-no-replica-online"} <= causes
    assert None not in causes


@EVERY
def test_counts_are_of_the_conditions(name: str) -> None:
    for each in report(name).state.counts:
        own = found(name, each.condition)
        assert each.spells == len(own)
        assert each.partitions == len({(one.topic, one.partition) for one in own})
        assert each.lasting == len(partitions(name, each.condition, LASTS))
        assert each.last_shown == len(partitions(name, each.condition, LAST_SHOWN))
        lengths = [one.until - one.since for one in own if one.until is not None and one.since is not None]
        assert each.longest == max([0, *lengths])


@pytest.mark.full
@pytest.mark.parametrize("buckets", [3, pytest.param(40, marks=pytest.mark.slow)])
def test_what_is_told_first_does_not_depend_on_who_looks_at_what(buckets: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    paths = [RECORDED / "chaos-1.1.1-2", RECORDED / "chaos-3.5.2-3"]
    whole = engines.reference(paths)
    monkeypatch.setattr(state, "SPELLS", 3)
    first = engines.reference(paths)
    assert engines.columns(paths, buckets=buckets) == first
    for few, all_ in zip(first, whole, strict=True):
        assert few["state"]["counts"] == all_["state"]["counts"]
        for condition in (OFFLINE, UNDER_REPLICATED):
            own, every = (
                [each for each in one["state"]["conditions"] if each["condition"] == condition] for one in (few, all_)
            )
            assert own == every[:3]


# ---- What is not known


def said(*lines: str) -> str:
    return "".join(
        f"[2026-01-01 00:00:{second:02d},000] {line} (state.change.logger)\n" for second, line in enumerate(lines)
    )


def moved(epoch: int, before: str, after: str, tail: str = "", state: str = " state") -> str:
    return f"TRACE [Controller id={epoch} epoch={epoch}] Changed partition t-0{state} from {before} to {after}{tail}"


def elected(epoch: int, leader: int, isr: str, before: str = "OfflinePartition") -> str:
    tail = f" with state LeaderAndIsr(leader={leader}, leaderEpoch={epoch}, isr=List({isr}), zkVersion={epoch})"
    return moved(epoch, before, "OnlinePartition", tail, state="")


def sent(epoch: int, leader: int, isr: str) -> str:
    return (
        f"TRACE [Controller id={epoch} epoch={epoch}] Sending UpdateMetadata request PartitionState(controllerEpoch=1,"
        f" leader={leader}, leaderEpoch=1, isr=[{isr}], zkVersion=1, replicas=[1, 2], offlineReplicas=[]) to brokers"
        " Set(1, 2) for partition t-0"
    )


def failed(epoch: int, before: str = "OfflinePartition") -> str:
    return (
        f"ERROR [Controller id={epoch} epoch={epoch}] Controller {epoch} epoch {epoch} failed to change state for"
        f" partition t-0 from {before} to OnlinePartition"
    )


CREATED = (
    moved(1, "NonExistentPartition", "NewPartition", " with assigned replicas 1,2"),
    elected(1, 1, "1, 2", "NewPartition"),
)
DIED = (moved(1, "OnlinePartition", "OfflinePartition"), failed(1))


def offline(folder: Path, *streams: tuple[str, ...], **options: Any) -> list[tuple[str, str | None]]:
    for number, lines in enumerate(streams, start=1):
        (folder / f"broker-{number}").mkdir(exist_ok=True)
        (folder / f"broker-{number}" / "state-change.log").write_text(said(*lines))
    (one,) = audit([str(folder)], Options(engine="python", **options))
    return [(each.end, each.by) for each in one.state.conditions if each.condition == OFFLINE]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((), []),
        (DIED, [(LASTS, None)]),
        ((*DIED, elected(1, 2, "2")), [(OVER, "elected")]),
        ((failed(1, "NewPartition"),), [(LASTS, None)]),
        ((failed(1, "OnlinePartition"),), []),  # a preferred leader that is dead, say: it keeps its leader
        ((failed(1, "NonExistentPartition"),), []),
        ((*DIED, sent(1, 1, "1, 2")), [(LASTS, None)]),  # the dead leader that ZooKeeper still names
        ((*DIED, sent(1, -1, "1")), [(LASTS, None)]),
        ((*DIED, sent(1, -1, "1"), sent(1, 2, "2")), [(OVER, "elected")]),
        ((*DIED, sent(1, -2, "1")), [(OVER, "deleted")]),
        ((*DIED, moved(1, "OfflinePartition", "NonExistentPartition")), [(OVER, "deleted")]),
        (
            (moved(1, "OnlinePartition", "OfflinePartition"), elected(1, 2, "2"), *DIED),
            [(LASTS, None), (OVER, "elected")],
        ),
        # What is deleted goes offline: that is its deletion.
        ((sent(1, -2, "1"), moved(1, "OnlinePartition", "OfflinePartition")), []),
    ],
)
def test_offline_begins_and_ends_with_its_lines(tmp_path: Path, lines: tuple[str, ...], expected: list[Any]) -> None:
    assert offline(tmp_path, (*CREATED, *lines)) == expected


def heard(broker: int, controller: int) -> str:
    """Broker 1 hears of controller 3, say, with epoch 3."""
    return (
        f"TRACE [Broker id={broker}] Cached leader info PartitionState(controllerEpoch=1, leader=1, leaderEpoch=1,"
        " isr=[1], zkVersion=1, replicas=[1], offlineReplicas=[]) for partition u-0 in response to UpdateMetadata"
        f" request sent by controller {controller} epoch {controller} with correlation id 7"
    )


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((heard(2, 1), sent(2, 1, "1, 2")), [(OVER, "taken over")]),
        ((sent(2, 1, "1, 2"),), [(LAST_SHOWN, None)]),  # its start was not seen: it may have found it offline
        ((sent(2, 1, "1, 2"), failed(2)), [(LASTS, None)]),
        ((sent(2, 1, "1, 2"), elected(2, 2, "2")), [(OVER, "elected")]),
        (
            (heard(2, 1), sent(2, 1, "1, 2"), moved(2, "OnlinePartition", "OfflinePartition")),
            [(LASTS, None), (OVER, "taken over")],
        ),
        ((heard(2, 1),), [(LAST_SHOWN, None)]),
    ],
)
def test_the_next_controller_goes_on_with_it(tmp_path: Path, lines: tuple[str, ...], expected: list[Any]) -> None:
    assert offline(tmp_path, (*CREATED, *DIED, heard(1, 2)), lines) == expected


def test_lines_that_may_be_missing_may_be_its_end(tmp_path: Path) -> None:
    assert offline(tmp_path, (*CREATED, *DIED), lossy=True) == [(LAST_SHOWN, None)]


def test_a_later_controller_without_a_log_may_have_ended_it(tmp_path: Path) -> None:
    assert offline(tmp_path, (*CREATED, *DIED, heard(1, 3))) == [(LAST_SHOWN, None)]
    (one,) = audit([str(tmp_path)], Options(engine="python"))
    unseen = (
        "what happened in 1 controller epoch (3) that left no line here: controller.log and state-change.log of the"
    )
    assert f"{unseen} broker that was the controller would show it" in one.state.unknown


@pytest.mark.parametrize(
    ("line", "file"),
    [
        (
            "[RaftManager id=7] Completed transition to Unattached(epoch=2, voters=[7, 8], electionTimeoutMs=9) from "
            "Unattached(epoch=1, voters=[7, 8], electionTimeoutMs=8) (org.apache.kafka.raft.QuorumState)",
            "__cluster_metadata-0",
        ),
        (
            "[ReplicaFetcherManager on broker 1] Removed fetcher for partitions Set(t-0) (kafka.server."
            "ReplicaFetcherManager)",
            "state-change.log",
        ),
    ],
)
def test_the_file_that_would_show_more_is_one_of_the_clusters_mode(tmp_path: Path, line: str, file: str) -> None:
    (tmp_path / "server.log").write_text(f"[2025-03-04 09:00:20,618] INFO {line}\n")
    (one,) = audit([str(tmp_path)], Options(engine="python"))
    why = one.state.unknown[-1]
    assert file in why


def test_what_lasts_to_a_wipe_is_not_there_at_the_end(tmp_path: Path) -> None:
    second = failed(2).replace("id=2", "id=1").replace("Controller 2", "Controller 1")
    assert offline(tmp_path, (*CREATED, *DIED, second)) == [(LASTS, None)]
    assert offline(tmp_path, (*CREATED, *DIED, second, *CREATED)) == [(LAST_SHOWN, None)]
    (one,) = audit([str(tmp_path)], Options(engine="python"))
    assert len(one.lives) == 2


RELEASES = ("0.8.1", "0.11.0", "1.0.0", "1.1.1", "2.0.0", "2.3", "2.5", "2.8.1", "3.9")


@pytest.mark.full
@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), release=st.sampled_from(RELEASES), wipes=st.integers(0, 1))
def test_who_is_offline_at_the_end_of_a_history_is_found(seed: int, release: str, wipes: int) -> None:
    made = history(seed, release, steps=12, wipes=wipes)
    with TemporaryDirectory() as folder:
        save(Path(folder), texts(made.written, made.release))
        (one,) = audit([folder], Options(engine="python"))
    lasting = {(each.topic, each.partition) for each in one.state.conditions if each.end == LASTS}
    if len(one.lives) > 1:
        assert not lasting  # any of them may be the last
    elif not wipes:  # else the wipe showed no line
        assert lasting == {tp for tp, at in made.partitions.items() if at == "OfflinePartition"}


def test_above_trace_a_deletion_shows_in_the_controllers_own_log(tmp_path: Path) -> None:
    refused = failed(1)
    assert offline(tmp_path, (refused,)) == [(LAST_SHOWN, None)]
    (tmp_path / "broker-1" / "controller.log").write_text(
        "[2026-01-01 00:00:09,000] INFO [Topic Deletion Manager 1] Deletion of topic t successfully completed"
        " (kafka.controller.TopicDeletionManager)\n"
    )
    assert offline(tmp_path, (refused,)) == [(OVER, "deleted")]


def test_nothing_known_is_not_fine() -> None:
    """The text says so, and says that all is well only of what it saw."""
    text = state_text(state.ClusterState(unknown=("anything: no line of a controller was read",)), checked=False)
    assert "nothing was seen offline" not in text
    assert "not known: anything" in text
    assert "controllers print no partition that is offline" in state_text(state.ClusterState(), checked=True)


def test_it_is_beside_the_verdict_in_the_first_line() -> None:
    conforming = report("failover-elsewhere-2.0.0-kill")
    assert conforming.verdict == "conforms"
    assert in_short(conforming.state).startswith("2 partitions offline at the end, ")


@pytest.mark.full
def test_it_is_narrowed_too() -> None:
    (one,) = audit([str(RECORDED / "chaos-1.1.1-2")], Options(engine="python", partition=("d", 0)))
    assert {(each.topic, each.partition) for each in one.state.conditions} == {("d", 0)}
    since = milliseconds("2026-11-21T21:06:20.000Z")
    (late,) = audit([str(RECORDED / "chaos-1.1.1-2")], Options(engine="python", since=since))
    assert 0 < len(late.state.conditions) < len(report("chaos-1.1.1-2").state.conditions)
    assert all(each.until is None or each.until >= since for each in late.state.conditions)


# ---- A migration to KRaft

KRAFT = RECORDED.with_name("recorded-kraft")


def head_of(found: Report) -> str:
    return state_of_cluster(found).splitlines()[0]


def test_in_a_migration_lines_of_zookeeper_speak_until_kraft_takes_over() -> None:
    (found,) = audit([str(KRAFT / "migration-3.9.1")], Options(engine="python"))
    (log,) = found.metadata or ()
    assert found.state.migrated
    assert found.state.until == next(each.ts for each in log.migration if each.state == "MIGRATION")
    shown = [each for each in found.state.conditions if each.end == LAST_SHOWN]
    assert shown
    assert all(each.since is not None and each.since < found.state.until for each in shown)
    assert head_of(found) == (
        "state of the cluster before KRaft took it over from ZooKeeper at 2026-11-23 22:46:59.172 UTC, as far as lines"
        " of ZooKeeper mode show it; the metadata log has the rest"
    )
    assert "under-replicated when last shown before KRaft took over: 4 partitions" in state_of_cluster(found)
    assert "lines of KRaft mode" not in state_of_cluster(found)
    assert "under-replicated" not in in_short(found.state, found.metadata or ())


def test_what_zookeeper_s_lines_leave_offline_is_not_counted_beyond_that() -> None:
    (found,) = audit([str(KRAFT / "migration-3.9.1")], Options(engine="python"))
    until = found.state.until
    assert until is not None
    ends = [each for each in found.state.conditions if each.end == OVER and each.condition == OFFLINE]
    open_end = replace(ends[0], until=None, by=None, end=LAST_SHOWN)
    longer = replace(found, state=replace(found.state, conditions=(open_end,)), metadata=None)
    assert offline_changes(longer) == [(open_end.since, 1), (until, 0)]
    alone = replace(longer, state=replace(longer.state, until=None))
    assert offline_changes(alone) == [(open_end.since, 1)]


def test_without_a_migration_they_speak_to_their_end() -> None:
    """Neither with a metadata log beside, nor without one."""
    for path in (RECORDED / "chaos-3.5.2-3", KRAFT / "failover-3.5.2"):
        (found,) = audit([str(path)], Options(engine="python"))
        assert not found.state.migrated
        assert found.state.until is None
        assert "took" not in state_of_cluster(found)
    (lines,) = audit([str(KRAFT / "migration-3.9.1" / "node-1" / "state-change.log")], Options(engine="python"))
    assert not lines.state.migrated


@pytest.mark.parametrize(
    ("states", "migrated", "taken_over"),
    [
        ([(5, 1, "PRE_MIGRATION"), (9, 2, "MIGRATION"), (12, 3, "POST_MIGRATION")], True, 2),
        ([(5, 1, "PRE_MIGRATION")], False, None),
        ([(5, 1, "MIGRATION"), (9, 2, "POST_MIGRATION")], True, None),  # 3.4 writes it before it has any partition
        ([(5, None, "POST_MIGRATION")], True, None),  # the log begins with a snapshot
        ([], False, None),
        ([(5, 1, "NONE")], False, None),
    ],
)
def test_when_kraft_took_over_is_known_where_a_record_says_so(
    states: list[tuple[int, int | None, str]], migrated: bool, taken_over: int | None
) -> None:
    changes = tuple(MigrationChange(*each) for each in states)
    log = MetadataLog(("1",), 0, 20, 20, "", {}, (), (), migration=changes)
    assert (log.migrated, log.taken_over) == (migrated, taken_over)
