"""Text that is damaged within a file, or cut line by line: gaps where it stands, and no quiet verdict."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.files.suspects import begins_like_a_role, is_no_text
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import Report
from isrproof.checker.audit.report.text import as_text
from isrproof.traces.events.render import filled
from isrproof.traces.events.wordings import readers, sentence_of

from tests import engines

RECORDED = Path(__file__).parents[3] / "traces" / "recorded"
HEALTHY, FAULTY = RECORDED / "lifecycle-2.8.2", RECORDED / "deposed-2.3.1"
Damage = Callable[[bytes], bytes]


def middle(data: bytes, changed: Callable[[bytes], bytes]) -> bytes:
    """Return the data with the third of five parts changed; it begins and ends where lines do."""
    begin = data.index(b"\n", len(data) * 2 // 5) + 1
    end = data.index(b"\n", len(data) * 3 // 5) + 1
    return data[:begin] + changed(data[begin:end]) + data[end:]


def recoded(encoding: str) -> Damage:
    return lambda data: middle(data, lambda part: part.decode().encode(encoding))


def in_utf16(data: bytes) -> bytes:
    """All of it in UTF-16, but for the middle."""
    begin = data.index(b"\n", len(data) * 2 // 5) + 1
    end = data.index(b"\n", len(data) * 3 // 5) + 1
    return data[:begin].decode().encode("utf-16") + data[begin:end] + data[end:].decode().encode("utf-16-le")


def random_bytes(size: int) -> Damage:
    def damage(data: bytes) -> bytes:
        at = len(data) // 2
        return data[:at] + random.Random(size).randbytes(size) + data[at + size :]

    return damage


def nul_lines(data: bytes) -> bytes:
    return middle(data, lambda part: b"\0" * 4096 + b"\n" + part)


def nul_before_a_line(data: bytes) -> bytes:
    """Return the data with NUL for the lines before a crash, as file systems leave it: others go on behind it."""
    return middle(data, lambda part: b"\0" * len(part))


DAMAGES: dict[str, Damage] = {
    **{name: recoded(name) for name in ("utf-16-le", "utf-16-be", "utf-16", "utf-32", "cp500")},
    "UTF-8 in UTF-16": in_utf16,
    "NUL lines": nul_lines,
    "NUL": nul_before_a_line,
    **{f"{size} random bytes": random_bytes(size) for size in (400, 4_096, 20_000)},
}


def damaged(source: Path, folder: Path, damage: Damage, names: str = "*/*.log") -> Path:
    shutil.copytree(source, folder)
    for path in sorted(folder.glob(names)):
        path.write_bytes(damage(path.read_bytes()))
    return folder


def audited(folder: Path, engine: str = "python") -> Report:
    (report,) = audit([str(folder)], Options(engine=engine))
    return report


def illegal(report: Report) -> int:
    return report.counts["illegal"]


@pytest.mark.slow(every=2)
@pytest.mark.full(every=5)
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_region_of_a_file_leaves_no_verdict_quiet(damage: Damage, tmp_path: Path) -> None:
    assert audited(HEALTHY).verdict == "conforms"
    report = audited(damaged(HEALTHY, tmp_path / "logs", damage, "*/state-change.log"))
    assert (report.verdict, illegal(report)) == ("incomplete", 0)
    assert any(file.problem or file.bearing_unknown for file in report.files)


@pytest.mark.parametrize("name", ["failover-elsewhere-2.3.1-kill", FAULTY.name])
def test_lines_that_are_all_cut_are_gaps_and_make_a_run_incomplete(name: str, tmp_path: Path) -> None:
    """As a shipper does that cuts at 160 bytes."""
    report = audited(damaged(RECORDED / name, tmp_path / "logs", cut_at(160)))
    assert report.verdict == "incomplete"
    assert illegal(report) == 0
    assert sum(file.resembling for file in report.files) > 90
    assert " % of the lines that bear on rules were understood" in as_text(report, "")


def cut_at(size: int) -> Damage:
    return lambda data: b"".join(line[:size].rstrip(b"\n") + b"\n" for line in data.splitlines())


def test_a_few_cut_lines_are_gaps_and_the_share_is_named(tmp_path: Path) -> None:
    def cut(data: bytes) -> bytes:
        lines = data.splitlines(keepends=True)
        return b"".join(lines) + lines[len(lines) // 2][:150] + b"\n"

    report = audited(damaged(HEALTHY, tmp_path / "logs", cut, "*/state-change.log"))
    assert report.verdict == "conforms"
    assert {file.resembling for file in report.files} == {0, 1}
    assert "; 99." in as_text(report, "")


def test_lines_that_are_all_understood_name_no_share() -> None:
    assert "bear on rules" not in as_text(audited(HEALTHY), "")


def several(folder: Path, every: int = 1) -> list[Path]:
    """Return logs of one broker with each damage, or each of so many."""
    made = []
    for name, way in [("cut", cut_at(160)), *DAMAGES.items()][::every]:
        made.append(folder / name / "state-change.log")
        made[-1].parent.mkdir()
        made[-1].write_bytes(way((FAULTY / "broker-1" / "state-change.log").read_bytes()))
    return made


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.full), 4])
@pytest.mark.parametrize("part", [pytest.param(None, marks=pytest.mark.full), 10_000])
def test_columns_read_damage_as_the_reference_does(part: int | None, every: int, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    paths = several(tmp_path, every)
    assert engines.columns(paths, part=part) == engines.reference(paths)


@pytest.mark.full
@pytest.mark.spark
def test_spark_reads_damage_as_the_reference_does(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    paths = several(tmp_path)
    assert engines.spark(paths, piece=500) == engines.reference(paths)


def test_nul_with_which_a_file_begins_is_no_damage(tmp_path: Path) -> None:
    """A log that was truncated in place while its writer went on."""

    def truncated(data: bytes) -> bytes:
        at = data.index(b"\n", len(data) // 2) + 1
        return b"\0" * at + data[at:]

    report = audited(damaged(HEALTHY, tmp_path / "logs", truncated))
    assert not any("hold bytes of no text" in note for note in report.notes)


# ---- What a line looks like


def test_each_line_that_bears_on_a_rule_looks_so_when_it_is_cut() -> None:
    """At any place behind the first words of its sentence."""
    missed = []
    for reader in readers():
        row = reader.row
        if row.bears and row.loggers and not row.opens and not reader.wording.anything and all(reader.literals[:2]):
            message = filled(reader.wording)
            begin = len(message) - len(sentence_of(message)) + len(reader.literals[1])
            missed += [message[:at] for at in range(begin, len(message)) if not begins_like_a_role(message[:at])]
    assert missed == []


@pytest.mark.parametrize(
    "message",
    [
        *(
            "",
            "Add",
            "Opening socket connection to server",
            "[Controller",
            "Error",
            "[GroupCoordinator 1]: Loading group",
        ),
        *("[Broker id=1] ", "Rolled new log segment", "[Log partition=t-0, dir=/d] Rolled new log segment"),
    ],
)
def test_other_messages_do_not(message: str) -> None:
    assert not begins_like_a_role(message) or any(message.startswith(head) for head in ("[Controller", "[Broker id="))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("\tat kafka.server.Server.run(Server.scala:1)", False),
        ("java.io.IOException: \ufffd\ufffd\ufffd\ufffd\ufffd\ufffd", False),
        ("\u8fdc\u7a0b\u4e3b\u673a\u5f3a\u8feb\u5173\u95ed\u4e86\u4e00\u4e2a\u73b0\u6709\u7684\u8fde\u63a5", False),
        ("\x1b[32mtext", False),
        ("", False),
        ("text\0text", True),
        ("\ufffd\ufffdtext", True),
        ("[2020-01-01 10:00:00,000] INFO text".encode("utf-16-le").decode(), True),
        (b"[2020-01-01 10:00:00,000] INFO text and more".decode("utf-16-le"), True),
        (b"[2020-01-01 10:00:00,000] INFO text and more".decode("utf-16-be"), True),
    ],
)
def test_bytes_of_no_text_are_known_from_words_of_other_languages(line: str, expected: bool) -> None:
    assert is_no_text(line) is expected
