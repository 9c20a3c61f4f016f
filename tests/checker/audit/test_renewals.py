"""Findings between whose two lines a replica may have begun anew: what shows it, and what shows that it did not."""

from __future__ import annotations

from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.doubt.excuses import renewals
from isrproof.checker.audit.options import Options

STATE = (
    "LeaderAndIsrPartitionState(topicName='t', partitionIndex=0, controllerEpoch=1, leader={leader},"
    " leaderEpoch={epoch}, isr=[1, 2], zkVersion={epoch}, replicas=[1, 2], addingReplicas=[], removingReplicas=[],"
    " isNew=false)"
)


def request(number: int, epoch: int, leader: int = 1, controller_epoch: int = 1) -> list[str]:
    """A request that broker 1 takes, in 2.4."""
    kind = "become-leader" if leader == 1 else "become-follower"
    whom = "" if leader == 1 else f" with leader {leader}"
    state = STATE.format(leader=leader, epoch=epoch)
    begun = f"correlationId {number} from controller 3 epoch {controller_epoch} starting the {kind} transition"
    return [
        f"TRACE [Broker id=1] Received LeaderAndIsr request {state} correlation id {number} from controller 3 epoch"
        f" {controller_epoch} (state.change.logger)",
        f"TRACE [Broker id=1] Handling LeaderAndIsr request {begun} for partition t-0{whom} (state.change.logger)",
    ]


def leads(epoch: int, before: int) -> list[str]:
    said = f"t-0 starts at Leader Epoch {epoch} from offset 9. Previous Leader Epoch was: {before}"
    return [f"INFO [Partition t-0 broker=1] {said} (kafka.cluster.Partition)"]


def fetches(leader: int, offset: int, epoch: int) -> list[str]:
    said = f"for partitions Map(t-0 -> (offset={offset}, leaderEpoch={epoch}))"
    end = f"BrokerEndPoint(id={leader}, host=h:9092) {said} (kafka.server.ReplicaFetcherManager)"
    return [f"INFO [ReplicaFetcherManager on broker 1] Added fetcher to broker {end}"]


def cut(high_watermark: int) -> list[str]:
    said = f"Truncating partition t-0 to local high watermark {high_watermark}"
    return [f"INFO [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] {said} (kafka.server.ReplicaFetcherThread)"]


def found(folder: Path, code: str, *lines: list[str]) -> list[str]:
    """The verdicts of a rule on lines a second apart."""
    begin = ["INFO starting (kafka.server.KafkaServer)", "INFO [KafkaServer id=1] started (kafka.server.KafkaServer)"]
    end = ["INFO [KafkaServer id=1] shutting down (kafka.server.KafkaServer)"]
    for second, text in enumerate((*begin, *(text for each in lines for text in each), *end)):
        name = "state-change.log" if "state.change.logger" in text else "server.log"
        with (folder / name).open("a") as file:
            file.write(f"[2020-09-01 10:00:{second:02},000] {text}\n")
    (report,) = audit([str(folder)], Options(engine="python"))
    return [finding.verdict for finding in report.findings if finding.rule == code]


FIRST, OLD, NEXT = request(7, 5), request(8, 4, leader=2), request(9, 6)
BEGUN_ANEW = {
    "nothing comes after it": (FIRST, OLD),
    "epochs stay below": (FIRST, OLD, request(9, 4)),
    "the next line knows of none": (FIRST, OLD, leads(6, -1)),
    "correlation ids fall": (FIRST, request(2, 4, leader=2), request(3, 6)),
    "another controller": (FIRST, request(8, 4, leader=2, controller_epoch=2), request(9, 6, controller_epoch=2)),
}


def test_a_request_that_is_too_old(tmp_path: Path) -> None:
    assert found(tmp_path, "KR609", FIRST, OLD, NEXT) == ["illegal"]


def test_too_many_findings_are_not_vouched_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renewals, "_MANY", 0)
    assert found(tmp_path, "KR609", FIRST, OLD, NEXT) == ["suspicious"]


def test_what_another_process_takes_next_tells_nothing(tmp_path: Path) -> None:
    again = ["INFO starting (kafka.server.KafkaServer)"]
    assert found(tmp_path, "KR608", FIRST, [request(8, 6)[0], request(8, 6, leader=2)[1]], again, leads(7, -1)) == [
        "illegal"
    ]


def test_a_request_of_the_epoch_that_the_broker_has(tmp_path: Path) -> None:
    """A process that has just started takes it again."""
    assert found(tmp_path, "KR609", FIRST, request(8, 5, leader=2), NEXT) == ["suspicious"]


@pytest.mark.parametrize("lines", BEGUN_ANEW.values(), ids=BEGUN_ANEW)
def test_a_request_that_is_too_old_unless_all_began_anew(lines: tuple[list[str], ...], tmp_path: Path) -> None:
    assert set(found(tmp_path, "KR609", *lines)) == {"suspicious"}


def test_what_is_done_with_a_request(tmp_path: Path) -> None:
    asked, begun = request(8, 6)[0], request(8, 6, leader=2)[1]
    assert found(tmp_path, "KR608", FIRST, [asked, begun], NEXT) == ["illegal"]


def test_a_request_may_be_missing_that_has_the_same_number(tmp_path: Path) -> None:
    asked, begun = request(8, 6)[0], request(8, 6, leader=2)[1]
    assert found(tmp_path, "KR608", FIRST, [asked, request(9, 7)[1], begun], NEXT) == ["suspicious"]


def test_a_cut_to_another_high_watermark(tmp_path: Path) -> None:
    taken = request(7, 5, leader=2)
    after = request(8, 6, leader=2)
    assert found(tmp_path, "KR616", taken, fetches(2, 100, 5), cut(90), after, fetches(2, 100, 6)) == ["illegal"]


def test_the_fetcher_that_a_cut_belongs_to_may_not_be_told(tmp_path: Path) -> None:
    """Two threads write: its line may come after that of the cut."""
    taken = request(7, 5, leader=2)
    assert found(tmp_path, "KR616", taken, fetches(2, 100, 5), cut(90), request(8, 6)) == ["suspicious"]


@pytest.mark.parametrize("between", [cut(100), request(8, 6, leader=2)], ids=["a cut", "a request"])
def test_a_fetcher_may_be_missing(between: list[str], tmp_path: Path) -> None:
    """A request that is there, or a cut before."""
    lines = (request(7, 5, leader=2), fetches(2, 100, 5), between, cut(90), request(9, 7))
    assert found(tmp_path, "KR616", *lines) == ["suspicious"]
