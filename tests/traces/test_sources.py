"""Which files a PATH stands for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from isrproof.traces.sources.paths import expand, is_elsewhere
from isrproof.traces.sources.text import Lines


def names(*paths: Path) -> list[list[str]]:
    return [[source.path for source in files] for _, files in expand([str(path) for path in paths])]


def test_links_to_directories_are_followed_once_and_never_in_circles(tmp_path: Path) -> None:
    logs, there = tmp_path / "logs", tmp_path / "there"
    (logs / "broker-1").mkdir(parents=True)
    there.mkdir()
    (logs / "broker-1" / "server.log").touch()
    (there / "state-change.log").touch()
    (logs / "broker-2").symlink_to(there)
    (logs / "broker-3").symlink_to(there)
    (there / "back").symlink_to(logs)
    assert names(logs) == [[str(logs / "broker-1" / "server.log"), str(logs / "broker-2" / "state-change.log")]]


def test_a_directory_that_cannot_be_listed_is_told_as_a_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "lost+found"
    closed.mkdir()
    (tmp_path / "a.log").touch()
    listed = os.scandir

    def scandir(path: str) -> object:
        if str(path) == str(closed):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert names(tmp_path) == [[str(tmp_path / "a.log"), str(closed)]]
    lines = Lines(str(closed))
    assert list(lines) == []
    assert lines.problem == "expected a directory that can be listed, may not list it"


def test_what_another_file_system_has_is_told_by_who_reaches_it() -> None:
    assert is_elsewhere("hdfs://name:8020/logs")
    assert is_elsewhere("s3a://bucket/logs/*.gz")
    assert not is_elsewhere("/var/log/kafka://1")
    found = expand(["s3a://bucket/logs"], lambda path: [f"{path}/b.log", f"{path}/b.log", f"{path}/c.log"])
    assert [source.path for source in found[0][1]] == ["s3a://bucket/logs/b.log", "s3a://bucket/logs/c.log"]


def test_lines_of_some_numbers_are_those_of_all(tmp_path: Path) -> None:
    log = tmp_path / "state-change.log"
    log.write_bytes(b"one\r\ntwo \xff\n\nfour")
    assert list(Lines(str(log))) == ["one", "two \ufffd", "", "four"]
    assert Lines(str(log)).chosen([4, 2, 2, 9]) == {2: "two \ufffd", 4: "four"}
    assert Lines(str(log)).chosen([1, 3]) == {1: "one", 3: ""}
