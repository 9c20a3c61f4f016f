"""Events and records on Spark: what the reference reads in this process."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
import zipfile
from datetime import timezone
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="isrproof.spark needs PySpark")
import isrproof.spark
from isrproof.specs.errors import IsrproofError

from tests.imports import ROOT
from tests.recordings import ALL, FAILOVER, RECORDED
from tests.spark.oracle import parsed, recorded, rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
KRAFT = ROOT / "traces" / "recorded-kraft"
CHAOS = KRAFT / "chaos-3.5.2"
SAMPLE = ("migration-3.9.1", "segments-4.1.0", "unclean-4.4.0")
"""Recordings of metadata logs in the full tier; all are in the slow one."""
LOG = "broker-4/state-change.log"


def compare(spark: SparkSession, paths: list[str]) -> int:
    """Compare the events of files, read whole and split, with the reference's; return how many there are."""
    wanted = parsed(paths)
    assert rows(isrproof.spark.events(spark, paths)) == wanted
    assert rows(isrproof.spark.events(spark, paths, whole=0)) == wanted
    return sum(wanted.values())


def test_events_of_a_recording_are_the_reference_s(spark: SparkSession) -> None:
    assert rows(isrproof.spark.events(spark, str(FAILOVER))) == parsed([str(FAILOVER)])


@pytest.mark.full
def test_events_of_a_few_recordings_are_the_reference_s(spark: SparkSession) -> None:
    assert compare(spark, [str(FAILOVER), str(CHAOS)]) > 500


@pytest.mark.full
def test_events_of_some_recordings_are_the_reference_s(spark: SparkSession) -> None:
    assert compare(spark, [str(RECORDED / "unclean-3.9.1"), str(KRAFT / "unclean-4.4.0")]) > 500


@pytest.mark.slow
def test_events_of_all_recordings_are_the_reference_s(spark: SparkSession) -> None:
    paths = [*(str(RECORDED / name) for name in ALL), *map(str, KRAFT.glob("*/"))]
    assert rows(isrproof.spark.events(spark, paths)) == parsed(paths)


@pytest.mark.parametrize("every", [pytest.param(60, marks=pytest.mark.full), pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.corpus
def test_events_of_a_part_of_the_corpus_are_the_reference_s(spark: SparkSession, corpus: Path, every: int) -> None:
    paths = sorted(map(str, corpus.glob("*.log*")))[::every]
    assert rows(isrproof.spark.events(spark, paths, problems="keep").where("problem is null")) == parsed(paths)


@pytest.mark.full
def test_lines_of_a_split_file_have_their_numbers(spark: SparkSession, tmp_path: Path) -> None:
    text = (RECORDED / "chaos-1.1.1-2").rglob("state-change.log")
    (tmp_path / "long.log").write_bytes(b"".join(path.read_bytes() for path in sorted(text)) * 20)
    before = spark.conf.get("spark.sql.files.maxPartitionBytes")
    spark.conf.set("spark.sql.files.maxPartitionBytes", "100000")
    found = isrproof.spark.events(spark, str(tmp_path / "long.log"), whole=1000)
    assert rows(found) == parsed([str(tmp_path / "long.log")])
    spark.conf.set("spark.sql.files.maxPartitionBytes", before)


def test_the_text_of_an_event_is_its_line(spark: SparkSession) -> None:
    path = FAILOVER / LOG
    lines = path.read_text().splitlines()
    found = isrproof.spark.events(spark, str(path)).collect()
    assert found
    assert all(row["text"] == lines[row["line"] - 1] for row in found)


@pytest.mark.full
def test_names_and_wrappings_of_files_are_as_for_the_audit(spark: SparkSession, tmp_path: Path) -> None:
    text = (FAILOVER / LOG).read_bytes()
    (tmp_path / "a {b}*%20 ü.log").write_bytes(text)
    (tmp_path / "_hidden.log").write_bytes(text)
    (tmp_path / "c.log.gz").write_bytes(gzip.compress(text))
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        archive.writestr("broker-1/state-change.log", text)
    wrapped = [
        json.dumps({"log": f"{line}\n", "stream": "stdout", "time": "2026-11-21T20:24:26Z"})
        for line in text.decode().splitlines()
    ]
    (tmp_path / "e.log").write_text("\n".join(wrapped) + "\n")
    assert compare(spark, [str(tmp_path)]) > 0
    files = {row["file"] for row in isrproof.spark.events(spark, str(tmp_path)).select("file").distinct().collect()}
    assert files >= {
        f"{tmp_path}/_hidden.log",
        f"{tmp_path}/d.zip!/broker-1/state-change.log",
        f"{tmp_path}/a {{b}}*%20 ü.log",
    }


@pytest.mark.full
def test_a_folder_of_another_file_system_is_listed_by_spark(spark: SparkSession, tmp_path: Path) -> None:
    """Here it is this machine's, by its URL."""
    shutil.copytree(FAILOVER, tmp_path / "logs")
    found = isrproof.spark.events(spark, f"file://{tmp_path}/logs")
    wanted = parsed([f"{tmp_path}/logs"])
    assert sum(rows(found).values()) == sum(wanted.values())
    assert {row["file"] for row in found.collect()} <= {f"file://{path}" for path in (tmp_path / "logs").rglob("*.log")}


def test_a_cut_file_fails_the_job_or_gets_a_row(spark: SparkSession, tmp_path: Path) -> None:
    whole = gzip.compress((FAILOVER / LOG).read_bytes())
    (tmp_path / "cut.log.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "whole.log").write_bytes((FAILOVER / LOG).read_bytes())
    with pytest.raises(Exception, match=r"cut.log.gz: .*problems='keep'"):
        isrproof.spark.events(spark, str(tmp_path)).collect()
    kept = isrproof.spark.events(spark, str(tmp_path), problems="keep")
    problems = kept.where("problem is not null").collect()
    assert [(row["file"], row["text"]) for row in problems] == [(f"{tmp_path}/cut.log.gz", None)]
    assert "whole.log" in {row["file"].rpartition("/")[2] for row in kept.where("problem is null").collect()}


def test_misuse_is_one_line(spark: SparkSession, tmp_path: Path) -> None:
    for paths, match in (
        ([], "got none"),
        ("-", "not the standard input"),
        (str(tmp_path), "expected log files"),
        (str(tmp_path / "missing"), "no such file or directory"),
    ):
        with pytest.raises(IsrproofError, match=match):
            isrproof.spark.events(spark, paths)
    with pytest.raises(IsrproofError, match="expected 'fail' or 'keep'"):
        isrproof.spark.events(spark, str(FAILOVER), problems="skip")
    with pytest.raises(IsrproofError, match="expected the metadata log of KRaft"):
        isrproof.spark.records(spark, str(FAILOVER))


@pytest.mark.parametrize(
    "name",
    [
        "chaos-3.5.2",
        *(
            pytest.param(
                manifest.parent.name, marks=pytest.mark.full if manifest.parent.name in SAMPLE else pytest.mark.slow
            )
            for manifest in sorted(KRAFT.glob("*/manifest.json"))
            if manifest.parent.name != "chaos-3.5.2"
        ),
    ],
)
def test_records_are_those_that_the_command_prints(spark: SparkSession, name: str) -> None:
    found = isrproof.spark.records(spark, str(KRAFT / name))
    shown = []
    for row in found.collect():
        each = row.asDict()
        time = each.pop("time").astimezone(timezone.utc)
        each["timestamp"] = round(time.timestamp() * 1000)
        each["data"] = None if each["data"] is None else json.loads(each["data"])
        assert each.pop("problem") is None
        shown.append({name: value for name, value in each.items() if name != "partial" or value})
    wanted = recorded(str(KRAFT / name))
    assert len(wanted) > 10
    assert sorted(shown, key=_key) == sorted(wanted, key=_key)


def _key(record: dict[str, object]) -> str:
    return json.dumps(record, sort_keys=True)


def test_a_worker_needs_no_package_of_the_command_line() -> None:
    """A cluster's workers have NumPy and PyArrow, and what Spark brings."""
    code = (
        "import sys\n"
        "for name in ('click', 'rich', 'jinja2', 'junitparser', 'networkx', 'z3'):\n"
        "    sys.modules[name] = None\n"
        "import isrproof.spark.workers\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
