"""Limits of what is read: no file takes more memory or time than its size explains. docs/formats.md lists them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limit:
    """The largest of something that is read."""

    most: int
    """The limit, in `unit`."""
    unit: str
    """A number of what: bytes, files, levels, times."""
    of: str
    """A description of what is limited."""
    beyond: str
    """A description of what happens to the rest."""


LINE = Limit(1 << 23, "bytes", "a line", "the line is cut there, and is incomplete")
DOCUMENT = Limit(1 << 28, "bytes", "JSON that is not one object per line", "the file is not read")
SMALL_FILE = Limit(1 << 16, "bytes", "meta.properties and quorum-state", "the rest is not read")
NUMBER = Limit(1 << 62, "", "a number or a time in a record, an offset", "the batch is damaged: it is left out")
NODE = Limit(1 << 31, "", "the id of a node or a broker, an epoch of the quorum, a partition", "it is no such number")
BATCH = Limit(64 << 20, "bytes", "a batch of records, and what a compressed one expands to", "the batch is left out")
DIGITS = Limit(300, "digits", "a number in the text of a line", "the line is not understood")
WORD = Limit(200, "characters", "a conversion of --layout that stands for a word", "the line is not in the layout")
MEMBERS = Limit(100_000, "files", "an archive", "the archive is refused")
DEPTH = Limit(3, "levels", "archives within archives", "an archive below that is a file")
NAMES = Limit(1 << 20, "bytes", "the header of a tar archive that has names", "the members from there on are not read")
ROOM = Limit(1 << 30, "bytes", "what an archive or compressed data contains, where the ratios allow less", "as there")
ARCHIVE_RATIO = Limit(300, "times", "the size of an archive, for what it contains", "the archive is refused")
RATIO = Limit(1_100, "times", "the size of compressed data, for what it stands for", "the rest is not read")
WINDOW = Limit(1 << 27, "bytes", "the window of zstd data", "the data is not read")
XZ_MEMORY = Limit(1 << 28, "bytes", "the memory that xz data needs", "the data is not read")

LIMITS = tuple(value for value in tuple(globals().values()) if isinstance(value, Limit))
"""All limits, in the order in which they are declared."""
