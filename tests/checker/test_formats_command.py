"""isrproof formats, and --input: output, exit codes, and every pair of an envelope and a layout."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.specs.errors import IsrproofError
from isrproof.specs.formats import Envelope, LayoutRow, envelopes, layouts
from isrproof.traces.events.event import Event
from isrproof.traces.events.parse import parse_line
from isrproof.traces.formats.detect import asked_for, detected
from isrproof.traces.formats.reading import Numbering, Unwrapped
from isrproof.traces.sources.text import Lines

LINE = "[2026-03-14 09:26:53,589] INFO [Controller id=1] Resigned (kafka.controller.KafkaController)"
HOLDERS = [row for row in envelopes().values() if "LINE" in row.example]


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, list(arguments))
    return result.exit_code, result.stdout if "--json" in arguments else result.output


def held(envelope: Envelope, layout: LayoutRow) -> str:
    """The example of an envelope with that of a layout in it."""
    line = layout.example
    if envelope.kind == "json" or envelope.quoted:
        line = json.dumps(line)[1:-1]
    return envelope.example.replace("LINE", line.replace('"', '""') if envelope.kind == "csv" else line)


@pytest.mark.parametrize(("envelope", "layout"), list(product(HOLDERS, layouts().values())), ids=lambda row: row.id)
def test_every_pair_is_detected(envelope: Envelope, layout: LayoutRow) -> None:
    found = detected(held(envelope, layout).split("\n"))
    assert (found.reading.chain, found.reading.layout) == ((envelope.id,), layout.id)
    assert found.problem is None


@pytest.mark.parametrize("layout", layouts().values(), ids=lambda row: row.id)
def test_every_layout_is_detected(layout: LayoutRow) -> None:
    assert str(detected([layout.example]).reading) == layout.id


@pytest.mark.parametrize("outer", ["grep", "logcli-jsonl", "es", "csv"])
@pytest.mark.parametrize("inner", ["cri", "compose", "docker"])
def test_an_envelope_may_stand_in_another(outer: str, inner: str, tmp_path: Path) -> None:
    """As Loki holds lines of CRI that nobody took out of it."""
    line = envelopes()[inner].example.replace("LINE", LINE)
    row = envelopes()[outer]
    line = json.dumps(line)[1:-1] if row.kind == "json" else line.replace('"', '""') if row.kind == "csv" else line
    path = tmp_path / "a"
    path.write_text(row.example.replace("LINE", line))
    reading = detected(path.read_text().split("\n")).reading
    assert reading.chain == (outer, inner)
    assert [line.text for line in Unwrapped(Lines(str(path)), reading)] == [LINE]


@pytest.mark.parametrize("layout", layouts().values(), ids=lambda row: row.id)
def test_a_line_of_each_layout_is_understood(layout: LayoutRow, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text(layout.example)
    (line,) = Unwrapped(Lines(str(path)), detected([layout.example]).reading)
    parsed = parse_line(line.text)
    if layout.id != "strimzi":  # its example is a line of KRaft
        assert isinstance(parsed, Event)
        assert parsed.row == "controller-resigned"


def test_formats_are_listed() -> None:
    code, text = run("formats")
    assert code == 0
    assert all(re.search(rf"^  {re.escape(name)} ", text, re.MULTILINE) for name in (*envelopes(), *layouts()))
    code, text = run("formats", "--json")
    assert code == 0
    assert {row["id"] for row in json.loads(text)["envelopes"]} == set(envelopes())


def test_a_detection_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "pod.txt"
    path.write_text(f"2026-03-14T09:26:53.589793238Z stdout F {LINE}\n")
    code, text = run("formats", str(path))
    assert code == 0
    assert "read as cri over kafka" in text
    code, text = run("formats", "--json", str(path))
    assert json.loads(text)["files"][0]["read_as"] == "cri over kafka"


def test_what_is_not_understood_is_exit_3_and_what_is_not_there_exit_2(tmp_path: Path) -> None:
    odd = tmp_path / "odd.log"
    odd.write_text("2026-03-14T09:26:53.589793238Z stdout F <<INFO>> 12:00 kafka.controller says\n" * 5)
    code, text = run("formats", str(odd))
    assert code == 3
    assert "look like cri, but contain an unknown layout" in text
    code, text = run("formats", str(tmp_path / "none.log"))
    assert (code, "no such file" in text) == (2, True)
    code, text = run("formats", "--json", str(tmp_path / "none.log"))
    assert (code, json.loads(text)["verdict"]) == (2, "error")


@pytest.mark.parametrize(
    ("asked", "message"),
    [("cry", "Did you mean 'cri'"), ("strimzi/cri", "is a layout, but not the last"), ("", "Unknown format")],
)
def test_a_wrong_format_is_told(asked: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(IsrproofError, match=message):
        asked_for(asked, None)
    (tmp_path / "a.log").write_text(LINE)
    code, text = run("audit", "--input", asked, str(tmp_path))
    assert (code, "Error: " in text) == (2, True)


def test_a_format_can_be_forced(tmp_path: Path) -> None:
    """One line may show too little of an envelope."""
    path = tmp_path / "a.log"
    path.write_text("\n".join([*["started"] * 30, f"b1 kafka {LINE}"]))
    assert detected(path.read_text().split("\n")).reading.chain == ()
    code, text = run("audit", "--input", "stern/kafka", "--json", str(path))
    assert json.loads(text)["files"][0]["read_as"] == "stern over kafka"
    assert code == 3
    both = run("audit", "--input", "cri/strimzi", "--layout", "%d %m", str(path))
    assert (both[0], "use only one of the two" in both[1]) == (2, True)


def test_numbers_of_a_stream_lead_to_lines_of_the_file() -> None:
    line = 1 << 32
    for places in ([line, 2 * line, 3 * line, 7 * line, 8 * line], [9 * line, 8 * line, 7 * line], [line, line + 1]):
        numbering = Numbering()
        numbers = [numbering.add(place) for place in places]
        copy = Numbering.from_list(json.loads(json.dumps(numbering.as_list())))
        for made in (numbering, copy):
            assert [made.place(number) for number in numbers] == [
                (place // line, place % line + 1 if place % line else None) for place in places
            ]


def test_a_metadata_log_is_left_aside() -> None:
    node = Path(__file__).parents[2] / "traces" / "recorded-kraft" / "elr-4.0.0" / "node-1"
    code, text = run("formats", str(node))
    assert code == 0
    assert re.findall(r"^(\S+): read as", text, re.MULTILINE) == [
        str(node / name) for name in ("server.log.gz", "state-change.log")
    ]
    for alone in (node / "metadata", node / "metadata" / "00000000000000000000.log"):
        code, text = run("formats", str(alone))
        assert code == 2
        assert "expected text logs, got files of KRaft's metadata log" in text
