"""What is proved of a cluster, for any number of brokers, partitions and epochs."""

from __future__ import annotations

import pytest
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


@pytest.mark.parametrize(
    "release", ["3.9", *(pytest.param(each, marks=pytest.mark.slow) for each in ("1.1", "2.0.0", "2.3", "2.8"))]
)
def test_what_is_proved_of_a_cluster(release: str) -> None:
    found = prove(CLUSTER.model(release), PROVED)
    assert {each.prop.name: each.verdict for each in found.properties} == dict.fromkeys(PROVED, "holds")


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
