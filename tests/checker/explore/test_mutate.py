"""Guard necessity: what breaks without a clause."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.explore.mutate import INSTANCES, Mutation, mutations
from isrproof.model.catalogue import model
from isrproof.model.errors import ModelError
from isrproof.model.protocol import Model

BOTH = ["WeakIsr", "StrongIsr"]
SMALL, THREE, WHOLE = INSTANCES

# Of KIP-320: (action, clause) -> the shortest counterexample to WeakIsr or StrongIsr, and in which instance. A second
# program, written apart from this one, found the same.
NEEDED_SMALL = {
    ("ControllerElectLeader", "in the isr"): 9,
    ("BecomeLeader", "request is newer"): 7,
    ("LeaderExpandIsr", "reached the high watermark"): 8,
    ("LeaderIncHighWatermark", "every isr member has the offset"): 6,
    ("LeaderShrinkIsr", "in the quorum's epoch"): 9,
    ("BecomeFollower", "offset is where the logs part"): 9,
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


def test_clauses_that_two_replicas_need() -> None:
    lengths = _first_lengths(list(mutations(_kip320(), BOTH, [SMALL])))
    assert {key: lengths.get(key) for key in NEEDED_SMALL} == NEEDED_SMALL
    assert not set(NEEDED_THREE) & set(lengths)


@pytest.mark.slow
def test_every_clause_of_kip320_is_needed_or_waived() -> None:
    found = list(mutations(_kip320()))
    assert {each.verdict for each in found} == {"needed", "waived"}
    assert [each for each in found if each.verdict == "needed" and each.clause.waiver] == []


@pytest.mark.slow
def test_clauses_that_only_three_replicas_need() -> None:
    lengths = _first_lengths(list(mutations(_kip320(), BOTH, [THREE])))
    assert {key: lengths.get(key) for key in NEEDED_THREE} == NEEDED_THREE


def test_a_model_that_is_broken_anyway_is_refused() -> None:
    with pytest.raises(ModelError, match="breaks IsrNotEmpty with all clauses"):
        next(mutations(_kip320(), ["IsrNotEmpty"], [SMALL, THREE]))


def test_the_command_tells_what_is_unexplained() -> None:
    tiny = ["--set=replicas=2", "--set=log_size=1", "--set=max_records=1", "--set=max_leader_epoch=0"]
    done = CliRunner().invoke(main, ["explore", "kip320", "--mutate", *tiny])
    assert done.exit_code == 1
    assert "UNEXPLAINED  LeaderExpandIsr: 'in the same epoch'" in done.output
    assert "waived       LeaderExpandIsr: 'presumes leadership'" in done.output


def _kip320() -> Model:
    return model("kip320")
