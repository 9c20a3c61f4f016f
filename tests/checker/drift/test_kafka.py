"""The gate on Kafka itself, where a clone with its release tags is at hand.

ISRPROOF_KAFKA_SOURCE=path/to/kafka pytest tests/checker/drift/test_kafka.py
"""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from pathlib import Path

import pytest
from isrproof.checker.drift.drift import Drift
from isrproof.specs.lines import rows
from isrproof.specs.releases import RELEASES, Release, span

from tests.checker.drift import made

SOURCE = os.environ.get("ISRPROOF_KAFKA_SOURCE", "")
if not SOURCE:
    pytest.skip("ISRPROOF_KAFKA_SOURCE names no clone of Kafka", allow_module_level=True)

MODULES = ("clients", "core", "metadata", "raft", "server", "server-common", "storage", "gradle.properties")
RECENT = [row for row in RELEASES if row.mask & span(">=4.0")]


def git(*arguments: str) -> bytes:
    return subprocess.run(["git", "-C", SOURCE, *arguments], capture_output=True, check=False).stdout


@pytest.fixture(autouse=True)
def _all_rows(monkeypatch: pytest.MonkeyPatch, _few_rows: None) -> None:
    from isrproof.checker.drift import lines, loggers

    monkeypatch.setattr(lines, "rows", rows)
    monkeypatch.setattr(loggers, "rows", rows)


def drift_of(row: Release, folder: Path) -> Drift:
    """Return the gate's findings in the newest tag of a row that the clone has, or in the branch of its line."""
    known = set(git("tag").decode().split()) | set(git("branch", "--format=%(refname:short)").decode().split())
    ref = next((ref for ref in (*reversed(row.tags), row.name) if ref in known), None)
    if ref is None:
        pytest.skip(f"the clone has no tag or branch of {row.name}")
    with tarfile.open(fileobj=io.BytesIO(git("archive", ref, *MODULES))) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)  # since 3.11.4
        archive.extractall(folder)
    return made.found(folder, release=row.name)


@pytest.mark.parametrize("row", RECENT, ids=lambda row: row.name)
def test_records_and_levels_of_a_release_are_in_the_tables(row: Release, tmp_path: Path) -> None:
    seen = drift_of(row, tmp_path)
    assert not seen.damaged
    assert not seen.unseen
    assert [each for each in seen.findings if each.group in ("record", "level") and each.fails] == []
