"""Formats of files that only Spark can reach are those of the same files here, and one job finds them all."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="the Spark engine needs PySpark")
from isrproof.checker.audit.files import by_file
from isrproof.checker.audit.files.spark_formats import Format, formats
from isrproof.checker.spark_session import session
from isrproof.specs.formats import envelopes, layouts
from isrproof.traces.formats.detect import UNASKED, detect
from isrproof.traces.formats.reading import Reading, zone_of
from isrproof.traces.sources.text import Lines

from tests.recordings import RECORDED
from tests.shapes import recorded, write

pytestmark = [pytest.mark.spark, pytest.mark.full]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A log in each envelope and each layout; an empty one, one of another program, a pasted and a packed one."""
    here = tmp_path_factory.mktemp("formats")
    said = [each for each in recorded(RECORDED / "failover-on-leader-2.0.0-kill") if each.broker == "broker-4"]
    for layout in layouts():
        write(here / f"layout-{layout}", said, None, layout)
    for envelope in envelopes():
        write(here / f"envelope-{envelope}", said, envelope, "kafka")
    line = (
        "[2018-08-03 12:00:00,000] INFO [Controller id=1 epoch=1] Changed partition t-0 state from NewPartition to "
        "OnlinePartition (state.change.logger)\n"
    )
    (here / "empty.log").touch()
    (here / "other.log").write_text("nothing\nof Kafka's\n")
    (here / "image.log").write_text("configuration = 1\n" * 3_000 + line * 10)
    (here / "pasted.log").write_text(f"{line[:60]}\n{line[60:]}" * 3)
    (here / "packed.log.gz").write_bytes(gzip.compress((line * 30).encode()))
    return sorted(path for path in here.rglob("*") if path.is_file())


def here(path: Path) -> Format:
    """The format of a file of this machine."""
    detected = detect(str(path))
    return Format(detected, None if detected.reading.alone is None else zone_of(Lines(str(path)), detected.reading))


def test_formats_are_those_of_the_files(files: list[Path]) -> None:
    found = formats(session(), [f"file://{path}" for path in files], UNASKED)
    assert found == {f"file://{path}": here(path) for path in files}
    readings = {each.detected.reading for each in found.values()}
    assert {chain for reading in readings for chain in reading.chain} == {*envelopes()}
    assert any(reading.paste for reading in readings)
    assert any(each.zone is not None for each in found.values())


def test_more_files_are_no_more_jobs(files: list[Path]) -> None:
    spark = session()
    tracker = spark.sparkContext.statusTracker()
    jobs = []
    for number in (2, len(files)):
        spark.sparkContext.setJobGroup(f"{number} files", "formats")
        formats(spark, [f"file://{path}" for path in files[:number]], UNASKED)
        jobs.append(len(tracker.getJobIdsForGroup(f"{number} files")))
    assert len(files) > 32
    assert jobs[0] == 1
    assert jobs[1] == 2  # Spark lists more than 32 paths in a job


def test_small_files_share_a_task() -> None:
    files = [by_file.Whole(home, f"{home}.log", Reading()) for home in range(1_000)]
    groups = by_file.packed(files, dict.fromkeys(range(1_000), 10_000))
    assert [file for group in groups for file in group] == files
    assert 32 <= len(groups) <= 34
    large = by_file.packed(files[:3], {0: 10, 1: 1 << 30, 2: 1 << 20})
    assert [[file.home for file in group] for group in large] == [[0], [1], [2]]
    assert by_file.packed([], {}) == []
