"""Output of Kafka's tools is recognised, alone, among prose and beside logs; what it shows is said in one line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
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


@pytest.mark.parametrize(("text", "shown"), SHOWN)
def test_what_a_tool_printed_is_said(text: str, shown: str, tmp_path: Path) -> None:
    assert output(text.splitlines()) == shown
    assert output(["$ kafka-tool --bootstrap-server b:9092", *text.splitlines()]) == shown
    one_space = [re.sub(r"\s+", " ", line).strip() for line in text.splitlines()]
    assert output(one_space) == shown
    (tmp_path / "paste.txt").write_text(text, encoding="utf-8")
    with pytest.raises(IsrproofError, match="a tool of Kafka's printed this") as error:
        audit([str(tmp_path / "paste.txt")], Options(engine="python"))
    assert shown in str(error.value)


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
