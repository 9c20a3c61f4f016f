"""Places: how they print, and that each is either a line or an offset."""

from __future__ import annotations

import pytest
from isrproof.traces.place import Place


def test_a_place_prints_as_editors_and_kafkas_tools_name_it() -> None:
    assert str(Place("a/state-change.log", 33)) == "a/state-change.log:33"
    assert str(Place("00000000000000000000.log", offset=0)) == "00000000000000000000.log@0"


@pytest.mark.parametrize("given", [{}, {"line": 1, "offset": 1}])
def test_a_place_is_a_line_or_an_offset(given: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="expected a line or an offset"):
        Place("a.log", **given)


def test_places_are_sorted_by_file_then_line() -> None:
    places = [Place("b", 1), Place("a", 10), Place("a", 9), Place("c", offset=5), Place("c", offset=0)]
    ordered = sorted(places, key=lambda place: place.order)
    assert [str(place) for place in ordered] == ["a:9", "a:10", "b:1", "c@0", "c@5"]
