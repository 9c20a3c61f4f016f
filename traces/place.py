"""Where something stands in a file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A line of a text file, or a record of a metadata log by its offset there.

    `line` counts from 1 in the decompressed file, `offset` from 0; a place has one of the two.

    Raises:
        ValueError: neither is given, or both are.
    """

    file: str
    line: int | None = None
    offset: int | None = None

    def __post_init__(self) -> None:
        if (self.line is None) == (self.offset is None):
            raise ValueError(f"{self.file}: expected a line or an offset, got line {self.line}, offset {self.offset}")

    @property
    def order(self) -> tuple[str, int]:
        """By this, places are sorted."""
        return self.file, (self.line or 0) if self.offset is None else self.offset

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.offset is None else f"{self.file}@{self.offset}"
