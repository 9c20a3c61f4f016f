"""The colours of the page: each has one meaning, in light and in dark, and differs for a colour-blind reader.

tests/checker/audit/test_palette.py holds contrast and distance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

LIGHT: Mapping[str, str] = {
    "alive": "#7cc8ee",
    "leaving": "#f5e04a",
    "dead": "#878d96",
    "controller": "#0b4aa2",
    "leader": "#8e6fd6",
    "full": "#8fdcc4",
    "short": "#e8871e",
    "empty": "#5c0011",
    "none": "#d62839",
}
DARK: Mapping[str, str] = {
    "alive": "#3f87b0",
    "leaving": "#f7ec8e",
    "dead": "#5d636d",
    "controller": "#b4d2ff",
    "leader": "#c79bff",
    "full": "#3fa98a",
    "short": "#f0973a",
    "empty": "#ffd0d4",
    "none": "#e5404f",
}
"""Colours of what the timeline and the lanes draw, by meaning; `none` is a partition or a quorum without a leader."""
TOGETHER = (
    ("alive", "leaving", "dead", "controller", "none"),
    ("leader", "none"),
    ("full", "short", "empty", "none"),
)
"""Colours that one lane shows side by side."""
LIGHT_REST: Mapping[str, str] = {
    "back": "#f6f7f9",
    "panel": "#ffffff",
    "text": "#1b2430",
    "quiet": "#5b6675",
    "line": "#d9dee5",
    "link": "#0b5cad",
    "code": "#f0f2f5",
    "named": "#fff7e0",
    "deciding": "#ffdd75",
    "edge": "#6b7480",
    "illegal": "#b3261e",
    "suspicious": "#8a5a00",
    "unknown": "#5a4fa3",
    "refused": "#55606e",
    "good": "#146b3e",
    "illegal-back": "#fdecea",
    "suspicious-back": "#fff4dc",
    "good-back": "#e6f5ec",
    "epoch": "#dfe4ea",
}
DARK_REST: Mapping[str, str] = {
    "back": "#12161c",
    "panel": "#1a2029",
    "text": "#e4e9f0",
    "quiet": "#9aa6b5",
    "line": "#323b48",
    "link": "#7db7ff",
    "code": "#10141a",
    "named": "#332b13",
    "deciding": "#6b5516",
    "edge": "#8b96a5",
    "illegal": "#ff8a80",
    "suspicious": "#f2c063",
    "unknown": "#b3a9ff",
    "refused": "#a9b4c2",
    "good": "#6fd49b",
    "illegal-back": "#3a1f1f",
    "suspicious-back": "#362b14",
    "good-back": "#16301f",
    "epoch": "#2c3542",
}
"""Surfaces, texts and verdicts."""
INKS = ("#10141a", "#ffffff")
"""Colours of a text on a drawn colour: the one with more contrast is taken."""


def style() -> str:
    """Return the colours as properties of CSS: a reader's choice of a theme comes before the system's."""
    dark = "".join(_properties(DARK, DARK_REST))
    light = "".join(_properties(LIGHT, LIGHT_REST))
    return (
        f":root {{{light}}}\n"
        f'@media (prefers-color-scheme: dark) {{ :root:not([data-theme="light"]) {{{dark}}} }}\n'
        f':root[data-theme="dark"] {{{dark}}}\n'
        f"@media print {{ :root:root:root {{{light}}} }}\n"
    )


def _properties(meanings: Mapping[str, str], rest: Mapping[str, str]) -> Iterator[str]:
    for name, colour in rest.items():
        yield f"--{name}:{colour};"
    for name, colour in meanings.items():
        yield f"--{name}:{colour};--on-{name}:{max(INKS, key=lambda ink: contrast(ink, colour))};"


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours as WCAG 2 defines it, from 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def linear(colour: str) -> tuple[float, float, float]:
    """Return the linear red, green and blue of a colour of sRGB, from 0 to 1."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return _linear(red), _linear(green), _linear(blue)


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
