"""Verdicts on models for CI: of an exploration and of a proof alike, with the line that states the property."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from isrproof.checker.ci.claim_forms import write
from isrproof.checker.ci.claims import PROJECT, Claim, Claims, Place, place_of
from isrproof.checker.ci.github import annotation
from isrproof.checker.commands.explore import command

PROPERTIES = ("TypeOk", "WeakIsr")
PATH = "1. initial state\n2. a<b>\x1b"
BROKEN = Claim("m", "P", "It holds.", "violated", PATH, "fails: x | y", Place("model.py", 7), 1.25)
OPEN = Claim("m", "Q", "It holds, too.", "unknown", "stopped at 5 states")
SOUND = Claim("n", "P", "It holds.", "holds", "")
FOUND = Claims([BROKEN, OPEN, SOUND], "violated", 2.5, "explore")


def explored(form: str) -> str:
    pytest.importorskip("numpy")
    asked = [part for name in PROPERTIES for part in ("--property", name)]
    result = CliRunner().invoke(command, ["kip101", "--set", "replicas=2", *asked, "--format", form])
    assert result.exit_code == 1, result.output
    return result.stdout


def test_sarif_of_a_model_is_what_its_schema_says_and_names_the_line_of_the_property() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((Path(__file__).parent / "audit" / "schemas" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    document = json.loads(explored("sarif"))
    assert list(jsonschema.Draft7Validator(schema).iter_errors(document)) == []
    results = {each["ruleId"]: each for each in document["runs"][0]["results"]}
    assert {name: each["kind"] for name, each in results.items()} == {"TypeOk": "pass", "WeakIsr": "fail"}
    place = results["WeakIsr"]["locations"][0]["physicalLocation"]
    file = Path(__file__).parents[2] / "model" / "replication" / "properties.py"
    assert place["artifactLocation"]["uri"].endswith("model/replication/properties.py")
    line = file.read_text(encoding="utf-8").splitlines()[place["region"]["startLine"] - 1]
    assert "Property(" in line


def test_junit_of_a_model_fails_for_a_violation_and_skips_what_is_unknown() -> None:
    pytest.importorskip("junitparser")
    first, second = ElementTree.fromstring(write("junit", FOUND).encode())
    failure, skipped = first[0].find("failure"), first[1].find("skipped")
    assert failure is not None
    assert failure.text == "fails: x | y\n1. initial state\n2. a<b>\\x1b"
    assert skipped is not None
    assert "stopped at 5 states" in skipped.get("message", "")
    assert len(second[0]) == 0


def test_annotations_of_a_model() -> None:
    lines = write("github", FOUND).splitlines()
    assert lines == [
        "::error file=model.py,line=7,title=m%3A P is violated::"
        "It holds.%0Afails: x | y%0A1. initial state%0A2. a<b>\\x1b",
        "::warning title=m%3A Q is unknown::It holds, too.%0Astopped at 5 states",
        "::notice title=m%2C n::1 of 3 properties hold",
    ]


def test_the_forms_of_a_proof_are_those_of_an_exploration() -> None:
    pytest.importorskip("z3")
    from isrproof.checker.commands.prove import command as prove

    result = CliRunner().invoke(prove, ["kip320", "--property", "LeaderInIsr", "--format", "github"])
    assert (result.exit_code, result.stdout) == (0, "::notice title=kip320::1 of 1 properties hold\n")


def test_the_proof_of_a_table_has_these_forms_too() -> None:
    pytest.importorskip("z3")
    from isrproof.checker.commands.prove import command as prove

    asked = ["broker-registration", "--property", "OnlyUnfencedShutDown", "--format"]
    result = CliRunner().invoke(prove, [*asked, "sarif"])
    assert result.exit_code == 0, result.output
    (shown,) = json.loads(result.stdout)["runs"][0]["results"]
    assert (shown["ruleId"], shown["kind"]) == ("OnlyUnfencedShutDown", "pass")
    place = shown["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("model/lifecycles.py")
    result = CliRunner().invoke(prove, [*asked, "github"])
    assert result.stdout == "::notice title=broker-registration table::1 of 1 properties hold\n"


def test_an_annotation_is_one_command_whatever_it_holds() -> None:
    assert annotation("error", "100%\n::error::x", {"title": "a:b,c\n"}) == (
        "::error title=a%3Ab%2Cc ::100%25%0A::error::x"
    )


def test_a_property_is_found_where_it_is_defined(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text('X = Property("Other", "")\nY = Property(\n    "Mine",\n)\n')
    assert place_of("Mine", "It holds.", [file]) == Place(str(file), 2)
    assert place_of("None", "It holds.", [file]) is None


def test_of_two_properties_of_one_name_the_one_with_the_statement_is_meant(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("raft.py", "replication.py")]
    files[0].write_text('Property("LogMatching", "Of the quorum.")\n')
    files[1].write_text('\nProperty(\n    "LogMatching",\n    "Of replicas, "\n    "two of them.",\n)\n')
    assert place_of("LogMatching", "Of replicas, two of them.", files) == Place(str(files[1]), 2)
    assert place_of("LogMatching", "Of the quorum.", files) == Place(str(files[0]), 1)
    assert place_of("LogMatching", "Of nothing.", files) == Place(str(files[0]), 1)


def test_a_violation_names_the_clause_that_fails_in_every_form() -> None:
    for form in ("sarif", "junit", "github", "markdown"):
        if form == "junit":
            pytest.importorskip("junitparser")
        assert "fails: local_leader[one] = one and other in local_isr[one]" in explored(form)
        assert "fails: x" in write(form, FOUND)
        assert "fails:" not in write(form, Claims([OPEN, SOUND], "unknown", 0.0))


def test_a_property_of_a_built_in_model_is_no_file_of_the_users_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = PROJECT / "model" / "replication" / "properties.py"
    monkeypatch.chdir(tmp_path)
    place = place_of("WeakIsr", "", [file])
    assert place is not None
    assert place == Place("model/replication/properties.py", place.line, ours=True)
    claimed = Claims([Claim("m", "WeakIsr", "It holds.", "violated", "", place=place)], "violated", 0.0)
    written = write("github", claimed)
    assert "file=" not in written
    assert f"written in isrproof's model/replication/properties.py:{place.line}" in written
    (run,) = json.loads(write("sarif", claimed))["runs"]
    artifact = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": "model/replication/properties.py", "uriBaseId": "ISRPROOF"}
    assert run["originalUriBaseIds"]["ISRPROOF"]["uri"].endswith("/")
    monkeypatch.chdir(PROJECT)
    assert place_of("WeakIsr", "", [file]) == place._replace(ours=False)


def test_junit_has_the_times_that_were_measured() -> None:
    pytest.importorskip("junitparser")
    document = ElementTree.fromstring(write("junit", FOUND).encode())
    assert document.get("time") == "2.5"
    assert [case.get("time") for suite in document for case in suite] == ["1.25", None, None]
    (suite,) = ElementTree.fromstring(write("junit", Claims([OPEN], "unknown", 2.5)).encode())
    assert suite.get("time") == "2.5"


def test_sarif_leads_to_this_project() -> None:
    (run,) = json.loads(write("sarif", FOUND))["runs"]
    driver = run["tool"]["driver"]
    assert driver["informationUri"].startswith("https://")
    assert {each["helpUri"] for each in driver["rules"]} == {
        f"{run['originalUriBaseIds']['ISRPROOF']['uri']}docs/models.md"
    }


def test_markdown_shows_text_as_it_is() -> None:
    hostile = Claim("m|n", "P", "<img src=x>", "violated", "```\n# no heading")
    written = write("markdown", Claims([hostile], "violated", 0.0))
    assert "<img" not in written.partition("```")[0].replace("\\<", "")
    assert "````text\n```\n# no heading\n````" in written
    assert "m\\|n" in written


def test_one_run_writes_every_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("junitparser")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    files = {"--sarif": "a.sarif", "--junit": "a.xml", "--json-out": "a.json"}
    asked = [part for option, name in files.items() for part in (option, str(tmp_path / name))]
    result = CliRunner().invoke(
        command, ["kip320", "--set", "replicas=2", "--property", "WeakIsr", "--format", "github", *asked]
    )
    assert result.exit_code == 0, result.output
    assert json.loads((tmp_path / "a.sarif").read_text())["version"] == "2.1.0"
    assert ElementTree.fromstring((tmp_path / "a.xml").read_text().encode()).get("failures") == "0"
    assert json.loads((tmp_path / "a.json").read_text())["verdict"] == "holds"
    assert (tmp_path / "summary.md").read_text().startswith("## isrproof explore: holds")


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (["--sarif", "."], "is a directory"),
        (["--sarif", "nowhere/a.sarif"], "nowhere does not exist"),
        (["--sarif", "a", "--json-out", "./a"], "--json-out a: expected another file than that of --sarif."),
        (["--list", "--sarif", "a"], "--list cannot be used with --sarif"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_the_search(
    asked: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("isrproof.checker.explore.run.explore_instance", None)
    result = CliRunner().invoke(command, ["kip320", *asked])
    assert (result.exit_code, says in result.output) == (2, True), result.output


@pytest.mark.parametrize(("asked", "says"), [("--junit a.xml", "--junit"), ("--format junit", "--format junit")])
def test_a_missing_library_is_told_before_the_search(
    asked: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("isrproof.checker.packages.find_spec", lambda name: None)
    monkeypatch.setattr("isrproof.checker.explore.run.explore_instance", None)
    result = CliRunner().invoke(command, ["kip320", *asked.split()])
    assert result.exit_code == 2
    assert f"{says} needs junitparser: pip install 'isrproof[reports]'" in result.output
