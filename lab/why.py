"""Share of chains that end at the true cause: `python -m lab.why [FOLDER...]`.

A recording says what its recorder did to which node, and when. Each time in which a partition was offline or
under-replicated, or the quorum had no leader, of more than a second, and each change of the controller, has a chain
(`isrproof why`): its cause is *right* if it is a fault of the recorder that was in force then, on that node, of that
kind (a deletion or a reassignment: of that topic, for a minute); *unknown* if the chain names no cause; else *wrong*.
Where the recorder did nothing, or a process says itself why it failed, nothing is judged. Exit code 1 if any is wrong,
or less than 95 % of those with a fault in force are right.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from isrproof.checker.audit.findings.happened import Happened
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.why.answer import knowing
from isrproof.checker.audit.why.controllers import previous
from isrproof.checker.audit.why.known import Known
from isrproof.checker.audit.why.table import chain_of

from . import RECORDED, RECORDED_KRAFT

KINDS = ("offline", "under-replicated", "quorum-without-leader", "controller-active")
LONG, CLOCKS, SESSION = 1_000, 2_000, 30_000
RIGHT, WRONG, UNKNOWN, NO_FAULT = "right", "wrong", "unknown", "no fault"
LEAST = 0.95
_BEGINS = {
    "kill": "kill", "terminate": "stop", "term": "stop", "pause": "pause", "fail-disk": "disk", "disk fails": "disk",
    "depose-controller": "depose", "reassign": "reassign", "delete-topic": "delete", "delete": "delete",
}  # fmt: skip
_ENDS = {"start": ("kill", "stop", "pause"), "resume": ("pause",), "mend-disk": ("disk",)}
_OF_TOPICS = ("reassign", "delete")
_FITS: Mapping[str, Sequence[str]] = {
    "process-lost": ("kill",),
    "process-stopped": ("stop", "disk"),
    "process-failed": ("disk",),
    "session-expired": ("kill", "pause", "stop", "disk"),
    "fenced": ("kill", "pause", "stop", "disk"),
    "unregistered": ("kill", "pause", "stop", "disk"),
    "directory-failed": ("disk",),
    "isr-shrunk": ("kill", "pause", "stop"),
    "controller-resigned": ("depose", "stop", "pause"),
    "reassignment-running": ("reassign",),
    "deletion-running": ("delete",),
}
"""The faults that a cause of each kind stands for."""


@dataclass(frozen=True)
class Fault:
    """Something that the recorder did to a node, or to a topic."""

    kind: str
    node: int | None
    topic: str | None
    since: int
    until: int | None
    """The time at which it was undone; None if it was not."""

    def was_in_force(self, ts: int) -> bool:
        if self.kind in ("depose", *_OF_TOPICS):
            return -CLOCKS <= ts - self.since <= 2 * SESSION
        return self.since - CLOCKS <= ts and (self.until is None or ts <= self.until + SESSION)


def steps(recording: Path) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """Yield what the recorder did: the time, what, and its details."""
    own = recording / "timeline.jsonl"
    if own.exists():
        for line in own.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            command = str(row.get("cmd", "")).split()
            what = row["kind"] if row["kind"] != "admin" else command[0]
            yield round(row["t"] * 1000), what, row | {"topic": command[1] if len(command) > 1 else None}
        return
    for row in json.loads((recording / "manifest.json").read_text(encoding="utf-8")).get("timeline", ()):
        ts = round(datetime.fromisoformat(row["time"].replace("Z", "+00:00")).timestamp() * 1000)
        yield ts, row["did"], row | {"node": row.get("broker", row.get("controller"))}


def faults(recording: Path) -> list[Fault]:
    """Return what the recorder did that a chain may end at."""
    found: list[Fault] = []
    for ts, what, row in steps(recording):
        if what in _BEGINS:
            kind = _BEGINS[what]
            about = (None, row.get("topic")) if kind in _OF_TOPICS else (row["node"], None)
            found.append(Fault(kind, *about, ts, None))
        for ended in _ENDS.get(what, ()):
            found = [
                Fault(each.kind, each.node, each.topic, each.since, ts)
                if (each.kind, each.node, each.until) == (ended, row.get("node"), None)
                else each
                for each in found
            ]
    return found


def judged(entry: Happened, known: Known, done: Sequence[Fault]) -> tuple[str, Happened | None]:
    """Return what a chain is, and the cause that it names."""
    assert entry.since is not None
    cause = chain_of(entry, known).cause
    now = [each for each in done if each.was_in_force(entry.since)]
    if cause is None:
        return (UNKNOWN if now else NO_FAULT), None
    of_kind = [each for each in now if each.kind in _FITS[cause.what]]
    if any((each.topic, each.node) == ((cause.topic, None) if each.topic else (None, cause.node)) for each in of_kind):
        return RIGHT, cause
    return (NO_FAULT if cause.what == "process-failed" else WRONG), cause


def chains(recording: Path) -> Iterator[tuple[str, Happened, Happened | None]]:
    """Yield the spells of a recording, what the chain of each is, and its cause."""
    done = faults(recording)
    for known in knowing([str(recording)], Options()).values():
        for each in known.entries:
            if each.since is None or each.what not in KINDS:
                continue
            failover = each.what == "controller-active" and previous(each, known) is not None
            if failover or (each.what != "controller-active" and (each.longest or 0) > LONG):
                result, cause = judged(each, known, done)
                yield result, each, cause


def recordings(folders: Sequence[Path]) -> Iterator[Path]:
    for folder in folders:
        yield from (each.parent for each in sorted(folder.glob("*/manifest.json")))


def reported(counts: Mapping[str, Counter[str]], title: str) -> int:
    """Print a table of results, and return 1 if a chain ends at a wrong cause, or too few end at the true one."""
    every = sum(counts.values(), Counter[str]())
    print(f"{title:26}{RIGHT:>8}{WRONG:>8}{UNKNOWN:>9}{NO_FAULT:>10}")
    for name, own in (*counts.items(), ("all", every)):
        print(f"{name:26}{own[RIGHT]:8}{own[WRONG]:8}{own[UNKNOWN]:9}{own[NO_FAULT]:10}")
    decided = every[RIGHT] + every[WRONG] + every[UNKNOWN]
    share = every[RIGHT] / decided if decided else 1.0
    print(f"{share:.1%} of chains with a fault in force end at the true cause")
    return int(every[WRONG] > 0 or share < LEAST)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=[RECORDED, RECORDED_KRAFT])
    parser.add_argument("--only", default="", help="only recordings whose name contains this")
    parser.add_argument("--verbose", action="store_true", help="print each chain that is not right")
    args = parser.parse_args()
    counts: dict[str, Counter[str]] = {what: Counter() for what in KINDS}
    for recording in (each for each in recordings(args.folders) if args.only in each.name):
        for result, each, cause in chains(recording):
            counts[each.what][result] += 1
            if args.verbose and result != RIGHT:
                what = f"{each.what} {each.topic}-{each.partition} at {each.since}, {each.longest} ms"
                named = "" if cause is None else f": {cause.what} {cause.node} at {cause.since}"
                print(f"{result}  {recording.name}  {what}{named}", flush=True)
    return reported(counts, "")


if __name__ == "__main__":
    sys.exit(main())
