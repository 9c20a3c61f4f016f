"""Controllers of the epochs: those that `validate` finds in lines are those of the audit's histories.

They are found apart: histories separate several lives of a cluster, at the price of reading the log as an
audit does; `validate` needs one life only, and does not decide a log that shows two.
"""

from __future__ import annotations

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.conformance import read

from tests.validated import RECORDED


@pytest.mark.full(every=32)
@pytest.mark.parametrize("recording", sorted(each.name for each in RECORDED.glob("*-*")))
def test_controllers_are_those_of_the_audit(recording: str) -> None:
    folder = str(RECORDED / recording)
    (report,) = audit([folder], Options(engine="python"))
    (life,) = report.lives
    assert read.read([folder]).controllers == {each.epoch: each.controller for each in life.epochs}
