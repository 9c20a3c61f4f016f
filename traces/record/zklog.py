"""Reader of ZooKeeper's transaction log: every change of every znode, with its version, zxid, time and session.

A watch or a poll can miss a version; the log, which the server writes before it answers, cannot. Format (unchanged from
ZooKeeper 3.4 to 3.8): a header `ZKLG`, version, database id; then per transaction a checksum, a length and that many
bytes, ended by the byte `B`: session id, client's number, zxid, time (ms), type and the type's own fields, as Jute
serialises them (big-endian; buffers and strings are a 4-byte length and the bytes, -1 for none). Zeros pad the file.
Sources: org.apache.zookeeper.server.persistence.FileTxnLog, zookeeper.jute, ZooDefs.OpCode.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .errors import RecordingError

_CREATE, _DELETE, _SET, _MULTI, _CREATE2 = 1, 2, 5, 14, 15
_CREATE_CONTAINER, _DELETE_CONTAINER, _CREATE_TTL = 19, 20, 21
_CLOSE_SESSION, _ERROR = -11, -1


@dataclass(frozen=True)
class Change:
    """One znode created, set or deleted (`change`) by a session; `time` in ms since 1970, `version` None if deleted."""

    zxid: int
    time: int
    session: int
    change: str
    path: str
    version: int | None
    data: bytes


class _Fields:
    """A cursor over the fields of one transaction."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._at = 0

    def take(self, form: str) -> int:
        size = struct.calcsize(form)
        (value,) = struct.unpack_from(form, self._raw, self._at)
        self._at += size
        return int(value)

    def buffer(self) -> bytes:
        size = self.take(">i")
        if size <= 0:
            return b""
        self._at += size
        return self._raw[self._at - size : self._at]

    def text(self) -> str:
        return self.buffer().decode()

    def skip_acl(self) -> None:
        for _ in range(max(self.take(">i"), 0)):
            self.take(">i")
            self.buffer()
            self.buffer()


def _transactions(raw: bytes) -> Iterator[bytes]:
    at = 16
    while at + 12 <= len(raw):
        (size,) = struct.unpack_from(">i", raw, at + 8)
        end = at + 12 + size
        # Padding, or a transaction cut off by a kill before it was answered.
        if size <= 0 or end >= len(raw) or raw[end] != ord("B"):
            return
        yield raw[at + 12 : end]
        at = end + 1


class _Tree:
    """Existing znodes with their versions, and the sessions that ephemeral ones belong to."""

    def __init__(self) -> None:
        self.versions: dict[str, int] = {}
        self.owners: dict[str, int] = {}

    def apply(self, kind: int, fields: _Fields, zxid: int, time: int, session: int) -> Iterator[Change]:
        if kind in (_CREATE, _CREATE2, _CREATE_CONTAINER, _CREATE_TTL):
            path, data = fields.text(), fields.buffer()
            fields.skip_acl()
            if kind in (_CREATE, _CREATE2) and fields.take(">b"):
                self.owners[path] = session
            self.versions[path] = 0
            yield Change(zxid, time, session, "create", path, 0, data)
        elif kind == _SET:
            path, data, version = fields.text(), fields.buffer(), fields.take(">i")
            self.versions[path] = version
            yield Change(zxid, time, session, "set", path, version, data)
        elif kind in (_DELETE, _DELETE_CONTAINER):
            yield self._delete(fields.text(), zxid, time, session)
        elif kind == _CLOSE_SESSION:
            for path in sorted(path for path, owner in self.owners.items() if owner == session):
                yield self._delete(path, zxid, time, session)
        elif kind == _MULTI:
            parts = [(fields.take(">i"), fields.buffer()) for _ in range(max(fields.take(">i"), 0))]
            # A transaction that failed is logged with every part replaced by an error.
            if not any(part == _ERROR for part, _ in parts):
                for part, body in parts:
                    yield from self.apply(part, _Fields(body), zxid, time, session)

    def _delete(self, path: str, zxid: int, time: int, session: int) -> Change:
        self.versions.pop(path, None)
        self.owners.pop(path, None)
        return Change(zxid, time, session, "delete", path, None, b"")


def changes(folder: Path) -> list[Change]:
    """Return every change in the transaction logs `log.*` of the folder (dataDir/version-2), in the order of zxid.

    Raises RecordingError for a file that is not a transaction log.
    """
    tree = _Tree()
    found: list[Change] = []
    for file in sorted(folder.glob("log.*"), key=lambda file: int(file.suffix[1:], 16)):
        raw = file.read_bytes()
        if raw[:4] != b"ZKLG":
            raise RecordingError(f"{file.name} is not a ZooKeeper transaction log: expected b'ZKLG', got {raw[:4]!r}")
        for transaction in _transactions(raw):
            fields = _Fields(transaction)
            session, _, zxid, time, kind = (fields.take(form) for form in (">q", ">i", ">q", ">q", ">i"))
            found += tree.apply(kind, fields, zxid, time, session)
    return found
