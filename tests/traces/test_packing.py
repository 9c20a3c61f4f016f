"""Data that the project packs itself."""

from __future__ import annotations

import gzip
import re

import pytest
from isrproof.traces.sources import packing

from tests.imports import FOLDERS, ROOT

HEAD = bytes.fromhex("1f8b08000000000002ff")


@pytest.mark.parametrize("system", [3, 255])
def test_the_bytes_do_not_depend_on_what_python_writes_for_the_system(
    monkeypatch: pytest.MonkeyPatch, system: int
) -> None:
    def other(data: bytes, level: int, mtime: float) -> bytes:
        made = gzip.compress(data, level, mtime=mtime)
        return made[:9] + bytes([system]) + made[10:]

    class Module:
        compress = staticmethod(other)

    monkeypatch.setattr(packing, "gzip", Module)
    made = packing.gzipped(b"abc" * 1000)
    assert made[:10] == HEAD
    assert gzip.decompress(made) == b"abc" * 1000


def test_nothing_else_of_the_project_packs_gzip() -> None:
    writes = re.compile(r"gzip\.compress|GzipFile\(")
    files = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py")]
    assert [file.name for file in files if writes.search(file.read_text(encoding="utf-8"))] == ["packing.py"]
