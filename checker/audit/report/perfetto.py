"""Leaders over time as Chrome's trace JSON, for ui.perfetto.dev: a broker is a process, a partition a thread."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..observe.controller.conditions import OFFLINE
from .forms import AuditRun
from .model import Report
from .shown import partition_name
from .terms import terms

_CLUSTER = 1_000_000
"""The distance between the process numbers of two clusters; a broker's number is its id."""
_ITSELF = _CLUSTER - 2
"""The process of the cluster itself."""
_NOBODY = _CLUSTER - 1
"""A stand-in for the broker of a partition without a leader."""
_FIRST_THREAD = 100_001
"""The first thread number: a thread with the number of its process would be shown as its main thread."""
Event = dict[str, Any]


def write(run: AuditRun) -> str:
    """Return one object. Lines without a time are not in it; `otherData` counts them."""
    events = [event for number, (title, report) in enumerate(run.clusters) for event in _of(number, title, report)]
    untimed = sum(row.ts is None for report in run.reports for row in report.timeline or ())
    head = json.dumps({"displayTimeUnit": "ms", "otherData": {"states without a time": untimed}})[:-1]
    lines = ",\n".join(json.dumps(event, ensure_ascii=False) for event in events)
    return f'{head}, "traceEvents": [\n{lines}\n]}}\n'


def _of(number: int, title: str, report: Report) -> Iterator[Event]:
    base = number * _CLUSTER
    start = f"{title}: " if title else ""
    yield _name(base + _ITSELF, None, f"{start}cluster")
    threads: dict[tuple[int, str, int], int] = {}
    named: set[int] = set()
    lanes: set[tuple[int, int]] = set()
    for key, own in terms(report):
        life, topic, partition = key
        threads[key] = _FIRST_THREAD + len(threads)
        name = partition_name(topic, partition) + (f", life {life}" if life > 1 else "")
        for term in own:
            broker = term.row.leader if term.row.leader >= 0 else _NOBODY
            process = base + broker
            if process not in named:
                named.add(process)
                yield _name(process, None, start + ("no leader" if broker == _NOBODY else f"broker {broker}"))
            if (process, threads[key]) not in lanes:
                lanes.add((process, threads[key]))
                yield _name(process, threads[key], name)
            epoch = f", epoch {term.row.leader_epoch}"
            yield {
                "ph": "X",
                "cat": "leader",
                "name": ("leader" if term.row.leader >= 0 else "no leader") + epoch,
                "pid": process,
                "tid": threads[key],
                "ts": term.start * 1000,
                "dur": (term.end - term.start) * 1000,
                "args": {
                    "isr": "?" if term.row.isr is None else str(list(term.row.isr)),
                    "controller epoch": term.row.controller_epoch,
                    "line": str(term.row.place),
                },
            }
    yield from _findings(report, base + _ITSELF)
    yield from _offline(report, base + _ITSELF)


def _findings(report: Report, process: int) -> Iterator[Event]:
    for each in report.findings:
        if each.ts is not None:
            yield {
                "ph": "i",
                "s": "p",
                "cat": "finding",
                "name": f"{each.rule} {each.name}",
                "pid": process,
                "tid": 0,
                "ts": each.ts * 1000,
                "args": {"verdict": each.verdict, "message": each.message, "line": str(each.place)},
            }


def _offline(report: Report, process: int) -> Iterator[Event]:
    """Yield the number of offline partitions each time it changes."""
    changes = offline_changes(report)
    for ts, n in changes:
        yield {"ph": "C", "name": "offline partitions", "pid": process, "tid": 0, "ts": ts * 1000, "args": {"n": n}}


def offline_changes(report: Report) -> list[tuple[int, int]]:
    """Return pairs of a time and the number from then on, in order; a spell without a shown end has no end here.

    A spell from lines of ZooKeeper mode ends at the latest where KRaft took over: from then on its records count.
    """
    steps: dict[int, int] = {}
    for spell in report.conditions():
        if spell.condition == OFFLINE and spell.since is not None:
            steps[spell.since] = steps.get(spell.since, 0) + 1
            until = report.state.until if spell.until is None and spell.place.offset is None else spell.until
            if until is not None:
                end = max(until, spell.since)
                steps[end] = steps.get(end, 0) - 1
    n = 0
    found = []
    for ts in sorted(steps):
        n += steps[ts]
        found.append((ts, n))
    return found


def _name(process: int, thread: int | None, name: str) -> Event:
    kind = "process_name" if thread is None else "thread_name"
    lane = {"pid": process} if thread is None else {"pid": process, "tid": thread}
    return {"ph": "M", "name": kind, **lane, "args": {"name": name}}
