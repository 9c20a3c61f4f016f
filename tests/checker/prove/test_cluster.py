"""Proofs about a cluster, for any number of brokers, partitions and epochs."""

from __future__ import annotations

import pytest
from isrproof.checker.prove import mutate
from isrproof.checker.prove.run import Effort, prove
from isrproof.model.cluster.cluster import CLUSTER

PROVED = [
    "ControllerIsRegistered",
    "OneControllerPerEpoch",
    "OnlyTheControllerElects",
    "LeaderInIsr",
    "IsrNotEmpty",
    "IsrWithinReplicas",
    "LeaderEpochNeverFalls",
    "PartitionEpochNeverFalls",
    "ControllerEpochNeverFalls",
    "OneLeaderPerEpoch",
    "OneStatePerPartitionEpoch",
    "EpochStep",
    "NewLeaderNewEpoch",
    "LeaderFromIsr",
]

SETTLED = ["LeaderAliveOrNone", "DeadOutOfIsr", "OfflineWithoutLeader", "OnlineIfAlive"]
"""The states that a settled controller leaves to dead brokers (docs/zookeeper.md, "Start and failover")."""
slow = pytest.mark.slow


@pytest.mark.full(every=8)
@pytest.mark.parametrize(
    ("release", "parts"),
    [
        pytest.param("2.3", [], marks=slow),
        pytest.param("2.8", [], marks=slow),
        pytest.param("3.9", [], marks=slow),
        pytest.param("2.3", ["ISRs of unseen leaders"], marks=slow),
        pytest.param("2.3", ["zombies"], marks=slow),
        pytest.param("3.9", ["deletion", "requests"], marks=slow),
        pytest.param("2.3", ["ISR changes"], marks=slow),
        pytest.param("3.9", ["zombies", "controlled shutdown"], marks=slow),
        pytest.param("2.3", ["controlled shutdown", "requests"], marks=slow),
        pytest.param("3.9", ["controlled shutdown", "preferred elections", "metadata caches"], marks=slow),
        pytest.param("2.8", ["deletion", "controlled shutdown"], marks=slow),
        pytest.param("2.3", ["reassignment without requests", "preferred elections"], marks=slow),
        pytest.param("2.3", ["log directories", "metadata caches"], marks=slow),
        pytest.param("2.3", ["ISR changes", "metadata caches"], marks=slow),
    ],
)
def test_a_controller_that_has_settled_has_left_nothing_to_dead_brokers(release: str, parts: list[str]) -> None:
    found = prove(CLUSTER.model(release, adding=parts), SETTLED, effort=Effort(search=0))
    assert {each.prop.name: each.verdict for each in found.properties} == dict.fromkeys(SETTLED, "holds")
    assert "LedByLiveOrToMove" in found["LeaderAliveOrNone"].rests_on
    assert "InSyncLiveOrToMove" in found["DeadOutOfIsr"].rests_on


@pytest.mark.full(every=8)
@pytest.mark.parametrize(
    ("release", "parts"),
    [
        ("2.3", []),
        ("3.9", ["ISRs of unseen leaders"]),
        ("2.0.0", ["controlled shutdown"]),
        pytest.param("3.9", ["controlled shutdown", "ISR changes", "metadata caches"], marks=slow),
    ],
)
def test_the_controller_asks_for_no_move_that_is_not_in_its_table(release: str, parts: list[str]) -> None:
    """Without deletion and reassignment nothing is refused; the state of each replica must be known."""
    model, effort = CLUSTER.model(release, adding=parts), Effort(search=0)
    found = prove(model, ["OnlyBenignRefusals"], effort=effort)["OnlyBenignRefusals"]
    assert (found.verdict, "MayGoOffline" in found.rests_on) == ("holds", True)
    without = prove(model, ["OnlyBenignRefusals"], effort=effort, without_lemmas=["MayGoOffline"])
    assert without["OnlyBenignRefusals"].verdict == "unknown"


@slow
@pytest.mark.parametrize(("release", "holds"), [("1.1", False), ("2.0.0", True), ("2.3", True), ("3.9", True)])
def test_where_topics_are_deleted_only_benign_moves_are_refused(release: str, holds: bool) -> None:
    """KAFKA-6650: 1.1 leaves a replica where it is whose partition has no leader and ISR, and then deletes it."""
    model = CLUSTER.model(release, adding=["deletion"])
    found = prove(model, ["OnlyBenignRefusals"], effort=Effort(search=0))
    assert (found["OnlyBenignRefusals"].verdict == "holds") == holds
    assert [each.lemma.name for each in found.fallen] == ([] if holds else ["DeletedStepByStep"])


def test_up_to_2_2_the_lemma_falls_where_a_new_controller_starts() -> None:
    """KAFKA-3143: it does not move the replicas of brokers that were dead before."""
    found = prove(CLUSTER.model("2.2"), ["LeaderAliveOrNone", "DeadOutOfIsr"], effort=Effort(search=0))
    assert {each.verdict for each in found.properties} == {"unknown"}
    fallen = {each.lemma.name: each.answer for each in found.fallen}
    assert {*fallen} == {"LedByLiveOrToMove", "InSyncLiveOrToMove"}
    assert {each.question.action for each in fallen.values()} == {"InitializeContext"}
    assert {each.outcome for each in fallen.values()} == {"refuted"}


@slow
def test_up_to_3_2_the_controller_takes_whoever_a_leader_asks_for_into_the_isr() -> None:
    """KAFKA-14140: the ISR that a leader asks for may have a member that is not live."""
    model, effort = CLUSTER.model("3.2", adding=["ISR changes"]), Effort(timeout=10, search=0)
    found = prove(model, ["LeaderAliveOrNone", "DeadOutOfIsr"], effort=effort)
    assert [each.verdict for each in found.properties] == ["holds", "unknown"]
    assert [each.answer.question.name for each in found.fallen] == ["AlterIsr/InSyncLiveOrToMove"]


@slow
@pytest.mark.parametrize("release", ["2.4", "2.8", "3.9"])
def test_where_a_reassignment_is_cancelled_its_replicas_are_forgotten(release: str) -> None:
    """KIP-455: they may be in the ISR, or lead, and the assignment does not name them any more."""
    model, effort = CLUSTER.model(release, adding=["reassignment without requests"]), Effort(timeout=10, search=0)
    found = prove(model, SETTLED, effort=effort)
    assert {each.verdict for each in found.properties} == {"unknown"}
    assert found.fallen[0].answer.question.action == "CancelReassignment"
    never = CLUSTER.model(release, ["cancelled reassignments"], ["reassignment without requests"])
    assert prove(never, SETTLED, effort=Effort(search=0)).verdict == "holds"


@pytest.mark.full
def test_the_proof_needs_each_clause_that_is_not_waived() -> None:
    found = list(mutate.dropped(CLUSTER.model("3.9")))
    assert [(each.action, each.clause.label) for each in found if not each.as_declared] == []
    assert {each.verdict for each in found} == {"needed", "not needed"}


@slow
@pytest.mark.parametrize("release", ["1.1", "2.0.0", "2.3", "2.8", "3.9"])
def test_what_is_proved_of_a_cluster(release: str) -> None:
    """Most of it is in `prove --matrix`, which .ci/run runs."""
    found = prove(CLUSTER.model(release), PROVED)
    assert {each.prop.name: each.verdict for each in found.properties} == dict.fromkeys(PROVED, "holds")


@pytest.mark.full
def test_what_is_proved_where_requests_are_on_the_way() -> None:
    """Channels of any length, between any number of brokers; up to 2.1 a request of an earlier life is heeded."""
    of_requests = ["NoOlderRequestAccepted", "NoRequestOfAnEarlierLife", "DeadHostNothing", "DeadCacheNothing"]
    found = prove(CLUSTER.model("3.9", adding=["metadata caches"]), ["LeaderInIsr", *of_requests])
    assert {each.verdict for each in found.properties} == {"holds"}
    effort = Effort(search=0)
    before = prove(CLUSTER.model("2.1", adding=["requests"]), ["NoRequestOfAnEarlierLife"], effort=effort)
    assert before["NoRequestOfAnEarlierLife"].verdict == "unknown"


def test_with_zombies_up_to_2_0_two_controllers_elect() -> None:
    """KAFKA-6082: the lemma that one broker acts is not inductive there, and the promise is broken."""
    model = CLUSTER.model("2.0.0", adding=["zombies"])
    found = prove(model, ["OnlyTheControllerElects"])
    assert found["OnlyTheControllerElects"].verdict != "holds"
