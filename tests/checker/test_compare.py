"""What the audit reconstructs of the recorded clusters is what ZooKeeper held."""

from __future__ import annotations

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.traces.record import manifest
from isrproof.traces.record.compare import compare

from tests.recordings import EACH, RECORDED


@pytest.mark.parametrize("name", EACH)
def test_nothing_is_wrong_and_what_is_not_shown_is_explained(name: str) -> None:
    (report,) = audit([str(RECORDED / name)], Options(engine="python", timeline=True))
    assert report.timeline is not None
    found = compare(manifest.read(RECORDED / name), report.timeline, RECORDED / name)
    assert found.wrong == ()
    assert found.unexplained == ()
    assert len(found.shown) > len(found.hidden) - found.reasons["leader-isr-write"]
