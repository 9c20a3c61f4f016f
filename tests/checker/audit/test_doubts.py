"""Reasons that make a finding doubtful: a creation that may be missing between its two lines, a line that lacks
another."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from isrproof.checker.audit.catalogue import lines_read
from isrproof.checker.audit.command import audit, audit_command
from isrproof.checker.audit.doubt.excuses import EXCUSES, creations
from isrproof.checker.audit.doubt.signs import SIGNS, names
from isrproof.checker.audit.files.file import LogFile
from isrproof.checker.audit.history.doubts import EFFECTS, MIXED, raised
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import Report
from isrproof.checker.audit.rules.catalogue import rules
from isrproof.checker.audit.rules.shown_by import EPOCH_DIFFERS, NOTHING_LED_THERE, NOTHING_MOVED
from isrproof.checker.audit.sources.metadata.chronicle import Chronicle
from isrproof.checker.audit.sources.nodes.others import (
    ids_take_turns,
    led_by_no_voter,
    voters_of_two,
    wordings_take_turns,
)
from isrproof.checker.audit.sources.nodes.raft import COLUMNS, raft_rows, walked
from isrproof.checker.audit.table.protocol import Row
from isrproof.traces.cases import cases

from lab.mangled import handed
from lab.mangled.harness import written_to
from lab.mangled.parts import RECORDED_KRAFT, read, recorded
from lab.mangled.ways import mangled


def elected(leader: int, epoch: int, version: int, isr: str = "1, 2", before: str = "OnlinePartition") -> str:
    state = f"LeaderAndIsr(leader={leader}, leaderEpoch={epoch}, isr=List({isr}), zkVersion={version})"
    return f"TRACE [Controller id=3 epoch=1] Changed partition t-0 from {before} to OnlinePartition with state {state}"


def state(leader: int, epoch: int, version: int, isr: str = "1, 2") -> str:
    znode = f"controllerEpoch=1, leader={leader}, leaderEpoch={epoch}, isr=[{isr}], zkVersion={version}"
    return f"PartitionState({znode}, replicas=[1, 2], offlineReplicas=[])"


def told(leader: int, epoch: int, version: int, isr: str = "1, 2") -> str:
    said = f"Sending UpdateMetadata request {state(leader, epoch, version, isr)} to brokers Set(1, 2, 3)"
    return f"TRACE [Controller id=3 epoch=1] {said} for partition t-0"


def cached(leader: int, epoch: int, version: int, isr: str = "1, 2", request: int = 4) -> str:
    said = f"Cached leader info {state(leader, epoch, version, isr)} for partition t-0 in response to"
    sent = f"UpdateMetadata request sent by controller 3 epoch 1 with correlation id {request}"
    return f"TRACE [Broker id=3] {said} {sent}"


def reassigned(leader: int, epoch: int, isr: str) -> str:
    said = f"Sent LeaderAndIsr request (Leader:{leader},ISR:{isr},LeaderEpoch:{epoch},ControllerEpoch:1) with new"
    return (
        f"TRACE [Controller id=3 epoch=1] {said} assigned replica list 2,1 to leader {leader} for partition being"
        " reassigned t-0"
    )


OFFLINE = "TRACE [Controller id=3 epoch=1] Changed partition t-0 state from OnlinePartition to OfflinePartition"


def written(folder: Path, *lines: str) -> None:
    """Write lines a second apart."""
    text = "".join(f"[2018-09-01 10:00:{i:02},000] {line} (state.change.logger)\n" for i, line in enumerate(lines))
    (folder / "state-change.log").write_text(text)


def found(folder: Path, code: str, *lines: str) -> list[str]:
    """The verdicts of a rule on lines a second apart."""
    written(folder, *lines)
    (report,) = audit([str(folder)], Options(engine="python"))
    return [finding.verdict for finding in report.findings if finding.rule == code]


NEW = elected(1, 0, 0, before="NewPartition")
NEXT, OLD, JUMP = elected(2, 1, 1), told(1, 0, 0), elected(1, 5, 2)


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        ((NEW, NEXT, JUMP), "illegal"),
        # The version falls, and what is printed then may be another partition of that name.
        ((NEW, NEXT, OLD, JUMP), "suspicious"),
        # It may be one, but it goes on as the first did.
        ((NEW, NEXT, OLD, told(2, 1, 1), JUMP), "illegal"),
        # A controller sends what it had in its memory (KAFKA-9212), then what it wrote, then the old state again.
        ((NEW, NEXT, OLD, told(2, 1, 1), OLD, JUMP), "suspicious"),
        # The same state below the jump: versions may have grown to it once more.
        ((NEW, NEXT, OLD, JUMP, told(2, 1, 1)), "suspicious"),
    ],
)
def test_a_creation_between_is_doubted_where_the_state_before_is_not_printed_again(
    tmp_path: Path, lines: tuple[str, ...], verdict: str
) -> None:
    assert found(tmp_path, "KR206", *lines) == [verdict]


def test_a_line_without_a_version_is_compared_by_its_leader_epoch(tmp_path: Path) -> None:
    """The ISR has changed twice in one leader epoch: the line of a reassignment prints the epoch only."""
    changed = told(2, 1, 3)
    assert found(tmp_path, "KR206", NEW, NEXT, changed, reassigned(2, 1, "1,2"), elected(1, 5, 4)) == ["illegal"]


def test_nor_is_a_leader_epoch_that_falls_without_a_version_no_sign(tmp_path: Path) -> None:
    changed = told(2, 1, 3)
    assert found(tmp_path, "KR206", NEW, NEXT, changed, reassigned(2, 0, "1,2"), elected(1, 5, 4)) == ["suspicious"]


# ---- Lines that belong together


FIRST, AFTER = (2, 1, 1), (2, 2, 2)


def test_what_was_sent_last_may_be_refused(tmp_path: Path) -> None:
    """A broker takes requests in turn: that it did not cache the last one shows no missing line, though it cached an
    earlier one below."""
    lines = (NEW, told(1, 0, 0), cached(1, 0, 0), OFFLINE, told(1, 0, 0), elected(*FIRST), told(*FIRST), OLD, OLD)
    assert found(tmp_path, "KR104", *lines, cached(1, 0, 0, request=5)) == ["suspicious"]


def test_what_was_sent_before_it_is_cached(tmp_path: Path) -> None:
    lines = (NEW, told(1, 0, 0), cached(1, 0, 0), OFFLINE, elected(*FIRST), told(*FIRST), told(*AFTER))
    assert found(tmp_path, "KR104", *lines, cached(*AFTER)) == ["unknown"]


REDACTED = (("redacted", 1),)


def of_one_name(recording: str, folder: Path) -> Report:
    """A recording in which all topics were given one name."""
    path = recorded()[recording]
    written_to(mangled(read(path), REDACTED, 1), folder, path)
    (report,) = audit([str(folder)], Options(engine="python"))
    return report


def test_two_topics_of_one_name_are_seen_by_their_ids(tmp_path: Path) -> None:
    report = of_one_name("isr-flap-3.9.1", tmp_path)
    assert [finding.rule for finding in report.findings if finding.verdict == "illegal"] == []
    assert any("missing, or belong to another cluster" in note for note in report.notes)


@pytest.mark.parametrize(("requests", "verdict"), [(1, "illegal"), (2, "unknown")])
def test_two_topics_of_one_name_are_seen_where_requests_name_a_partition_twice(
    tmp_path: Path, requests: int, verdict: str
) -> None:
    """2.0 prints no ids. One line more than there should be may be a fault; of two requests it is the names."""
    lines = [
        NEW,
        NEXT,
        "TRACE [Controller id=3 epoch=1] Changed partition t-0 from NewPartition to OnlinePartition",
    ]
    lines[2] += " with state LeaderAndIsr(leader=2, leaderEpoch=1, isr=List(1, 2), zkVersion=1)"
    taken = [cached(leader, leader - 1, leader - 1, request=4 + i) for i in range(requests) for leader in (1, 2)]
    times = [*range(len(lines)), *(10 + i // 2 for i in range(len(taken)))]
    text = "".join(
        f"[2018-09-01 10:00:{at:02},000] {line} (state.change.logger)\n"
        for at, line in zip(times, [*lines, *taken], strict=True)
    )
    (tmp_path / "state-change.log").write_text(text)
    (report,) = audit([str(tmp_path)], Options(engine="python"))
    assert [finding.verdict for finding in report.findings if finding.rule == "KR104"] == [verdict]


def test_a_line_that_lists_a_partition_twice_is_read(tmp_path: Path) -> None:
    assert of_one_name("isr-flap-2.0.0", tmp_path).findings


def test_a_topic_that_was_deleted_between_is_another_one(tmp_path: Path) -> None:
    one, other = (f"Some({letter * 22})" for letter in "AB")
    begins = "starts at leader epoch {} from offset 0 with partition epoch {}, high watermark 0, ISR [1], adding"
    starts = "[2023-09-01 10:00:0{},000] INFO [Broker id=1] Leader t-0 with topic id {} " + begins
    rest = " replicas [] and removing replicas [] . Previous leader epoch was {}. (state.change.logger)\n"
    gone = f"t-0 is renamed to /d1/t-0.{'0' * 32}-delete and is scheduled for deletion"
    server = [
        "[2023-09-01 10:00:00,000] INFO starting (kafka.server.KafkaServer)\n",
        f"[2023-09-01 10:00:04,000] INFO Log for partition {gone} (kafka.log.LogManager)\n",
        "[2023-09-01 10:00:09,000] INFO [KafkaServer id=1] shutting down (kafka.server.KafkaServer)\n",
    ]
    lines = [(starts + rest).format(1, one, 3, 3, -1), (starts + rest).format(6, other, 4, 4, 3)]
    (tmp_path / "state-change.log").write_text("".join(lines))
    for deleted in (True, False):
        (tmp_path / "server.log").write_text("".join(server if deleted else (server[0], server[2])))
        (report,) = audit([str(tmp_path)], Options(engine="python"))
        assert any("missing, or belong to another cluster" in note for note in report.notes) is not deleted


def test_a_topic_never_comes_back(tmp_path: Path) -> None:
    one, other = (letter * 22 for letter in "AB")
    begins = "[2023-09-01 10:00:0{},000] INFO [Broker id=1] Leader t-0 with topic id Some({}) starts at leader epoch {}"
    rest = " from offset 0 with partition epoch {}, high watermark 0, ISR [1], adding replicas [] and removing replicas"
    ends = " [] . Previous leader epoch was {}. (state.change.logger)\n"
    lines = [
        (begins + rest + ends).format(second, topic, epoch, epoch, before)
        for second, topic, epoch, before in ((1, one, 3, -1), (2, other, 4, 3), (3, one, 5, 4))
    ]
    for shown in (2, 3):
        (tmp_path / "state-change.log").write_text("".join(lines[:shown]))
        (report,) = audit([str(tmp_path)], Options(engine="python"))
        assert any("missing, or belong to another cluster" in note for note in report.notes) is (shown == 3)


def test_which_of_two_lines_was_first_is_not_known_where_the_upper_one_is_later(tmp_path: Path) -> None:
    """Lines of one second stand in any order: a leader's change of an ISR below the line that it is written."""
    path = recorded()["isr-flap-3.5.2"]
    written_to(mangled(read(path), (("seconds shuffled", 1),), 406), tmp_path, path)
    (report,) = audit([str(tmp_path)], Options(engine="python"))
    found = [finding for finding in report.findings if finding.rule == "KR604"]
    assert {finding.verdict for finding in found} == {"suspicious"}
    assert any(finding.assumption == "order" for finding in found)


def test_no_epoch_is_known_to_be_taken_back_among_lines_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def verdicts() -> set[str]:
        (report,) = audit([str(tmp_path)], Options(engine="python"))
        return {finding.verdict for finding in report.findings if finding.rule == "KR301"}

    cases()["KR301"].excerpts[0].write(tmp_path)
    assert verdicts() == {"illegal"}
    doubted = raised(MIXED, [0], names.SIGN.name)
    monkeypatch.setattr("isrproof.checker.audit.pipeline.raised_by", lambda _: doubted)
    assert verdicts() == {"suspicious"}


# ---- Why something is not illegal


def test_a_finding_that_lines_in_doubt_keep_from_being_illegal_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a doubt it is illegal, and has nothing to say."""

    def answered() -> tuple[str, str | None]:
        answer = audit_command([str(tmp_path)], Options(engine="python", verbose=True))
        (report,) = audit([str(tmp_path)], Options(engine="python"))
        (finding,) = (finding for finding in report.findings if finding.rule == "KR206")
        return answer.text, finding.not_illegal_because

    written(tmp_path, NEW, NEXT, JUMP)
    text, why = answered()
    assert why is None
    assert "not illegal" not in text
    assert "in doubt" not in text
    doubted = raised(MIXED, [0], names.SIGN.name)
    monkeypatch.setattr("isrproof.checker.audit.pipeline.raised_by", lambda _: doubted)
    text, why = answered()
    assert why == "any line may be missing here"
    assert f"not illegal, because {why}: {names.SIGN.shows}" in text
    assert f"  all lines: {MIXED.means}, because {names.SIGN.shows}" in text


def test_a_finding_that_an_excuse_explains_says_so(tmp_path: Path) -> None:
    written(tmp_path, NEW, NEXT, OLD, JUMP)
    (report,) = audit([str(tmp_path)], Options(engine="python"))
    (finding,) = (finding for finding in report.findings if finding.rule == "KR206")
    assert (finding.verdict, finding.not_illegal_because) == ("suspicious", creations.EXCUSE.says)


def test_every_rule_names_excuses_and_signs_that_there_are() -> None:
    every = {name for rule in rules().values() for name in rule.excuses}
    assert every == {excuse.name for excuse in EXCUSES}
    assert {name for rule in rules().values() for name in rule.shows} == {
        NOTHING_LED_THERE,
        NOTHING_MOVED,
        EPOCH_DIFFERS,
    }
    assert len({sign.name for sign in SIGNS}) == len(SIGNS)
    assert {sign.effect for sign in SIGNS} == set(EFFECTS)
    assert {line for sign in SIGNS for line in sign.lines} <= lines_read()


ENDED = [
    "TRACE [Broker id=3] Received LeaderAndIsr request PartitionState(controllerEpoch=1, leader=1, leaderEpoch=0,"
    " isr=1,3, zkVersion=0, replicas=1,3, isNew=false) correlation id 1 from controller 1 epoch 1 for partition t-0",
    "TRACE [Broker id=3] Completed LeaderAndIsr request correlationId 1 from controller 1 epoch 1 for the"
    " become-follower transition for partition t-0 with leader 2",
]
OLDER = (
    "TRACE Broker 3 handling LeaderAndIsr request correlationId {} from controller 1 epoch 1 starting the"
    " become-follower transition for partition t-1"
)


def started(folder: Path, *times: str) -> None:
    """server.log, with the starts of the broker's processes."""
    lines = [f"[2018-09-01 {time},500] INFO starting (kafka.server.KafkaServer)" for time in times]
    last = "[2018-09-01 10:50:00,000] INFO [KafkaServer id=3] shutting down (kafka.server.KafkaServer)"
    (folder / "server.log").write_text("".join(f"{line}\n" for line in (*lines, last)))


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ([], [], "illegal"),
        ([OLDER.format(0)], [], "illegal"),  # a broker may be upgraded
        ([OLDER.format(0)], [OLDER.format(2)], "suspicious"),  # and does not go back by itself
    ],
)
def test_a_broker_whose_wordings_take_turns_has_lines_of_others(
    tmp_path: Path, before: list[str], after: list[str], verdict: str
) -> None:
    started(tmp_path, "09:00:00")
    assert found(tmp_path, "KR649", *before, *ENDED, *after) == [verdict]


def test_two_starts_lie_between_an_upgrade_and_its_end(tmp_path: Path) -> None:
    started(tmp_path, "09:00:00", "10:00:00", "10:00:02")
    assert found(tmp_path, "KR649", OLDER.format(0), *ENDED, OLDER.format(2)) == ["illegal"]


def test_the_lines_of_one_tenure_are_of_one_release(tmp_path: Path) -> None:
    told_twice = [told(1, 0, 0), told(2, 0, 0)]
    assert found(tmp_path, "KR207", *told_twice) == ["illegal"]
    older = "TRACE Controller 3 epoch 1 started leader election for partition [t,1]"
    assert found(tmp_path, "KR207", *told_twice, older) == ["suspicious"]


def test_what_the_metadata_log_shows_of_other_clusters_is_known_of_brokers_lines_too(tmp_path: Path) -> None:
    """Another cluster of KRaft within a recording: no fetcher is then from a broker that surely leads nothing."""
    recording = recorded()["kraft-jbod-3.7.2"]
    inside = handed.another_inside((RECORDED_KRAFT / "unclean-3.9.1",))
    files = inside(read(recording), random.Random("12951 another cluster inside 2"), 2)
    written_to(files, tmp_path, recording)
    (report,) = audit([str(tmp_path)], Options(engine="python"))
    assert [each.rule for each in report.findings if each.verdict == "illegal"] == []
    assert any("lines of another cluster are among these" in note for note in report.notes)
    assert any(each.rule == "KR610" for each in report.findings)


A, B, BOTH = 0b001, 0b010, 0b011


@pytest.mark.parametrize(
    ("wordings", "mixed"),
    [
        ([(A, 1), (B, 1)], False),  # a start is not seen
        ([(A, 1), (B, 1), (A, 1)], True),
        ([(A, 1), (B, 1), (A, 2)], True),
        ([(A, 1), (B, 2), (A, 3)], False),  # upgraded, and taken back
        ([(A, 1), (B, 2), (A, 2)], True),
        ([(A, 1), (BOTH, 1), (A, 1)], False),
        ([(A, 1), (BOTH, 1), (B, 1), (BOTH, 1)], False),
        ([(A, 1), (A, 2), (B, 2), (A, 3), (A, 4)], True),
        ([(A, 1), (B, 3), (A, 5), (B, 5)], False),
        ([(A, 1), (B, 3), (A, 5), (B, 5), (A, 5)], True),
    ],
)
def test_a_node_whose_wordings_take_turns_has_lines_of_others(wordings: list[tuple[int, int]], mixed: bool) -> None:
    lines = [{"cluster": 0, "file": 0, "node": 1, "releases": each, "process": process} for each, process in wordings]
    assert bool([*wordings_take_turns(lines)]) == mixed


@pytest.mark.parametrize(
    ("leader", "voters", "change", "from_start", "mixed"),
    [
        (11, {1, 2, 3}, False, False, True),
        (3, {1, 2, 3}, False, False, False),
        (None, {1, 2, 3}, False, False, False),
        (11, set(), False, False, False),  # neither a record nor quorum-state tells the voters
        (11, {1, 2, 3}, True, False, False),  # it may have been removed before the first record that is here
        (11, {1, 2, 3}, True, True, True),
    ],
)
def test_a_leader_that_never_was_a_voter_is_led_by_no_voter(
    leader: int | None, voters: set[int], change: bool, from_start: bool, mixed: bool
) -> None:
    log = Chronicle(voters=voters, voters_change=change, from_start=from_start)
    line = {"cluster": 0, "row": "raft-state", "raft_state": "Follower", "node": 1, "leader": leader}
    assert bool([*led_by_no_voter([line, line], {0: log})]) == mixed
    assert not [*led_by_no_voter([line], {0: log})]
    assert not [*led_by_no_voter([line, line], {1: log})]


@pytest.mark.parametrize(
    ("voters", "mixed"),
    [
        ([(1, 2, 3), (11, 12, 13)], True),
        ([(1, 2, 3), (2, 3, 4), None], False),
        ([(1, 2, 3), (2, 3, 4), (4, 5)], True),
        ([(), (1, 2, 3)], False),
    ],
)
def test_two_sets_of_voters_with_none_in_common_are_of_two_quorums(
    voters: list[tuple[int, ...] | None], mixed: bool
) -> None:
    lines = [{"cluster": 0, "row": "raft-state", "replicas": each} for each in voters]
    assert bool([*voters_of_two(lines)]) == mixed


@pytest.mark.parametrize(
    ("named", "mixed"),
    [
        ([(0, 1, "A"), (0, 2, "A"), (1, 3, "A")], False),
        ([(0, 1, "A"), (0, 3, "B"), (1, 2, "A"), (1, 4, "B")], False),  # formatted anew
        ([(0, 1, "A"), (0, 2, "B"), (0, 3, "A")], True),
        ([(0, 1, "A"), (1, 2, "B"), (2, 3, "A")], True),
        ([(0, 2, "A"), (0, 1, "B")], True),  # the one stands first, and was written later
        ([(0, None, "A"), (0, 1, "B")], False),
    ],
)
def test_ids_that_take_turns_are_of_two_clusters(named: list[tuple[int, int | None, str]], mixed: bool) -> None:
    lines = [
        {"cluster": 0, "row": "controller-of-cluster", "file": file, "ts": ts, "detail": id} for file, ts, id in named
    ]
    assert bool([*ids_take_turns(lines)]) == mixed


def of_quorum(line: int, **columns: object) -> Row:
    return dict.fromkeys(COLUMNS) | {"file": 0, "line": line, "ts": line, "speaker": 1} | columns


def test_an_epoch_below_one_that_any_line_told_begins_another_life() -> None:
    known = of_quorum(1, row="raft-high-watermark", raft_epoch=9)
    anew = of_quorum(2, row="raft-state", raft_epoch=0, from_raft_state="null")
    files = {0: LogFile(0, 0, "a", "d", "server")}
    assert [row["quorum_life"] for row in walked([known, anew], files)] == [0, 1]
    assert [row["quorum_life"] for row in walked([known | {"raft_epoch": 0}, anew], files)] == [0, 0]


@pytest.mark.parametrize("others", [frozenset(), frozenset({0})])
def test_lines_of_the_quorum_are_compared_in_doubt_among_those_of_others(others: frozenset[int]) -> None:
    rows = [of_quorum(9 - epoch, row="raft-state", raft_state="Resigned", raft_epoch=epoch) for epoch in (5, 4)]
    files = {0: LogFile(0, 0, "a", "d", "server")}
    found = [row for name, row in raft_rows(walked(rows, files), files, {}, others) if name == "quorum_states"]
    assert [row["lossy"] for row in found] == [bool(others)] * 2


@pytest.mark.parametrize("goes_back", [False, True])
def test_what_nodes_tell_is_not_compared_where_times_go_back(goes_back: bool) -> None:
    lines = [of_quorum(at, row="raft-state", raft_state="Leader", raft_epoch=1, speaker=at) for at in (1, 2)]
    files = {0: LogFile(0, 0, "a", "d", "server", goes_back=goes_back)}
    found = [row for name, row in raft_rows(walked(lines, files), files, {}) if name == "quorum_leaders"]
    assert [row["one_life"] for row in found] == [not goes_back] * 2
