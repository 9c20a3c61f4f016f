"""The colours of the page: contrast, and the distance of those that mean different things, to any eye."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import pytest
from isrproof.checker.audit.report.page.palette import (
    DARK,
    DARK_REST,
    INKS,
    LIGHT,
    LIGHT_REST,
    TOGETHER,
    contrast,
    linear,
    style,
)

EYES: Mapping[str, Sequence[Sequence[float]]] = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
}
"""Linear colours as an eye sees them: Machado, Oliveira and Fernandes 2009, at full severity."""
XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
WHITE = (0.95047, 1.0, 1.08883)
THEMES = [pytest.param(LIGHT, LIGHT_REST, id="light"), pytest.param(DARK, DARK_REST, id="dark")]
ANYWHERE, IN_A_LANE = 14, 20
"""The least distances (CIE 1976) of two meanings: 2.3 is just noticeable."""


def times(matrix: Sequence[Sequence[float]], vector: Sequence[float]) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def lab(colour: str, eye: str) -> tuple[float, float, float]:
    seen = [min(max(part, 0), 1) for part in times(EYES[eye], linear(colour))]
    x, y, z = (
        t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116
        for t in (a / b for a, b in zip(times(XYZ, seen), WHITE, strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one: str, other: str, eye: str) -> float:
    return sum((a - b) ** 2 for a, b in zip(lab(one, eye), lab(other, eye), strict=True)) ** 0.5


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize(("meanings", "rest"), THEMES)
def test_meanings_can_be_told_apart(meanings: Mapping[str, str], rest: Mapping[str, str], eye: str) -> None:
    for one, other in combinations(meanings, 2):
        least = IN_A_LANE if any({one, other} <= set(lane) for lane in TOGETHER) else ANYWHERE
        assert distance(meanings[one], meanings[other], eye) >= least, (one, other)


@pytest.mark.parametrize(("meanings", "rest"), THEMES)
def test_texts_and_edges_have_contrast(meanings: Mapping[str, str], rest: Mapping[str, str]) -> None:
    for name, colour in meanings.items():
        assert max(contrast(colour, ink) for ink in INKS) >= 4.5, name
    assert contrast(rest["edge"], rest["panel"]) >= 3
    for name in ("text", "quiet", "link", "illegal", "suspicious", "unknown", "refused", "good"):
        assert contrast(rest[name], rest["panel"]) >= 4.5, name
    for text, back in (
        *(("text", "deciding"), ("text", "named"), ("text", "epoch"), ("quiet", "code"), ("quiet", "back")),
        *(("illegal", "illegal-back"), ("suspicious", "suspicious-back"), ("good", "good-back")),
    ):
        assert contrast(rest[text], rest[back]) >= 4.5, (text, back)


def test_each_theme_has_the_same_names() -> None:
    assert [*LIGHT] == [*DARK]
    assert [*LIGHT_REST] == [*DARK_REST]
    assert {name for lane in TOGETHER for name in lane} == set(LIGHT)
    assert style().count("--alive:") == 4


def test_distance_is_that_of_known_colours() -> None:
    assert distance("#000000", "#ffffff", "usual") == pytest.approx(100, abs=0.1)
    assert distance("#c00000", "#808000", "deuteranopia") < distance("#c00000", "#808000", "usual")
