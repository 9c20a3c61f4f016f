"""Characters that a terminal, a browser or an editor put in the place of those that a program printed."""

from __future__ import annotations

import html
import re

_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#[0-9]{2,5}|#x[0-9a-fA-F]{2,4});")
_ESCAPE = re.compile(r"(?:\x1b|\u241b|\^\[|\\(?:u001b|x1b|033|e)|#033)(?:\[[0-9;?]*[A-Za-z]|\][^\x07]{0,200}\x07)")
_BACKSLASHED = re.compile(r"\\([\[\]()_*<>#|~`-])")
_TAG = re.compile(r"</?(?:p|br|pre|code|div|span|blockquote|li|td|tr)(?: [^<>]{0,200})?/?>")
_HEAD = 100
"""The largest number of characters before and in a time."""
_FRAME = re.compile(r"^\s*[\u2502\u2503\u2551] ?|\s*[\u2502\u2503\u2551]\s*$")
"""The sides of a box around lines, as k9s and other programs draw it in a terminal."""
_BRACKETED = re.compile(
    r"([^\x00-\x7f])(?=[12][0-9]{3}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}[.,][0-9]{1,9}([^\x00-\x7f]) )"
)
"""A time in letters that are brackets in another code: a terminal of ISO 646-SE shows [ and ] as \u00c4 and \u00c5."""
_OTHERS = str.maketrans(
    {
        **{chr(0xFF01 + n): chr(0x21 + n) for n in range(94)},  # the wide forms of ASCII
        **dict.fromkeys("\u00a0\u2007\u202f\u3000", " "),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
        "\u2192": "->",
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u3010": "[",
        "\u3011": "]",
    }
)


def restored(text: str) -> str:
    """Return a line with the characters that its program printed, as far as they can be known: without sequences that
    colour a terminal, the box around its lines, entities and tags of HTML, wide brackets, and backslashes of Markdown.
    """
    if not text.isascii():
        text = _FRAME.sub("", text.translate(_OTHERS).replace("\u2013>", "->"))
        if (time := _BRACKETED.search(text[:_HEAD])) is not None:
            text = text.translate({ord(time[1]): "[", ord(time[2]): "]"})
    if "&" in text:
        for _ in range(2):  # some pages escape what is escaped
            text = _ENTITY.sub(lambda match: html.unescape(match[0]).replace("\u00a0", " "), text)
    if "[" in text or "]" in text:
        text = _ESCAPE.sub("", text)
    if "\\[" in text or "\\_" in text:
        text = _BACKSLASHED.sub(r"\1", text)
    return _TAG.sub("", text) if "<" in text else text
