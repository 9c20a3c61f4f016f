"""ZooKeeper's transaction log, against logs written here by the format's definition."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isrproof.traces.record.zklog import Change, changes

CREATE, DELETE, SET, MULTI, CLOSE, ERROR = 1, 2, 5, 14, -11, -1


def jute(data: bytes | str) -> bytes:
    raw = data.encode() if isinstance(data, str) else data
    return struct.pack(">i", len(raw)) + raw


def create(path: str, data: bytes, ephemeral: bool = False) -> bytes:
    acl = struct.pack(">ii", 1, 31) + jute("world") + jute("anyone")
    return jute(path) + jute(data) + acl + struct.pack(">bi", ephemeral, 1)


def put(path: str, data: bytes, version: int) -> bytes:
    return jute(path) + jute(data) + struct.pack(">i", version)


def transaction(zxid: int, kind: int, body: bytes, session: int = 7) -> bytes:
    raw = struct.pack(">qiqqi", session, 0, zxid, 1000 + zxid, kind) + body
    return struct.pack(">qi", 0, len(raw)) + raw + b"B"


def read(folder: Path, *transactions: bytes, padding: int = 64) -> list[Change]:
    (folder / "log.1").write_bytes(b"ZKLG" + struct.pack(">iq", 2, 0) + b"".join(transactions) + bytes(padding))
    return changes(folder)


def test_a_znode_from_creation_to_deletion(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        transaction(1, CREATE, create("/a", b"x")),
        transaction(2, SET, put("/a", b"y", 1)),
        transaction(3, DELETE, jute("/a")),
    )
    assert found == [
        Change(1, 1001, 7, "create", "/a", 0, b"x"),
        Change(2, 1002, 7, "set", "/a", 1, b"y"),
        Change(3, 1003, 7, "delete", "/a", None, b""),
    ]


def test_the_end_of_a_session_deletes_its_ephemeral_znodes(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        transaction(1, CREATE, create("/brokers/ids/1", b"", ephemeral=True), session=5),
        transaction(2, CREATE, create("/stays", b""), session=5),
        transaction(3, CREATE, create("/controller", b"", ephemeral=True), session=5),
        transaction(4, CLOSE, b"", session=5),
    )
    assert [(change.zxid, change.path) for change in found if change.change == "delete"] == [
        (4, "/brokers/ids/1"),
        (4, "/controller"),
    ]


def test_all_or_nothing_of_a_multi(tmp_path: Path) -> None:
    def multi(*parts: tuple[int, bytes]) -> bytes:
        return struct.pack(">i", len(parts)) + b"".join(struct.pack(">i", kind) + jute(body) for kind, body in parts)

    found = read(
        tmp_path,
        transaction(
            1, MULTI, multi((CREATE, create("/controller", b"1", True)), (SET, put("/controller_epoch", b"2", 1)))
        ),
        transaction(2, MULTI, multi((ERROR, struct.pack(">i", 0)), (ERROR, struct.pack(">i", -103)))),
    )
    assert [(change.change, change.path) for change in found] == [
        ("create", "/controller"),
        ("set", "/controller_epoch"),
    ]


def test_a_transaction_cut_off_is_left_out(tmp_path: Path) -> None:
    whole, cut = transaction(1, CREATE, create("/a", b"")), transaction(2, SET, put("/a", b"1", 1))
    for end in range(1, len(cut)):
        assert len(read(tmp_path, whole, cut[:end], padding=0)) == 1


def test_files_are_read_in_the_order_of_zxid(tmp_path: Path) -> None:
    for first in (16, 2):
        head = b"ZKLG" + struct.pack(">iq", 2, 0)
        (tmp_path / f"log.{first:x}").write_bytes(head + transaction(first, CREATE, create(f"/n{first}", b"")))
    assert [change.path for change in changes(tmp_path)] == ["/n2", "/n16"]


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log.1").write_bytes(b"[2026-01-31 12:00:00,000] INFO")
    with pytest.raises(ValueError, match=r"log\.1 is not a ZooKeeper transaction log"):
        changes(tmp_path)


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_every_version_is_found(tmp_path_factory: pytest.TempPathFactory, values: list[bytes]) -> None:
    written = [transaction(1, CREATE, create("/a", b""))]
    written += [transaction(n + 2, SET, put("/a", value, n + 1)) for n, value in enumerate(values)]
    found = read(tmp_path_factory.mktemp("zk"), *written)
    assert [(change.version, change.data) for change in found] == list(enumerate([b"", *values]))
