"""Lines that were not understood, but that look as if a rule could rest on them, or on what stood there before."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

from ....traces.events.wordings import key_of, readers, sentence_of

_LEAST = 12
"""The number of characters that must be there of a wording without a speaker."""
_PAIRED = "".join(f"{chr(high << 8)}{chr(high << 8 | 0x20)}-{chr(high << 8 | 0x7E)}" for high in range(0x20, 0x7F))
"""Characters that two bytes of a line of Kafka are if they are taken for one of UTF-16."""
_NO_TEXT = re.compile(f"[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]|\\A[^ ]{{0,7}}\ufffd|[{_PAIRED}]{{16}}")
"""Characters that no logger prints, bytes of no text at the beginning of a line, or text in another encoding."""


def is_no_text(line: str) -> bool:
    """Return True if a line holds bytes that no logger wrote: other lines may have stood there."""
    readable = line.isascii() and line.isprintable()
    return not readable and _NO_TEXT.search(line) is not None


@cache
def _beginnings() -> Mapping[str, Sequence[tuple[str, str]]]:
    """Return the words with which messages that bear on a rule begin, the speaker's and the sentence's, by the first
    word of the sentence; for the empty key all of them."""
    found: dict[str, dict[tuple[str, str], None]] = defaultdict(dict)
    for reader in readers():
        row = reader.row
        head, start = reader.literals[:2]
        if row.bears and row.loggers and not row.opens and len(head or start) + len(start) > 4:
            for key in ("", key_of(start)):
                found[key][head, start] = None
    return {key: tuple(each) for key, each in found.items()}


def begins_like_a_role(message: str) -> bool:
    """Return True if a message begins as one that bears on a rule does, as far as it goes."""
    sentence = sentence_of(message)
    key = key_of(sentence) if " " in sentence else ""
    return any(
        message.startswith(head)
        and (sentence.startswith(start) or start.startswith(sentence))
        and (head or min(len(start), len(sentence)) >= _LEAST)
        for head, start in _beginnings().get(key, ())
    )
