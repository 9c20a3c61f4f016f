"""Times as envelopes and JSON layouts print them, as nanoseconds since 1970."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from typing import Any

SECOND = 1_000_000_000
MILLISECOND = 1_000_000
_UNITS = ((1e11, SECOND), (1e14, MILLISECOND), (1e17, 1_000), (1e20, 1))
"""Upper bounds of numbers by unit: numbers below the first are seconds (up to the year 5138), then milliseconds, and so
on."""
_TIME = re.compile(
    r"([12][0-9]{3}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:[.,]([0-9]{1,9})[0-9]*)? ?"
    r"(?:(Z|UTC|GMT)|([+-])([0-9]{2}):?([0-9]{2}))?"
)
_NUMBER = re.compile(r"[0-9]{1,20}(?:\.[0-9]{1,12})?")
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def instant(value: Any) -> int | None:
    """Return a time in nanoseconds: with or without a zone (then UTC), or a number since 1970 in a unit that its size
    shows; None for other values.

    log4j's Instant is an object of two numbers.
    """
    if isinstance(value, Mapping):
        seconds, nanos = value.get("epochSecond"), value.get("nanoOfSecond", 0)
        if not isinstance(seconds, int) or not isinstance(nanos, int) or abs(seconds) >= _UNITS[0][0]:
            return None
        return seconds * SECOND + nanos
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    text = value.strip() if isinstance(value, str) else repr(value)
    return _of_number(text) if _NUMBER.fullmatch(text) else _of_text(text)


def _of_number(text: str) -> int | None:
    whole, _, rest = text.partition(".")
    for least, unit in _UNITS:
        if int(whole) < least:
            return int(whole) * unit + int(rest[:9].ljust(9, "0")) * unit // SECOND
    return None


@lru_cache(maxsize=4096)
def _seconds(date: str, time: str) -> int | None:
    try:
        moment = datetime.fromisoformat(f"{date}T{time}").replace(tzinfo=timezone.utc)
    except ValueError:
        return None
    return int((moment - _EPOCH).total_seconds())


@lru_cache(maxsize=4096)
def _of_text(text: str) -> int | None:
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    date, time, fraction, _, sign, hours, minutes = match.groups()
    seconds = _seconds(date, time)
    if seconds is None:
        return None
    shift = 0 if sign is None else (int(hours) * 3600 + int(minutes) * 60) * (-1 if sign == "-" else 1)
    return (seconds - shift) * SECOND + int((fraction or "").ljust(9, "0"))


@lru_cache(maxsize=4096)
def _second_text(seconds: int) -> str:
    return (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%d %H:%M:%S")


def as_log4j(nanos: int) -> str | None:
    """Return a time as log4j's %d prints it, in UTC; None unless its year has four digits."""
    millis = nanos // MILLISECOND
    try:
        return f"{_second_text(millis // 1000)},{millis % 1000:03d}"
    except (OverflowError, ValueError):
        return None
