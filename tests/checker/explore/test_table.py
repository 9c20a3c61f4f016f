"""The table of states against a plain dictionary, also where all states are sought in one place under one tag."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isrproof.checker.explore import table as module
from isrproof.checker.explore.table import StateTable

MIXED = module._MULTIPLIERS
# Nothing is mixed: one place and one tag for all. Only the first word is: as many places as it has values.
MULTIPLIERS = {"mixed": MIXED, "one place": (0, 0, 0, 0), "first word": (MIXED[0], 0, MIXED[2], MIXED[3])}

STATES = st.lists(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3)), max_size=60), max_size=6)


@pytest.mark.parametrize("multipliers", MULTIPLIERS.values(), ids=MULTIPLIERS)
@given(batches=STATES)
def test_keeps_what_is_new_in_its_order(multipliers: tuple[int, ...], batches: list[list[tuple[int, int]]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MULTIPLIERS", multipliers)
        table = StateTable((8, 2), np.uint8)
        table.slots = np.zeros(16, np.uint32)  # grows with the first batches
        known: set[tuple[int, int]] = set()
        for number, batch in enumerate(batches):
            before = table.count
            table.reserve(len(batch))
            for row, (first, second) in enumerate(batch):
                table.words[0][before + row], table.words[1][before + row] = first << 40, second
                table.parents[before + row], table.moves[before + row] = row, number
            new = set(batch) - known
            known |= new
            assert table.add(len(batch)) == len(new) == table.count - before
            kept = table.parents[before : table.count].tolist()
            assert {batch[row] for row in kept} == new
            assert kept == sorted(kept)
            first, second = (each[before : table.count].tolist() for each in table.words)
            assert [(high >> 40, low) for high, low in zip(first, second, strict=True)] == [batch[row] for row in kept]
            assert set(table.moves[before : table.count].tolist()) <= {number}
