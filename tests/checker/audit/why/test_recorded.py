"""Chains of recorded clusters: none ends at a wrong cause, and most at what the recorder did."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from lab.why import RIGHT, UNKNOWN, WRONG, chains, faults

TRACES = Path(__file__).parents[4] / "traces"
RECORDINGS = sorted(each.parent for each in TRACES.glob("recorded*/*/manifest.json"))
FEW = {
    "recorded/unclean-2.4.1": {RIGHT: 3},
    "recorded/zombie-2.8.2": {RIGHT: 6},
    "recorded-kraft/failover-3.5.2": {RIGHT: 9},
}


def counts(recording: Path) -> Counter[str]:
    return Counter(result for result, _, _ in chains(recording))


@pytest.mark.parametrize("name", FEW)
def test_chains_end_at_the_true_cause(name: str) -> None:
    assert counts(TRACES / name) == FEW[name]


@pytest.mark.slow(every=4)
@pytest.mark.full
@pytest.mark.parametrize("recording", RECORDINGS, ids=[each.name for each in RECORDINGS])
def test_no_chain_ends_at_a_wrong_cause(recording: Path) -> None:
    found = counts(recording)
    assert found[WRONG] == 0
    assert found[RIGHT] >= found[UNKNOWN]


def test_a_wrong_cause_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the faults of another recording no chain of this one is right."""
    other = faults(TRACES / "recorded-kraft" / "failover-3.5.2")
    monkeypatch.setattr("lab.why.faults", lambda _: other)
    found = counts(TRACES / "recorded" / "unclean-2.4.1")
    assert found[RIGHT] == 0
    assert found[WRONG] == 3
