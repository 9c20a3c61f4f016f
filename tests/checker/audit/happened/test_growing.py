"""Partitions that a reassignment adds replicas to lack nothing that is missed."""

from __future__ import annotations

import pytest
from isrproof.checker.audit.findings.happened import judged
from isrproof.checker.audit.findings.state import LASTS, OVER, Condition
from isrproof.checker.audit.happened.partitions import conditions
from isrproof.traces.place import Place


@pytest.mark.parametrize(
    ("isr", "adding", "end", "trouble", "reason"),
    [
        ((1, 2), (3, 4), LASTS, False, "3, 4 being added to ISR 1, 2"),
        ((1,), (3, 4), LASTS, True, "ISR 1 of 1, 2, 3, 4"),
        ((1, 2, 3), (), LASTS, True, "ISR 1, 2, 3 of 1, 2, 3, 4"),
        ((1, 2), (3, 4), OVER, False, "ISR 1, 2 of 1, 2, 3, 4"),
    ],
)
def test_new_replicas_are_no_trouble(
    isr: tuple[int, ...], adding: tuple[int, ...], end: str, trouble: object, reason: str
) -> None:
    lacking = Condition("under-replicated", "t", 0, 1, 1, isr, (1, 2, 3, 4), Place("f", 1), 0, None, None, end)
    (entry,) = judged(conditions([lacking], {("t", 0): adding}))
    assert (entry.trouble, entry.reason) == (trouble, reason)
