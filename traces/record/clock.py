"""Times as a manifest writes them."""

from __future__ import annotations

from datetime import datetime, timezone


def utc(milliseconds: int) -> str:
    """Return milliseconds since 1970 as `2026-01-31T12:00:00.123Z`."""
    moment = datetime.fromtimestamp(milliseconds // 1000, timezone.utc)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z"


def milliseconds(time: str) -> int:
    """Return the milliseconds since 1970 of `2026-01-31T12:00:00.123Z`."""
    moment = datetime.strptime(time, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    return int(moment.timestamp()) * 1000 + moment.microsecond // 1000
