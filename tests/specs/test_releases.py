"""Releases as rows and as bitmasks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isrproof.specs.behaviours import BEHAVIOURS, behaviour
from isrproof.specs.errors import IsrproofError, TableError, UnknownNameError
from isrproof.specs.metadata.levels import levels
from isrproof.specs.releases import ALL, RELEASES, check_cover, latest, names, release, span

from tests.imports import ROOT

MASKS = st.integers(0, ALL)


def rows(text: str) -> list[str]:
    return [row.name for row in RELEASES if span(text) & row.mask]


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("2.0.0", "2.0.0"),
        ("2.0.1", "2.0.1"),
        ("2.3.1", "2.3"),
        ("0.10.2.1", "0.10.2"),
        ("0.8.2.2", "0.8.2"),
        ("2.7.1", "2.7.0"),
        ("2.7.2", "2.7.2"),
        ("2.8", "2.8.1"),
        ("3.9.7", "3.9"),
        ("3", "3.9"),
    ],
)
def test_a_release_is_found_by_its_row_line_or_patch(name: str, row: str) -> None:
    assert release(name).name == row


def test_every_tag_is_found_in_its_own_row() -> None:
    for row in RELEASES:
        assert {release(tag) for tag in row.tags} == {row}


@pytest.mark.parametrize(("wrong", "nearest"), [("2.33", "2.3"), ("3.10", "3.1"), ("trunk", "Known: ")])
def test_an_unknown_release_gets_the_nearest_one(wrong: str, nearest: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        release(wrong)
    assert wrong in str(error.value)
    assert nearest in str(error.value)


def test_spans_include_both_ends() -> None:
    assert rows("2.0.1-2.2") == ["2.0.1", "2.1", "2.2"]
    assert rows("<=0.8") == ["0.8.0", "0.8.1", "0.8.2"]
    assert rows(">=4.0") == [row.name for row in RELEASES[RELEASES.index(release("4.0")) :]]
    assert rows("2.7") == ["2.7.0", "2.7.2"]
    assert rows("2.7.2, 2.8.1-2.8.2, 3.1") == ["2.7.2", "2.8.1", "3.1"]
    assert rows("<=2.7")[-1] == "2.7.2"
    assert rows(">=2.7")[0] == "2.7.0"
    assert span("all") == ALL


@pytest.mark.parametrize("wrong", ["", "2.3-2.2", "2.3,", ">=trunk", "-", "2.2-"])
def test_a_span_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(IsrproofError):
        span(wrong)


@given(MASKS.filter(bool))
def test_the_text_of_a_mask_is_read_back(mask: int) -> None:
    assert span(names(mask)) == mask


def test_the_text_of_a_mask_names_lines() -> None:
    assert names(0) == "none"
    assert names(ALL) == "all"
    assert names(span("1.1-2.2")) == "1.1-2.2"
    assert names(span("2.0.0")) == "2.0.0"
    assert names(span("2.7, 2.8.1, >=3.1")) == "2.7, 2.8.1, >=3.1"
    assert names(span("<=2.7")) == "<=2.7"


@given(MASKS.filter(bool))
def test_the_latest_release_of_a_mask_is_in_it(mask: int) -> None:
    assert latest(mask).mask & mask
    assert all(not row.mask & mask for row in RELEASES[latest(mask).index + 1 :])


@given(st.lists(MASKS, max_size=4), MASKS)
def test_rows_must_cover_a_range_exactly_once(masks: list[int], whole: int) -> None:
    covers = all(sum(mask >> row.index & 1 for mask in masks) == (whole >> row.index & 1) for row in RELEASES)
    if covers:
        check_cover(masks, whole, "here")
    else:
        with pytest.raises(TableError, match="here"):
            check_cover(masks, whole, "here")


def test_the_readme_names_the_releases_that_the_table_has() -> None:
    """KRaft had a preview in 2.8, before metadata.version: its first level is of the first release that is meant."""
    kraft = [row.name for row in RELEASES if "kraft" in row.modes]
    zookeeper = [row.name for row in RELEASES if "zk" in row.modes]
    first = ".".join(zookeeper[0].split(".")[:2])
    ranges = f"in ZooKeeper mode, {first} to {zookeeper[-1]}, and in KRaft mode, {levels()[1].release} to {kraft[-1]}"
    assert ranges in (ROOT / "README.md").read_text(encoding="utf-8")


def test_releases_are_rows_of_behaviours() -> None:
    assert "KAFKA-3143" in release("2.2.2").behaviours
    assert "KAFKA-3143" not in release("2.3.0").behaviours
    for row in RELEASES:
        assert set(row.behaviours) == {id for id, one in BEHAVIOURS.items() if one.releases & row.mask}


def test_a_bug_names_the_releases_that_fixed_it() -> None:
    assert behaviour("KAFKA-3143").fixed_in == ("2.3.0",)
    assert behaviour("KAFKA-13141").fixed_in == ("2.7.2", "2.8.1")
    assert behaviour("retry-all elections").since == "1.1.0"
    assert behaviour("KAFKA-12315").fixed_in == ()
    assert behaviour("KIP-455").fixed_in == ()
    for one in BEHAVIOURS.values():
        assert one.releases, one.id
        assert bool(one.fixed_in) == (one.kind == "bug" and not one.unfixed), one.id


def test_an_unknown_behaviour_gets_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match="KAFKA-3143"):
        behaviour("KAFKA-314")


def test_state_change_log_is_shipped_at_info_since_2_6() -> None:
    assert release("2.5.1").state_change_level == "TRACE"
    assert release("2.6.0").state_change_level == "INFO"


def test_a_behaviour_comes_with_the_release_of_its_level() -> None:
    gated = [each for each in BEHAVIOURS.values() if each.level]
    assert gated
    for each in gated:
        assert release(each.since).mask & span(levels()[each.level].release), each.id
