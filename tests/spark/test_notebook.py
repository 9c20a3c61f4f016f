"""docs/spark.ipynb: each of its cells runs in a kernel of its own, and shows what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="isrproof.spark needs PySpark")
from tests.imports import ROOT

pytestmark = [pytest.mark.spark, pytest.mark.full]
NOTEBOOK = ROOT / "docs" / "spark.ipynb"


def shown(cell: Any) -> str:
    """The HTML of a cell's result, and what it printed."""
    return "".join(each.get("text", "") + each.get("data", {}).get("text/html", "") for each in cell["outputs"])


def test_the_notebook_runs(tmp_path: Path) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel", reason="a notebook needs a kernel")
    book = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in book.cells)
    nbclient.NotebookClient(book, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    page, findings, leaders, events = (shown(cell) for cell in book.cells if cell.cell_type == "code" if shown(cell))
    assert "<iframe srcdoc=" in page
    assert "KR" in findings
    assert "max(leader_epoch)" in leaders
    assert "<table" in events
