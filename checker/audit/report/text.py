"""The report as text: what happened, first the cause, then what follows from it; many partitions are one paragraph."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone

from ..findings.audited import MetadataLog
from ..findings.finding import Finding
from ..rules.catalogue import rules
from .model import EXIT, Report

_ORDER = ("illegal", "suspicious", "unknown", "refused")
_MEANING = {
    "illegal": "a guarantee of Kafka is broken",
    "suspicious": "legal only under a configuration that the log does not show, or likely and not proved",
    "unknown": "not decidable from these lines",
    "refused": "Kafka's own guard stopped it; nothing changed",
}
_SHOWN = 8
_EPOCHS = 3


def as_text(report: Report, title: str = "") -> str:
    """The whole report. Log content in it is escaped: no control character reaches the terminal."""
    parts = [_headline(report, title)]
    groups = _groups(report.findings)
    for verdict in _ORDER:
        of_verdict = [group for group in groups if group[0].verdict == verdict]
        if of_verdict:
            parts.append(f"{verdict.upper()}: {_MEANING[verdict]}")
            parts += [_paragraph(group, groups) for group in of_verdict]
    parts += [_metadata(log) for log in report.metadata or ()]
    parts.append(_rules(report))
    parts.append(_coverage(report))
    return "\n\n".join(part for part in parts if part) + "\n"


def clusters_as_text(reports: Sequence[tuple[str, Report]]) -> str:
    """A line per cluster, then those that have a finding or could not be read whole."""
    width = max((len(plain(path)) for path, _ in reports), default=0)
    lines = [f"{plain(path):<{width}}  {report.verdict}: {_found(report)}" for path, report in reports]
    whole = [as_text(report, plain(path)) for path, report in reports if report.findings or _troubled(report)]
    return "\n\n".join(["\n".join(lines), *whole])


def _troubled(report: Report) -> bool:
    return any(file.problem or file.bearing_unknown for file in report.files)


def plain(text: str) -> str:
    """Text from a log, safe for a terminal: control characters are shown, not sent."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def _headline(report: Report, title: str) -> str:
    lines = [f"{title + ': ' if title else ''}{report.verdict} (exit {EXIT[report.verdict]}): {_found(report)}"]
    epochs = sum(len(life.epochs) for life in report.lives)
    if report.lives:
        what = f"{len(report.files)} file{_s(len(report.files))}, {epochs} controller epoch{_s(epochs)}"
        if len(report.lives) > 1:
            what += f", {len(report.lives)} lives of the cluster that could not be joined or that a wipe separates"
        releases = sorted({stretch.releases for stretch in report.releases})
        lines.append(f"{what}; wording of Kafka {' and '.join(releases)}" if releases else what)
    lines += [f"note: {plain(note)}" for note in report.notes]
    return "\n".join(lines)


def _found(report: Report) -> str:
    counts = Counter(finding.verdict for finding in report.findings)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in _ORDER if counts[verdict]) or "no finding"


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _groups(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Findings of one rule about one controller epoch are one event; causes come before what follows from them."""
    by_event: dict[tuple[str, str, int | None, int | None, object], list[Finding]] = defaultdict(list)
    for finding in findings:
        pair = (finding.got, finding.expected) if finding.verdict == "refused" else None
        by_event[finding.rule, finding.verdict, finding.life, finding.controller_epoch, pair].append(finding)
    epochs = Counter((rule, verdict, life, pair) for rule, verdict, life, _, pair in by_event)
    paragraphs: dict[tuple[object, ...], list[Finding]] = defaultdict(list)
    for (rule, verdict, life, epoch, kind), group in by_event.items():
        # What comes again in epoch after epoch is one story.
        many = epochs[rule, verdict, life, kind] > _EPOCHS
        paragraphs[rule, verdict, life, None if many else epoch, kind] += group
    return sorted(paragraphs.values(), key=lambda group: (_depth(group[0].rule), group[0].ts or 0, group[0].rule))


def _depth(code: str) -> int:
    """0 for a cause, more for what follows from others."""
    rule = rules().get(code)
    return 0 if rule is None or not rule.follows_from else 1 + max(_depth(other) for other in rule.follows_from)


def _paragraph(group: list[Finding], groups: Iterable[list[Finding]]) -> str:
    first = group[0]
    partitions = sorted({(f.entity.topic or "", f.entity.partition or 0) for f in group if f.entity.topic})
    issue = f"; {first.known_issue}, fixed in {first.fixed_in}" if first.known_issue and first.fixed_in else ""
    lines = [f"  {first.rule} {first.name}{issue}"]
    lines.append(f"    {plain(first.message[0].upper() + first.message[1:])}.")
    if len(group) > 1:
        lines.append(
            f"    {len(group)} findings, {len(partitions)} partition{_s(len(partitions))}: {_names(partitions)}"
        )
    when = [f.ts for f in group if f.ts is not None]
    epochs = sorted({f.controller_epoch for f in group if f.controller_epoch is not None})
    place = f"controller epoch {epochs[0]}" if epochs else ""
    if len(epochs) > 1:
        place = f"{len(epochs)} controller epochs, {epochs[0]} to {epochs[-1]}"
    life = f", life {first.life}" if first.life is not None and first.life > 1 else ""
    if when:
        lines.append(f"    when     {_time(min(when))} to {_time(max(when))}, {place}{life}")
    lines.append(f"    expected {plain(first.expected)}")
    lines.append(f"    got      {plain(first.got)}")
    lines.append(f"    line     {plain(str(first.place))}")
    if first.excerpt:
        lines.append(f"             {plain(first.excerpt[:300])}")
    if first.assumption:
        lines.append(f"    assuming {_ASSUMPTION[first.assumption]}")
    if first.decided_by:
        lines.append(f"    decided by {plain(first.decided_by)}")
    cause = _cause(group, groups)
    if cause:
        lines.append(f"    follows from {cause}")
    return "\n".join(lines)


_ASSUMPTION = {
    "contiguous": "that no line is missing between the first and the last of this controller's lines",
    "lossy": "nothing: any line may be missing here",
}


def _cause(group: list[Finding], groups: Iterable[list[Finding]]) -> str:
    """The rule whose findings about the same partitions explain this group."""
    rule = rules().get(group[0].rule)
    if rule is None:
        return ""
    touched = {(f.life, f.entity.topic, f.entity.partition) for f in group}
    for other in groups:
        if other[0].rule in rule.follows_from:
            explained = {(f.life, f.entity.topic, f.entity.partition) for f in other}
            if touched <= explained:
                return f"{other[0].rule} {other[0].name}"
    return ""


def _names(partitions: list[tuple[str, int]]) -> str:
    shown = ", ".join(plain(f"{topic}-{partition}") for topic, partition in partitions[:_SHOWN])
    more = len(partitions) - _SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _time(ts: int) -> str:
    return datetime.fromtimestamp(ts / 1000, timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


def _metadata(log: MetadataLog) -> str:
    """A metadata log in a few lines: its copies, what is committed, its levels and its leaders."""
    nodes = ", ".join(plain(node) for node in log.nodes)
    lines = [
        f"metadata log of node{_s(len(log.nodes))} {nodes}: offsets {log.begins} to {log.ends - 1}, committed before"
        f" {log.committed} ({log.because})"
    ]
    levels = ", ".join(f"{each.name} from offset {each.offset} on" for each in log.levels[-_SHOWN:])
    lines += [f"  metadata.version {levels}"] if levels else []
    last = list(log.leaders.items())[-_SHOWN:]
    reigns = ", ".join(f"{epoch} led by {leader}" for epoch, leader in last)
    lines += [f"  {len(log.leaders)} raft epoch{_s(len(log.leaders))}: {reigns}"] if last else []
    return "\n".join(lines)


def _rules(report: Report) -> str:
    lines = ["rules                                  evaluated       held     failed  undecided"]
    for code, tally in sorted(report.rules.items()):
        if tally.evaluated:
            name = rules()[code].name
            lines.append(
                f"  {code} {name:<30} {tally.evaluated:>9} {tally.held:>10} {tally.failed:>10} {tally.undecided:>10}"
            )
    return "\n".join(lines) if len(lines) > 1 else "no rule had anything to look at"


def _coverage(report: Report) -> str:
    cover = report.coverage
    lines = []
    if cover.lines or cover.records is None:
        lines.append(
            f"lines {cover.lines}: {cover.understood} understood, {cover.irrelevant} irrelevant,"
            f" {cover.continuation} continuation, {cover.unknown} unknown"
        )
    if cover.records is not None:
        each = cover.records
        lines.append(
            f"records {each.decoded + each.control + each.unknown}: {each.decoded} decoded, {each.control} control,"
            f" {each.unknown} unknown; {each.uncommitted} not known to be committed"
        )
    lines += [f"  unknown {top.count:>6} x {plain(top.template[:160])}" for top in cover.top_unknown[:5]]
    return "\n".join(lines)
