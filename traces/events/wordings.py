"""Wordings prepared for reading: how a line is recognised, its pattern, and the fields of the pattern's groups.

Both parsers use this module. They recognise a line in three steps, in Python and in Spark alike. The first word of its
sentence selects a bucket. In the bucket the first wording is taken whose literal parts are all in the line. If its row
bears on a rule, its pattern must match the whole message, or the pattern of another wording of this row whose literal
parts are there; otherwise the line is unknown. An irrelevant line needs no pattern, because its fields are not read.
Some wordings are recognised only by their whole pattern (`Wording.whole`). A line without a wording may be recognised
by its logger's name alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from typing import Any

from ...specs.lines import Primitive, Row, Slot, Wording, rows
from ..limits import DIGITS
from .event import FIELDS
from .layouts import escape

HEAD = 640
"""Number of characters of a message in which its speaker, and the words that select a bucket, are looked for."""

SEPARATORS = ("\x01", "\x02")
"""Characters that Kafka never prints and that separate fields in Spark's reading. A line that contains one is
unknown."""

_DRESSING = "[2018-08-03 12:00:00,123] INFO  (kafka.controller.KafkaController)"

RECOVERY = {"0": "RECOVERED", "1": "RECOVERING"}
_LARGEST = 2**63 - 1
_LONGEST_WORD = 200
"""The largest number of characters of a message that may be a wrong word."""


def _int(text: str) -> int | None:
    if len(text) < 19:
        return int(text)
    value = int(text) if len(text) < 40 else _LARGEST + 1
    return value if -_LARGEST - 1 <= value <= _LARGEST else None


@lru_cache(maxsize=1 << 16)  # a log prints few lists of brokers, in many lines
def _ints(text: str) -> tuple[int, ...] | None:
    """Return the numbers of a list, or None if the text is not a list of numbers: ",1", "1,,2", "1 2"."""
    text = text.replace(", ", ",")
    if not text:
        return ()
    if " " in text or ",," in text or text[0] == "," or text[-1] == ",":
        return None
    numbers = tuple(map(_int, text.split(",")))
    return None if None in numbers else numbers  # type: ignore[return-value]


_ENDLESS = re.compile(f"[0-9]{{{DIGITS.most}}}")


def printable(text: str) -> str | None:
    """Return a text, or None if it has a number that no program prints, and Python refuses to read."""
    return text if len(text) < DIGITS.most or _ENDLESS.search(text) is None else None


def _texts(text: str) -> tuple[str, ...] | None:
    if printable(text) is None:
        return None
    return tuple(text.split(",")) if text else ()


def _items(numbers: re.Pattern[str], text: str) -> tuple[int, ...] | None:
    return _ints(",".join(number for match in numbers.finditer(text) for number in match.groups()))


def _bool(text: str) -> bool:
    return text == "true"


_READ: Mapping[str, Callable[[str], Any]] = {
    "int": _int,
    "ints": _ints,
    "text": printable,
    "texts": _texts,
    "bool": _bool,
    "recovery": RECOVERY.__getitem__,
}


@cache
def read(primitive: Primitive) -> Callable[[str], Any]:
    """Return the function from the kept text of a primitive to the value of a field: None for a text that Kafka cannot
    print."""
    convert = partial(_items, re.compile(primitive.numbers)) if primitive.item else _READ[primitive.kind]
    if not primitive.exact:
        return convert
    is_exact = re.compile(primitive.exact).fullmatch

    @lru_cache(maxsize=4096)
    def checked(text: str) -> Any:
        return convert(text) if is_exact(text) else None

    return checked


def sentence_of(message: str) -> str:
    """Return the beginning of a message without its speaker: "[Controller id=1 epoch=2] ", "Controller 1 epoch 2 ",
    "Partition [t,0] on broker 1: ", ...

    It uses plain searches only, so that Spark can do the same. Both steps may apply to one message (replica-refused and
    partition-refused since 1.1).
    """
    message = message[:HEAD]
    if message[:1] == "[":
        close = message.find("]")
        space = message.find(" ", close) if close > 0 else -1
        message = message[space + 1 :] if space > 0 else message
    if message[:11] == "Controller ":
        space = message.find(" ", 11)
        if space > 0 and message[space + 1 : space + 7] == "epoch ":
            space = message.find(" ", space + 7)
            return message[space + 1 :] if space > 0 else message
    elif message[:7] == "Broker " and message[7:8] in tuple("0123456789-"):
        space = message.find(" ", 7)
        return message[space + 1 :] if space > 0 else message
    elif message[:11] == "Partition [":
        at = message.find("] on broker ")
        space = message.find(": ", at) + 1 if at > 0 else 0
        return message[space + 1 :] if space > 0 else message
    return message


def key_of(sentence: str) -> str:
    """Return the first word, by which readers are dispatched."""
    return sentence.partition(" ")[0]


@dataclass(frozen=True)
class Test:
    """The test for a wording: it takes time linear in the line, whatever the line contains."""

    head: str
    """Beginning of the message."""
    start: str
    """Beginning of its sentence."""
    inner: tuple[str, ...]
    """Parts within the message."""
    end: str
    """End of the message."""
    without: tuple[str, ...] = ()
    """Parts that the message lacks."""
    whole: re.Pattern[str] | None = None
    """The whole message, if its words alone do not identify the wording (`Wording.whole`)."""

    def passes(self, message: str, sentence: str) -> bool:
        return (
            sentence.startswith(self.start)
            and message.startswith(self.head)
            and message.endswith(self.end)
            and all(literal in message for literal in self.inner)
            and not any(literal in message for literal in self.without)
            and (self.whole is None or self.whole.fullmatch(message) is not None)
        )


@dataclass(frozen=True)
class Reader:
    """A wording with its pattern; `groups` are the fields of the pattern's groups, in order."""

    row: Row
    wording: Wording

    @cached_property
    def groups(self) -> tuple[tuple[str, Primitive], ...]:
        seen: dict[str, Primitive] = {}
        for piece in self.wording.pieces:
            if isinstance(piece, Slot) and piece.field and piece.field not in seen:
                seen[piece.field] = piece.primitive
        return tuple(seen.items())

    @cached_property
    def pattern(self) -> str:
        """Pattern of the whole message, not anchored."""
        out, seen = "", set()
        for piece in self.wording.pieces:
            kept = isinstance(piece, Slot) and piece.field in FIELDS and piece.field not in seen
            out += _pattern(piece, kept=kept)
            if isinstance(piece, Slot):
                seen.add(piece.field)
        return out

    def wrong(self, message: str) -> str | None:
        """Return the one word that keeps a message from having this wording, or None if there is not exactly one."""
        fields = [(name, read(primitive)) for name, primitive in self.groups]
        match = re.compile(self.pattern, re.DOTALL).fullmatch(message)
        if match is not None:
            texts = zip(fields, match.groups(), strict=True)
            found = next(((name, text) for (name, convert), text in texts if convert(text) is None), None)
            return None if found is None else _named(self.row, *found)
        for pattern, name in self._but_for_one:
            match = re.compile(pattern, re.DOTALL).fullmatch(message)
            if match is not None:
                return _named(self.row, name, match[1])
        return None

    @cached_property
    def _but_for_one(self) -> tuple[tuple[str, str], ...]:
        """For each slot, the pattern that accepts any text in it, and the slot's name."""
        found = []
        for place, slot in enumerate(self.wording.pieces):
            if isinstance(slot, Slot):
                texts = [_pattern(piece) for piece in self.wording.pieces]
                texts[place] = f"(.{{0,{_LONGEST_WORD}}}?)"
                found.append(("".join(texts), slot.field or slot.primitive.name))
        return tuple(found)

    @cached_property
    def key(self) -> str | None:
        """The first word of the sentence, or None if a slot is part of it."""
        from .render import filled

        words = {key_of(sentence_of(filled(self.wording, turn))) for turn in (0, 1)}
        return words.pop() if len(words) == 1 else None

    @cached_property
    def speaker_slots(self) -> tuple[tuple[str | Slot, ...], tuple[str | Slot, ...]]:
        """The pieces before the sentence and the pieces of it, cut where `sentence_of` cuts."""
        from .render import sample

        skip = min(len(self.filled), HEAD) - len(sentence_of(self.filled))
        pieces = list(self.wording.pieces)
        before: list[str | Slot] = []
        while skip > 0:
            piece = pieces.pop(0)
            length = len(piece if isinstance(piece, str) else sample(piece.primitive))
            if isinstance(piece, str) and length > skip:
                pieces.insert(0, piece[skip:])
                piece = piece[:skip]
            before.append(piece)
            skip -= length
        return tuple(before), tuple(pieces)

    @cached_property
    def literals(self) -> tuple[str, str, tuple[str, ...], str]:
        """Head, start, inner literals (longest first) and end, as in `Test`."""
        before, sentence = self.speaker_slots
        head = before[0] if before and isinstance(before[0], str) else ""
        inner = [piece for piece in sentence if isinstance(piece, str)]
        start = inner.pop(0) if isinstance(sentence[0], str) else ""
        if len(sentence) == 1:
            last = before[-1] if before else ""
            return head, start, (), (last if isinstance(last, str) else "") + start
        end = inner.pop() if inner and isinstance(sentence[-1], str) else ""
        return head, start, tuple(sorted(dict.fromkeys(inner), key=lambda text: (-len(text), text))), end

    @cached_property
    def literal_pieces(self) -> tuple[str, ...]:
        """Literals of the wording that are not in every line anyway, so that they may be looked for in the whole
        line."""
        return tuple(piece for piece in self.wording.pieces if isinstance(piece, str) and piece not in _DRESSING)

    @cached_property
    def constants(self) -> dict[str, Any]:
        """Values that every line of this wording has, whatever it prints in its slots."""
        fixed_fields = {
            **dict(self.wording.constants),
            **{f"{field}_untrue": mask for field, mask in self.wording.untrue},
        }
        for field in fixed_fields:
            if field not in FIELDS:
                raise ValueError(f"{self.row.id} sets {field}, which is not a field of an event")
        return {"row": self.row.id, **fixed_fields}

    @cached_property
    def filled(self) -> str:
        from .render import filled

        return filled(self.wording)

    @cached_property
    def slots_behind(self) -> tuple[tuple[str, str], ...]:
        """The patterns of the slots, each with the literal before it."""
        pieces = self.wording.pieces
        return tuple(
            dict.fromkeys(
                (left if isinstance(left, str) else "", slot.primitive.exact or slot.primitive.inner)
                for left, slot in zip(("", *pieces), pieces, strict=False)
                if isinstance(slot, Slot)
            )
        )

    def may_print(self, literal: str) -> bool:
        """Return True if a line of this wording may contain a text: literally, or partly or wholly in a slot."""
        return literal in self.filled or any(_may_hold(left, pattern, literal) for left, pattern in self.slots_behind)

    def test(self, later: tuple[Reader, ...]) -> Test:
        """Return the cheapest test that separates this wording from those that are tried after it."""
        head, start, inner, end = self.literals
        chosen = list(inner[: 0 if self.row.kept else 2])
        without: list[str] = []
        for other in later:
            if not self.row.kept and other.row is self.row:
                continue
            other_start = other.literals[1]
            if not (start.startswith(other_start) or other_start.startswith(start)):
                continue
            if any(text and not other.may_print(text) for text in (head, start, *chosen, end)):
                continue
            if any(text in without for text in other.literal_pieces):
                continue
            distinctive = [text for text in (*inner, *self.literal_pieces) if not other.may_print(text)]
            if distinctive:
                chosen.append(distinctive[0])
                continue
            # Among variants of a row the pattern decides, too: text that a slot may print would exclude its own lines.
            prints = self.may_print if other.row is self.row else self.filled.__contains__
            theirs = [text for text in other.literal_pieces if not prints(text)]
            without += theirs[:1]
        return Test(head, start, tuple(chosen), end, tuple(without), self._whole)

    @property
    def _whole(self) -> re.Pattern[str] | None:
        return re.compile(self.pattern, re.DOTALL) if self.wording.whole else None


@cache
def _may_hold(left: str, pattern: str, literal: str) -> bool:
    """Return True if a text that stands behind `left` may be, with the end of that, the literal."""
    return any(
        left.endswith(literal[:cut]) and re.fullmatch(pattern, literal[cut:]) is not None for cut in range(len(literal))
    )


def _pattern(piece: str | Slot, *, kept: bool = False) -> str:
    """Return the pattern of a piece of a wording, with a group for a kept value."""
    if isinstance(piece, str):
        return escape(piece)
    primitive = piece.primitive
    return f"{primitive.before}({'' if kept else '?:'}{primitive.inner}){primitive.after}"


def _named(row: Row, field: str, text: str) -> str:
    return f"{text!r} as {field} of {row.id}"


@cache
def readers() -> tuple[Reader, ...]:
    """Return every wording of the table, in its order."""
    return tuple(Reader(row, wording) for row in rows().values() for wording in row.wordings)


def _specific(reader: Reader) -> tuple[int, int]:
    """Sort key that puts wordings with more literal text first, because they may contain all words of another."""
    head, start, inner, end = reader.literals
    return -len(head + start + "".join(inner) + end), -len(inner)


@dataclass(frozen=True)
class Dispatch:
    """The wordings that a line is tried on."""

    by_key: Mapping[str, Sequence[Reader]]
    """Wordings of loggers, by the first word of the sentence."""
    loose: Sequence[Reader]
    """Wordings of loggers whose first word varies."""
    opening: Sequence[Reader]
    """Wordings without a logger in a line that has a time: more lines of the message follow."""
    throwables: Sequence[Reader]
    """Wordings of lines without time, level and logger."""
    by_logger: Sequence[tuple[str, Row]]
    """Rows for all other lines, by the beginning of the logger's name, the longest first."""


@cache
def dispatch() -> Dispatch:
    by_key: dict[str, list[Reader]] = defaultdict(list)
    loose: list[Reader] = []
    opening: list[Reader] = []
    throwables: list[Reader] = []
    by_logger: dict[str, Row] = {}
    for reader in readers():
        if reader.row.opens:
            opening.append(reader)
        elif not reader.row.loggers:
            throwables.append(reader)
        elif reader.wording.anything:
            by_logger |= dict.fromkeys(reader.row.begins, reader.row)
        elif reader.key is None:
            loose.append(reader)
        else:
            by_key[reader.key].append(reader)
    longest_first = sorted(by_logger.items(), key=lambda each: (-len(each[0]), each[0]))
    return Dispatch(dict(by_key), loose, opening, throwables, longest_first)


Bucket = tuple[tuple[Reader, Test], ...]


def bucket(found: Iterable[Reader]) -> Bucket:
    """Return wordings in the order in which a line is tried on them, each with its test. They are made when first
    needed, because a log prints few of all first words."""
    ordered = sorted(found, key=_specific)
    return tuple((reader, reader.test(tuple(ordered[number + 1 :]))) for number, reader in enumerate(ordered))
