"""Wordings made ready to read: a pattern and what its groups become. One place for Python and Spark."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from ..specs.lines import Primitive, Row, Slot, Wording, rows
from .event import FIELDS
from .layouts import escape

RECOVERY = {"0": "RECOVERED", "1": "RECOVERING"}
_BROKER_ID = re.compile("brokerId=(-?[0-9]+)")


def _ints(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(","))) if text else ()


def _texts(text: str) -> tuple[str, ...]:
    return tuple(text.split(",")) if text else ()


def _broker_states(text: str) -> tuple[int, ...]:
    return tuple(map(int, _BROKER_ID.findall(text)))


def _bool(text: str) -> bool:
    return text == "true"


_READ: Mapping[str, Callable[[str], Any]] = {
    "int": int,
    "ints": _ints,
    "text": str,
    "texts": _texts,
    "bool": _bool,
    "recovery": RECOVERY.__getitem__,
}


def read(primitive: Primitive) -> Callable[[str], Any]:
    """What turns the kept text of a primitive into the value of a field."""
    return _broker_states if primitive.name == "brokerstates" else _READ[primitive.kind]


def sentence_of(message: str) -> str:
    """A message without who speaks: "[Controller id=1 epoch=2] ", "[Controller 1]: ", "Controller 1 epoch 2 ".

    Plain searches only, so that Spark can do the same; both steps may apply to one message (SC2 and SC6 since 1.1).
    """
    if message[:1] == "[":
        close = message.find("]")
        space = message.find(" ", close)
        message = message[space + 1 :] if 0 < close < space else message
    if message[:11] == "Controller ":
        space = message.find(" ", 11)
        if space > 0 and message[space + 1 : space + 7] == "epoch ":
            space = message.find(" ", space + 7)
            return message[space + 1 :] if space > 0 else message
    elif message[:7] == "Broker " and message[7:8] in "0123456789-":
        space = message.find(" ", 7)
        return message[space + 1 :] if space > 0 else message
    return message


def key_of(sentence: str) -> str:
    """The first word: what readers dispatch on."""
    return sentence.partition(" ")[0]


@dataclass(frozen=True)
class Skeleton:
    """Literal parts of a wording: beginning of the message; beginning, longest inner parts and end of its sentence.

    Nobody reads the fields of an irrelevant line, so its literal parts suffice, in time linear in the line whatever it
    holds; Spark asks the same without a regular expression.
    """

    head: str
    start: str
    inner: tuple[str, ...]
    end: str
    exact: bool = False

    def fits(self, message: str, sentence: str) -> bool:
        if not message.startswith(self.head):
            return False
        if self.exact:
            return sentence == self.start
        return (
            sentence.startswith(self.start)
            and sentence.endswith(self.end)
            and all(literal in sentence for literal in self.inner)
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
        """The whole message, unanchored."""
        out, seen = "", set()
        for piece in self.wording.pieces:
            if isinstance(piece, str):
                out += escape(piece)
                continue
            primitive = piece.primitive
            kept = piece.field is not None and piece.field not in seen
            seen.add(piece.field)
            inner = f"({primitive.inner})" if kept else f"(?:{primitive.inner})"
            out += primitive.before + inner + primitive.after
        return out

    @cached_property
    def sentence(self) -> tuple[str | Slot, ...]:
        return self.wording.pieces[self.wording.prefix :]

    @cached_property
    def key(self) -> str | None:
        """The first word of the sentence, or None where a slot is part of it."""
        from .render import filled

        words = {key_of(sentence_of(filled(self.wording, turn))) for turn in (0, 1)}
        return words.pop() if len(words) == 1 else None

    @cached_property
    def skeleton(self) -> Skeleton:
        """What an irrelevant line of this wording is known by."""
        head = self.wording.pieces[0] if self.wording.prefix and isinstance(self.wording.pieces[0], str) else ""
        literals = [piece for piece in self.sentence if isinstance(piece, str)]
        if len(self.sentence) == 1 and literals:
            return Skeleton(head, literals[0], (), "", exact=True)
        start = literals.pop(0) if isinstance(self.sentence[0], str) else ""
        end = literals.pop() if literals and isinstance(self.sentence[-1], str) else ""
        inner = tuple(sorted(set(literals), key=lambda literal: (-len(literal), literal))[:2])
        return Skeleton(head, start, inner, end)

    @cached_property
    def constants(self) -> dict[str, Any]:
        for field, _ in self.wording.constants:
            if field not in FIELDS:
                raise ValueError(f"{self.row.id} sets {field}, which is no field of an event")
        return {"row": self.row.id, **dict(self.wording.constants)}


@cache
def readers() -> tuple[Reader, ...]:
    """Every wording of the table, in its order."""
    return tuple(Reader(row, wording) for row in rows().values() for wording in row.wordings)


@cache
def dispatch() -> tuple[Mapping[str, tuple[Reader, ...]], tuple[Reader, ...], tuple[Reader, ...]]:
    """Readers by first word; those whose first word varies; those of throwables, which have no logger."""
    by_key: dict[str, list[Reader]] = {}
    loose: list[Reader] = []
    throwables: list[Reader] = []
    for reader in readers():
        if not reader.row.loggers:
            throwables.append(reader)
        elif reader.key is None:
            loose.append(reader)
        else:
            by_key.setdefault(reader.key, []).append(reader)
    return {key: tuple(found) for key, found in by_key.items()}, tuple(loose), tuple(throwables)
