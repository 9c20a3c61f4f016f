"""Calls of loggers in a source file of Java or Scala, with their logger, level and texts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product

from .classes import Class, classes, imports, package, simple
from .templates import MOST, Known, Template, alternatives, argument, called, template, with_arguments
from .tokens import TEXT, WORD, Parts, Token, tokens

LEVELS: Mapping[str, str] = {name: name.upper() for name in ("trace", "debug", "info", "warn", "error", "fatal")}
"""The levels by the names of the methods that print at them."""
STATE_CHANGE = "state.change.logger"
_WRITES = re.compile(r"\b(?:trace|debug|info|warn|error|fatal)\s*\(")
_LOGGER = re.compile(r"(?i)^(?:.*_)?(?:log|logger)$|^[a-z]\w*(?:Log|Logger)$")
_LONGEST = 400
"""The most tokens of a message; a person writes no longer one."""
_DEEPEST = 30


@dataclass(frozen=True)
class Call:
    """A place that prints."""

    logger: str
    """The full name of the logger, as far as this file shows it."""
    inherited: bool
    """True if the logger is the class of the object that prints, so that subclasses print under their own names."""
    level: str | None
    """None where the place does not show it."""
    template: Template
    file: str
    line: int
    handed: bool = False
    """True if the logger was passed in, so that another class prints under its own name."""
    maybe: bool = False
    """True if methods of one name return different texts, one of which is used here."""


@dataclass(frozen=True)
class SourceFile:
    """The loggers and messages of a source file."""

    classes: tuple[Class, ...]
    calls: tuple[Call, ...]
    literals: tuple[str, ...]
    """Literals outside calls: messages may be built from them elsewhere."""


def source_file(text: str, name: str, *, scala: bool) -> SourceFile:
    """Return the classes of a file, and its calls of loggers."""
    source = tokens(text, scala=scala)
    found = classes(source)
    reader = _Reader(text, name, source, found, scala) if _WRITES.search(text) else None
    calls = tuple(reader.calls()) if reader else ()
    printed = reader.printed if reader else set()
    literals = (part for token in source if token.at not in printed for part in token.parts if part)
    return SourceFile(tuple(found), calls, tuple(literals))


class _Reader:
    """A walk over the tokens of one file."""

    def __init__(self, text: str, name: str, source: Sequence[Token], found: Sequence[Class], scala: bool) -> None:
        self.name, self.source, self.classes, self.scala = name, source, found, scala
        self.newlines = [at for at, sign in enumerate(text) if sign == "\n"]
        self.package, self.imports = package(source), imports(source)
        self.loggers = self._loggers()
        self.handed = self._handed()
        self.printed: set[int] = set()
        """The places where the texts of calls begin."""

    def calls(self) -> Iterator[Call]:
        known: dict[str, Sequence[Parts]] = self._returned()
        for at, token in enumerate(self.source):
            if token.kind != WORD:
                continue
            if name := self._assigned(at):
                values = self._values(argument_of_assignment(self.source, at), known)
                if any(part for parts in values for part in parts):
                    known[name] = values
                else:
                    known.pop(name, None)
            elif token.text in LEVELS and self._calls(at):
                yield from self._call(at, known)

    def _returned(self) -> dict[str, Sequence[Parts]]:
        """Return the texts returned by Java methods that do nothing else; methods of one name contribute one text
        each.
        """
        found: dict[str, list[Parts]] = {}
        source = self.source
        for at in range(len(source) - 3):
            if source[at].text == "String" and source[at + 1].kind == WORD and source[at + 2].text == "(":
                start = at + 3
                while start < len(source) and source[start].text not in ("{", ";"):
                    start += 1
                if [token.text for token in source[start : start + 2]] == ["{", "return"]:
                    texts = self._values(argument_of_statement(source, start + 2), {})
                    if len(texts) == 1 and any(texts[0]):
                        found.setdefault(f"{source[at + 1].text}()", []).append(texts[0])
        return dict(found)

    def _assigned(self, at: int) -> str:
        """Return the name that is assigned here: `x = `, `x: String = `."""
        source = self.source
        if at + 2 >= len(source):
            return ""
        if source[at + 1].text == "=" and source[at + 2].text != "=":
            return source[at].text
        typed = [token.text for token in source[at + 1 : at + 4]] == [":", "String", "="]
        return source[at].text if typed else ""

    def _calls(self, at: int) -> bool:
        """Return whether the name of a level is a logger's call here: `log.info(`, or in Scala `info(`."""
        source = self.source
        if at + 1 >= len(source) or source[at + 1].text != "(":
            return False
        before = source[at - 1].text if at else ""
        if before != ".":
            return self.scala and before not in ("def", "new", "@")
        receiver = self._receiver(at)
        return receiver in self.loggers or bool(_LOGGER.match(receiver))

    def _receiver(self, at: int) -> str:
        """Return the last name of the receiver: log of `this.log.info(` and of `log().info(`."""
        place = at - 2
        if place > 1 and self.source[place].text == ")" and self.source[place - 1].text == "(":
            place -= 2
        return self.source[place].text if place >= 0 and self.source[place].kind == WORD else ""

    def _call(self, at: int, known: Known) -> Iterator[Call]:
        start, line = at + 2, bisect_right(self.newlines, self.source[at].at) + 1
        logger, inherited = self._logger(at)
        handed = self.source[at - 1].text == "." and self._receiver(at) in self.handed
        texts: list[Parts] = []
        for _ in range(2):  # a marker may precede the message
            given = argument(self.source, start)
            self.printed.update(token.at for token in given if token.parts)
            texts = self._values(given, known)
            start += len(given) + 1
            if any(part for parts in texts for part in parts):
                break
        choices = self._given(start, known)
        for parts in dict.fromkeys(texts):
            for values in choices:
                text = template(with_arguments(parts, values) if any(values) else parts)
                level = LEVELS[self.source[at].text]
                yield Call(logger, inherited, level, text, self.name, line, handed, len(choices) > 1)

    def _given(self, start: int, known: Known) -> list[tuple[Parts | None, ...]]:
        """Return the texts of the arguments after a message; None for one whose text is not known."""
        found: list[Sequence[Parts | None]] = []
        while start < len(self.source) and self.source[start - 1].text == ",":
            given = argument(self.source, start)
            found.append(known.get(f"{called(given)}()", (None,)))
            start += len(given) + 1
        return list(islice(product(*found), MOST))

    def _values(self, expression: Sequence[Token], known: Known) -> list[Parts]:
        if len(expression) > _LONGEST or _depth(expression) > _DEEPEST:
            return [(None,)]
        return alternatives(expression, known)

    def _logger(self, at: int) -> tuple[str, bool]:
        """Return the logger of a call, and whether subclasses inherit it."""
        own = self._within(at)
        if self.source[at - 1].text != ".":
            return own, True
        receiver = self._receiver(at)
        if "statechange" in receiver.lower():
            return STATE_CHANGE, False
        given = self.loggers.get(receiver)
        if given is None:
            return own, self.scala
        return (given, False) if given else (own, True)

    def _within(self, at: int) -> str:
        """Return the innermost class around a token."""
        around = [each for each in self.classes if each.first < at < each.last]
        inner = min(around, key=lambda each: each.last - each.first, default=None)
        return inner.name if inner else f"{self.package}.?"

    def _loggers(self) -> dict[str, str]:
        """Return the names of loggers by the variables that hold them; "" for the class of the object itself."""
        found: dict[str, str] = {}
        for at, token in enumerate(self.source):
            if token.kind != WORD:
                continue
            if token.text == "Logger" and at + 1 < len(self.source) and self.source[at + 1].kind == WORD:
                name = self.source[at + 1].text
                if name not in ("extends", "implements"):
                    found.setdefault(name, self._within(at))
            made = self._made(at)
            if made is not None and (name := self._holder(at)):
                found[name] = made
        return found

    def _handed(self) -> frozenset[str]:
        """Return the variables of loggers that this file assigns no logger to: parameters, and fields of the same
        name.
        """
        named = {
            self.source[at + 1].text
            for at, token in enumerate(self.source[:-2])
            if token.text == "Logger" and self.source[at + 2].text in (",", ")")
        }
        return frozenset(
            named
            - {name for at in range(len(self.source)) if self._made(at) is not None and (name := self._holder(at))}
        )

    def _made(self, at: int) -> str | None:
        """Return the name of a logger created here by `getLogger(X.class)`, `logger(getClass())`, `Logger("name")`."""
        source = self.source
        if source[at].text not in ("getLogger", "logger", "Logger") or at + 2 >= len(source):
            return None
        if source[at + 1].text != "(":
            return None
        given = argument(source, at + 2)
        if given and given[0].kind == TEXT:
            return "".join(part or "" for part in given[0].parts)
        words = [token.text for token in given if token.kind == WORD]
        if words[:1] == ["getClass"] or words[:2] == ["this", "getClass"]:
            return ""
        if words[-1:] == ["class"] and len(words) > 1:
            return self._full(words[-2])
        return self._full(words[1]) if words[:1] == ["classOf"] and len(words) > 1 else None

    def _holder(self, at: int) -> str:
        """Return the variable that the logger created here is assigned to: the name before the last `=`."""
        for place in range(at, max(at - 12, 0), -1):
            text = self.source[place].text
            if text in (";", "{", "}"):
                return ""
            if text == "=":
                typed = place >= 3 and self.source[place - 2].text == ":"
                return self.source[place - (3 if typed else 1)].text
        return ""

    def _full(self, name: str) -> str:
        """Return the full name of a class that the file mentions."""
        for each in self.classes:
            if each.name.rstrip("$").replace("$", ".").endswith(f".{name}"):
                return each.name.rstrip("$")
        return self.imports.get(name, f"{self.package}.{name}")


def argument_of_statement(source: Sequence[Token], start: int) -> Sequence[Token]:
    """Return the expression before the semicolon that ends a Java statement; empty if it is longer than a message."""
    for place in range(start, min(start + _LONGEST, len(source))):
        if source[place].text in (";", "{", "}"):
            return source[start:place] if source[place].text == ";" else ()
    return ()


def argument_of_assignment(source: Sequence[Token], at: int) -> Sequence[Token]:
    """Return the assigned expression: up to the semicolon, or to where a new line of Scala begins a statement."""
    start = next(place for place in range(at, at + 5) if source[place].text == "=") + 1
    depth = 0
    for place in range(start, min(start + _LONGEST, len(source))):
        text = source[place].text
        if source[place].kind == TEXT:
            continue
        if text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
        if depth < 0 or (depth == 0 and text == ";"):
            return source[start:place]
        if depth == 0 and place > start and _begins(source, place):
            return source[start:place]
    return source[start : start + _LONGEST]


def _begins(source: Sequence[Token], at: int) -> bool:
    """Return whether a word begins a statement of Scala: it follows a word, text or bracket that ended one."""
    before, token = source[at - 1], source[at]
    joins = before.text in ("if", "else", "new", "return", "match", "case")
    ended = (before.kind in (TEXT, WORD) or before.text in (")", "}", "]")) and not joins
    return token.kind == WORD and token.text not in ("else", "match", "with") and ended


def _depth(expression: Sequence[Token]) -> int:
    deepest = depth = 0
    for token in expression:
        if token.text in ("(", "[", "{"):
            depth += 1
        elif token.text in (")", "]", "}"):
            depth -= 1
        deepest = max(deepest, depth)
    return deepest


def loggers_of(call: Call, heirs: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return all names under which a call prints: its own, and those of subclasses where it is inherited.

    Args:
        heirs: full names of direct subclasses by the simple name of the class that they extend.
    """
    names = [call.logger]
    if call.inherited:
        waiting, seen = [simple(call.logger)], set()
        while waiting:
            parent = waiting.pop()
            if parent in seen:
                continue
            seen.add(parent)
            for name in heirs.get(parent, ()):
                names.append(name)
                waiting.append(simple(name))
    return tuple(dict.fromkeys(names))
