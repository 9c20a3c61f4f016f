"""The whole way of `isrproof audit`: from PATHs to a text and an exit code. `audit` is the same from Python."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from ...specs.errors import IsrproofError
from ...traces.events.layouts import Layout, layout
from ...traces.sources.paths import Source, expand
from ..progress import progress
from ..replacing import must_be_writable
from ..spark_session import spark_failures
from .engine import Engine, chosen, only_spark, text_size
from .fields import EVENT
from .files.file import FileFacts
from .files.log import Log
from .files.python import InProcess
from .findings.audited import Audited
from .findings.excerpts import Texts, Wanted, with_excerpts
from .history.claims import claims
from .observe.catalogue import lines_read
from .observe.narrow import EVERYTHING, Narrow
from .options import FAIL_ON, Options
from .pipeline import audited
from .report.encodable import encodable, is_text
from .report.json import as_json
from .report.model import EXIT, Report, reports
from .report.nothing import nothing_there
from .report.text import as_text, clusters_as_text

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
            _must_have_read(read.facts, options.layout)
            narrow = Narrow(options.partition, options.since, options.until)
            with progress("checking the rules"):
                found = audited(log, read, options.releases, narrow, with_timeline=options.timeline)
                _must_be_there(log, narrow, found)
        with progress("reading the lines that findings name"):
            found = replace(found, findings=with_excerpts(found.findings, lambda wanted: _texts(wanted, options)))
        made = reports(found, read.facts)
        return made if all(is_text(fact.path) for fact in read.facts) else [encodable(report) for report in made]


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


def _must_have_read(facts: Sequence[FileFacts], pattern: str | None) -> None:
    if all(fact.unread for fact in facts):
        first = facts[0]
        more = f" (and {len(facts) - 1} more files)" if len(facts) > 1 else ""
        raise IsrproofError(f"{first.path}: {first.problem}{more}.")
    if not any(fact.coverage["understood"] or fact.coverage["irrelevant"] for fact in facts):
        lines = sum(fact.lines for fact in facts)
        hint = "If its layout is its own, give it by --layout."
        if pattern is not None:
            hint = f"No line that Kafka prints is in the layout {pattern!r}; leave --layout away to try the known ones."
        raise IsrproofError(
            f"expected lines of Kafka's state-change.log or controller.log, found none in {lines} lines of"
            f" {len(facts)} file(s), the first {facts[0].path}. {hint}"
        )


def _must_be_there(log: Log, narrow: Narrow, found: Audited) -> None:
    if narrow != EVERYTHING and not found.scopes:
        missing = nothing_there(narrow, log.over_partitions(narrow.nearest))
        if missing is not None:
            raise IsrproofError(missing)


def exit_code(report: Report, fail_on: str = "illegal") -> int:
    """Of one cluster: its verdict's, or 1 if it has a finding that `fail_on` includes."""
    failing = FAIL_ON[: FAIL_ON.index(fail_on) + 1]
    return 1 if any(report.counts[verdict] for verdict in failing) else EXIT[report.verdict]


@dataclass(frozen=True)
class Answer:
    """What to print of an audit.

    `code` is the worst of the clusters' exit codes (illegal, then incomplete, then conforms), `verdict` a line that
    says why. `problem` is what kept the files of --out from being written, all the same.
    """

    text: str
    code: int
    verdict: str
    problem: str | None = None


def audit_command(
    paths: list[str],
    options: Options,
    json_wanted: bool,
    out: Path | None,
    report_engine: Callable[[str], object] = _silent,
) -> Answer:
    """Audit, write what is to be written to `out`, and say what to print.

    Raises:
        IsrproofError, OSError: before anything is judged, as of `audit`, or since nothing can be written in `out`.
    """
    if out is not None:
        from .report.parquet import must_have_arrow, write_out

        must_have_arrow()
        must_be_writable(out)
    made = audit(paths, options, report_engine)
    text, problem = "", None
    if json_wanted or out is not None:
        text = _as_json(paths, made, each=options.each)
    if out is not None:
        try:
            write_out(out, text, made)
        except OSError as error:
            problem = f"expected to write into {out}, which fails: {error.strerror or error}"
    codes = {exit_code(report, options.fail_on) for report in made}
    code = next(code for code in (1, 3, 0) if code in codes)
    verdict = ", ".join(sorted({report.verdict for report in made}, key=[*EXIT].index))
    if not json_wanted and options.each:
        text = clusters_as_text(list(zip(paths, made, strict=True)), verbose=options.verbose)
    elif not json_wanted:
        text = as_text(made[0], verbose=options.verbose)
    return Answer(text, code, verdict, problem)


def _as_json(paths: Sequence[str], made: Sequence[Report], *, each: bool) -> str:
    """The report of all logs, or with `each` one object that has a report for every path."""
    shown = [as_json(report) for report in made]
    named = zip(map(encodable, paths), shown, strict=True)
    whole = {"clusters": [{"path": path, **report} for path, report in named]} if each else shown[0]
    return json.dumps(whole, indent=2, ensure_ascii=False)
