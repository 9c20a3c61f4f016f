"""Pages that several files of tests look at."""

from __future__ import annotations

from pathlib import Path

import pytest
from isrproof.checker.audit.report.forms import AuditRun
from isrproof.checker.audit.report.html import write_files

from tests.recordings import CHAOS
from tests.reports import made


@pytest.fixture
def several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The pages of a report that does not fit one."""
    monkeypatch.setattr("isrproof.checker.audit.report.page.partitions.MOST", 40)
    write_files(AuditRun(["x"], [made(CHAOS)]), tmp_path / "my page.html")
    return sorted(tmp_path.iterdir(), key=lambda path: (len(path.name), path.name))
