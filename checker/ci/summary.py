"""The step summary of GitHub Actions: Markdown in a file that the environment names."""

from __future__ import annotations

import errno
import os

_LONGEST = 1_000_000
"""The size limit of a step summary in bytes; GitHub refuses one above 1 MiB."""


def add_summary(text: str) -> str | None:
    """Append to the step summary, where there is one; return the reason if that failed."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        try:
            _append(path, cut(text).encode())
        except OSError as error:
            return f"writing the step summary to {path} failed: {error.strerror or error}"
    return None


def cut(text: str) -> str:
    """Return the text, cut at a line if it is too long."""
    if len(text.encode("utf-8")) <= _LONGEST:
        return text
    begin = text.encode("utf-8")[:_LONGEST].decode("utf-8", "ignore")
    return begin[: begin.rindex("\n") + 1] + "\nThe rest does not fit into a step summary.\n"


def _append(path: str, content: bytes) -> None:
    """Append to a file, all or nothing."""
    with open(path, "ab", buffering=0) as file:
        before = file.tell() if file.seekable() else None
        if file.write(content) != len(content):
            if before is not None:
                file.truncate(before)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
