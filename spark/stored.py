"""The event table on Spark: its events as a DataFrame, and its writing, which workers share."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pyarrow as pa

from ..checker.audit.stored import manifest as manifests
from ..checker.audit.stored.here import is_event_table
from ..checker.audit.stored.manifest import EVENTS
from ..checker.audit.stored.parts import Parsed, Unit, parsed
from ..checker.audit.stored.schema import COLUMNS, RELEASES
from ..checker.audit.stored.writing import Input, Written, folder_of
from ..checker.audit.stored.writing import write_events as written
from ..checker.spark_session import spark_failures
from ..specs.errors import IsrproofError
from .sessions import described, ready
from .tables import NTZ

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_TYPES = {
    "int": "bigint",
    "str": "string",
    "bool": "boolean",
    "time": NTZ,
    RELEASES: "string",
    "tuple[int, ...]": "array<bigint>",
    "tuple[str, ...]": "array<string>",
}
_OUTPUT = "parsed string"
_UNIT = 64_000_000
"""The bytes of text that one task parses."""


def events_table(spark: SparkSession, table: str) -> DataFrame:
    """Return the events of an event table (docs/event-table.md): of the Parquet files that its manifest names.

    Args:
        table: its folder, which all machines mount.

    Raises:
        IsrproofError: it is no event table, or one of another version.
    """
    from ..checker.audit.files.spark_lines import as_asked

    if not is_event_table(folder_of(table)):
        raise IsrproofError(f"{table}: expected an event table, as `isrproof events` writes it.")
    parts = dict.fromkeys(part for file in manifests.read(Path(table)).files for part in file.parts)
    columns = {name: _TYPES[kind] for name, kind in COLUMNS.items()} | {"cluster": "string", "day": "string"}
    schema = ", ".join(f"`{name}` {kind}" for name, kind in columns.items())
    if not parts:
        return spark.createDataFrame([], schema)
    base = f"file://{os.path.realpath(table)}/{EVENTS}"
    paths = as_asked([f"{table}/{part}" for part in parts])
    return spark.read.schema(schema).option("basePath", base).parquet(*paths)


def write_events(
    spark: SparkSession,
    paths: str | Sequence[str],
    table: str,
    *,
    append: bool = False,
    each: bool = False,
    cluster_from: str | None = None,
    layout: str | None = None,
    input: str | None = None,
    unit: int = _UNIT,
) -> Written:
    """Write the events of logs as a table, as `isrproof events` does: workers parse, this process writes the manifest.

    Args:
        paths: files, folders or globs; like the table they are on folders that all machines mount.
        table, append, each, cluster_from, layout, input: as for the command.
        unit: about the bytes of text that one task parses.

    Raises:
        IsrproofError: as the command prints it, or Spark failed.
    """
    given = (paths,) if isinstance(paths, str) else tuple(paths)
    return written(
        folder_of(table),
        Input(given, each, cluster_from, layout, input),
        append=append,
        unit=unit,
        parse=partial(_in_tasks, ready(spark)),
    )


def _in_tasks(spark: SparkSession, units: Sequence[Unit]) -> Iterator[list[Parsed]]:
    """Yield the results of units, in order; each is a task."""
    if not units:
        return
    whole = [replace(unit, files=tuple(replace(w, path=os.path.abspath(w.path)) for w in unit.files)) for unit in units]
    numbers = spark.range(0, len(units), 1, len(units))
    with spark_failures(), described(spark, f"isrproof events: {len(units)} tasks into {units[0].folder.parent}"):
        rows = numbers.mapInArrow(partial(_parsed, whole), f"id bigint, {_OUTPUT}").collect()
    for row in sorted(rows, key=lambda row: row["id"]):
        yield [Parsed.from_json(each) for each in json.loads(row["parsed"])]


def _parsed(units: Sequence[Unit], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for number in batch["id"].to_pylist():
            made = json.dumps([asdict(each) for each in _apart(units[number])])
            yield pa.RecordBatch.from_pydict({"id": [number], "parsed": [made]})


def _apart(unit: Unit) -> list[Parsed]:
    """Parse a unit in a folder of its own: of two attempts at a task each file is whole, and they are the same."""
    own = unit.folder / f".{uuid4().hex}"
    try:
        made = parsed(replace(unit, folder=own))
        for place in sorted(own.rglob("*")):
            if place.is_file():
                target = unit.folder / place.relative_to(own)
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(place, target)
        return made
    finally:
        shutil.rmtree(own, ignore_errors=True)
