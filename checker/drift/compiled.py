"""Texts of a class file: literals, and joins of literals and values, whoever prints them.

A class file does not show which of its texts a logger prints. So the texts of a class can show that a line of ours
exists, but not which lines are new.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .calls import Call
from .classfile import CALL, JOIN, NEW, TEXT, ClassFile, Instruction
from .templates import Template, template, unformatted

_BUILDERS = ("java.lang.StringBuilder", "scala.collection.mutable.StringBuilder")
_LOGGERS = ("org.slf4j.Logger", "com.typesafe.scalalogging.Logger")
_STATE_CHANGE = "StateChangeLogger;"
"""The end of the type of a logger with a name of its own."""
_TRAITS = ("kafka.utils.Logging",)


def has_logger(file: ClassFile) -> bool:
    """Return whether the class holds a logger, or is Kafka's trait for classes that do."""
    held = any(kind[1:-1].replace("/", ".") in _LOGGERS for kind in file.fields.values())
    return held or any(name in _TRAITS for name in file.interfaces)


def texts(file: ClassFile) -> list[Call]:
    """Return the texts that the class may print, each once."""
    found: dict[Template, None] = {}
    for _, steps in file.methods:
        for parts in _joined(steps):
            for one in (template(parts), template(unformatted(parts))):
                if one.words:
                    found[one] = None
    handed = any(_STATE_CHANGE in kind for kind in file.fields.values())
    return [Call(file.name, True, None, one, file.name, 0, handed) for one in found]


def _joined(steps: Sequence[Instruction]) -> Iterator[tuple[str | None, ...]]:
    """Yield literals, recipes, and the texts of builders, in the order of the instructions."""
    builders: list[list[str | None]] = []
    before: Instruction | None = None
    for step in steps:
        if step.kind == TEXT:
            yield (str(step.value),)
        elif step.kind == JOIN:
            yield _recipe(str(step.value))
        elif step.kind == NEW and step.value in _BUILDERS:
            builders.append([])
        elif step.kind == CALL and step.owner in _BUILDERS and builders:
            if step.value == "append":
                builders[-1].append(str(before.value) if before and before.kind == TEXT else None)
            elif step.value == "toString":
                yield tuple(builders.pop())
        before = step


def _recipe(recipe: str) -> tuple[str | None, ...]:
    r"""Return the parts of a recipe: \x01 and \x02 stand for inserted values."""
    parts: list[str | None] = []
    for index, literal in enumerate(recipe.replace("\x02", "\x01").split("\x01")):
        parts += ([None] if index else []) + ([literal] if literal else [])
    return tuple(parts)
