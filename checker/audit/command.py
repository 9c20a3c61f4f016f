"""The complete `isrproof audit`: from PATHs to a text and an exit code. `audit` is the same from Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ...specs.errors import IsrproofError, defect
from ...traces.formats.detect import asked_for, holds_lines
from ...traces.metadata.files import MetadataFile, found_in
from ...traces.sources.archives import there_of, unpacked_at
from ...traces.sources.paths import expand, some
from ..progress import progress
from ..spark_session import spark_failures
from .engine import Engine, chosen
from .files.log import Read
from .findings.audited import Audited
from .findings.excerpts import lines_around, with_excerpts
from .findings.happened import Happened
from .findings.metadata import Metadata
from .happened.collected import as_shown
from .happened.reasons import with_reasons
from .history.journals import VERSION
from .metadata import audited_metadata
from .misuse import must_be_more, must_be_there, must_have_read
from .not_known import all_not_known, missing_lines
from .observe.narrow import Narrow
from .opening import elsewhere, log_of, tables, texts
from .options import FAIL_ON, TROUBLE, Options
from .outputs import add_summary, check_outputs, write_outputs
from .pipeline import audited, first_look
from .release_given import contradicted, of_lines
from .report.baseline import only_new, read_baseline
from .report.encodable import encodable, is_text
from .report.forms import FORMS, AuditRun, Lines, write
from .report.model import EXIT, Report, reports
from .sources.nodes.observed import hold_against
from .table.protocol import Row


def _silent(why: str) -> None:
    """No-op callback for the choice of the engine."""


def audit(
    paths: Sequence[str], options: Options | None = None, report_engine: Callable[[str], object] = _silent
) -> list[Report]:
    """Audit logs; return one report, or with `each` one for every path.

    Args:
        report_engine: gets one line that says which engine "auto" chose and why.

    Raises:
        IsrproofError: there is no path, one does not exist, no file could be read, or nothing in them matches
            `options`; a rule could not be evaluated because of an error of ours.
    """
    made, defects = _audited(paths, options or Options(), report_engine)
    if defects:
        raise IsrproofError(defects[0])
    return made


def _audited(
    paths: Sequence[str], options: Options, report_engine: Callable[[str], object]
) -> tuple[list[Report], tuple[str, ...]]:
    """Return the reports, and the reasons why rules could not be evaluated."""
    if not paths:
        raise IsrproofError("Expected the paths of logs, got none. Give files or folders.")
    sizes: dict[str, int] = {}
    with spark_failures():
        metadata = [found_in([path]) for path in paths]
        records = {file.real for files in metadata for file in files}
        clusters = expand(paths, lambda path: elsewhere(path, options, sizes), records, holds_lines)
        sources = [(i if options.each else 0, source) for i, (_, files) in enumerate(clusters) for source in files]
        engine = chosen(options, [source for _, source in sources], sizes)
        if options.engine == "auto":
            report_engine(engine.why)
        with closing(log_of(engine, sources, options, sizes)) as log:
            with progress(f"reading {len(sources)} file{'s' * (len(sources) > 1)}", len(sources)) as advance:
                read = log.read(first_look, advance)
            release = of_lines(options.releases, read.facts)
            narrow = Narrow(options.partition, options.since, options.until)
            kept = _metadata(metadata, options, narrow, len(sources), engine, hold_against(read))
            if not kept.logs:
                must_be_more([file for files in metadata for file in files], read.facts)
                some(", ".join(paths), [fact.path for fact in read.facts])
                must_have_read(read.facts, options.layout)
            with progress("checking the rules"):
                not_known = all_not_known(read, kept)
                newer, few = frozenset(not_known), tables(engine)
                found = audited(log, read, kept, release, narrow, newer, few, with_timeline=options.timeline)
                if kept.logs or not found.tallies:
                    must_be_there(log, kept, narrow, found)
        kept.notes += contradicted(options.releases, kept.logs, read.facts)
        kept.notes += missing_lines(read)
        found = replace(found, not_known=not_known, versions=_versions(read))
        with progress("reading the lines that findings name"):
            found = replace(found, findings=with_excerpts(found.findings, partial(texts, options)))
            found = replace(found, happened=_happened(found, read, options))
        facts = (*read.facts, *kept.facts)
        made = reports(found, facts)
        if not all(is_text(fact.path) for fact in facts):
            for path in {fact.path for fact in facts}:  # the lines around a finding are read later
                unpacked_at(encodable(path), there_of(path))
            made = [encodable(report) for report in made]
        return made, tuple(map(defect, found.defects))


def _happened(found: Audited, read: Read, options: Options) -> dict[int, tuple[Happened, ...]]:
    """Return what happened to each cluster as a report shows it, with the reasons that its lines print."""
    files = {file.index: file for file in read.files}
    layout = asked_for(options.input, options.layout).layout
    return {
        cluster: as_shown(with_reasons(own, files, layout, partial(texts, options)))
        for cluster, own in found.happened.items()
    }


def _versions(read: Read) -> list[Row]:
    """Return the lines in which processes print their release, with their numbers in their files."""
    files = {file.index: file for file in read.files}
    own = (row for row in read.rows if row.get("kind") == VERSION and row["file"] in files)
    return [row | {"line": files[row["file"]].place(row["line"]).line} for row in own]


def _metadata(
    files: Sequence[Sequence[MetadataFile]],
    options: Options,
    narrow: Narrow,
    first: int,
    engine: Engine,
    with_chronicles: bool,
) -> Metadata:
    """Return the results from the metadata logs of the clusters; their files are numbered from `first` on."""
    numbered = [(i if options.each else 0, own) for i, own in enumerate(files)]
    if not any(own for _, own in numbered):
        return Metadata()
    by_cluster = [(i, [f for j, own in numbered if j == i for f in own]) for i in sorted({i for i, _ in numbered})]
    asked = {"with_timeline": options.timeline, "with_chronicles": with_chronicles}
    with progress("reading metadata logs"):
        unpacked = any(file.archived for _, own in by_cluster for file in own)  # here, where no worker may be
        if engine.name == "spark" and sum(bool(own) for _, own in by_cluster) > 1 and not unpacked:
            from ..spark_session import session
            from .metadata_spark import audited_on_spark

            return audited_on_spark(session(options.master, options.remote), by_cluster, first, narrow, **asked)
        return audited_metadata(by_cluster, first, tables(engine), narrow, **asked)


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
    html: Path | None = None,
    baseline: Path | None = None,
) -> Answer:
    """Audit, write the requested files, and return what to print.

    Args:
        form: one of FORMS.
        out: folder for JSON and Parquet; `html`: file for the page.
        baseline: a report of an earlier run, whose findings are left out of this one's.

    Raises:
        IsrproofError, OSError: before anything is judged, as for `audit`, or because the files cannot be written; a
            library that a form needs is not installed; the form is about one partition, and none is named; the baseline
            is not a report.
    """
    forms = [FORMS[each] for each in (form, *(["html"] if html else []))]
    if any(each.partition for each in forms) and options.partition is None:
        raise IsrproofError(f"--format {form} is about one partition: name it with --partition TOPIC-N.")
    check_outputs(out, html)
    known = None if baseline is None else read_baseline(baseline)
    asked = options.timeline or FORMS[form].timeline
    options = replace(options, timeline=options.timeline or any(each.timeline for each in forms))
    made, defects = _audited(paths, options, report_engine)
    if known is not None:
        made = [only_new(report, known, encodable(str(baseline))) for report in made]
    context = _context(made, options) if any(each.context for each in forms) else {}
    whole = AuditRun([*map(encodable, paths)], made, options.each, options.verbose, _failing(options.fail_on), context)
    run = whole if asked else replace(whole, reports=[replace(report, timeline=None, brokers=None) for report in made])
    text = write(form, run)
    problem, pages = write_outputs(run, whole, out, html)
    problem = defects[0] if defects else problem
    if form == "github":
        problem = problem or add_summary(run)
    codes = {exit_code(report, options.fail_on) for report in made}
    code = next(code for code in (1, 3, 0) if code in codes)
    verdict = ", ".join(sorted({report.verdict for report in made}, key=[*EXIT].index))
    return Answer(text, code, verdict, problem, pages)


def _context(made: Sequence[Report], options: Options) -> Lines:
    return lines_around([each for report in made for each in report.findings], partial(texts, options))
