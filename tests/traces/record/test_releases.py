"""Which releases can be recorded, and from which jars."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from isrproof.specs.releases import RELEASES, in_mode, span
from isrproof.traces.record import jars
from isrproof.traces.record.errors import RecordError
from isrproof.traces.record.java import Java
from isrproof.traces.record.releases import KRAFT_LINES, LINES, Line, key, line_of

BOTH = (*LINES, *(line for line in KRAFT_LINES if line not in LINES))
EVERY = [(line, patch) for line in LINES for patch in line.patches]


def test_rows_are_in_order_and_none_is_twice() -> None:
    assert all(key(earlier) < key(later) for (_, earlier), (_, later) in pairwise(EVERY))


@pytest.mark.parametrize(("lines", "mode", "since"), [(LINES, "zk", ">=0.9"), (KRAFT_LINES, "kraft", ">=3.3")])
def test_every_release_of_a_mode_can_be_recorded(lines: Sequence[Line], mode: str, since: str) -> None:
    rows = [row for row in RELEASES if row.mask & in_mode(mode) & span(since)]
    assert [patch for line in lines for patch in line.patches] == [tag for row in rows for tag in row.tags]


@pytest.mark.parametrize(
    ("version", "dump_tool", "jar"),
    [
        ("4.2.2", "kafka.tools.DumpLogSegments", False),
        ("4.3.0", "org.apache.kafka.tools.DumpLogSegments", True),
    ],
)
def test_the_dump_tool_has_a_jar_of_its_own_since_4_3(version: str, dump_tool: str, jar: bool) -> None:
    line = next(line for line in KRAFT_LINES if version in line.patches)
    assert line.dump_tool == dump_tool
    assert (f"org.apache.kafka:kafka-tools:{version}" in line.coordinates(version)) is jar


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("2.0.7", "2.0.0"),
        ("2.0", "2.0.0"),
        ("4.1.0", "no ZooKeeper mode"),
        ("4.9.0", "0.9.0.0 to 3.9.2"),
        ("0.8.2.2", "0.9.0.0 to 3.9.2"),
        ("banana", "0.9.0.0 to 3.9.2"),
    ],
)
def test_an_unknown_release_names_the_nearest(version: str, said: str) -> None:
    with pytest.raises(RecordError, match=f"Kafka {version}.*{said}"):
        line_of(version)


@pytest.mark.parametrize("line", BOTH, ids=lambda line: line.name)
def test_pom(line: Line) -> None:
    space = "{http://maven.apache.org/POM/4.0.0}"
    version = line.patches[-1]
    root = ElementTree.fromstring(jars.pom(line, version))
    found = [
        ":".join(row.findtext(f"{space}{name}", "") for name in ("groupId", "artifactId", "version"))
        for row in root.iter(f"{space}dependency")
    ]
    assert found[0] == f"org.apache.kafka:kafka_{line.scala}:{version}"
    assert tuple(found) == line.coordinates(version)
    assert len(found) == 2 + len(line.more)
    # log4j 1.2 beside reload4j would be two versions of the same classes.
    assert all(
        row.findtext(f".//{space}exclusion/{space}artifactId") == "log4j" for row in root.iter(f"{space}dependency")
    )


def test_without_maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RecordError, match="Install Maven, or pass"):
        jars.jars(line_of("2.0.0"), "2.0.0", tmp_path / "cache")


def test_maven_that_fails_is_quoted_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mvn").write_text("#!/bin/sh\necho no route to the repository\nexit 1\n")
    (tmp_path / "mvn").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(RecordError, match="no route to the repository"):
        jars.jars(line_of("2.0.0"), "2.0.0", tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir())


def test_jars_are_fetched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mvn").write_text(
        '#!/bin/sh\necho x >> "$0.calls"\n'
        'for word; do case $word in -DoutputDirectory=*) mkdir "${word#*=}";; esac; done\n'
    )
    (tmp_path / "mvn").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    for _ in range(2):
        assert jars.jars(line_of("2.0.0"), "2.0.0", tmp_path / "cache") == tmp_path / "cache" / "2.0.0"
    assert (tmp_path / "mvn.calls").read_text() == "x\n"


def test_kafka_home(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="not an unpacked Kafka"):
        jars.jars_of_home(tmp_path, "2.0.0")
    (tmp_path / "libs").mkdir()
    (tmp_path / "libs" / "kafka_2.12-2.0.0.jar").touch()
    (tmp_path / "libs" / "kafka_2.12-2.0.0-sources.jar").touch()
    assert jars.jars_of_home(tmp_path, "2.0.0") == tmp_path / "libs"
    with pytest.raises(RecordError, match=r"contains Kafka 2\.0\.0, but --kafka asks for 2\.0\.1"):
        jars.jars_of_home(tmp_path, "2.0.1")


@pytest.mark.parametrize(("version", "major"), [("17.0.15", 17), ("1.8.0_292", 8), ("11", 11), ("21.0.8.2", 21)])
def test_java_major(version: str, major: int) -> None:
    assert Java("java", version).major == major
