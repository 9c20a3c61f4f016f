"""The committed recordings: well-formed, small, and free of what belongs to the machine they were made on."""

from __future__ import annotations

import getpass
import re
import socket
from pathlib import Path
from typing import Any

import pytest
from isrproof.traces.record import catalogue, manifest
from isrproof.traces.record.catalogue import log_text

from tests.recordings import RECORDED

FOLDERS = sorted(file.parent for file in RECORDED.glob("*/manifest.json"))
STATE = re.compile(r"/brokers/topics/([^/]+)/partitions/(\d+)/state")

each = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


@each
def test_files_are_those_of_the_manifest(folder: Path) -> None:
    told = {row["file"]: (row["bytes"], row["lines"]) for row in manifest.read(folder)["files"]}
    found = {}
    for file in folder.glob("broker-*/*"):
        text = log_text(file)
        found[file.relative_to(folder).as_posix()] = (len(text.encode()), text.count("\n"))
    assert found == told


@each
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


@each
def test_states_are_complete(folder: Path) -> None:
    rows: list[dict[str, Any]] = [row for row in manifest.read(folder)["znodes"] if STATE.fullmatch(row["path"])]
    assert rows
    for row in rows:
        if row["change"] != "delete":
            assert {"leader", "isr", "leader_epoch", "controller_epoch"} <= set(row["value"])
            assert row["by"] in row["value"]["isr"] or row["by"] is not None


@pytest.mark.full(every=8)
@each
def test_nothing_of_the_machine_is_in_it(folder: Path) -> None:
    forbidden = ["/tmp", "/home/", "/root", "/work", "/Users/", socket.gethostname()]
    if len(getpass.getuser()) > 4:
        forbidden.append(getpass.getuser())
    for file in folder.rglob("*.*"):
        text = log_text(file)
        assert not [word for word in forbidden if word in text], file
        hosts = set(re.findall(r"([\w.-]+):2\d{4}\b", text))
        assert hosts <= {"127.0.0.1"}, file


def test_all_are_small() -> None:
    assert sum(file.stat().st_size for file in RECORDED.rglob("*.*")) <= 25_000_000


def test_the_readme_tells_what_they_hold() -> None:
    assert (RECORDED / "README.md").read_text(encoding="utf-8") == catalogue.readme(RECORDED)


@each
def test_only_a_failover_before_2_3_leaves_dead_leaders(folder: Path) -> None:
    """KAFKA-3143, in the failover stories: brokers 1 and 2 are dead at the end."""
    told = manifest.read(folder)
    if told["scenario"].startswith("failover"):
        broken = told["scenario"] == "failover-on-leader" and told["kafka"] < "2.3"
        assert catalogue.dead_leaders(told) == (["t-0", "t-1"] if broken else [])
