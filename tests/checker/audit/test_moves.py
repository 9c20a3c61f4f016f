"""The first lines of moves: near the data the first of each part, then the first of all."""

from __future__ import annotations

from isrproof.checker.audit.command import audit
from isrproof.checker.audit.files.file import LogFile
from isrproof.checker.audit.findings.moves import SHOWN, moves
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.rules.catalogue import rules
from isrproof.traces.place import Place
from isrproof.traces.sources.compression import stream

from tests.recordings import CHAOS
from tests.reports import made

FILES = {1: LogFile(1, 0, "b.log", "", "b"), 2: LogFile(2, 0, "a.log", "", "a")}
CODES = {each.code: "held" for each in rules().values() if each.observation == rules()["KR102"].observation}


def counted(source: str, n: int) -> dict[str, object]:
    ends = {"cluster": 0, "from_state": source, "to_state": "b"}
    return {"observation": rules()["KR102"].observation, "n": n, **ends, **CODES}


def row(file: int, line: int, source: str = "a") -> dict[str, object]:
    return {"machine": "partition", "cluster": 0, "from_state": source, "to_state": "b", "file": file, "line": line}


def test_the_first_lines_of_all_parts_are_those_of_the_first_files() -> None:
    parts = [row(2, 1), row(1, 900), *(row(1, line) for line in range(90, 80, -1))]
    ours, other = moves([counted("a", 12), counted("c", 3)], parts, FILES)
    assert [each.line for each in ours.first_lines] == list(range(81, 81 + SHOWN))
    assert {each.file for each in ours.first_lines} == {"b.log"}
    assert other.first_lines == ()
    assert moves([counted("a", 1)], [row(2, 7)], FILES)[0].first_lines == (Place("a.log", 7),)


def test_a_line_of_a_move_prints_it_whichever_engine_reads() -> None:
    (by_rows,) = audit([str(CHAOS)], Options.of(engine="python", timeline=True))
    assert by_rows.transitions == made(CHAOS).transitions
    for move in by_rows.transitions:
        assert len(move.first_lines) == min(move.count, SHOWN)
        for place in move.first_lines:
            assert place.line is not None
            text = b"".join(stream(place.file)).decode().splitlines()[place.line - 1]
            assert move.source in text
            assert move.target in text


def test_lines_are_collected_for_a_page_only() -> None:
    (report,) = audit([str(CHAOS)], Options.of(engine="columns"))
    assert report.transitions
    assert not any(move.first_lines for move in report.transitions)
