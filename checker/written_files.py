"""Files that a command writes beside what it prints: refused before its work if they cannot be, written at the end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..specs.errors import IsrproofError
from ..traces.sources.opened import is_named_fifo
from .replacing import must_be_writable, replacing_together

BESIDE: Mapping[str, str] = {"html": "--html", "sarif": "--sarif", "junit": "--junit", "json": "--json-out"}
"""The forms of a report that a command also writes to files beside what it prints -> the options that name them."""


def check_file(option: str, path: Path) -> None:
    """Refuse what is not a file that can be written: before hours of work, not after.

    Raises:
        IsrproofError, OSError: it is a folder or a FIFO, its folder is not there, or cannot be written to.
    """
    if path.is_dir():
        raise IsrproofError(f"{option} {path}: expected the name of a file, got a folder.")
    must_be_in_a_folder(option, path)
    must_not_be_waited_for(path)
    must_be_writable(path.parent)


def check_files(files: Mapping[str, Path]) -> None:
    """Refuse what cannot be written, and two options that name one file.

    Args:
        files: option -> file.
    """
    named: dict[Path, str] = {}
    for option, path in files.items():
        check_file(option, path)
        other = named.setdefault(path.resolve(), option)
        if other != option:
            raise IsrproofError(f"{option} {path}: expected another file than that of {other}.")


def must_not_be_waited_for(path: Path) -> None:
    """Refuse a FIFO, whose reader may never come."""
    if is_named_fifo(str(path)):
        raise IsrproofError(f"{path}: expected a file to write, got a FIFO; use --format html > {path}, say.")


def must_be_in_a_folder(option: str, path: Path) -> None:
    """Refuse a folder that is not there: nobody looks for a report in one that a typo created."""
    folder = path.absolute().parent
    if not folder.exists():
        raise IsrproofError(
            f"{option} {path}: expected an existing folder, but {folder} does not exist: create it with mkdir -p."
        )


def write_texts(texts: Mapping[Path, str]) -> None:
    """Write all files, or none.

    Raises:
        OSError: they cannot be written.
    """
    with replacing_together(list(texts)) as places:
        for place, text in zip(places, texts.values(), strict=True):
            place.write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8")
