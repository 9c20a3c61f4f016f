"""Starts, stops, kills and failures of recorded clusters: each is found at its time, and nothing else is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

import pytest
from isrproof.checker.audit import command
from isrproof.checker.audit.findings.happened import Happened, judged

TRACES = Path(__file__).parents[4] / "traces"
RECORDINGS = sorted(
    path.parent
    for folder in ("recorded", "recorded-kraft")
    for path in (TRACES / folder).glob("*/manifest.json")
    if any(path.parent.glob("*/server.log*"))
)
"""Recordings with server.log, which prints what processes do."""
WORDS = {"terminate": "term", "terminated": "exited"}
STARTS_WITHIN, STOPS_WITHIN = 20_000, 1_000
"""The milliseconds after an action within which the process prints it; up to JITTER before, as clocks round."""
JITTER = 100
Action = tuple[int, str]
"""A time, and the word of the manifest: start, term, exited, kill."""


def done(recording: Path) -> list[tuple[int, str, int]]:
    """Return what was done to nodes, in the order of time: when, what in the words of the manifest, and to whom."""
    manifest = json.loads((recording / "manifest.json").read_text(encoding="utf-8"))
    found: list[tuple[int, str, int]] = []
    if "timeline" in manifest:
        for each in manifest["timeline"]:
            if "broker" in each:
                time = datetime.fromisoformat(each["time"].replace("Z", "+00:00")).timestamp()
                found.append((round(time * 1000), each["did"], each["broker"]))
    else:
        for line in (recording / "timeline.jsonl").read_text(encoding="utf-8").splitlines():
            each = json.loads(line)
            if "node" in each:
                found.append((round(each["t"] * 1000), each["kind"], each["node"]))
    return sorted(found)


def actions(recording: Path) -> dict[int, list[Action]]:
    """Return the starts and ends of each node's processes, by time."""
    by_node: dict[int, list[Action]] = {}
    for time, word, node in done(recording):
        if WORDS.get(word, word) in ("start", "term", "exited", "kill"):
            by_node.setdefault(node, []).append((time, WORDS.get(word, word)))
    return by_node


def entries(recording: Path, monkeypatch: pytest.MonkeyPatch) -> Sequence[Happened]:
    """Return what happened, one by one."""
    monkeypatch.setattr(command, "as_shown", tuple)
    return [each for report in command.audit([str(recording)]) for each in report.happened]


def expected(done: Sequence[Action], failed: Sequence[int]) -> Iterator[tuple[str, int, int]]:
    """Yield what a node's log must show: what, not before, and not after. A process that failed by itself is not there
    to be stopped or killed.
    """
    started = 0
    for number, (time, word) in enumerate(done):
        if word == "start":
            started = time
            yield "process-started", time - JITTER, time + STARTS_WITHIN
        elif any(started <= ts <= time for ts in failed):
            continue
        elif word == "term":
            yield "process-stopped", time - JITTER, time + STOPS_WITHIN
        elif word == "kill" and (again := next((t for t, w in done[number:] if w == "start"), None)) is not None:
            yield "process-lost", again - JITTER, again + STARTS_WITHIN


FAILURES = {
    "log-dir-failure-0.11.0.3": [(2, "a log directory failed that it cannot do without")],
    "migration-3.9.1": [(1, "Address already in use")] * 3,
}
"""Processes that failed by themselves, by recording, and a part of the reason."""


@pytest.mark.slow(every=3)
@pytest.mark.full(every=8)
@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.name)
def test_each_process_ends_as_the_manifest_says(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [each for each in entries(recording, monkeypatch) if each.what.startswith("process-")]
    failures = [each for each in found if each.what == "process-failed"]
    known = FAILURES.get(recording.name, [])
    assert [each.node for each in failures] == [node for node, _ in known]
    assert all(part in (each.reason or "") for each, (_, part) in zip(failures, known, strict=True))
    by_node = actions(recording)
    assert {each.node for each in found} == set(by_node)
    for node, own_actions in by_node.items():
        wanted = [*expected(own_actions, [each.since or 0 for each in failures if each.node == node])]
        own = [each for each in found if each.node == node and each.what not in ("process-ready", "process-failed")]
        for each in own:
            fits = [w for w in wanted if w[0] == each.what and each.since is not None and w[1] <= each.since <= w[2]]
            assert fits, f"{each.what} of node {node} at {each.since}: nobody did that"
            wanted.remove(fits[0])
        assert not wanted, f"node {node}"


AWAY, BACK = ("term", "terminate", "kill", "pause", "fail-disk"), ("start", "resume")
"""Actions after which a node does not answer, and after which it will again."""
SERVES = 20_000
"""The milliseconds within which a node that starts or goes on answers others."""
MOMENT = 3_000
"""The milliseconds of failures that may come without an action: a broker registers before it listens."""
UNREACHABLE = ("broker-unreachable", "controller-unreachable")


def away(recording: Path) -> dict[int, list[tuple[int, float]]]:
    """Return the times in which nobody may expect an answer of each node."""
    found: dict[int, list[tuple[int, float]]] = {}
    for time, word, node in done(recording):
        own = found.setdefault(node, [(0, float("inf"))])
        if word in AWAY:
            own.append((time - JITTER, float("inf")))
        elif word in BACK:
            own[-1] = own[-1][0], time + SERVES
    return found


@pytest.mark.slow(every=3)
@pytest.mark.full(every=8)
@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.name)
def test_no_start_is_trouble(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    starting = ("metadata-awaited", "zookeeper-unreachable", *UNREACHABLE)
    found = judged([each for each in entries(recording, monkeypatch) if each.what in starting])
    assert [each for each in found if each.trouble] == []


@pytest.mark.slow(every=3)
@pytest.mark.full(every=8)
@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.name)
def test_each_outage_is_one_of_a_node_that_was_away(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = away(recording)
    for each in entries(recording, monkeypatch):
        if each.what not in UNREACHABLE or each.node is None or (each.longest or 0) <= MOMENT:
            continue
        assert each.since is not None
        until = float("inf") if each.lasts else each.since + (each.longest or 0)
        fits = any(begin <= each.since and until <= end for begin, end in gone[each.node])
        assert fits, f"{each.what} of node {each.node} from {each.since} for {each.longest}: {each.reason}"
