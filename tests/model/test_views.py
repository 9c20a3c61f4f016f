"""Properties over the partition view: their meaning on small views, and their projection to a model's state."""

from __future__ import annotations

import pytest
from isrproof.model import views
from isrproof.model.errors import DefinitionError, SortError, UnknownNameError
from isrproof.model.evaluate import evaluate
from isrproof.model.examples import Replica
from isrproof.model.expr import const, field
from isrproof.model.property import Property
from isrproof.model.replication import properties
from isrproof.model.sorts import Int, MapOf, OptionOf, SetOf

BEFORE = {
    "leader": 1,
    "isr": frozenset({1, 2}),
    "replicas": frozenset({1, 2, 3}),
    "leader_epoch": 4,
    "partition_epoch": 7,
    "controller_epoch": 2,
}
BROKEN_BY = [
    ("LeaderInIsr", {"leader": 3}, {}),
    ("IsrNotEmpty", {"isr": frozenset()}, {}),
    ("IsrWithinReplicas", {"isr": frozenset({1, 4})}, {}),
    ("LeaderEpochNeverFalls", {}, {"leader_epoch": 3}),
    ("PartitionEpochNeverFalls", {}, {"partition_epoch": 6}),
    ("ControllerEpochNeverFalls", {}, {"controller_epoch": 1}),
    ("OneLeaderPerEpoch", {}, {"leader": 2}),
    ("OneStatePerPartitionEpoch", {}, {"isr": frozenset({1})}),
    ("EpochStep", {}, {"partition_epoch": 8, "leader_epoch": 6}),
    ("NewLeaderNewEpoch", {}, {"leader": None}),
    ("LeaderFromIsr", {}, {"leader": 3, "leader_epoch": 5}),
    ("UncleanLeaderAloneInIsr", {}, {"leader": 3, "isr": frozenset({1, 3})}),
]


def _env(before: dict[str, object], later: dict[str, object]) -> dict[str, object]:
    now = {**BEFORE, **before}
    return {**now, **{f"{name}'": value for name, value in {**now, **later}.items()}}


def test_a_quiet_step_keeps_every_property() -> None:
    for prop in views.PARTITION_PROPERTIES:
        assert evaluate(prop.condition, _env({}, {})), prop.name


@pytest.mark.parametrize(("name", "before", "later"), BROKEN_BY)
def test_each_property_can_be_broken(name: str, before: dict[str, object], later: dict[str, object]) -> None:
    (prop,) = (each for each in views.PARTITION_PROPERTIES if each.name == name)
    assert not evaluate(prop.condition, _env(before, later))


def test_each_property_has_a_breaking_case() -> None:
    assert sorted(row[0] for row in BROKEN_BY) == sorted(prop.name for prop in views.PARTITION_PROPERTIES)


def test_the_high_watermark_of_a_leader_may_fall_in_another_epoch_only() -> None:
    """The model's property is this one, of each of its replicas."""
    now = {"leads": True, "leader_epoch": 4, "high_watermark": 9}
    condition = views.HIGH_WATERMARK_MONOTONE.condition

    def holds(**later: object) -> object:
        return evaluate(condition, {**now, **{f"{name}'": value for name, value in {**now, **later}.items()}})

    assert not holds(high_watermark=8)
    assert holds(high_watermark=9)
    assert holds(high_watermark=8, leader_epoch=5)
    assert holds(high_watermark=8, leads=False)
    told = repr(properties.HIGH_WATERMARK_MONOTONE.condition)
    assert "hw[one] <= hw'[one]" in told
    assert properties.HIGH_WATERMARK_MONOTONE.name == "HighWatermarkMonotone"


def test_no_leader_is_no_leader_outside_the_isr() -> None:
    assert evaluate(views.LEADER_IN_ISR.condition, _env({"leader": None, "isr": frozenset()}, {}))


def test_needs() -> None:
    assert views.LEADER_FROM_ISR.needs == ("isr", "leader")
    assert views.LEADER_FROM_ISR.needs_after == ("leader",)


def test_projection_to_a_models_state() -> None:
    quorum_leader, quorum_isr = field("quorum_leader", OptionOf(Replica)), field("quorum_isr", SetOf(Replica))
    epochs = field("epochs", MapOf(Replica, Int(0, 3)))
    sight = views.Projection(
        views.PARTITION,
        {views.Broker: Replica},
        {"leader": quorum_leader, "isr": quorum_isr, "leader_epoch": const(2, Int())},
    )
    prop = sight.of(views.LEADER_FROM_ISR)
    assert repr(prop.condition) == "quorum_leader' != quorum_leader implies set(quorum_leader') within quorum_isr"
    assert not sight.sees(views.EPOCH_STEP)
    with pytest.raises(DefinitionError, match="partition_epoch"):
        sight.of(views.EPOCH_STEP)
    with pytest.raises(SortError, match="leader is a Option of Replica"):
        views.Projection(views.PARTITION, {views.Broker: Replica}, {"leader": epochs})
    with pytest.raises(UnknownNameError, match="did you mean 'leader'"):
        views.PARTITION["leadr"]


def test_a_property_is_checked_when_it_is_defined() -> None:
    x = field("x", Int())
    with pytest.raises(DefinitionError, match="expected a Bool"):
        Property("P", "x", x)
    with pytest.raises(DefinitionError, match="expected the kind 'step'"):
        Property("P", "x falls", views.LEADER_EPOCH_NEVER_FALLS.condition)
