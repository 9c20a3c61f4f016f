"""Output of kafka-dump-log is recognised, and no log is taken for it."""

from __future__ import annotations

import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.cli import main
from isrproof.specs.errors import IsrproofError
from isrproof.traces.formats.dumps import OF_A_TOPIC, OF_METADATA, dump
from isrproof.traces.metadata.batches import Batches, Record
from isrproof.traces.metadata.dumped import dumped

from tests.recordings import RECORDED

RECORDED_KRAFT = RECORDED.parent / "recorded-kraft"
DUMPS = sorted(RECORDED_KRAFT.glob("*/node-1/metadata.dump.xz"))
BATCH = (
    "baseOffset: 9 lastOffset: 9 count: 1 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1"
    " partitionLeaderEpoch: 2 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty position: 594"
    " CreateTime: 1795650800101 size: 275 magic: 2 compresscodec: none crc: 4187924548 isvalid: true"
)
HEAD = "| offset: 9 CreateTime: 1795650800101 keySize: -1 valueSize: 20 sequence: -1 headerKeys: []"
CHANGE = (
    f'{HEAD} payload: {{"type":"FEATURE_LEVEL_RECORD","version":0,"data":{{"name":"group.version","featureLevel":1}}}}'
)
RECORDS_ALONE = [CHANGE] * 3
METADATA = ["Dumping node-1/00000000000000000000.log", "Log starting offset: 0", *[BATCH, CHANGE] * 3]
TOPIC = ["Dumping orders-0/00000000000000000000.log", "Starting offset: 0", *[BATCH, f"{HEAD} payload: an order"] * 3]
OLD = ["offset: 3 position: 201 CreateTime: 1533290000000 isvalid: true keysize: -1 valuesize: 9 magic: 1"]


def test_a_dump_is_known() -> None:
    assert dump(METADATA) == dump(METADATA[2:]) == dump([CHANGE]) == OF_METADATA
    assert dump(TOPIC) == dump(OLD) == OF_A_TOPIC


def test_what_only_quotes_a_line_of_a_dump_is_none() -> None:
    assert dump([]) is None
    assert dump([CHANGE, *["[2018-08-03 12:00:00,000] INFO something (kafka.server.KafkaServer)"] * 2]) is None
    assert dump([f"look at this: {CHANGE}", "baseOffset: 3", "offset: 3 of partition t-0"]) is None


def test_no_recorded_log_is_a_dump() -> None:
    for log in sorted(RECORDED.glob("*/broker-*/*.log")):
        assert dump([line for line in log.read_text(encoding="utf-8").splitlines()[:200] if line]) is None


def records(path: Path) -> list[Record]:
    return [record for batch in Batches(str(path)) for record in batch.records]


@pytest.mark.parametrize(
    "dump", sorted(RECORDED_KRAFT.glob("*/node-1/metadata.dump.xz")), ids=lambda path: path.parts[-3]
)
def test_a_dump_is_read_as_the_files_that_were_dumped(dump: Path) -> None:
    files = dumped(str(dump))
    assert files
    for file in files:
        wanted, shown = records(dump.parent.parent / file.name), records(Path(file.at))
        unread = [record for record in shown if record.data is None]
        assert {record.type for record in unread} <= {"LEADER_CHANGE"}
        hidden = {record.offset for record in unread}
        assert [record for record in shown if record.offset not in hidden] == [
            record for record in wanted if record.offset not in hidden
        ]
        assert [record[:5] for record in shown] == [record[:5] for record in wanted]


@pytest.mark.parametrize("change", [str, lambda line: line.removeprefix("| ")])
def test_a_dump_is_audited_as_the_log_is(change: Callable[[str], str], tmp_path: Path) -> None:
    dump = RECORDED_KRAFT / "reassign-3.9.1" / "node-1" / "metadata.dump.xz"
    lines = lzma.decompress(dump.read_bytes()).decode().splitlines()
    (tmp_path / "dump.txt").write_text("\n".join(map(change, lines)), encoding="utf-8")
    (report,) = audit([str(tmp_path / "dump.txt")], Options(engine="python"))
    (wanted,) = audit([str(dump.parent / "metadata")], Options(engine="python"))
    assert [(each.rule, each.verdict, each.entity) for each in report.findings] == [
        (each.rule, each.verdict, each.entity) for each in wanted.findings
    ]
    assert [note for note in report.not_known if "kafka-dump-log" in note]
    assert all("dump.txt!/node-1/metadata" in file.path for file in report.files)


@pytest.mark.parametrize(("lines", "problem"), [(METADATA[:-1], "cut"), ([*METADATA[:-1], CHANGE + "x"], None)])
def test_a_dump_that_is_cut_is_a_log_that_is_cut(lines: list[str], problem: str | None, tmp_path: Path) -> None:
    text = tmp_path / "dump.txt"
    text.write_text("\n".join(lines), encoding="utf-8")
    (file,) = dumped(str(text))
    batches = Batches(file.at)
    shown = list(batches)
    assert (len(shown), batches.problem is None) == ((2, False) if problem else (3, True))


@pytest.mark.parametrize("name", ["dump.txt", "dump.txt.xz", "00000000000000000000.log"])
@pytest.mark.parametrize("command", [["audit"], ["records"], ["validate", "kraft"]])
def test_who_gives_records_without_batches_is_told_to_give_all(name: str, command: list[str], tmp_path: Path) -> None:
    content = "\n".join(RECORDS_ALONE).encode()
    path = tmp_path / name
    path.write_bytes(lzma.compress(content) if name.endswith(".xz") else content)
    result = CliRunner().invoke(main, [*command, str(path)])
    assert result.exit_code == 2
    assert f"{path}: {OF_METADATA}." in result.stderr


def test_a_dump_beside_logs_is_told(tmp_path: Path) -> None:
    (tmp_path / "dump.txt").write_text("\n".join(RECORDS_ALONE), encoding="utf-8")
    log = str(RECORDED / "failover-on-leader-2.0.0-kill")
    (report,) = audit([log, str(tmp_path / "dump.txt")], Options(engine="python"))
    assert [note for note in report.notes if OF_METADATA in note]
    (alone,) = audit([log], Options(engine="python"))
    assert not [note for note in alone.notes if "kafka-dump-log" in note]
    (tmp_path / "dump.txt").write_text("\n".join(TOPIC), encoding="utf-8")
    with pytest.raises(IsrproofError, match="records of topics are not audited"):
        audit([str(tmp_path / "dump.txt")], Options(engine="python"))
