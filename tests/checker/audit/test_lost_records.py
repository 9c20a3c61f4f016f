"""Committed records that are gone: what shows it, and what must not (KR661, KR662)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options

Line = tuple[int, int, str]
"""A broker, a second, and what it prints then, without its prefix."""
RELEASE = "2.6"


def starts(broker: int, second: int) -> Line:
    return broker, second, "INFO starting (kafka.server.KafkaServer)"


def leads(broker: int, second: int, epoch: int, offset: int, high_watermark: int, isr: str, before: int = -1) -> Line:
    said = f"Leader t-0 starts at leader epoch {epoch} from offset {offset} with high watermark {high_watermark}"
    more = f"ISR [{isr}] addingReplicas [] removingReplicas []. Previous leader epoch was {before}."
    return broker, second, f"INFO [Broker id={broker}] {said} {more} (state.change.logger)"


def follows(broker: int, second: int, epoch: int, offset: int, high_watermark: int, before: int = -1) -> Line:
    said = f"Follower t-0 starts at leader epoch {epoch} from offset {offset} with high watermark {high_watermark}."
    return broker, second, f"INFO [Broker id={broker}] {said} Previous leader epoch was {before}. (state.change.logger)"


def loaded(broker: int, second: int, high_watermark: int) -> Line:
    said = f"Log loaded for partition t-0 with initial high watermark {high_watermark}"
    return broker, second, f"INFO [Partition t-0 broker={broker}] {said} (kafka.cluster.Partition)"


def shrinks(broker: int, second: int, high_watermark: int, isr: str = "1") -> Line:
    numbers = (
        f"Leader: (highWatermark: {high_watermark}, endOffset: 500). Out of sync replicas: (brokerId: 3, endOffset: 9)."
    )
    said = f"Shrinking ISR from 1,2,3 to {isr}. {numbers}"
    return broker, second, f"INFO [Partition t-0 broker={broker}] {said} (kafka.cluster.Partition)"


def cut(broker: int, second: int, offset: int) -> Line:
    return broker, second, f"INFO [Log partition=t-0, dir=/d1] Truncating to offset {offset} (kafka.log.Log)"


def deleted(broker: int, second: int) -> Line:
    said = f"Log for partition t-0 is renamed to /d1/t-0.{'0' * 32}-delete and is scheduled for deletion"
    return broker, second, f"INFO {said} (kafka.log.LogManager)"


def time(second: int) -> str:
    return f"2021-01-01 {10 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02},000"


def lost(folder: Path, *lines: Line, release: str = RELEASE) -> list[tuple[str, str, int, int]]:
    """Return the losses that an audit reports: rule, verdict, from, to."""
    for broker, second, text in lines:
        file = "state-change.log" if "state.change.logger" in text else "server.log"
        place = folder / f"broker-{broker}"
        place.mkdir(exist_ok=True)
        with (place / file).open("a") as log:
            log.write(f"[{time(second)}] {text}\n")
    (report,) = audit([str(folder)], Options.of(engine="python", release=release))
    return [(each.rule, each.verdict, one.start, one.end) for each in report.findings for one in each.lost]


FIRST = (starts(1, 0), loaded(1, 1, 0), leads(1, 2, 0, 0, 0, "1,2"))
SECOND = (starts(2, 0), loaded(2, 1, 0), follows(2, 2, 0, 0, 0))
BACK = (starts(1, 40), loaded(1, 41, 200))
"""Broker 1 led, and is back with a disk that knows 200."""


def test_what_the_old_leaders_disk_knows(tmp_path: Path) -> None:
    """No line says that broker 2 left the ISR; but the election prints no version, so one may be missing."""
    lines = (*FIRST, *SECOND, leads(2, 20, 1, 150, 150, "2", 0), *BACK)
    assert lost(tmp_path, *lines) == [("KR661", "suspicious", 150, 200)]


def written(broker: int, second: int, isr: str, version: int) -> Line:
    said = f"ISR updated to [{isr}] and zkVersion updated to [{version}]"
    return broker, second, f"INFO [Partition t-0 broker={broker}] {said} (kafka.cluster.Partition)"


ALONE = (shrinks(1, 10, 120), written(1, 11, "1", 1))
BACK_TO_FOLLOW = (*BACK, follows(1, 42, 1, 210, 200, -1))


@pytest.mark.parametrize(
    ("before", "after", "end"),
    [
        (ALONE, BACK_TO_FOLLOW, 210),  # all that it wrote alone is committed
        ((ALONE[0],), BACK_TO_FOLLOW, 200),  # whether the ISR was written is not shown
        ((*ALONE, written(1, 15, "1,3", 2)), BACK_TO_FOLLOW, 200),  # another one was in the ISR again
        (ALONE, BACK, 200),  # no line tells where its log ends
        (ALONE, (*BACK, leads(1, 42, 2, 210, 200, "1", -1)), 200),  # it leads again, and cuts nothing
    ],
)
def test_what_the_last_in_the_isr_wrote(
    before: tuple[Line, ...], after: tuple[Line, ...], end: int, tmp_path: Path
) -> None:
    lines = (*FIRST, *SECOND, *before, leads(2, 20, 1, 150, 150, "2", 0), *after)
    assert lost(tmp_path, *lines) == [("KR661", "suspicious", 150, end)]


def test_without_server_log_it_may_have_left_the_isr(tmp_path: Path) -> None:
    lines = (FIRST[2], SECOND[2], leads(2, 20, 1, 150, 150, "2", 0), follows(1, 42, 1, 201, 200, -1))
    assert lost(tmp_path, *lines) == [("KR661", "suspicious", 150, 200)]


def test_a_leader_that_has_it_all(tmp_path: Path) -> None:
    assert lost(tmp_path, *FIRST, *SECOND, leads(2, 20, 1, 200, 150, "2", 0), *BACK) == []


def test_what_is_gone_is_told_once(tmp_path: Path) -> None:
    """The third leader lacks nothing that was committed since; the fourth does."""
    later = (leads(2, 50, 2, 180, 170, "2,1", 1), leads(2, 60, 3, 160, 160, "2,1", 2))
    found = lost(tmp_path, *FIRST, *SECOND, leads(2, 20, 1, 150, 150, "2", 0), *BACK, *later)
    assert found == [("KR661", "suspicious", 150, 200), ("KR661", "suspicious", 160, 170)]


def test_a_follower_in_the_same_epoch_tells_nothing_of_its_leaders_start(tmp_path: Path) -> None:
    """It was reached after the leader began."""
    again = (*(starts(1, 40), loaded(1, 41, 200)), follows(1, 42, 1, 200, 200, -1))
    lines = (*SECOND, leads(2, 20, 1, 150, 150, "2", 0), starts(1, 5), loaded(1, 6, 0), follows(1, 30, 1, 10, 0))
    assert lost(tmp_path, *lines, *again) == []


@pytest.mark.parametrize(("release", "found"), [("2.6", 1), ("2.8", 0), ("3.4.0", 0)])
def test_a_followers_disk_may_know_too_much(tmp_path: Path, release: str, found: int) -> None:
    """KAFKA-14704, from 2.8 to 3.4.0."""
    third = (starts(3, 0), loaded(3, 1, 0), follows(3, 1, 0, 0, 0), starts(3, 40), loaded(3, 41, 200))
    lines = (*FIRST, *SECOND, leads(2, 20, 1, 150, 150, "2", 0), *third)
    assert len(lost(tmp_path, *lines, release=release)) == found


AGAIN = {
    "loaded twice in a process": (loaded(1, 10, 0),),
    "deleted": (deleted(1, 9), leads(1, 12, 2, 60, 60, "1", 0)),
    "an epoch that falls": (leads(1, 12, 5, 60, 60, "1", 0), leads(1, 13, 0, 0, 0, "1", -1)),
    "two leaders of epoch 0": (starts(3, 0), leads(3, 10, 0, 0, 0, "3")),
}


@pytest.mark.parametrize("again", AGAIN)
def test_a_partition_that_may_have_been_created_again(tmp_path: Path, again: str) -> None:
    lines = (*FIRST, *AGAIN[again], *SECOND, leads(2, 20, 6, 150, 150, "2", 0), *BACK)
    assert lost(tmp_path, *lines) == []


def test_an_hour_that_is_missing(tmp_path: Path) -> None:
    """Broker 1 may have taken a later epoch in it."""
    lines = (*FIRST, *SECOND, leads(2, 20, 1, 150, 150, "2", 0), *BACK)
    assert lost(tmp_path, *lines)
    log = tmp_path / "broker-1" / "server.log"
    said = log.read_text().splitlines(keepends=True)
    log.unlink()
    (log.parent / "server.log.2021-01-01-10").write_text("".join(said[:2]))
    (log.parent / "server.log.2021-01-01-12").write_text("".join(said[2:]).replace(" 10:", " 12:"))
    assert lost(tmp_path) == []


def versioned(line: Line, version: int) -> Line:
    """A line of 2.6 with which a replica leads or follows, as 3.3 prints it: with the version of its state."""
    broker, second, text = line
    text = re.sub(r"Leader t-0", "Leader t-0 with topic id Some(AAAAAAAAAAAAAAAAAAAAAQ)", text)
    text = re.sub(
        r" with high watermark (\d+) ISR (\S+) addingReplicas", r", high watermark \1, ISR \2, adding replicas", text
    )
    text = text.replace("[] removingReplicas []", "[] and removing replicas []")
    text = re.sub(r" with (high watermark \d+)\.", r" and \1. Current leader is 1.", text)
    return broker, second, re.sub(r"(from offset \d+)", rf"\1 with partition epoch {version}", text)


def written(broker: int, second: int, isr: str, version: int) -> Line:
    said = f"ISR updated to {isr} and version updated to {version}"
    return broker, second, f"INFO [Partition t-0 broker={broker}] {said} (kafka.cluster.Partition)"


VERSIONED = (
    *(*FIRST[:2], versioned(FIRST[2], 3), shrinks(1, 15, 130, "1,2"), written(1, 15, "1,2", 4)),
    *(*SECOND[:2], versioned(SECOND[2], 3)),
)
"""Broker 2 is in the ISR of version 4."""
FOLLOWED = versioned(follows(1, 30, 1, 130, 130, 0), 5)
"""Then broker 1 follows it, so what it printed before is of an earlier epoch."""


def test_a_member_of_the_isr_has_what_is_committed(tmp_path: Path) -> None:
    lines = (*VERSIONED, versioned(leads(2, 20, 1, 120, 118, "2", 0), 5), FOLLOWED)
    assert lost(tmp_path, *lines, release="3.3") == [("KR661", "illegal", 120, 130)]


@pytest.mark.parametrize(
    "lines",
    [
        (shrinks(1, 16, 130), versioned(leads(2, 20, 1, 120, 118, "2", 0), 5), FOLLOWED),
        (versioned(leads(2, 20, 1, 120, 118, "2", 0), 6), FOLLOWED),
        (versioned(leads(2, 20, 2, 120, 118, "2", 0), 5), FOLLOWED),
        (starts(2, 18), versioned(leads(2, 20, 1, 120, 118, "2", -1), 5), FOLLOWED),
        (versioned(leads(2, 20, 1, 120, 118, "2", 0), 5),),
        (versioned(leads(2, 20, 1, 120, 118, "2", 0), 5), versioned(follows(1, 30, 3, 130, 130, 2), 7)),
    ],
    ids=[
        *("it leaves", "a version between is not there", "an epoch between is not there"),
        *("it did not run all the time", "the old leader tells nothing more", "it may have led again"),
    ],
)
def test_where_that_is_not_known(tmp_path: Path, lines: tuple[Line, ...]) -> None:
    assert lost(tmp_path, *VERSIONED, *lines, release="3.3") == [("KR661", "suspicious", 120, 130)]


ISR_OF_TWO = (*FIRST, shrinks(1, 15, 130, "1,2"), *SECOND)


def test_an_election_that_prints_no_version(tmp_path: Path) -> None:
    """A change of the ISR may be missing before it."""
    found = lost(tmp_path, *ISR_OF_TWO, leads(2, 20, 1, 120, 118, "2", 0))
    assert found == [("KR661", "suspicious", 120, 130)]


OLD = (
    "TRACE [Broker id=1] Received LeaderAndIsr request PartitionState(controllerEpoch=1, leader=1, leaderEpoch=0,"
    " isr=1,2, zkVersion=0, replicas=1,2, isNew=true) correlation id 1 from controller 3 epoch 1 for partition t-0"
    " (state.change.logger)"
)


@pytest.mark.parametrize(("requests", "found"), [((1, 1, OLD), 1), (None, 0)])
def test_up_to_2_0_epochs_show_in_requests_only(tmp_path: Path, requests: Line | None, found: int) -> None:
    """At INFO nobody knows in which epoch broker 1 was before it stopped."""

    def old(broker: int, second: int, epoch: int, offset: int) -> Line:
        said = f"t-0 starts at Leader Epoch {epoch} from offset {offset}. Previous Leader Epoch was: -1"
        return broker, second, f"INFO [Partition t-0 broker={broker}] {said} (kafka.cluster.Partition)"

    def replica(broker: int, second: int, high_watermark: int) -> Line:
        said = f"Replica loaded for partition t-0 with initial high watermark {high_watermark}"
        return broker, second, f"INFO {said} (kafka.cluster.Replica)"

    first = (starts(1, 0), *([] if requests is None else [requests]), replica(1, 1, 0), old(1, 2, 0, 0))
    back = (starts(1, 40), replica(1, 41, 200))
    assert len(lost(tmp_path, *first, *back, starts(2, 0), old(2, 20, 1, 150), release="2.0.0")) == found


def test_cuts(tmp_path: Path) -> None:
    lines = (starts(1, 0), loaded(1, 1, 200), cut(1, 2, 150), cut(1, 3, 140), shrinks(1, 4, 139), cut(1, 5, 138))
    assert lost(tmp_path, *lines) == [("KR662", "suspicious", 150, 200), ("KR662", "suspicious", 138, 139)]


@pytest.mark.parametrize("between", [(starts(1, 3), loaded(1, 4, 90)), (loaded(1, 4, 0),), (deleted(1, 3),)])
def test_another_log_has_another_high_watermark(tmp_path: Path, between: tuple[Line, ...]) -> None:
    assert lost(tmp_path, starts(1, 0), loaded(1, 1, 200), shrinks(1, 2, 210), *between, cut(1, 5, 100)) == []
