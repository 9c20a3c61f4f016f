"""Logs as the chosen engine reads them, from this machine or through Spark, or from an event table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ...specs.errors import IsrproofError
from ...traces.formats.detect import asked_for, detect, holds_lines
from ...traces.metadata.files import MetadataFile, found_in
from ...traces.sources.archives import nothing, there_of
from ...traces.sources.compression import ALTERED
from ...traces.sources.paths import Source, expand, is_elsewhere
from ..progress import progress
from .catalogue import lines_read
from .engine import Engine, chosen, must_have_columns, of_table, only_spark, text_size
from .fields import OF_FILES
from .files.log import Log, Look, Read
from .files.python import InProcess
from .files.streams import chosen as chosen_lines
from .findings.excerpts import Texts, Wanted
from .options import Options
from .stored.here import is_event_table
from .table.protocol import Tables
from .table.rows import PythonTable


@dataclass(frozen=True)
class Opened:
    """The input of an audit."""

    names: list[str]
    """The names of the clusters, if there are several, else the PATHs."""
    each: bool
    """True if every name is a cluster of its own."""
    metadata: list[list[MetadataFile]]
    """The files of metadata folders, by name."""
    files: int
    """The number of the other files."""
    engine: Engine
    log: Log
    read: Read
    """The result of a look at all lines."""
    texts: Callable[[Wanted], Texts]
    """Returns the texts of lines."""
    notes: tuple[str, ...] = ()


@contextmanager
def opened(
    paths: Sequence[str], options: Options, report_engine: Callable[[str], object], look: Look
) -> Iterator[Opened]:
    """Open the logs of an audit, or an event table, and look at all lines.

    Args:
        report_engine: gets one line that says which engine "auto" chose and why, unless the input is small.

    Raises:
        IsrproofError: a path does not exist, an event table is not alone, no engine can read the input.
    """
    if any(map(is_event_table, paths)):
        with _table(paths, options, report_engine, look) as found:
            yield found
        return
    sizes: dict[str, int] = {}
    metadata = [found_in([path]) for path in paths]
    records = {file.real for files in metadata for file in files}
    clusters = expand(paths, lambda path: elsewhere(path, options, sizes), records, holds_lines)
    sources = [(i if options.each else 0, source) for i, (_, files) in enumerate(clusters) for source in files]
    engine = chosen(options, [source for _, source in sources], sizes)
    if options.engine == "auto" and engine.why:
        report_engine(engine.why)
    log, read = first_read(engine, sources, options, sizes, look)
    with closing(log):
        yield Opened([*paths], options.each, metadata, len(sources), engine, log, read, partial(texts, options))


@contextmanager
def _table(
    paths: Sequence[str], options: Options, report_engine: Callable[[str], object], look: Look
) -> Iterator[Opened]:
    """Open an event table; its clusters are audited side by side."""
    given = (options.layout, options.input, options.master, options.remote)
    if len(paths) > 1:
        raise IsrproofError(f"{paths[0]}: an event table is audited alone; got {len(paths)} PATHs.")
    if any(given) or options.engine == "spark" or options.each:
        raise IsrproofError(
            f"{paths[0]}: an event table is parsed already, has its clusters, and is audited on this machine;"
            " omit --each, --layout, --input, --master, --remote and --engine spark."
        )
    must_have_columns(f"{paths[0]} is an event table, which")
    from .stored.log import EventTable, metadata_of, texts_of
    from .stored.manifest import in_order, read
    from .stored.wordings import outdated

    folder = Path(paths[0])
    manifest = read(folder)
    names = manifest.clusters
    files = [(names.index(file.cluster), file) for file in in_order(manifest.files)]
    size = sum(file.identity.size for _, file in files)
    engine = of_table(options, size)
    if options.engine == "auto":
        report_engine(engine.why)
    reference = engine.name == "python"
    log = EventTable(*(folder, files, options.lossy, lines_read(), OF_FILES), reference=reference, jobs=options.jobs)
    with closing(log), metadata_of(folder, manifest) as metadata:
        yield Opened(
            names if len(names) > 1 else [*manifest.given],
            len(names) > 1,
            [metadata[name] for name in names],
            len(files),
            engine,
            log,
            _read_from(log, look, len(files)),
            partial(texts_of, folder, manifest),
            outdated(manifest),
        )


_BRIEF = 500_000_000
"""The size of text in bytes up to which Java's quick compiler finishes sooner: the other one pays off later."""


def log_of(engine: Engine, sources: list[tuple[int, Source]], options: Options, there: Mapping[str, int]) -> Log:
    """Return the log of some files, as an engine reads it; `there`: the sizes of files that only Spark can reach."""
    asked = asked_for(options.input, options.layout)
    sizes = [text_size(source.there, there) for _, source in sources]
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


def _read_from(log: Log, look: Look, files: int) -> Read:
    """Return what a look at all lines gives, and show progress."""
    with progress(f"reading {files} file{'s' * (files > 1)}", files) as advance:
        return log.read(look, advance)


def first_read(
    engine: Engine, sources: list[tuple[int, Source]], options: Options, there: Mapping[str, int], look: Look
) -> tuple[Log, Read]:
    """Return the log of some files, and what a look at all lines gives.

    That the data of a file is altered shows when all of it is read: the lines are then read again without that file.
    """
    log = log_of(engine, sources, options, there)
    try:
        read = _read_from(log, look, len(sources))
        altered = {fact.path for fact in read.facts if fact.problem == ALTERED}
        known = {source.path for _, source in sources if source.problem == ALTERED}
    except BaseException:
        log.close()
        raise
    if altered <= known:
        return log, read
    log.close()
    left = [
        (cluster, replace(source, at=nothing(), problem=ALTERED) if source.path in altered else source)
        for cluster, source in sources
    ]
    return first_read(engine, left, options, there, look)


def tables(engine: Engine) -> Tables:
    """Return the constructor of tables of few rows in this process."""
    if engine.name == "python":
        return PythonTable
    from .table.columns import ColumnTable

    return ColumnTable


def elsewhere(path: str, options: Options, sizes: dict[str, int]) -> list[str]:
    """Return the files of a path that only Spark can reach; their sizes go to `sizes`."""
    if options.engine not in ("auto", "spark"):
        raise only_spark(path, options.engine)
    from ..spark_session import session
    from .files.spark_lines import files_at

    found = files_at(session(options.master, options.remote), path)
    sizes.update(found)
    return list(found)


def texts(options: Options, wanted: Wanted) -> Texts:
    """Return the texts of lines, by file."""
    asked = asked_for(options.input, options.layout)
    here = {path: there_of(path) for path in wanted if not is_elsewhere(path)}
    found = {path: chosen_lines(there, detect(there, asked), wanted[path]) for path, there in here.items()}
    there = {path: places for path, places in wanted.items() if is_elsewhere(path)}
    if there:
        from ..spark_session import session
        from .files.spark import texts as texts_at

        found |= texts_at(session(options.master, options.remote), there, asked)
    return found
