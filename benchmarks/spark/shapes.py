"""The same bytes in other shapes: in few or many files, and with most lines about one topic."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
    """Write logs as rotated files of about a size, each of whole lines; return how many."""
    number = 0
    for broker, text in enumerate(logs):
        begin = 0
        own = to / f"broker-{broker}"
        own.mkdir(parents=True)
        while begin < len(text):
            end = text.find(b"\n", min(begin + most, len(text)) - 1) + 1 or len(text)
            (own / f"state-change.log.{number}").write_bytes(text[begin:end])
            begin, number = end, number + 1
    return number
