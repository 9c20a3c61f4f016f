"""CONTRIBUTING.md is true: what it names is enough to add a thing, and each of the files that it names is needed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from isrproof.checker.audit.rules.catalogue import rules
from isrproof.checker.pages.rules import SCHEME
from isrproof.specs.metadata.levels import levels
from isrproof.specs.releases import RELEASES

from tests import tasks
from tests.imports import ROOT
from tests.tree import Tree, copied, named

full = pytest.mark.full
CASES = "tests/checker/audit/test_cases.py"
RULES = "tests/checker/test_rules.py"
RULE, CASE = "checker/audit/rules/broker/leads_from_below_zero.py", "traces/cases/{code}.md"


def next_code() -> str:
    """The code of a new rule on what brokers print: the number after the greatest of its subject."""
    (subject,) = ((first, last) for first, last, folders, about in SCHEME if "replicas, requests" in about)
    last = max(code for code in rules() if subject[0] <= code <= subject[1])
    return f"KR{int(last[2:]) + 1}"


def with_rule(tree: Tree, code: str, observation: str = "isr_lines") -> None:
    text = tasks.RULE.lstrip().replace("CODE", code).replace('"isr_lines"', f'"{observation}"')
    tree.write(RULE, text)
    tree.write(CASE.format(code=code), tasks.CASE.lstrip().replace("CODE", code))
    tree.replace(CASES, "ALONE = {\n", f'ALONE = {{\n    "{code}",\n')


def test_a_rule_is_two_files(tmp_path: Path) -> None:
    tree, code = copied(tmp_path, "Rule"), next_code()
    with_rule(tree, code)
    tree.check(CASES, RULES, "-k", f"{code} or every_rule or every_subject")


@full
def test_a_rule_and_its_pages(tmp_path: Path) -> None:
    tree, code = copied(tmp_path, "Rule"), next_code()
    with_rule(tree, code)
    (tree.root / CASE.format(code=code)).rename(tmp_path / "case")
    tree.failing(CASES, "-k", "every_rule")
    (tmp_path / "case").rename(tree.root / CASE.format(code=code))
    assert code in tree.generated("rules")
    pages = (RULES, "tests/test_docs.py", "tests/test_citations.py", "tests/test_english.py")
    tree.check(*pages, "-k", "not a_block_shows")  # a rule that nothing breaks changes nothing that a command prints


@full
def test_an_observation_is_a_module_and_the_meaning_of_its_columns(tmp_path: Path) -> None:
    tree = copied(tmp_path, "Observation")
    tree.write("checker/audit/observe/broker/replicas_deleted.py", tasks.OBSERVATION.lstrip())
    missing = tree.python("-m", "isrproof.checker.pages", "--check")
    assert "say what the column 'twice' of replicas_deleted means" in missing.stderr
    tree.replace("checker/pages/columns.toml", "\n[HOSTED]", 'twice = "how often it was deleted"\n\n[HOSTED]')
    assert "how often it was deleted" in tree.generated("observations")
    observed = "tests/checker/audit/test_observations.py"
    assert "test_some_rule_looks_at_it" in tree.failing(observed, "-k", "replicas_deleted and some_rule")
    rule = Tree(tree.root, "Rule")
    with_rule(rule, next_code(), "replicas_deleted")
    rule.check(observed, "-k", "replicas_deleted and some_rule")


@full
def test_a_release_is_its_rows_and_the_range_of_the_readme(tmp_path: Path) -> None:
    tree = copied(tmp_path, "Release, same behaviour")
    newest, level = RELEASES[-1], levels()[max(levels())]
    major, minor = newest.name.split(".")
    name = f"{major}.{int(minor) + 1}"
    row = next(line for line in tree.read("specs/releases.toml").splitlines() if f'name = "{newest.name}",' in line)
    new = row.replace(newest.name, name).replace(newest.tags[-1], f"{name}.0")
    tree.replace(
        "specs/releases.toml", row + "\n", row + "\n" + re.sub(r"tags = .*]", f'tags = ["{name}.0"]', new) + "\n"
    )
    levelled = next(
        line for line in tree.read("specs/metadata/levels.toml").splitlines() if f"level = {level.level}," in line
    )
    added = f'    {{ level = {level.level + 1}, name = "{name}-IV0", release = "{name}" }},'
    tree.replace("specs/metadata/levels.toml", levelled + "\n", levelled + "\n" + added + "\n")
    tests = ("tests/specs/test_releases.py", "tests/traces/record/test_releases.py", "tests/specs/test_machines.py")
    tree.failing(*tests)
    tree.replace("README.md", f"to {newest.name}.", f"to {name}.")
    assert f"{name}.0" in tree.generated("releases")
    tree.check(*tests, "tests/checker/audit/test_newer_lines.py", "-k", "releases or machines or headline")


@full
def test_an_envelope_is_a_row(tmp_path: Path) -> None:
    tree = copied(tmp_path, "Envelope of lines")
    tree.append("specs/envelopes.toml", tasks.ENVELOPE)
    tests = ("tests/checker/test_formats_command.py", "tests/checker/audit/test_formats.py")
    tree.check(*tests, "-k", "planted or are_listed")
    assert "a shipper that nobody knows" in tree.generated("formats")
    tree.replace("specs/envelopes.toml", "<kafka-1 2026", "<KAFKA 2026")
    tree.failing(*tests, "-k", "planted")


@full
def test_a_type_of_metadata_record_is_a_row_that_says_what_it_bears_on(tmp_path: Path) -> None:
    tree = copied(tmp_path, "Metadata record, or a version or field of one")
    control = "# Control records:"
    tree.replace("specs/metadata/records.toml", control, tasks.RECORD + control)
    tests = ("tests/traces/metadata/test_records.py", "tests/checker/audit/test_newer_records.py")
    chosen = ("-k", "as_written or table_lacks or every_field or each_type")
    assert "test_each_type_is_applied_or_bears_on_nothing" in tree.failing(*tests, *chosen)
    tree.replace("specs/metadata/records.toml", 'name = "Planted"', 'name = "Planted"\nbears = false')
    tree.check(*tests, *chosen)


@full
def test_a_property_of_a_cluster_is_one_definition(tmp_path: Path) -> None:
    tree, file = copied(tmp_path, "Property of a cluster"), "model/cluster/controller_properties.py"
    tree.replace(file, "\n\ndef properties(", tasks.PROPERTY)
    tree.replace(
        file,
        "        ONE_CONTROLLER_PER_EPOCH,\n",
        "        ONE_CONTROLLER_PER_EPOCH,\n        ACTING_EPOCHS_ARE_WRITTEN,\n",
    )
    small = ("cluster", "--property", "ActingEpochsAreWritten", "--set", "outages=2", "--set", "failovers=1")
    explored = tree.python("-m", "isrproof.checker", "explore", *small)
    assert explored.returncode == 0, explored.stdout + explored.stderr
    assert "ActingEpochsAreWritten" in tree.generated("models")
    tree.check("tests/model/test_catalogue.py", "tests/test_citations.py")
    tree.replace(file, "epoch[c] <= controller_epoch", "epoch[c] < controller_epoch")
    assert tree.python("-m", "isrproof.checker", "explore", *small).returncode == 1


@full
def test_a_false_illegal_is_an_excerpt_and_a_mend_in_one_place(tmp_path: Path) -> None:
    code = next_code()
    with_rule(copied(tmp_path, "Rule"), code)
    tree = Tree(tmp_path / "isrproof", "False illegal")
    line = tasks.LEADS.format(offset=-1)
    tree.append(CASE.format(code=code), f"\n## Silent: it has no log yet\n\n```log state-change.log\n{line}\n```\n")
    tree.failing(CASES, "-k", code)
    mend = Tree(tree.root, "the rule claims more than Kafka guarantees")
    mend.replace(RULE, '"offset", Int()) < 0', '"offset", Int()) < -1')
    tree.check(CASES, "-k", code)


# ---- The copy itself


def test_a_file_that_is_not_named_is_refused(tmp_path: Path) -> None:
    tree = Tree(tmp_path, "Rule")
    with pytest.raises(ValueError, match=r"CONTRIBUTING.md, Rule: checker/audit/lines.py is not named"):
        tree.write("checker/audit/lines.py", "")


def test_what_is_named_is_there() -> None:
    """A path without a placeholder is a file; one with a placeholder has files of that form."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tables = re.findall(r"^\|([^|]+)\|([^|]+)\|", text, re.MULTILINE)
    known = [
        path.relative_to(ROOT).as_posix()
        for name in ("checker", "model", "specs", "traces", "tests", "docs")
        for path in (ROOT / name).rglob("*.*")
    ]
    known += [path.name for path in ROOT.glob("*.*")]
    tasks_named = {task.replace("*", "").strip() for task, _ in tables}
    assert {"Rule", "Observation", "False illegal", "Property of a cluster"} <= tasks_named
    for task in sorted(tasks_named):
        for pattern in named(task):
            if "/" in pattern:
                assert any(re.fullmatch(pattern, path) for path in known), (task, pattern)
