"""Times and log content as text for people."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from ...ci.text import one_line

_EPOCH = datetime(1970, 1, 1)
plain = one_line
"""Text from a log, safe for a terminal."""


def partition_name(topic: str, partition: int) -> str:
    return plain(f"{topic}-{partition}")


def printed(ts: int) -> str:
    """Return `2026-01-31 12:00:00.123` for milliseconds as a log prints them; their number if no date has it."""
    try:
        moment = _EPOCH + timedelta(milliseconds=ts)
    except OverflowError:  # before the year 1 or after 9999: a clock that is wrong, or damage
        return f"{ts} ms"
    return moment.isoformat(" ", "milliseconds")


def count(number: int, thing: str) -> str:
    """Return `1 line`, `2 lines`."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def and_more(names: Sequence[str], most: int = 8) -> str:
    """Return at most `most` names; the rest is counted."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def brokers_named(ids: Collection[int]) -> str:
    """Return `broker 1`, `brokers 1, 2`."""
    return f"broker{'s' * (len(ids) > 1)} {and_more(list(map(str, ids)))}"
