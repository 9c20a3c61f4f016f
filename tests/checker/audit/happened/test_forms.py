"""The things that happened, in each form of a report: beside the verdict, never as a part of it."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner
from isrproof.checker.commands.audit import command

_AT = "[2025-03-04 10:00:{second},000]"
_LINES = (
    f"{_AT.format(second='00')} INFO [Partition a-0 broker=7] Shrinking ISR from 7,8,9 to 7,8"
    " (kafka.cluster.Partition)",
    f"{_AT.format(second='30')} ERROR Shutdown broker because all log dirs in /d1, /d2 have failed"
    " (kafka.log.LogManager)",
)
_HEALTHY = (
    f"{_AT.format(second='40')} INFO [Partition a-0 broker=7] ISR updated to [7,8] and zkVersion updated to [9]"
    " (kafka.cluster.Partition)"
)
_MARKUP = (
    f"{_AT.format(second='30')} ERROR Shutdown broker because all log dirs in /<img src=x>\x1b[31m have failed"
    " (kafka.log.LogManager)"
)


def run(folder: Path, lines: tuple[str, ...], *options: str) -> tuple[int, str]:
    (folder / "server.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = CliRunner().invoke(command, ["--engine", "python", str(folder / "server.log"), *options])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout


def test_text_has_it_first_and_what_to_do_after_it(tmp_path: Path) -> None:
    code, text = run(tmp_path, _LINES)
    assert code in (0, 3)
    assert "; troubled: " in text.splitlines()[0]
    assert "! 2025-03-04 10:00:30.000  node 7 failed: all of its log directories failed: /d1, /d2" in text
    assert "what now\n" in text
    assert ". Read the reason; the process does not come back by itself.\n" in text


def test_json_is_as_documented(tmp_path: Path) -> None:
    found = json.loads(run(tmp_path, _LINES, "--json")[1])
    assert found["health"] == "troubled"
    failed = next(each for each in found["happened"] if each["what"] == "process-failed")
    assert failed["node"] == 7
    assert failed["trouble"] is True
    assert "topic" not in failed
    assert "until" not in failed
    lasting = next(each for each in found["happened"] if each["what"] == "under-replicated")
    assert lasting["until"] is None
    assert lasting["places"] == [{"file": str(tmp_path / "server.log"), "line": 1}]


def test_trouble_fails_only_where_it_is_asked_to(tmp_path: Path) -> None:
    assert run(tmp_path, _LINES)[0] == 0
    assert run(tmp_path, _LINES, "--fail-on", "trouble")[0] == 1
    assert run(tmp_path, _LINES[:1], "--fail-on", "trouble")[0] == 1
    healthy = ("[2025-03-04 10:00:00,000] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)",)
    assert run(tmp_path, healthy, "--fail-on", "trouble")[0] != 1


def test_sarif_asks_for_a_review(tmp_path: Path) -> None:
    (sarif,) = json.loads(run(tmp_path, _LINES, "--format", "sarif")[1])["runs"]
    kinds = {each["ruleId"]: each["kind"] for each in sarif["results"]}
    assert kinds["trouble/process-failed"] == "review"
    assert {each["id"] for each in sarif["tool"]["driver"]["rules"]} == {*kinds}


def test_junit_fails_only_where_it_is_asked_to(tmp_path: Path) -> None:
    assert 'failures="0"' in run(tmp_path, _LINES, "--format", "junit")[1].partition("<testcase")[0]
    assert 'failures="1"' in run(tmp_path, _LINES, "--format", "junit", "--fail-on", "trouble")[1]


def test_the_page_is_green_only_without_trouble(tmp_path: Path) -> None:
    assert 'class="verdict review"' in run(tmp_path, _LINES, "--format", "html")[1]
    healthy = (_HEALTHY,)
    assert 'class="verdict conforms"' in run(tmp_path, healthy, "--format", "html")[1]


def test_what_a_log_prints_stays_text(tmp_path: Path) -> None:
    assert "<img" not in run(tmp_path, (_MARKUP,), "--format", "html")[1]
    for form in ("text", "markdown", "github"):
        assert "\x1b" not in run(tmp_path, (_MARKUP,), "--format", form)[1]
    assert " <img" not in run(tmp_path, (_MARKUP,), "--format", "markdown")[1].replace("/", " ")


def test_errors_that_nothing_explains_are_listed(tmp_path: Path) -> None:
    strange = "[2025-03-04 10:00:00,000] ERROR The moon fell on broker 3 (kafka.server.KafkaApis)"
    _, text = run(tmp_path, (strange, strange, *_LINES))
    assert "this log has errors that nothing here explains, 2 times: The moon fell on broker #" in text
