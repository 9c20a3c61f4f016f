"""An audit of a mangled recording, compared with the audit of the recording itself."""

from __future__ import annotations

import gzip
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from isrproof.checker.audit.command import audit
from isrproof.checker.audit.findings.finding import Finding
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.json import as_json
from isrproof.checker.audit.report.model import Report

from .parts import Files, beside, with_metadata
from .ways import WAYS, mangled

_MILLIS = re.compile(r"^(\[?[12]\d{3}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)[,.]\d+")
_TIMED = re.compile(r"^.*?(?= (TRACE|DEBUG|INFO|WARN|ERROR|FATAL) )")


class Identity(NamedTuple):
    """Identity of a finding, wherever its lines are: the rule, the entity, the content of the line."""

    rule: str
    entity: str
    epoch: int | None
    text: str


class Case(NamedTuple):
    """A recording, how it is mangled, and the seed of the dice."""

    recording: str
    ways: tuple[tuple[str, float], ...]
    seed: int

    @property
    def way(self) -> str:
        return " + ".join(name for name, _ in self.ways)

    @property
    def retimed(self) -> bool:
        """Return True if times are not part of a finding's identity."""
        return any(WAYS[name].retimed for name, _ in self.ways)

    @property
    def reworded(self) -> bool:
        """Return True if the content of a line is not part of a finding's identity."""
        return any(WAYS[name].reworded for name, _ in self.ways)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a case. `gained`, `lost` and `gone` are illegal findings."""

    case: Case
    gained: tuple[Identity, ...]
    lost: tuple[Identity, ...]
    told: bool
    """The notes differ, or the unknown parts of the cluster's state; or lines that matter for the verdict were not
    understood, which makes it incomplete; or for each lost finding there is one with another verdict, or its rule is
    not among those that had something to evaluate, which the headline counts."""
    kept: int
    gone: tuple[Identity, ...] = ()
    """The line itself is missing, or not whole."""
    agreed: bool = True
    """Another engine, if one was asked, gave the same report."""

    @property
    def bad(self) -> bool:
        return bool(self.gained) or not self.agreed or (bool(self.lost) and not self.told)


def identity(finding: Finding) -> Identity:
    return Identity(finding.rule, str(finding.entity), finding.controller_epoch, _text(finding.excerpt))


def written_to(files: Files, folder: Path, recording: Path | None = None) -> None:
    """Write logs to a folder, and beside them what stands beside those of a recording."""
    for path in beside(recording) if recording is not None else ():
        link = folder / path.relative_to(recording)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(path)
    for name, lines in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
        path.write_bytes(gzip.compress(data, 1) if name.endswith(".gz") else data)


Audited = Callable[[Sequence[str]], list[Report]]
"""Gives a report for each folder."""


def in_process(engine: str) -> Audited:
    return lambda folders: audit(folders, Options(each=True, engine=engine))


def outcomes(
    cases: Iterable[Case],
    recordings: Mapping[str, Files],
    audited: Audited,
    other: Audited | None = None,
    batch: int = 20,
) -> Iterable[Outcome]:
    """Yield the outcome of each case; so many are audited at once, each as a cluster of its own.

    Args:
        other: another engine, which must give the same reports.
    """
    clean: dict[str, dict[Identity, Finding]] = {}
    notes: dict[str, frozenset[str]] = {}
    waiting: list[Case] = []

    def done() -> Iterable[Outcome]:
        new = sorted({case.recording for case in waiting} - clean.keys())
        with TemporaryDirectory() as folder:
            for number, name in enumerate(new):
                written_to(recordings[name], Path(folder) / f"clean-{number}", with_metadata(name))
            texts = []
            for number, case in enumerate(waiting):
                files = mangled(recordings[case.recording], case.ways, case.seed)
                written_to(files, Path(folder) / f"case-{number}", with_metadata(case.recording))
                texts.append(frozenset(_text(line) for lines in files.values() for line in lines))
            folders = [f"{folder}/clean-{number}" for number in range(len(new))]
            folders += [f"{folder}/case-{number}" for number in range(len(waiting))]
            made = audited(folders)
            also = made if other is None else other(folders)
        for name, report in zip(new, made, strict=False):
            clean[name] = illegal(report)
            notes[name] = told(report)
        agreed = [as_json(one) == as_json(another) for one, another in zip(made, also, strict=True)]
        assert all(agreed[: len(new)]), new
        for case, report, same, lines in zip(waiting, made[len(new) :], agreed[len(new) :], texts, strict=True):
            outcome = outcome_of(case, clean[case.recording], notes[case.recording], report, lines)
            yield replace(outcome, agreed=same)
        waiting.clear()

    for case in cases:
        if not mangled(recordings[case.recording], case.ways, case.seed):
            continue
        waiting.append(case)
        if len(waiting) == batch:
            yield from done()
    if waiting:
        yield from done()


def illegal(report: Report) -> dict[Identity, Finding]:
    return {identity(finding): finding for finding in report.findings if finding.verdict == "illegal"}


def told(report: Report) -> frozenset[str]:
    """The notes, without the names of files; and what is not known of the state of the cluster."""
    return frozenset(note.rpartition(": ")[2] for note in report.notes) | frozenset(report.state.unknown)


def _text(line: str) -> str:
    """A line without its milliseconds."""
    return _MILLIS.sub(r"\1", line)


def _untimed(found: Mapping[Identity, Finding]) -> dict[Identity, Finding]:
    return {each._replace(text=_TIMED.sub("", each.text)): finding for each, finding in found.items()}


def _unworded(found: Mapping[Identity, Finding]) -> dict[Identity, Finding]:
    return {Identity(each.rule, "", each.epoch, ""): finding for each, finding in found.items()}


def outcome_of(
    case: Case, clean: Mapping[Identity, Finding], notes: frozenset[str], report: Report, lines: frozenset[str]
) -> Outcome:
    found = illegal(report)
    if case.reworded:
        clean, found = _unworded(clean), _unworded(found)
        lines = frozenset(("",))
    elif case.retimed:
        clean, found = _untimed(clean), _untimed(found)
        lines = frozenset(_TIMED.sub("", line) for line in lines)
    missed = sorted(clean.keys() - found.keys())
    lost = tuple(each for each in missed if each.text in lines)
    gone = tuple(each for each in missed if each.text not in lines)
    others = {identity(finding): finding for finding in report.findings if finding.verdict != "illegal"}
    if case.reworded:
        others = _unworded(others)
    elif case.retimed:
        others = _untimed(others)
    asked = report.checked.rules
    was_told = (
        bool(told(report) - notes)
        or any(file.bearing_unknown or file.problem or file.taught_nothing for file in report.files)
        or all(each in others or each.rule not in asked for each in lost)
    )
    gained = tuple(sorted(found.keys() - clean.keys()))
    return Outcome(case, gained, lost, was_told, len(found) - len(gained), gone)


# ---- Which cases


def single(recordings: Sequence[str], seeds: Iterable[int], ways: Iterable[str] = WAYS) -> list[Case]:
    """Every way at every severity."""
    return [
        Case(name, ((way, severity),), seed)
        for seed in seeds
        for name in recordings
        for way in ways
        for severity in WAYS[way].severities
    ]


# ---- The table


@dataclass
class Row:
    """Return, for one way, the number of runs, of those in which some finding was gained, or lost silently, and of
    findings."""

    runs: int = 0
    gaining: int = 0
    gained: int = 0
    lost: int = 0
    gone: int = 0
    kept: int = 0
    untold: int = 0
    disagreed: int = 0
    rules: Counter[str] = field(default_factory=Counter)


def table(found: Iterable[Outcome]) -> dict[str, Row]:
    """By way; all combinations are one."""
    rows: dict[str, Row] = defaultdict(Row)
    for outcome in found:
        row = rows[outcome.case.way if len(outcome.case.ways) == 1 else "combined"]
        row.runs += 1
        row.gaining += bool(outcome.gained)
        row.gained += len(outcome.gained)
        row.lost += len(outcome.lost)
        row.gone += len(outcome.gone)
        row.kept += outcome.kept
        row.untold += bool(outcome.lost) and not outcome.told
        row.disagreed += not outcome.agreed
        row.rules.update(finding.rule for finding in outcome.gained)
    return dict(rows)


_COUNTED = ("runs", "gaining", "gained", "kept", "gone", "lost", "untold", "disagreed")


def shown(rows: Mapping[str, Row]) -> str:
    """The table as Markdown."""
    lines = [
        "| way | runs | runs that gain | illegal gained | kept | gone | lost | runs that lose untold "
        "| engines disagree | rules |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, row in rows.items():
        rules = " ".join(f"{rule}:{n}" for rule, n in row.rules.most_common())
        lines.append(f"| {name} | {' | '.join(str(getattr(row, each)) for each in _COUNTED)} | {rules} |")
    total = [sum(getattr(row, name) for row in rows.values()) for name in _COUNTED]
    lines.append(f"| all | {' | '.join(map(str, total))} | |")
    return "\n".join(lines)
