"""Recognition of the output of Kafka's tools among lines."""

from __future__ import annotations

from collections.abc import Iterable

from . import quorum, reassignment, topics


class Outputs:
    """The output of tools in the lines of a text."""

    def __init__(self) -> None:
        self._readers = {each.TOOL: each.Reader() for each in (topics, quorum, reassignment)}

    def takes(self, line: str) -> bool:
        """Return True if a line is of a tool's output, after reading it."""
        return any(reader.takes(line) for reader in self._readers.values())

    def words(self) -> list[str]:
        """Return what each output shows, with the name of its tool."""
        return [f"{tool}: {text}" for tool, reader in self._readers.items() for text in reader.words()]


def output(texts: Iterable[str]) -> str | None:
    """Return what a text shows that consists of output of tools; None for any other text."""
    found = Outputs()
    taken = [found.takes(text) for text in texts if text.strip()]
    return "; ".join(found.words()) or None if sum(taken) * 2 > len(taken) else None
