"""The pictures of docs/ show the page as it is now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lab.pictures import DOCS, WORDS, differences, taken

pytest.importorskip("PIL", reason="the pictures need Pillow")


@pytest.mark.full
@pytest.mark.browser
def test_the_pictures_are_fresh(tmp_path: Path, browser: Any) -> None:
    for path in taken(tmp_path, browser):
        assert differences(DOCS / path.name, path) == [], "run python -m lab.pictures"


def picture(path: Path, words: str = "a", colour: str = "white", width: int = 400, bar: int = 0) -> Path:
    from PIL import Image, ImageDraw
    from PIL.PngImagePlugin import PngInfo

    told = PngInfo()
    told.add_itxt(WORDS, words)
    drawn = Image.new("RGB", (width, 200), colour)
    ImageDraw.Draw(drawn).rectangle((0, 0, 400, bar), fill="red")
    drawn.save(path, pnginfo=told)
    return path


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"words": "b"}, "words 'a', now 'b'"),
        ({"colour": "black"}, "colours differ by 254"),
        ({"bar": 20}, "colours differ by"),
        ({"width": 500}, "size (400, 200), now (500, 200)"),
    ],
)
def test_what_has_changed_is_seen(changed: dict[str, Any], says: str, tmp_path: Path) -> None:
    old, new = picture(tmp_path / "old.png"), picture(tmp_path / "new.png", **changed)
    (found,) = differences(old, new)
    assert found.startswith(says)


def test_a_picture_of_the_same_in_other_letters_is_alike(tmp_path: Path) -> None:
    """A thin line moves by a pixel."""
    old, new = picture(tmp_path / "old.png", bar=2), picture(tmp_path / "new.png", bar=3)
    assert differences(old, new) == []
