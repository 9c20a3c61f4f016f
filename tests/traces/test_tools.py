"""Output of Kafka's tools is recognised, alone, among prose and beside logs; what it shows is said in one line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.findings.happened import Happened
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.happened_text import lines
from isrproof.specs.errors import IsrproofError
from isrproof.traces.tools.outputs import output

from tests.recordings import RECORDED

DESCRIBED = """Topic: ev	TopicId: 9J4	PartitionCount: 4	ReplicationFactor: 3	Configs: min.insync.replicas=2
	Topic: ev	Partition: 0	Leader: 1	Replicas: 1,2,3	Isr: 1,2,3	Elr: 	LastKnownElr: 
	Topic: ev	Partition: 1	Leader: none	Replicas: 2,3,1	Isr: 	Elr: 3	LastKnownElr: 2
	Topic: ev	Partition: 2	Leader: 3	Replicas: 3,1,2	Isr: 3	Elr: 	LastKnownElr: 
	Topic: ev	Partition: 3	Leader: 1	Replicas: 3,1,2	Isr: 3,2	Elr: 	LastKnownElr: """
OLD = """Topic:t	PartitionCount:1	ReplicationFactor:1	Configs:
	Topic: t	Partition: 0	Leader: -1	Replicas: 5	Isr: 5"""
STATUS = """ClusterId:              fMCL8kv1SWm87L_Md-I2hg
LeaderId:               3002
LeaderEpoch:            2
HighWatermark:          10
MaxFollowerLag:         7
CurrentVoters:          [{"id": 3000, "directoryId": "a", "endpoints": ["CONTROLLER://h:9093"]}, {"id": 3002}]
CurrentObservers:       [0,1,2]"""
NO_LEADER = STATUS.replace("3002\n", "-1\n", 1)
REPLICATION = """NodeId  DirectoryId             LogEndOffset  Lag  LastFetchTimestamp  LastCaughtUpTimestamp  Status
3002    9J4mXlEBQ5qF1oJmQm0v1A  1000            0       1740000000000           1740000000000           Leader
3000    9J4mXlEBQ5qF1oJmQm0v1B  990             10      1740000000000           1740000000000           Follower"""
VERIFY = """Status of partition reassignment:
Reassignment of partition ev-0 is completed.
Reassignment of partition [ev,2] completed successfully
Reassignment of partition ev-1 is still in progress.

Clearing broker-level throttles on brokers 1,2,3"""
SHOWN = [
    (
        DESCRIBED,
        "kafka-topics --describe: 4 partitions at one moment; without a leader: ev-1 (of 3 one must come back);"
        " under-replicated: ev-2 (ISR 3 of 3, 1, 2), ev-3 (ISR 3, 2 of 3, 1, 2); under min ISR: ev-1 (0 of 2), ev-2"
        " (1 of 2); led from outside the ISR: ev-3 (by 1, ISR 3, 2)",
    ),
    (OLD, "kafka-topics --describe: 1 partition at one moment; without a leader: t-0 (of 5 one must come back)"),
    (
        STATUS,
        "kafka-metadata-quorum describe: 3002 leads, epoch 2, high watermark 10, voters 3000, 3002, largest lag 7",
    ),
    (
        NO_LEADER,
        "kafka-metadata-quorum describe: no leader, epoch 2, high watermark 10, voters 3000, 3002, largest lag 7",
    ),
    (REPLICATION, "kafka-metadata-quorum describe: 3002 leads, its log ends at 1000; behind: 3000 (10)"),
    (VERIFY, "kafka-reassign-partitions --verify: 2 complete (ev-0, ev-2); 1 still in progress (ev-1)"),
]


HAPPENED = [
    (
        DESCRIBED,
        [
            "leader-shown ev-0: led by 1, ISR 1, 2, 3, replicas 1, 2, 3",
            "!offline ev-1: ISR empty, replicas 2, 3, 1",
            "!under-min-isr ev-2: min.insync.replicas is 2; led by 3, ISR 3, replicas 3, 1, 2",
            "!under-replicated ev-2: led by 3, ISR 3, replicas 3, 1, 2",
            "!under-replicated ev-3: led by 1, ISR 3, 2, replicas 3, 1, 2",
        ],
    ),
    (OLD, ["!offline t-0: ISR 5, replicas 5"]),
    (STATUS, ["quorum-led 3002: None"]),
    (NO_LEADER, ["!quorum-without-leader None: None"]),
    (REPLICATION, ["metadata-behind 3000: voter, 10 records behind"]),
    (VERIFY, ["reassignment-running ev: partition 1 is in progress"]),
]
LAGGING = """NodeId  LogEndOffset  Lag  LastFetchTimestamp  LastCaughtUpTimestamp  Status
3002    1000   0    1740000100000  1740000100000  Leader
3000    999    1    1740000099900  1740000099400  Follower
3001    400    600  1740000099900  1740000040000  Follower
3003    100    900  1740000010000  1740000010000  Follower
3004    0      1000 -1             -1             Follower
1       990    10   1740000099900  1740000099400  Observer
2       1000   0    1740000099900  1740000099900  Observer"""
AGO = """NodeId  DirectoryId             LogEndOffset  Lag  LastFetchTimestamp  LastCaughtUpTimestamp  Status
3002    9J4mXlEBQ5qF1oJmQm0v1A  1000            0       1 ms ago   1 ms ago   Leader
3001    9J4mXlEBQ5qF1oJmQm0v1B  400             600     90 ms ago  60001 ms ago  Follower
3003    9J4mXlEBQ5qF1oJmQm0v1C  1000            0       90 ms ago  90 ms ago  Follower"""
BEHIND = [
    (
        LAGGING,
        [
            ("metadata-behind", 3000, 600, False, "voter, 1 record behind"),
            ("metadata-behind", 3001, 60_000, True, "voter, 600 records behind"),
            ("voter-unreachable", 3003, None, True, "its last fetch was 90.0 s ago, 900 records behind"),
            ("voter-unreachable", 3004, None, True, "it never fetched, 1000 records behind"),
            ("metadata-behind", 1, 600, False, "observer, 10 records behind"),
        ],
    ),
    (AGO, [("metadata-behind", 3001, 60_001, True, "voter, 600 records behind")]),
]


@pytest.mark.parametrize(("text", "shown"), SHOWN)
def test_what_a_tool_printed_is_said(text: str, shown: str) -> None:
    assert output(text.splitlines()) == shown
    assert output(["$ kafka-tool --bootstrap-server b:9092", *text.splitlines()]) == shown
    one_space = [re.sub(r"\s+", " ", line).strip() for line in text.splitlines()]
    assert output(one_space) == shown


@pytest.mark.parametrize("engine", ["python", "columns"])
@pytest.mark.parametrize(("text", "happened"), HAPPENED)
def test_what_a_tool_shows_happened(text: str, happened: list[str], engine: str, tmp_path: Path) -> None:
    (tmp_path / "paste.txt").write_text(text, encoding="utf-8")
    (report,) = audit([str(tmp_path / "paste.txt")], Options(engine=engine))
    assert [_in_words(each) for each in report.happened] == happened
    assert [note for note in report.notes if dict(SHOWN)[text] in note]


def _in_words(each: Happened) -> str:
    about = (
        each.node if each.topic is None else each.topic if each.partition is None else f"{each.topic}-{each.partition}"
    )
    return f"{'!' * each.trouble}{each.what} {about}: {each.reason}"


@pytest.mark.parametrize("engine", ["python", "columns"])
@pytest.mark.parametrize(("text", "expected"), BEHIND)
def test_nodes_that_are_behind_the_leader_of_the_quorum(
    text: str, expected: list[tuple[str, int, int | None, bool, str]], engine: str, tmp_path: Path
) -> None:
    (tmp_path / "paste.txt").write_text(text, encoding="utf-8")
    (report,) = audit([str(tmp_path / "paste.txt")], Options(engine=engine))
    assert [(each.what, each.node, each.longest, each.trouble, each.reason) for each in report.happened] == expected


@pytest.mark.parametrize(("text", "happened"), HAPPENED)
def test_output_of_a_tool_is_a_moment(text: str, happened: list[str], tmp_path: Path) -> None:
    (tmp_path / "paste.txt").write_text(text, encoding="utf-8")
    (report,) = audit([str(tmp_path / "paste.txt")])
    sentences = [line.sentence for line in lines(report.happened)]
    assert 0 < len(sentences) <= len(happened)
    assert all("at the moment that a tool shows" in each and "end of the log" not in each for each in sentences)


def test_output_that_shows_no_state_is_refused_with_its_words(tmp_path: Path) -> None:
    done = "Status of partition reassignment:\nReassignment of partition ev-0 is completed."
    (tmp_path / "paste.txt").write_text(done, encoding="utf-8")
    with pytest.raises(IsrproofError, match="a tool of Kafka's printed this") as error:
        audit([str(tmp_path / "paste.txt")], Options(engine="python"))
    assert "1 complete (ev-0)" in str(error.value)


@pytest.mark.parametrize("engine", ["python", "columns"])
def test_output_of_a_tool_beside_a_log_is_named(engine: str, tmp_path: Path) -> None:
    log = RECORDED / "failover-on-leader-2.0.0-kill"
    (tmp_path / "describe.txt").write_text(DESCRIBED, encoding="utf-8")
    (alone,) = audit([str(log)], Options(engine=engine))
    (report,) = audit([str(log), str(tmp_path / "describe.txt")], Options(engine=engine))
    assert report.verdict == alone.verdict
    assert [note for note in report.notes if SHOWN[0][1] in note]


@pytest.mark.parametrize("engine", ["python", "columns"])
def test_output_of_a_tool_among_lines_is_named(engine: str, tmp_path: Path) -> None:
    log = next((RECORDED / "failover-on-leader-2.0.0-kill").rglob("state-change.log")).read_text(encoding="utf-8")
    (tmp_path / "paste.txt").write_text(f"{DESCRIBED}\n\n{log}", encoding="utf-8")
    (report,) = audit([str(tmp_path / "paste.txt")], Options(engine=engine))
    assert [note for note in report.notes if SHOWN[0][1] in note]


def test_a_log_is_no_output_of_a_tool() -> None:
    for log in sorted(RECORDED.glob("*/broker-*/*.log"))[::10]:
        assert output(log.read_text(encoding="utf-8").splitlines()) is None
