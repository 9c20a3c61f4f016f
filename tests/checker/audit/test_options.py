"""Options as a user writes them."""

from __future__ import annotations

import pytest
from isrproof.checker.audit.options import Options
from isrproof.specs.errors import IsrproofError
from isrproof.specs.releases import names, span


def test_only_releases_with_zookeeper_count() -> None:
    """4.x prints no line that is audited; were it in the range, nothing would be definite."""
    assert Options.of(">=2.6").releases == span("2.6-3.9")
    assert Options.of("2.0.0").releases == span("2.0.0")
    assert Options.of("auto").releases is None


def test_a_release_without_zookeeper_is_refused() -> None:
    with pytest.raises(IsrproofError, match="ZooKeeper"):
        Options.of("4.0")
    assert "4.0" not in names(Options.of(">=2.6").releases or 0)
