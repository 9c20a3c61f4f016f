"""Logs as the chosen engine reads them, from this machine or through Spark."""

from __future__ import annotations

from collections.abc import Mapping

from ...traces.formats.detect import asked_for, detect
from ...traces.sources.archives import there_of
from ...traces.sources.paths import Source, is_elsewhere
from .catalogue import lines_read
from .engine import Engine, only_spark, text_size
from .fields import OF_FILES
from .files.log import Log
from .files.python import InProcess
from .files.streams import chosen as chosen_lines
from .findings.excerpts import Texts, Wanted
from .options import Options
from .table.protocol import Tables
from .table.rows import PythonTable

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
