"""The whole way of `isrproof audit`: from PATHs to a text and an exit code. `audit` is the same from Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from ...specs.errors import IsrproofError
from ...traces.events.layouts import Layout, layout
from ...traces.sources.paths import Source, expand
from ..progress import progress
from ..spark_session import spark_failures
from .engine import Engine, chosen, only_spark, text_size
from .fields import EVENT
from .files.file import FileFacts
from .files.log import Log
from .files.python import InProcess
from .findings.audited import Audited
from .findings.excerpts import Texts, Wanted, lines_around, with_excerpts
from .history.claims import claims
from .observe.catalogue import lines_read
from .observe.narrow import EVERYTHING, Narrow
from .options import FAIL_ON, Options
from .pipeline import audited
from .report.baseline import only_new, read_baseline
from .report.files import put_text
from .report.forms import FORMS, Lines, Run, write
from .report.model import EXIT, Report, reports
from .report.nothing import nothing_there

_BRIEF = 500_000_000
"""Bytes of text up to which Java's quick compiler is done sooner: what the other one compiles pays off later."""


def _silent(why: str) -> None:
    """Who does not ask which engine reads."""


def audit(
    paths: Sequence[str], options: Options | None = None, report_engine: Callable[[str], object] = _silent
) -> list[Report]:
    """Audit logs: one report, or with `each` one for every path.

    Args:
        report_engine: gets one line, which says which engine "auto" chose and why.

    Raises:
        IsrproofError: a path does not exist, no file could be read, or nothing in them is what `options` ask for.
    """
    options = options or Options()
    sizes: dict[str, int] = {}
    with spark_failures():
        clusters = expand(paths, lambda path: _elsewhere(path, options, sizes))
        sources = [(i if options.each else 0, source) for i, (_, files) in enumerate(clusters) for source in files]
        engine = chosen(options, [source for _, source in sources], sizes)
        if options.engine == "auto":
            report_engine(engine.why)
        with closing(_log(engine, sources, options, sizes)) as log:
            with progress(f"reading {len(sources)} file{'s' * (len(sources) > 1)}", len(sources)) as advance:
                read = log.read(claims, advance)
            _must_have_read(read.facts)
            narrow = Narrow(options.partition, options.since, options.until)
            with progress("checking the rules"):
                found = audited(log, read, options.releases, narrow, with_timeline=options.timeline)
                _must_be_there(log, narrow, found)
        with progress("reading the lines that findings name"):
            found = replace(found, findings=with_excerpts(found.findings, lambda wanted: _texts(wanted, options)))
        return reports(found, read.facts)


def _elsewhere(path: str, options: Options, sizes: dict[str, int]) -> list[str]:
    """The files of a path that only Spark can reach; their bytes go to `sizes`."""
    if options.engine not in ("auto", "spark"):
        raise only_spark(path, options.engine)
    from ..spark_session import session
    from .files.spark_lines import files_at

    found = files_at(session(options.master, options.remote), path)
    sizes.update(found)
    return list(found)


def _texts(wanted: Wanted, options: Options) -> Texts:
    from ..spark_session import session
    from .files.spark_lines import texts

    return texts(session(options.master, options.remote), wanted)


def _log(engine: Engine, sources: list[tuple[int, Source]], options: Options, elsewhere: Mapping[str, int]) -> Log:
    chosen_layout: Layout | None = None if options.layout is None else layout(options.layout)
    if engine.name == "python":
        return InProcess(sources, chosen_layout, options.lossy, lines_read())
    if engine.name == "columns":
        from .table.columns import ColumnTable

        return InProcess(sources, chosen_layout, options.lossy, lines_read(), ColumnTable.of_rows)
    from ..spark_session import session

    spark = session(options.master, options.remote, brief=engine.size <= _BRIEF)
    from .files.spark import SparkLog  # without PySpark the session says what to install

    sizes = [text_size(source.path, elsewhere) for _, source in sources]
    return SparkLog(spark, sources, sizes, chosen_layout, options.lossy, lines_read(), tuple(EVENT))


def _must_have_read(facts: Sequence[FileFacts]) -> None:
    if all(fact.unread for fact in facts):
        first = facts[0]
        more = f" (and {len(facts) - 1} more files)" if len(facts) > 1 else ""
        raise IsrproofError(f"{first.path}: {first.problem}{more}.")
    if not any(fact.coverage["understood"] or fact.coverage["irrelevant"] for fact in facts):
        lines = sum(fact.lines for fact in facts)
        raise IsrproofError(
            f"expected lines of Kafka's state-change.log or controller.log, found none in {lines} lines of"
            f" {len(facts)} file(s), the first {facts[0].path}. If its layout is its own, give it by --layout."
        )


def _must_be_there(log: Log, narrow: Narrow, found: Audited) -> None:
    if narrow != EVERYTHING and not found.scopes:
        missing = nothing_there(narrow, log.over_partitions(narrow.nearest))
        if missing is not None:
            raise IsrproofError(missing)


def exit_code(report: Report, fail_on: str = "illegal") -> int:
    """Of one cluster: its verdict's, or 1 if it has a finding that `fail_on` includes."""
    return 1 if any(report.counts[verdict] for verdict in _failing(fail_on)) else EXIT[report.verdict]


def _failing(fail_on: str) -> Sequence[str]:
    return FAIL_ON[: FAIL_ON.index(fail_on) + 1]


def audit_command(
    paths: list[str],
    options: Options,
    form: str = "text",
    out: Path | None = None,
    report_engine: Callable[[str], object] = _silent,
    *,
    html: Path | None = None,
    baseline: Path | None = None,
) -> tuple[str, int]:
    """What to print, and the exit code: the worst of the clusters' (illegal, then incomplete, then conforms).

    Args:
        form: one of FORMS.
        out: folder for JSON and Parquet; `html`: file for the page.
        baseline: a report of an earlier run, whose findings are left out of this one's.

    Raises:
        IsrproofError: as `audit`; a library that a form needs is not there; the form is about one partition, and none
            is named; the baseline is none.
    """
    forms = [FORMS[each] for each in (form, *(["html"] if html else []))]
    if any(each.partition for each in forms) and options.partition is None:
        raise IsrproofError(f"--format {form} is about one partition: say which by --partition TOPIC-N.")
    if out is not None:
        from .report.parquet import must_have_arrow

        must_have_arrow()
    known = None if baseline is None else read_baseline(baseline)
    asked = options.timeline or FORMS[form].timeline
    options = replace(options, timeline=options.timeline or any(each.timeline for each in forms))
    made = audit(paths, options, report_engine)
    if known is not None:
        made = [only_new(report, known, str(baseline)) for report in made]
    context = _context(made, options) if any(each.context for each in forms) else {}
    whole = Run(paths, made, options.each, options.verbose, _failing(options.fail_on), context)
    run = whole if asked else replace(whole, reports=[replace(report, timeline=None, brokers=None) for report in made])
    if out is not None:
        from .report.parquet import write_out

        write_out(out, write("json", run), run.reports)
    if html is not None:
        put_text(html, write("html", whole))
    if form == "github" and os.environ.get("GITHUB_STEP_SUMMARY"):
        from .report.github import summary

        with open(os.environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as file:
            file.write(summary(run))
    codes = {exit_code(report, options.fail_on) for report in made}
    return write(form, run), next(code for code in (1, 3, 0) if code in codes)


def _context(made: Sequence[Report], options: Options) -> Lines:
    return lines_around([each for report in made for each in report.findings], lambda wanted: _texts(wanted, options))
