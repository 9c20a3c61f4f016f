"""`isrproof rules`: the catalogue and the pages of the rules."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache

import pytest
from click.testing import CliRunner, Result
from isrproof.checker.audit.rules.catalogue import RETIRED, find, rules
from isrproof.checker.audit.rules.pages import REQUIRED, headings, page, path, summary
from isrproof.checker.audit.rules.rule import Rule
from isrproof.checker.audit.rules.verdicts import ILLEGAL
from isrproof.checker.cli import main
from isrproof.checker.pages import rules as rules_page
from isrproof.model.expr import Expr
from isrproof.specs.errors import IsrproofError
from isrproof.specs.releases import span

RULES = [pytest.param(rule, id=code) for code, rule in rules().items()]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["rules", *arguments])


@cache
def all_pages() -> Mapping[str, str]:
    return rules_page.further()


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_says_what_is_wrong_why_it_matters_and_where(rule: Rule) -> None:
    assert set(REQUIRED) <= set(headings(rule))
    assert summary(rule).endswith(".")
    assert len(summary(rule)) <= 120
    assert span(rule.releases)


def parts(expression: Expr) -> Iterator[Expr]:
    """Yield an expression and all that it is made of."""
    yield expression
    for argument in expression.args:
        yield from parts(argument)


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_that_is_never_illegal_says_what_would_make_it_certain(rule: Rule) -> None:
    never_illegal = not any(part == ILLEGAL for part in parts(rule.verdict))
    assert ("What would make it certain" in headings(rule)) is never_illegal


@pytest.mark.parametrize("rule", RULES)
def test_the_page_has_the_docstring_an_example_and_the_facts(rule: Rule) -> None:
    shown = page(rule)
    assert shown.startswith(f"# {rule.code} {rule.name}\n\n{summary(rule)}\n")
    for heading in (*headings(rule), "Example: ", "Close to it, and legal: ", "Facts"):
        assert f"\n\n## {heading}" in shown
    assert "  <== " in shown
    assert all(issue in shown for issue in rule.issues)
    assert "\n    " not in shown
    assert run(rule.code).output == shown
    file = all_pages()[f"docs/{path(rule)}"]
    assert file.startswith(shown)
    assert "\n**Next:** [" in file.removeprefix(shown)


@pytest.mark.parametrize("rule", RULES)
def test_a_code_is_one_of_its_subject(rule: Rule) -> None:
    folders = [folders for first, last, folders, _ in rules_page.SCHEME if first <= rule.code <= last]
    assert re.fullmatch(r"KR\d{3}", rule.code)
    assert len(folders) == 1
    assert rule.family in folders[0]


def test_every_subject_has_rules() -> None:
    for first, last, folders, about in rules_page.SCHEME:
        assert {rule.family for code, rule in rules().items() if first <= code <= last} == set(folders), about


def test_the_list_names_every_rule() -> None:
    lines = run().output.splitlines()
    assert [line.split()[:2] for line in lines] == [[rule.code, rule.name] for rule in rules().values()]


def test_json_has_the_same() -> None:
    found = json.loads(run("--json").output)["rules"]
    assert [row["code"] for row in found] == list(rules())
    one = json.loads(run("KR401", "--json").output)
    assert one["issues"][0] == "KAFKA-3143"
    assert one["fixed_in"] == ["2.3.0"]
    assert one["page"] == page(rules()["KR401"])


def test_a_rule_is_found_by_code_and_by_name() -> None:
    assert find("kr104") is find("impossible-partition-state") is rules()["KR104"]


@pytest.mark.parametrize(("wrong", "near"), [("KR4O1", "KR401"), ("leader-not-in-isrs", "leader-not-in-isr")])
def test_an_unknown_rule_is_misuse(wrong: str, near: str) -> None:
    result = run(wrong)
    assert result.exit_code == 2
    assert near in result.output
    as_json = run(wrong, "--json")
    assert as_json.exit_code == 2
    assert near in json.loads(as_json.stdout)["error"]


def test_a_retired_rule_says_why_it_went_and_its_code_is_not_used_again() -> None:
    assert not RETIRED.keys() & rules().keys()
    (code, why), *_ = RETIRED.items()
    with pytest.raises(IsrproofError, match=f"{code} is retired: {why[:20]}"):
        find(code)


def test_the_bugs_of_a_release_are_those_it_has_and_that_are_not_fixed() -> None:
    def issues(release: str) -> set[str]:
        return {each["issue"] for each in json.loads(run("--bugs", "--release", release, "--json").stdout)["bugs"]}

    assert {"KAFKA-16757", "KAFKA-18991"} <= issues("3.7.0")
    assert "KAFKA-16757" not in issues("3.7.1")
    assert "KAFKA-19975" not in issues("4.3.0")
    assert "KAFKA-20832" in issues("4.3.1")


def test_the_bugs_that_only_behaviours_know_are_listed_by_row() -> None:
    shown = json.loads(run("--bugs", "--release", "4.0.0", "--json").stdout)
    assert "KAFKA-19522" in {each["id"] for each in shown["behaviours"]}
    assert {each["id"] for each in shown["behaviours"]}.isdisjoint(each["issue"] for each in shown["bugs"])
    assert "KAFKA-19522" in run("--bugs", "--release", "4.0.0").stdout


def test_a_bug_has_a_page_with_its_remedy() -> None:
    shown = run("--bugs", "kafka-19571").stdout
    assert shown.startswith("# KAFKA-19571\n")
    assert "Upgrade: to 4.0.2, 4.1.2, 4.2.0 or later." in shown
    assert "Verify: kafka-log-dirs.sh" in shown
    assert "no release is without it yet" in run("--bugs", "KAFKA-21022").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--bugs", "KAFKA-1957"), "KAFKA-19571"),
        (("--bugs", "--release", "3.77.0"), "3.77.0"),
        (("--bugs", "KAFKA-19571", "--release", "4.2.0"), "4.2.0 does not have KAFKA-19571"),
        (("--release", "3.7.0"), "--bugs"),
    ],
)
def test_a_bug_or_release_that_is_none_is_refused(arguments: tuple[str, ...], words: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.output
