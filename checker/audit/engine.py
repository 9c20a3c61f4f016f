"""The choice of the engine that reads a log: this machine's processes, or Spark if the log is very large."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from ...specs.errors import IsrproofError
from ...traces.sources.paths import COMPRESSED, Source, is_elsewhere
from .options import Options

IN_PROCESS = 16_000_000_000
"""The size of text in bytes up to which its encoding certainly fits memory: a fortieth. Spark keeps it on disks.

On one machine Spark is slower at all sizes that were measured (benchmarks/audit): it moves every line through Java.
"""
_ROWS = 1_000_000
"""The size of text in bytes up to which plain rows are finished before NumPy is imported."""
_RATIO = 10
"""The approximate ratio of text to compressed bytes."""


@dataclass(frozen=True)
class Engine:
    """An engine and the reason for its choice."""

    name: str
    """python (the reference), columns or spark."""
    size: int
    """The approximate size of the text in bytes."""
    why: str
    """One line; empty if the input is too small for the choice to matter."""


def chosen(options: Options, sources: Sequence[Source], elsewhere: Mapping[str, int]) -> Engine:
    """Return the engine that `options` name, or with "auto" the fastest for this input.

    Args:
        elsewhere: the sizes of files that only Spark can reach.

    Raises:
        IsrproofError: `options` name an engine that cannot do what their other values require.
    """
    size = sum(text_size(source.there, elsewhere) for source in sources)
    shown = f"{size / 1e6:.1f} MB of text"
    if options.engine != "auto":
        _check(options, sources)
        return Engine(options.engine, size, "It was requested.")
    if options.master or options.remote:
        given = "--master" if options.master else "--remote"
        return Engine("spark", size, f"Spark reads {shown}: {given} is given.")
    if any(is_elsewhere(source.path) for source in sources):
        return Engine("spark", size, f"Spark reads {shown}: only it reaches some of the files.")
    most = f"{IN_PROCESS / 1e9:g} GB"
    if size > IN_PROCESS and find_spec("pyspark") is not None:
        return Engine("spark", size, f"Spark reads {shown}: more than {most}.")
    if size <= _ROWS:
        return Engine("python", size, "")
    if not _has_columns():
        why = "NumPy and PyArrow, which are faster, are not installed (pip install 'isrproof[audit]')"
        return Engine("python", size, f"This machine reads {shown}: {why}.")
    missing = " (it is not installed: pip install 'isrproof[spark]')" * (find_spec("pyspark") is None)
    return Engine("columns", size, f"This machine reads {shown}: Spark takes over above {most}{missing}.")


def of_table(options: Options, size: int) -> Engine:
    """Return the engine for an event table; `size`: the size in bytes of the text from which it was parsed."""
    if options.engine != "auto":
        return Engine(options.engine, size, "It was requested.")
    return Engine("columns", size, f"This machine reads the events of {size / 1e6:.1f} MB of text.")


def must_have_columns(what: str) -> None:
    """Refuse what needs NumPy and PyArrow if they are not there.

    Raises:
        IsrproofError: they are not installed.
    """
    if not _has_columns():
        raise IsrproofError(f"{what} needs NumPy and PyArrow; run: pip install 'isrproof[audit]'")


def _has_columns() -> bool:
    return find_spec("numpy") is not None and find_spec("pyarrow") is not None


def _check(options: Options, sources: Sequence[Source]) -> None:
    if options.engine == "spark":
        return
    if options.master or options.remote:
        raise IsrproofError(f"--master and --remote are for Spark; omit --engine {options.engine}.")
    for source in sources:
        if is_elsewhere(source.path):
            raise only_spark(source.path, options.engine)
    if options.engine == "columns":
        must_have_columns("--engine columns")


def only_spark(path: str, engine: str) -> IsrproofError:
    return IsrproofError(f"{path}: only Spark reads other file systems; omit --engine {engine}.")


def text_size(path: str, elsewhere: Mapping[str, int]) -> int:
    """Return the approximate size of a file's text in bytes; 0 if it does not exist."""
    try:
        size = elsewhere[path] if is_elsewhere(path) else os.path.getsize(path)
    except OSError:
        return 0
    return size * (_RATIO if path.endswith(COMPRESSED) else 1)
