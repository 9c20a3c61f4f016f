"""An event table whose writer is killed at any moment: each file is in it exactly once after the next batch."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from isrproof.checker.audit.stored.here import is_event_table
from isrproof.checker.audit.stored.manifest import read
from isrproof.checker.audit.stored.writing import Input, write_events

from tests.checker.audit.stored.test_event_table import answer
from tests.recordings import FAILOVER

_LONGEST = 4.0
"""Seconds that a batch takes on a slow machine."""

_BEFORE_THE_FIRST = 1.0
"""Seconds after which a first batch has begun, and is not done."""


def append(logs: Path, table: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "isrproof.checker", "events", str(logs), "--out", str(table), "--append"]
    return subprocess.Popen([*command, "--jobs", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.parametrize(
    "kills", [pytest.param(4, marks=pytest.mark.full), pytest.param(100, marks=pytest.mark.slow)], ids=str
)
def test_random_kills_lose_and_double_nothing(kills: int, tmp_path: Path) -> None:
    logs, table = tmp_path / "logs", tmp_path / "table"
    chance = random.Random(kills)
    files = sorted(path for path in FAILOVER.rglob("*.log"))
    for turn in range(kills):
        if turn % 8 < len(files):  # a file more, or the rest of one
            file = files[turn % 8]
            there = logs / file.relative_to(FAILOVER)
            there.parent.mkdir(parents=True, exist_ok=True)
            text = file.read_text().splitlines(keepends=True)
            there.write_text("".join(text[: chance.randrange(1, len(text) + 1)]))
        writer = append(logs, table)
        time.sleep(chance.uniform(0, _LONGEST) if turn else _BEFORE_THE_FIRST)
        writer.kill()
        writer.wait()
        if is_event_table(table):
            must_be_whole(table)
    shutil.copytree(FAILOVER, logs, dirs_exist_ok=True)
    write_events(table, Input((str(logs),)), append=True)
    must_be_whole(table)
    if not any("(earlier, " in file.source.path for file in read(table).files):
        assert answer(table) == answer(logs)


def must_be_whole(table: Path) -> None:
    """Each line that the manifest counts as an event's is there, once."""
    manifest = read(table)
    events: Counter[int] = Counter()
    for part in {part for file in manifest.files for part in file.parts}:
        rows = pq.read_table(table / part, columns=["file_id", "line"], partitioning=None).to_pylist()
        events.update(id for id, _ in {(row["file_id"], row["line"]) for row in rows})
    for file in manifest.files:
        for stream in file.streams:
            understood = sum(n for kind, n in stream.seen().kinds.items() if kind.status == "understood")
            assert events.pop(stream.id, 0) == understood
    assert not events
