"""The files of a node's metadata folder, known by their names and by what is in them.

Source: kafka.raft.KafkaMetadataLog, org.apache.kafka.snapshot.Snapshots, LogFileUtils.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...specs.errors import IsrproofError
from ..sources.paths import is_elsewhere
from .batches import Batches

Kind = Literal["segment", "snapshot", "bootstrap", "quorum-state", "epochs", "properties"]
"""What a file of a metadata folder is; index files and what Kafka has not finished or is about to delete are none."""
RECORDS: tuple[Kind, ...] = ("segment", "snapshot", "bootstrap")
"""Kinds of files that hold records."""
_SEGMENT = re.compile(r"[0-9]{20}\.log")
_SNAPSHOT = re.compile(r"(?P<offset>[0-9]{20})-(?P<epoch>[0-9]{10})\.checkpoint")
_NAMED: dict[str, Kind] = {
    "bootstrap.checkpoint": "bootstrap",
    "quorum-state": "quorum-state",
    "leader-epoch-checkpoint": "epochs",
    "meta.properties": "properties",
}
BESIDE: Mapping[Kind, str] = {
    "bootstrap": "what the format tool wrote (`isrproof records` prints it)",
    "quorum-state": "the last vote of a node",
    "epochs": "where the epochs of the quorum start",
    "properties": "which node and which cluster it is",
}
"""What is in the files that are no copy of the log."""
_TOPIC = "__cluster_metadata-0"


@dataclass(frozen=True)
class MetadataFile:
    """A file of a metadata folder. `end` is the offset and the epoch in a snapshot's name, None of any other file."""

    path: str
    kind: Kind
    end: tuple[int, int] | None = None

    @property
    def folder(self) -> str:
        return os.path.dirname(self.path)


def named(path: str) -> MetadataFile | None:
    """What the name of a file says it is; a segment's says no more than that it may be one."""
    name = os.path.basename(path)
    snapshot = _SNAPSHOT.fullmatch(name)
    if snapshot is not None:
        return MetadataFile(path, "snapshot", (int(snapshot["offset"]), int(snapshot["epoch"])))
    if _SEGMENT.fullmatch(name):
        return MetadataFile(path, "segment")
    return MetadataFile(path, _NAMED[name]) if name in _NAMED else None


def snapshot_end(path: str) -> tuple[int, int] | None:
    """The end of a snapshot, offset and epoch, as its name has it; None of a file that is none."""
    file = named(path)
    return None if file is None else file.end


def found_in(paths: Sequence[str]) -> list[MetadataFile]:
    """The files of metadata logs among PATHs (files, directories, globs), sorted by their paths, each once.

    A file that is named is taken for a segment if its content is one, whatever its name. Nothing is raised for what is
    not there: text logs are looked for in the same PATHs.
    """
    found: dict[str, MetadataFile] = {}
    for path in paths:
        if is_elsewhere(path):
            continue
        for match in [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True)):
            for file in _inside(match) if os.path.isdir(match) else _single(match):
                found.setdefault(os.path.realpath(file.path), file)
    return sorted(found.values(), key=lambda file: file.path)


def must_be_found(paths: Sequence[str]) -> list[MetadataFile]:
    """Files with records among PATHs; each PATH must have some.

    Raises:
        IsrproofError: a PATH does not exist, or has none.
    """
    for path in paths:
        if not os.path.exists(path) and not glob.glob(path, recursive=True):
            raise IsrproofError(f"{path}: no such file or directory.")
        if not any(file.kind in RECORDS for file in found_in([path])):
            raise IsrproofError(
                f"{path}: expected the metadata log of KRaft (segments NNNNNNNNNNNNNNNNNNNN.log, snapshots OFFSET-EPOCH"
                ".checkpoint, bootstrap.checkpoint; usually in __cluster_metadata-0), found none."
            )
    return [file for file in found_in(paths) if file.kind in RECORDS]


def _single(path: str) -> Iterator[MetadataFile]:
    file = named(path)
    if file is None and is_metadata(path):
        file = MetadataFile(path, "segment")
    if file is not None:
        yield file


def _inside(folder: str) -> Iterator[MetadataFile]:
    seen = set()
    for at, folders, names in os.walk(folder, followlinks=True):
        seen.add(os.path.realpath(at))
        folders[:] = sorted(name for name in folders if os.path.realpath(os.path.join(at, name)) not in seen)
        files = [file for name in sorted(names) if (file := named(os.path.join(at, name))) is not None]
        ours = os.path.basename(at) == _TOPIC or any(file.kind in ("snapshot", "quorum-state") for file in files)
        yield from (file for file in files if file.kind != "segment" or ours or is_metadata(file.path))


def is_metadata(path: str) -> bool:
    """Whether a file begins as a segment or a snapshot of the metadata log does: with a batch of its records."""
    if not os.path.isfile(path):
        return False
    for batch in Batches(path):
        return not any(record.type.startswith("UNKNOWN") for record in batch.records)
    return False


def node_of(folder: str) -> str:
    """What to call the node whose metadata folder this is: `node.id` in its meta.properties, else the folder."""
    for place in (Path(folder), Path(folder).parent):
        try:
            text = (place / "meta.properties").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        match = re.search(r"^(?:node|broker)\.id=([0-9]+)\s*$", text, re.MULTILINE)
        if match is not None:
            return match[1]
    return folder
