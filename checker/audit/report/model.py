"""What a report is, and how it is made of what an audit found: one per cluster, narrowed to what is asked for."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ....specs.releases import names
from ....traces.place import Place
from ....traces.timeline import TimelineRow
from ..files.file import FileFacts
from ..findings.audited import Audited
from ..findings.finding import Finding
from ..findings.moves import Move
from ..findings.tally import Tally
from ..history.histories import Life
from ..history.spans import Span

EXIT = {"illegal": 1, "incomplete": 3, "nothing-to-check": 3, "conforms": 0}
"""Verdicts of a run, the strongest first, and the exit codes that they mean."""
PLAIN = "kafka"
"""The layout of Kafka's own configuration."""
_TOP = 10
"""So many unknown templates are shown."""


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


@dataclass(frozen=True)
class UnknownTemplate:
    """How many unknown lines are alike but for their numbers."""

    template: str
    count: int


@dataclass(frozen=True)
class CoverageReport:
    """Lines of all files: per class, per row of the line table, and the commonest unknown templates."""

    understood: int
    irrelevant: int
    continuation: int
    unknown: int
    rows: Mapping[str, int]
    top_unknown: tuple[UnknownTemplate, ...]

    @property
    def lines(self) -> int:
        return self.understood + self.irrelevant + self.continuation + self.unknown


@dataclass(frozen=True)
class ControllerEpoch:
    """Which broker was controller in an epoch."""

    epoch: int
    controller: int


@dataclass(frozen=True)
class LifeReport:
    """One history of a cluster, the files that show it, and why it begins where it does."""

    life: int
    epochs: tuple[ControllerEpoch, ...]
    files: tuple[str, ...]
    begins: str


@dataclass(frozen=True)
class WordingEvidence:
    """A line that only some releases print, by the row of the line table that it is."""

    place: Place
    row: str
    releases: str


@dataclass(frozen=True)
class WordingStretch:
    """Lines of a file that one controller wrote in one epoch, and the releases and the level that they tell of."""

    file: str
    first_line: int
    last_line: int
    life: int
    controller: int
    controller_epoch: int
    releases: str
    evidence: tuple[WordingEvidence, ...]
    level: str
    lossy: bool


@dataclass(frozen=True)
class Report:
    """All that one audited cluster gave. `rules` are by code; `timeline` is None where it was not asked for."""

    verdict: str
    findings: tuple[Finding, ...]
    rules: Mapping[str, Tally]
    coverage: CoverageReport
    files: tuple[FileFacts, ...]
    lives: tuple[LifeReport, ...]
    releases: tuple[WordingStretch, ...]
    transitions: tuple[Move, ...]
    notes: tuple[str, ...]
    timeline: tuple[TimelineRow, ...] | None = None


def reports(found: Audited, files: Sequence[FileFacts], narrow: Narrow | None = None) -> list[Report]:
    """A report per cluster that has files, in the order of the clusters."""
    narrow = narrow or Narrow()
    paths = {file.index: file.path for file in files}
    per_cluster = defaultdict(list)
    for file in files:
        per_cluster[file.cluster].append(file)
    return [_report(found, cluster, members, paths, narrow) for cluster, members in sorted(per_cluster.items())]


def _report(
    found: Audited, cluster: int, files: Sequence[FileFacts], paths: Mapping[int, str], narrow: Narrow
) -> Report:
    tallies = dict(sorted(found.tallies.get(cluster, {}).items()))
    of_cluster = (each for each in found.findings if each.cluster == cluster)
    findings = tuple(each for each in of_cluster if narrow.wants(each.entity.topic, each.entity.partition, each.ts))
    return Report(
        verdict=_verdict(findings, tallies, files),
        findings=findings,
        rules=tallies,
        coverage=_coverage(files),
        files=tuple(_file(file) for file in files),
        lives=tuple(_life(each, paths) for each in found.histories.lives if each.cluster == cluster),
        releases=tuple(_stretch(each, paths) for each in found.histories.spans if each.cluster == cluster),
        transitions=tuple(each for each in found.moves if each.cluster == cluster),
        notes=(
            *(note for of, note in found.histories.notes if of == cluster),
            *_read_as(files),
            *(f"{file.name}: {file.problem}" for file in files if file.problem),
            *(f"{file.name}: {file.lossy}" for file in files if file.lossy),
            *(_twice(file, found.repeated[file.index]) for file in files if file.index in found.repeated),
        ),
        timeline=None if found.timeline is None else tuple(_narrowed(found.timeline, cluster, narrow)),
    )


def _narrowed(rows: Iterable[TimelineRow], cluster: int, narrow: Narrow) -> Iterable[TimelineRow]:
    return (row for row in rows if row.cluster == cluster and narrow.wants(row.topic, row.partition, row.ts))


def _read_as(files: Sequence[FileFacts]) -> Iterable[str]:
    """How files were read that are not as Kafka's own log4j.properties has them."""
    for file in files:
        if file.notes or file.read_as not in (None, PLAIN):
            zone = "" if file.zone is None else f", {_zone(file.zone)}"
            yield "; ".join([f"{file.name}: read as {file.read_as}{zone}", *file.notes])


def _zone(minutes: int) -> str:
    hours, rest = divmod(abs(minutes), 60)
    return f"times are {'-' if minutes < 0 else '+'}{hours:02d}:{rest:02d} of UTC"


def _twice(file: FileFacts, count: int) -> str:
    lines = "1 line stands there twice" if count == 1 else f"{count} lines stand there twice"
    return f"{file.name}: {lines}, to the millisecond; read once"


def _verdict(findings: Sequence[Finding], tallies: Mapping[str, Tally], files: Sequence[FileFacts]) -> str:
    """illegal > incomplete > nothing-to-check > conforms."""
    if any(finding.verdict == "illegal" for finding in findings):
        return "illegal"
    if any(file.problem or file.bearing_unknown for file in files):
        return "incomplete"
    if not any(tally.evaluated for tally in tallies.values()):
        return "nothing-to-check"
    return "conforms"


def _coverage(files: Sequence[FileFacts]) -> CoverageReport:
    classes: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    for file in files:
        classes.update(file.coverage)
        rows.update(file.rows)
        unknown.update(file.unknown)
    top = sorted(unknown.items(), key=lambda item: (-item[1], item[0]))[:_TOP]
    return CoverageReport(
        understood=classes["understood"],
        irrelevant=classes["irrelevant"],
        continuation=classes["continuation"],
        unknown=classes["unknown"],
        rows=dict(sorted(rows.items())),
        top_unknown=tuple(UnknownTemplate(*each) for each in top),
    )


def _file(file: FileFacts) -> FileFacts:
    """With the commonest of its unknown templates only."""
    return replace(file, rows=dict(sorted(file.rows.items())), unknown=dict(list(file.unknown.items())[:_TOP]))


def _life(life: Life, paths: Mapping[int, str]) -> LifeReport:
    return LifeReport(
        life=life.life,
        epochs=tuple(ControllerEpoch(epoch, who) for epoch, who in life.epochs.items()),
        files=tuple(dict.fromkeys(paths[index] for index in life.files)),
        begins=life.why,
    )


def _stretch(span: Span, paths: Mapping[int, str]) -> WordingStretch:
    return WordingStretch(
        file=paths[span.file],
        first_line=span.first,
        last_line=span.last,
        life=span.life,
        controller=span.controller,
        controller_epoch=span.epoch,
        releases=names(span.releases) if span.releases else "contradictory",
        evidence=tuple(
            WordingEvidence(Place(paths[each.file], each.line), each.row, names(each.releases))
            for each in span.evidence
        ),
        level=span.seen_level,
        lossy=span.lossy,
    )
