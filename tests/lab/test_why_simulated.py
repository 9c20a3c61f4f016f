"""Chains in random runs of models, whose steps say what was done."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from isrproof.checker.audit.findings.happened import Happened

from lab.why import NO_FAULT, RIGHT, UNKNOWN, WRONG
from lab.why_simulated import Done, in_cluster, in_kraft, judged, results

SPELL = Happened("offline", since=5_000, topic="t", partition=0)
DIED = Done("die", 1, 4_000, None)


@pytest.mark.parametrize(
    ("cause", "what", "expected"),
    [
        (Happened("session-expired", node=1), DIED, RIGHT),
        (Happened("session-expired", node=2), DIED, WRONG),
        (Happened("fenced", node=1), DIED, WRONG),
        (Happened("session-expired", node=1), Done("die", 1, 1_000, 4_000), WRONG),
        (None, DIED, UNKNOWN),
        (None, Done("die", 1, 1_000, 4_000), NO_FAULT),
    ],
)
def test_a_cause_is_right_by_node_kind_and_time(cause: Happened | None, what: Done, expected: str) -> None:
    assert judged(SPELL, cause, [what]) == expected


@pytest.mark.full
@pytest.mark.parametrize("made", [in_cluster, in_kraft])
def test_no_chain_ends_at_a_wrong_cause(made: object, tmp_path: Path) -> None:
    found = Counter(
        result
        for path, what in made(range(25), tmp_path)  # type: ignore[operator]
        for result, *_ in results(path, what)
    )
    assert not found[WRONG]
    assert found[RIGHT] > found[UNKNOWN]
