"""The report of a cluster as dataclasses, and how it is made from an audit's result."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from ....specs.releases import names
from ....traces.place import Place
from ....traces.timeline import ReplicaRow, TimelineRow
from ..doubt.in_words import InDoubt
from ..files.file import FileFacts
from ..findings.audited import Audited, Repeated
from ..findings.brokers import BrokerTimeline
from ..findings.chains import chained
from ..findings.finding import Finding
from ..findings.happened import Happened
from ..findings.metadata import MetadataLog
from ..findings.moves import Move
from ..findings.scope import Scope
from ..findings.state import ClusterState, Condition
from ..findings.tally import Tally
from ..findings.unread import Unread
from ..happened.collected import health
from ..history.histories import Life
from ..history.spans import Span
from ..lines import BESIDE_METADATA, JUDGED_OF_KRAFT, OF_KRAFT, OF_ZOOKEEPER
from ..rules.catalogue import rules
from ..table.protocol import Row
from .now.what import WhatNow
from .shown import and_more, count
from .unread_text import unread_text

EXIT = {"illegal": 1, "incomplete": 3, "nothing-to-check": 3, "conforms": 0}
"""Verdicts of a run, the strongest first, with their exit codes."""
PLAIN = "kafka"
"""The layout of Kafka's own log configuration."""
VERDICTS = ("illegal", "suspicious", "unknown", "refused")
"""Verdicts of findings, in the order of the report."""
CONTRADICTORY = "contradictory"
"""A stand-in for the releases of lines whose wording fits no single release."""
_TOP = 10
"""The most unknown templates that are shown."""


@dataclass(frozen=True)
class UnknownTemplate:
    """Unknown lines that differ only in numbers."""

    template: str
    count: int


@dataclass(frozen=True)
class RecordsReport:
    """Records of metadata logs and their snapshots; records of one log count once, however many copies have them."""

    decoded: int
    """Records of known types and versions."""
    control: int
    """Raft's own records."""
    unknown: int
    """Records of unknown types or versions."""
    uncommitted: int
    """Records of all classes that are not known to be committed."""
    partial: int = 0
    """Records that were decoded only as far as they are known."""


@dataclass(frozen=True)
class CoverageReport:
    """Lines of all files: per class, per row of the line table, and the most frequent unknown templates."""

    understood: int
    irrelevant: int
    continuation: int
    unknown: int
    rows: Mapping[str, int]
    top_unknown: tuple[UnknownTemplate, ...]
    records: RecordsReport | None = None
    """Records of metadata logs; None where there is none."""

    @property
    def lines(self) -> int:
        return self.understood + self.irrelevant + self.continuation + self.unknown


@dataclass(frozen=True)
class ControllerEpoch:
    """The broker that was controller in an epoch."""

    epoch: int
    controller: int


@dataclass(frozen=True)
class LifeReport:
    """One life of a cluster, the files that show it, and why it begins where it does."""

    life: int
    epochs: tuple[ControllerEpoch, ...]
    files: tuple[str, ...]
    begins: str


@dataclass(frozen=True)
class WordingEvidence:
    """A line that only some releases print."""

    place: Place
    row: str
    """The row of the line table that the line matches."""
    releases: str


@dataclass(frozen=True)
class WordingStretch:
    """Consecutive lines of a file, and the releases that they show: those that one controller wrote in one epoch.

    In a file without lines of a controller in ZooKeeper mode, a stretch begins at a line in which a process prints its
    version, and ends before the next such line or at the end of the file. There `life`, `controller`,
    `controller_epoch` and `level` are None.
    """

    file: str
    first_line: int
    last_line: int
    life: int | None
    controller: int | None
    controller_epoch: int | None
    releases: str
    evidence: tuple[WordingEvidence, ...]
    level: str | None
    lossy: bool


@dataclass(frozen=True)
class Checked:
    """The scope of a verdict: it says nothing about anything else."""

    brokers: tuple[int, ...]
    """Brokers whose lines as controller were read."""
    controller_epochs: int
    """The number of controller epochs that these lines belong to."""
    controller_epochs_hidden: int
    """The number of these epochs of which no TRACE line was read."""
    controller_epochs_unseen: int
    """The number of further epochs that only other controllers mention."""
    partitions: int
    hosts: tuple[int, ...]
    """Brokers whose lines about the replicas that they host were read."""
    replicas: int
    """The number of these replicas."""
    rules: tuple[str, ...]
    """Rules that had something to evaluate."""
    rules_known: int
    """The number of rules about the kinds of logs that were read."""
    assumption: str | None
    """contiguous: no line is missing between a controller's, or a host's, first and last line; lossy: any line may be
    missing; "contiguous where not lossy"; None where there is no such line.
    """
    nothing_from: tuple[str, ...]
    """Files in which no line was understood."""


@dataclass(frozen=True)
class Report:
    """The result of the audit of one cluster."""

    verdict: str
    findings: tuple[Finding, ...]
    rules: Mapping[str, Tally]
    """Tallies by the code of the rule."""
    coverage: CoverageReport
    files: tuple[FileFacts, ...]
    lives: tuple[LifeReport, ...]
    releases: tuple[WordingStretch, ...]
    transitions: tuple[Move, ...]
    notes: tuple[str, ...]
    timeline: tuple[TimelineRow, ...] | None
    """None where it was not requested."""
    checked: Checked
    counts: Mapping[str, int]
    """The number of findings of each verdict; `findings` may have only the first of them."""
    state: ClusterState
    """The state of the cluster, which does not affect the verdict."""
    brokers: BrokerTimeline | None = None
    """None where no timeline was requested."""
    replicas: tuple[ReplicaRow, ...] | None = None
    """None where no timeline was requested."""
    metadata: tuple[MetadataLog, ...] | None = None
    """None where there is no KRaft metadata log."""
    not_known: tuple[str, ...] = ()
    """Contents of the logs that this program does not know, such as a newer release: findings that depend on them are
    *unknown* at most.
    """
    in_doubt: tuple[InDoubt, ...] = ()
    """Lines that cannot be taken at their word: findings that rest on them are suspicious or unknown at most."""

    happened: tuple[Happened, ...] = ()
    """The things that happened to the cluster, in the order of time; the verdict is not affected."""
    health: str = "unknown"
    """ok, troubled or unknown: whether anything of `happened` is trouble."""
    what_now: WhatNow | None = None
    """Advice; None if nothing is to be done."""

    @property
    def tone(self) -> str:
        """The colour of the whole: "illegal", "conforms" where nothing speaks against the cluster, else "review"."""
        if self.verdict == "illegal":
            return "illegal"
        troubled = self.health == "troubled" or self.counts["suspicious"]
        return "conforms" if self.verdict == "conforms" and not troubled else "review"

    @property
    def left_out(self) -> int:
        """The number of findings that are only counted."""
        return sum(self.counts.values()) - len(self.findings)

    @property
    def understood(self) -> float:
        """The share of the lines that bear on rules that was understood."""
        of_lines = [file for file in self.files if file.lines]
        bearing = sum(file.bearing for file in of_lines)
        lost = sum(file.bearing_unknown + file.resembling for file in of_lines)
        return bearing / (bearing + lost) if lost else 1.0

    def conditions(self) -> Iterator[Condition]:
        """Yield the times in which partitions were offline or under-replicated, from lines and from metadata logs."""
        yield from self.state.conditions
        for log in self.metadata or ():
            yield from log.conditions


def reports(found: Audited, files: Sequence[FileFacts]) -> list[tuple[int, Report]]:
    """Return the number and the report of each cluster that has files, in the order of the clusters."""
    paths = {file.index: file.path for file in files}
    per_cluster = defaultdict(list)
    for file in files:
        per_cluster[file.cluster].append(file)
    return [(cluster, _report(found, cluster, members, paths)) for cluster, members in sorted(per_cluster.items())]


def _report(found: Audited, cluster: int, files: Sequence[FileFacts], paths: Mapping[int, str]) -> Report:
    tallies = dict(sorted(found.tallies.get(cluster, {}).items()))
    findings = tuple(chained([each for each in found.findings if each.cluster == cluster]))
    counts = sum((Counter(tally.verdicts) for tally in tallies.values()), Counter[str]())
    return Report(
        verdict=verdict_of(counts, tallies, files, found.not_known.get(cluster, ())),
        findings=findings,
        rules=tallies,
        coverage=_coverage(files, found.metadata.records.get(cluster)),
        files=tuple(_file(file) for file in files),
        lives=tuple(_life(each, paths) for each in found.histories.lives if each.cluster == cluster),
        releases=tuple(_stretch(each, paths) for each in found.histories.spans if each.cluster == cluster)
        or tuple(_printed(found.versions, files)),
        transitions=tuple(each for each in found.moves if each.cluster == cluster),
        notes=(
            *(
                f"{reason}; findings that depend on it are unknown at most"
                for reason in found.not_known.get(cluster, ())
            ),
            *(note for of, note in found.histories.notes if of == cluster),
            *_read_as(files),
            *(note for of, note in found.metadata.notes if of == cluster),
            *(f"{file.name}: {file.problem}" for file in files if file.problem),
            *(f"{file.name}: {file.lossy}" for file in files if file.lossy),
            *(_nothing(file) for file in files if file.taught_nothing),
            *_kraft(files, found.metadata.logs, cluster),
            *(_twice(file, found.repeated[file.index]) for file in files if file.index in found.repeated),
        ),
        timeline=None if found.timeline is None else tuple(row for row in found.timeline if row.cluster == cluster),
        checked=_checked(found, cluster, tallies, files),
        counts={verdict: counts[verdict] for verdict in VERDICTS},
        brokers=None if found.timeline is None else found.brokers.get(cluster, BrokerTimeline()),
        replicas=None if found.replicas is None else tuple(row for row in found.replicas if row.cluster == cluster),
        state=_state(found, cluster, files),
        metadata=tuple(log for log in found.metadata.logs if log.cluster == cluster) or None,
        not_known=found.not_known.get(cluster, ()),
        in_doubt=found.in_doubt.get(cluster, ()),
        happened=(happened := tuple(found.happened.get(cluster, ()))),
        health=health(happened, read=bool(happened)),
    )


def _state(found: Audited, cluster: int, files: Sequence[FileFacts]) -> ClusterState:
    logs = [log for log in found.metadata.logs if log.cluster == cluster and log.migrated]
    return replace(
        found.states.get(cluster, ClusterState()),
        unknown=tuple(_state_unknown(found, cluster, files)),
        migrated=bool(logs),
        until=logs[0].taken_over if len(logs) == 1 else None,
    )


def printed_in_kraft(files: Iterable[FileFacts]) -> bool:
    """Return True if some line is one that only nodes print that have a metadata quorum."""
    return any(row in OF_KRAFT for file in files for row in file.rows)


def _state_unknown(found: Audited, cluster: int, files: Sequence[FileFacts]) -> Iterator[str]:
    """Yield reasons why the state of the cluster may differ from what its log shows."""
    spans = [span for span in found.histories.spans if span.cluster == cluster]
    has_log = any(log.cluster == cluster for log in found.metadata.logs)
    in_kraft = printed_in_kraft(files)
    unread = found.unread.get(cluster, Unread())
    yield from unread_text(unread, led=bool(spans))
    if has_log and not spans:
        return
    if not (spans or in_kraft):
        of_zookeeper = any(row in OF_ZOOKEEPER for file in files for row in file.rows)
        in_either = "" if of_zookeeper else "with KRaft the metadata log (__cluster_metadata-0), else "
        yield (
            f"what controllers did (elections, topics, reassignments): {in_either}state-change.log and controller.log"
            " of the broker that was the controller would show it"
        )
    unseen = _stated(found, cluster) - _read(found, cluster)
    if unseen:
        yield (
            f"what happened in {_epochs(unseen)} that left no line here: controller.log and state-change.log of the"
            " broker that was the controller would show it"
        )
    lives = sum(life.cluster == cluster for life in found.histories.lives)
    if lives > 1:
        yield f"which of {lives} lives of the cluster is the last"
    lossy = {(span.life, span.epoch) for span in spans if span.lossy}
    if lossy:
        yield f"the lines that may be missing in {_epochs(lossy)}"
    if hidden := _hidden(found, cluster):
        yield (
            f"what levels above TRACE hide in {_epochs(hidden)}: deletions,"
            " moves to OfflinePartition, up to 2.5 every election that succeeds"
        )
    if spans and cluster not in found.unread:
        yield "changes of an ISR by its leader: the controller prints them late, or not at all"
    if in_kraft and not has_log:
        yield "whether what KRaft nodes print was committed: their metadata log (__cluster_metadata-0) would show it"


def _epochs(tenures: Collection[tuple[int, int]]) -> str:
    """Return `2 controller epochs (4, 7)`, from lives and epochs; those of a later life say so."""
    named = [f"{epoch}{f' of life {life}' if life > 1 else ''}" for life, epoch in sorted(tenures)]
    return f"{count(len(named), 'controller epoch')} ({and_more(named)})"


def _read_as(files: Sequence[FileFacts]) -> Iterator[str]:
    """Yield notes on files that were not read as in Kafka's own log4j.properties."""
    for file in files:
        if file.notes or file.read_as not in (None, PLAIN):
            zone = "" if file.zone is None else f", {_zone(file.zone)}"
            yield "; ".join([f"{file.name}: read as {file.read_as}{zone}", *file.notes])


def _zone(minutes: int) -> str:
    hours, rest = divmod(abs(minutes), 60)
    return f"times are {'-' if minutes < 0 else '+'}{hours:02d}:{rest:02d} of UTC"


def _read(found: Audited, cluster: int) -> set[tuple[int, int]]:
    """Return life and epoch of the tenures of which lines were read."""
    return {(span.life, span.epoch) for span in found.histories.spans if span.cluster == cluster}


def _hidden(found: Audited, cluster: int) -> set[tuple[int, int]]:
    """Return life and epoch of the tenures of which lines were read, but none at TRACE."""
    spans = [span for span in found.histories.spans if span.cluster == cluster]
    return _read(found, cluster) - {(span.life, span.epoch) for span in spans if span.seen_level == "TRACE"}


def _stated(found: Audited, cluster: int) -> set[tuple[int, int]]:
    """Return life and epoch of all known tenures."""
    lives = (life for life in found.histories.lives if life.cluster == cluster)
    return {(life.life, epoch) for life in lives for epoch in life.epochs}


def _checked(found: Audited, cluster: int, tallies: Mapping[str, Tally], files: Sequence[FileFacts]) -> Checked:
    spans = [span for span in found.histories.spans if span.cluster == cluster]
    read, stated = _read(found, cluster), _stated(found, cluster)
    journals = [part for part in found.histories.journals.parts if part.cluster == cluster]
    gaps = {span.lossy for span in spans} | {part.lossy for part in journals}
    has_metadata = any(log.cluster == cluster for log in found.metadata.logs)
    families = {"kraft"} if has_metadata and not spans else {"kraft", "controller"} if has_metadata else {"controller"}
    if any(row in JUDGED_OF_KRAFT for file in files for row in file.rows):
        families |= {"quorum"}
    if journals:
        families |= {"broker"}
    return Checked(
        brokers=tuple(sorted({span.controller for span in spans})),
        controller_epochs=len(read),
        controller_epochs_hidden=len(_hidden(found, cluster)),
        controller_epochs_unseen=len(stated - read),
        partitions=found.scopes.get(cluster, Scope()).partitions,
        hosts=tuple(sorted({part.broker for part in journals})),
        replicas=found.scopes.get(cluster, Scope()).replicas,
        rules=tuple(code for code, tally in tallies.items() if tally.evaluated),
        rules_known=sum(rule.family in families for rule in rules().values()),
        assumption=_ASSUMPTION[frozenset(gaps)],
        nothing_from=tuple(file.path for file in files if file.taught_nothing),
    )


_ASSUMPTION = {
    frozenset[bool](): None,
    frozenset({False}): "contiguous",
    frozenset({True}): "lossy",
    frozenset({False, True}): "contiguous where not lossy",
}


def _kraft(files: Sequence[FileFacts], logs: Sequence[MetadataLog], cluster: int) -> Iterator[str]:
    """Yield notes on the lines of KRaft mode that are not judged, and why."""
    if any(log.cluster == cluster for log in logs):
        return
    lines = sum(n for file in files for row, n in file.rows.items() if row in BESIDE_METADATA)
    if lines:
        are = "lines of KRaft mode are" if lines > 1 else "line of KRaft mode is"
        yield (
            f"{lines} {are} about partitions and brokers: only the metadata log,"
            " which was not given, shows whether that was ever committed. Copy __cluster_metadata-0 of every node"
        )


def _nothing(file: FileFacts) -> str:
    lines = f"{file.name}: none of its {file.lines} line{'s' * (file.lines != 1)} was understood"
    return f"{lines}; {file.unknown_layout or 'if it has a layout of its own, give that by --layout'}"


def _twice(file: FileFacts, repeated: Repeated) -> str:
    if repeated.lines == 1:
        lines = f"line {repeated.first} is there twice, to the millisecond; read once"
    else:
        where = f"lines {repeated.first} to {repeated.last}"
        lines = f"{repeated.lines} lines about partitions are there twice, to the millisecond; read once ({where})"
    return f"{file.name}: {lines}. Whether brokers answer requests in full is not judged there"


def verdict_of(
    counts: Mapping[str, int],
    tallies: Mapping[str, Tally],
    files: Sequence[FileFacts],
    not_known: Sequence[str] = (),
) -> str:
    """Return illegal > incomplete > nothing-to-check > conforms. A finding that these lines cannot decide is
    incomplete.
    """
    if counts["illegal"]:
        return "illegal"
    if (
        not_known
        or counts["unknown"]
        or any(file.problem or file.bearing_unknown or file.taught_nothing or file.much_lost for file in files)
    ):
        return "incomplete"
    if not any(tally.evaluated for tally in tallies.values()):
        return "nothing-to-check"
    return "conforms"


def _coverage(files: Sequence[FileFacts], records: Mapping[str, int] | None) -> CoverageReport:
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
        records=None if records is None else _records(records),
    )


def _records(counts: Mapping[str, int]) -> RecordsReport:
    return RecordsReport(*(counts.get(each.name, 0) for each in fields(RecordsReport)))


def _file(file: FileFacts) -> FileFacts:
    """Return the file's facts with only the most frequent of its unknown templates."""
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
        releases=names(span.releases) if span.releases else CONTRADICTORY,
        evidence=tuple(
            WordingEvidence(Place(paths[each.file], each.line), each.row, names(each.releases))
            for each in span.evidence
        ),
        level=span.seen_level,
        lossy=span.lossy,
    )


def _printed(versions: Sequence[Row], files: Sequence[FileFacts]) -> Iterator[WordingStretch]:
    """Yield the stretches of files in which processes print their release, if it is a known one."""
    for file in files:
        own = sorted((row for row in versions if row["file"] == file.index), key=lambda row: row["line"])
        ends = [*(row["line"] - 1 for row in own[1:]), file.lines]
        for row, last in zip(own, ends, strict=False):
            if row["detail"] is None:
                yield WordingStretch(
                    file=file.path,
                    first_line=row["line"],
                    last_line=last,
                    life=None,
                    controller=None,
                    controller_epoch=None,
                    releases=names(row["releases"]),
                    evidence=(WordingEvidence(Place(file.path, row["line"]), row["row"], names(row["releases"])),),
                    level=None,
                    lossy=file.lossy is not None,
                )
