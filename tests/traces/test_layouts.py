"""Patterns of --layout: which lines they read, and that no pattern reads a line in too many ways."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isrproof.specs.errors import IsrproofError
from isrproof.traces.events.layouts import layout

MESSAGE = "[Controller id=1] Resigned"
LINE = f"[2018-08-03 12:00:00,123] INFO {MESSAGE} (kafka.controller.KafkaController)"


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        ("%x%X{a}%n%x [%d] %p %m (%c)", f"abc {LINE}"),
        ("[%d] %20p %20m (%c)", LINE.replace("INFO ", "   INFO      ")),
        ("[%d]%5p%m (%c)", LINE.replace("] INFO ", "]   INFO    ")),
        ("%x-%x [%d] %p %m (%c)", f"a-b-c {LINE}"),
        ("%t [%d] %p %m (%c)", f"a thread {LINE}"),
        ("[%d] %p %m (%c)%x%x%x", f"{LINE}tail"),
        ("100%% [%d] %p %m (%c)", f"100% {LINE}"),
    ],
)
def test_a_line_is_read_as_its_pattern_says(pattern: str, line: str) -> None:
    assert layout(pattern).normal(line) == LINE


@pytest.mark.parametrize("pattern", ["%x.%x.%m", "%t %t-%m", "%m %x:%x:%x:%x", "%c%t%m", "%x%m"])
def test_a_pattern_that_reads_a_line_in_too_many_ways_is_refused(pattern: str) -> None:
    with pytest.raises(IsrproofError, match="too many ways"):
        layout(pattern)


CONVERSIONS = ["%x", "%t", "%c", "%d", "%p", "%5x", "%-20t", "%20c", "%9d", "%5p", "%n", " ", "-", ".", "[", "] ", "a"]


@given(st.lists(st.sampled_from(CONVERSIONS), max_size=12), st.lists(st.sampled_from(CONVERSIONS), max_size=12))
def test_no_pattern_takes_long(before: list[str], after: list[str]) -> None:
    try:
        made = layout("".join([*before, "%m", *after]))
    except IsrproofError:
        return
    began = time.process_time()
    for line in ("x" * 300, " " * 300, "a-" * 150, "x." * 100 + " " * 100 + LINE + "!", "[" * 300, "1 - " * 75):
        made.normal(line)
    assert time.process_time() - began < 1


@pytest.mark.parametrize("pattern", ["%x-%m!", "%x:%m%x ]", "[%d] %9p %9m (%c)", "%t %m!"])
def test_time_grows_with_the_line(pattern: str) -> None:
    made = layout(pattern)
    for fill in ("x", "-", " ", "a "):
        began = time.process_time()
        assert made.normal(fill * (10_000 // len(fill)) + "\n?") is None
        assert time.process_time() - began < 2
