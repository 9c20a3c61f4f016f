"""Every form of a report: what its readers accept, and that log content stays text in it."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.report.forms import FORMS, AuditRun, write
from isrproof.checker.audit.report.model import VERDICTS
from isrproof.checker.audit.rules.catalogue import rules
from isrproof.checker.ci.summary import cut
from isrproof.checker.commands.audit import command

from tests.recordings import CHAOS, FAILOVER, RECORDED
from tests.reports import CONTEXT, HOSTILE, made, poisoned

CLEAN = RECORDED / "lifecycle-2.0.0"
SOUND = RECORDED / "failover-elsewhere-2.0.0-kill"


def form(name: str, path: Path, partition: str | None = None, failing: Sequence[str] = ("illegal",)) -> str:
    return write(name, AuditRun([str(path)], [made(path, partition)], failing=failing, context=CONTEXT))


@pytest.fixture(scope="module")
def hostile() -> AuditRun:
    return AuditRun(["logs" + HOSTILE], [poisoned(made(CHAOS))], context=poisoned(CONTEXT))


# ---- All of them


def test_every_form_is_a_module_and_a_choice_of_the_command() -> None:
    folder = Path(__file__).parents[3] / "checker" / "audit" / "report"
    writers = {
        path.stem for path in folder.glob("*.py") if re.search(r"^def write\(run: AuditRun\)", path.read_text(), re.M)
    }
    assert set(FORMS) == writers
    shown = " ".join(CliRunner().invoke(command, ["--help"]).output.split())
    assert all(f"{name}: {each.says}" in shown for name, each in FORMS.items())


@pytest.mark.full(every=20)
@pytest.mark.parametrize("name", sorted(set(FORMS) - {"ndjson"}))
@pytest.mark.parametrize("path", [CHAOS, pytest.param(CLEAN, marks=pytest.mark.slow)], ids=["illegal", "conforms"])
def test_the_same_input_gives_the_same_bytes(name: str, path: Path) -> None:
    assert form(name, path) == form(name, path) != ""


@pytest.mark.full
def test_every_form_takes_several_clusters() -> None:
    run = AuditRun([str(CHAOS), str(CLEAN)], [made(CHAOS), made(CLEAN)], each=True)
    for name in FORMS:
        assert "lifecycle-2.0.0" in write(name, run), name


@pytest.mark.full
def test_the_exit_code_does_not_depend_on_the_form() -> None:
    for name, each in FORMS.items():
        arguments = ["--engine", "columns", *(["--partition", "t-1"] if each.partition else []), "--format", name]
        assert CliRunner().invoke(command, [*arguments, str(SOUND)]).exit_code == 0, name
        assert CliRunner().invoke(command, [*arguments, str(FAILOVER)]).exit_code == 1, name


# ---- SARIF


@pytest.fixture(scope="module")
def sarif_schema() -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    return jsonschema.Draft7Validator(schema, format_checker=jsonschema.Draft7Validator.FORMAT_CHECKER)


def sarif(path: Path) -> dict[str, Any]:
    (run,) = json.loads(form("sarif", path))["runs"]
    return dict(run)


@pytest.mark.parametrize("path", [CHAOS, CLEAN, FAILOVER], ids=["illegal", "conforms", "failover"])
def test_sarif_is_what_its_schema_says(sarif_schema: Any, path: Path) -> None:
    assert list(sarif_schema.iter_errors(json.loads(form("sarif", path)))) == []


def test_hostile_sarif_is_what_its_schema_says(sarif_schema: Any, hostile: AuditRun) -> None:
    assert list(sarif_schema.iter_errors(json.loads(write("sarif", hostile)))) == []


def test_the_schema_refuses_something(sarif_schema: Any) -> None:
    assert list(sarif_schema.iter_errors({"version": "2.1.0", "runs": [{"results": []}]}))


def test_sarif_has_every_finding_with_its_rule_and_line() -> None:
    run = sarif(CHAOS)
    report = made(CHAOS)
    codes = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    got = [
        (
            codes[each["ruleIndex"]],
            each["properties"]["verdict"],
            each["locations"][0]["physicalLocation"]["region"]["startLine"],
        )
        for each in of_rules(run)
    ]
    assert sorted(got) == sorted((each.rule, each.verdict, each.line) for each in report.findings)
    assert all((each["level"] != "none") == (each["kind"] == "fail") for each in run["results"])
    assert run["results"][0]["level"] == "error"


def test_fingerprints_survive_rotation(tmp_path: Path) -> None:
    """The same lines, in files of other names, cut at another place."""
    moved = tmp_path / "elsewhere"
    shutil.copytree(FAILOVER, moved)
    log = moved / "broker-4" / "state-change.log"
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    (moved / "broker-4" / "state-change.log.1").write_text("".join(lines[:20]))
    log.write_text("".join(lines[20:]))
    before, after = ({mark(each) for each in of_rules(sarif(path))} for path in (FAILOVER, moved))
    assert before == after
    assert len(before) == 2


def of_rules(run: Mapping[str, Any]) -> list[Any]:
    """The results that are findings; the others are trouble for the cluster."""
    return [each for each in run["results"] if each["kind"] != "review" or "partialFingerprints" in each]


def mark(result: Mapping[str, Any]) -> str:
    return str(result["partialFingerprints"]["primaryLocationLineHash"])


def test_fingerprints_tell_findings_apart() -> None:
    marks = [mark(each) for each in of_rules(sarif(CHAOS))]
    assert len(set(marks)) == len(marks) == 24


def test_more_results_than_github_keeps_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isrproof.checker.audit.report.sarif.MOST", 2)
    run = sarif(CHAOS)
    assert [each["properties"]["verdict"] for each in of_rules(run)] == ["illegal", "illegal"]
    notes = [each["message"]["text"] for each in run["invocations"][0]["toolExecutionNotifications"]]
    assert "22 findings beyond the limit of 2 are left out here" in notes


# ---- JUnit


def test_junit_has_a_case_for_every_rule() -> None:
    pytest.importorskip("junitparser")
    (suite,) = ElementTree.fromstring(form("junit", CHAOS).encode())
    cases = {case.get("name", "").split()[0]: case for case in suite}
    assert set(cases) == {*rules(), "every", "nothing"}
    assert cases["KR401"].find("failure") is not None
    assert cases["KR402"].find("failure") is None  # suspicious
    assert "suspicious" in (cases["KR402"].findtext("system-out") or "")
    assert suite.get("failures") == "1"


def test_junit_fails_for_what_the_exit_code_fails_for() -> None:
    pytest.importorskip("junitparser")
    (suite,) = ElementTree.fromstring(form("junit", CHAOS, failing=("illegal", "suspicious")).encode())
    assert {case.get("name", "")[:5] for case in suite if case.find("failure") is not None} == {
        "KR203",
        "KR401",
        "KR402",
    }


def test_junit_skips_what_had_nothing_to_check_with_the_reason(tmp_path: Path) -> None:
    pytest.importorskip("junitparser")
    log = tmp_path / "controller.log"
    log.write_text("[2018-08-03 12:00:00,123] INFO [Controller id=3] Resigned (kafka.controller.KafkaController)\n")
    (suite,) = ElementTree.fromstring(form("junit", log).encode())
    skipped = [case.find("skipped") for case in suite]
    assert len([each for each in skipped if each is not None]) == len(rules())
    assert all("nothing to check" in each.get("message", "") for each in skipped if each is not None)


def test_junit_of_an_incomplete_audit_has_an_error(tmp_path: Path) -> None:
    pytest.importorskip("junitparser")
    shutil.copytree(CLEAN, tmp_path / "logs")
    (tmp_path / "logs" / "more.log").write_bytes(b"\0\1\2" * 100)
    (suite,) = ElementTree.fromstring(form("junit", tmp_path / "logs").encode())
    assert suite.get("errors") == "1"
    error = suite[0].find("error")
    assert error is not None
    assert "binary" in error.get("message", "")


def test_junit_is_xml_whatever_the_log_holds(hostile: AuditRun) -> None:
    pytest.importorskip("junitparser")
    text = write("junit", hostile)
    assert "\x1b" not in text
    (suite,) = ElementTree.fromstring(text.encode())
    assert any("<script>alert(1)</script>" in (case.findtext("failure") or "") for case in suite)


# ---- GitHub


def test_annotations_are_one_line_each_whatever_the_log_holds(hostile: AuditRun) -> None:
    lines = write("github", hostile).splitlines()
    assert "file=" in lines[0]
    assert ",line=" in lines[0]
    for line in lines:
        assert re.fullmatch(r"::(error|warning|notice) ([a-z]+=[^,:]*,?)+::.*", line), line


def test_the_severest_annotations_come_first() -> None:
    kinds = [line[2:].split()[0] for line in form("github", CHAOS).splitlines() if "::troubled: " not in line]
    assert kinds == sorted(kinds, key=["error", "warning", "notice"].index)


def test_a_conforming_log_gets_one_notice() -> None:
    line = form("github", CLEAN).splitlines()[-1]
    assert line.startswith("::notice title=isrproof audit::conforms.")


def test_a_step_summary_is_written_where_github_wants_it(tmp_path: Path) -> None:
    where = tmp_path / "summary.md"
    where.write_text("before\n")
    arguments = ["--engine", "python", "--format", "github", str(FAILOVER)]
    CliRunner().invoke(command, arguments, env={"GITHUB_STEP_SUMMARY": str(where)})
    assert where.read_text().startswith("before\n## isrproof audit")


def test_a_step_summary_is_never_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isrproof.checker.ci.summary._LONGEST", 500)
    assert len(cut(form("markdown", CHAOS)).encode()) < 600
    assert cut("short") == "short"


def test_one_run_writes_every_form(tmp_path: Path) -> None:
    pytest.importorskip("junitparser")
    files = {"--html": "a.html", "--sarif": "a.sarif", "--junit": "a.xml", "--json-out": "a.json"}
    asked = [part for option, name in files.items() for part in (option, str(tmp_path / name))]
    done = CliRunner().invoke(command, ["--engine", "python", "--format", "github", *asked, str(FAILOVER)])
    assert done.exit_code == 1, done.output
    assert "::error " in done.stdout
    assert (tmp_path / "a.html").read_text().startswith("<!DOCTYPE html>")
    assert json.loads((tmp_path / "a.json").read_text())["verdict"] == "illegal"
    codes = {
        rule["id"]: rule["helpUri"]
        for rule in json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["tool"]["driver"]["rules"]
    }
    assert codes["KR401"] == "https://issues.apache.org/jira/browse/KAFKA-3143"
    document = ElementTree.parse(tmp_path / "a.xml").getroot()
    assert float(document.get("time", "0")) > 0
    assert document[0].get("time") == document.get("time")
    assert all(case.get("time") is None for case in document[0])


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (("--sarif", "logs/state-change.log"), "--sarif logs/state-change.log: expected the name of another file"),
        (("--junit", "nowhere/a.xml"), "nowhere does not exist"),
        (("--json-out", "logs"), "is a directory"),
        (("--json-out", "a", "--html", "a"), "expected another file than that of --html"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_the_audit(
    asked: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("isrproof.checker.audit.command.auditing", None)
    shutil.copytree(FAILOVER / "broker-4", tmp_path / "logs")
    done = CliRunner().invoke(command, ["logs", *asked])
    assert (done.exit_code, says in done.output) == (2, True), done.output


@pytest.mark.parametrize(
    ("asked", "needs"),
    [
        ("--html a.html", "--html needs jinja2"),
        ("--format html", "--format html needs jinja2"),
        ("--junit a", "--junit needs junitparser"),
    ],
)
def test_a_missing_library_is_told_before_the_audit(
    asked: str, needs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("isrproof.checker.audit.command.auditing", None)
    monkeypatch.setattr("isrproof.checker.packages.find_spec", lambda name: None)
    done = CliRunner().invoke(command, [str(FAILOVER), *asked.split()])
    assert done.exit_code == 2
    assert f"Error: {needs}: pip install 'isrproof[reports]'" in done.output


# ---- Markdown and CSV


def test_the_text_says_whether_a_cause_healed_and_what_to_do_first() -> None:
    text = form("text", FAILOVER)
    assert "Not healed: 2 of 2 findings without a live leader until the end of the log." in text
    assert "what to do: Start the dead broker again" in text
    assert "Healed: 2 of 2 findings, the last 8.912 s later." in form("text", CHAOS)


def test_markdown_says_what_to_do_and_whether_it_healed() -> None:
    text = form("markdown", CHAOS)
    assert "**illegal**: 3 illegal, 11 suspicious, 10 refused" in text
    assert "Upgrade to 2.3.0 or later, in which KAFKA-3143 is fixed." in text
    assert "Healed" in text
    assert text.index("KR401") < text.index("KR203")
    assert len(text) < 10_000


def test_log_content_is_no_markup(hostile: AuditRun) -> None:
    text = write("markdown", hostile)
    outside = re.sub(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", "", text)
    assert "alert" in text
    assert not re.search(r"(?<!\\)<|(?<!\\)@", outside)
    assert "\x1b" not in text


def test_csv_has_a_row_for_each_finding(hostile: AuditRun) -> None:
    rows = list(csv.DictReader(io.StringIO(form("csv", CHAOS))))
    assert [(row["rule"], row["file"], int(row["line"])) for row in rows] == [
        (each.rule, each.file, each.line) for each in made(CHAOS).findings
    ]
    assert any(row["healed"] for row in rows if row["rule"] == "KR401")
    assert len(list(csv.DictReader(io.StringIO(write("csv", hostile))))) == len(rows)


def test_no_cell_is_a_formula() -> None:
    report = made(CHAOS)
    first = replace(report.findings[0], message="=cmd|'/c calc'!A1", excerpt="@SUM(1)")
    run = AuditRun(["logs"], [replace(report, findings=(first,))])
    (row,) = csv.DictReader(io.StringIO(write("csv", run)))
    assert (row["message"], row["excerpt"]) == ("'=cmd|'/c calc'!A1", "'@SUM(1)")


# ---- Timelines


def test_slices_of_a_lane_never_overlap() -> None:
    trace = json.loads(form("perfetto", CHAOS))
    lanes: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for event in trace["traceEvents"]:
        assert {"ph", "pid"} <= set(event)
        if event["ph"] == "X":
            assert event["dur"] >= 0
            lanes[event["pid"], event["tid"]].append((event["ts"], event["dur"]))
    for slices in lanes.values():
        ordered = sorted(slices)
        for (start, length), (following, _) in pairwise(ordered):
            assert start + length <= following
    named = {(each["pid"], each.get("tid")) for each in trace["traceEvents"] if each["ph"] == "M"}
    assert set(lanes) <= named
    assert {(pid, None) for pid, _ in lanes} <= named
    processes = {each["args"]["name"]: each["pid"] for each in trace["traceEvents"] if each["name"] == "process_name"}
    assert [processes[f"broker {id}"] for id in (1, 2, 3)] == [1, 2, 3]
    assert not set(processes.values()) & {tid for _, tid in lanes}, "no lane is called a main thread"


def test_a_trace_has_a_mark_for_every_finding_and_counts_what_is_offline() -> None:
    events = json.loads(form("perfetto", CHAOS))["traceEvents"]
    assert len([each for each in events if each["ph"] == "i"]) == 24
    counts = [each["args"]["n"] for each in events if each["ph"] == "C"]
    assert max(counts) > 0
    assert min(counts) >= 0


def test_vector_clocks_grow_and_are_told_by_the_pattern() -> None:
    head, empty, *lines = form("shiviz", CHAOS).splitlines()
    assert empty == ""
    pattern = re.compile(head.replace("(?<", "(?P<"))
    clocks: dict[str, dict[str, int]] = {}
    for line in lines:
        match = pattern.fullmatch(line)
        assert match, line
        host, clock = match["host"], json.loads(match["clock"])
        before = clocks.get(host, {})
        assert clock[host] == before.get(host, 0) + 1
        assert all(clock.get(other, 0) >= count for other, count in before.items())
        for other, count in clock.items():
            assert other == host or count <= clocks[other][other]
        clocks[host] = clock
    assert len(clocks) == 3
    assert any(len(clock) > 1 for clock in clocks.values())


def test_a_partition_is_a_line_for_each_state() -> None:
    rows = [json.loads(line) for line in form("ndjson", CHAOS, partition="d-0").splitlines()]
    assert len(rows) == len(made(CHAOS, "d-0").timeline or ())
    assert {(row["topic"], row["partition"]) for row in rows} == {("d", 0)}


def test_events_of_one_partition_want_its_name() -> None:
    result = CliRunner().invoke(command, ["--engine", "python", "--format", "ndjson", str(CHAOS)])
    assert result.exit_code == 2
    assert "--partition TOPIC-N" in result.stderr


# ---- Baseline


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", ["json", "sarif"])
def test_findings_of_a_baseline_are_not_told_again(tmp_path: Path, name: str) -> None:
    baseline = tmp_path / "baseline"
    baseline.write_text(form(name, CHAOS))
    arguments = ["--engine", "python", "--json", "--baseline", str(baseline)]
    known = CliRunner().invoke(command, [*arguments, str(CHAOS)])
    report = json.loads(known.stdout)
    assert (known.exit_code, report["verdict"], report["findings"]) == (0, "conforms", [])
    assert report["counts"] == dict.fromkeys(VERDICTS, 0)
    assert any("24 findings of the baseline" in note for note in report["notes"])
    other = CliRunner().invoke(command, [*arguments, str(FAILOVER)])
    assert (other.exit_code, len(json.loads(other.stdout)["findings"])) == (1, 2)


@pytest.mark.parametrize("content", ["no json", "[]", "{}", '{"findings": [{}]}', '{"runs": [{}]}'])
def test_what_is_no_baseline_is_told_in_one_message(tmp_path: Path, content: str) -> None:
    baseline = tmp_path / "baseline"
    baseline.write_text(content)
    result = CliRunner().invoke(command, ["--engine", "python", "--baseline", str(baseline), str(CLEAN)])
    assert result.exit_code == 2
    assert "expected a report that" in result.stderr


# ---- A metadata log


@pytest.mark.parametrize("name", sorted(set(FORMS) - {"ndjson", "shiviz"}))
def test_findings_of_a_metadata_log_are_in_every_form(name: str) -> None:
    assert "KR525" in form(name, RECORDED.parent / "recorded-kraft" / "chaos-3.5.2")
