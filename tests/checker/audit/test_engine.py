"""Which engine reads a log: this machine alone, or Spark if it is very large; one line says which and why."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.audit import engine
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.engine import chosen
from isrproof.checker.audit.options import Options
from isrproof.checker.cli import main
from isrproof.specs.errors import IsrproofError
from isrproof.traces.sources.paths import Source, source

from tests.recordings import RECORDED

ALL = ("numpy", "pyarrow", "pyspark")


@pytest.fixture
def logs(tmp_path: Path) -> list[Source]:
    """Half a million bytes of text, and as much compressed: 5.5 MB together."""
    (tmp_path / "a.log").write_bytes(b"x" * 500_000)
    (tmp_path / "b.log.gz").write_bytes(b"x" * 500_000)
    return [source(str(tmp_path / name)) for name in ("a.log", "b.log.gz")]


def installed(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    monkeypatch.setattr(engine, "find_spec", lambda name: object() if name in names else None)


@pytest.mark.parametrize(
    ("there", "limit", "name", "why"),
    [
        (ALL, 10**8, "columns", "This machine reads 5.5 MB of text: Spark takes over above 0.1 GB."),
        (ALL, 10**6, "spark", "Spark reads 5.5 MB of text: more than 0.001 GB."),
        (
            ALL[:2],
            10**6,
            "columns",
            "Spark takes over above 0.001 GB (it is not installed: pip install 'isrproof[spark]').",
        ),
        (("numpy",), 10**8, "python", "are not installed (pip install 'isrproof[audit]')."),
        ((), 10**6, "python", "are not installed (pip install 'isrproof[audit]')."),
    ],
)
def test_size_and_what_is_installed_decide(
    there: tuple[str, ...], limit: int, name: str, why: str, logs: list[Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, *there)
    monkeypatch.setattr(engine, "IN_PROCESS", limit)
    found = chosen(Options(), logs, {})
    assert (found.name, found.size) == (name, 5_500_000)
    assert found.why.endswith(why)


def test_a_tiny_log_is_read_before_numpy_is_imported(logs: list[Source], monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, *ALL)
    assert chosen(Options(), logs[:1], {}).name == "python"


@pytest.mark.parametrize("option", [{"master": "spark://here:7077"}, {"remote": "sc://here"}])
def test_a_place_to_run_is_sparks(option: dict[str, str], logs: list[Source]) -> None:
    found = chosen(Options(**option), logs, {})  # type: ignore[arg-type]
    assert found.name == "spark"
    assert f"--{next(iter(option))} is given" in found.why
    with pytest.raises(IsrproofError, match="omit --engine python"):
        chosen(Options(engine="python", **option), logs, {})  # type: ignore[arg-type]


def test_what_only_spark_reaches_is_sparks() -> None:
    there = [source("hdfs://name/logs/state-change.log")]
    assert chosen(Options(), there, {there[0].path: 10}).why.endswith("only it reaches some of the files.")


def test_what_was_asked_for_is_taken(logs: list[Source], monkeypatch: pytest.MonkeyPatch) -> None:
    assert [chosen(Options(engine=name), logs, {}).name for name in ("python", "columns", "spark")] == [
        *("python", "columns", "spark")
    ]
    installed(monkeypatch)
    with pytest.raises(IsrproofError, match="--engine columns needs NumPy and PyArrow"):
        chosen(Options(engine="columns"), logs, {})


def test_a_small_log_gets_no_line_about_engines() -> None:
    path = str(RECORDED / "failover-on-leader-2.0.0-kill")
    assert CliRunner().invoke(main, ["audit", "--json", path]).stderr == ""


def test_the_line_is_on_stderr_only_where_an_engine_was_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_ROWS", 1000)
    path = str(RECORDED / "failover-on-leader-2.0.0-kill")
    assert "This machine reads 0.1 MB" in CliRunner().invoke(main, ["audit", "--json", path]).stderr
    assert CliRunner().invoke(main, ["audit", "--json", "--engine", "python", path]).stderr == ""


def test_a_small_log_needs_no_heavy_library() -> None:
    """So that `pip install isrproof` audits one, at once."""
    script = (
        "import sys\n"
        "from isrproof.checker.audit.command import audit\n"
        "report, = audit([sys.argv[1]])\n"
        "heavy = {'numpy', 'pyarrow', 'pyspark', 'pandas', 'networkx', 'transitions', 'z3'} & set(sys.modules)\n"
        "assert report.verdict == 'illegal' and not heavy, heavy\n"
    )
    path = str(RECORDED / "failover-on-leader-2.0.0-kill")
    run = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_no_paths_are_misuse() -> None:
    with pytest.raises(IsrproofError, match="Expected the paths of logs, got none"):
        audit([])
