"""Unwrapping of one envelope: from a text or an object to its content."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from ...specs.formats import Envelope, LayoutRow, Parts, envelopes, layouts
from ...specs.lines import rows
from ...specs.machines import LEVELS
from ..events.event import Event, Unknown
from ..events.layouts import NO_LOGGER, NO_TIME
from ..events.parse import parse_message
from ..sources.text import text_of
from .instants import as_log4j, instant
from .keys import Objects, first, has, members
from .records import loaded

MARKS = ("", ":", ",")
"""Characters that may follow the bracket with which a message begins."""
LOST = "\0"
"""Stands for a line whose content is lost; the parser takes it for one that never reached the disk."""
_LABELS = re.compile(r'(?<![A-Za-z0-9_])([A-Za-z_][A-Za-z0-9_]*)="((?:[^"\\]|\\.)*)"')
_WRITERS = ("pod", "instance", "host", "hostname", "node_name", "filename", "container")


def encodable(text: str) -> str:
    """Return a text without lone surrogates, which JSON can contain and a file cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


class Held(NamedTuple):
    """The content of an envelope."""

    value: Any
    """The text of one or several lines, or an object in a JSON layout."""
    label: str = ""
    """The writer."""
    outer: int | None = None
    """The envelope's time in nanoseconds."""
    goes_on: bool = False
    """The next record of that label is the rest of this one."""


@cache
def _pattern(id: str) -> re.Pattern[str]:
    return re.compile(envelopes()[id].pattern, re.DOTALL)


def take(envelope: Envelope, value: Any) -> list[Held] | None:
    """Return the content of the envelope; None if the value is not in this envelope."""
    if envelope.line is not None:
        return _of_text(envelope, value) if isinstance(value, str) else None
    if isinstance(value, str):
        value = None if envelope.columns else loaded(value)
    return _of_object(envelope, value) if isinstance(value, Mapping) else None


def taken_alone(envelope: Envelope, line: str) -> Held | None:
    """Return the content of a line of a file in one envelope: the line itself if it is in none; None if it is not a
    record."""
    value = line if envelope.kind == "text" else loaded(line)
    if value is None:
        return Held(line) if line.strip() else None
    found = take(envelope, value)
    return Held(value) if found is None else found[0]


def _of_text(envelope: Envelope, text: str) -> list[Held] | None:
    match = _pattern(envelope.id).fullmatch(text)
    if match is None:
        return None
    found = match.groupdict()
    label = found.get("label") or ""
    if found.get("labels") is not None:
        pairs = dict(_LABELS.findall(found["labels"]))
        label = next((pairs[name] for name in _WRITERS if name in pairs), "")
    time = found.get("time")
    text = found.get("text") or ""
    if envelope.quoted:
        try:
            text = encodable(json.loads(text, strict=False))
        except ValueError:
            return None
    held = Held(text, label, None if time is None else instant(time), found.get("piece") == "P")
    return [held]


def _of_object(envelope: Envelope, value: Mapping[str, Any]) -> list[Held] | None:
    found = [objects for objects in members((value,), envelope.each) if _is_in(envelope, objects)]
    if not found:
        return None
    skip = envelope.skip
    return [_held(envelope, objects) for objects in found if skip is None or first(objects, (skip,)) is not True]


def _is_in(envelope: Envelope, objects: Objects) -> bool:
    if envelope.columns:
        return any(name in objects[0] for name in envelope.columns)
    some = not envelope.any or any(has(objects, key) for key in envelope.any)
    return some and all(has(objects, key) for key in envelope.keys)


def _held(envelope: Envelope, objects: Objects) -> Held:
    text = first(objects, envelope.text or envelope.columns)
    if isinstance(text, Mapping) and layout_of(text) is None:
        text = next((one for key in envelope.text if isinstance(one := first(objects, (key,)), str)), text)
    if isinstance(text, list):
        text = text_of(bytes(n & 255 for n in text if isinstance(n, int)))
    if text is None and envelope.parts is not None:
        text = line_of(envelope.parts, objects, first(objects, envelope.time))
    if not isinstance(text, (str, Mapping)):
        text = LOST
    goes_on = first(objects, envelope.piece) == "P" if envelope.piece else False
    if envelope.newline and isinstance(text, str) and not text.endswith("\n"):
        goes_on = True
    return Held(text, _label(envelope, objects), instant(first(objects, envelope.time)), goes_on)


def _label(envelope: Envelope, objects: Objects) -> str:
    found = (first(objects, (key,)) for key in envelope.label)
    texts = [text for text in found if isinstance(text, str) and text]
    return encodable("/".join(dict.fromkeys(texts[:1] if envelope.first_label else texts)))


def layout_of(value: Any) -> LayoutRow | None:
    """Return the JSON layout of an object."""
    if not isinstance(value, Mapping):
        return None
    return next(
        (row for row in layouts().values() if row.keys and all(has((value,), key) for key in row.keys)),
        None,
    )


def lines_of(value: Any) -> list[str]:
    """Return the lines of a value, with those of JSON layouts as the default layout prints them."""
    if isinstance(value, str):
        stripped = value[:-1] if value.endswith("\n") else value
        found = loaded(stripped)
        layout = None if found is None else layout_of(found)
        if layout is None:
            return [line.rstrip("\r") for line in stripped.split("\n")] if "\n" in stripped else [stripped.rstrip("\r")]
        value = found
    else:
        layout = layout_of(value)
    if layout is None:
        return [LOST]
    objects: Objects = (value,)
    return line_of(layout.parts, objects, first(objects, layout.parts.time)).split("\n")


def label_in(value: Any) -> str:
    """Return the writer that an object in a JSON layout names itself."""
    layout = layout_of(value)
    label = None if layout is None else first((value,), layout.label)
    return encodable(label) if isinstance(label, str) else ""


def line_of(parts: Parts, objects: Objects, time: Any) -> str:
    """Return an object's parts as the default layout prints them, followed by the lines of its throwable."""
    message, logger = first(objects, parts.message), first(objects, parts.logger)
    if not isinstance(message, str):
        return LOST
    logger = logger if isinstance(logger, str) and logger and " " not in logger and ")" not in logger else NO_LOGGER
    level = _level(parts, first(objects, parts.level), logger, message.partition("\n")[0])
    component = first(objects, parts.component)
    if isinstance(component, str) and component and component != "unknown":
        message = _with_component(component, message, logger, level)
    moment = instant(time)
    shown = (None if moment is None else as_log4j(moment)) or NO_TIME
    whole, _, rest = message.partition("\n")
    lines = [f"[{shown}] {level} {whole} ({logger})", *([rest] if rest else ())]
    thrown = first(objects, parts.thrown)
    if isinstance(thrown, list):
        thrown = "\n".join(str(line) for line in thrown)
    if isinstance(thrown, str) and thrown.strip() and thrown != message:
        lines.append(thrown.rstrip("\n"))
    return "\n".join(lines)


def _level(parts: Parts, level: Any, logger: str, message: str) -> str:
    shown = str(level)
    shown = parts.levels.get(shown, shown.upper())
    hidden = parts.hides.get(shown)
    if hidden is not None:
        parsed = parse_message(message, logger, shown)
        printed = frozenset() if isinstance(parsed, Unknown) else _levels_of(parsed.row)
        shown = hidden if hidden in printed and shown not in printed else shown
    return shown if shown in LEVELS else "INFO"


@cache
def _levels_of(row: str) -> frozenset[str]:
    """Return the levels at which Kafka prints a row of the line table."""
    return frozenset(name for wording in rows()[row].wordings for name, _ in wording.levels)


def _with_component(component: str, message: str, logger: str, level: str) -> str:
    """Return a message with its component restored. The text after the bracket is lost, so that of the line table is
    used.

    If releases differ in nothing else, it is unknown which of them printed the line, and the line stays unknown.
    """
    parsed = {text: parse_message(text, logger, level) for text in (f"[{component}]{mark} {message}" for mark in MARKS)}
    known = [text for text, outcome in parsed.items() if not isinstance(outcome, Unknown)]
    stretches = {outcome.releases for outcome in parsed.values() if isinstance(outcome, Event)}
    if len(stretches) > 1:
        return f"[{component}]? {message}"
    return known[0] if known else f"[{component}] {message}"
