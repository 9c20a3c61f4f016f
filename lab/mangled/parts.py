"""Files, their lines and entries, as ways of mangling take them (ways.py)."""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from lab import RECORDED, RECORDED_KRAFT

KRAFT, TEXT = "kraft-", "text-"
METADATA = "metadata"
"""The folder of a node's metadata log."""
Files = dict[str, list[str]]
"""Lines without their ends, by the path in the recording. A path that ends with .gz is written compressed."""
Entry = list[str]
"""A line with a time, and the lines without one that follow it."""
Mangle = Callable[[Files, random.Random, float], Files]
TIME = re.compile(r"\[?([12]\d{3}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)([,.]\d+)?")


def time_of(line: str) -> str | None:
    found = TIME.match(line)
    return None if found is None else found[0].strip("[")


def entries(lines: Iterable[str]) -> list[Entry]:
    """Lines with what follows them; what comes before the first with a time is an entry too."""
    found: list[Entry] = []
    for line in lines:
        if time_of(line) is not None or not found:
            found.append([line])
        else:
            found[-1].append(line)
    return found


def flat(parts: Iterable[Sequence[str]]) -> list[str]:
    return [line for part in parts for line in part]


def key_of(entry: Entry) -> str:
    return time_of(entry[0]) or ""


def each_file(change: Callable[[list[str], random.Random, float], list[str]]) -> Mangle:
    """Every file is changed alone."""
    return lambda files, dice, severity: {path: change(lines, dice, severity) for path, lines in files.items()}


def each_entry(change: Callable[[list[Entry], random.Random, float], list[Entry]]) -> Mangle:
    return each_file(lambda lines, dice, severity: flat(change(entries(lines), dice, severity)))


def stretch(size: int, dice: random.Random, part: float) -> tuple[int, int]:
    """Return the ends of a stretch of this part of `size`."""
    length = min(size, max(1, round(size * part)))
    begin = dice.randint(0, size - length)
    return begin, begin + length


def plain_name(path: str) -> tuple[str, str]:
    return (path[:-3], ".gz") if path.endswith(".gz") else (path, "")


def read(recording: Path) -> Files:
    """The files of a recording; a single file is one of a folder."""
    files: Files = {}
    paths = [recording] if recording.is_file() else sorted(recording.rglob("*.log*"))
    for path in paths:
        if path.parent.name == METADATA:
            continue
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        name = f"broker/{path.name}" if recording.is_file() else path.relative_to(recording).as_posix()
        lines = data.decode("utf-8", "replace").split("\n")
        files[name] = [line.rstrip("\r") for line in lines[:-1] + ([lines[-1]] if lines[-1] else [])]
    return {path: lines for path, lines in files.items() if lines}


def beside(recording: Path) -> list[Path]:
    """The files beside the logs that are not text: the metadata logs of a KRaft recording, and those that describe
    them."""
    return sorted([*recording.rglob(METADATA), *recording.rglob("meta.properties")])


def recorded() -> dict[str, Path]:
    """The recordings, by name; those in KRaft mode begin with kraft-, and once more, for their text alone, with
    text-kraft-."""
    return {
        f"{mode}{path.name}": path
        for mode, folder in (("", RECORDED), (KRAFT, RECORDED_KRAFT), (TEXT + KRAFT, RECORDED_KRAFT))
        for path in sorted(folder.iterdir())
        if (path / "manifest.json").exists()
    }


def with_metadata(name: str) -> Path | None:
    """The recording of that name, if what stands beside its text is of it, too."""
    return None if name.startswith(TEXT) else recorded().get(name)
