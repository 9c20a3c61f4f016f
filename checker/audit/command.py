"""The complete `isrproof audit`: from PATHs to a text and an exit code. `audit` is the same from Python."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ...specs.errors import IsrproofError, defect
from ...traces.formats.detect import asked_for
from ...traces.sources.archives import there_of, unpacked_at
from ...traces.sources.paths import some
from ..ci.summary import add_summary
from ..progress import progress
from ..spark_session import spark_failures
from .files.log import Read
from .findings.audited import Audited
from .findings.excerpts import Texts, Wanted, lines_around, with_excerpts
from .findings.happened import Happened, candidates
from .findings.metadata import Metadata
from .happened.collected import as_shown
from .happened.named import releases_that_ran, with_names
from .happened.reasons import with_reasons
from .happened.standing import with_standing
from .history.journals import VERSION
from .history.lives import Note
from .metadata import audited_metadata, records_beside
from .misuse import must_be_more, must_be_there, must_have_read
from .not_known import all_not_known, missing_lines
from .observe.narrow import Narrow
from .opening import Opened, opened, tables
from .options import FAIL_ON, TROUBLE, Options
from .outputs import check_outputs, write_outputs
from .pipeline import audited, first_look
from .release_given import contradicted, of_lines
from .report.baseline import only_new, read_baseline
from .report.encodable import encodable, is_text
from .report.forms import FORMS, AuditRun, write
from .report.model import EXIT, Report, reports
from .report.now.told import what_now
from .report.page.next_fault import NextFault, NextFaultOf
from .sources.nodes.observed import hold_against
from .table.protocol import Row


def _silent(why: str) -> None:
    """No-op callback for the choice of the engine."""


def audit(
    paths: Sequence[str], options: Options | None = None, report_engine: Callable[[str], object] = _silent
) -> list[Report]:
    """Audit logs; return one report, or with `each` one for every path.

    Args:
        report_engine: gets one line that says which engine "auto" chose and why, unless the input is small.

    Raises:
        IsrproofError: there is no path, one does not exist, no file could be read, or nothing in them matches
            `options`; a rule could not be evaluated because of an error of ours.
    """
    with auditing(paths, options or Options(), report_engine) as found:
        if found.defects:
            raise IsrproofError(found.defects[0])
        return found.reports


@dataclass(frozen=True)
class Found:
    """The result of an audit, while its input is open."""

    reports: list[Report]
    defects: tuple[str, ...]
    """The reasons why rules could not be evaluated."""
    given: Opened
    whole: Audited
    """The result before it is split by cluster: what happened is one by one, without the reasons that lines print."""


@contextmanager
def auditing(paths: Sequence[str], options: Options, report_engine: Callable[[str], object]) -> Iterator[Found]:
    if not paths:
        raise IsrproofError("Expected the paths of logs, got none. Give files or folders.")
    with spark_failures(), opened(paths, options, report_engine, first_look) as given:
        log, read, clusters = given.log, given.read, given.metadata
        release = of_lines(options.releases, read.facts)
        narrow = Narrow(options.partition, options.since, options.until)
        kept = _metadata(given, options, narrow, hold_against(read))
        if not kept.logs:
            must_be_more([file for files in clusters for file in files], read.facts)
            some(", ".join(paths), [fact.path for fact in read.facts])
            must_have_read(read.facts, options.layout)
        with progress("checking the rules"):
            not_known = all_not_known(read, kept)
            newer, few = frozenset(not_known), tables(given.engine)
            found = audited(log, read, kept, release, narrow, newer, few, with_timeline=options.timeline)
            if kept.logs or not found.tallies:
                must_be_there(log, kept, narrow, found)
        kept.notes += contradicted(options.releases, kept.logs, read.facts)
        kept.notes += missing_lines(read)
        kept.notes += [Note(cluster, text) for cluster in range(len(clusters)) for text in given.notes]
        whole = found = replace(found, not_known=not_known, versions=_versions(read))
        with progress("reading the lines that findings name"):
            found = replace(found, findings=with_excerpts(found.findings, given.texts))
            ran = releases_that_ran(
                read.rows, found.histories.spans, {file.index: file for file in read.files}, given.texts
            )
            found = replace(found, happened=_happened(found, read, options, given.texts, ran))
        facts = (*read.facts, *kept.facts)
        made = [
            replace(report, what_now=what_now(report, ran.get(cluster, ())))
            for cluster, report in reports(found, facts)
        ]
        if not all(is_text(fact.path) for fact in facts):
            for path in {fact.path for fact in facts}:  # the lines around a finding are read later
                unpacked_at(encodable(path), there_of(path))
            made = [encodable(report) for report in made]
        yield Found(made, tuple(map(defect, found.defects)), given, whole)


def _happened(
    found: Audited,
    read: Read,
    options: Options,
    texts: Callable[[Wanted], Texts],
    ran: Mapping[int, Collection[str]],
) -> dict[int, tuple[Happened, ...]]:
    """Return what happened to each cluster as a report shows it, with the reasons that its lines print."""
    files = {file.index: file for file in read.files}
    layout = asked_for(options.input, options.layout).layout
    shown = {}
    for cluster, own in found.happened.items():
        logs = [log for log in found.metadata.logs if log.cluster == cluster]
        releases = ran.get(cluster, ())
        named = with_names(with_reasons(candidates(own), files, layout, texts, releases), releases)
        shown[cluster] = as_shown(with_standing(named, logs))
    return shown


def _versions(read: Read) -> list[Row]:
    """Return the lines in which processes print their release, with their numbers in their files."""
    files = {file.index: file for file in read.files}
    own = (row for row in read.rows if row.get("kind") == VERSION and row["file"] in files)
    return [row | {"line": files[row["file"]].place(row["line"]).line} for row in own]


def _metadata(given: Opened, options: Options, narrow: Narrow, with_chronicles: bool) -> Metadata:
    """Return the results from the metadata logs of the clusters; their files are numbered after the others."""
    numbered = [(i if given.each else 0, own) for i, own in enumerate(given.metadata)]
    if not any(own for _, own in numbered):
        return Metadata()
    by_cluster = [(i, [f for j, own in numbered if j == i for f in own]) for i in sorted({i for i, _ in numbered})]
    engine, first = given.engine, given.files
    asked = {"with_timeline": options.timeline, "with_chronicles": with_chronicles}
    with progress("reading metadata logs"):
        unpacked = any(file.archived for _, own in by_cluster for file in own)  # here, where no worker may be
        if engine.name == "spark" and sum(bool(own) for _, own in by_cluster) > 1 and not unpacked:
            from ..spark_session import session
            from .metadata_spark import audited_on_spark

            return audited_on_spark(session(options.master, options.remote), by_cluster, first, narrow, **asked)
        return audited_metadata(by_cluster, first, tables(engine), narrow, **asked)


def _next_faults(given: Opened, next_fault: NextFaultOf) -> Sequence[NextFault | None]:
    """Return for each cluster what the failure of a broker would do to it."""
    with progress("asking what the next fault would do"):
        if given.each:
            return [next_fault(own) for own in given.metadata]
        return [next_fault([file for own in given.metadata for file in own])]


def exit_code(report: Report, fail_on: str = "illegal") -> int:
    """Return the exit code of one cluster: 1 if it has a finding, or trouble, that `fail_on` includes, else its
    verdict's.
    """
    failing = _failing(fail_on)
    troubled = TROUBLE in failing and report.health == "troubled"
    return 1 if troubled or any(report.counts.get(verdict) for verdict in failing) else EXIT[report.verdict]


def _failing(fail_on: str) -> Sequence[str]:
    return (FAIL_ON[0], TROUBLE) if fail_on == TROUBLE else FAIL_ON[: FAIL_ON.index(fail_on) + 1]


@dataclass(frozen=True)
class Answer:
    """The result of an audit, to be printed."""

    text: str
    """The report in its form."""
    code: int
    """The worst of the clusters' exit codes (illegal, then incomplete, then conforms)."""
    verdict: str
    """A line that explains the code."""
    problem: str | None = None
    """The reason why a rule could not be evaluated, or the files of --out could not be written, although there is a
    report.
    """
    pages: tuple[Path, ...] = ()
    """The pages of --html."""


def audit_command(
    paths: list[str],
    options: Options,
    form: str = "text",
    out: Path | None = None,
    report_engine: Callable[[str], object] = _silent,
    *,
    files: Mapping[str, Path] | None = None,
    baseline: Path | None = None,
    next_fault: NextFaultOf | None = None,
) -> Answer:
    """Audit, write the requested files, and return what to print.

    Args:
        form: one of FORMS.
        out: folder for JSON and Parquet.
        files: form -> file, for what is written beside the text, of `BESIDE`.
        baseline: a report of an earlier run, whose findings are left out of this one's.
        next_fault: for the page, what the failure of a broker would do.

    Raises:
        IsrproofError, OSError: before anything is judged, as for `audit`, or because the files cannot be written; a
            library that a form needs is not installed; the form is about one partition, and none is named; the baseline
            is not a report.
    """
    started, files = time.perf_counter(), files or {}
    forms = [FORMS[each] for each in (form, *files)]
    if any(each.partition for each in forms) and options.partition is None:
        raise IsrproofError(f"--format {form} is about one partition: name it with --partition TOPIC-N.")
    check_outputs(paths, form, out, files)
    known = None if baseline is None else read_baseline(baseline)
    asked = options.timeline or FORMS[form].timeline
    options = replace(options, timeline=options.timeline or any(each.timeline for each in forms))
    with auditing(paths, options, report_engine) as found:
        made, defects, given = found.reports, found.defects, found.given
        if known is not None:
            made = [only_new(report, known, encodable(str(baseline))) for report in made]
        findings = [each for report in made for each in report.findings]
        shows_context = any(each.context for each in forms)
        moved = [place for report in made for move in report.transitions for place in move.first_lines]
        context = {**lines_around(findings, moved, given.texts), **records_beside(findings)} if shows_context else {}
        next_faults = _next_faults(given, next_fault) if FORMS["html"] in forms and next_fault is not None else ()
    failing, took = _failing(options.fail_on), time.perf_counter() - started
    names = [*map(encodable, given.names)]
    whole = AuditRun(names, made, given.each, options.verbose, failing, context, took, next_faults)
    run = whole if asked else replace(whole, reports=[replace(report, timeline=None, brokers=None) for report in made])
    text = write(form, run)
    problem, pages = write_outputs(run, whole, out, files)
    problem = defects[0] if defects else problem
    if form == "github":
        problem = problem or add_summary(write("markdown", run))
    codes = {exit_code(report, options.fail_on) for report in made}
    code = next(code for code in (1, 3, 0) if code in codes)
    verdict = ", ".join(sorted({report.verdict for report in made}, key=[*EXIT].index))
    return Answer(text, code, verdict, problem, pages)
