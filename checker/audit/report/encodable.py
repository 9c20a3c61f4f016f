r"""Encodable texts. Names of files are bytes; a report is text: bytes that are not text are shown as \xff."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

T = TypeVar("T")


def encodable(value: T) -> T:
    """Return a report, or any part of it, with texts that can be written as UTF-8."""
    found = _encodable(value)
    return value if found is None else cast(T, found)


def _encodable(value: Any) -> Any:
    """Return the encodable value, None where nothing has to change."""
    if isinstance(value, str):
        return None if is_text(value) else os.fsencode(value).decode("utf-8", "backslashreplace")
    if is_dataclass(value) and not isinstance(value, type):
        names = [each.name for each in fields(value) if each.init]
        found = {name: _encodable(getattr(value, name)) for name in names}
        changed = {name: each for name, each in found.items() if each is not None}
        return replace(value, **changed) if changed else None
    if isinstance(value, Mapping):
        pairs = [(_encodable(key), _encodable(each)) for key, each in value.items()]
        if all(pair == (None, None) for pair in pairs):
            return None
        return {encodable(key): encodable(each) for key, each in value.items()}
    if isinstance(value, tuple):
        parts = [_encodable(each) for each in value]
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
