"""Moves that a log may hide, against the tables from which they were made."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isrproof.model.machines import bits, closure, hidden_in
from isrproof.specs.errors import IsrproofError
from isrproof.specs.machines import LEVELS, machine, machine_names
from isrproof.specs.releases import RELEASES, Release

CASES = [(name, row) for name in machine_names() for row in RELEASES if row.mask & machine(name).releases]
cases = st.sampled_from(CASES)


@pytest.mark.parametrize(
    ("name", "release", "level", "state", "expected"),
    [
        (
            "partition",
            "2.6.0",
            "INFO",
            "OnlinePartition",
            {"OnlinePartition", "OfflinePartition", "NonExistentPartition"},
        ),
        ("partition", "2.6.0", "INFO", "NonExistentPartition", {"NonExistentPartition"}),
        ("partition", "2.5.1", "TRACE", "OnlinePartition", {"OnlinePartition"}),
        ("replica", "1.1.0", "TRACE", "OfflineReplica", {"OfflineReplica"}),
        ("replica", "1.0.2", "TRACE", "OfflineReplica", {"OfflineReplica", "OnlineReplica"}),
        ("replica", "1.0.2", "TRACE", "NewReplica", {"NewReplica"}),
    ],
)
def test_what_a_log_may_hide(name: str, release: str, level: str, state: str, expected: set[str]) -> None:
    assert closure(name, release, level)[state] == expected


def test_at_info_a_replica_may_be_anywhere() -> None:
    everywhere = frozenset(state.name for state in machine("replica").states)
    assert set(closure("replica", "2.8.0", "INFO").values()) == {everywhere}


@given(cases, st.sampled_from([*LEVELS, None]), st.data())
def test_the_closure_is_what_random_hidden_runs_meet(
    case: tuple[str, Release], level: str | None, data: st.DataObject
) -> None:
    name, release = case
    hidden = [m for m in machine(name).moves(release) if level is None or not m.shown_at(level)]
    start = data.draw(st.sampled_from(machine(name).states_in(release))).name
    state = start
    for _ in range(data.draw(st.integers(0, 10))):
        steps = [move.target for move in hidden if move.source == state]
        if steps:
            state = data.draw(st.sampled_from(steps))
    assert state in closure(name, release, level)[start]


@given(st.sampled_from(machine_names()), st.sampled_from(["TRACE", "INFO", None]))
def test_hidden_in_is_the_closure_of_all_releases(name: str, level: str | None) -> None:
    masks = hidden_in(name, level)
    for _, release in [case for case in CASES if case[0] == name]:
        for before, afters in closure(name, release, level).items():
            for state in machine(name).states:
                assert bool(masks.get((before, state.name), 0) & release.mask) == (state.name in afters)


def test_sets_of_states_are_ints_by_byte_code() -> None:
    assert bits("replica", ["NewReplica", "NonExistentReplica"]) == 1 << 1 | 1 << 7
    assert bits("partition", ["NewPartition", "NewPartition"]) == 1


def test_a_release_without_the_machine_is_refused() -> None:
    with pytest.raises(IsrproofError, match="no replica machine"):
        closure("replica", "4.0.0", "INFO")


def test_the_audit_s_part_imports_no_library() -> None:
    program = (
        "import sys; from isrproof.model.machines import hidden_in; hidden_in('replica', 'INFO');"
        "sys.exit(bool({'networkx', 'transitions', 'numpy', 'z3'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
