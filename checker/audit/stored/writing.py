"""The writing of an event table: what is new is parsed into files of its own, then the manifest is replaced."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ....specs.errors import IsrproofError
from ....traces.formats.detect import asked_for, detect, holds_lines
from ....traces.metadata.files import MetadataFile, found_in
from ....traces.sources.archives import nothing, there_of
from ....traces.sources.compression import ALTERED
from ....traces.sources.opened import opened
from ....traces.sources.paths import expand, is_elsewhere
from ...processes import in_turn
from ...progress import progress
from . import manifest as manifests
from .here import is_event_table
from .known import Recognised, There, recognised, there
from .manifest import EVENTS, LABELS, METADATA, TEXTS, Manifest, StoredFile, StoredMetadata
from .parts import Parsed, Unit, Work, parsed, unit_of, writer
from .wordings import known_wordings

_UNIT = 256_000_000
"""The bytes of text that one process parses into files of its own."""
_LEAST = 1_000_000
"""The bytes of text that cost as much as opening a file."""
_HIDDEN = ".batch"
"""The folder in which a batch is written until it is complete; readers of Parquet skip it."""
_EMPTY = ("index", "leftover", "topic", "empty")
"""Kinds of files of a metadata folder of which an audit reads nothing but the name."""
_CLUSTER = "{cluster}"
_BLOCK = 1 << 20
Parse = Callable[[Sequence[Unit]], Iterator[list[Parsed]]]
"""Yields the results of units, in order."""


@dataclass(frozen=True)
class Input:
    """The logs from which a table is made."""

    paths: tuple[str, ...]
    each: bool = False
    """Every PATH is a cluster of its own."""
    cluster_from: str | None = None
    """A pattern that the paths of files begin with; `{cluster}` in it stands for the name of the cluster, * for any
    text without a slash."""
    layout: str | None = None
    envelope: str | None = None


@dataclass(frozen=True)
class Written:
    """The result of a batch, in numbers of files."""

    new: int
    grown: int
    renamed: int
    known: int
    """Files that the table had already, unchanged."""
    metadata: int
    """Files of metadata logs that were copied."""
    files: int
    """All files of the table."""
    text: int
    """The bytes of their text."""
    parquet: int
    """The bytes of the table's Parquet files."""


@dataclass(frozen=True)
class _Found:
    """A file among the PATHs."""

    cluster: str
    given: int
    there: There


def write_events(
    folder: Path,
    asked: Input,
    *,
    append: bool = False,
    jobs: int = 1,
    unit: int = _UNIT,
    parse: Parse | None = None,
) -> Written:
    """Write the events of logs as a table, or append those of files that are new to it.

    Args:
        unit: about the bytes of text that go into one Parquet file of a day.
        parse: parses units in other places than `jobs` processes of this machine.

    Raises:
        IsrproofError: the folder holds something else, or a table although `append` is False; a path does not exist,
            or only Spark can reach it; the table was made with other options, or by another version of the table.
        OSError: the table cannot be written.
    """
    _must_be_free(folder, append)
    asked_for(asked.envelope, asked.layout)
    fresh = not folder.exists()
    folder.mkdir(exist_ok=True)
    try:
        with manifests.alone(folder):
            if not is_event_table(folder):  # first: what a killed run leaves is then known as a table
                manifests.write(folder, Manifest(layout=asked.layout, envelope=asked.envelope))
            before = manifests.read(folder)
            _must_match(folder, before, asked)
            _clear(folder, before)
            try:
                return _written(folder, before, asked, parse or partial(_here, jobs), unit)
            finally:
                shutil.rmtree(folder / _HIDDEN, ignore_errors=True)
    except BaseException:
        if fresh and not (is_event_table(folder) and manifests.read(folder).batches):
            shutil.rmtree(folder, ignore_errors=True)
        raise


def folder_of(table: str) -> Path:
    """Return the folder of an event table.

    Raises:
        IsrproofError: it is on a file system that only Spark reaches.
    """
    if is_elsewhere(table):
        raise IsrproofError(f"{table}: expected a folder of this machine, or one that it mounts, for an event table.")
    return Path(os.path.abspath(table))


def _written(folder: Path, before: Manifest, asked: Input, parse: Parse, unit: int) -> Written:
    given = (*before.given, *(path for path in dict.fromkeys(asked.paths) if path not in before.given))
    found, metadata = _found(asked, given)
    of = {id(each.there): each for each in found}
    seen = [*recognised([each.there for each in found], before.files)]
    todo = [each for each in seen if each.known is None or each.grew]
    ids = {id(each.there): (before.next_id + place) * LABELS for place, each in enumerate(todo)}
    works = [_work(each, of[id(each.there)], ids[id(each.there)], asked) for each in todo]
    units = [*_units(works, [each.identity.size for each in todo], folder, before.batches, asked, unit)]
    made: dict[int, Parsed] = {}
    with progress(f"parsing {len(works)} file{'s' * (len(works) != 1)}", len(works)) as advance:
        for own, results in zip(units, parse(units), strict=True):
            made |= {each.id: each for each in results}
            advance(len(own.files))
    dropped = {each.known.id: each.known for each in seen if each.known is not None and each.grew}
    kept = [each for each in before.files if each.id not in dropped]
    kept = _renamed(kept, {e.known.id: e for e in seen if e.known is not None and not e.grew})
    kept = _without(folder, kept, dropped.values(), before.batches)
    fresh = [_stored(each, of[id(each.there)], made[ids[id(each.there)]]) for each in todo]
    taken = {each.source.path for each in fresh}
    files = (*(_earlier(each) if each.source.path in taken else each for each in kept), *fresh)
    copied, copies = _metadata(folder, before, metadata)
    after = replace(
        before,
        given=given,
        files=files,
        metadata=copied,
        next_id=before.next_id + len(todo),
        batches=before.batches + 1,
        parsed_by=", ".join(dict.fromkeys([*filter(None, before.parsed_by.split(", ")), version("isrproof")])),
        wordings=before.wordings if before.wordings in ("", known_wordings()) else "several",
    )
    after = replace(after, wordings=after.wordings or known_wordings())
    _publish(folder, after)
    _clear(folder, after)
    known = [each for each in seen if each.known is not None and not each.grew]
    return Written(
        new=len(todo) - len(dropped),
        grown=len(dropped),
        renamed=sum(each.known is not None and each.known.source.path != each.there.source.path for each in known),
        known=len(known),
        metadata=copies,
        files=len(files),
        text=sum(each.identity.size for each in files),
        parquet=sum(os.path.getsize(folder / part) for part in manifests.parts_of(files)),
    )


def _here(jobs: int, units: Sequence[Unit]) -> Iterator[list[Parsed]]:
    """Yield the results of units, which processes of this machine parse."""
    return in_turn(parsed, units, min(jobs, len(units) or 1), _no_wait)


def _no_wait(unit: Unit) -> None:
    """Do nothing before a unit is waited for."""


def _must_be_free(folder: Path, append: bool) -> None:
    if is_event_table(folder):
        if not append and manifests.read(folder).batches:
            raise IsrproofError(f"{folder}: an event table is there already; add new files to it with --append.")
    elif folder.is_dir() and any(folder.iterdir()):
        raise IsrproofError(
            f"{folder}: expected a new folder, or an event table with --append; got a folder of other files."
        )
    elif folder.exists() and not folder.is_dir():
        raise IsrproofError(f"{folder}: expected a folder, got a file.")


def _must_match(folder: Path, before: Manifest, asked: Input) -> None:
    for name, then, now in (
        ("--layout", before.layout, asked.layout),
        ("--input", before.envelope, asked.envelope),
    ):
        if then != now:
            raise IsrproofError(
                f"{folder}: its files were parsed with {name} {then or 'not given'}, these with {now or 'not given'}; "
                "write them as another table."
            )


def _found(asked: Input, given: Sequence[str]) -> tuple[list[_Found], list[tuple[str, int, MetadataFile]]]:
    """Return the logs and the files of metadata folders among the PATHs."""
    for path in asked.paths:
        if is_elsewhere(path):
            raise IsrproofError(
                f"{path}: an event table is made of files on folders that are mounted; `isrproof audit` and "
                "isrproof.spark.events read other file systems (docs/spark.md)."
            )
    metadata = [found_in([path]) for path in asked.paths]
    records = {file.real for files in metadata for file in files}
    logs = expand(asked.paths, other=records, holds_lines=holds_lines)
    found = [
        _Found(named_cluster(asked, path, source.path), given.index(path), there(source))
        for path, sources in logs
        for source in sources
    ]
    beside = [
        (named_cluster(asked, path, file.path), given.index(path), file)
        for path, files in zip(asked.paths, metadata, strict=True)
        for file in files
    ]
    if not found and not beside:
        raise IsrproofError(f"{', '.join(asked.paths)}: expected logs, found none.")
    return found, beside


def named_cluster(asked: Input, given: str, path: str) -> str:
    """Return the cluster of a file; empty if there is only one.

    Raises:
        IsrproofError: --cluster-from does not match the path, or has no `{cluster}`.
    """
    if asked.cluster_from is None:
        return given if asked.each else ""
    pattern = asked.cluster_from.rstrip("./")
    if pattern.count(_CLUSTER) != 1:
        raise IsrproofError(f"--cluster-from: expected a pattern with {_CLUSTER} once, got {asked.cluster_from!r}.")
    named = re.escape(pattern).replace(re.escape(_CLUSTER), "(?P<cluster>[^/]+)").replace(r"\*", "[^/]*")
    match = re.match(named + "(?:/|$)", path)
    if match is None:
        raise IsrproofError(f"{path}: expected a path that begins like --cluster-from {asked.cluster_from}.")
    return match["cluster"]


def _work(each: Recognised, found: _Found, id: int, asked: Input) -> Work:
    source = each.there.source
    there = nothing() if each.is_altered else source.there
    how = detect(there, asked_for(asked.envelope, asked.layout))
    return Work(id, found.cluster, there, source.path, how)


def _units(
    works: Sequence[Work], sizes: Sequence[int], folder: Path, batch: int, asked: Input, most: int
) -> Iterator[Unit]:
    """Yield the files in units of about equal size."""
    layout = asked_for(asked.envelope, asked.layout).layout
    waiting: list[Work] = []
    size = number = 0
    for place, (work, own) in enumerate(zip(works, sizes, strict=True), start=1):
        waiting.append(work)
        size += max(own, _LEAST)
        if size >= most or place == len(works):
            yield Unit(f"{batch:06d}-{number:04d}", folder / _HIDDEN, tuple(waiting), layout)
            waiting, size, number = [], 0, number + 1


def _stored(each: Recognised, found: _Found, made: Parsed) -> StoredFile:
    source = replace(each.there.source, at=None)
    return StoredFile(
        id=made.id,
        cluster=found.cluster,
        given=found.given,
        source=source,
        mtime=each.there.mtime,
        on_disk=each.there.on_disk,
        identity=each.identity,
        problem=ALTERED if each.is_altered else each.there.source.problem or made.problem,
        streams=made.streams,
        texts=made.texts,
    )


def _renamed(kept: Sequence[StoredFile], found: Mapping[int, Recognised]) -> list[StoredFile]:
    """Return the files of the table with the names that they have now."""
    return [
        replace(
            each,
            source=replace(found[each.id].there.source, at=None),
            mtime=found[each.id].there.mtime,
            on_disk=found[each.id].there.on_disk,
        )
        if each.id in found
        else each
        for each in kept
    ]


def _earlier(file: StoredFile) -> StoredFile:
    """Return a file that is no more, and whose name another one has now."""
    path = f"{file.source.path} (earlier, {file.identity.tail[:8]})"
    return replace(file, source=replace(file.source, path=path))


def _without(folder: Path, kept: Sequence[StoredFile], dropped: Collection[StoredFile], batch: int) -> list[StoredFile]:
    """Return the files of the table; Parquet files that also had dropped ones are written again without these."""
    gone = pa.array([stream.id for file in dropped for stream in file.streams], pa.int64())
    concerned = [*manifests.parts_of([*dropped])]
    needed = {*manifests.parts_of(kept)}
    fresh: dict[str, str] = {}
    for place, part in enumerate(part for part in concerned if part in needed):
        events = pq.read_table(folder / part, partitioning=None)
        left = events.filter(pc.invert(pc.is_in(events["file_id"], gone)))
        name = f"{os.path.dirname(part)}/{unit_of(part)}~{batch:06d}-{place:04d}.parquet"
        with writer(folder / _HIDDEN / name, events.schema) as file:
            file.write_table(left, row_group_size=200_000)
        fresh[part] = name
    return [
        replace(
            each,
            streams=tuple(
                replace(stream, parts=tuple(fresh.get(part, part) for part in stream.parts)) for stream in each.streams
            ),
            texts=fresh.get(each.texts, each.texts) if each.texts else None,
        )
        for each in kept
    ]


def _metadata(
    folder: Path, before: Manifest, found: Sequence[tuple[str, int, MetadataFile]]
) -> tuple[tuple[StoredMetadata, ...], int]:
    """Copy the files of metadata folders; return all that the table has then, and the number of new copies."""
    known = {(each.cluster, each.path): each for each in before.metadata}
    have = {each.sha256 for each in before.metadata}
    copies = 0
    for cluster, given, file in found:
        place = folder / _HIDDEN / METADATA / "copy"
        place.parent.mkdir(parents=True, exist_ok=True)
        sha256 = _copied(None if file.kind in _EMPTY else there_of(file.path), place)
        at = f"{METADATA}/{sha256[:32]}"
        if sha256 in have:
            place.unlink()
        else:
            have.add(sha256)
            place.replace(folder / _HIDDEN / at)
            copies += 1
        known[cluster, file.path] = StoredMetadata(
            cluster, given, file.path, file.kind, file.end, file.copy, at, sha256
        )
    return tuple(sorted(known.values(), key=lambda each: (each.given, each.path))), copies


def _copied(path: str | None, place: Path) -> str:
    """Copy a file, as far as it can be read; return the hash of the copy."""
    found = hashlib.sha256()
    with place.open("wb") as copy, suppress(OSError):
        if path is not None:
            with opened(path) as file:
                while block := file.read(_BLOCK):
                    found.update(block)
                    copy.write(block)
    return found.hexdigest()


def _publish(folder: Path, after: Manifest) -> None:
    """Move a batch to its places, then put its manifest in the place of the one before."""
    hidden = folder / _HIDDEN
    for place in sorted(hidden.rglob("*")) if hidden.exists() else ():
        if place.is_file():
            handle = os.open(place, os.O_RDWR)
            os.fsync(handle)
            os.close(handle)
            target = folder / place.relative_to(hidden)
            target.parent.mkdir(parents=True, exist_ok=True)
            place.replace(target)
    manifests.write(folder, after)


def _clear(folder: Path, known: Manifest) -> None:
    """Remove what an interrupted batch left, and what the manifest no longer names."""
    shutil.rmtree(folder / _HIDDEN, ignore_errors=True)
    named = {*manifests.parts_of(known.files), *(each.at for each in known.metadata)}
    for top in (EVENTS, TEXTS, METADATA):
        for place in sorted((folder / top).rglob("*"), reverse=True):
            if place.is_file() and place.relative_to(folder).as_posix() not in named:
                place.unlink()
            elif place.is_dir() and not any(place.iterdir()):
                place.rmdir()
