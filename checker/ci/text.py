"""Arbitrary text, made fit for one line, for XML, or for Markdown."""

from __future__ import annotations

import re

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~&@]|:(?=//))")
_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def one_line(text: str) -> str:
    """Return the text without control characters: they are shown, not sent."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def for_xml(text: str) -> str:
    """Return text that XML 1.0 allows: other characters are written as in Python. junitparser lets them through."""
    return _NOT_XML.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def for_markdown(text: str) -> str:
    """Return text that no Markdown renderer treats as markup: no links, no mentions, one cell of a table."""
    return _MARKUP.sub(r"\\\1", one_line(text))


def fenced(text: str) -> list[str]:
    """Return the lines of a block of Markdown that shows a text as it is."""
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return [f"{fence}text", *(one_line(line) for line in text.split("\n")), fence]
