"""Folders and those below them, through links."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

_OF_THE_KERNEL = ("/proc", "/sys")
"""File systems whose files are no files, and whose links lead everywhere."""


def walked(folder: str, onerror: Callable[[OSError], None] | None = None) -> Iterator[tuple[str, list[str]]]:
    """Yield each folder with its files' names, both in the order of their names.

    A link is followed, except to a folder that was walked, to one above the first, which holds it once more, and to one
    in a file system of the kernel.

    Args:
        onerror: is called for a folder that cannot be listed.
    """
    first = os.path.realpath(folder)
    seen = set(map(str, Path(first).parents))
    kernel = {device for path in _OF_THE_KERNEL if (device := _device(path)) is not None} - {_device(first)}

    def follows(at: str) -> bool:
        return os.path.realpath(at) not in seen and _device(at) not in kernel

    for at, folders, names in os.walk(folder, followlinks=True, onerror=onerror):
        seen.add(os.path.realpath(at))
        folders[:] = sorted(name for name in folders if follows(os.path.join(at, name)))
        yield at, sorted(names)


def _device(path: str) -> int | None:
    try:
        return os.stat(path).st_dev
    except OSError:
        return None
