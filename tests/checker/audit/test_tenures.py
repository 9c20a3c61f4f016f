"""Lives: which history of a cluster a line belongs to, from what controllers and brokers say of epochs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.files.file import LogFile
from isrproof.checker.audit.history.histories import histories
from isrproof.checker.audit.history.spans import LINES_PER_FILE
from isrproof.checker.audit.history.statements import BrokerReport, Run, WordingLine
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import Report
from isrproof.specs.machines import LEVELS
from isrproof.specs.releases import span
from isrproof.traces.events.event import Event
from isrproof.traces.events.render import render

from tests.evaluated import COMPARING, evaluated
from tests.histories import START, history, save, texts


def states(controller: int, epoch: int, topic: str = "t", created: bool = False) -> list[Event]:
    """A controller elects, or creates and elects."""
    said = {"controller": controller, "controller_epoch": epoch, "topic": topic, "partition": 0, "replicas": (1, 2)}
    state = {"leader": 1, "isr": (1, 2), "leader_epoch": 0 if created else epoch, "partition_epoch": epoch}
    if created:
        state["partition_epoch"] = 0
    before = "NewPartition" if created else "OnlinePartition"
    lines = [Event("partition-online", from_state=before, to_state="OnlinePartition", **said, **state)]  # type: ignore[arg-type]
    if created:
        new = Event("partition-created", from_state="NonExistentPartition", to_state="NewPartition", **said)  # type: ignore[arg-type]
        lines.insert(0, new)
    return lines


def hears(broker: int, controller: int, epoch: int) -> list[Event]:
    return [
        Event("metadata-cached", speaker=broker, controller=controller, controller_epoch=epoch, topic="t", partition=0,
              leader=1, isr=(1, 2), leader_epoch=9, partition_epoch=9, written_by_epoch=epoch, replicas=(1, 2),
              offline_replicas=(), correlation_id=1)
    ]  # fmt: skip


def audited(folder: Path, **brokers: Sequence[list[Event]]) -> Report:
    lines = {
        int(name.removeprefix("b")): [
            render(replace(event, ts=START + 1000 * i), "2.0.0") for i, event in enumerate(e for es in said for e in es)
        ]
        for name, said in brokers.items()
    }
    (report,) = audit([str(save(folder, lines))], Options(engine="python"))
    return report


def epochs(report: Report) -> list[dict[int, int]]:
    return [{each.epoch: each.controller for each in life.epochs} for life in report.lives]


def findings(report: Report) -> list[tuple[str, str]]:
    """But for elections that repeat themselves, as these short logs do."""
    return [(finding.rule, finding.verdict) for finding in report.findings if finding.rule not in ("KR205", "KR303")]


def test_epoch_1_and_topics_created_anew_is_a_new_life(tmp_path: Path) -> None:
    report = audited(tmp_path, b1=[states(1, 1, created=True), states(1, 2), states(1, 1, created=True), states(1, 2)])
    assert epochs(report) == [{1: 1, 2: 1}, {1: 1, 2: 1}]
    assert findings(report) == []
    assert report.rules["KR301"].held == 3


def test_a_wipe_within_epoch_1_is_told_by_what_is_created_again(tmp_path: Path) -> None:
    report = audited(tmp_path, b1=[states(1, 1, created=True), states(1, 1), states(1, 1, created=True)])
    assert epochs(report) == [{1: 1}, {1: 1}]
    assert findings(report) == []
    assert report.rules["KR104"].held == 3


def test_one_wipe_makes_one_new_life_of_all_topics(tmp_path: Path) -> None:
    both = [states(1, 1, topic, created=True) for topic in ("t", "u")]
    assert epochs(audited(tmp_path, b1=[*both, *both])) == [{1: 1}, {1: 1}]


def test_a_line_that_names_no_epoch_is_of_the_tenure_around_it(tmp_path: Path) -> None:
    """1.0 does not say the epoch where a partition ceases to exist."""
    gone = Event("partition-offline-or-gone", controller=1, topic="t", partition=0, from_state="OfflinePartition",
                 to_state="NonExistentPartition")  # fmt: skip
    events = [*states(1, 1, created=True), gone]
    lines = [render(replace(event, ts=START + i), "1.0.0") for i, event in enumerate(events)]
    (report,) = audit([str(save(tmp_path, {1: lines}))], Options(engine="python"))
    assert report.rules["KR102"].evaluated == 3


def test_the_wipe_may_fall_between_two_rotated_files(tmp_path: Path) -> None:
    old = [*states(1, 1, created=True), *states(1, 1), *states(1, 1)]
    for name, at, events in (("state-change.log.1", 0, old), ("state-change.log", 60, states(1, 1, created=True))):
        lines = [render(replace(event, ts=START + 1000 * (at + i)), "2.0.0") for i, event in enumerate(events)]
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    (report,) = audit([str(tmp_path)], Options(engine="python"))
    assert findings(report) == []
    assert report.rules["KR104"].held == 4
    assert epochs(report) == [{1: 1}, {1: 1}]


def test_what_another_history_goes_over_is_no_wipe(tmp_path: Path) -> None:
    """The partition u lives on: then t cannot have been created twice."""
    other = states(1, 1, topic="u", created=True), states(1, 1, topic="u")
    report = audited(tmp_path, b1=[other[0], states(1, 1, created=True), states(1, 1, created=True), other[1]])
    assert epochs(report) == [{1: 1}]
    assert ("KR104", "suspicious") in findings(report)


def test_under_a_later_epoch_a_second_creation_is_no_wipe(tmp_path: Path) -> None:
    first = states(1, 1, topic="u", created=True)
    report = audited(tmp_path, b1=[first, states(1, 2, created=True), states(1, 2, created=True)])
    assert epochs(report) == [{1: 1, 2: 1}]
    assert ("KR104", "suspicious") in findings(report)


def test_unless_epoch_1_was_heard_of_again(tmp_path: Path) -> None:
    said = [hears(2, 1, 1), states(2, 2, created=True), states(2, 2)]
    report = audited(tmp_path, b2=[*said, *said])
    assert "illegal" not in {verdict for _, verdict in findings(report)}
    assert report.rules["KR104"].held == 5
    assert {2: 2} in epochs(report)


def test_but_only_where_it_was_heard_of_after_the_old_lines(tmp_path: Path) -> None:
    said = [states(2, 2, "u", created=True), hears(2, 1, 1), states(2, 2, created=True), states(2, 2, created=True)]
    assert ("KR104", "suspicious") in findings(audited(tmp_path, b2=said))


def test_a_topic_that_no_line_showed_before_is_no_sign_of_a_wipe(tmp_path: Path) -> None:
    said = [hears(2, 1, 1), states(2, 2, "u"), states(2, 2, created=True), hears(2, 1, 1)]
    assert epochs(audited(tmp_path, b2=said)) == [{1: 1, 2: 2}]


@pytest.mark.parametrize(
    ("hours", "names", "missing"),
    [
        ((12, 13), ("2018-08-03-12", "2018-08-03-13"), False),
        ((12, 14), ("2018-08-03-12", "2018-08-03-14"), True),
        ((12, 36), ("2018-08-03", "2018-08-04"), False),
        ((12, 60), ("2018-08-03", "2018-08-05"), True),
    ],
)
def test_a_deletion_that_may_be_in_a_missing_file_is_no_sign_of_a_wipe(
    hours: tuple[int, int], names: tuple[str, str], missing: bool, tmp_path: Path
) -> None:
    for at, name in zip(hours, names, strict=True):
        lines = [render(replace(event, ts=START + 3_600_000 * at), "2.0.0") for event in states(1, 1, created=True)]
        (tmp_path / f"state-change.log.{name}").write_text("".join(f"{line}\n" for line in lines))
    (report,) = audit([str(tmp_path)], Options(engine="python"))
    assert len(report.lives) == (1 if missing else 2)
    assert "illegal" not in {verdict for _, verdict in findings(report)}
    assert (report.rules["KR104"].held, report.rules["KR104"].undecided) == (2, 1 if missing else 0)


@pytest.mark.parametrize(("level", "lives"), [("TRACE", 2), ("INFO", 1)])
def test_a_deletion_that_the_level_hides_is_no_sign_of_a_wipe(level: str, lives: int, tmp_path: Path) -> None:
    """Since 2.6 the default level shows what is created and not what is deleted. It is TRACE all the time, or INFO."""
    made = [*states(1, 1, created=True), *states(1, 1, created=True)]
    move = Event("replica-moved", controller=1, controller_epoch=1, topic="u", partition=0, replica=1,
                 from_state="OnlineReplica", to_state="OnlineReplica")  # fmt: skip
    shown = [replace(event, level="INFO") for event in made]
    if level == "TRACE":
        shown = [replace(move, topic="v", level=level), *shown, replace(move, level=level)]
    lines = [render(replace(event, ts=START + i), "2.8.1") for i, event in enumerate(shown)]
    (report,) = audit([str(save(tmp_path, {1: lines}))], Options(engine="python"))
    assert len(report.lives) == lives
    assert "illegal" not in {verdict for _, verdict in findings(report)}
    assert report.rules["KR104"].held == (2 if lives == 2 else 3)


def test_a_fall_without_creation_is_suspicious(tmp_path: Path) -> None:
    report = audited(tmp_path, b1=[states(1, 3), states(1, 1)])
    assert findings(report) == [("KR301", "suspicious")]
    assert epochs(report) == [{3: 1}, {1: 1}]


def test_so_is_a_fall_to_another_epoch_with_creation(tmp_path: Path) -> None:
    report = audited(tmp_path, b1=[states(1, 3), states(1, 2, created=True)])
    assert findings(report) == [("KR301", "suspicious")]


def test_a_fall_that_is_taken_back_is_illegal(tmp_path: Path) -> None:
    report = audited(tmp_path, b1=[states(1, 3), states(1, 2), states(1, 3)])
    assert findings(report) == [("KR301", "illegal")]
    assert report.rules["KR301"].evaluated == 2


def test_a_controller_that_falls_again_and_again_is_two(tmp_path: Path) -> None:
    report = audited(tmp_path, b1=[states(1, 3), states(1, 2), states(1, 3), states(1, 2), states(1, 3)])
    assert findings(report) == [("KR301", "suspicious")] * 2


def test_but_not_if_it_had_the_smaller_epoch_before(tmp_path: Path) -> None:
    report = audited(tmp_path, b1=[states(1, 2), states(1, 3), states(1, 2), states(1, 3)])
    assert findings(report) == [("KR301", "illegal")]


@pytest.mark.parametrize("sign", [states(1, 1), states(1, 2, topic="v", created=True), hears(1, 9, 1)])
def test_but_not_if_a_wipe_may_lie_between(tmp_path: Path, sign: list[Event]) -> None:
    report = audited(tmp_path, b1=[states(1, 4), states(1, 2), sign, states(1, 4)])
    assert "illegal" not in {verdict for _, verdict in findings(report)}
    assert ("KR301", "suspicious") in findings(report)


def test_an_epoch_with_another_controller_is_another_life(tmp_path: Path) -> None:
    report = audited(tmp_path, b1=[hears(1, 1, 1), hears(1, 2, 2), hears(1, 3, 1), hears(1, 2, 2)])
    assert epochs(report) == [{1: 1, 2: 2}, {1: 3, 2: 2}]


def test_lives_of_several_brokers_are_joined_by_what_they_heard(tmp_path: Path) -> None:
    one = [states(1, 1, created=True), hears(1, 2, 2)]
    report = audited(tmp_path, b1=one, b2=[hears(2, 1, 1), states(2, 2)], b3=[hears(3, 2, 2), states(3, 3)])
    assert epochs(report) == [{1: 1, 2: 2, 3: 3}]
    assert len(report.lives[0].files) == 3


def test_files_of_two_clusters_are_kept_apart(tmp_path: Path) -> None:
    report = audited(tmp_path, b1=[states(1, 1), states(1, 2)], b2=[hears(2, 5, 1), states(2, 2)])
    assert epochs(report) == [{1: 1, 2: 1}, {1: 5, 2: 2}]
    assert findings(report) == []
    assert {"KR104", "KR204", "KR301", "KR302"} <= evaluated(report)


def test_logs_of_brokers_alone_have_lives_and_nothing_to_check(tmp_path: Path) -> None:
    report = audited(tmp_path, b1=[hears(1, 1, 1)])
    assert epochs(report) == [{1: 1}]
    assert report.verdict == "nothing-to-check"


def test_files_that_share_no_statement_are_kept_apart(tmp_path: Path) -> None:
    assert len(audited(tmp_path, b1=[states(1, 1)], b2=[states(2, 2)]).lives) == 2


def test_a_history_that_contradicts_is_no_way_to_match(tmp_path: Path) -> None:
    """Broker 1 saw two lives with an epoch 2; only in the first is broker 1 its controller, as broker 2 heard."""
    first, second = [states(1, 1, created=True), states(1, 2)], [states(1, 1, created=True), hears(1, 3, 2)]
    report = audited(tmp_path, b1=[*first, *second], b2=[hears(2, 1, 2), states(2, 3)])
    assert sorted(epochs(report), key=len) == [{1: 1, 2: 3}, {1: 1, 2: 1, 3: 2}]


@pytest.mark.parametrize(("later", "lives"), [(0, 1), (100_000, 2)], ids=["at one time", "at two times"])
def test_two_logs_of_a_broker_are_of_one_life_only_if_of_one_time(later: int, lives: int, tmp_path: Path) -> None:
    for name, at in (("state-change.log", 0), ("other.log", later)):
        said = [render(replace(event, ts=START + 1000 * at + 1), "2.0.0") for event in states(1, 4)]
        (tmp_path / name).write_text("".join(f"{line}\n" for line in said))
    (report,) = audit([str(tmp_path)], Options(engine="python"))
    assert len(report.lives) == lives


def test_two_ways_to_match_are_none_and_said(tmp_path: Path) -> None:
    wiped = [states(1, 1, created=True), states(1, 2), states(1, 1, created=True)]
    report = audited(tmp_path, b1=wiped, b2=[hears(2, 1, 1)])
    assert len(report.lives) == 3
    assert any("kept apart" in note for note in report.notes)


def test_a_chain_of_agreements_joins_only_what_agrees_as_a_whole(tmp_path: Path) -> None:
    """1 agrees with 2 on epoch 1 and 3 with 2 on epoch 2, but 1 and 3 contradict each other on epoch 3."""
    report = audited(
        tmp_path,
        b1=[states(1, 1), hears(1, 8, 3)],
        b2=[hears(2, 1, 1), hears(2, 2, 2)],
        b3=[hears(3, 2, 2), states(3, 3)],
    )
    assert len(report.lives) == 2


def _file(index: int, name: str, first_ts: int, hour: int | None = None, lossy: str | None = None) -> LogFile:
    return LogFile(index, 0, name, "d", "state-change", first_ts, hour, 0, lossy)


def _run(file: int, epoch: int, first: int = 1, last: int = 9) -> Run:
    return Run(file, first, last, 1, epoch, file * 10, file * 10 + 5, 0, 0)


def test_a_start_is_seen_only_after_an_earlier_epoch_with_no_hour_missing() -> None:
    files = [_file(0, "a", 0, 10), _file(1, "b", 10, 11), _file(2, "c", 20, 13), _file(3, "d", 30, 14)]
    found = histories(files, [_run(0, 1), _run(1, 2), _run(2, 3), _run(3, 4)], [])
    assert [(span.epoch, span.start_seen, span.block) for span in found.spans] == [
        (1, False, 0),
        (2, True, 0),
        (3, False, 1),
        (4, True, 1),
    ]
    assert [span.known_since for span in found.spans] == [1, 1, 3, 3]


def test_a_heard_epoch_is_earlier_too() -> None:
    found = histories([_file(0, "a", 0)], [_run(0, 2, 5, 9)], [BrokerReport(0, 1, 4, 7, 1)])
    assert [span.start_seen for span in found.spans] == [True]


def test_rotated_files_are_ordered_by_their_first_times_and_named_by_hours() -> None:
    files = [_file(0, "z", 20), _file(1, "a", 10), _file(2, "b", 30)]
    found = histories(files, [_run(0, 2), _run(1, 1), _run(2, 3)], [])
    assert sorted((span.base, span.epoch) for span in found.spans) == sorted((s.base, s.epoch) for s in found.spans)
    assert [e for _, e in sorted((span.base, span.epoch) for span in found.spans)] == [1, 2, 3]
    assert len(found.lives) == 1


def test_an_epoch_with_lossy_lines_is_known_since_none() -> None:
    files = [_file(0, "a", 0), _file(1, "b", 10, lossy="console"), _file(2, "c", 20)]
    found = histories(files, [_run(0, 1), _run(1, 2), _run(2, 3)], [])
    assert {span.epoch: span.known_since for span in found.spans} == {1: 1, 2: 3, 3: 3}
    assert [span.lossy for span in found.spans] == [False, True, False]


def test_an_epoch_that_goes_on_in_the_next_file_is_no_turn() -> None:
    files = [_file(0, "a", 0), _file(1, "b", 10)]
    assert histories(files, [_run(0, 3), _run(1, 3)], []).epoch_changes == ()
    assert [change.controller_epoch for change in histories(files, [_run(0, 3), _run(1, 4)], []).epoch_changes] == [4]


@pytest.mark.parametrize(
    ("former", "later", "level", "lasts", "seen"),
    [
        ("<=2.5", ">=2.6", "INFO", 5, "INFO"),
        (">=2.4", ">=2.4", "INFO", 5, "INFO"),
        (">=2.3", ">=2.3", "ERROR", 5, "ERROR"),
        ("2.2", "2.2", "ERROR", 5, "TRACE"),
        ("2.2", "2.2", "ERROR", 60_000, "ERROR"),
    ],
    ids=["upgraded", "restarted at INFO", "restarted at ERROR", "too short to tell", "up to 2.2 too, if it lasts"],
)
def test_a_level_is_told_by_the_lines_of_a_tenure(former: str, later: str, level: str, lasts: int, seen: str) -> None:
    """Levels change with a restart. A failover up to 2.2 may log an ERROR and nothing else at TRACE too."""
    runs = [
        replace(
            _run(0, epoch, first, first + 8),
            level=LEVELS.index(level),
            evidence=(WordingLine(0, first, "replica-moved", span(releases)),),
            last_ts=last_ts,
        )
        for epoch, first, level, releases, last_ts in ((1, 1, "TRACE", former, 5), (2, 10, level, later, lasts))
    ]
    found = histories([replace(_file(0, "a", 0), level=LEVELS.index("TRACE"))], runs, [])
    assert [each.seen_level for each in found.spans] == ["TRACE", seen]


def test_lines_between_two_epochs_of_a_file_are_of_the_first() -> None:
    """And those before the first line of a file are, where the epoch goes on from the file before."""
    files = [_file(0, "a", 0), _file(1, "b", 10)]
    found = histories(files, [_run(0, 1, 5, 9), _run(0, 2, 20, 30), _run(1, 2, 3, 4)], [])
    assert [(each.epoch, each.since, each.until) for each in found.spans] == [
        (1, 5, 19),
        (2, 20, LINES_PER_FILE),
        (2, 1, LINES_PER_FILE),
    ]


@pytest.mark.full
@pytest.mark.parametrize("release", ["1.0.0", "2.0.0", "2.8.1"])
def test_generated_wipes_join_no_two_lives(release: str, tmp_path: Path) -> None:
    """However brokers and epochs repeat: a life never has a tenure of two clusters."""
    for seed in range(4):
        made = history(seed, release, wipes=2)
        folder = save(tmp_path / str(seed), texts(made.written, release))
        (report,) = audit([str(folder)], Options(engine="python"))
        assert len(report.lives) >= 3
        assert not {f.rule for f in report.findings if f.verdict == "illegal"} - {"KR401"}
        assert COMPARING | {"KR101", "KR102", "KR301"} <= evaluated(report)


@pytest.mark.parametrize(("release", "seed"), [("1.1.1", 0), ("1.1.1", 20), ("2.5", 38), ("2.5", 55), ("3.9", 16)])
def test_what_two_lives_say_under_one_epoch_contradicts_nothing(release: str, seed: int, tmp_path: Path) -> None:
    """Wiped clusters in which the same brokers came to the same epochs again, so that no epoch falls."""
    made = history(seed, release, wipes=2 if seed in (20, 38) else 1)
    (report,) = audit([str(save(tmp_path, texts(made.written, release)))], Options(engine="python"))
    assert not {f.rule for f in report.findings if f.verdict == "illegal"} - {"KR401"}
    assert COMPARING | {"KR101", "KR102", "KR304"} <= evaluated(report)


@pytest.mark.parametrize("moved", [False, True], ids=["again", "elsewhere"])
def test_lines_of_an_earlier_epoch_that_keep_their_times_are_no_fall(moved: bool, tmp_path: Path) -> None:
    """Whoever made the file put them there: again, or instead of where they were written."""
    events = [*states(1, 1, created=True), *states(1, 2), *states(1, 3), *states(1, 3, "u")]
    lines = [render(replace(event, ts=START + 10_000 * i), "2.0.0") for i, event in enumerate(events)]
    lines[4:4] = lines[:2]
    if moved:
        del lines[:2]
    (report,) = audit([str(save(tmp_path, {1: lines}))], Options(engine="python"))
    assert not report.findings
    assert [note for note in report.notes if ("its times go back" if moved else "twice") in note]
    assert epochs(report) == [{1: 1, 2: 1, 3: 1}]


def test_lines_of_an_earlier_epoch_with_later_times_are_a_fall(tmp_path: Path) -> None:
    events = [*states(1, 1, created=True), *states(1, 2), *states(1, 3), *states(1, 2, "v"), *states(1, 3, "u")]
    lines = [render(replace(event, ts=START + 10_000 * i), "2.0.0") for i, event in enumerate(events)]
    (report,) = audit([str(save(tmp_path, {1: lines}))], Options(engine="python"))
    assert [f.rule for f in report.findings if f.verdict == "illegal"] == ["KR301"]


def test_wordings_that_contradict_each_other_tell_of_no_release(tmp_path: Path) -> None:
    """A move that no release allows is illegal then too; one that some allow is not decided."""
    speaks = "[2018-08-03 12:00:0{},000] TRACE [Controller id=1 epoch=1] Changed state of replica 1 for partition {}-0"
    moved = speaks + " from {} to {} (state.change.logger)"
    old = "[2018-08-03 12:00:00,000] TRACE Controller 1 epoch 1 changed state of replica 1 for partition [u,0]"
    lines = [
        f"{old} from OnlineReplica to OnlineReplica (state.change.logger)",
        moved.format(1, "t", "NonExistentReplica", "OnlineReplica"),
        moved.format(2, "v", "OfflineReplica", "ReplicaDeletionIneligible"),
    ]
    (report,) = audit([str(save(tmp_path, {1: lines}))], Options(engine="python"))
    assert [(f.rule, f.verdict, f.line) for f in report.findings] == [("KR101", "illegal", 2), ("KR101", "unknown", 3)]
