"""A sequence diagram as SVG, laid out here: it needs nothing else.

Every element has its colour and a class, so that the style of a page which it is part of may have others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

from .sequence import BAD, GOOD, PLAIN, Happening, SequenceDrawing, wrapped
from .style import STATES, printable

LETTER, LINE, PAD = 6.8, 15, 8
"""The width of a letter and the height of a line at 12 pixels, in pixels; the room around a text."""
MOST_WIDE, LEAST_WIDE = 40, 16
"""Letters of the widest and of the narrowest lane."""
LEAST = 460
"""The least width of a picture, in pixels, for the sake of its caption."""
_COLOURS = {PLAIN: STATES["plain"], GOOD: STATES["seeded"], BAD: STATES["stranger"]}
_INK, _FAINT, _BESIDE = "#22303c", "#b4bdc7", "#5a6672"


@dataclass(frozen=True)
class _Places:
    """The places of the lanes."""

    middles: dict[str, float]
    """The middle of each lane."""
    room: float
    """The distance of two lanes."""
    width: float
    """The width of the picture."""


def write(drawing: SequenceDrawing, most_wide: int = MOST_WIDE, least: int = LEAST) -> str:
    """An SVG document, the same for the same diagram; lanes have at most so many letters, and it so many pixels."""
    places = _places(drawing, most_wide, least)
    head = [*wrapped([drawing.title], int(places.width / (LETTER * 1.2)))]
    caption = wrapped(drawing.caption, int(places.width / LETTER))
    y = PAD * 2.0
    body = []
    for line in head:
        y += LINE * 1.2
        body.append(_text(PAD * 2, y, line, size=15, weight="bold"))
    for line in caption:
        y += LINE
        body.append(_text(PAD * 2, y, line, beside=True))
    top = y + PAD * 2
    body += [_lane_head(label, places.middles[lane], top) for lane, label in drawing.lanes]
    y = top + LINE + PAD * 3
    marks = []
    loop_from = None
    for number, each in enumerate(drawing.happenings):
        if number == drawing.loop:
            loop_from = y
            y += LINE
        drawn, height = _happening(each, places, y)
        marks += drawn
        y += height + PAD
    if loop_from is not None:
        marks.insert(0, _loop(places, loop_from, y))
    body += [_life(middle, top + LINE + PAD * 2, y) for middle in places.middles.values()]
    height = y + PAD
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{places.width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {places.width:.0f} {height:.0f}" font-family="Helvetica,Arial,sans-serif" font-size="12" '
            'class="sequence" role="img">',
            f"<title>{_safe(drawing.title)}</title>",
            f'<rect width="{places.width:.0f}" height="{height:.0f}" fill="#ffffff" class="behind"/>',
            *body,
            *marks,
            "</svg>",
            "",
        ]
    )


def _places(drawing: SequenceDrawing, most_wide: int, least: int) -> _Places:
    """Lanes as wide as their texts need, but for those that are broken anyhow."""
    texts = [line for each in drawing.happenings for line in each.lines if len(set(each.lanes)) == 1]
    longest = max([LEAST_WIDE, *map(len, texts), *(len(label) for _, label in drawing.lanes)])
    room = min(longest, most_wide) * LETTER + PAD * 4
    times = max([0, *(len(each.time) for each in drawing.happenings)]) * LETTER
    left = PAD * 2 + (times + PAD * 2 if times else 0)
    middles = {lane: left + room * (number + 0.5) for number, (lane, _) in enumerate(drawing.lanes)}
    return _Places(middles, room, max(left + room * len(middles) + PAD * 2, least))


def _happening(each: Happening, places: _Places, y: float) -> tuple[list[str], float]:
    """Return what is drawn of a happening, and its height."""
    first, last = places.middles[each.lanes[0]], places.middles[each.lanes[-1]]
    left, right = min(first, last) - places.room / 2 + PAD, max(first, last) + places.room / 2 - PAD
    if each.is_arrow and first != last:
        left, right = min(first, last), max(first, last)
    letters = int((right - left - 2 * PAD) / LETTER)
    bold, lines = len(wrapped(each.lines[:1], letters)), wrapped(each.lines, letters)
    height = len(lines) * LINE + PAD
    fill, border, _ = _COLOURS[each.kind]
    drawn = [_text(PAD * 2, y + LINE, each.time, beside=True)] if each.time else []
    if each.is_arrow and first != last:
        drawn += list(_texts(lines, bold, (left + right) / 2, y, each.kind, "#ffffff"))
        at, back = y + height, -PAD if first < last else PAD
        drawn.append(
            f'<path d="M{first:.0f},{at:.0f} L{last:.0f},{at:.0f} l{back},-4 v8 L{last:.0f},{at:.0f}" fill="{_INK}" '
            f'stroke="{_INK}" stroke-width="1.2" class="arrow"/>'
        )
        return drawn, height + PAD / 2
    drawn.append(
        f'<rect x="{left:.0f}" y="{y:.0f}" width="{right - left:.0f}" height="{height:.0f}" rx="4" fill="{fill}" '
        f'stroke="{border}" class="{each.kind}"/>'
    )
    return [*drawn, *_texts(lines, bold, (left + right) / 2, y, each.kind, None)], height


def _texts(lines: list[str], bold: int, middle: float, y: float, kind: str, behind: str | None) -> Iterator[str]:
    for number, line in enumerate(lines):
        at = y + LINE * (number + 1)
        if behind is not None:  # so that lives do not run through the letters of an arrow's text
            wide = len(line) * LETTER
            yield (
                f'<rect x="{middle - wide / 2:.0f}" y="{at - LINE + 3:.0f}" width="{wide:.0f}" height="{LINE}" '
                f'fill="{behind}" class="behind"/>'
            )
        yield _text(middle, at, line, kind=kind, anchor="middle", weight="bold" if number < bold else "")


def _lane_head(label: str, middle: float, top: float) -> str:
    wide = (len(label) + 2) * LETTER + PAD * 2
    return (
        f'<rect x="{middle - wide / 2:.0f}" y="{top:.0f}" width="{wide:.0f}" height="{LINE + PAD}" rx="4" '
        f'fill="#ffffff" stroke="{_INK}" class="head"/>'
        + _text(middle, top + LINE, label, anchor="middle", weight="bold")
    )


def _life(middle: float, top: float, bottom: float) -> str:
    return (
        f'<line x1="{middle:.0f}" y1="{top:.0f}" x2="{middle:.0f}" y2="{bottom:.0f}" stroke="{_FAINT}" '
        'stroke-dasharray="3 3" class="life"/>'
    )


def _loop(places: _Places, top: float, bottom: float) -> str:
    return (
        f'<rect x="{PAD}" y="{top:.0f}" width="{places.width - 2 * PAD:.0f}" height="{bottom - top:.0f}" rx="4" '
        f'fill="none" stroke="{_BESIDE}" stroke-dasharray="6 3" class="loop"/>'
        + _text(PAD * 2, top + LINE - 3, "and so on, forever", beside=True)
    )


def _text(
    x: float,
    y: float,
    text: str,
    *,
    kind: str = PLAIN,
    beside: bool = False,
    anchor: str = "start",
    size: int = 12,
    weight: str = "",
) -> str:
    bold = f' font-weight="{weight}"' if weight else ""
    colour, shown = (_BESIDE, "beside") if beside else (_COLOURS[kind][2], f"on-{kind}")
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}"{bold} '
        f'class="{shown}">{_safe(text)}</text>'
    )


def _safe(text: str) -> str:
    return escape(printable(text, 300))
