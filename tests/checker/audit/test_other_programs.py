"""Programs beside Kafka in one file are set aside in one note, and cost no verdict; a broker in any layout is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import engines

Engine = Callable[..., list[dict[str, Any]]]

KAFKA = (
    "[2025-03-04 09:00:15,656] INFO [RaftManager id=1] Completed transition to Unattached(epoch=0, voters=[1],"
    " electionTimeoutMs=1715) from null (org.apache.kafka.raft.QuorumState)",
    "[2025-03-04 09:00:15,663] INFO [RaftManager id=1] Completed transition to CandidateState(localId=1, epoch=1,"
    " retries=1, voteStates={1=GRANTED}, highWatermark=Optional.empty, electionTimeoutMs=1685) from Unattached(epoch=0,"
    " voters=[1], electionTimeoutMs=1715) (org.apache.kafka.raft.QuorumState)",
)
OTHERS = {
    **{f"web-{number}": "GET / 200 12ms" for number in range(22)},
    "db-1": "LOG:  database system is ready to accept connections",
    "kafka-ui-1": "2025-03-04 09:00:15,663 INFO  [main] c.p.k.u.KafkaUiApplication: Started in 3 seconds",
    "zoo-1": "2025-03-04 09:00:11,123 [myid:1] - INFO  [main:QuorumPeerConfig@117] - Reading /conf/zoo.cfg",
}


def compose(lines: list[tuple[str, str]]) -> str:
    return "\n".join(f"{label:<11}| {text}" for label, text in lines)


@pytest.mark.parametrize("engine", [engines.reference, engines.columns])
def test_other_programs_are_set_aside(engine: Engine, tmp_path: Path) -> None:
    lines = [*(("kafka-1", text) for text in KAFKA), *OTHERS.items()]
    (tmp_path / "compose.log").write_text(compose(lines), encoding="utf-8")
    (tmp_path / "kafka.log").write_text("\n".join(KAFKA), encoding="utf-8")
    (report,), (alone,) = engine([tmp_path / "compose.log"]), engine([tmp_path / "kafka.log"])
    assert (report["verdict"], report["rules"]) == (alone["verdict"], alone["rules"])
    assert [file["label"] for file in report["files"]] == ["kafka-1"]
    (note,) = [note for note in report["notes"] if "not Kafka" in note]
    assert note.endswith(f"not Kafka: {', '.join(sorted(OTHERS))}")


@pytest.mark.parametrize("engine", [engines.reference, engines.columns])
def test_a_broker_in_an_unknown_layout_is_not_set_aside(engine: Engine, tmp_path: Path) -> None:
    lines = [*(("kafka-1", text) for text in KAFKA), ("kafka-2", "09:00 <I> [RaftManager id=2] something")]
    (tmp_path / "compose.log").write_text(compose(lines), encoding="utf-8")
    (report,) = engine([tmp_path / "compose.log"])
    assert report["verdict"] == "incomplete"
    assert not [note for note in report["notes"] if "not Kafka" in note]
