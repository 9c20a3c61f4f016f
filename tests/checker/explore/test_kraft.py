"""KRaft's controller as a model: which bugs it has by release, and which guards carry which promise."""

from __future__ import annotations

from dataclasses import replace

import pytest
from isrproof.checker.explore.run import explore
from isrproof.model.kraft.kraft import KRAFT
from isrproof.model.protocol import Model

THREE = {"brokers": 3, "replicas": 3, "max_partition_epoch": 2}
TWO = {"brokers": 2, "replicas": 2, "max_partition_epoch": 5}
REASSIGNS = {"brokers": 3, "replicas": 2, "max_partition_epoch": 2}
FALLS = {"brokers": 3, "replicas": 3, "max_partition_epoch": 2}


def length(model: Model, promise: str, settings: dict[str, int]) -> int | None:
    """The states of the shortest path that breaks a promise; None if it holds."""
    path = explore(model, [promise], until_decided=True, **settings)[promise].path
    return None if path is None else path.length


def test_a_fenced_last_known_leader_is_elected_by_4_0() -> None:
    assert length(KRAFT.model("4.0", ["KIP-858"]), "ElectedIsActive", TWO) == 6
    assert length(KRAFT.model("4.0", ["KIP-858", "KAFKA-19522"]), "ElectedIsActive", TWO) is None


def test_a_reassignment_ends_too_early_up_to_3_7() -> None:
    """A row of expected.toml covers 3.8 and later, where it does not."""
    model = KRAFT.model("3.7", ["KIP-858"], ["reassignment"])
    assert length(model, "ReassignmentEndsInSync", REASSIGNS) == 11
    assert length(model, "ReassignmentIsSound", REASSIGNS) == 10  # what is replaced leaves its lists behind


@pytest.mark.full(every=3)
@pytest.mark.parametrize(("release", "blocked"), [("4.2", 11), ("3.7", None), ("4.3", None)])
def test_a_replica_that_is_dead_blocks_a_reassignment_up_to_4_2(release: str, blocked: int | None) -> None:
    """KAFKA-19975, which comes back to what 3.7 did, but for a falling replication factor."""
    without = ["KIP-858", "KIP-966"] if release >= "4" else ["KIP-858"]
    model = KRAFT.model(release, without, ["reassignment"])
    assert length(model, "ReassignmentEndsOnceAdded", REASSIGNS) == blocked


@pytest.mark.full
def test_a_falling_replication_factor_waits_for_all_of_the_target() -> None:
    """KAFKA-19975 is not KAFKA-15665, which asks for the added replicas only."""
    model = KRAFT.model("4.3", ["KIP-858", "KIP-966"], ["reassignment"])
    assert length(model, "ReassignmentEndsWithAdded", FALLS) is None
    model = KRAFT.model("4.3", ["KIP-858", "KIP-966"], ["reassignment", "KAFKA-15665"])
    assert length(model, "ReassignmentEndsWithAdded", FALLS) == 11


@pytest.mark.full(every=3)
@pytest.mark.parametrize(
    ("release", "adding", "found"), [("4.3", [], 5), ("4.4", [], None), ("4.4", ["KAFKA-20832"], 5)]
)
def test_a_user_puts_a_replica_where_all_directories_are_cordoned(
    release: str, adding: list[str], found: int | None
) -> None:
    parts = ["cordoned directories", "reassignment"]
    model = KRAFT.model(release, ["KIP-858", "KIP-966"], [*parts, *adding])
    settings = {"brokers": 2, "replicas": 1, "max_partition_epoch": 2}
    assert length(model, "NoReplicaWhereCordoned", settings) == found


def test_a_release_without_cordoned_directories_has_no_such_step() -> None:
    assert "Cordon" not in {each.name for each in KRAFT.model("4.2", adding=["cordoned directories"]).actions}


@pytest.mark.full(every=2)
@pytest.mark.parametrize(("action", "promise"), [("CreateTopic", 5), ("Reassign", 8)])
def test_who_names_replicas_is_asked_about_cordoned_brokers(action: str, promise: int) -> None:
    whole = KRAFT.model("4.4", ["KIP-858", "KIP-966"], ["cordoned directories", "reassignment"])
    loose = without(whole, action, "no named broker is cordoned, even if it has a replica")
    settings = {"brokers": 2, "replicas": 1, "max_partition_epoch": 2}
    assert length(loose, "NoReplicaWhereCordoned", settings) == promise


@pytest.mark.full(every=4)
@pytest.mark.parametrize(
    ("change", "release", "promise"),
    [
        ("KIP-841", "3.3", "JoinsActive"),
        ("KIP-903", "3.5", "JoinsAsMeant"),
        ("KAFKA-15109", "3.6", "EpochHasReason"),
        ("KAFKA-13916", "3.3", "LedWhileSomebodyCan"),
    ],
)
def test_what_a_change_mended(change: str, release: str, promise: str) -> None:
    assert length(KRAFT.model(release), promise, THREE) is None
    assert length(KRAFT.model(release, [change]), promise, THREE) is not None


def test_a_broker_that_registers_anew_leaves_its_isrs_since_4_0() -> None:
    assert length(KRAFT.model("3.9", ["KIP-858"]), "FencedLeavesIsr", THREE) == 5
    assert length(KRAFT.model("4.1", ["KIP-858"]), "FencedLeavesIsr", THREE) is None


def without(model: Model, action: str, clause: str) -> Model:
    (whole,) = (each for each in model.actions if each.name == action)
    assert clause in {each.label for each in whole.guard}
    loose = replace(whole, guard=tuple(each for each in whole.guard if each.label != clause))
    return replace(model, actions=tuple(loose if each.name == action else each for each in model.actions))


@pytest.mark.full(every=6)
@pytest.mark.parametrize(
    ("action", "clause", "promise"),
    [
        ("AlterPartition", "all members are active", "JoinsActive"),
        ("AlterPartition", "all members are the intended processes", "JoinsAsMeant"),
        ("AlterPartition", "a leader that has not recovered is alone", "RecoveringIsAlone"),
        ("Fence", "the elected replica is active", "ElectedIsActive"),
        ("Fence", "a partition has no leader only if no replica can lead", "LedWhileSomebodyCan"),
        ("ElectUnclean", "the elected replica is active", "ElectedIsActive"),
    ],
)
def test_a_guard_carries_a_promise(action: str, clause: str, promise: str) -> None:
    whole = KRAFT.model("3.9", ["KIP-858"], ["unclean elections"])
    assert length(whole, promise, TWO) is None
    assert length(without(whole, action, clause), promise, TWO) is not None


def test_a_leader_is_kept_and_trusted() -> None:
    whole = KRAFT.model("3.9", ["KIP-858"])
    loose = without(whole, "AlterPartition", "a leader that can go on is kept")
    assert length(loose, "LeaderIsKept", {**THREE, "max_partition_epoch": 3}) is not None
    named = "the elected replica is in the ISR, or else eligible, the last known leader, or unclean"
    assert length(without(whole, "Fence", named), "ElectedIsTrusted", TWO) is not None
