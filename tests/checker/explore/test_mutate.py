"""Guard necessity: what breaks without a clause."""

from __future__ import annotations

from dataclasses import replace

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.explore.mutate import INSTANCES, Mutation, line, mutations
from isrproof.checker.explore.run import explore
from isrproof.model.action import Clause, action, waived
from isrproof.model.catalogue import model
from isrproof.model.errors import ModelError
from isrproof.model.expr import Expr, field
from isrproof.model.property import Property
from isrproof.model.protocol import Model, starts
from isrproof.model.sorts import Int
from isrproof.model.tables import table_model

BOTH = ["WeakIsr", "StrongIsr"]
level = field("level", Int(0, 3))
SMALL, THREE, WHOLE = INSTANCES

# Of KIP-320: (action, clause) -> the shortest counterexample to WeakIsr or StrongIsr, and in which instance. A second
# program, written apart from this one, found the same.
NEEDED_SMALL = {
    ("ControllerElectLeader", "in the isr"): 9,
    ("BecomeLeader", "request is newer"): 7,
    ("LeaderExpandIsr", "reached the high watermark"): 8,
    ("LeaderIncHighWatermark", "every isr member has the offset"): 6,
    ("LeaderShrinkIsr", "in the quorum's epoch"): 9,
    ("BecomeFollower", "the logs diverge at the offset"): 9,
}
NEEDED_THREE = {
    ("LeaderExpandIsr", "in the same epoch"): 15,
    ("LeaderExpandIsr", "high watermark reached the epoch"): 12,
    ("LeaderIncHighWatermark", "every isr member is in the same epoch"): 13,
    ("BecomeFollower", "request is newer"): 11,
    ("FollowerFetch", "in the same epoch"): 13,
}


def _first_lengths(found: list[Mutation]) -> dict[tuple[str, str], int]:
    return {(each.action, each.clause.label): min(each.broken.values()) for each in found if each.broken}


@pytest.mark.full
def test_clauses_that_two_replicas_need() -> None:
    lengths = _first_lengths(list(mutations(_kip320(), BOTH, [SMALL])))
    assert {key: lengths.get(key) for key in NEEDED_SMALL} == NEEDED_SMALL
    assert not set(NEEDED_THREE) & set(lengths)


# What later models add, or replace: (action, clause) -> which properties break, and by how short a path.
NEEDED_LATER = {
    "kip497": {
        ("LeaderIncHighWatermark", "every maximal isr member has the offset"): {"WeakIsr": 6, "StrongIsr": 6},
        ("LeaderShrinkIsr", "presumes leadership"): {"LeaderStaysInProposedIsr": 6},
        ("ControllerAlterIsr", "in the current epoch"): {"WeakIsr": 11},
        ("LeaderLearnsIsr", "the request was accepted"): {"StrongIsr": 6, "LeaderStaysInProposedIsr": 6},
    },
    "unclean-election": {
        ("ControllerElectLeader", "in the isr"): {"UncleanLeaderAloneInIsr": 3},
        ("LeaderIncHighWatermark", "every isr member has the offset"): {"NothingLostSinceUnclean": 8},
    },
    "kip966": {
        ("LeaderIncHighWatermark", "isr is large enough"): {"StrongIsr": 8},
        ("ControllerElectEligible", "is eligible"): {"LeaderFromIsrOrElr": 7},
    },
}


@pytest.mark.full
@pytest.mark.parametrize("name", NEEDED_LATER)
def test_clauses_of_later_models(name: str) -> None:
    smallest = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 2}
    found = list(mutations(model(name), instances=[smallest]))
    broken = {(each.action, each.clause.label): each.broken for each in found}
    assert {key: broken[key] for key in NEEDED_LATER[name]} == NEEDED_LATER[name]
    assert "contradicted" not in {each.verdict for each in found}


@pytest.mark.parametrize(
    ("action_name", "prop", "settings", "length"),
    [
        ("LeaderExpandIsr", "StrongIsr", {"max_records": 3}, 13),
        ("FollowerFetch", "LogMatching", {"replicas": 2, "max_records": 4}, 11),
    ],
)
def test_who_is_back_after_a_crash_must_follow(
    action_name: str, prop: str, settings: dict[str, int], length: int
) -> None:
    """To be in the leader's epoch is not enough with crashes; it is without, kip320 waives the clause."""
    kip966 = model("kip966")
    whole = kip966.action(action_name)
    weaker = replace(whole, guard=tuple(each for each in whole.guard if each.label != "follows the leader"))
    mutant = replace(kip966, actions=tuple(weaker if each is whole else each for each in kip966.actions))
    path = explore(mutant, [prop], symmetry=True, until_decided=True, **settings)[prop].path
    assert path is not None
    assert path.length == length
    assert "UncleanShutdown" in [step.action for step in path.steps]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kip320", *NEEDED_LATER, "raft"])
def test_every_clause_is_needed_or_waived(name: str) -> None:
    found = list(mutations(model(name), symmetry=True))
    assert [line(each) for each in found if each.verdict not in ("needed", "waived")] == []


@pytest.mark.slow
def test_every_clause_of_changes_of_voters_is_needed_or_waived() -> None:
    """But for two that take a fourth node: test_raft.py has them."""
    found = list(mutations(model("raft-voters"), instances=[{}, {"log_size": 3}]))
    open_ones = [(each.action, each.clause.label) for each in found if each.verdict not in ("needed", "waived")]
    assert open_ones == [
        ("AddVoter", "a record of its epoch is committed"),
        ("AddVoter", "the change before is committed"),
    ]


@pytest.mark.slow
def test_clauses_that_only_three_replicas_need() -> None:
    lengths = _first_lengths(list(mutations(_kip320(), BOTH, [THREE])))
    assert {key: lengths.get(key) for key in NEEDED_THREE} == NEEDED_THREE


def test_a_model_that_is_broken_anyway_is_refused() -> None:
    with pytest.raises(ModelError, match="breaks IsrNotEmpty with all clauses"):
        next(mutations(_kip320(), ["IsrNotEmpty"], [SMALL, THREE]))


def test_properties_that_are_broken_anyway_are_left_out() -> None:
    said: list[str] = []
    found = next(mutations(model("kip101"), instances=[SMALL], left_out=said.append))
    assert said == [
        "left out: StrongIsr, TruncationPrefix, WeakIsr, which "
        "kip101(replicas=2, log_size=2, max_records=2, max_leader_epoch=2) breaks with all clauses"
    ]
    assert not {"WeakIsr", "StrongIsr", "TruncationPrefix"} & set(found.broken)
    broken = replace(_cup(level < 3), properties=(Property("Low", "?", level <= 2),))
    with pytest.raises(ModelError, match="breaks Low with all clauses"):
        next(mutations(broken))


def test_a_table_promises_nothing_that_breaks() -> None:
    with pytest.raises(ModelError, match="has no property that a step can break"):
        next(mutations(table_model("replica", "2.0.0")))


def _cup(guard: Clause | Expr) -> Model:
    fill = action("Fill", "?", guard={"not full": guard}, updates={level: level + 1})
    return Model("cup", "?", (), (starts(level, 0, "?"),), (fill,), (Property("Level", "?", level <= 3),))


def test_a_model_with_other_settings_is_searched_as_it_is() -> None:
    (found,) = mutations(_cup(level < 3))
    assert (found.verdict, found.broken) == ("needed", {"TypeOk": 5})
    assert line(found) == "needed       Fill: 'not full'; without it the model breaks TypeOk (5 states)"


def test_a_waiver_of_what_is_needed_is_told() -> None:
    (found,) = mutations(_cup(waived(level < 3, "of no use")))
    assert found.verdict == "contradicted"
    assert line(found) == (
        "CONTRADICTED Fill: 'not full'; without it the model breaks TypeOk (5 states), but the model waives it: "
        "of no use"
    )


def test_the_command_tells_what_is_unexplained() -> None:
    tiny = ["--set=replicas=2", "--set=log_size=1", "--set=max_records=1", "--set=max_leader_epoch=0"]
    done = CliRunner().invoke(main, ["explore", "kip320", "--mutate", *tiny])
    assert done.exit_code == 1
    assert "UNEXPLAINED  LeaderExpandIsr: 'in the same epoch'" in done.output
    assert "waived       LeaderExpandIsr: 'presumes leadership'" in done.output
    assert done.output.endswith("; searched 2/1/1/0\n")


def _kip320() -> Model:
    return model("kip320")
