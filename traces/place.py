"""Places in files."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A line of a text file, or a record of a metadata log by its offset.

    A place has either a line or an offset.

    Raises:
        ValueError: it has neither, or both.
    """

    file: str
    line: int | None = None
    """Number of the line in the decompressed file, from 1."""
    offset: int | None = None
    """Offset of the record, from 0."""
    part: int | None = None
    """Position among the log lines that this line contains, from 2; None for the first."""

    def __post_init__(self) -> None:
        if (self.line is None) == (self.offset is None):
            raise ValueError(f"{self.file}: expected a line or an offset, got line {self.line}, offset {self.offset}")

    @property
    def order(self) -> tuple[str, int, int]:
        """Sort key of places."""
        return self.file, (self.line or 0) if self.offset is None else self.offset, self.part or 0

    def __str__(self) -> str:
        if self.offset is not None:
            return f"{self.file}@{self.offset}"
        return f"{self.file}:{self.line}" + (f" (part {self.part})" if self.part else "")
