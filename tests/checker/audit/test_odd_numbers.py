"""Numbers and times that no cluster has, in logs and in the files beside them: none is a defect."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import google_crc32c
import pytest
from isrproof.checker.audit.command import audit_command
from isrproof.checker.audit.files.metadata import Remembered, copies
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.forms import FORMS
from isrproof.checker.audit.report.shown import printed
from isrproof.traces.limits import NODE, NUMBER
from isrproof.traces.metadata.batches import HEADER, Batches
from isrproof.traces.metadata.files import found_in, node_of
from isrproof.traces.metadata.text import log_bytes
from isrproof.traces.metadata.writer import raw_batch

SEGMENT = "00000000000000000000.log"
EXTREME = [-(1 << 63), -(1 << 62), -1, 1 << 62, (1 << 63) - 1]


def folder(at: Path, content: bytes, **beside: str) -> Path:
    made = at / "node-1" / "__cluster_metadata-0"
    made.mkdir(parents=True)
    (made / SEGMENT).write_bytes(content)
    for name, text in beside.items():
        (made / name.replace("_", "-")).write_text(text)
    return at


def with_times(content: bytes, first: int, last: int) -> bytes:
    """A batch with other times and the CRC that goes with them."""
    head = [*HEADER.unpack_from(content)]
    head[7:9] = first, last
    body = content[HEADER.size :]
    head[4] = google_crc32c.value(HEADER.pack(*head)[21:] + body)
    return HEADER.pack(*head) + body


def broker(epoch: int, offset: int, number: int = 1) -> bytes:
    data = {"brokerId": number, "brokerEpoch": epoch}
    return log_bytes([json.dumps({"offset": offset, "epoch": 1, "type": "REGISTER_BROKER_RECORD", "data": data})])


@pytest.mark.parametrize("epoch", EXTREME)
@pytest.mark.parametrize("engine", ["python", "columns"])
def test_an_epoch_that_no_broker_has(engine: str, epoch: int, tmp_path: Path) -> None:
    """The difference of an offset and such an epoch would be beyond the machine's numbers."""
    given = folder(tmp_path, broker(0, 0) + broker(epoch, 1) + broker(2, 2, 2))
    answer = audit_command([str(given)], Options(engine=engine), "json")
    report = json.loads(answer.text)
    (file,) = report["files"]
    left_out = not -NUMBER.most < epoch < NUMBER.most
    assert ("brokerEpoch" in (file["problem"] or "")) == left_out
    assert answer.code in (1, 3) if left_out else answer.code in (0, 1, 3)


@pytest.mark.parametrize("time", [-(1 << 63), -(10**15), -1, 253_402_300_800_000, 10**16, (1 << 63) - 1])
@pytest.mark.parametrize("form", [name for name, form in FORMS.items() if not form.partition])
@pytest.mark.full(every=5)
def test_a_time_that_no_calendar_has_is_shown_in_every_form(form: str, time: int, tmp_path: Path) -> None:
    made = broker(0, 0) + with_times(broker(1, 1, 2), time, time) + broker(2, 2, 3)
    given = folder(tmp_path, made)
    options = Options(engine="python", timeline=True, verbose=True)
    answer = audit_command([str(given)], options, form, files={"html": tmp_path / "page.html"}, out=tmp_path / "out")
    assert answer.problem is None


def test_times_as_they_are_printed() -> None:
    assert printed(1_700_000_000_123) == "2023-11-14 22:13:20.123"
    assert printed(-1) == "1969-12-31 23:59:59.999"
    assert printed(253_402_300_799_999) == "9999-12-31 23:59:59.999"
    assert printed(253_402_300_800_000) == "253402300800000 ms"
    assert printed(-(1 << 63)) == "-9223372036854775808 ms"


def test_a_time_of_a_record_beyond_all_clocks_costs_its_batch(tmp_path: Path) -> None:
    late = b"\0" + b"\xfe" + b"\xff" * 8 + b"\x01" + b"\0\1\2\0\0"  # a delta of 2**63 - 1 ms
    (tmp_path / SEGMENT).write_bytes(with_times(raw_batch([bytes([2 * len(late)]) + late], 0, 1), 9, 9))
    batches = Batches(str(tmp_path / SEGMENT))
    assert list(batches) == []
    assert "a time that no clock shows" in (batches.problem or "")


@pytest.mark.parametrize("digits", ["9" * 6000, str(1 << 40), "0" * 20])
def test_a_node_id_that_no_node_has_is_none(digits: str, tmp_path: Path) -> None:
    (tmp_path / "meta.properties").write_text(f"node.id={digits}\n")
    assert node_of(str(tmp_path)) == str(tmp_path)


QUORUM = '{"leaderId":%s,"leaderEpoch":%s,"votedId":-1,"currentVoters":[{"voterId":%s}]}'


@pytest.mark.parametrize("number", ["9" * 6000, "NaN", "Infinity", "1e999", "1e30", str(NODE.most), "-1", "null", "[]"])
def test_a_quorum_state_with_another_voter_is_not_understood(number: str, tmp_path: Path) -> None:
    given = folder(tmp_path, broker(0, 0), quorum_state=QUORUM % (1, 1, number))
    (copy,) = copies(found_in([str(given)]))
    assert copy.remembered == Remembered()


FIELDS = ",".join(f'"f{number}":1' for number in range(100_000))


@pytest.mark.parametrize("text", ["[" * 30_000, "{" * 30_000, '{"a":' * 10_000, "{" + FIELDS + "}"], ids=len)
def test_a_quorum_state_that_is_deep_or_long_is_not_understood(text: str, tmp_path: Path) -> None:
    given = folder(tmp_path, broker(0, 0), quorum_state=text)
    (copy,) = copies(found_in([str(given)]))
    assert copy.remembered == Remembered()


@pytest.mark.parametrize("engine", ["python", "columns"])
def test_a_damaged_registration_of_a_snapshot_costs_no_verdict(engine: str, tmp_path: Path) -> None:
    """Bytes of a record are changed, with the CRC that goes with them: it is read, left out, or not understood."""
    whole = broker(0, 0) + broker(1, 1, 2)
    folder(tmp_path, whole + broker(2, 2, 3))
    registration = broker(0, 0)
    random = Random(7)
    for _ in range(20):
        data = bytearray(registration)
        for _ in range(random.randrange(1, 4)):
            data[random.randrange(HEADER.size, len(data))] = random.choice([0, 1, 127, 128, 255])
        damaged = with_times(bytes(data), 1, 1)
        (tmp_path / "node-1" / "__cluster_metadata-0" / "00000000000000000002-0000000001.checkpoint").write_bytes(
            damaged
        )
        assert audit_command([str(tmp_path)], Options(engine=engine), "json").problem is None
