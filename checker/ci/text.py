"""Text that may hold anything, made fit for one line, or for XML."""

from __future__ import annotations

import re

_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def one_line(text: str) -> str:
    """Without control characters: they are shown, not sent."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def for_xml(text: str) -> str:
    """Text that XML 1.0 may hold: what it may not is written as in Python. junitparser lets it through."""
    return _NOT_XML.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
