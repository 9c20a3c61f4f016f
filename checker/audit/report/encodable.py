r"""Encodable texts. Names of files are bytes; a report is text: bytes that are not text are shown as \xff."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

T = TypeVar("T")
Change = Callable[[str], str | None]


def encodable(value: T) -> T:
    """Return a report, or any part of it, with texts that can be written as UTF-8."""
    return with_texts(value, _text)


def _text(value: str) -> str | None:
    return None if is_text(value) else os.fsencode(value).decode("utf-8", "backslashreplace")


def with_texts(value: T, change: Change) -> T:
    """Return a report, or any part of it, with its texts changed; None from `change` leaves one as it is."""
    found = _changed(value, change)
    return value if found is None else cast(T, found)


def _changed(value: Any, change: Change) -> Any:
    """Return the changed value, None where nothing has to change."""
    if isinstance(value, str):
        return change(value)
    if is_dataclass(value) and not isinstance(value, type):
        names = [each.name for each in fields(value) if each.init]
        found = {name: _changed(getattr(value, name), change) for name in names}
        changed = {name: each for name, each in found.items() if each is not None}
        return replace(value, **changed) if changed else None
    if isinstance(value, Mapping):
        pairs = [(_changed(key, change), _changed(each, change)) for key, each in value.items()]
        if all(pair == (None, None) for pair in pairs):
            return None
        return {with_texts(key, change): with_texts(each, change) for key, each in value.items()}
    if isinstance(value, tuple):
        parts = [_changed(each, change) for each in value]
        if all(each is None for each in parts):
            return None
        return tuple(each if new is None else new for each, new in zip(value, parts, strict=True))
    return None


def is_text(value: str) -> bool:
    """Return whether a string can be written as UTF-8."""
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
