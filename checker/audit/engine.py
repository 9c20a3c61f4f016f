"""Which engine reads a log, and why: this machine's processes, or Spark if it is very large."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from ...specs.errors import IsrproofError
from ...traces.sources.paths import COMPRESSED, Source, is_elsewhere
from .options import Options

IN_PROCESS = 16_000_000_000
"""Bytes of text up to which what is encoded of them surely fits memory: a fortieth. Spark keeps it on disks.

On one machine Spark is slower at all sizes that were measured (benchmarks/audit): it moves every line through Java.
"""
_ROWS = 1_000_000
"""Bytes of text up to which plain rows are done before NumPy is imported."""
_RATIO = 10
"""How much text a compressed byte stands for, roughly."""


@dataclass(frozen=True)
class Engine:
    """`name` is python (the reference), columns or spark; `size` is the bytes of text, roughly; `why` is one line."""

    name: str
    size: int
    why: str


def chosen(options: Options, sources: Sequence[Source], elsewhere: Mapping[str, int]) -> Engine:
    """The engine that `options` name, or with "auto" the one that is done first.

    Args:
        elsewhere: the bytes of files that only Spark can reach.

    Raises:
        IsrproofError: `options` name an engine that cannot do what else they ask for.
    """
    size = sum(text_size(source.there, elsewhere) for source in sources)
    shown = f"{size / 1e6:.1f} MB of text"
    if options.engine != "auto":
        _check(options, sources)
        return Engine(options.engine, size, "It was asked for.")
    if options.master or options.remote:
        given = "--master" if options.master else "--remote"
        return Engine("spark", size, f"Spark reads {shown}: {given} is given.")
    if any(is_elsewhere(source.path) for source in sources):
        return Engine("spark", size, f"Spark reads {shown}: only it reaches some of the files.")
    most = f"{IN_PROCESS / 1e9:g} GB"
    if size > IN_PROCESS and find_spec("pyspark") is not None:
        return Engine("spark", size, f"Spark reads {shown}: more than {most}.")
    has_columns = _has_columns()
    name = "columns" if size > _ROWS and has_columns else "python"
    if size > _ROWS and not has_columns:
        why = "NumPy and PyArrow, which are faster, are not installed (pip install 'isrproof[audit]')"
    else:
        why = f"Spark takes over above {most}" + " (it is not installed)" * (find_spec("pyspark") is None)
    return Engine(name, size, f"This machine reads {shown}: {why}.")


def _has_columns() -> bool:
    return find_spec("numpy") is not None and find_spec("pyarrow") is not None


def _check(options: Options, sources: Sequence[Source]) -> None:
    if options.engine == "spark":
        return
    if options.master or options.remote:
        raise IsrproofError(f"--master and --remote are for Spark; leave --engine {options.engine} away.")
    for source in sources:
        if is_elsewhere(source.path):
            raise only_spark(source.path, options.engine)
    if options.engine == "columns" and not _has_columns():
        raise IsrproofError("--engine columns needs NumPy and PyArrow; run: pip install 'isrproof[audit]'")


def only_spark(path: str, engine: str) -> IsrproofError:
    return IsrproofError(f"{path}: only Spark reads other file systems; leave --engine {engine} away.")


def text_size(path: str, elsewhere: Mapping[str, int]) -> int:
    """Bytes of text in a file, roughly; 0 if it is not there."""
    try:
        size = elsewhere[path] if is_elsewhere(path) else os.path.getsize(path)
    except OSError:
        return 0
    return size * (_RATIO if path.endswith(COMPRESSED) else 1)
