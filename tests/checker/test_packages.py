"""A package that cannot be imported is named in one line, with what to do; it is no defect of this project."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from isrproof.checker.packages import _EXTRA
from isrproof.checker.spark_workers import _lacking

from tests.recordings import FAILOVER
from tests.test_repository import ROOT

KRAFT = ROOT / "traces" / "recorded-kraft" / "jbod-3.7.2"
NEEDS = {
    "numpy": ("audit", "--engine", "columns", str(FAILOVER)),
    "pyarrow": ("audit", "--engine", "columns", str(FAILOVER)),
    "z3": ("prove", "replica"),
    "networkx": ("diagram", "replica", "--facts"),
    "google_crc32c": ("audit", "--engine", "python", str(KRAFT)),
    "pyspark": ("audit", "--engine", "spark", str(FAILOVER)),
    "jinja2": ("audit", "--engine", "python", "--format", "html", str(FAILOVER)),
}
BROKEN = ("raise ImportError('libx.so: no such file')", "raise AttributeError('x')", "import nowhere")


@pytest.mark.slow(every=3)
@pytest.mark.full(every=7)
@pytest.mark.parametrize("package", NEEDS)
@pytest.mark.parametrize("code", BROKEN)
def test_a_package_that_fails_is_named(package: str, code: str, tmp_path: Path) -> None:
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text(code)
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "isrproof.checker", *NEEDS[package]]
    found = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, check=False)
    assert found.returncode == 2, found.stdout
    assert "defect of isrproof" not in found.stderr
    (line,) = [line for line in found.stderr.splitlines() if line.startswith("Error: ")]
    assert package in line.lower()
    assert "pip install" in line


def test_workers_try_each_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "brokenpackage.py").write_text("raise OSError('no room')")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert _lacking(("json", "brokenpackage", "nosuchpackage"))(0) == "brokenpackage (no room) and nosuchpackage"


def test_each_package_of_the_project_has_its_extra() -> None:
    declared = (ROOT / "setup.cfg").read_text()
    for package, extra in _EXTRA.items():
        assert not extra or f"\n{extra} =\n" in declared, package
