"""Records that are written, what is kept of them in a manifest, and what the disks say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import google_crc32c
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isrproof.traces.metadata.batches import HEADER
from isrproof.traces.record import replicas, run, scenarios, traffic
from isrproof.traces.record.errors import RecordError
from isrproof.traces.record.traffic import Acknowledged, acknowledged_rows

ACKED = Acknowledged("t", 0, "all", 0, 0, 0)


def batch(offset: int, epoch: int, *numbers: int, value: Callable[[int], bytes] = traffic.value) -> bytes:
    """As a broker writes it, but for the fields of each record, which nothing reads."""
    body = b"".join(b"\0" + value(number) for number in numbers)
    count = len(numbers)
    after_crc = HEADER.pack(0, 0, 0, 2, 0, 0, count - 1, 0, 0, -1, -1, -1, count)[21:] + body
    crc = google_crc32c.value(after_crc)
    length = 9 + len(after_crc)
    return HEADER.pack(offset, length, epoch, 2, crc, 0, count - 1, 0, 0, -1, -1, -1, count)[:21] + after_crc


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    folder = tmp_path / "data-1" / "t.x-1"
    folder.mkdir(parents=True)
    (folder / f"{0:020}.log").write_bytes(batch(0, 0, 7, 8) + batch(2, 1, 9))
    (folder / f"{3:020}.log").write_bytes(batch(3, 1, 11))
    (folder / "leader-epoch-checkpoint").write_text("0\n2\n0 0\n1 2\n")
    (tmp_path / "data-1" / "replication-offset-checkpoint").write_text("0\n2\nt.x 1 3\nother 0 5\n")
    (tmp_path / "data-1" / "recovery-point-offset-checkpoint").write_text("0\n0\n")
    gone = tmp_path / "data-1" / "gone-0.70e1732e9a714f6bb72423754dc461f7-delete"
    gone.mkdir()
    (tmp_path / "data-1" / "meta.properties").write_text("version=0")
    return tmp_path / "data-1"


def test_what_stands_on_a_disk(disk: Path) -> None:
    (found,) = replicas.replicas(4, [disk, disk.with_name("data-2")])
    assert found.numbers == {0: 7, 1: 8, 2: 9, 3: 11}
    assert found.row() == {
        "broker": 4,
        "disk": "data-1",
        "topic": "t.x",
        "partition": 1,
        "log_start": 0,
        "log_end": 4,
        "high_watermark": 3,
        "recovery_point": None,
        "epochs": [[0, 0], [1, 2]],
        "batches": [[0, 0, 1], [1, 2, 3]],
    }


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (batch(3, 1, 11, value=bytes), "is not from the recorder's producers"),
        (batch(3, 1, 11)[:-1], "byte 0: .*cut off"),
    ],
)
def test_what_is_no_record_of_ours_is_told(disk: Path, raw: bytes, told: str) -> None:
    (disk / "t.x-1" / f"{3:020}.log").write_bytes(raw)
    with pytest.raises(RecordError, match=told):
        replicas.replicas(4, [disk])


def acked(*pairs: tuple[int, int], acks: str = "all", topic: str = "t.x", partition: int = 1) -> list[Acknowledged]:
    return [Acknowledged(topic, partition, acks, offset, number, 0) for offset, number in pairs]


def test_what_is_gone(disk: Path) -> None:
    """Another record at the offset, or none; of partitions without a leader's log everything."""
    found = replicas.replicas(4, [disk])
    told = acked((0, 7), (1, 5), (2, 6), (1, 8), (4, 12)) + acked((3, 10), acks="1") + acked((0, 1), topic="u")
    rows = replicas.lost(told, found, {("t.x", 1): 4, ("u", 1): -1})
    assert [(row["topic"], row["acks"], row["from"], row["to"]) for row in rows] == [
        ("t.x", "all", 1, 3),
        ("t.x", "1", 3, 4),
        ("t.x", "all", 4, 5),
        ("u", "all", 0, 1),
    ]
    assert replicas.lost(acked((0, 7), (1, 8), (2, 9)), found, {("t.x", 1): 4}) == []


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 40), st.integers(0, 3000)), max_size=60))
def test_rows_hold_each_acknowledged_offset_once(told: list[tuple[int, int, int]]) -> None:
    records = [
        replace(ACKED, partition=partition, offset=offset, number=number, time=time)
        for number, (partition, offset, time) in enumerate(told)
    ]
    rows = acknowledged_rows(records)
    spread = [(row["partition"], offset) for row in rows for offset in range(row["from"], row["to"])]
    assert sorted(spread) == sorted((record.partition, record.offset) for record in records)


def test_a_row_is_one_run_of_one_second() -> None:
    records = [replace(ACKED, offset=offset, number=offset, time=offset * 300) for offset in (0, 1, 2, 3, 4, 5, 9)]
    rows = acknowledged_rows(records)
    assert [(row["from"], row["to"], row["time"][-5:]) for row in rows] == [
        (0, 4, ".900Z"),
        (4, 6, ".500Z"),
        (9, 10, ".700Z"),
    ]


WITH_TRAFFIC = [name for name in scenarios.names() if scenarios.find(name).traffic]


def test_scenarios_with_traffic() -> None:
    assert WITH_TRAFFIC == ["isr-flap", "log-dir-failure", "stale-broker", "traffic", "unclean"]


def test_an_older_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"from 0\.11\.0\.0 on; got 0\.10\.2\.2"):
        run.record(scenarios.find("traffic"), "0.10.2.2", tmp_path / "out", run.Options(), lambda text: None)


def test_without_the_client(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    missing = {"confluent_kafka": None}
    monkeypatch.setattr("importlib.util.find_spec", lambda name: missing.get(name, "there"))
    with pytest.raises(RecordError, match=r"isrproof\[record\]"):
        run.record(scenarios.find("traffic"), "2.0.0", tmp_path / "out", run.Options(), lambda text: None)


def test_without_a_broker_nothing_hangs() -> None:
    pytest.importorskip("confluent_kafka")
    with traffic.Traffic("127.0.0.1:1") as records:
        pass
    assert records.acknowledged == records.watermarks == []
