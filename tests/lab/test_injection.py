"""A sample of planted faults: the audit finds each, and names the line that first shows it."""

from __future__ import annotations

from functools import cache

import pytest

from lab.faults import KINDS, Fault, Recording, load, some
from lab.faults.forced import forced
from lab.faults.injection import Injection, Outcome
from tests.recordings import RECORDED

SMALL = ("failover-on-leader-2.3.1-kill", "zombie-2.0.0", "lifecycle-3.9.1", "lifecycle-2.2.2")
"""Each kind is planted in the first of these that has room for it and shows it."""


@cache
def read(name: str) -> tuple[Recording, Injection]:
    recording = load(RECORDED / name)
    return recording, Injection(recording)


@pytest.mark.full(every=40)
@pytest.mark.parametrize("kind", KINDS)
def test_a_planted_fault_is_found_at_its_line(kind: str) -> None:
    for name in SMALL:
        recording, injection = read(name)
        possible = [fault for fault in KINDS[kind](recording) if fault.hidden is None]
        if possible:
            middle = possible[len(possible) // 2]
            outcome = injection.outcome(middle)
            assert outcome.found, middle
            assert outcome.line_right, (middle, outcome.first)
            return
    pytest.fail(f"no recording of {SMALL} has room for this kind")


class _NeverIllegal:
    """Stands for a recording whose milliseconds show nothing."""

    def outcome(self, fault: Fault) -> Outcome:
        return Outcome(fault, ())


@pytest.mark.full(every=8)
@pytest.mark.parametrize(
    ("name", "kind", "why"),
    [
        ("failover-on-leader-2.3.1-term", "wrong replica from-state", "a move is missing: 1 line more"),
        ("failover-elsewhere-0.10.2.2-kill", "stranger in the ISR", "a reassignment is missing: 1 line more"),
        ("failover-elsewhere-0.10.2.2-kill", "leader epoch falls in a request", "bug of the release: KAFKA-9212"),
        ("failover-on-leader-2.0.0-kill", "dropped partition move", "lines are missing"),
        ("stale-broker-2.0.0", "wrong partition from-state", "a move is missing"),
        ("deposed-2.0.0", "ISR grows by the controller", "a creation of the topic is missing: 2 lines more"),
        ("failover-on-leader-2.3.1-kill", "leader epoch jumps", None),
        ("zombie-2.0.0", "two leaders in one epoch", None),
    ],
)
def test_why_a_doubt_is_inevitable_is_computed(name: str, kind: str, why: str | None) -> None:
    """And nothing is where no line that may be missing makes the log legal."""
    recording, injection = read(name)
    decidable = [fault for fault in some(recording, kind, 1, 1) if fault.hidden is None]
    found = [forced(recording, injection, _NeverIllegal(), injection.outcome(fault)) for fault in decidable]
    assert len(found) == 1
    assert found[0] is None if why is None else (found[0] or "").startswith(why)


def test_a_contradiction_may_be_told_at_its_other_line() -> None:
    """A request carries an older leader epoch, which KAFKA-9212 explains; its version does not go with it."""
    recording, injection = read("failover-elsewhere-2.0.0-kill")
    (fault,) = some(recording, "leader epoch falls in a request", 1, 1)
    outcome = injection.outcome(fault)
    assert outcome.line_right
    assert outcome.illegal_beside
    assert not outcome.illegal
