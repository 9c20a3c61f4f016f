"""Which Java starts Spark: told from its home, or asked."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.spark_session import java_version

RECORDED = Path(__file__).parents[2] / "traces" / "recorded"


@pytest.mark.parametrize(
    ("told", "version"),
    [('JAVA_VERSION="17.0.15"\n', 17), ('IMPLEMENTOR="x"\nJAVA_VERSION="1.8.0_292"\n', 8), ("nothing\n", None)],
)
def test_a_home_says_its_version(told: str, version: int | None, tmp_path: Path) -> None:
    (tmp_path / "release").write_text(told)
    assert java_version(tmp_path / "bin" / "java") == version


@pytest.mark.parametrize(
    ("said", "version"),
    [('openjdk version "21.0.2" 2024-01-16', 21), ('java version "1.8.0_292"', 8), ("who knows", None)],
)
def test_a_program_without_a_home_is_asked(said: str, version: int | None, tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{said}' >&2\n")
    java.chmod(0o755)
    assert java_version(java) == version


def test_one_that_does_not_run_has_none(tmp_path: Path) -> None:
    assert java_version(tmp_path / "bin" / "java") is None


def test_without_pyspark_an_audit_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("py4j", "py4j.protocol", "pyspark", "pyspark.sql"):
        monkeypatch.setitem(sys.modules, package, None)
    result = CliRunner().invoke(main, ["audit", str(RECORDED / "failover-on-leader-2.0.0-kill")])
    assert result.exit_code == 2
    assert "pip install 'isrproof[audit]'" in result.output
