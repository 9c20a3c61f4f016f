"""Text that a person pasted is read as the lines that Kafka printed; an ordinary log is not touched."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from isrproof.specs.formats import fragments
from isrproof.traces.events.event import Continuation, Event, Parsed
from isrproof.traces.events.parse import parse_line
from isrproof.traces.formats.characters import restored
from isrproof.traces.formats.detect import Detected, Given, detected_by
from isrproof.traces.formats.pasted import joints, undated, widened
from isrproof.traces.formats.reading import Unwrapped

from tests import engines
from tests.recordings import RECORDED

REFUSED = (
    "[2025-03-04 09:00:42,920] ERROR [Controller id=3 epoch=52] Controller 3 epoch 52 failed to change state for"
    " partition ev-0 from OfflinePartition to OnlinePartition (state.change.logger)"
)
THROWN = (
    "kafka.common.StateChangeFailedException: Failed to elect leader for partition ev-0 under strategy"
    " OfflinePartitionLeaderElectionStrategy(false)"
)
FRAME = "\tat kafka.controller.ZkPartitionStateMachine.doElectLeaderForPartitions(PartitionStateMachine.scala:433)"
SHRINK = (
    "[2025-03-04 09:00:50,247] INFO [Partition ev-0 broker=1] Shrinking ISR from 0,1,2 to 1,2. Leader: (highWatermark:"
    " 40, endOffset: 44). Out of sync replicas: (brokerId: 0, endOffset: 40). (kafka.cluster.Partition)"
)
FAILED = (
    "[2025-03-04 09:00:55,587] WARN [ReplicaManager broker=5] Broker 5 stopped fetcher for partitions  and stopped"
    " moving logs for partitions  because they are in the failed log directory /data/k1. (kafka.server.ReplicaManager)"
)
LINES = [REFUSED, THROWN, FRAME, SHRINK, FAILED]
DATE = "Mar 4, 2025 @ 09:00:42.920"


def detected(lines: Sequence[str]) -> Detected:
    return detected_by(lambda most: lines[:most])


def read(lines: Sequence[str]) -> list[Parsed]:
    """Return the content of the lines that a text is read as."""
    return [parse_line(text) for _, _, text in Unwrapped(Given(lines), detected(lines).reading)]


def events(parsed: Iterable[Parsed]) -> list[Parsed]:
    return [each for each in parsed if not isinstance(each, Continuation)]


def wrapped(line: str, width: int) -> list[str]:
    """Return the lines of a terminal; spaces at their ends are lost."""
    return [line[at : at + width].rstrip() for at in range(0, len(line), width)]


def each(change: Callable[[str], str]) -> list[str]:
    return [change(line) for line in LINES]


WHOLE = events(map(parse_line, LINES))
PROSE = "After that our cluster was down for ten minutes, see (kafka.controller.KafkaController)"
KINDS = {
    "blank lines between": [text for line in LINES for text in (line, "")],
    "a blank line before the throwable": [REFUSED, "", *LINES[1:]],
    "a prefix on all lines but the first": [REFUSED, *(f"kafka_1    | {line}" for line in LINES[1:])],
    "wrapped within words": [text for line in LINES for text in wrapped(line, 79)],
    "wrapped at spaces": [text for line in LINES for text in (textwrap.wrap(line, 90) if "  " not in line else [line])],
    "one space where there are two": [re.sub(r"\s+", " ", line) for line in LINES],
    "a date of the viewer below each line": [text for line in LINES for text in (line, DATE)],
    "a date of the viewer behind each line": [f"{line} {DATE}" if line[0] == "[" else line for line in LINES],
    "colours without their escape character": each(lambda line: line.replace("] ", "]^[[0m ", 1)),
    "entities of HTML": each(lambda line: html.escape(line).replace("(", "&#40;")),
    "wide brackets": each(lambda line: line.replace("[", "\uff3b").replace("]", "\uff3d").replace("(", "\uff08")),
    "brackets of a Swedish terminal": each(lambda line: line.translate({ord("["): "\u00c4", ord("]"): "\u00c5"})),
    "backslashes of Markdown": each(lambda line: line.replace("[", "\\[").replace("]", "\\]").replace("_", "\\_")),
    "bold, in a list": [f"- **{line}**" if line[0] == "[" else line for line in LINES],
    "cells of a table": [f"| 09:00 | {line} |" if line[0] == "[" else line for line in LINES],
    "in the box of a terminal": each(lambda line: f"\u2502 {line:<250} \u2502"),
    "numbered": [f"{number}. {line}" if line[0] == "[" else line for number, line in enumerate(LINES)],
    "wrapped and indented": [f"    {text}" for line in LINES for text in wrapped(line, 79)],
    "slashes in the date": each(lambda line: re.sub(r"^\[(\d+)-(\d+)-", r"[\1/\2/", line)),
    "without line feeds": [" ".join(line.strip() for line in LINES)],
    "prose before": ["Hi all, we have seen this on our controller:", "", *LINES],
    "prose around": [PROSE, "", "```", *LINES, "```", "", f"{PROSE}."],
    "a line within a sentence": [f"The controller says `{REFUSED}` then:", "", *LINES[1:]],
}


@pytest.mark.parametrize("lines", KINDS.values(), ids=KINDS)
def test_what_is_pasted_is_read_as_what_was_printed(lines: list[str]) -> None:
    assert events(read(lines)) == WHOLE
    assert detected(lines).known >= 2


@pytest.mark.full(every=5)
@pytest.mark.parametrize("lines", KINDS.values(), ids=KINDS)
def test_both_engines_read_pasted_text_alike(lines: list[str], tmp_path: Path) -> None:
    (tmp_path / "paste.txt").write_text("\n".join(lines), encoding="utf-8")
    report = engines.reference([tmp_path / "paste.txt"])
    assert report == engines.columns([tmp_path / "paste.txt"])
    assert report[0]["coverage"]["understood"] == len(WHOLE)
    (failed,) = report[0]["state"]["stopped"]
    assert "no replica that may lead" in failed["why"]


@pytest.mark.parametrize("lines", [LINES, [SHRINK], [REFUSED, THROWN, FRAME]])
def test_lines_as_they_were_printed_are_not_touched(lines: list[str]) -> None:
    assert detected(lines).reading.native
    assert detected(lines).reading.paste is None


def test_no_recorded_log_is_taken_for_pasted_text() -> None:
    for log in sorted(RECORDED.glob("*/broker-*/*.log"))[::10]:
        assert detected(log.read_text(encoding="utf-8").splitlines()).reading.paste is None


def without_time(parsed: Parsed) -> Parsed:
    return replace(parsed, ts=None) if isinstance(parsed, Event) else parsed


def in_fragment(name: str, line: str) -> str:
    """Return a line in the layout of a part of a line."""
    match = re.fullmatch(r"\[(.*?),([0-9]+)\] ([A-Z]+) (.*) \((.*)\)", line)
    assert match is not None
    time, millis, level, message, logger = match.groups()
    text = (fragments()[name].pattern or "").removesuffix("%n").replace("%d{yyyy-MM-dd HH:mm:ss}", time)
    text = (
        text.replace("%d", f"{time},{millis}")
        .replace("%-5p", f"{level:<5}")
        .replace("%c{1}", logger.rpartition(".")[2])
    )
    return text.replace("%c", logger).replace("%L", "66").replace("%m", message)


@pytest.mark.parametrize("name", fragments())
def test_parts_of_lines_are_read(name: str) -> None:
    lines = [in_fragment(name, line) for line in (REFUSED, SHRINK)]
    found = detected(lines)
    assert (found.known, found.reading.layout) == (2, name)
    shown = [each for each in read(lines) if isinstance(each, Event)]
    wanted = [each for each in map(parse_line, (REFUSED, SHRINK)) if isinstance(each, Event)]
    strip = {"ts": None, "level": None}
    assert [replace(each, **strip) for each in shown] == [replace(each, **strip) for each in wanted]  # type: ignore[arg-type]
    if "%d" in (fragments()[name].pattern or ""):
        assert [each.ts // 1000 for each in shown if each.ts] == [each.ts // 1000 for each in wanted if each.ts]
    else:
        assert {each.ts for each in shown} == {None}


def test_a_throwable_below_prose_belongs_to_no_line() -> None:
    lines = ["We saw this on two of our brokers:", REFUSED, "and later, on another broker, that:", THROWN]
    shown = read(lines)
    at = next(number for number, parsed in enumerate(shown) if isinstance(parsed, Event) and parsed.level is None)
    assert isinstance(shown[at - 1], Continuation)


def test_pieces_that_give_no_known_line_stay_apart() -> None:
    lines = ["We saw this on two of our brokers:", *wrapped(SHRINK.replace("Shrinking", "Shrugging"), 79)]
    shown = events(read(lines))
    assert all(not isinstance(parsed, Event) for parsed in shown)


def test_the_parts_of_a_pasted_text() -> None:
    assert restored("\uff3bBroker id=1] a -&amp;gt; b \\[x\\]^[[31m") == "[Broker id=1] a -> b [x]"
    assert undated(f"{SHRINK} 04/03/2025, 09:00:42") == undated(f"{SHRINK} {DATE}") == SHRINK
    assert undated(SHRINK) is None
    assert SHRINK in joints(wrapped(SHRINK, 79))
    assert widened(re.sub(" +", " ", FAILED)) == FAILED
    assert widened(SHRINK) is None
