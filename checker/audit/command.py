"""The whole way of `isrproof audit`: from PATHs to a text and an exit code. `audit` is the same from Python."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from ...specs.errors import IsrproofError
from ...traces.events.layouts import Layout, layout
from ...traces.metadata.files import MetadataFile, found_in
from ...traces.sources.paths import Source, expand
from ..progress import progress
from ..spark_session import spark_failures
from .engine import Engine, chosen, only_spark, text_size
from .fields import EVENT
from .files.file import FileFacts
from .files.log import Log
from .files.python import InProcess
from .findings.audited import Metadata
from .findings.excerpts import Texts, Wanted, with_excerpts
from .history.claims import claims
from .metadata import audited_metadata
from .observe.catalogue import lines_read
from .options import FAIL_ON, Options
from .pipeline import audited
from .report.json import as_json
from .report.model import EXIT, Narrow, Report, reports
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
        IsrproofError: a path does not exist, or no file could be read.
    """
    options = options or Options()
    sizes: dict[str, int] = {}
    metadata = [found_in([path]) for path in paths]
    records = {os.path.realpath(file.path) for files in metadata for file in files}
    with spark_failures():
        clusters = expand(paths, lambda path: _elsewhere(path, options, sizes), records)
        sources = [(i if options.each else 0, source) for i, (_, files) in enumerate(clusters) for source in files]
        engine = chosen(options, [source for _, source in sources], sizes)
        if options.engine == "auto":
            report_engine(engine.why)
        with closing(_log(engine, sources, options, sizes)) as log:
            with progress(f"reading {len(sources)} file{'s' * (len(sources) > 1)}", len(sources)) as advance:
                read = log.read(claims, advance)
            kept = _metadata(metadata, options, len(sources), engine)
            if not kept.logs:
                _must_have_read(read.facts)
            with progress("checking the rules"):
                found = audited(log, read, options.releases, with_timeline=options.timeline)
        with progress("reading the lines that findings name"):
            found = replace(found, findings=with_excerpts(found.findings, lambda wanted: _texts(wanted, options)))
        narrow = Narrow(options.partition, options.since, options.until)
        return reports(found.plus(kept), (*read.facts, *kept.facts), narrow)


def _metadata(files: Sequence[Sequence[MetadataFile]], options: Options, first: int, engine: Engine) -> Metadata:
    """What the metadata logs of the clusters give; their files are numbered from `first` on."""
    numbered = [(i if options.each else 0, own) for i, own in enumerate(files)]
    if not any(own for _, own in numbered):
        return Metadata()
    by_cluster = [(i, [f for j, own in numbered if j == i for f in own]) for i in sorted({i for i, _ in numbered})]
    with progress("reading metadata logs"):
        if engine.name == "python":
            return audited_metadata(by_cluster, first, with_timeline=options.timeline)
        from .table.columns import ColumnTable

        return audited_metadata(by_cluster, first, ColumnTable.of_rows, with_timeline=options.timeline)


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


def exit_code(report: Report, fail_on: str = "illegal") -> int:
    """Of one cluster: its verdict's, or 1 if it has a finding that `fail_on` includes."""
    failing = FAIL_ON[: FAIL_ON.index(fail_on) + 1]
    return 1 if any(finding.verdict in failing for finding in report.findings) else EXIT[report.verdict]


def audit_command(
    paths: list[str],
    options: Options,
    json_wanted: bool,
    out: Path | None,
    report_engine: Callable[[str], object] = _silent,
) -> tuple[str, int]:
    """What to print, and the exit code: the worst of the clusters' (illegal, then incomplete, then conforms)."""
    if out is not None:
        from .report.parquet import must_have_arrow, write_out

        must_have_arrow()
    made = audit(paths, options, report_engine)
    text = ""
    if json_wanted or out is not None:
        text = _as_json(paths, made, each=options.each)
    if out is not None:
        write_out(out, text, made)
    codes = {exit_code(report, options.fail_on) for report in made}
    code = next(code for code in (1, 3, 0) if code in codes)
    if json_wanted:
        return text, code
    if options.each:
        return clusters_as_text(list(zip(paths, made, strict=True))), code
    return as_text(made[0]), code


def _as_json(paths: Sequence[str], made: Sequence[Report], *, each: bool) -> str:
    """The report of all logs, or with `each` one object that has a report for every path."""
    shown = [as_json(report) for report in made]
    whole = {"clusters": [{"path": p, **r} for p, r in zip(paths, shown, strict=True)]} if each else shown[0]
    return json.dumps(whole, indent=2, ensure_ascii=False)
