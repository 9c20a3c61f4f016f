"""Holds what real clusters did against what was predicted: `python -m lab.whatif RECORDING ...`.

A recording of a scenario `whatif-*` has plans that were carried out, one after the other. Of each, `isrproof whatif` is
asked about the state before it. What the metadata log then shows until the plan ends, read from Kafka's own dump, must
be among what was predicted; nothing of it may happen if the plan was found safe. The shortest way that was predicted is
looked for in the log.

A run in which something fails that the plan does not name, for instance a session that ended because the machine was
busy, is outside the plan: it is printed and not compared. Exit code 1 if a run contradicts the prediction.
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isrproof.checker.whatif.answer import KINDS, MAY_LOSE, OFFLINE, UNDER_MIN_ISR, WITHOUT_ELIGIBLE, Answer, whatif
from isrproof.checker.whatif.plan import Key, Question
from isrproof.traces.record.kraft.dump import State, course, dumped

OUTSIDE, AGREES, AS_TOLD, WRONG = "outside the plan", "agrees", "goes wrong as told", "WRONG"
Seen = Mapping[str, frozenset[Key]]
"""For each of KINDS the partitions that it happened to."""


@dataclass(frozen=True)
class CarriedOut:
    """A plan that was carried out."""

    recording: str
    release: str
    name: str
    about: str
    """The kind of plan."""
    options: Mapping[str, Any]
    begin: int
    """The offset of the last record before the plan."""
    end: int
    """The offset of the last record of it."""
    quorum: str
    """ok or lost."""
    touched: frozenset[int]
    """The nodes that were stopped, killed or started."""
    min_isr: Mapping[str, int]
    """min.insync.replicas of topics that have one."""


@dataclass(frozen=True)
class Compared:
    """A run, what was predicted, and what happened."""

    run: CarriedOut
    answer: Answer
    seen: Seen
    result: str
    why: str = ""
    """The reason, where it does not agree."""


def compare(recording: Path) -> Iterator[Compared]:
    """Yield the runs of a recording, each held against the answer to its plan."""
    manifest = json.loads((recording / "manifest.json").read_text(encoding="utf-8"))
    partitions = course(recording, manifest["controllers"]).partitions
    moves = {each for _, rows in dumped(recording) for row in rows for each in _moves(row.offset, row.text)}
    for run in runs(recording, manifest["kafka"]):
        answer = predicted(recording, run)
        yield compared(run, answer, partitions, {broker for offset, broker in moves if run.begin < offset <= run.end})


def runs(recording: Path, release: str) -> Iterator[CarriedOut]:
    """Yield the runs that a recording's timeline has."""
    began: dict[str, Any] = {}
    touched: set[int] = set()
    min_isr: dict[str, int] = {}
    for line in (recording / "timeline.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        match row["kind"]:
            case "admin" if row["cmd"].startswith("create "):
                _, topic, _, *settings = row["cmd"].split()
                given = dict(each.split("=") for each in settings)
                min_isr[topic] = int(given.get("min.insync.replicas", 1))
            case "plan":
                began, touched = row, set()
            case "kill" | "term" | "start":
                touched.add(row["node"])
            case "planned":
                yield CarriedOut(
                    recording.name,
                    release,
                    row["name"],
                    began["about"],
                    began["options"],
                    began["offset"],
                    row["offset"],
                    row["quorum"],
                    frozenset(touched),
                    dict(min_isr),
                )


def predicted(recording: Path, run: CarriedOut) -> Answer:
    """Return the answer to a plan, from the state before it."""
    options = dict(run.options)
    paths = [str(each) for each in sorted(recording.glob("node-*/metadata"))]
    with tempfile.TemporaryDirectory() as folder:
        if "reassign" in options:
            file = Path(folder) / "plan.json"
            file.write_text(json.dumps(options["reassign"]), encoding="utf-8")
            options["reassign"] = file
        return whatif(paths, Question(at=str(run.begin), release=_minor(run.release), **options))


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def compared(
    run: CarriedOut, answer: Answer, partitions: Mapping[tuple[str, int, int], Sequence[State]], moved: set[int]
) -> Compared:
    """Hold what happened against an answer."""
    versions = {key: own for key, each in partitions.items() if len(own := _within(each, run)) > 1}
    seen = {kind: frozenset[Key]() for kind in KINDS}
    for (topic, number, _), own in versions.items():
        for before, after in itertools.pairwise(own):
            for kind in _suffers(before, after, run.min_isr.get(topic, 1)):
                seen[kind] |= {(topic, number)}
    if others := moved - run.touched:
        return Compared(run, answer, seen, OUTSIDE, f"broker {_listed(others)} failed, or came back, by itself")
    told = {kind: {*answer.found[kind], *answer.already[kind]} for kind in KINDS}
    missing = [f"{kind} {topic}-{number}" for kind in KINDS for topic, number in sorted(seen[kind] - told[kind])]
    missing += ["quorum lost"] if run.quorum == "lost" and answer.quorum.verdict != "lost" else []
    if answer.verdict == "safe" and run.quorum == "lost":
        missing.append("the plan was found safe")
    if missing:
        return Compared(run, answer, seen, WRONG, f"not predicted: {', '.join(missing)}")
    return Compared(run, answer, seen, AS_TOLD if _as_told(run, answer, versions) else AGREES)


def _within(versions: Sequence[State], run: CarriedOut) -> list[State]:
    """Return the last version before a run, and those of the run."""
    before = [each for each in versions if each.version.zxid <= run.begin][-1:]
    return before + [each for each in versions if run.begin < each.version.zxid <= run.end]


def _suffers(before: State, after: State, min_isr: int) -> Iterator[str]:
    """Yield what a change of a partition brings it to, by the words of docs/whatif.md."""
    leader, isr = after.version.leader, {*after.version.isr}
    old, trusted = {*before.version.isr}, {*before.version.isr, *before.elr}
    joined = leader in isr and (isr & old or {*before.replicas} != {*after.replicas})
    if leader not in (-1, before.version.leader) and leader not in trusted and not joined:
        yield MAY_LOSE
    if not isr and not after.elr:
        yield WITHOUT_ELIGIBLE
    if leader == -1:
        yield OFFLINE
    if len(isr) < min_isr:
        yield UNDER_MIN_ISR


def _as_told(run: CarriedOut, answer: Answer, versions: Mapping[tuple[str, int, int], Sequence[State]]) -> bool:
    """Check whether the shortest way to the worst was gone, step by step, or else the quorum was lost."""
    path = answer.path
    if path is None:
        return run.quorum == "lost"
    told = [(-1 if each.leader is None else each.leader, {*each.isr}, {*each.elr}) for each in path.steps]
    return any(
        _follows(told, [(each.version.leader, {*each.version.isr}, {*each.elr}) for each in own])
        for (topic, number, _), own in versions.items()
        if (topic, number) == (path.topic, path.partition)
    )


def _follows(told: Sequence[object], happened: Sequence[object]) -> bool:
    """Check whether all states of a way are among those that happened, in its order; a state may last."""
    at = 0
    for each in told:
        while at < len(happened) and happened[at] != each:
            at += 1
    return at < len(happened)


def _moves(offset: int, text: str) -> Iterator[tuple[int, int]]:
    """Yield the broker that a record of the dump fences or registers, with its offset."""
    _, payload, content = text.partition("payload: ")
    record = json.loads(content) if payload else {"type": ""}
    data = record.get("data", {})
    if record["type"] == "FENCE_BROKER_RECORD":
        yield offset, data["id"]
    elif record["type"] == "REGISTER_BROKER_RECORD" or (
        record["type"] == "BROKER_REGISTRATION_CHANGE_RECORD" and data.get("fenced") == 1
    ):
        yield offset, data["brokerId"]


def _listed(ids: set[int]) -> str:
    return ", ".join(map(str, sorted(ids)))


def table(found: Sequence[Compared]) -> Iterator[str]:
    """Yield the runs as a table in Markdown."""
    yield "| Kafka | plan | predicted | happened | result |"
    yield "|---|---|---|---|---|"
    for each in found:
        run, answer = each.run, each.answer
        told = _words({kind: len(answer.found[kind]) for kind in KINDS}, answer.quorum.verdict)
        real = _words({kind: len(each.seen[kind]) for kind in KINDS}, run.quorum)
        result = f"{each.result}{': ' if each.why else ''}{each.why}"
        yield f"| {run.release} | {run.name} | {answer.verdict}: {told} | {real} | {result} |"


def _words(counts: Mapping[str, int], quorum: str) -> str:
    said = [f"{number} {kind}" for kind, number in counts.items() if number]
    return ", ".join([*said, "quorum lost"] if quorum == "lost" else said) or "nothing"


def main(arguments: Sequence[str]) -> int:
    """Print the table of all runs, and how many agree."""
    strangers = [each for each in arguments if not (Path(each) / "timeline.jsonl").is_file()]
    if strangers or not arguments:
        print(f"expected recordings of a scenario whatif-*, got {', '.join(strangers) or 'none'}", file=sys.stderr)
        return 2
    found = [each for path in arguments for each in compare(Path(path))]
    print("\n".join(table(found)))
    within = [each for each in found if each.result != OUTSIDE]
    wrong = [each for each in within if each.result == WRONG]
    safe = [each for each in within if each.answer.verdict == "safe"]
    told = {each.run.about for each in within if each.result == AS_TOLD}
    print(
        f"\nruns: {len(found)}; outside their plan: {len(found) - len(within)}; among what was predicted: "
        f"{len(within) - len(wrong)} of {len(within)}; plans found safe: {len(safe)}\n"
        f"went wrong as told, at least once: {', '.join(sorted(told)) or 'none'}"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
