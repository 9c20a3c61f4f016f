"""Files that an event table has already, however they were renamed or compressed since, and files that grew."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ....traces.sources.compression import ALTERED, compression
from ....traces.sources.opened import opened
from ....traces.sources.paths import Source
from ....traces.sources.text import Lines
from .manifest import Identity, StoredFile

_END = 1 << 16
"""The bytes at each end of a text that are hashed."""
_BLOCK = 1 << 20


@dataclass(frozen=True)
class There:
    """A file as it is found now."""

    source: Source
    mtime: int
    on_disk: int


@dataclass(frozen=True)
class Recognised:
    """A file that was found, and the one that the table has of it."""

    there: There
    known: StoredFile | None
    """None: it is new."""
    identity: Identity
    grew: bool = False
    """True if it has more lines than the table."""

    @property
    def is_altered(self) -> bool:
        """True if its checksum is wrong: nothing of it is evidence."""
        return self.identity.tail == ALTERED


def there(source: Source) -> There:
    """Return what the system says of a file; nothing of one that cannot be read."""
    try:
        facts = os.stat(source.there)
    except OSError:
        return There(source, 0, 0)
    return There(source, 0 if source.at else facts.st_mtime_ns, facts.st_size)


def recognised(found: Sequence[There], known: Sequence[StoredFile]) -> Iterator[Recognised]:
    """Yield each file that was found, with what the table has of it. A file of the table is found at most once."""
    by_path = {file.source.path: file for file in known}
    same = {each.source.path for each in found if _untouched(each, by_path.get(each.source.path))}
    left = {file.id: file for file in known if file.source.path not in same}
    by_identity: dict[Identity, list[StoredFile]] = defaultdict(list)
    for file in left.values():
        by_identity[file.identity].append(file)
    later: list[tuple[There, Identity]] = []
    for each in found:
        if each.source.path in same:
            before = by_path[each.source.path]
            yield Recognised(each, before, before.identity)
            continue
        now = identity(each.source.there)
        alike = [file for file in by_identity[now] if file.id in left]
        if alike and now.size:
            before = min(alike, key=lambda file: file.source.path != each.source.path)
            del left[before.id]
            yield Recognised(each, before, now)
        else:
            later.append((each, now))
    for each, now in later:
        grown = next((file for file in _candidates(each, left.values()) if _begins_with(each, now, file)), None)
        if grown is not None:
            del left[grown.id]
        yield Recognised(each, grown, now, grew=grown is not None)


def _untouched(found: There, known: StoredFile | None) -> bool:
    if known is None or not found.mtime:
        return False
    return (found.mtime, found.on_disk) == (known.mtime, known.on_disk)


def _candidates(found: There, left: Iterable[StoredFile]) -> list[StoredFile]:
    """Return the files of the table that may have become this one: first the one of its name, then its rotated ones."""
    own = [file for file in left if file.source.stream == found.source.stream]
    return sorted(own, key=lambda file: file.source.path != found.source.path)


def _begins_with(found: There, now: Identity, before: StoredFile) -> bool:
    """Return whether a text begins with all that the table has of a file."""
    size = before.identity.size
    if not 0 < size < now.size or (size >= _END and now.head != before.identity.head):
        return False
    return identity(found.source.there, size) == before.identity


def identity(path: str, size: int | None = None) -> Identity:
    """Return the identity of a text, or of its first `size` bytes."""
    try:
        if compression(path) is None:
            return _of_plain(path, size)
    except OSError:
        return Identity(0, "", "")
    lines = Lines(path)
    found = _of_blocks(lines.blocks(), size)
    return Identity(found.size, found.head, ALTERED) if lines.problem == ALTERED else found


def _of_plain(path: str, size: int | None) -> Identity:
    with opened(path) as file:
        whole = os.fstat(file.fileno()).st_size if size is None else size
        head = file.read(min(_END, whole))
        file.seek(max(0, whole - _END))
        return Identity(whole, _hash(head), _hash(file.read(min(_END, whole))))


def _of_blocks(blocks: Iterator[bytes], size: int | None) -> Identity:
    head, tail, whole = b"", b"", 0
    for block in blocks:
        if size is not None:
            block = block[: size - whole]
        whole += len(block)
        head = (head + block[:_END])[:_END]
        tail = (tail + block)[-_END:]
        if whole == size:
            break
    return Identity(whole, _hash(head), _hash(tail))


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]
