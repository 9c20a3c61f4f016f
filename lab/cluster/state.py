"""State that the writers of a simulated cluster share: partitions, files, and the faults planted in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from .lines import Ids, ids


@dataclass
class Partition:
    """`leader` -1 is none; `version` is that of the znode."""

    topic: str
    number: int
    replicas: Ids
    leader: int
    isr: Ids
    leader_epoch: int = 0
    version: int = 0
    new: bool = False

    def printed(self) -> dict[str, Any]:
        """The values of its state, as lines print them."""
        return {
            "topic": self.topic, "partition": self.number, "leader": self.leader, "isr": self.isr,
            "leader_epoch": self.leader_epoch, "partition_epoch": self.version,
        }  # fmt: skip

    def write(self, leader: int, isr: Sequence[int], epochs: int = 1, versions: int = 1) -> None:
        self.leader, self.isr = leader, ids(*isr)
        self.leader_epoch += epochs
        self.version += versions


@dataclass(frozen=True, order=True)
class Fault:
    """A planted fault: where it shows first, and the rule that says so."""

    file: str
    line: int
    rule: str


class Log:
    """One file, its lines counted."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.count = 0
        self._file: TextIO = path.open("w", encoding="utf-8", newline="\n")
        self._waiting: list[str] = []

    def put(self, text: str) -> int:
        """Write a line; its number."""
        self._waiting.append(text)
        self.count += 1
        if len(self._waiting) == 20_000:
            self._flush()
        return self.count

    def _flush(self) -> None:
        self._waiting.append("")
        self._file.write("\n".join(self._waiting))
        self._waiting.clear()

    def close(self) -> None:
        self._flush()
        self._file.close()
