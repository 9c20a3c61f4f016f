"""Damaged files: an audit of them ends with one of its exit codes, and a reason; never with a trace."""

from __future__ import annotations

import contextlib
import gzip
import json
import random
import resource
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main

from tests import engines
from tests.mangled_bytes import mangled
from tests.recordings import RECORDED

LOG = RECORDED / "failover-on-leader-2.0.0-kill" / "broker-4" / "state-change.log"


@cache
def pool() -> tuple[bytes, ...]:
    """Small logs, and small parts of large ones."""
    logs = sorted(RECORDED.glob("*/broker-*/*.log"))
    return tuple(content[:20_000] for content in (log.read_bytes() for log in logs) if content)


def written(chance: random.Random, folder: Path, name: str = "state-change.log") -> Path:
    content = mangled(chance, pool())
    if chance.random() < 0.1:
        packed = gzip.compress(content, 1)
        at = chance.randrange(len(packed))
        content = chance.choice((packed, packed[:at], packed[:at] + b"\xff" + packed[at + 1 :]))
        name += ".gz"
    (folder / name).write_bytes(content)
    return folder / name


@pytest.mark.full
@pytest.mark.parametrize("count", [60, pytest.param(10_000, marks=pytest.mark.slow)])
def test_an_audit_of_a_damaged_file_ends_with_one_of_its_exit_codes(count: int, tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    chance = random.Random(count)
    codes: Counter[int] = Counter()
    for number in range(count):
        path = written(chance, tmp_path)
        said = []
        for engine in ("python", "columns"):
            shown = CliRunner().invoke(main, ["audit", "--engine", engine, "--json", "--timeline", str(path)])
            assert shown.exit_code in range(4), (number, engine)
            assert "defect of isrproof" not in shown.output, (number, engine, shown.output)
            assert "Traceback" not in shown.output, (number, engine)
            assert json.loads(shown.stdout)["verdict"]
            said.append(shown.stdout)
        codes[shown.exit_code] += 1
        assert said[0] == said[1], number
        path.unlink()
    assert codes.keys() >= ({0, 2, 3} if count < 1_000 else {0, 1, 2, 3}), codes  # few are illegal for certain


@pytest.mark.slow
@pytest.mark.spark
def test_spark_reads_damaged_files_as_the_reference_does(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    chance = random.Random(17)
    paths = [written(chance, tmp_path, f"{number}.log") for number in range(300)]
    for path, one, other in zip(paths, engines.spark(paths), engines.reference(paths), strict=True):
        assert one == other, path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "most"),
    [
        pytest.param("python", 300_000_000),
        pytest.param("columns --jobs 1", 300_000_000),
        pytest.param("columns --jobs 2", 600_000_000),  # three processes, each with NumPy and Arrow
        pytest.param("spark", 3_000_000_000, marks=pytest.mark.spark),  # Java's heap may have 2 GB
    ],
)
def test_memory_is_bounded_on_an_endless_line(engine: str, most: int, tmp_path: Path) -> None:
    """A line of 200 MB: no process holds it."""
    if engine == "spark":
        pytest.importorskip("pyspark")
    log = LOG.read_bytes()
    with (tmp_path / "state-change.log").open("wb") as file:
        file.write(log + b"[2026-11-21 20:24:36,000] INFO ")
        for _ in range(200):
            file.write(b"Error: 1, " * 100_000)
        file.write(b"\n" + log)
    command = [sys.executable, "-m", "isrproof.checker", "audit", "--engine", *engine.split(), "--json", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        sampled = ThreadPoolExecutor(1).submit(peak, run)
        out, _ = run.communicate()
    print(f"{engine}: {sampled.result() / 1e6:,.0f} MB at the peak")
    assert run.returncode in (0, 1, 3)
    assert json.loads(out)["coverage"]["unknown"] == 1
    assert sampled.result() < most


def peak(run: subprocess.Popen[bytes]) -> int:
    """Bytes in memory of a process and all that it started, at most, while it runs."""
    most = 0
    while run.poll() is None:
        parents: dict[int, int] = {}
        resident: dict[int, int] = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, ValueError):
                of = int(folder.name)
                parents[of] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                resident[of] = int((folder / "statm").read_text().split()[1]) * resource.getpagesize()
        family = {run.pid}
        while more := {of for of, parent in parents.items() if parent in family} - family:
            family |= more
        most = max(most, sum(resident.get(of, 0) for of in family))
        time.sleep(0.1)
    return most
