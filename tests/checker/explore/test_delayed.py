"""Requests that wait: what the search finds by release, and that each clause and property counts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from isrproof.checker.explore.mutate import mutations
from isrproof.checker.explore.run import explore
from isrproof.model.action import update
from isrproof.model.expr import const, some
from isrproof.model.replication.delayed import PURGATORY, ProduceState, produce
from isrproof.model.step import Reference

SMALL = {"records": 2, "max_leader_epoch": 2}


def _violated(release: str, without: tuple[str, ...] = (), **settings: int) -> set[str]:
    return {each.prop.name for each in explore(PURGATORY.model(release, without), **SMALL, **settings).violations}


def test_what_each_release_does_wrong() -> None:
    """KAFKA-13091 and KAFKA-15583 are found where they are on, and gone where they are off."""
    assert _violated("2.0.0") == {"ReadIsOnEnough"}
    assert _violated("2.8") == {"ReadIsOnEnough", "NothingToWaitFor"}
    assert _violated("2.8", ("KAFKA-13091",)) == {"ReadIsOnEnough"}
    assert "NothingToWaitFor" in _violated("2.8", ("KAFKA-15583",), min_insync_replicas=1)
    assert _violated("3.1") == {"ReadIsOnEnough"}
    assert _violated("3.9") == set()
    # With one replica that is enough, no ISR is too small: nobody is told so.
    assert _violated("3.1", min_insync_replicas=1) == {"ProduceNotEnoughReplicas"}


@pytest.mark.full
def test_the_search_counts_what_the_reference_counts() -> None:
    reference = Reference(PURGATORY.model("2.8").instance(records=1, max_leader_epoch=1))
    seen = frontier = {reference.initial()}
    while frontier:
        frontier = {step.state for state in frontier for step in reference.successors(state)} - seen
        seen = seen | frontier
    assert explore(PURGATORY.model("2.8"), records=1, max_leader_epoch=1).distinct == len(seen)


@pytest.mark.full
@pytest.mark.parametrize("release", ["3.9", pytest.param("1.0", marks=pytest.mark.slow)])
def test_each_clause_is_needed_or_waived(release: str) -> None:
    one = PURGATORY.model(release, without=["KAFKA-15583"] if release == "1.0" else [])
    names = [each.name for each in one.properties if each.kind != "sometimes"]
    found = list(mutations(one, names, [SMALL]))
    assert [(each.action, each.clause.label) for each in found if each.verdict not in ("needed", "waived")] == []
    # Each promise of a state or a step is broken by dropping some clause, or by a behaviour above.
    broken = {name for each in found for name in each.broken}
    assert {each.name for each in one.properties if each.kind in ("always", "step")} - broken <= {
        "AcknowledgedIsCommitted",
        "AcknowledgedIsKept",
        "HighWatermarkWithinLog",
        "NothingToWaitFor",
        "ReadIsOnEnough",
    }


def test_what_is_acknowledged_is_committed_and_kept() -> None:
    """Each promise is broken where a follower may cut anything, or where requests are answered as they come."""
    one = PURGATORY.model("3.9")
    follow = one.action("BecomeFollower")
    cuts = replace(follow, guard=tuple(each for each in follow.guard if each.label != "committed records stay"))
    produced = one.action("Produce")
    told = update(produce, some(const("Acknowledged", ProduceState)))
    hasty = replace(produced, updates=(*(each for each in produced.updates if each.field != produce), told))
    for broken, name in ((cuts, "AcknowledgedIsKept"), (hasty, "AcknowledgedIsCommitted")):
        actions = tuple(broken if each.name == broken.name else each for each in one.actions)
        assert explore(one, name, **SMALL).verdict == "holds"
        assert explore(replace(one, actions=actions), name, **SMALL).verdict == "violated"
