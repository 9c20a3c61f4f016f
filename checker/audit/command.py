"""The complete `isrproof audit`: from PATHs to a text and an exit code. `audit` is the same from Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ...specs.errors import IsrproofError, defect
from ...traces.formats.detect import asked_for, detect, holds_lines
from ...traces.formats.dumps import DUMPS
from ...traces.metadata.files import BESIDE, MetadataFile, found_in
from ...traces.sources.archives import there_of
from ...traces.sources.paths import Source, expand, is_elsewhere, some
from ..progress import progress
from ..replacing import must_be_writable
from ..spark_session import spark_failures
from .engine import Engine, chosen, only_spark, text_size
from .fields import OF_FILES
from .files.file import FileFacts
from .files.log import Log, Read
from .files.python import InProcess
from .files.streams import chosen as chosen_lines
from .findings.audited import Audited
from .findings.excerpts import Texts, Wanted, lines_around, with_excerpts
from .findings.metadata import Metadata
from .history.claims import claims
from .history.journals import VERSION
from .metadata import audited_metadata, with_metadata
from .nodes import audited_nodes, hold_against
from .not_known import all_not_known, missing_lines
from .observe.catalogue import lines_read
from .observe.narrow import EVERYTHING, Narrow
from .options import FAIL_ON, Options
from .pipeline import audited
from .release_given import contradicted, of_lines
from .report.baseline import only_new, read_baseline
from .report.encodable import encodable, is_text
from .report.forms import FORMS, Lines, Run, write
from .report.model import EXIT, Report, reports
from .report.nothing import nothing_there
from .table.protocol import Row, Tables
from .table.rows import PythonTable

_BRIEF = 500_000_000
"""The size of text in bytes up to which Java's quick compiler finishes sooner: the other one pays off later."""


def _silent(why: str) -> None:
    """Do nothing: the callback of callers that do not need the engine's name."""


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
        clusters = expand(paths, lambda path: _elsewhere(path, options, sizes), records, holds_lines)
        sources = [(i if options.each else 0, source) for i, (_, files) in enumerate(clusters) for source in files]
        engine = chosen(options, [source for _, source in sources], sizes)
        if options.engine == "auto":
            report_engine(engine.why)
        with closing(_log(engine, sources, options, sizes)) as log:
            with progress(f"reading {len(sources)} file{'s' * (len(sources) > 1)}", len(sources)) as advance:
                read = log.read(claims, advance)
            release = of_lines(options.releases, read.facts)
            narrow = Narrow(options.partition, options.since, options.until)
            kept = _metadata(metadata, options, narrow, len(sources), engine, hold_against(read))
            if not kept.logs:
                _must_be_more([file for files in metadata for file in files], read.facts)
                some(", ".join(paths), [fact.path for fact in read.facts])
                _must_have_read(read.facts, options.layout)
            with progress("checking the rules"):
                not_known = all_not_known(read, kept)
                newer = frozenset(not_known)
                others = audited_nodes(log, read, kept, _tables(engine), narrow, newer)
                found = audited(log, read, release, narrow, others, newer, with_timeline=options.timeline)
                if kept.logs or not kept.counts:
                    _must_be_there(log, kept, narrow, found)
        kept.notes += contradicted(options.releases, kept.logs, read.facts)
        kept.notes += missing_lines(read)
        found = replace(with_metadata(found, kept), not_known=not_known, versions=_versions(read))
        with progress("reading the lines that findings name"):
            found = replace(found, findings=with_excerpts(found.findings, partial(_texts, options)))
        facts = (*read.facts, *kept.facts)
        made = reports(found, facts)
        if not all(is_text(fact.path) for fact in facts):
            made = [encodable(report) for report in made]
        return made, tuple(map(defect, found.defects))


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
        return audited_metadata(by_cluster, first, _tables(engine), narrow, **asked)


def _tables(engine: Engine) -> Tables:
    """Return the constructor of tables of few rows in this process."""
    if engine.name == "python":
        return PythonTable
    from .table.columns import ColumnTable

    return ColumnTable


def _elsewhere(path: str, options: Options, sizes: dict[str, int]) -> list[str]:
    """Return the files of a path that only Spark can reach; their sizes go to `sizes`."""
    if options.engine not in ("auto", "spark"):
        raise only_spark(path, options.engine)
    from ..spark_session import session
    from .files.spark_lines import files_at

    found = files_at(session(options.master, options.remote), path)
    sizes.update(found)
    return list(found)


def _texts(options: Options, wanted: Wanted) -> Texts:
    asked = asked_for(options.input, options.layout)
    here = {path: there_of(path) for path in wanted if not is_elsewhere(path)}
    found = {path: chosen_lines(there, detect(there, asked), wanted[path]) for path, there in here.items()}
    there = {path: places for path, places in wanted.items() if is_elsewhere(path)}
    if there:
        from ..spark_session import session
        from .files.spark import texts

        found |= texts(session(options.master, options.remote), there, asked)
    return found


def _log(engine: Engine, sources: list[tuple[int, Source]], options: Options, elsewhere: Mapping[str, int]) -> Log:
    asked = asked_for(options.input, options.layout)
    sizes = [text_size(source.there, elsewhere) for _, source in sources]
    if engine.name == "python":
        return InProcess(sources, asked, options.lossy, lines_read())
    if engine.name == "columns":
        from .files.columns import InColumns

        return InColumns(sources, sizes, asked, options.lossy, lines_read(), OF_FILES, options.jobs)
    from ..spark_session import session
    from .spark_ready import get_ready

    spark = session(options.master, options.remote, brief=engine.size <= _BRIEF, meanwhile=get_ready)
    from .files.spark import SparkLog  # without PySpark the session says what to install

    return SparkLog(spark, sources, sizes, asked, options.lossy, lines_read(), OF_FILES)


def _must_be_more(beside: Sequence[MetadataFile], facts: Sequence[FileFacts]) -> None:
    """Fail if there are only files of a metadata folder that are not copies of the log."""
    if beside and not facts:
        raise IsrproofError(
            f"{beside[0].path}: expected segments (NNNNNNNNNNNNNNNNNNNN.log) or snapshots (OFFSET-EPOCH.checkpoint) of"
            f" the metadata log beside it, or text logs, found none. It has {BESIDE[beside[0].kind]}, but no history."
        )


def _must_have_read(facts: Sequence[FileFacts], pattern: str | None) -> None:
    if all(fact.unread for fact in facts):
        first = facts[0]
        more = f" (and {len(facts) - 1} more files)" if len(facts) > 1 else ""
        raise IsrproofError(f"{first.path}: {first.problem}{more}.")
    if not any(fact.coverage["understood"] or fact.coverage["irrelevant"] for fact in facts):
        lines = sum(fact.lines for fact in facts)
        needs_layout = next((fact.unknown_layout for fact in facts if fact.unknown_layout), None)
        if needs_layout in DUMPS:
            dumped = next(fact for fact in facts if fact.unknown_layout == needs_layout)
            raise IsrproofError(f"{dumped.path}: {needs_layout}.")
        hint = f"In it, {needs_layout}." if needs_layout else "If it has a layout of its own, give that by --layout."
        unread = next((fact for fact in facts if fact.unread), None)
        if unread is not None:
            hint = f"{unread.path}: {unread.problem}."
        if pattern is not None:
            hint = f"No line that Kafka prints is in the layout {pattern!r}; omit --layout to try the known ones."
        raise IsrproofError(
            f"expected lines of Kafka's state-change.log or controller.log, found none in {lines} lines of"
            f" {len(facts)} file(s), the first {facts[0].path}. {hint}"
        )


def _must_be_writable(out: Path | None, html: Path | None) -> None:
    """Fail before hours of reading, not after, if an output cannot be written."""
    if html is not None:
        _must_be_in_a_folder("--html", html)
        must_be_writable(html.parent)
    if out is not None:
        from .report.parquet import must_have_arrow

        must_have_arrow()
        _must_be_in_a_folder("--out", out)
        if out.suffix == ".json" and not out.exists():
            raise IsrproofError(
                f"--out {out}: expected a folder, got the name of a file; to write a file use --json > {out}."
            )
        must_be_writable(out)


def _must_be_in_a_folder(option: str, path: Path) -> None:
    """Fail if the folder of a report does not exist: nobody looks for a report in a folder that a typo created."""
    folder = path.absolute().parent
    if not folder.exists():
        raise IsrproofError(
            f"{option} {path}: expected an existing folder, but {folder} does not exist: create it with mkdir -p."
        )


def _must_be_there(log: Log, kept: Metadata, narrow: Narrow, found: Audited) -> None:
    if narrow != EVERYTHING and not found.scopes:
        missing = nothing_there(narrow, [*log.over_partitions(narrow.nearest), *kept.nearest])
        if missing is not None:
            raise IsrproofError(missing)


def exit_code(report: Report, fail_on: str = "illegal") -> int:
    """Return the exit code of one cluster: its verdict's, or 1 if it has a finding that `fail_on` includes."""
    return 1 if any(report.counts[verdict] for verdict in _failing(fail_on)) else EXIT[report.verdict]


def _failing(fail_on: str) -> Sequence[str]:
    return FAIL_ON[: FAIL_ON.index(fail_on) + 1]


@dataclass(frozen=True)
class Answer:
    """The output of an audit."""

    text: str
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
    _must_be_writable(out, html)
    known = None if baseline is None else read_baseline(baseline)
    asked = options.timeline or FORMS[form].timeline
    options = replace(options, timeline=options.timeline or any(each.timeline for each in forms))
    made, defects = _audited(paths, options, report_engine)
    if known is not None:
        made = [only_new(report, known, encodable(str(baseline))) for report in made]
    context = _context(made, options) if any(each.context for each in forms) else {}
    whole = Run([*map(encodable, paths)], made, options.each, options.verbose, _failing(options.fail_on), context)
    run = whole if asked else replace(whole, reports=[replace(report, timeline=None, brokers=None) for report in made])
    text = write(form, run)
    problem, pages = _written(run, whole, out, html)
    problem = defects[0] if defects else problem
    if form == "github":
        problem = problem or _summarised(run)
    codes = {exit_code(report, options.fail_on) for report in made}
    code = next(code for code in (1, 3, 0) if code in codes)
    verdict = ", ".join(sorted({report.verdict for report in made}, key=[*EXIT].index))
    return Answer(text, code, verdict, problem, pages)


def _written(run: Run, whole: Run, out: Path | None, html: Path | None) -> tuple[str | None, tuple[Path, ...]]:
    """Write the requested files; return the reason if that failed, and the pages."""
    pages: tuple[Path, ...] = ()
    try:
        if out is not None:
            from .report.parquet import write_out

            write_out(out, write("json", run), run.reports)
        if html is not None:
            from .report.html import write_files

            pages = write_files(whole, html)
    except OSError as error:
        return f"writing to {out or html} failed: {error.strerror or error}", pages
    return None, pages


def _summarised(run: Run) -> str | None:
    """Append to the step summary of GitHub Actions, where there is one; return the reason if that failed."""
    where = os.environ.get("GITHUB_STEP_SUMMARY")
    if where:
        from .report.github import summary

        try:
            with open(where, "a", encoding="utf-8") as file:
                file.write(summary(run))
        except OSError as error:
            return f"writing the step summary to {where} failed: {error.strerror or error}"
    return None


def _context(made: Sequence[Report], options: Options) -> Lines:
    return lines_around([each for report in made for each in report.findings], partial(_texts, options))
