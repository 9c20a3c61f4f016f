"""Verdicts on models for CI: of an exploration and of a proof alike, with the line that states the property."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from isrproof.checker.ci.claims import Claim, place_of, write
from isrproof.checker.ci.github import annotation
from isrproof.checker.commands.explore import command

PROPERTIES = ("TypeOk", "WeakIsr")
BROKEN = Claim("m", "P", "It holds.", "violated", "1. initial state\n2. a<b>\x1b", "model.py", 7)
OPEN = Claim("m", "Q", "It holds, too.", "unknown", "stopped at 5 states")
SOUND = Claim("n", "P", "It holds.", "holds", "")


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
    first, second = ElementTree.fromstring(write("junit", [BROKEN, OPEN, SOUND]).encode())
    failure, skipped = first[0].find("failure"), first[1].find("skipped")
    assert failure is not None
    assert failure.text == "1. initial state\n2. a<b>\\x1b"
    assert skipped is not None
    assert "stopped at 5 states" in skipped.get("message", "")
    assert len(second[0]) == 0


def test_annotations_of_a_model() -> None:
    lines = write("github", [BROKEN, OPEN, SOUND]).splitlines()
    assert lines == [
        "::error file=model.py,line=7,title=m%3A P is violated::It holds.%0A1. initial state%0A2. a<b>\\x1b",
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
    assert place_of("Mine", "It holds.", [file]) == (str(file), 2)
    assert place_of("None", "It holds.", [file]) is None


def test_of_two_properties_of_one_name_the_one_with_the_statement_is_meant(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("raft.py", "replication.py")]
    files[0].write_text('Property("LogMatching", "Of the quorum.")\n')
    files[1].write_text('\nProperty(\n    "LogMatching",\n    "Of replicas, "\n    "two of them.",\n)\n')
    assert place_of("LogMatching", "Of replicas, two of them.", files) == (str(files[1]), 2)
    assert place_of("LogMatching", "Of the quorum.", files) == (str(files[0]), 1)
    assert place_of("LogMatching", "Of nothing.", files) == (str(files[0]), 1)
