"""Recordings in which each event stands twice, its throwable too, as if two appenders wrote to one file."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

Place = tuple[str, int]
_EVENT = re.compile(r"(?m)^(?=\[[12])")


def doubled(recording: Path, folder: Path) -> dict[Place, Place]:
    """Write them under `folder`, each log in two rotated files cut between an event's two copies.

    Returns, for each (file, line) there, the one of the recording that it repeats.
    """
    origin: dict[Place, Place] = {}
    for path in sorted(recording.rglob("*.log*")):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        here = path.relative_to(recording)
        newest = str(here).removesuffix(".gz")
        lines, copies = 0, []
        for event in _EVENT.split(data.decode("utf-8", "replace")):
            own = event.splitlines(keepends=True)
            copies += [[(line, lines + i) for i, line in enumerate(own, start=1)]] * 2
            lines += len(own)
        cut = len(copies) // 4 * 2 + 1
        for name, some in ((f"{newest}.1", copies[:cut]), (newest, copies[cut:])):
            written = [each for copy in some for each in copy]
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text("".join(line for line, _ in written), encoding="utf-8")
            origin |= {(name, i): (str(here), number) for i, (_, number) in enumerate(written, start=1)}
    return origin
