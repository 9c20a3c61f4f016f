"""Files as Spark's own reader lists and reads them, on any file system of the session."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import TYPE_CHECKING

from ..specs.errors import IsrproofError
from ..traces.formats.detect import holds_lines
from ..traces.metadata.files import found_in, must_be_found
from ..traces.sources.archives import STANDARD_INPUT
from ..traces.sources.paths import IN, expand, is_elsewhere

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

WHOLE = 64 << 20
"""The largest size of a file that one task reads whole; of larger ones Spark splits the lines, if it can."""
_PACKED = ("*.gz", "*.zst", "*.xz", "*.bz2", "*.zip", "*.tar", "*.tgz", "*.txz", "*.tbz", "*.tbz2")
_TEXT = tuple(f"*.{ending}{rest}" for ending in ("log", "out", "txt") for rest in ("", ".*"))
_LOGS = f"{{{','.join((*_TEXT, *_PACKED))}}}"
"""A pattern of the names that `is_log` takes (traces/sources/paths.py), for Spark's reader."""
_SEGMENTS = f"{{{','.join(('*.log', '*.checkpoint', *_PACKED))}}}"
"""A pattern of the names of files with records of a metadata log."""


@dataclass(frozen=True)
class Files:
    """Files to read: those of this machine one by one, of other file systems as the user gave them."""

    near: tuple[str, ...]
    far: tuple[str, ...] = ()
    names: str = "*"
    """A pattern of the names of files in folders of other file systems."""

    def contents(self, spark: SparkSession, most: int | None = None) -> DataFrame:
        """Return the files as rows of path and content, those up to a size, if one is given."""
        frames = [frame if most is None else frame.where(f"length <= {most}") for frame in self._listed(spark)]
        if hidden := [path for path in self.near if _is_hidden(path)]:
            numbers = spark.range(0, len(hidden), 1, len(hidden))
            frames.append(numbers.mapInArrow(partial(_opened, hidden), "path string, content binary"))
        return reduce(lambda one, other: one.unionAll(other), (frame.select("path", "content") for frame in frames))

    def larger(self, spark: SparkSession, most: int) -> list[str]:
        """Return the files that are larger, by Spark's names for them; only the list of files is read."""
        frames = [frame.where(f"length > {most}").select("path") for frame in self._listed(spark)]
        return [row["path"] for frame in frames for row in frame.collect()]

    def _listed(self, spark: SparkSession) -> list[DataFrame]:
        from ..checker.audit.files.spark_lines import as_asked

        near = [path for path in self.near if not _is_hidden(path)]
        frames = [spark.read.format("binaryFile").load(as_asked(near))] if near else []
        return frames + [_far(spark, path, self.names) for path in self.far]

    @property
    def named(self) -> dict[str, str]:
        """The paths of this machine as given, by Spark's names for them."""
        return {f"file:{os.path.realpath(path)}": path for path in self.near}


def _is_hidden(path: str) -> bool:
    from ..checker.audit.files.spark_lines import is_hidden

    return is_hidden(path)


def _opened(paths: Sequence[str], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield files that Spark's reader leaves out because of their names; a worker of this machine opens them."""
    import pyarrow as pa

    for batch in batches:
        for number in batch["id"].to_pylist():
            path = os.path.realpath(paths[number])
            with open(path, "rb") as file:
                yield pa.RecordBatch.from_pydict({"path": [f"file:{path}"], "content": [file.read()]})


def _far(spark: SparkSession, path: str, names: str) -> DataFrame:
    """Return the files of a path; a file that is named itself may have any name."""
    reader = spark.read.format("binaryFile").option("recursiveFileLookup", "true")
    every = reader.load(path)
    first = every.select("path").limit(2).collect()
    alone = len(first) == 1 and _last(first[0]["path"]) == _last(path)
    return every if alone else reader.option("pathGlobFilter", names).load(path)


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def logs(paths: str | Sequence[str]) -> Files:
    """Return the files of PATHs that are logs of text, as the audit takes them.

    Raises:
        IsrproofError: a path does not exist, or has no logs.
    """

    def near(found: Sequence[str]) -> Sequence[str]:
        records = {file.real for file in found_in(found)}
        clusters = expand(found, other=records, holds_lines=holds_lines)
        return [source.path if source.at is None else _outer(source.path) for _, own in clusters for source in own]

    return _files(paths, near, _LOGS)


def metadata_logs(paths: str | Sequence[str]) -> Files:
    """Return the files of PATHs that have records of KRaft's metadata log.

    Raises:
        IsrproofError: a path does not exist, or has none.
    """

    def near(found: Sequence[str]) -> Sequence[str]:
        return [_outer(file.path) if file.archived else file.path for file in must_be_found(found)]

    return _files(paths, near, _SEGMENTS)


def _files(paths: str | Sequence[str], near: Callable[[Sequence[str]], Sequence[str]], names: str) -> Files:
    given = [paths] if isinstance(paths, str) else list(paths)
    if not given:
        raise IsrproofError("Expected the paths of logs, got none. Give files or folders.")
    if STANDARD_INPUT in given:
        raise IsrproofError("Spark reads files, not the standard input; give a path.")
    here = [path for path in given if not is_elsewhere(path)]
    found = dict.fromkeys(near(here) if here else ())
    return Files(tuple(found), tuple(path for path in given if is_elsewhere(path)), names)


def _outer(path: str) -> str:
    """Return the path of the archive that a file is in."""
    return path.partition(IN)[0]
