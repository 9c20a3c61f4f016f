"""The replica and partition tables as models agree with the tables themselves."""

from __future__ import annotations

import networkx
import pytest
from isrproof.checker.explore.graph import state_graph
from isrproof.checker.explore.run import explore
from isrproof.checker.machines import graph
from isrproof.model.step import Reference
from isrproof.model.tables import table_model
from isrproof.specs.machines import machine, machine_names
from isrproof.specs.releases import RELEASES

ROWS = [
    pytest.param(name, release.name, id=f"{name}-{release.name}")
    for name in machine_names()
    for release in RELEASES
    if release.mask & machine(name).releases
]


@pytest.mark.parametrize(("name", "release"), ROWS)
def test_the_model_s_steps_are_the_table_s_moves(name: str, release: str) -> None:
    table, model = machine(name), table_model(name, release)
    mask = table.release(release).mask
    reference = Reference(model.instance())
    states = [each.name for each in table.states_in(release)]
    steps = {(source, step.state[0]) for source in states for step in reference.successors((source,))}
    assert steps == {(a, b) for a in states for b in states if table.valid_in(a, b) & mask}


@pytest.mark.parametrize("name", machine_names())
def test_what_is_explored_is_what_the_graph_of_the_table_reaches(name: str) -> None:
    table = machine(name)
    reached = {table.unknown_is, *networkx.descendants(graph(name), table.unknown_is)}
    result = explore(table_model(name))
    assert result.verdict == "holds"
    assert result.distinct == len(reached)
    explored = state_graph(table_model(name), {})
    labels = {data["state"]["state"] for _, data in explored.nodes(data=True)}
    assert labels == reached
    assert explored.number_of_edges() == sum(1 for move in table.moves() if move.source in reached)
