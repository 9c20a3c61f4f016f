"""The moves of an instance one packed state at a time: the reference's, before and after they are compiled."""

from __future__ import annotations

import pytest
from isrproof.checker.conformance import moves
from isrproof.checker.conformance.simulate import random_run
from isrproof.model.action import action
from isrproof.model.cluster.cluster import CLUSTER
from isrproof.model.cluster.effects import DELETION, ISR, REQUESTS
from isrproof.model.expr import field, true
from isrproof.model.protocol import Model, starts
from isrproof.model.sorts import Int
from isrproof.model.step import Reference


@pytest.mark.full(every=5)
@pytest.mark.parametrize("often", [0, 1, 1_000])
@pytest.mark.parametrize("parts", [(), (DELETION, REQUESTS, ISR)])
def test_moves_are_those_of_the_reference(often: int, parts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """A move leads to the same state whether the reference executes it (the first `often` times) or it is compiled."""
    monkeypatch.setattr(moves, "OFTEN", often)
    model = CLUSTER.model("2.8", adding=parts)
    instance = model.instance(brokers=3, partitions=1, outages=4)
    found, reference = moves.Moves(instance), Reference(instance)
    for taken in random_run(instance, seed=3, steps=12):
        state = found.packing.pack(taken.after)
        assert found.fields.unpacked(state) == taken.after
        expected = {
            (each.action, tuple(each.params.values())): None if each.overflows else found.packing.pack(each.state)
            for each in reference.successors(taken.after)
        }
        for _ in range(2):
            reached = {
                (found.all[move].action.name, found.all[move].params): found.after(state, move)
                for move in found.enabled(state)
            }
            assert reached == expected


@pytest.mark.parametrize("often", [0, 1])
def test_a_step_out_of_range_leads_nowhere(often: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "OFTEN", often)
    number = field("number", Int(0, 2))
    more = action("More", "?", guard={"g": true}, updates={number: number + 1})
    found = moves.Moves(Model("more", "?", (), (starts(number, 0, "?"),), (more,), ()).instance())
    assert [found.after(found.packing.pack((at,)), 0) for at in (1, 2)] == [found.packing.pack((2,)), None]
