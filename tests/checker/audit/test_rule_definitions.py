"""A rule that cannot be judged as it is written is refused when it is imported, before anything is read."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from isrproof.checker.audit import catalogue as observed
from isrproof.checker.audit.catalogue import observations
from isrproof.checker.audit.fields import from_state, isr, leader, releases, seen_level
from isrproof.checker.audit.judge import failing, judged
from isrproof.checker.audit.lines import MOVED
from isrproof.checker.audit.observe.placed import EVENTS
from isrproof.checker.audit.rules import catalogue
from isrproof.checker.audit.rules.advice import advice
from isrproof.checker.audit.rules.catalogue import find, rules, rules_on
from isrproof.checker.audit.rules.conditions import step
from isrproof.checker.audit.rules.pages import page
from isrproof.checker.audit.rules.rule import Rule
from isrproof.checker.audit.rules.verdicts import PASSING, illegal_unless
from isrproof.checker.audit.table.protocol import Row
from isrproof.checker.audit.table.rows import PythonTable
from isrproof.model.expr import Expr, after, field
from isrproof.model.sorts import Bool, Int, SetOf
from isrproof.model.views import LEADER_EPOCH_NEVER_FALLS, LEADER_IN_ISR, Broker
from isrproof.specs.behaviours import behaviour
from isrproof.specs.errors import UnknownNameError
from isrproof.specs.releases import span

from tests.observed import excerpts, inputs, recordings
from tests.recordings import RECORDED


def rule(**parts: Any) -> Rule:
    """A sound rule, but for the parts given."""
    sound: dict[str, Any] = {
        "code": "KR999",
        "name": "planted",
        "observation": "states",
        "verdict": illegal_unless(LEADER_IN_ISR.condition),
        "message": lambda row: "",
        "expected": lambda row: "",
        "got": lambda row: "",
    }
    return Rule(**sound | parts)


def test_a_sound_rule_is_made() -> None:
    assert not rule().looks_back
    assert rule(observation="versions", verdict=illegal_unless(step(LEADER_EPOCH_NEVER_FALLS.condition))).looks_back


@pytest.mark.parametrize(
    ("given", "near"), [("versoins", "Did you mean 'versions'"), ("xyz", "Known: broker_epochs_beside_log,")]
)
def test_an_observation_that_does_not_exist(given: str, near: str) -> None:
    with pytest.raises(UnknownNameError, match=f"observation of the rule KR999: '{given}'.*{near}"):
        rule(observation=given)


UNKNOWN_COLUMNS: dict[str, tuple[str, Expr]] = {
    "of nothing": ("isrs", field("isrs", SetOf(Broker)).is_empty()),
    "of another observation": ("metadata", field("metadata", Bool)),
    "of a step that is not read over a row": ("leader_epoch'", LEADER_EPOCH_NEVER_FALLS.condition),
    "of a row before, where rows are compared with none": (
        "before_leader",
        field("before_leader", leader.sort).eq(leader),
    ),
    "after the step": ("leader'", after(leader).eq(leader)),
}


@pytest.mark.parametrize("part", ["verdict", "applies"])
@pytest.mark.parametrize("case", UNKNOWN_COLUMNS)
def test_a_column_that_the_observation_has_not(case: str, part: str) -> None:
    name, condition = UNKNOWN_COLUMNS[case]
    with pytest.raises(UnknownNameError, match=f"observation states, read by the rule KR999: \"?'?{name}"):
        rule(**{part: illegal_unless(condition) if part == "verdict" else condition})


@pytest.mark.parametrize("part", ["verdict", "applies"])
@pytest.mark.parametrize(
    ("condition", "sorts"),
    [
        (field("isr", Int()).eq(1), "reads a Int; the column of the observation states 'isr' is a Set of Broker"),
        (from_state("partition").eq("NewPartition"), "'from_state' is a replica or partition state"),
        (field("seen_level", Bool), "'seen_level' is a Level"),
        (field("repeated", Bool), "'repeated' is a Bool, false where absent"),
    ],
    ids=["isr", "from_state", "seen_level", "repeated"],
)
def test_a_column_of_another_sort(condition: Expr, sorts: str, part: str) -> None:
    with pytest.raises(TypeError, match=f"KR999 .*{sorts}"):
        rule(**{part: illegal_unless(condition) if part == "verdict" else condition})


def test_bounds_of_numbers_are_no_sorts_of_their_own() -> None:
    rule(applies=field("incarnation", Int(0, 5)).eq(0) & isr.is_empty() & seen_level.eq("TRACE"))


def test_a_verdict_that_is_a_condition() -> None:
    with pytest.raises(TypeError, match="KR999: the verdict is a Bool, expected a Verdict"):
        rule(verdict=isr.is_empty())


# ---- Rules and observations in folders beside those of the controller


OBSERVATION = '''
"""Moves of replicas that were planted."""

from isrproof.checker.audit.observe.placed import EVENTS, PLACED
from isrproof.checker.audit.lines import MOVED
from isrproof.checker.audit.observe.observation import Observation

PLANTED = Observation(
    "planted", EVENTS, MOVED["replica"], PLACED, lambda events, *_: events.of_lines(MOVED["replica"])
)
'''
RULE = '''
"""A replica moves."""

from isrproof.checker.audit.rules.pages import page
from isrproof.checker.audit.rules.rule import Rule
from isrproof.checker.audit.rules.verdicts import ILLEGAL
from isrproof.model.expr import field
from isrproof.model.sorts import Int

RULE = Rule("KR999", "planted", "OBSERVATION", ILLEGAL, str, str, str, applies=field("COLUMN", Int()).eq(1))
'''
Plant = Callable[..., None]


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plant]:
    """Put a module of an observation, and one of a rule, into folders beside the controller's."""
    caches: Any = (observed.observations, observed.inputs, observed.lines_read, rules, rules_on)
    packages = (observed.observe, catalogue.package)

    def planted(observation: str = "planted", column: str = "partition") -> None:
        modules = (OBSERVATION, RULE.replace("OBSERVATION", observation).replace("COLUMN", column))
        for number, (package, text) in enumerate(zip(packages, modules, strict=True)):
            folder = tmp_path / str(number) / "planted"
            folder.mkdir(parents=True)
            (folder / "__init__.py").touch()
            (folder / "module.py").write_text(text)
            monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder.parent)])
        for cache in caches:
            cache.cache_clear()

    yield planted
    monkeypatch.undo()
    for name in [name for name in sys.modules if ".planted" in name and name.startswith("isrproof.")]:
        del sys.modules[name]
    for cache in caches:
        cache.cache_clear()


def test_a_new_folder_of_rules_and_observations_is_judged(plant: Plant) -> None:
    """A rule costs its module and its case, an observation its module: nothing else names them."""
    plant()
    assert {"planted"} == set(observations()) - {each.observation for each in rules().values() if each.code != "KR999"}
    made = inputs([RECORDED / "lifecycle-2.0.0"], PythonTable)
    found = [row for row in failing(judged(made)) if row["observation"] == "planted"]
    expected = [row for row in made[EVENTS].of_lines(MOVED["replica"]).rows() if row["partition"] == 1]
    assert sorted(row["line"] for row in found) == sorted(row["line"] for row in expected)
    assert {row["KR999"] for row in found} == {"illegal"}


def test_a_planted_rule_on_no_observation_fails_when_rules_are_found(plant: Plant) -> None:
    plant(observation="plantde")
    with pytest.raises(UnknownNameError, match=r"observation of the rule KR999: 'plantde'\. Did you mean 'planted'"):
        rules()


def test_a_planted_rule_on_no_column_fails_when_rules_are_found(plant: Plant) -> None:
    plant(column="partitoin")
    with pytest.raises(
        UnknownNameError, match=r"planted, read by the rule KR999: 'partitoin'\. Did you mean 'partition'"
    ):
        rules()


# ---- What rules say


class Reading(dict[str, Any]):
    """A row that keeps which of its columns are read."""

    def __init__(self, row: Row) -> None:
        super().__init__(row)
        self.columns: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.columns.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.columns.add(name)
        return super().get(name, default)


@pytest.mark.full
def test_texts_read_declared_columns_and_the_verdict(tmp_path: Path) -> None:
    """Every rule fails somewhere in the cases and recordings, so every text is made."""
    made = inputs([*recordings(), *excerpts(tmp_path)], PythonTable)
    failed: set[str] = set()
    for row in failing(judged(made)):
        each = rules()[row["rule"]]
        assert row["verdict"] == row[each.code] not in PASSING
        reading = Reading(row)
        texts = (each.message, each.expected, each.got, *([each.cause] if each.cause else []))
        assert all(isinstance(text(reading), str) for text in texts)
        each.contradicts(reading)
        assert reading.columns <= {*observations()[each.observation].columns, "verdict"}, each.code
        failed.add(each.code)
    assert failed == set(rules())


def test_it_is_seen_when_a_text_reads_another_column() -> None:
    reading = Reading({"topic": "t"})
    assert reading["topic"] == reading.get("topic")
    assert reading.get("unheard") is None
    assert reading.columns == {"topic", "unheard"}


def test_every_rule_says_what_to_do() -> None:
    """A remedy names the immediate help, the release to upgrade to if the bug is fixed, and a command with what to look
    for."""
    for rule in rules().values():
        todo = advice(rule)
        assert todo is not None, rule.code
        assert todo.now.endswith("."), rule.code
        assert re.match(r"(kafka|zookeeper)-[a-z-]+\.sh ", todo.verify), rule.code
        assert todo.look_for
        fixed = behaviour(rule.bug).fixed_in if rule.bug else ()
        assert all(release in todo.upgrade for release in fixed), rule.code
        assert todo.now in page(rule)
        if "--topics-include" in todo.verify:  # the option is as old as 3.0 (KAFKA-10589)
            assert "--topic-white-list" in todo.look_for, rule.code


@pytest.mark.parametrize(("source", "harmless"), [("OnlineReplica", True), ("OfflineReplica", False)])
def test_a_finding_says_which_refusals_are_harmless(source: str, harmless: bool) -> None:
    row = {"topic": "t", "partition": 0, "replica": 1, "thrown_from_state": source, "releases": span("2.0")}
    message = rules()["KR105"].message(row | {"to_state": "ReplicaDeletionIneligible"})
    assert message.endswith("(harmless)") is harmless


def test_a_rule_of_the_releases_with_zookeeper_is_not_about_later_ones() -> None:
    """All releases that have ZooKeeper are not all releases: a KRaft log may be of a later one."""
    rule = replace(rules()["KR523"], releases="<=3.9")
    assert releases in rule.reads
    assert releases not in rules()["KR523"].reads


def test_former_names_of_rules_find_them() -> None:
    names = [name for each in rules().values() for name in (each.name, *each.former_names)]
    assert len(names) == len({*names})
    assert all(find(name) is each for each in rules().values() for name in each.former_names)
    assert find("tells-cut-below-high-watermark").name == "reported-cut-below-high-watermark"
