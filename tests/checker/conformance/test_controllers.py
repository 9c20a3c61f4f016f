"""Controllers of the epochs: those that `validate` finds in lines are those of the audit's histories.

They are found apart: histories separate several lives of a cluster, at the price of reading the log as an
audit does; `validate` needs one life only, and does not decide a log that shows two.
"""

from __future__ import annotations

import pytest
from isrproof.checker.conformance import read

from tests.recordings import RECORDED, audited, each


@pytest.mark.parametrize("recording", each(0, of=2))
def test_controllers_are_those_of_the_audit(recording: str) -> None:
    (life,) = audited(recording).lives
    found = read.read([str(RECORDED / recording)]).controllers
    assert found == {epoch.epoch: epoch.controller for epoch in life.epochs}
