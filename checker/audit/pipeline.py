"""The audit itself: events in, reports out. Written once against `Table`; an engine supplies the table."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from typing import Any

from ...model.expr import Expr, either, field, free
from ...model.sorts import Int
from ...specs.behaviours import BEHAVIOURS
from ...specs.machines import machine as table_of
from ...specs.releases import names
from .history.claims import told, wipes
from .history.statements import LogFile
from .history.tenures import Histories, Span
from .observe import tracks
from .report.finding import Entity, Finding, Tally
from .rule import Rule, rules
from .table.protocol import Column, PythonTable, Row, Table
from .vocabulary import HELD, SILENT, VERDICT

_SPAN_COLUMNS: Mapping[str, type] = {
    "first": int,
    "last": int,
    "cluster": int,
    "life": int,
    "tenure": int,
    "base": int,
    "block": int,
    "seen_level": str,
    "lossy": bool,
    "releases": int,
    "start_seen": bool,
    "known_since": int,
    "since": int,
    "until": int,
    "doubled": bool,
}
_FINDINGS_PER_RULE = 100_000
_WITH_CONTROLLER = table_of("replica").releases
_PASSING = ("held", "silent")
_MOVES = {"replica_moves": ("from_state", "to_state"), "partition_moves": ("from_state", "to_state")}
"""Tracks whose counts are told apart by the move, for diagrams."""


@dataclass(frozen=True)
class Logs:
    """What an engine read: the files, and the events of lines that bear on a rule, with columns `file` and `line`."""

    files: tuple[LogFile, ...]
    events: Table


@dataclass(frozen=True)
class Audited:
    """What the rules gave, before it is split by cluster and narrowed for a reader.

    `repeated`: per file, where all is told twice, how many lines tell again what the line before told.
    """

    histories: Histories
    findings: tuple[Finding, ...]
    tallies: Mapping[int, Mapping[str, Tally]]
    files: Mapping[int, LogFile]
    incarnated: tuple[Callable[[], Table], ...]
    counted: tuple[Row, ...]
    repeated: Mapping[int, int]

    def timeline(self) -> list[dict[str, Any]]:
        """What was reconstructed of every partition, in order."""
        shown = [
            {
                "cluster": self.files[row["file"]].cluster,
                "topic": row["topic"],
                "partition": row["partition"],
                "leader": row["leader"],
                "isr": None if row.get("isr") is None else list(row["isr"]),
                "leader_epoch": row["leader_epoch"],
                "controller_epoch": row["written_by_epoch"],
                "partition_epoch": row.get("partition_epoch"),
                "life": row["life"],
                "file": self.files[row["file"]].path,
                "line": row["line"],
                "ts": row.get("ts"),
                "_order": (row["life"], row["topic"], row["partition"], row["controller_epoch"], row["at"]),
            }
            for views in self.incarnated
            for row in tracks.timeline(views()).rows()
        ]
        shown.sort(key=lambda row: row["_order"])
        return [{name: value for name, value in row.items() if name != "_order"} for row in shown]

    def transitions(self) -> list[dict[str, Any]]:
        """How often each move was made, per cluster: what a diagram puts on its edges."""
        found = []
        for machine, code in (("replica", "KR101"), ("partition", "KR102")):
            moves: dict[tuple[int, str, str], list[int]] = defaultdict(lambda: [0, 0])
            for row in self.counted:
                if row["track"] == f"{machine}_moves" and row[code] != "silent":
                    counts = moves[row["cluster"], row["from_state"], row["to_state"]]
                    counts[0] += row["n"]
                    counts[1] += row["n"] if row[code] == "illegal" else 0
            found += [
                {"cluster": key[0], "machine": machine, "from": key[1], "to": key[2], "count": n, "illegal": bad > 0}
                for key, (n, bad) in sorted(moves.items())
            ]
        return found


def audited(logs: Logs, release: int | None = None) -> Audited:
    """Audit all clusters of `logs` in one go.

    Args:
        release: mask of the releases that ran, if it is known; else each tenure's is taken from its wording.
    """
    events = logs.events
    histories = told(logs.files, events)
    # Before the last line that speaks of epoch 1: usually the tenures of epoch 1 only.
    early = {span.tenure for span in histories.spans if span.first <= histories.restarts.get(span.file, 0)}
    # What makes order uncertain (times that go back, another epoch in the middle of one) can be the wipe itself; but
    # there is none between two creations in one millisecond.
    young = [
        replace(span, lossy=span.lossy and not span.disordered, block=span.whole_block, doubled=True)
        for span in histories.spans
        if span.tenure in early
    ]
    cuts = wipes(tracks.once(_in_place(events, young, release)), histories.restarts) if young else []
    if cuts:
        histories = told(logs.files, events, cuts)
    paths = {file.index: file for file in logs.files}
    turns = _verdicts(PythonTable([asdict(turn) for turn in histories.turns]), _of("turns"))
    counted = _counts({"turns": turns})
    findings = _found({"turns": turns}, paths)
    parts = events.apart(tracks.NEAR)
    look = partial(_looked_at, release=release, files=paths, alone=len(parts) == 1)
    judged = [look(part, histories.spans) for part in parts]
    doubled: set[int] = set()
    if any(part.again for part in judged) and (doubled := _doubled(parts, histories.spans, release)):
        spans = [replace(span, doubled=span.tenure in doubled) for span in histories.spans]
        judged = [look(part, spans) for part in parts]
    findings += [finding for part in judged for finding in part.findings]
    counted += [row for part in judged for row in part.counted]
    repeated: Counter[int] = Counter()
    for row in (row for part in judged for row in part.again if row["tenure"] in doubled):
        repeated[row["file"]] += row["n"]
    tallies: dict[int, dict[str, Tally]] = defaultdict(lambda: {code: Tally() for code in rules()})
    for row in counted:
        for rule in _of(row["track"]):
            if row[rule.code] != "silent":
                tallies[row["cluster"]][rule.code].add(row[rule.code], row["n"])
    findings.sort(key=lambda f: (f.cluster, f.life or 0, f.controller_epoch or 0, f.file, f.line, f.rule))
    return Audited(
        histories, tuple(findings), tallies, paths, tuple(part.incarnated for part in judged), tuple(counted), repeated
    )


@dataclass(frozen=True)
class _PartAudited:
    """What the rules gave of the lines of some partitions.

    `again`: per file and tenure, how many lines tell again what the line before told.
    """

    findings: list[Finding]
    counted: list[Row]
    incarnated: Callable[[], Table]
    again: list[Row]


def _looked_at(
    part: Table, spans: Sequence[Span], release: int | None, files: Mapping[int, LogFile], *, alone: bool
) -> _PartAudited:
    """The rules, over the lines of some partitions; if these are not `alone`, what is made of them is made again."""
    lines = _in_place(part, spans, release)
    here = tracks.once(lines)
    views = tracks.incarnations(here)
    counts = _counts(_judged(here, views))
    findings = _found(_closer(here, counts), files)
    incarnated = partial(_itself, views) if alone else partial(_incarnations, part, spans, release)
    again = tracks.again(lines).grouped(("file", "tenure"), n=Column("count")).rows()
    return _PartAudited(findings, counts, incarnated, again)


def _doubled(parts: Sequence[Table], spans: Sequence[Span], release: int | None) -> set[int]:
    """The tenures all of whose lines are there twice: two appenders write to one file, say.

    No controller does all things twice in one millisecond, to the same end.
    """
    all_done: Counter[int] = Counter()
    again: Counter[int] = Counter()
    for part in parts:
        lines = tracks.done(_in_place(part, spans, release))
        for row in lines.grouped(("tenure",), n=Column("count"), again=Column("count", "again")).rows():
            all_done[row["tenure"]] += row["n"]
            again[row["tenure"]] += row["again"]
    return {tenure for tenure, n in all_done.items() if 2 * again[tenure] >= n}


def _itself(table: Table) -> Table:
    return table


def _in_place(events: Table, spans: Sequence[Span], release: int | None) -> Table:
    columns = (*tracks.READS, *tracks.SPAN, "doubled", "at")
    return tracks.in_place(placed(events, spans, release).select(*columns))


def _incarnations(events: Table, spans: Sequence[Span], release: int | None) -> Table:
    return tracks.incarnations(tracks.once(_in_place(events, spans, release)))


def _found(judged: Mapping[str, Table], files: Mapping[int, LogFile]) -> list[Finding]:
    return [
        _finding(rule, row | {"verdict": row[rule.code]}, files[row["file"]])
        for track, table in judged.items()
        for row in table.where(either(*map(_fails, _of(track)))).rows(_FINDINGS_PER_RULE * len(_of(track)))
        for rule in _of(track)
        if row[rule.code] not in _PASSING
    ]


def placed(events: Table, spans: Sequence[Span], release: int | None = None) -> Table:
    """Events of controllers with the columns of their span; those that no span covers are none of a controller's."""
    # Wordings that contradict each other (a changed build, two logs in one) tell of no release: it may be any.
    rows = [
        asdict(span) | {"controller_epoch": span.epoch, "releases": span.releases or _WITH_CONTROLLER} for span in spans
    ]
    if release is not None:
        rows = [row | {"releases": release} for row in rows]
    spoken = events.present("controller").without_lines(tracks.HEARD + tracks.READ + tracks.THROWN)
    dated = spoken.present("controller_epoch").joined(
        rows, ("file", "controller", "controller_epoch"), _SPAN_COLUMNS, ("first", "last")
    )
    # Some lines name the controller only (1.0: a partition that ceases to exist); their place tells the epoch.
    undated = (
        spoken.of_lines(tracks.MOVED["partition"])
        .absent("controller_epoch")
        .joined(rows, ("file", "controller"), {**_SPAN_COLUMNS, "controller_epoch": int}, ("since", "until"))
    )
    at = field("base", Int()) + field("line", Int())
    return dated.plus(undated).derive(at=at).plus(events.of_lines(tracks.THROWN))


def _judged(events: Table, incarnated: Table) -> dict[str, Table]:
    """Every track, with the verdicts of its rules."""
    made = {
        "replica_moves": tracks.replica_moves(events),
        "partition_moves": tracks.partition_moves(events),
        "views": tracks.states_shown(incarnated),
        "chain": tracks.chain(incarnated),
        "elections": tracks.elections(incarnated),
        "elected": tracks.elected(incarnated),
        "same_epoch": tracks.same_epoch(incarnated),
        "requests": tracks.requests(incarnated),
        "writes": tracks.writes(incarnated),
        "metadata": tracks.told_metadata(incarnated),
        "repeated_elections": tracks.repeated_elections(incarnated),
        "refusals": tracks.refusals(events),
        "failed_starts": tracks.failed_starts(events),
    }
    return {track: _verdicts(table, _of(track)) for track, table in made.items()}


@cache
def _of(track: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules().values() if rule.track == track)


def _verdicts(track: Table, its_rules: Sequence[Rule]) -> Table:
    """Every row with the verdict of each rule, in a column named by its code."""
    verdicts = {rule.code: rule.judgement for rule in its_rules}
    judged = track.derive(**verdicts, silent=SILENT)
    for code in verdicts:
        judged = judged.filled(code, "silent")
    return judged


def _fails(rule: Rule) -> Expr:
    """Whether the rule has something to say of a row."""
    verdict = field(rule.code, VERDICT)
    return ~verdict.eq(HELD) & ~verdict.eq(SILENT)


def _counts(judged: Mapping[str, Table]) -> list[Row]:
    """How often which verdicts came together, per track and cluster (and move); where one is a finding, per partition.

    One question a track: asked together, every task of an engine would be told of all tracks to work on one.
    """
    found: list[Row] = []
    for track, table in judged.items():
        key = (*_MOVES.get(track, ()), *(rule.code for rule in _of(track)), "cluster", *tracks.NEAR)
        told = table.only_where(either(*map(_fails, _of(track))), *tracks.NEAR)
        found += [row | {"track": track} for row in told.grouped(key, n=Column("count")).rows()]
    return found


def _closer(events: Table, counted: Sequence[Row]) -> dict[str, Table]:
    """The tracks of the partitions that findings are about: a track needs no other partition's lines.

    Looking at these again costs less than to carry all that a finding tells through every count.
    """
    key = ("cluster", *tracks.NEAR)
    concerned = {tuple(row[name] for name in key) for row in counted if row["topic"] is not None}
    if not concerned:
        return {}
    rows = [dict(zip(key, partition, strict=True)) for partition in sorted(concerned)]
    ours, of_none = events.joined(rows, key, {}), events.present("cluster").absent("topic")
    here = ours.plus(of_none).plus(events.absent("cluster")).near_by()  # throwables are in no cluster's tenure
    return _judged(here, tracks.incarnations(here))


def _finding(rule: Rule, row: Row, file: LogFile) -> Finding:
    bug = BEHAVIOURS.get(rule.bug or "")
    known = (
        bug is not None and bool(bug.releases & row.get("releases", 0)) and row["verdict"] in ("illegal", "suspicious")
    )
    return Finding(
        rule=rule.code,
        name=rule.name,
        verdict=row["verdict"],
        file=file.path,
        line=row["line"],
        ts=row.get("ts"),
        entity=Entity(
            rule.kind,
            row.get("topic"),
            row.get("partition"),
            row.get("replica") if rule.kind == "replica" else None,
            row.get("controller") if rule.kind == "controller" else None,
        ),
        life=row.get("life"),
        controller_epoch=row.get("controller_epoch"),
        message=rule.message(row),
        expected=rule.expected(row),
        got=rule.got(row),
        assumption=_assumption(rule, row),
        issue=rule.issues,
        known_issue=rule.bug if known else None,
        fixed_in=", ".join(bug.fixed_in) if known and bug is not None else None,
        decided_by=_decided_by(row),
        cluster=file.cluster,
    )


def _decided_by(row: Row) -> str | None:
    """What would decide an unknown finding."""
    if row["verdict"] != "unknown":
        return None
    if row.get("gap", row.get("lossy")):
        return f"the lines that may be missing between line {row.get('before_line')} and this one"
    if row.get("last_leader_in", row["known_since"]) < row["known_since"]:
        return f"the lines since controller epoch {row['last_leader_in']}, of which some may be missing"
    return f"a line whose wording tells Kafka {names(row['releases'])} apart, or --release"


def _assumption(rule: Rule, row: Row) -> str | None:
    """What a finding takes for granted about missing lines; None for one that needs nothing."""
    asked = next((leaf.data for leaf in free(rule.verdict) if leaf.data in ("gap", "lossy")), None)
    return None if asked is None else "lossy" if row.get(asked) else "contiguous"
