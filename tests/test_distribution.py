"""Files that people copy and install: those for CI follow their schemas, a wheel and an sdist work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.imports import ROOT

_WORKFLOWS = (".github/workflows/ci.yml", ".github/workflows/drift.yml")


@pytest.mark.full(every=4)
@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.github-actions", "action.yml"),
        ("vendor.github-workflows", ".github/workflows/ci.yml"),
        ("vendor.github-workflows", ".github/workflows/drift.yml"),
        ("vendor.citation-file-format", "CITATION.cff"),
    ],
)
def test_files_for_others_are_what_their_schemas_say(schema: str, file: str) -> None:
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(ROOT / file)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_yaml_for_others_is_clean() -> None:
    pytest.importorskip("yamllint")
    rules = "{extends: default, rules: {line-length: disable, document-start: disable, truthy: {check-keys: false}}}"
    found = [*_WORKFLOWS, "action.yml", ".pre-commit-hooks.yaml", "mkdocs.yml", "CITATION.cff"]
    command = [sys.executable, "-m", "yamllint", "--strict", "-d", rules, *(str(ROOT / file) for file in found)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def _step(name: str) -> str:
    """The script of a step of action.yml."""
    yaml = pytest.importorskip("ruamel.yaml")
    action = yaml.YAML(typ="safe").load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return str(next(step["run"] for step in action["runs"]["steps"] if step.get("name") == name))


@pytest.mark.parametrize(
    ("command", "arguments", "code", "says"),
    [
        pytest.param(
            "audit",
            "  logs\n\n--engine\ncolumns\n",
            1,
            "::error file=logs/broker-4/state-change.log,line=33",
            marks=pytest.mark.full,
        ),
        pytest.param(
            "explore", "kip320\n--set\nreplicas=2\n--property\nWeakIsr", 0, "::notice", marks=pytest.mark.full
        ),
        ("rm", "-rf", 2, "command is audit, explore or prove"),
        ("explore", "kip320; touch planted\n$(touch planted)", 2, ""),
    ],
)
def test_the_action_runs_the_command(tmp_path: Path, command: str, arguments: str, code: int, says: str) -> None:
    (tmp_path / "isrproof" / "bin").mkdir(parents=True)
    (tmp_path / "isrproof" / "bin" / "isrproof").symlink_to(Path(sys.executable).with_name("isrproof"))
    (tmp_path / "logs").symlink_to(ROOT / "traces" / "recorded" / "failover-on-leader-2.0.0-kill")
    (tmp_path / "run.sh").write_text(_step("Run"))
    given = {"COMMAND": command, "ARGUMENTS": arguments, "RUNNER_TEMP": str(tmp_path)}
    files = {"GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "run.sh"]
    run = subprocess.run(shell, env=os.environ | given | files, cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode, (tmp_path / "output").read_text()) == (code, f"exit-code={code}\n"), run.stderr
    assert says in run.stdout
    assert not (tmp_path / "planted").exists()
    if command == "audit" and code == 1:
        reports = tmp_path / "isrproof-reports"
        assert json.loads((reports / "report.sarif").read_text())["version"] == "2.1.0"
        assert "<!DOCTYPE html>" in (reports / "report.html").read_text()
        assert "isrproof audit" in (tmp_path / "summary.md").read_text()


@pytest.mark.slow
def test_a_wheel_and_an_sdist_install_and_run(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, tracked.decode().split("\0")):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(tmp_path / "dist"), str(source)], check=True)
    (wheel,), (sdist,) = (tmp_path / "dist").glob("*.whl"), (tmp_path / "dist").glob("*.tar.gz")
    names = zipfile.ZipFile(wheel).namelist()
    assert "isrproof/checker/audit/report/page/page.js" in names
    assert "isrproof/specs/lines/controller.toml" in names
    assert not [
        name for name in names if "/recorded/" in name and "chaos-1.1.1-2" not in name and name.endswith(".log")
    ]
    with tarfile.open(sdist) as archive:
        assert any(name.endswith("/specs/releases.toml") for name in archive.getnames())
    for package in (wheel, sdist):
        home = tmp_path / package.suffix.strip(".")
        venv.create(home, with_pip=True)
        subprocess.run([home / "bin" / "pip", "install", "--quiet", f"{package}[reports]"], check=True)
        page = home / "demo.html"
        run = subprocess.run([home / "bin" / "isrproof", "demo", "--html", page], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        assert "KAFKA-3143, fixed in 2.3.0" in run.stdout
        assert "<!DOCTYPE html>" in page.read_text()
