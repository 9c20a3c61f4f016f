"""The program: exit codes, what it prints, and JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.drift.command import command

from tests.checker.drift.made import RECORDS, RELEASE, VERSION, changed, jar, tree, written


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(command, [str(each) for each in arguments])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def current(tmp_path: Path) -> Path:
    return written(tree(), tmp_path / "current")


@pytest.fixture
def drifted(tmp_path: Path) -> Path:
    return written(changed(tree(), f"{RECORDS}/TopicRecord.json", '"0-0"', '"0-1"'), tmp_path / "drifted")


def test_nothing_to_do_is_exit_code_0(current: Path) -> None:
    code, shown, _ = run(current)
    assert code == 0
    assert shown == (
        f"Kafka {RELEASE.tags[-1]}, compared with the rows of {RELEASE.name}.\n\n"
        "No drift that must be fixed; 0 findings.\n"
    )


def test_drift_is_exit_code_1_with_what_to_do(drifted: Path) -> None:
    code, shown, _ = run(drifted)
    assert code == 1
    assert "Metadata records: 1. To do: add it to specs/metadata/records.toml.\n" in shown
    assert f"  ! TOPIC_RECORD: version 1 is unknown; known is 0  [{RECORDS}/TopicRecord.json]\n" in shown
    assert shown.endswith("\nDrift: 1 of 1 findings (!) must be fixed.\n")


def test_json_has_all_of_it(drifted: Path) -> None:
    code, shown, _ = run(drifted, "--json")
    value = json.loads(shown)
    assert (code, value["verdict"], value["counts"]["record"]) == (1, "drift", 1)
    assert value["findings"][0]["subject"] == "TOPIC_RECORD"
    assert value["findings"][0]["to_do"] == "add it to specs/metadata/records.toml"


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_misuse_is_exit_code_2_and_one_line(as_json: list[str], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for arguments in ([], [tmp_path / "nowhere"], [tmp_path / "empty"]):
        code, shown, said = run(*arguments, *as_json)
        assert code == 2
        assert "Error: " in said or json.loads(shown)["verdict"] == "error"
    assert run(tmp_path / "empty")[2].count("\n") == 1


def test_an_unknown_release_is_misuse(current: Path) -> None:
    code, _, said = run(current, "--release", "99.1")
    assert code == 2
    assert "Unknown Kafka release '99.1'" in said or "99.1" in said


def test_a_damaged_jar_is_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "jars"
    folder.mkdir()
    jar(tree(), folder / f"kafka-{RELEASE.tags[-1]}-sources.jar")
    (folder / "odd.jar").write_bytes(b"no jar")
    code, shown, said = run(folder)
    assert code == 2
    assert said.startswith("Error: odd.jar: ")
    assert said.count("\n") == 1
    assert "No drift that must be fixed" in shown
    value = json.loads(run(folder, "--json")[1])
    assert value["verdict"] == "error"
    assert value["judged"]["verdict"] == "current"


def test_new_lines_that_bear_on_nothing_are_counted(tmp_path: Path) -> None:
    odd = 'package odd;\nclass Odd { Logger log; void m() { log.info("A thing that nobody knows"); } }\n'
    tree_of_it = written({**tree(), "core/src/main/java/odd/Odd.java": odd}, tmp_path)
    code, shown, _ = run(tree_of_it)
    assert code == 0
    assert "and 1 of rows and loggers that bear on no rule; --all lists them" in shown
    assert "A thing that nobody knows (unknown)  [core/src/main/java/odd/Odd.java:2]" in run(tree_of_it, "--all")[1]


def test_signs_that_terminals_obey_are_written_out(tmp_path: Path) -> None:
    name = f"{RECORDS}/TopicRecord.json"
    files = changed(tree(), name, '"name": "TopicRecord"', '"name": "Topic\\u001b[31mRecord"')
    _, shown, _ = run(written(files, tmp_path))
    assert "\x1b" not in shown
    assert "TOPIC\\u{1b}[31M_RECORD" in shown


def test_the_same_files_give_the_same_bytes(drifted: Path) -> None:
    assert run(drifted, "--all") == run(drifted, "--all")


def test_it_runs_as_a_module(tmp_path: Path) -> None:
    files = {name: tree()[name] for name in (VERSION, "gradle.properties")}
    done = subprocess.run(
        [sys.executable, "-m", "isrproof.checker.drift", str(written(files, tmp_path))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "no schema or class of a record" in done.stdout
