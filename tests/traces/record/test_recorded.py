"""The committed recordings: well-formed, small, and free of what belongs to the machine they were made on."""

from __future__ import annotations

import getpass
import gzip
import re
import socket
from pathlib import Path
from typing import Any

import pytest
from isrproof.traces.record import manifest

RECORDED = Path(__file__).parents[3] / "traces" / "recorded"
FOLDERS = sorted(file.parent for file in RECORDED.glob("*/manifest.json"))
STATE = re.compile(r"/brokers/topics/([^/]+)/partitions/(\d+)/state")

pytestmark = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def log_text(file: Path) -> str:
    raw = file.read_bytes()
    return (gzip.decompress(raw) if file.suffix == ".gz" else raw).decode()


def test_files_are_those_of_the_manifest(folder: Path) -> None:
    told = {row["file"]: (row["bytes"], row["lines"]) for row in manifest.read(folder)["files"]}
    found = {}
    for file in folder.glob("broker-*/*"):
        text = log_text(file)
        found[file.relative_to(folder).as_posix()] = (len(text.encode()), text.count("\n"))
    assert found == told


def test_versions_of_a_znode_grow_by_one(folder: Path) -> None:
    """The transaction log has no gaps: every version of each state znode is there."""
    last: dict[str, int] = {}
    zxids = []
    for row in manifest.read(folder)["znodes"]:
        zxids.append(row["zxid"])
        if row["change"] == "delete":
            del last[row["path"]]
        else:
            assert row["version"] == last.get(row["path"], -1) + 1
            last[row["path"]] = row["version"]
    assert zxids == sorted(zxids)


def test_states_are_complete(folder: Path) -> None:
    rows: list[dict[str, Any]] = [row for row in manifest.read(folder)["znodes"] if STATE.fullmatch(row["path"])]
    assert rows
    for row in rows:
        if row["change"] != "delete":
            assert {"leader", "isr", "leader_epoch", "controller_epoch"} <= set(row["value"])
            assert row["by"] in row["value"]["isr"] or row["by"] is not None


def test_nothing_of_the_machine_is_in_it(folder: Path) -> None:
    forbidden = ["/tmp", "/home/", "/root", "/work", "/Users/", socket.gethostname()]
    if len(getpass.getuser()) > 4:
        forbidden.append(getpass.getuser())
    for file in folder.rglob("*.*"):
        text = log_text(file)
        assert not [word for word in forbidden if word in text], file
        hosts = set(re.findall(r"([\w.-]+):2\d{4}\b", text))
        assert hosts <= {"127.0.0.1"}, file


def test_is_small(folder: Path) -> None:
    assert sum(file.stat().st_size for file in RECORDED.rglob("*.*")) <= 20_000_000
