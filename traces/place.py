"""Where something stands in a file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A line of a text file, or a record of a metadata log by its offset there.

    `line` counts from 1 in the decompressed file, `offset` from 0; a place has one of the two. A line that holds
    several lines of a log has a `part` for each but the first, from 2.

    Raises:
        ValueError: neither is given, or both are.
    """

    file: str
    line: int | None = None
    offset: int | None = None
    part: int | None = None

    def __post_init__(self) -> None:
        if (self.line is None) == (self.offset is None):
            raise ValueError(f"{self.file}: expected a line or an offset, got line {self.line}, offset {self.offset}")

    @property
    def order(self) -> tuple[str, int, int]:
        """By this, places are sorted."""
        return self.file, (self.line or 0) if self.offset is None else self.offset, self.part or 0

    def __str__(self) -> str:
        if self.offset is not None:
            return f"{self.file}@{self.offset}"
        return f"{self.file}:{self.line}" + (f" (part {self.part})" if self.part else "")
