"""`explore MODEL` without any option says what docs/models.md says of the model."""

from __future__ import annotations

import pytest
from isrproof.checker.explore import matrix
from isrproof.checker.explore.run import explore
from isrproof.model.catalogue import families, models

QUICK = ("raft", "raft-voters", "kip320", "purgatory")
LONG = ("kraft",)


def _marks(name: str) -> tuple[pytest.MarkDecorator, ...]:
    if name in QUICK:
        return ()
    return (pytest.mark.slow if name in LONG else pytest.mark.full,)


@pytest.mark.parametrize("name", [pytest.param(each, marks=_marks(each)) for each in (*models(), *families())])
def test_the_defaults_say_what_the_page_says(name: str) -> None:
    """Nothing is violated that the page does not name, nothing that may happen is unmet, and counts are the page's."""
    found = explore(name)
    behaviours = found.instance.model.behaviours  # those of the newest release, which no row need name
    own = [row for row in matrix.rows() if row.model == name and not row.without and not row.adding]
    rows = [row for row in own if matrix.model_of(row).behaviours == behaviours]
    assert rows, "the page has no row for it"
    known = {prop for row in rows for prop in row.violated}
    violated = {each.prop.name: each for each in found.violations}
    assert set(violated) <= known
    assert all(each.path is not None for each in violated.values())
    assert all(each.verdict != "unknown" for each in found.properties)
    for row in rows:
        if row.settings == found.instance.settings and row.distinct is not None:
            assert found.distinct == row.distinct
            lengths = {prop: each.path.length for prop, each in violated.items() if each.path is not None}
            assert lengths == {prop: length for prop, length in row.violated.items() if prop in lengths}
