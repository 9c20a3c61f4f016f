"""Options as a user writes them."""

from __future__ import annotations

from isrproof.checker.audit.options import Options
from isrproof.specs.releases import span


def test_a_release_is_a_mask() -> None:
    assert Options.of(">=2.6").releases == span(">=2.6")
    assert Options.of("2.0.0").releases == span("2.0.0")
    assert Options.of("4.0").releases == span("4.0")
    assert Options.of("auto").releases is None
