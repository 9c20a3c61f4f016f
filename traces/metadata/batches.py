"""The record batches of a segment or a snapshot: frames, checksums, compression. Batches that fail their CRC are
dropped.

Source: org.apache.kafka.common.record.DefaultRecordBatch and DefaultRecord (magic 2).
"""

from __future__ import annotations

import itertools
import os
import re
import struct
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import BinaryIO, NamedTuple

from ...specs.errors import IsrproofError
from ..limits import BATCH, NUMBER
from ..sources.archives import there_of
from ..sources.opened import opened
from . import compression
from .reader import NO_OP, NO_OP_RECORD, Message, control_record, data_record
from .wire import SIGNED, MalformedError, uvarint, varint, varlong

HEADER = struct.Struct(">qiibIhiqqqhii")
"""Fields of a batch: base offset, length, epoch, magic, CRC, attributes, last offset delta, two times, producer,
count."""
_PREFIX = struct.Struct(">qi")
_SHORTEST = HEADER.size - _PREFIX.size
_CHECKED = struct.Struct(">qiibIhiqq14xi").unpack_from
"""Fields of a batch: base offset, length, epoch, magic, CRC, attributes, last offset delta, two times, count."""
_TIMES = struct.Struct(">21xh4xqq14xi").unpack_from
"""Fields of a batch: attributes, two times, count."""
_CHECKED_FROM = 21
"""First byte that the CRC covers: that of the attributes."""
_LONGEST = BATCH.most
"""Largest plausible length of a batch, in bytes; Kafka's raft writes at most 8 MiB (MAX_BATCH_SIZE_BYTES)."""
_CODEC, _LOG_APPEND_TIME, _CONTROL = 0x7, 0x8, 0x20
_NEVER = 0xFFFF ^ (_CODEC | _LOG_APPEND_TIME | _CONTROL)
"""Attributes that no known release gives to a batch of the metadata log."""
UNKNOWN_BATCH = "UNKNOWN_BATCH"
"""Beginning of the type of the one record that stands for a batch with unknown attributes."""
_NULL = 1
"""The length of an absent key, -1, as a varint."""
_PIECE = 1 << 20
"""Number of bytes of a file that are read at once, unless a batch is longer."""
_IDLE = bytes((20, 0, 0, 0, 1, 8, *NO_OP, 0))
"""The one record of most batches: a NoOp, with neither key nor headers."""
_IDLE_SIZE = HEADER.size + len(_IDLE)
_NAME = re.compile(r"(\d{20})(?:-\d{10})?\.(log|checkpoint)$")
"""The name of a segment or a snapshot: the offset with which the one begins, and the other ends."""


_new = tuple.__new__
"""Makes a named tuple in half the time that its class takes, because the class looks up each name."""


class Record(NamedTuple):
    """A record of the log, or of a snapshot."""

    offset: int
    epoch: int
    timestamp: int
    """Milliseconds since 1970."""
    batch: int
    """Base offset of its batch."""
    type: str
    version: int
    data: Message | None
    """None if the table of records lacks the type, or if the newest known version cannot read this one."""
    control: bool
    partial: bool = False
    """Something in it is not known to the table."""


class Frame(NamedTuple):
    """A batch with a correct CRC that is not decoded yet."""

    position: int
    """Its first byte in the file."""
    offset: int
    last: int
    """Offset of its last record."""
    epoch: int
    control: bool
    idle: bool
    """It contains only a NoOp, judging without decoding it; False for some that contain nothing else."""
    raw: bytes


class Batch(NamedTuple):
    """Records that were appended at once; the other fields are those of its frame."""

    position: int
    offset: int
    last: int
    epoch: int
    control: bool
    records: tuple[Record, ...]


_OF_BATCH = Frame._fields.index("idle")


def idle_time(frame: Frame) -> int:
    """Return the time at which the NoOp of an idle batch was written."""
    return int(_TIMES(frame.raw)[1])


@dataclass
class Counts:
    """Numbers of records and tags in a file, counted while it is read."""

    decoded: int = 0
    """Records that were read, in full or in part."""
    control: int = 0
    """Control records among these."""
    unknown: Counter[str] = field(default_factory=Counter)
    """Records that were not read, by type and version."""
    partial: Counter[str] = field(default_factory=Counter)
    """Records that were read in part, by type and version."""
    tags: Counter[int] = field(default_factory=Counter)
    """Tags that the table of records does not have."""


class Batches:
    """The batches of a file, in its order. After they are read, `problem` is the reason why the rest could not be read.

    `zeros` counts the bytes that Kafka allocated and has not written.

    Args:
        adjoining: leave out batches whose offset or epoch, which no CRC covers, does not follow from their neighbours.
            That is damage in a copy of the metadata log; logs of topics may have gaps.
    """

    def __init__(self, path: str, *, adjoining: bool = False) -> None:
        self.path = path
        self._adjoining = adjoining
        self.counts = Counts()
        self.zeros = 0
        self._notes: dict[str, None] = {}
        self._sound: tuple[int, ...] | None = None

    @property
    def problems(self) -> int:
        """Number of problems in the part that was read so far."""
        return len(self._notes)

    @property
    def problem(self) -> str | None:
        """The first problem of the file, and the number of others."""
        if not self._notes:
            return None
        more = len(self._notes) - 1
        return next(iter(self._notes)) + (f" (and {more} more like this)" if more else "")

    def __iter__(self) -> Iterator[Batch]:
        return (batch for frame in self.frames() if (batch := self.decoded(frame)) is not None)

    def frames(self) -> Iterator[Frame]:
        """Yield the batches with a correct CRC, from the start of the file; earlier counts and notes are dropped.

        If the file has not changed since all its CRCs were correct, they are not computed again.
        """
        self.counts, self.zeros, self._notes = Counts(), 0, {}
        try:
            with opened(there_of(self.path)) as file:
                facts = os.fstat(file.fileno())
                state = facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns
                frames = self._frames(file, facts.st_size, state == self._sound)
                yield from self._in_line(frames) if self._adjoining else frames
                self._sound = None if self._notes else state
        except OSError as error:
            self._note(f"cannot be read: {error.strerror or error}")

    def decoded(self, frame: Frame) -> Batch | None:
        """Return a batch with its records; None, with a note, if its bytes contradict themselves, or a library is
        missing."""
        records = self.records(frame)
        return None if records is None else _new(Batch, (*frame[:_OF_BATCH], records))

    def records(self, frame: Frame) -> tuple[Record, ...] | None:
        """Return the records of a batch, as `decoded` does."""
        try:
            if frame.idle:
                self.counts.decoded += 1
                offset, epoch = frame.offset, frame.epoch
                return (_new(Record, (offset, epoch, idle_time(frame), offset, NO_OP_RECORD, 0, {}, False, False)),)
            return self._records(frame)
        except MalformedError as wrong:
            self._left_out(frame.position, wrong)
        except IsrproofError as wrong:
            self._note(f"byte {frame.position}: {wrong}")
        return None

    def is_known(self, frame: Frame) -> bool:
        """Return whether a batch is read completely, without counting its records."""
        kept, self.counts = self.counts, Counts()
        records = self.records(frame)
        self.counts = kept
        return records is not None and not any(record.partial for record in records)

    def _note(self, problem: str) -> None:
        self._notes[problem] = None

    def _left_out(self, position: int, wrong: MalformedError) -> None:
        self._note(f"byte {position}: expected a batch, got {wrong}; it was skipped")

    def _frames(self, file: BinaryIO, size: int, sound: bool) -> Iterator[Frame]:
        header, new, most = _CHECKED, _new, NUMBER.most
        piece, begins = b"", 0  # bytes of the file, and the position of the first
        position = 0
        while position < size:
            at = position - begins
            if at + HEADER.size > len(piece):
                piece, begins, at = _piece(file, position, _PIECE), position, 0
                if len(piece) < HEADER.size:
                    self._end(file, position, size, _PREFIX.unpack_from(piece)[1] if len(piece) >= _PREFIX.size else -1)
                    return
            base, length, epoch, magic, crc, attributes, last, begun, ended, count = header(piece, at)
            whole = _PREFIX.size + length
            if not _SHORTEST <= length <= _LONGEST or position + whole > size:
                self._end(file, position, size, length)
                return
            if at + whole > len(piece):
                piece, begins, at = _piece(file, position, max(whole, _PIECE)), position, 0
                if len(piece) < whole:  # the file has become shorter meanwhile
                    self._end(file, position, size, length)
                    return
            raw = piece[at : at + whole]
            right = sound or (
                0 <= base < most
                and -most < begun < most
                and -most < ended < most
                and epoch >= 0
                and count >= 0
                and last == count - 1
                and magic == 2
            )
            if right and (sound or _checksum()(raw[_CHECKED_FROM:]) == crc):
                idle = whole == _IDLE_SIZE and not attributes and last == 0 and raw.endswith(_IDLE)
                yield new(Frame, (position, base, base + last, epoch, attributes & _CONTROL != 0, idle, raw))
            else:
                self._left_out(position, _wrong(raw))
            position += whole

    def _in_line(self, frames: Iterator[Frame]) -> Iterator[Frame]:
        """Yield the batches whose offset and epoch, which no CRC covers, follow from their neighbours; note others.

        Offsets leave no gap within a file, and only a control record, the leader's first, begins an epoch.
        """
        before: Frame | None = None
        ahead: deque[Frame] = deque()
        while (current := ahead.popleft() if ahead else next(frames, None)) is not None:
            position, offset, _, epoch, control, _, _ = current
            if before is not None:
                if offset == before.last + 1 and epoch == before.epoch and not control:  # nearly all
                    yield current
                    before = current
                    continue
                if not _adjacent(before, current):
                    before = None
            ahead.extend(itertools.islice(frames, 2 - len(ahead)))
            wrong = _astray(before, current, ahead, self.begins if position == 0 else None)
            if wrong is None:
                if position == 0 and self.begins not in (None, offset):
                    self._note(f"byte 0: the first batch is at offset {offset}, not {self.begins}")
                yield current
                before = current
            else:
                self._left_out(position, MalformedError(wrong))
                before = None if before is None else _in_place(before, current)

    @property
    def begins(self) -> int | None:
        """The offset of the first record, as the name of the file has it; None if it does not."""
        name = _NAME.match(os.path.basename(self.path))
        return None if name is None else int(name[1]) if name[2] == "log" else 0

    def _end(self, file: BinaryIO, position: int, size: int, length: int) -> None:
        """Note the content of a place where no batch begins: zeros that were never written, or a batch that is cut
        off."""
        rest = size - position
        if _only_zeros(file, position):
            self.zeros = rest
        elif 0 < length <= _LONGEST:
            self._note(f"byte {position}: the last batch is cut off: it needs {length + 12} bytes, {rest} are here")
        else:
            self._note(f"byte {position}: expected a batch of records, got a length of {length}; the rest was not read")

    def _records(self, frame: Frame) -> tuple[Record, ...]:
        """Return the records of a batch.

        Raises:
            MalformedError: the bytes contradict themselves.
            IsrproofError: a library that reads them is missing.
        """
        base, epoch, raw = frame.offset, frame.epoch, frame.raw
        attributes, first_time, last_time, count = _TIMES(raw)
        if attributes & _NEVER or attributes & _CODEC >= len(compression.CODECS):
            kind = f"{UNKNOWN_BATCH}({attributes & 0xFFFF:#06x})"
            self.counts.unknown[kind] += 1
            return (Record(base, epoch, last_time, base, kind, 0, None, False, True),)
        data = raw[HEADER.size :]
        if attributes & _CODEC:
            data = compression.expanded(attributes & _CODEC, data)
        control, ends = frame.control, len(data)
        odd: list[int] = []
        appended = attributes & _LOG_APPEND_TIME
        signed, one_byte, new = SIGNED, len(SIGNED), _new
        records = []
        value: bytes | None
        at = unknown = 0
        try:
            for _ in range(count):
                size = data[at]
                size, at = (signed[size], at + 1) if size < one_byte else varint(data, at)
                end = at + size
                if size < 0 or end > ends:
                    raise MalformedError("a record beyond the end of its batch")
                time, delta = data[at + 1], data[at + 2]
                if time < one_byte > delta and data[at + 3] == _NULL:  # as in nearly all
                    time, delta, key, at = signed[time], signed[delta], None, at + 4
                else:
                    time, at = varlong(data, at + 1)
                    if not -NUMBER.most < first_time + time < NUMBER.most:
                        raise MalformedError("a time that no clock shows")
                    delta, at = varint(data, at)
                    key, at = (None, at + 1) if data[at] == _NULL else _bytes(data, at)
                length = data[at]
                if length < one_byte and at < (stop := at + 1 + signed[length]) <= ends:
                    value, at = data[at + 1 : stop], stop
                else:
                    value, at = _bytes(data, at)
                headers, at = (0, at + 1) if data[at] == 0 else uvarint(data, at)
                if headers == 0 and at != end:
                    raise MalformedError(f"a record that ends {end - at} bytes before its end")
                if value is None or (control and key is None):
                    raise MalformedError("a record without a value")
                kind, version, message, partial = (
                    control_record(key or b"", value, odd) if control else data_record(value, odd)
                )
                if partial:
                    unknown += message is None
                    (self.counts.unknown if message is None else self.counts.partial)[f"{kind}, version {version}"] += 1
                    self.counts.tags.update(odd)
                    odd.clear()
                timestamp = last_time if appended else first_time + time
                records.append(
                    new(Record, (base + delta, epoch, timestamp, base, kind, version, message, control, partial))
                )
                at = end
        except IndexError as error:
            raise MalformedError("a record that ends too early") from error
        if at != ends:
            raise MalformedError(f"{ends - at} bytes after its last record")
        self.counts.decoded += len(records) - unknown
        self.counts.control += len(records) - unknown if control else 0
        return tuple(records)


def _adjacent(frame: Frame, below: Frame) -> bool:
    """Return whether no bytes lie between two batches of a file."""
    return frame.position + len(frame.raw) == below.position


def _in_place(before: Frame, frame: Frame) -> Frame:
    """Return a batch with the offset and epoch that follow from the one before it."""
    offset = before.last + 1
    return frame._replace(offset=offset, last=offset + frame.last - frame.offset, epoch=before.epoch)


def _astray(above: Frame | None, frame: Frame, ahead: Sequence[Frame], begins: int | None) -> str | None:
    """Return how a batch does not follow from its neighbours, which fit each other without it; None if it does.

    Args:
        above: the batch above it; None if it is not known.
        ahead: up to two batches below it.
        begins: the offset with which the file begins, if the batch is the first.
    """
    below = ahead[0] if ahead and _adjacent(frame, ahead[0]) else None
    third = ahead[1] if below is not None and len(ahead) > 1 and _adjacent(below, ahead[1]) else None
    if above is None and below is None:
        return None
    expected = begins if above is None else above.last + 1
    size = frame.last + 1 - frame.offset
    if expected is not None and frame.offset != expected and (below is None or below.offset == expected + size):
        return f"one at offset {frame.offset}, not {expected}"
    epoch = frame.epoch
    if below is not None and (frame.control or above is None):
        agreed = third is None or third.epoch == below.epoch or third.control
        if below.epoch != epoch and not below.control and agreed:
            return f"one in epoch {epoch}, not {below.epoch}"
    if above is None or epoch == above.epoch:
        return None
    if frame.control:
        return f"one in epoch {epoch} after {above.epoch}" if below is None and epoch < above.epoch else None
    if below is None or below.epoch != epoch or below.control:
        return f"one in epoch {epoch}, not {above.epoch}"
    return None


def _piece(file: BinaryIO, position: int, size: int) -> bytes:
    file.seek(position)
    return file.read(size)


@cache
def _checksum() -> Callable[[bytes], int]:
    import google_crc32c

    return google_crc32c.value  # type: ignore[no-any-return]


def _wrong(raw: bytes) -> MalformedError:
    """Return the problem of a batch: with its header, or with its CRC."""
    base, _, epoch, magic, crc, _, last, begun, ended, *_, count = HEADER.unpack_from(raw)
    if magic != 2:
        return MalformedError(f"magic {magic}")
    if _checksum()(raw[_CHECKED_FROM:]) != crc:
        return MalformedError("one with a wrong CRC")
    if not -NUMBER.most < min(begun, ended) <= max(begun, ended) < NUMBER.most:
        return MalformedError(f"times that no clock shows, {begun} and {ended} ms")
    return MalformedError(f"{count} records from offset {base} to {base + last} in epoch {epoch}")


def _bytes(data: bytes, at: int) -> tuple[bytes | None, int]:
    size, at = varint(data, at)
    if size < 0:
        return None, at
    end = at + size
    if end > len(data):
        raise MalformedError("a key or a value beyond the end of its batch")
    return data[at:end], end


def _only_zeros(file: BinaryIO, position: int) -> bool:
    file.seek(position)
    while piece := file.read(1 << 20):
        if piece.count(0) != len(piece):
            return False
    return True
