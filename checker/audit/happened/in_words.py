"""Texts that several kinds of what happened share."""

from __future__ import annotations

from collections.abc import Iterable


def listed(ids: Iterable[int]) -> str:
    """Return `1, 2, 3`."""
    return ", ".join(map(str, ids))
