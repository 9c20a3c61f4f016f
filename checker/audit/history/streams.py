"""How the files that are there fit together: rotated parts in their order, with gaps; copies; parts elsewhere.

Files of one stream (one broker's rotated log) are ordered by their own first time stamps. A *block* is what no line is
missing from: it ends where a rotated file is not there, and at a line that is not whole.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..files.file import LogFile
from .statements import Heard, Run


def streams(files: Sequence[LogFile]) -> list[list[LogFile]]:
    """The files of each stream, oldest first. A file without a time stamp comes first: it says nothing anyway."""
    chains: dict[tuple[int, str], list[LogFile]] = defaultdict(list)
    for file in files:
        chains[file.cluster, file.stream].append(file)
    for chain in chains.values():
        chain.sort(key=lambda file: (file.first_ts or 0, file.path))
    return [chains[key] for key in sorted(chains)]


@dataclass(frozen=True)
class Place:
    """Where a file is in its stream, and the block of its first line; each of `cuts` begins another."""

    index: int
    first_block: int
    cuts: tuple[int, ...]

    def block(self, line: int) -> int:
        return self.first_block + bisect_right(self.cuts, line)

    def stretches(self, first: int, last: int) -> list[tuple[int, int]]:
        """What is between the cuts, in first..last."""
        cuts = [line for line in self.cuts if first < line < last]
        if not cuts:
            return [(first, last)]
        between = zip([first, *(cut + 1 for cut in cuts)], [*(cut - 1 for cut in cuts), last], strict=True)
        return [(a, b) for a, b in between if a <= b]


@dataclass(frozen=True)
class News:
    """A line in which a broker hears of another epoch than its own, under which it speaks before and after.

    It was replaced without knowing it; or a cluster was wiped and has come to the same epoch again.
    """

    file: int
    line: int
    epoch: int

    def before_creation(self, run: Run) -> bool:
        """Whether the controller of a run creates partitions after it has heard this: then a wipe may lie between."""
        before = self.line < run.last_created if self.file == run.file else run.created > 0
        return self.epoch > run.epoch and before


RunKey = tuple[int, int, int]
"""A run: its file, controller and first line."""


def run_key(run: Run) -> RunKey:
    return run.file, run.controller, run.first


def heard(chain: Sequence[LogFile], said: Mapping[int, Sequence[Run | Heard]]) -> dict[RunKey, list[News]]:
    """What is heard within each run of a stream, and since the run before it if that has the same epoch."""
    at = {file.index: i for i, file in enumerate(chain)}
    news = {file.index: [each for each in said[file.index] if isinstance(each, Heard)] for file in chain}
    before: dict[int, Run] = {}
    found: dict[RunKey, list[News]] = {}
    for file in chain:
        for run in sorted((each for each in said[file.index] if isinstance(each, Run)), key=lambda run: run.first):
            former = before.get(run.controller)
            from_ = former if former is not None and former.epoch == run.epoch else run
            first, last = (at[from_.file], from_.first), (at[run.file], run.last)
            found[run_key(run)] = [
                each
                for i in range(first[0], last[0] + 1)
                for each in _news_to(run, news[chain[i].index])
                if first < (i, each.line) < last
            ]
            before[run.controller] = run
    return found


def _news_to(run: Run, statements: Sequence[Heard]) -> list[News]:
    """Of a later epoch it is the first line, of an earlier one the last."""
    return [
        News(each.file, each.first if each.epoch > run.epoch else each.last, each.epoch)
        for each in statements
        if each.epoch != run.epoch
    ]


def places(chains: Sequence[list[LogFile]], cuts: Mapping[int, Sequence[int]]) -> dict[int, Place]:
    """The places of all files. A new block begins at each cut (by file) and after a rotated file that is not there, or
    not to its end; no two streams have one in common."""
    found: dict[int, Place] = {}
    block = 0
    for chain in chains:
        for i, file in enumerate(chain):
            if i and (_hour_missing(chain[i - 1], file) or _number_missing(chain, i) or _cut_off(chain[i - 1], file)):
                block += 1
            found[file.index] = Place(i, block, tuple(cuts[file.index]))
            block += len(cuts[file.index])
        block += 1
    return found


def _hour_missing(before: LogFile, after: LogFile) -> bool:
    return before.hour is not None and after.hour is not None and after.hour > before.hour + 1


def _cut_off(before: LogFile, after: LogFile) -> bool:
    """Whether lines may be missing between two files, but not within the second."""
    return before.lossy is not None and after.lossy is None


def _number_missing(chain: list[LogFile], i: int) -> bool:
    """Whether a number lies between those of a file and of the one before; the newest file often has none."""
    numbers = [file.number for file in chain if file.number is not None]
    before, after = chain[i - 1].number, chain[i].number
    if before is None:
        return False
    if after is None:  # Where numbers fall with time the newest follows number 1, else the largest.
        rising = len(numbers) > 1 and numbers[0] < numbers[-1]
        return not rising and before > 1
    return any(number not in numbers for number in range(min(before, after) + 1, max(before, after)))


@dataclass(frozen=True)
class Reading:
    """The streams to read of one tenure, in the order of their times.

    `tangled` are those whose time another one has too, and tells more of it: whoever reads them both finds lines twice,
    and others not.
    """

    streams: tuple[str, ...]
    tangled: frozenset[str]


def reading_of(runs: Sequence[Run], files: Mapping[int, LogFile], notes: list[tuple[int, str]]) -> Reading:
    """Which streams to read of a tenure: all, but for copies of one that is read.

    All were written by one broker, so their times can be compared.
    """
    of_stream: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        of_stream[files[run.file].stream].append(run)
    others = [stream for stream, own in of_stream.items() if not any(files[run.file].machines for run in own)]
    parts = [_Part.of(stream, own, files) for stream, own in of_stream.items() if stream not in others]
    read: list[_Part] = []
    tangled: set[_Part] = set()
    for part in sorted(parts, key=lambda part: (part.lossy, -part.moves, part.first_ts, part.stream)):
        over = [other for other in read if part.first_ts < other.last_ts and other.first_ts < part.last_ts]
        of = next((other for other in over if part.repeats(other)), None)
        if of is None:
            read.append(part)
            tangled |= {part} if over else set()
        else:
            note = files[runs[0].file].cluster, f"{part.stream}: repeats what {of.stream} says, so read once"
            if note not in notes:
                notes.append(note)
    inner = {part for part in tangled if any(part.within(other) for other in read if other not in tangled)}
    read.sort(key=lambda part: (part in inner, part.first_ts, part.last_ts, part.stream))
    return Reading((*(part.stream for part in read), *sorted(others)), frozenset(part.stream for part in tangled))


@dataclass(frozen=True)
class _Part:
    """What one stream tells of one tenure, in sum."""

    stream: str
    first_ts: int
    last_ts: int
    moves: int
    created: int
    lossy: bool

    @staticmethod
    def of(stream: str, runs: Sequence[Run], files: Mapping[int, LogFile]) -> _Part:
        return _Part(
            stream,
            min((run.first_ts for run in runs if run.first_ts is not None), default=0),
            max((run.last_ts for run in runs if run.last_ts is not None), default=0),
            sum(run.moves for run in runs),
            sum(run.created for run in runs),
            any(files[run.file].lossy is not None or run.disordered for run in runs),
        )

    def repeats(self, other: _Part) -> bool:
        """Whether this is a copy of the other, or less than one: of a console, say, where the log itself is there."""
        less = self.lossy and not other.lossy and self.moves <= other.moves
        return self.within(other) and (less or (self.moves, self.created) == (other.moves, other.created))

    def within(self, other: _Part) -> bool:
        return other.first_ts <= self.first_ts and self.last_ts <= other.last_ts
