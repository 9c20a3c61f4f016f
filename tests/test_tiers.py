"""The examples of a test that each tier runs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tiers import keep_some, left_out_line, tier_of


class Item:
    """An example of a test, as far as tiers look at it."""

    def __init__(self, number: int, *marks: pytest.MarkDecorator) -> None:
        self.nodeid = f"test_a[{number}]"
        self.own_markers = [each.mark for each in marks]

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return next((each for each in self.own_markers if each.name == name), None)


def tiers(count: int, *marks: pytest.MarkDecorator) -> str:
    """The first letters of the tiers of so many examples."""
    items: list[Any] = [Item(number, *marks) for number in range(count)]
    keep_some(items)
    return "".join(tier_of(item)[0] for item in items)


def test_a_mark_moves_every_example_to_its_tier() -> None:
    assert tiers(3) == "ddd"
    assert tiers(3, pytest.mark.full) == "fff"
    assert tiers(3, pytest.mark.full, pytest.mark.slow) == "sss"


def test_a_lower_tier_keeps_the_first_of_so_many() -> None:
    assert tiers(7, pytest.mark.full(every=3)) == "dffdffd"
    assert tiers(7, pytest.mark.full, pytest.mark.slow(every=3)) == "fssfssf"
    assert tiers(7, pytest.mark.full(every=2), pytest.mark.slow(every=2)) == "dsfsdsf"


def test_an_example_that_is_slow_by_itself_stays_so_and_is_not_counted() -> None:
    of_itself: list[Any] = [Item(0, pytest.mark.slow, pytest.mark.full(every=2)), Item(1, pytest.mark.full(every=2))]
    keep_some(of_itself)
    assert [tier_of(item) for item in of_itself] == ["slow", "default"]


def test_what_is_left_out_is_one_line_by_tier() -> None:
    assert (
        left_out_line({"slow": 2, "full": 1_500})
        == "1,502 left out: 1,500 full (pytest --full), 2 slow (pytest --slow)"
    )
    assert left_out_line({}) == ""
