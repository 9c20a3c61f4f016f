"""From what the rules gave to reports: one per cluster, narrowed to what the reader asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ....specs.releases import names
from ..history.histories import Histories
from ..history.spans import Span
from ..pipeline import Audited
from .finding import EXIT, Finding, Report, Tally

VERDICTS = tuple(EXIT)
_TOP = 10
"""So many unknown templates are shown."""


@dataclass(frozen=True)
class FileFacts:
    """What was read of a file. `coverage` counts lines per class, `rows` per row of the line table, `unknown` per
    template, the commonest first."""

    index: int
    cluster: int
    path: str
    lines: int
    coverage: Mapping[str, int]
    rows: Mapping[str, int]
    unknown: Mapping[str, int]
    bearing_unknown: int
    problem: str | None = None
    lossy: str | None = None

    @property
    def unread(self) -> bool:
        """Nothing of it could be read: to the audit it is a file that is not there."""
        return self.problem is not None and not self.lines


@dataclass(frozen=True)
class Narrow:
    """What to report: one partition, a stretch of time (milliseconds as printed, both ends included)."""

    partition: tuple[str, int] | None = None
    since: int | None = None
    until: int | None = None

    def wants(self, topic: str | None, partition: int | None, ts: int | None) -> bool:
        if self.partition is not None and (topic, partition) != self.partition:
            return False
        if ts is None:
            return True
        return (self.since is None or self.since <= ts) and (self.until is None or ts <= self.until)


def reports(
    found: Audited,
    files: Sequence[FileFacts],
    timeline: Iterable[Mapping[str, Any]] | None = None,
    transitions: Iterable[Mapping[str, Any]] = (),
    narrow: Narrow | None = None,
) -> list[Report]:
    """A report per cluster, in the order of the clusters."""
    narrow = narrow or Narrow()
    per_cluster = defaultdict(list)
    for file in files:
        per_cluster[file.cluster].append(file)
    lines = None if timeline is None else _split(timeline)
    moves = _split(transitions)
    made = []
    for cluster, members in sorted(per_cluster.items()):
        tallies = dict(found.tallies.get(cluster, {}))
        findings = [f for f in found.findings if f.cluster == cluster]
        shown = [f for f in findings if narrow.wants(f.entity.topic, f.entity.partition, f.ts)]
        made.append(
            Report(
                verdict=_verdict(shown, tallies, members),
                findings=shown,
                rules=tallies,
                coverage=coverage(members),
                files=[_file(file) for file in members],
                lives=_lives(found.histories, cluster, files),
                releases=_releases(found.histories, cluster, files),
                timeline=None
                if lines is None
                else [row for row in lines[cluster] if narrow.wants(row["topic"], row["partition"], row["ts"])],
                transitions=moves[cluster],
                notes=[
                    *(note for of, note in found.histories.notes if of == cluster),
                    *(f"{file.path}: {file.problem}" for file in members if file.problem),
                    *(f"{file.path}: {file.lossy}" for file in members if file.lossy),
                    *(_twice(file, found.repeated[file.index]) for file in members if file.index in found.repeated),
                ],
            )
        )
    return made


def _twice(file: FileFacts, count: int) -> str:
    lines = "1 line stands there twice" if count == 1 else f"{count} lines stand there twice"
    return f"{file.path}: {lines}, to the millisecond; read once"


def _split(rows: Iterable[Mapping[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        found[row["cluster"]].append({name: value for name, value in row.items() if name != "cluster"})
    return found


def _verdict(findings: Sequence[Finding], tallies: Mapping[str, Tally], files: Sequence[FileFacts]) -> str:
    """illegal > incomplete > nothing-to-check > conforms."""
    if any(finding.verdict == "illegal" for finding in findings):
        return "illegal"
    if any(file.problem or file.bearing_unknown for file in files):
        return "incomplete"
    if not any(tally.evaluated for tally in tallies.values()):
        return "nothing-to-check"
    return "conforms"


def coverage(files: Sequence[FileFacts]) -> dict[str, Any]:
    """Lines per class over all files, per row of the line table, and the commonest unknown templates."""
    total: dict[str, int] = dict.fromkeys(("understood", "irrelevant", "continuation", "unknown"), 0)
    rows: dict[str, int] = defaultdict(int)
    unknown: dict[str, int] = defaultdict(int)
    for file in files:
        for name, count in file.coverage.items():
            total[name] += count
        for name, count in file.rows.items():
            rows[name] += count
        for name, count in file.unknown.items():
            unknown[name] += count
    top = sorted(unknown.items(), key=lambda item: (-item[1], item[0]))[:_TOP]
    return {
        **total,
        "rows": dict(sorted(rows.items())),
        "top_unknown": [{"template": template, "count": count} for template, count in top],
    }


def _file(file: FileFacts) -> dict[str, Any]:
    shown = asdict(file)
    for name in ("index", "cluster"):
        del shown[name]
    return {
        **shown,
        "coverage": dict(file.coverage),
        "rows": dict(sorted(file.rows.items())),
        "unknown": dict(list(file.unknown.items())[:_TOP]),
    }


def _lives(histories: Histories, cluster: int, files: Sequence[FileFacts]) -> list[dict[str, Any]]:
    paths = {file.index: file.path for file in files}
    return [
        {
            "life": life.life,
            "epochs": [{"epoch": epoch, "controller": who} for epoch, who in life.epochs.items()],
            "files": [paths[index] for index in life.files],
            "begins": life.why,
        }
        for life in histories.lives
        if life.cluster == cluster
    ]


def _releases(histories: Histories, cluster: int, files: Sequence[FileFacts]) -> list[dict[str, Any]]:
    paths = {file.index: file.path for file in files}
    return [_stretch(span, paths) for span in histories.spans if span.cluster == cluster]


def _stretch(span: Span, paths: Mapping[int, str]) -> dict[str, Any]:
    return {
        "file": paths[span.file],
        "first_line": span.first,
        "last_line": span.last,
        "life": span.life,
        "controller": span.controller,
        "controller_epoch": span.epoch,
        "releases": names(span.releases) if span.releases else "contradictory",
        "evidence": [
            {"file": paths[each.file], "line": each.line, "row": each.row, "releases": names(each.releases)}
            for each in span.evidence
        ],
        "level": span.seen_level,
        "lossy": span.lossy,
    }


def as_json(report: Report) -> dict[str, Any]:
    """The one object that `--format json` prints for a cluster."""
    return {
        "verdict": report.verdict,
        "findings": [_finding(finding) for finding in report.findings],
        "rules": {
            code: {
                "evaluated": tally.evaluated,
                "held": tally.held,
                "failed": tally.failed,
                "undecided": tally.undecided,
            }
            for code, tally in sorted(report.rules.items())
        },
        "coverage": report.coverage,
        "files": report.files,
        "lives": report.lives,
        "releases": report.releases,
        "transitions": report.transitions,
        "notes": report.notes,
        **({} if report.timeline is None else {"timeline": report.timeline}),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    shown = asdict(finding)
    del shown["cluster"]
    return {**shown, "severity": finding.severity, "issue": list(finding.issue)}
