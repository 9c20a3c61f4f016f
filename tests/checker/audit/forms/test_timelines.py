"""Forms of a timeline: lanes, traces, vector clocks, lines of one partition."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from itertools import pairwise

from click.testing import CliRunner
from isrproof.checker.commands.audit import command

from tests.recordings import CHAOS
from tests.reports import form, made


def test_slices_of_a_lane_never_overlap() -> None:
    trace = json.loads(form("perfetto", CHAOS))
    lanes: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for event in trace["traceEvents"]:
        assert {"ph", "pid"} <= set(event)
        if event["ph"] == "X":
            assert event["dur"] >= 0
            lanes[event["pid"], event["tid"]].append((event["ts"], event["dur"]))
    for slices in lanes.values():
        ordered = sorted(slices)
        for (start, length), (following, _) in pairwise(ordered):
            assert start + length <= following
    named = {(each["pid"], each.get("tid")) for each in trace["traceEvents"] if each["ph"] == "M"}
    assert set(lanes) <= named
    assert {(pid, None) for pid, _ in lanes} <= named
    processes = {each["args"]["name"]: each["pid"] for each in trace["traceEvents"] if each["name"] == "process_name"}
    assert [processes[f"broker {id}"] for id in (1, 2, 3)] == [1, 2, 3]
    assert not set(processes.values()) & {tid for _, tid in lanes}, "no lane is called a main thread"


def test_a_trace_has_a_mark_for_every_finding_and_counts_what_is_offline() -> None:
    events = json.loads(form("perfetto", CHAOS))["traceEvents"]
    assert len([each for each in events if each["ph"] == "i"]) == 24
    counts = [each["args"]["n"] for each in events if each["ph"] == "C"]
    assert max(counts) > 0
    assert min(counts) >= 0


def test_vector_clocks_grow_and_are_told_by_the_pattern() -> None:
    head, empty, *lines = form("shiviz", CHAOS).splitlines()
    assert empty == ""
    pattern = re.compile(head.replace("(?<", "(?P<"))
    clocks: dict[str, dict[str, int]] = {}
    for line in lines:
        match = pattern.fullmatch(line)
        assert match, line
        host, clock = match["host"], json.loads(match["clock"])
        before = clocks.get(host, {})
        assert clock[host] == before.get(host, 0) + 1
        assert all(clock.get(other, 0) >= count for other, count in before.items())
        for other, count in clock.items():
            assert other == host or count <= clocks[other][other]
        clocks[host] = clock
    assert len(clocks) == 3
    assert any(len(clock) > 1 for clock in clocks.values())


def test_a_partition_is_a_line_for_each_state() -> None:
    rows = [json.loads(line) for line in form("ndjson", CHAOS, partition="d-0").splitlines()]
    assert len(rows) == len(made(CHAOS, "d-0").timeline or ())
    assert {(row["topic"], row["partition"]) for row in rows} == {("d", 0)}


def test_events_of_one_partition_want_its_name() -> None:
    result = CliRunner().invoke(command, ["--engine", "python", "--format", "ndjson", str(CHAOS)])
    assert result.exit_code == 2
    assert "--partition TOPIC-N" in result.stderr
