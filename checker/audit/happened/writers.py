"""The node that wrote a file whose lines do not name it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..files.file import OTHER_LOGS, LogFile
from ..table.protocol import Row

_SPEAKERS = {"wrote": "speaker", "module": "controller", "moment": "speaker", "quorum": "speaker"}
"""The kinds of rows of the first look that name a writer, and the column that has it."""
_KAFKAS = (*OTHER_LOGS, "controller.log", "state-change.log")
"""Files that one process of Kafka writes side by side."""


def speakers(rows: Iterable[Row]) -> Iterator[tuple[int, int]]:
    """Yield the files of rows that name a writer, and the writer."""
    for row in rows:
        who = row.get(_SPEAKERS.get(row.get("kind", ""), ""))
        if who is not None:
            yield row["file"], who


@dataclass(frozen=True)
class Writers:
    """The only node that is named as the writer of a file, of its stream, or of its folder."""

    of_file: Mapping[int, int]

    def of(self, file: int) -> int | None:
        return self.of_file.get(file)

    @staticmethod
    def of_rows(rows: Iterable[Row], files: Mapping[int, LogFile]) -> Writers:
        """Return the writers of files from the rows of the first look."""
        named: dict[tuple[object, ...], set[int]] = defaultdict(set)
        for number, who in speakers(rows):
            if number in files:
                for key in _keys(files[number]):
                    named[key].add(who)
        found = {}
        for index, file in files.items():
            only = next((own for key in _keys(file) if (own := named.get(key))), set())
            if len(only) == 1:
                (found[index],) = only
        return Writers(found)


def _keys(file: LogFile) -> tuple[tuple[object, ...], ...]:
    """Return what may name a file's writer, the nearest first."""
    beside = file.stream.endswith(_KAFKAS)
    return ((file.index,), (file.cluster, file.stream), *([(file.cluster, file.directory, "")] if beside else []))
