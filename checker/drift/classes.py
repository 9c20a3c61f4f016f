"""The classes of a source file: their names as loggers print them, their parents, and their bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .tokens import SIGN, WORD, Token

_KEYWORDS = ("class", "object", "trait", "interface", "enum", "record")
_ENDS_HEADER = ("def", "val", "var", "type", "import", "package")
_EXTENDS = ("extends", "with", "implements")


@dataclass(frozen=True)
class Class:
    """A class of a source file."""

    name: str
    """The name as the class's logger prints it: `kafka.server.Outer$Inner`, an object of Scala with a trailing `$`."""
    parents: tuple[str, ...]
    """The simple names of the classes that it extends."""
    first: int
    """The token that opens its body."""
    last: int
    """The token that closes its body."""


def simple(name: str) -> str:
    """Return a class's name without its package and without outer or inner classes: Outer of a.b.Outer$Inner."""
    return name.rsplit(".", 1)[-1].partition("$")[0]


def outermost(name: str) -> str:
    """Return the outermost class of a name, with its package."""
    return name.partition("$")[0]


@dataclass
class _Header:
    """The head of a class, read up to its body."""

    name: str
    is_object: bool
    parents: list[str]
    depth: int


def package(source: Sequence[Token]) -> str:
    """Return the package of a file; several clauses of Scala are joined."""
    names: list[str] = []
    for at, token in enumerate(source):
        if token.kind == WORD and token.text == "package" and at + 1 < len(source) and source[at + 1].text != "object":
            names.append(_dotted(source, at + 1))
        elif token.text in ("import", *_KEYWORDS):
            break
    return ".".join(names)


def _dotted(source: Sequence[Token], at: int) -> str:
    words: list[str] = []
    while at < len(source) and source[at].kind == WORD:
        words.append(source[at].text)
        if at + 1 >= len(source) or source[at + 1].text != ".":
            break
        at += 2
    return ".".join(words)


def imports(source: Sequence[Token]) -> dict[str, str]:
    """Return the full names of imported classes by their simple names."""
    found = {}
    for at, token in enumerate(source):
        if token.kind == WORD and token.text == "import":
            name = _dotted(source, at + 1)
            found[name.rsplit(".", 1)[-1]] = name
    return found


def classes(source: Sequence[Token]) -> list[Class]:
    """Return the classes of a file that have a body, in the order in which they end."""
    within = package(source)
    found: list[Class] = []
    bodies: list[tuple[_Header, int] | None] = []  # the owner of each open brace
    header: _Header | None = None
    brackets = 0
    for at, token in enumerate(source):
        if token.kind == SIGN:
            brackets += (token.text in "([") - (token.text in ")]")
            if token.text == "{" and (not header or brackets == header.depth):
                bodies.append((header, at) if header else None)
                header = None
            elif token.text == "{":
                bodies.append(None)
            elif token.text == "}" and bodies:
                body = bodies.pop()
                if body:
                    outer = [each[0] for each in bodies if each]
                    found.append(Class(_name(within, [*outer, body[0]]), tuple(body[0].parents), body[1], at))
        elif token.kind == WORD:
            if _opens(source, at):
                header = _Header(source[at + 1].text, token.text == "object", [], brackets)
            elif header and brackets == header.depth:
                if token.text in _ENDS_HEADER:
                    header = None
                elif source[at - 1].text in (*_EXTENDS, ","):
                    header.parents.append(_dotted(source, at).rsplit(".", 1)[-1])
    return found


def _opens(source: Sequence[Token], at: int) -> bool:
    """Return whether a class begins with this word; `record` and others are also ordinary names."""
    return (
        source[at].text in _KEYWORDS
        and (at == 0 or source[at - 1].text != ".")
        and at + 1 < len(source)
        and source[at + 1].kind == WORD
        and source[at + 1].text[0].isupper()
    )


def _name(within: str, nested: Sequence[_Header]) -> str:
    """Return names of nested classes as the compiler joins them; an object, and everything in it, has `$` at its
    end.
    """
    name = ""
    for each in nested:
        name += ("" if not name or name.endswith("$") else "$") + each.name + ("$" if each.is_object else "")
    return f"{within}.{name}" if within else name
