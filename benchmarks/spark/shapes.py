"""The same bytes in other shapes: in few or many files, and with most lines about one topic."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

_OF_TOPIC = re.compile(rb"topicName='events-(\d{3}[0-5])', partitionIndex=(\d{1,2}),|events-(\d{3}[0-5])-(\d{1,2})\b")
"""A partition of the six topics of ten that become one."""
_FEW, _BYTES = 100, 10_000


def shapes(folder: Path, made: Path) -> Iterator[tuple[str, Path]]:
    """Yield a cluster's log as it was made, with 60 % of its partitions in one topic, in 100 files, and in files of
    10 kB.
    """
    yield "as made", folder
    yield "60 % one topic", _skewed(folder, made / "skewed")
    logs = [log.read_bytes() for log in sorted(folder.glob("*/state-change.log"))]
    for most, name in ((sum(map(len, logs)) // _FEW, "few"), (_BYTES, "many")):
        files = _cut(logs, most, made / name)
        yield f"{files:,} files of {most / 1000:,.0f} kB", made / name


def _skewed(folder: Path, to: Path) -> Path:
    for log in folder.glob("*/*.log"):
        own = to / log.relative_to(folder)
        own.parent.mkdir(parents=True, exist_ok=True)
        own.write_bytes(_OF_TOPIC.sub(_one, log.read_bytes()))
    return to


def _one(match: re.Match[bytes]) -> bytes:
    name, number = match[1] or match[3], match[2] or match[4]
    partition = int(name) * 100 + int(number)
    return b"topicName='all', partitionIndex=%d," % partition if match[1] else b"all-%d" % partition


def _cut(logs: list[bytes], most: int, to: Path) -> int:
    """Write logs as rotated files of about a size, each of whole lines, the oldest with the largest number; return how
    many."""
    files = 0
    for broker, text in enumerate(logs):
        bounds = [0]
        while bounds[-1] < len(text):
            bounds.append(text.find(b"\n", min(bounds[-1] + most, len(text)) - 1) + 1 or len(text))
        own = to / f"broker-{broker}"
        own.mkdir(parents=True)
        for number, (begin, end) in enumerate(pairwise(reversed(bounds))):
            (own / f"state-change.log{f'.{number}' if number else ''}").write_bytes(text[end:begin])
        files += len(bounds) - 1
    return files
