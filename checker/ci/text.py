"""Arbitrary text, made fit for one line, or for XML."""

from __future__ import annotations

import re

_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def one_line(text: str) -> str:
    """Return the text without control characters: they are shown, not sent."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def for_xml(text: str) -> str:
    """Return text that XML 1.0 allows: other characters are written as in Python. junitparser lets them through."""
    return _NOT_XML.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
