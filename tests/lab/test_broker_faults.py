"""Faults that are planted in what brokers write are found, at their line."""

from __future__ import annotations

import pytest

from lab.faults.brokers import KINDS, RECORDED, outcomes, table

UNDECIDED = {"not among the replicas", "version repeats", "version falls"}
"""A request that is refused for its epoch has no effect; for some versions no earlier one is known."""


@pytest.mark.full
@pytest.mark.parametrize("name", ["isr-flap-2.4.1", "traffic-3.5.2"])
def test_planted_faults_are_found_at_their_line(name: str) -> None:
    made = list(outcomes(RECORDED / name, 1, seed=1))
    assert len({one.kind for one in made}) >= 10
    assert [one for one in made if one.decidable and not one.at_line and one.kind not in UNDECIDED] == []


def test_every_kind_is_in_the_table() -> None:
    assert len(KINDS) >= 25
    assert len(table([])) == len(KINDS) + 3
