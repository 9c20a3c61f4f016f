"""The stderr of a process of its own, whose progress the fixture `no_progress` cannot hold back."""

from __future__ import annotations

import re

_PROGRESS = re.compile(r" \(\d+ s\)\n\Z")


def without_progress(stderr: str) -> str:
    """Return what a command printed on stderr, without the lines that a slow machine adds every ten seconds."""
    return "".join(line for line in stderr.splitlines(keepends=True) if not _PROGRESS.search(line))
