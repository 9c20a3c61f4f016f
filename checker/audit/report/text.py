"""The report as text: the summary first, two lines for each cause, the state of the cluster; with `verbose`
everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from ....specs.releases import names, span
from ....traces.metadata.files import snapshot_end
from ....traces.timeline import TimelineRow
from ..doubt.in_words import InDoubt
from ..findings.finding import Finding
from ..rules.advice import advice
from ..rules.catalogue import rules
from .causes import Cause, causes
from .chain import Chains, records_in_words, records_lost
from .forms import AuditRun
from .happened_text import happened_text
from .happened_text import in_headline as trouble_in_short
from .healing import Healings
from .metadata_text import metadata_text, records_text
from .model import CONTRADICTORY, EXIT, VERDICTS, Checked, Report
from .notes import in_headline
from .notes import in_short as notes_in_short
from .now.text import as_text as now_as_text
from .shown import and_more, brokers_named, count, partition_name, plain, printed
from .state_text import not_known, state_text

_MEANING = {
    "illegal": "a guarantee of Kafka is broken",
    "suspicious": "legal only under a configuration that the log does not show, or likely but not proved",
    "unknown": "not decidable from these lines",
    "refused": "Kafka's own guard stopped it; nothing changed",
}
ASSUMPTION = {
    "contiguous": "that no line is missing between the first and the last of a controller's lines",
    "lossy": "nothing: any line may be missing",
    "order": "that lines of one millisecond are in the order in which they were written",
    "creation": "that no topic was created and no process started between the two lines: such a line may be lost",
    "contiguous where not lossy": "that no line is missing between the first and the last of a controller's lines,"
    " except in files in which any may be missing",
    None: "nothing",
}
_CAUSES = 20
"""The most causes of one verdict that are shown without `verbose`."""


def write(run: AuditRun) -> str:
    """Return all reports; with `each`, a line for every path first."""
    if run.each:
        return clusters_as_text(run.clusters, verbose=run.verbose)
    return as_text(run.reports[0], verbose=run.verbose)


def as_text(report: Report, title: str = "", *, verbose: bool = False) -> str:
    """Return the whole report. Log content in it is escaped: no control character reaches the terminal.

    Args:
        verbose: every cause with its evidence, and the table of rules.
    """
    parts = [
        _headline(report, title, verbose=verbose),
        happened_text(report.happened, verbose=verbose),
        *_findings(report, verbose),
        now_as_text(report.what_now),
        _in_doubt(report) if verbose else "",
        *metadata_text(report.metadata or ()),
        state_of_cluster(report),
        _timeline(report.timeline or ()),
        _rules(report) if verbose else "",
        _unknown(report),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def state_of_cluster(report: Report) -> str:
    """Return what controllers' lines show, and what no file does; a metadata log has a paragraph of its own."""
    checked = report.checked.controller_epochs > 0
    if report.metadata and not checked:
        return "\n".join(["beside the metadata log", *not_known(report.state)]) if report.state.unknown else ""
    return state_text(report.state, checked=checked)


def clusters_as_text(reports: Sequence[tuple[str, Report]], *, verbose: bool = False) -> str:
    """Return a line per cluster, then the clusters that do not conform, or that have something to report."""
    width = max((len(plain(path)) for path, _ in reports), default=0)
    lines = [
        f"{plain(path):<{width}}  {report.verdict}: {_found(report)}; {_rules_of(report.checked)}"
        for path, report in reports
    ]
    whole = [as_text(report, plain(path), verbose=verbose) for path, report in reports if _troubled(report)]
    return "\n\n".join(["\n".join(lines), *whole])


def _rules_of(checked: Checked) -> str:
    return f"{len(checked.rules)} of {checked.rules_known} rules"


def _troubled(report: Report) -> bool:
    return report.verdict != "conforms" or bool(report.findings) or report.health == "troubled"


# ---- The summary


def _headline(report: Report, title: str, *, verbose: bool) -> str:
    lines = [f"{title + ': ' if title else ''}{report.verdict} (exit {EXIT[report.verdict]}): {_found(report)}"]
    lines.append(f"checked: {checked_in_words(report.checked, metadata=report.metadata is not None)}")
    cover = report.coverage
    files = f"{count(len(report.files), 'file')}, {count(cover.lines, 'line')}"
    if cover.lines:
        files += (
            f": {cover.understood} understood, {cover.irrelevant} irrelevant, {cover.continuation} continuation,"
            f" {cover.unknown} unknown"
        )
    if cover.records is not None:
        files += f"; {records_text(cover.records)}"
    lines.append("; ".join([files, *_wording(report)]))
    if len(report.lives) > 1:
        lines.append(
            f"{len(report.lives)} lives of the cluster that could not be joined, or that a wipe separates;"
            " for logs of several clusters use --each"
        )
    notes = report.notes if verbose else notes_in_short(report)
    return "\n".join([*lines, *(f"note: {plain(note)}" for note in notes)])


def _wording(report: Report) -> Iterator[str]:
    """Yield the releases whose wording the lines have, and the number of stretches whose wording fits no release.

    A set of releases is omitted if another stretch narrows it down.
    """
    spans = [stretch.releases for stretch in report.releases]
    masks = sorted({span(text) for text in spans if text != CONTRADICTORY})
    least = [mask for mask in masks if not any(other != mask and other & mask == other for other in masks)]
    if least:
        yield f"wording of Kafka {' and '.join(map(names, least))}"
    if CONTRADICTORY in spans:
        yield f"wording that no one release has in {spans.count(CONTRADICTORY)} of {len(spans)} stretches of lines"


def checked_in_words(checked: Checked, *, metadata: bool) -> str:
    """Return the scope of the verdict in words.

    Args:
        metadata: whether a KRaft metadata log was read.
    """
    read = ["the metadata log"] if metadata and not checked.controller_epochs else []
    if checked.controller_epochs:
        epochs = count(checked.controller_epochs, "controller epoch")
        if checked.controller_epochs_hidden:
            epochs += f" ({checked.controller_epochs_hidden} without TRACE lines)"
        read.append(f"{count(checked.partitions, 'partition')} in {epochs} of {brokers_named(checked.brokers)}")
    if checked.hosts:
        read.append(f"{count(checked.replicas, 'replica')} of {brokers_named(checked.hosts)}")
    if not read and checked.rules:
        read.append("nodes' lines about the metadata quorum")
    if not read:
        return "nothing: no line of a controller in a known epoch, none of a broker about its replicas"
    scope = " and ".join(read)
    if checked.controller_epochs_unseen:
        scope += f", no line of {count(checked.controller_epochs_unseen, 'other epoch')}"
    of_rules = f"{_rules_of(checked)} had something to evaluate"
    return f"{scope}; {of_rules}" + (f"; assuming {ASSUMPTION[checked.assumption]}" if checked.assumption else "")


def _found(report: Report) -> str:
    found = ", ".join(f"{report.counts[verdict]} {verdict}" for verdict in VERDICTS if report.counts[verdict])
    beside = trouble_in_short(report.happened)
    lost = records_lost(report.findings)
    if lost:
        found += f"; {records_in_words(lost)} may be gone"
    if report.not_known:
        found = f"{found or 'no finding'}; {plain(in_headline(report.not_known))}"
    found = found or "no finding"
    if report.understood < 1:
        found += f"; {_percent(report.understood)} of the lines that bear on rules were understood"
    return found + (f"; {beside}" if beside else "")


def _percent(share: float) -> str:
    """Return a share that is less than 1, rounded down."""
    return f"{int(share * 1000) / 10:g} %"


# ---- Findings


def _findings(report: Report, verbose: bool) -> Iterator[str]:
    found, healings = causes(report.findings), Healings.of(report)
    chains = Chains.of(report, healings)
    for verdict in VERDICTS:
        of_verdict = [cause for cause in found if cause.first.verdict == verdict]
        if of_verdict:
            yield f"{verdict.upper()}: {_MEANING[verdict]}"
        shown = of_verdict if verbose else of_verdict[:_CAUSES]
        for _, same in groupby(shown, key=lambda cause: (cause.first.rule, cause.first.known_issue)):
            yield _of_rule(list(same), healings, chains, report.in_doubt, verbose)
        if len(shown) < len(of_verdict):
            yield f"  and {count(len(of_verdict) - len(shown), 'other cause')}; --verbose shows all"
    if report.left_out:
        yield f"{count(report.left_out, 'finding')} more, counted above but not in this report"


def _of_rule(same: list[Cause], healings: Healings, chains: Chains, in_doubt: Sequence[InDoubt], verbose: bool) -> str:
    first = same[0].first
    issue = f"; {first.known_as}" if first.known_as else ""
    lines = [f"  {first.rule} {first.name}{issue}"]
    for cause in same:
        lines += _in_full(cause, in_doubt) if verbose else _in_brief(cause)
        lines += [f"      {plain(link)}." for link in chains.of_cause(cause)]
        if healing := healings.of_cause(cause):
            lines.append(f"      {plain(healing)}")
    todo = advice(rules()[first.rule])
    if todo is not None and verbose:
        lines += [f"    {word:<8} {text}" for word, text in todo.sentences()]
    elif todo is not None and first.verdict == "illegal":
        now = todo.now.partition(". ")[0].rstrip(".")
        lines.append(f"    what to do: {now}. More: isrproof rules {first.rule}")
    return "\n".join(lines)


def _in_brief(cause: Cause) -> Iterator[str]:
    more = len(cause.findings) - 1
    alike = f" And {count(more, 'finding')} like it." if more and cause.sentence == cause.first.message else ""
    yield f"    {_sentence(cause)}{alike}"
    partitions = f"{_partitions(cause)}; " if more and cause.partitions else ""
    yield f"      {partitions}{_when(cause)}{plain(str(cause.first.place))}"


def _in_full(cause: Cause, in_doubt: Sequence[InDoubt]) -> Iterator[str]:
    first, epochs = cause.first, cause.epochs
    yield f"    {_sentence(cause)}"
    if len(cause.findings) > 1:
        yield f"    {len(cause.findings)} findings, {_partitions(cause)}"
    place = f"controller epoch {epochs[0]}" if epochs else ""
    if len(epochs) > 1:
        place = f"{len(epochs)} controller epochs, {epochs[0]} to {epochs[-1]}"
    life = f", life {first.life}" if first.life is not None and first.life > 1 else ""
    if cause.times:
        yield f"    when     {_when(cause)}{place}{life}".removesuffix(", ")
    yield f"    expected {plain(first.expected)}"
    yield f"    got      {plain(first.got)}"
    yield f"    line     {plain(str(first.place))}"
    if first.excerpt:
        yield f"             {plain(first.excerpt[:300])}"
    if first.assumption:
        yield f"    assuming {ASSUMPTION[first.assumption]}"
    if why := _not_illegal(first, in_doubt):
        yield f"    not illegal, because {plain(why)}"
    if first.decided_by:
        yield f"    decided by {plain(first.decided_by)}"
    if cause.follows_from:
        yield f"    follows from {cause.follows_from}"


def _not_illegal(finding: Finding, in_doubt: Sequence[InDoubt]) -> str | None:
    """Return the reason why a finding is not illegal, with the signs of doubt where lines may be missing."""
    why = finding.not_illegal_because
    shown = dict.fromkeys(each.shows for each in in_doubt) if why and finding.assumption == "lossy" else ()
    return f"{why}: {'; '.join(shown)}" if shown else why


def _sentence(cause: Cause) -> str:
    return plain(cause.sentence_alone) + "."


def _partitions(cause: Cause) -> str:
    found = cause.partitions
    return f"{count(len(found), 'partition')}: {and_more([partition_name(*each) for each in found])}"


def _when(cause: Cause) -> str:
    first, last = cause.times or (None, None)
    if first is None or last is None:
        return ""
    return f"{printed(first)}, " if first == last else f"{printed(first)} to {printed(last)}, "


def _in_doubt(report: Report) -> str:
    lines = [f"  {plain(str(each))}" for each in report.in_doubt]
    return "\n".join(["in doubt", *lines]) if lines else ""


# ---- What was asked for besides


def _timeline(rows: Sequence[TimelineRow]) -> str:
    """Return every state of a partition that the log shows, at the first line that shows it."""
    lines = []
    for (life, topic, partition), own in groupby(rows, key=lambda row: (row.life, row.topic, row.partition)):
        lines.append(f"  {partition_name(topic, partition)}{f', life {life}' if life > 1 else ''}")
        lines += [f"    {_state(row)}  {_from_snapshot(row)}{plain(str(row.place))}" for row in own]
    return "\n".join(["timeline", *lines]) if lines else ""


def _from_snapshot(row: TimelineRow) -> str:
    """Return the prefix for a state at the end of a snapshot: the records that led to it are gone."""
    end = snapshot_end(row.place.file)
    return "" if end is None else f"from the snapshot at offset {end[0]}: "


def _state(row: TimelineRow) -> str:
    of_record = row.place.offset is not None
    known = {
        "leader": row.leader,
        "ISR": None if row.isr is None else list(row.isr),
        "leader epoch": row.leader_epoch,
        "partition epoch" if of_record else "version": row.partition_epoch,
        "raft epoch" if of_record else "controller epoch": row.controller_epoch,
    }
    shown = ", ".join(f"{name} {value}" for name, value in known.items() if value is not None)
    return shown if row.ts is None else f"{printed(row.ts)}  {shown}"


def _rules(report: Report) -> str:
    lines = ["rules                                  evaluated       held     failed  undecided"]
    for code, tally in sorted(report.rules.items()):
        if tally.evaluated:
            name = rules()[code].name
            lines.append(
                f"  {code} {name:<30} {tally.evaluated:>9} {tally.held:>10} {tally.failed:>10} {tally.undecided:>10}"
            )
    return "\n".join(lines) if len(lines) > 1 else "no rule had anything to look at"


def _unknown(report: Report) -> str:
    found = report.coverage.top_unknown[:5]
    lines = [f"  {each.count:>6} x {plain(each.template[:160])}" for each in found]
    return "\n".join(["most frequent lines that were not understood", *lines]) if lines else ""
