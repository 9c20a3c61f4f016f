"""The few wordings that make up a large log, if a pattern alone identifies their lines.

Most lines of a large log are moves of the state machines, requests and their effects, and the partitions that brokers
then lead and fetch. A line that matches such a pattern has that wording whatever else it contains, so many lines can be
matched together.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from functools import cache

from ...specs.lines import Primitive, Slot
from .wordings import Reader, Test, bucket, dispatch, readers

ROWS = (
    *("replica-moved", "partition-offline-or-gone", "partition-online", "partition-created"),
    *("leader-and-isr-sent", "leader-and-isr-sent-count", "leader-and-isr-received", "leader-and-isr-begun"),
    *("update-metadata-sent", "update-metadata-sent-count", "metadata-cached"),
    *("stop-replica-sent", "stop-replica-sent-count", "stop-replica-received", "stop-replica-begun"),
    *("become-begun", "become-ended", "leader-started", "follower-started", "leader-starts"),
    *("fetchers-added", "fetchers-removed", "isr-shrinks", "isr-expands", "isr-updated", "isr-committed"),
)
"""Rows of the line table whose lines make up a large log."""
_ANYTHING = ".*"
_CLASS = re.compile(r"(-\?)?(\[(?:\\.|[^\]\\])+\])([+*]|\{1,[0-9]+\})")


@cache
def frequent() -> tuple[Reader, ...]:
    """Return these wordings. If a line may have two of them, the one that the reference tries first comes first."""
    found: list[Reader] = []
    own = [reader for row in ROWS for reader in readers() if reader.row.id == row]
    for key in dict.fromkeys(reader.key for reader in own):
        tried = bucket(dispatch().loose if key is None else dispatch().by_key[key])
        tests = [test for _, test in tried]
        for place, (reader, _) in enumerate(tried):
            if reader.row.id in ROWS and prints_all(reader, tests[: place + 1]):
                found.append(reader)
    return tuple(found)


def tail_of(reader: Reader) -> str:
    """Return the end of the wording's lines: the name of the logger."""
    return f" ({reader.row.logger(reader.wording.releases)})"


def prints_all(reader: Reader, tests: Sequence[Test]) -> bool:
    """Return True if every line that the wording's pattern matches has this wording, whatever else it contains.

    `tests` are the tests of the wordings that are tried before it, and then its own.
    """
    return (
        reader.row.bears
        and all(slot.primitive.inner == _ANYTHING or _is_narrow(slot.primitive) for slot in _slots(reader))
        and not any(map(_first_word(reader).fullmatch, dispatch().by_key if reader.key is None else ()))
        and all(map(_list_ends, reader.wording.pieces, reader.wording.pieces[1:]))
        and not any(map(reader.may_print, tests[-1].without))
        and all(_never(test, reader) for test in tests[:-1])
    )


def _is_narrow(primitive: Primitive) -> bool:
    return "." not in _CLASS.sub("", primitive.inner)


def _first_word(reader: Reader) -> re.Pattern[str]:
    """Return a pattern of the first word of a sentence that begins with a slot."""
    pieces = itertools.takewhile(lambda piece: isinstance(piece, Slot) or " " not in piece, reader.speaker_slots[1])
    return re.compile("".join(re.escape(p) if isinstance(p, str) else p.primitive.inner for p in pieces))


def _slots(reader: Reader) -> list[Slot]:
    return [piece for piece in reader.wording.pieces if isinstance(piece, Slot)]


def _list_ends(piece: str | Slot, following: str | Slot) -> bool:
    """Return True unless `piece` is a list that could go on where `following` begins."""
    if isinstance(piece, str) or piece.primitive.kind != "ints" or piece.primitive.after:
        return True
    return isinstance(following, str) and re.match(", ?(?:[0-9]|$)", following) is None


def _never(test: Test, reader: Reader) -> bool:
    """Return True if no line of the wording passes the test."""
    wanted = (test.head, test.start, *test.inner, test.end)
    return (
        not _may_begin(reader, test.start)
        or any(text and not reader.may_print(text) for text in wanted)
        or any(text in reader.literal_pieces for text in test.without)
    )


def _may_begin(reader: Reader, text: str) -> bool:
    """Return True if the sentence of a line of the wording may begin with the text, judging by its first two pieces."""
    start, following = reader.literals[1], reader.speaker_slots[1][1:2]
    if start.startswith(text) or not text.startswith(start):
        return start.startswith(text)
    if not start or not following or isinstance(following[0], str) or following[0].primitive.before:
        return True
    whole = _CLASS.fullmatch(following[0].primitive.inner)
    if whole is None or whole[3] == "*":
        return True
    return re.match(f"{whole[1] or ''}{whole[2]}", text[len(start) :]) is not None


def strict(primitive: Primitive) -> str:
    """Return a pattern of the texts of a primitive that the reference can also read."""
    if primitive.exact:
        return primitive.exact
    if primitive.kind == "ints" and not primitive.item:
        found = f"[0-9]+(?:{primitive.separator}[0-9]+)*"
        return f"(?:{found})?" if re.fullmatch(primitive.inner, "") else found
    return primitive.inner
