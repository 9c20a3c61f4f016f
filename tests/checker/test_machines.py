"""Machines of `transitions` and graphs of `networkx` against the tables they were made from."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isrproof.checker.machines import facts, graph, transition_machine, trigger
from isrproof.model.machines import closure
from isrproof.specs.errors import IsrproofError
from isrproof.specs.machines import machine, machine_names
from isrproof.specs.releases import RELEASES, Release
from transitions import MachineError

CASES = [(name, row) for name in machine_names() for row in RELEASES if row.mask & machine(name).releases]
cases = st.sampled_from(CASES)


@given(cases, st.data())
def test_machine_error_exactly_where_the_table_has_no_move(case: tuple[str, Release], data: st.DataObject) -> None:
    name, release = case
    table = machine(name)
    entity = transition_machine(name, release)
    for target in data.draw(st.lists(st.sampled_from(table.states_in(release)), max_size=12)):
        before = entity.state
        if table.valid_in(before, target.name) & release.mask:
            entity.trigger(trigger(target.name))
            assert entity.state == target.name
        else:
            with pytest.raises(MachineError):
                entity.trigger(trigger(target.name))
            assert entity.state == before


@given(cases, st.data())
def test_legal_runs_never_raise(case: tuple[str, Release], data: st.DataObject) -> None:
    name, release = case
    table = machine(name)
    entity = transition_machine(name, release)
    for _ in range(data.draw(st.integers(0, 20))):
        moves = [move for move in table.moves(release) if move.source == entity.state]
        if not moves:
            break
        entity.trigger(trigger(data.draw(st.sampled_from(moves)).target))


def test_a_graph_has_the_moves_of_the_table_with_their_levels() -> None:
    for name, release in CASES:
        moves = graph(name, release)
        assert set(moves.nodes) == {state.name for state in machine(name).states_in(release)}
        edges = {(move.source, move.target): (move.line, move.level) for move in machine(name).moves(release)}
        assert {(a, b): (d["line"], d["level"]) for a, b, d in moves.edges(data=True)} == edges


def test_facts_of_the_replica_machine() -> None:
    old, new = facts("replica", "2.2.2"), facts("replica", "2.3.0")
    assert new.unreachable == new.dead_ends == ()
    assert new.self_loops == ("OnlineReplica", "OfflineReplica")
    assert new.distance["NonExistentReplica"] == 0
    assert new.distance["ReplicaDeletionIneligible"] == 3
    assert old.distance["ReplicaDeletionIneligible"] == 4
    assert ("OfflineReplica", "ReplicaDeletionIneligible") in new.cycles
    assert ("OfflineReplica", "ReplicaDeletionIneligible") not in old.cycles
    # One component: what was deleted can be created again.
    assert new.components == (tuple(state.name for state in machine("replica").states),)
    assert new.one_way == ()


def test_facts_of_the_partition_machine() -> None:
    found = facts("partition")
    assert found.release == "3.9"
    assert found.self_loops == ("OnlinePartition", "OfflinePartition")
    assert found.cycles == (
        ("OnlinePartition", "OfflinePartition"),
        ("NewPartition", "OfflinePartition", "NonExistentPartition"),
        ("NewPartition", "OnlinePartition", "OfflinePartition", "NonExistentPartition"),
    )


def test_every_cycle_is_made_of_moves() -> None:
    for name, release in CASES:
        edges = set(graph(name, release).edges)
        for cycle in facts(name, release).cycles:
            assert set(pairwise((*cycle, cycle[0]))) <= edges


@pytest.mark.parametrize("level", ["TRACE", "INFO", None])
@pytest.mark.parametrize("name", machine_names())
def test_the_closure_is_no_larger_than_networkx_finds(name: str, level: str | None) -> None:
    import networkx

    for _, release in [case for case in CASES if case[0] == name]:
        moves = graph(name, release)
        for move in machine(name).moves(release):
            if level is not None and move.shown_at(level):
                moves.remove_edge(move.source, move.target)
        expected = {state: networkx.descendants(moves, state) | {state} for state in moves}
        assert closure(name, release, level) == expected


def test_a_release_without_the_machine_is_refused() -> None:
    for make in (transition_machine, graph, facts):
        with pytest.raises(IsrproofError, match="no replica machine"):
            make("replica", "4.0.0")
