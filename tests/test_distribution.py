"""Files that people copy and install: those for CI follow their schemas, a wheel and an sdist work."""

from __future__ import annotations

import configparser
import email
import json
import os
import re
import runpy
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.imports import ROOT

_WORKFLOWS = tuple(f".github/workflows/{name}.yml" for name in ("ci", "drift", "release"))


@pytest.mark.full(every=4)
@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.github-actions", "action.yml"),
        ("vendor.github-workflows", ".github/workflows/ci.yml"),
        ("vendor.github-workflows", ".github/workflows/drift.yml"),
        ("vendor.github-workflows", ".github/workflows/release.yml"),
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


def _shell(folder: Path, step: str, given: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the script of a step as a runner does."""
    (folder / "run.sh").write_text(_step(step))
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "run.sh"]
    return subprocess.run(shell, env=os.environ | given, cwd=folder, capture_output=True, text=True)


@pytest.fixture
def runner(tmp_path: Path) -> dict[str, str]:
    """The variables of a runner on which the program is installed, in a folder with a recording."""
    (tmp_path / "isrproof" / "bin").mkdir(parents=True)
    (tmp_path / "isrproof" / "bin" / "isrproof").symlink_to(Path(sys.executable).with_name("isrproof"))
    (tmp_path / "logs").symlink_to(ROOT / "traces" / "recorded" / "failover-on-leader-2.0.0-kill")
    files = {"GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    return {"RUNNER_TEMP": str(tmp_path), "BASELINE": "", **files}


_SMALL = "kip320\n--set\nreplicas=2\n--property\nWeakIsr"


@pytest.mark.parametrize(
    ("command", "arguments", "code", "says"),
    [
        ("audit", "  logs\n\n--engine\npython\n", 1, "::error file=logs/broker-4/state-change.log,line=33"),
        ("explore", _SMALL, 0, "::notice"),
        pytest.param("prove", "kip320\n--property\nLeaderInIsr", 0, "::notice", marks=pytest.mark.full),
        ("rm", "-rf", 2, "command is audit, explore or prove"),
        ("explore", "kip320; touch planted\n$(touch planted)", 2, ""),
    ],
)
def test_the_action_runs_the_command_once_and_keeps_every_report(
    tmp_path: Path, runner: dict[str, str], command: str, arguments: str, code: int, says: str
) -> None:
    for library in ("junitparser", "jinja2"):
        pytest.importorskip(library)
    run = _shell(tmp_path, "Run", {**runner, "COMMAND": command, "ARGUMENTS": arguments})
    reports = tmp_path / "isrproof-reports"
    output = (tmp_path / "output").read_text()
    assert (run.returncode, output.splitlines()[-1]) == (code, f"exit-code={code}"), run.stderr
    assert says in run.stdout
    assert not (tmp_path / "planted").exists()
    if code == 2:
        assert (list(reports.iterdir()), "sarif=" in output) == ([], False)
        return
    pages = {"report.html"} if command == "audit" else set()
    files = {"report.sarif", "report.xml", "report.json", "summary.md"}
    assert {each.name for each in reports.iterdir()} == files | pages
    assert output.splitlines()[0] == "sarif=true"
    assert (tmp_path / "summary.md").read_text().startswith(f"## isrproof {command}")


@pytest.mark.full
def test_the_action_reports_only_what_a_baseline_lacks(tmp_path: Path, runner: dict[str, str]) -> None:
    pytest.importorskip("junitparser")
    asked = {**runner, "COMMAND": "audit", "ARGUMENTS": "logs\n--engine\npython"}
    assert _shell(tmp_path, "Run", asked).returncode == 1
    (tmp_path / "isrproof-reports" / "report.json").rename(tmp_path / "known.json")
    assert _shell(tmp_path, "Run", {**asked, "BASELINE": "known.json"}).returncode == 0
    run = _shell(tmp_path, "Run", {**asked, "COMMAND": "explore", "BASELINE": "known.json"})
    assert (run.returncode, "baseline is for the command audit" in run.stdout) == (2, True)


_GH = """#!/usr/bin/env python3
import json, pathlib, sys
here = pathlib.Path(__file__).parent
arguments = sys.argv[1:]
with open(here / "calls", "a") as calls:
    calls.write(json.dumps(arguments) + "\\n")
if "--jq" in arguments:
    print((here / "known").read_text(), end="")
elif (here / "refused").exists():
    sys.exit(1)
"""


@pytest.mark.parametrize(("known", "method"), [("", "POST"), ("77\n88\n", "PATCH")])
def test_the_action_writes_one_comment_for_each_name(
    tmp_path: Path, runner: dict[str, str], known: str, method: str
) -> None:
    (tmp_path / "gh").write_text(_GH)
    (tmp_path / "gh").chmod(0o755)
    (tmp_path / "known").write_text(known)
    (tmp_path / "isrproof-reports").mkdir()
    given = {**runner, "NAME": "a; touch planted", "NUMBER": "5", "GITHUB_REPOSITORY": "o/r", "GH_TOKEN": "t"}
    given["PATH"] = f"{tmp_path}:{os.environ['PATH']}"
    assert _shell(tmp_path, "Comment", given).returncode == 0
    assert not (tmp_path / "calls").exists(), "nothing was reported"
    (tmp_path / "isrproof-reports" / "summary.md").write_text("## Result\n" + "\u00e9" * 40_000)
    run = _shell(tmp_path, "Comment", given)
    assert run.returncode == 0, run.stderr
    assert "::warning::" not in run.stdout
    listed, written = map(json.loads, (tmp_path / "calls").read_text().splitlines())
    assert "repos/o/r/issues/5/comments" in listed
    where = "repos/o/r/issues/5/comments" if method == "POST" else "repos/o/r/issues/comments/77"
    assert (written[3], written[4]) == (method, where)
    body = (tmp_path / "isrproof-comment.md").read_bytes().decode("utf-8")
    assert re.match(r"<!-- isrproof [0-9a-f]{16} -->\n## Result\n", body)
    assert "The rest is in the summary of the run." in body
    assert not (tmp_path / "planted").exists()
    (tmp_path / "refused").touch()
    run = _shell(tmp_path, "Comment", given)
    assert (run.returncode, "::warning::The comment could not be written" in run.stdout) == (0, True)


# ---- The package


def _settings() -> configparser.ConfigParser:
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg", encoding="utf-8")
    return settings


def test_the_readme_of_an_index_leads_to_the_files_of_the_release() -> None:
    setup = runpy.run_path(str(ROOT / "setup.py"))
    text = setup["readme"]("[a](docs/a.md#b) ![c](d.png) [e](https://f.g/h) [i](#j)", "https://x.y/z", "1.2.0")
    tree = "https://x.y/z/tree/v1.2.0"
    assert text == f"[a]({tree}/docs/a.md#b) ![c](https://x.y/z/raw/v1.2.0/d.png) [e](https://f.g/h) [i](#j)"
    assert setup["addresses"]("https://x.y/z", "1.2.0.dev0")["Source"] == "https://x.y/z/tree/HEAD"
    whole = setup["readme"]((ROOT / "README.md").read_text(encoding="utf-8"), "https://x.y/z", "1.2.0")
    assert re.findall(r"\]\((?!https://|#)[^)]*\)|<img|<a |^\[[^\]]+\]: ", whole, re.MULTILINE) == []
    for path in re.findall(r"\]\(https://x.y/z/(?:tree|raw)/v1.2.0/([^)#]+)", whole):
        assert (ROOT / path).exists(), path


def test_the_version_stands_in_one_place() -> None:
    version = _settings()["metadata"]["version"]
    newest, *older = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert all(re.fullmatch(r"\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d", title) for title in older)
    if ".dev" in version:
        assert newest == "Unreleased"
        made, known = (tuple(map(int, re.findall(r"\d+", each)))[:3] for each in (version, older[0]))
        assert made > known
    else:
        assert version == (older[0] if newest == "Unreleased" else newest).partition(" - ")[0]
    held = [name for name in ("CITATION.cff", "README.md", "pyproject.toml", "setup.py") if version in _text(name)]
    assert held == []


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_authors_are_those_who_are_cited() -> None:
    assert f"name: {_settings()['metadata']['author']}" in _text("CITATION.cff")


def test_the_metadata_name_the_pythons_that_ci_runs() -> None:
    named = set(re.findall(r"Python :: (3\.\d+)$", _settings()["metadata"]["classifiers"], re.MULTILINE))
    for workflow in ("ci.yml", "release.yml"):
        run = re.findall(r"python: \[(.*)\]", _text(f".github/workflows/{workflow}"))[0]
        pythons = re.findall(r"[\d.]+", run)
        assert set(pythons) <= named
        assert {"3.10", max(named)} <= set(pythons)
    assert f">=3.{min(int(each[2:]) for each in named)}" == _settings()["options"]["python_requires"]


@pytest.mark.parametrize(
    ("tag", "address", "changelog", "says"),
    [
        ("v1.2.0", "https://x.y/z", "## Unreleased\n## 1.2.0 - 2026-01-31\n\n* A.\n\n## 1.1.0 - 2025-01-31\n", ""),
        ("v1.2.1", "https://x.y/z", "", "expected the version of the tag v1.2.1, got 1.2.0"),
        ("v1.2.0", "https://x.y/fork", "", "expected the url https://x.y/fork"),
        ("v1.2.0", "https://x.y/z", "## Unreleased\n", "expected a section '## 1.2.0 - YYYY-MM-DD', got none"),
        ("v1.2.0", "https://x.y/z", "## 1.2.0\n", "got '## 1.2.0'"),
    ],
)
def test_a_release_is_what_its_tag_says(tag: str, address: str, changelog: str, says: str) -> None:
    settings = configparser.ConfigParser()
    settings.read_dict({"metadata": {"version": "1.2.0", "url": "https://x.y/z"}})
    notes: Any = runpy.run_path(str(ROOT / ".github" / "release.py"))["notes"]
    if not says:
        assert notes(tag, address, settings, changelog) == "* A.\n"
        return
    with pytest.raises(ValueError, match=re.escape(says)):
        notes(tag, address, settings, changelog)


def _tracked() -> set[str]:
    git = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if git.returncode:
        pytest.skip("no checkout of git")
    return {name for name in git.stdout.decode().split("\0") if name and (ROOT / name).exists()}


@pytest.mark.slow
def test_a_wheel_and_an_sdist_install_and_run(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    tracked = _tracked()
    for name in tracked:
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
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert tracked - held == set()
    with zipfile.ZipFile(wheel) as opened:
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        described = email.message_from_bytes(opened.read(metadata))
    assert described["Home-page"] == _settings()["metadata"]["url"]
    assert "](docs/" not in str(described.get_payload())
    assert wheel.stat().st_size < 2_500_000
    for package in (wheel, sdist):
        home = tmp_path / package.suffix.strip(".")
        venv.create(home, with_pip=True)
        subprocess.run([home / "bin" / "pip", "install", "--quiet", f"{package}[reports]"], check=True)
        page = home / "demo.html"
        run = subprocess.run([home / "bin" / "isrproof", "demo", "--html", page], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        assert "KAFKA-3143, fixed in 2.3.0" in run.stdout
        assert "<!DOCTYPE html>" in page.read_text()
