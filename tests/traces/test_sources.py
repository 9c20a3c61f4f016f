"""Which files a PATH stands for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from isrproof.specs.errors import IsrproofError
from isrproof.traces.sources.folders import walked
from isrproof.traces.sources.paths import expand, is_elsewhere, source
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


@pytest.mark.parametrize("to", ["/proc/self", "/sys", "/", "."])
def test_links_out_of_the_files_of_people_are_not_followed(tmp_path: Path, to: str) -> None:
    """Each of them leads to all files of the machine, or to those that were found already."""
    logs = tmp_path / "logs"
    (logs / "broker-1").mkdir(parents=True)
    (logs / "broker-1" / "server.log").touch()
    (logs / "broker-1" / "link").symlink_to(tmp_path if to == "." else to)
    assert list(walked(str(logs))) == [
        (str(logs), []),
        (str(logs / "broker-1"), ["server.log"]),
    ]
    assert names(logs) == [[str(logs / "broker-1" / "server.log")]]


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
    assert lines.problem == "expected a directory that can be listed, but listing it is not permitted"


def test_what_another_file_system_has_is_told_by_who_reaches_it() -> None:
    assert is_elsewhere("hdfs://name:8020/logs")
    assert is_elsewhere("s3a://bucket/logs/*.gz")
    assert not is_elsewhere("/var/log/kafka://1")
    found = expand(["s3a://bucket/logs"], lambda path: [f"{path}/b.log", f"{path}/b.log", f"{path}/c.log"])
    assert [source.path for source in found[0][1]] == ["s3a://bucket/logs/b.log", "s3a://bucket/logs/c.log"]


@pytest.mark.parametrize("path", ["http://host/server.log", "HTTPS://host/x", "ftp://host/x"])
def test_an_address_is_refused_before_spark_starts(path: str) -> None:
    with pytest.raises(IsrproofError, match="download it and audit the file"):
        expand([path], elsewhere=pytest.fail)


def test_lines_of_some_numbers_are_those_of_all(tmp_path: Path) -> None:
    log = tmp_path / "state-change.log"
    log.write_bytes(b"one\r\ntwo \xff\n\nfour")
    assert list(Lines(str(log))) == ["one", "two \ufffd", "", "four"]
    assert Lines(str(log)).chosen([4, 2, 2, 9]) == {2: "two \ufffd", 4: "four"}
    assert Lines(str(log)).chosen([1, 3]) == {1: "one", 3: ""}


POD = "/var/log/pods/kafka_kafka-0_0f8fad5b-d9cb-469f-a165-70867728950e/kafka"


@pytest.mark.parametrize(
    ("paths", "stream"),
    [
        ([f"{POD}/0.log.20260314-092653.gz", f"{POD}/0.log.20260314-102653", f"{POD}/0.log", f"{POD}/1.log"], POD),
        (["x/abc-json.log.2.gz", "x/abc-json.log.1", "x/abc-json.log"], "x/abc-json"),
        (["x/state-change.log.2020-01-31-12", "x/state-change.log.2020-01-31-13.gz"], "x/state-change"),
        (["x/state-change.log.9999", "x/state-change.log.10000"], "x/state-change"),
    ],
)
def test_rotated_files_are_one_log(paths: list[str], stream: str) -> None:
    assert {source(path).stream for path in paths} == {stream}


def test_files_that_a_user_named_by_numbers_are_logs_of_their_own() -> None:
    assert source("logs/1.log").stream != source("logs/2.log").stream
