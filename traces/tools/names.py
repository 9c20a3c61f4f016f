"""Lists of names in a sentence."""

from __future__ import annotations

from collections.abc import Iterable

_MOST = 10


def listing(names: Iterable[str]) -> str:
    """Return names with commas between them; of many the first, and the number of the others."""
    all_names = list(names)
    more = len(all_names) - _MOST
    return ", ".join(all_names[:_MOST]) + (f" and {more} more" if more > 0 else "")
