"""Many lines at once are understood as the reference parser understands each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from isrproof.specs.lines import rows
from isrproof.traces.events.event import FIELDS, PRINTED, Event
from isrproof.traces.events.frequent import frequent, tail_of
from isrproof.traces.events.parse import parse_line
from isrproof.traces.sources.text import text_of

pytest.importorskip("numpy")
pytest.importorskip("pyarrow")

import pyarrow as pa
from isrproof.checker.audit.files.matched import matched
from isrproof.checker.audit.files.walk import walk
from isrproof.checker.audit.files.walking import text_in
from isrproof.checker.audit.table.arrays import Dictionary

from tests.damaged_lines import damaged
from tests.hostile_lines import HOSTILE, endless, written

READERS = frequent()


def understood(lines: Sequence[bytes], fields: tuple[str, ...] = PRINTED) -> dict[bytes, dict[str, Any]]:
    dictionary = Dictionary()
    found = matched(text_in(pa.chunked_array([pa.array(lines, pa.binary())])), fields, dictionary)
    if found is None:
        return {}
    columns = {name: array.plain(dictionary) for name, array in found.columns.items()}
    return {
        lines[place]: {name: values[row] for name, values in columns.items()}
        for row, place in enumerate(found.places.tolist())
    }


def said(line: bytes) -> dict[str, Any]:
    """Return the reference's result, if it understands the line."""
    event = parse_line(text_of(line))
    return {name: getattr(event, name) for name in FIELDS} if isinstance(event, Event) else {}


def test_each_frequent_wording_can_be_walked_and_its_lines_are_understood() -> None:
    """Other lines would be read all the same, but slowly."""
    from isrproof.traces.events.render import filled

    lines = [
        f"[2018-08-03 12:00:00,123] {level} {filled(reader.wording, turn)}{tail_of(reader)}{end}".encode()
        for reader in READERS
        for turn in (0, 1)
        for level in ("TRACE", "INFO")
        for end in ("", "\r")
    ]
    assert all(walk(reader, PRINTED) is not None for reader in READERS)
    found = understood(lines)
    for line in lines:
        assert found[line] == said(line), line


def test_what_is_understood_is_what_the_reference_says() -> None:
    samples = (row.sample for row in rows().values() if row.sample)
    lines = [line.encode() for line in dict.fromkeys([*HOSTILE, *samples, *written(), *endless()])]
    found = understood(lines)
    assert len(found) > 100
    assert [line for line, event in found.items() if event != said(line)] == []


@pytest.mark.parametrize("count", [10_000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_what_is_understood_of_damaged_lines_is_what_the_reference_says(count: int) -> None:
    lines = damaged(count)
    found = understood(lines)
    assert len(found) > 1_000
    assert [line for line, event in found.items() if event != said(line)] == []


def test_only_the_fields_that_are_asked_for_are_read() -> None:
    lines = [row.sample.encode() for row in rows().values() if row.sample]
    found = understood(lines, ("topic", "leader"))
    assert found
    for line, event in found.items():
        assert event == {name: said(line)[name] for name in ("row", "level", "ts", "releases", "topic", "leader")}
