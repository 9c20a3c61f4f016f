"""What the line table refuses, and what it says of fields that some releases print untruly."""

from __future__ import annotations

import pytest
from isrproof.specs.errors import TableError
from isrproof.specs.lines import _wordings, rows
from isrproof.specs.releases import names


def test_0_8_0_prints_two_from_states_untruly_and_no_other_release_any() -> None:
    untrue = [
        (row.id, field, names(mask)) for row in rows().values() for each in row.wordings for field, mask in each.untrue
    ]
    assert untrue == [("partition-online", "from_state", "0.8.0"), ("partition-offline-or-gone", "from_state", "0.8.0")]


def test_a_field_is_untrue_in_a_release_that_prints_it() -> None:
    row = {"id": "partition-online"}
    variant = {"releases": "0.8.1", "text": "from Online", "untrue": {"from_state": "untrue from-state"}}
    with pytest.raises(TableError, match="from_state is untrue in no release"):
        list(_wordings(row, variant, -1, "here"))
