"""Log levels that are raised or lowered while a cluster runs: `python -m lab.levels --cases 100`.

People raise the level of one logger, of one broker or of all for an incident, and lower it afterwards. Lines below the
level are then missing before or after a line. What a level hides is not evidence: no finding may become illegal.

Of each recording it takes cases that are spread over its lines, shows each that gains an illegal finding, and how many
there were. Exit code 1 if there is one.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from .mangled.harness import Audited, Identity, illegal, in_process, written_to
from .mangled.parts import Files, entries, flat, key_of, read, recorded, with_metadata

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
SHOWN = ("DEBUG", "INFO", "WARN")
"""The levels to which a log is lowered, or from which it is raised."""
_LENGTH = len("[2018-09-01 10:00:00,000] TRACE")
"""A line begins with its time and its level."""


class Change(NamedTuple):
    """A level that is changed."""

    level: str
    """The level; lines below it are missing on one side."""
    raised: bool
    """Lines are missing before the place; otherwise after it."""
    whose: str
    """A file, a broker's folder, or "" for all brokers."""
    place: int | str
    """The number of the first entry of the file after the change, or the time of it."""


@dataclass(frozen=True)
class Gained:
    """A case in which illegal findings are gained."""

    recording: str
    change: Change
    findings: tuple[Identity, ...]


def changed(files: Files, change: Change) -> Files:
    """Return a recording without the lines that the level hides."""
    hidden = _below(change.level)

    def kept(path: str, lines: list[str]) -> list[str]:
        if not path.startswith(change.whose):
            return lines
        numbered = enumerate(entries(lines))
        return flat(
            entry
            for number, entry in numbered
            if _level(entry) not in hidden
            or ((key_of(entry) if isinstance(change.place, str) else number) < change.place) != change.raised
        )

    return {path: lines for path, own in files.items() if (lines := kept(path, own))}


def _level(entry: Sequence[str]) -> str:
    return next((word for word in entry[0][:_LENGTH].split() if word in LEVELS), "FATAL")


def _below(level: str) -> frozenset[str]:
    return frozenset(LEVELS[: LEVELS.index(level)])


def changes(files: Files, every: int = 1, levels: Sequence[str] = SHOWN) -> Iterator[Change]:
    """Yield changes of each file, of each broker and of all, at every so many-th place.

    Two places give the same lines if no line that is hidden stands between them: one of them is taken.
    """
    folders = sorted({path.rpartition("/")[0] + "/" for path in files})
    for level in levels:
        hidden = _below(level)
        for path, lines in files.items():
            numbers = [number for number, entry in enumerate(entries(lines)) if _level(entry) in hidden]
            yield from _at([(number, number + 1) for number in numbers], level, path, every)
        for whose in (*folders, ""):
            own = flat(lines for path, lines in files.items() if path.startswith(whose))
            times = sorted({key_of(entry) for entry in entries(own) if _level(entry) in hidden})
            yield from _at([(time, time + "~") for time in times], level, whose, every)


def spread(files: Files, cases: int) -> list[Change]:
    """Return about so many changes of a recording, in every file and every broker; all, if it has fewer."""
    return list(changes(files, max(1, sum(1 for _ in changes(files)) // cases)))


def _at(places: Sequence[tuple[Any, Any]], level: str, whose: str, every: int) -> Iterator[Change]:
    """Yield changes just before and just after every so many-th of the places that are hidden."""
    for before, after in places[every // 2 :: every]:
        yield Change(level, False, whose, before)
        yield Change(level, True, whose, after)


def gained(
    name: str, chosen: Iterable[Change], audited: Audited, batch: int = 40
) -> Iterator[tuple[int, list[Gained]]]:
    """Yield, of some cases of a recording at once, how many they are and those that gain a finding."""
    recording = recorded()[name]
    files, waiting = read(recording), list(chosen)
    with TemporaryDirectory() as folder:
        written_to(files, Path(folder), with_metadata(name))
        known = illegal(audited([folder])[0]).keys()
    for at in range(0, len(waiting), batch):
        own = waiting[at : at + batch]
        with TemporaryDirectory() as folder:
            folders = [f"{folder}/{number}" for number in range(len(own))]
            for each, place in zip(own, folders, strict=True):
                written_to(changed(files, each), Path(place), with_metadata(name))
            reports = audited(folders)
        found = [
            Gained(name, each, tuple(sorted(illegal(report).keys() - known)))
            for each, report in zip(own, reports, strict=True)
        ]
        yield len(own), [each for each in found if each.findings]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lab.levels", description=__doc__)
    parser.add_argument("--cases", type=int, default=100, help="about so many of each recording")
    parser.add_argument("--recordings", default="", help="those only whose names begin so")
    arguments = parser.parse_args()
    bad = 0
    for name in recorded():
        if not name.startswith(arguments.recordings):
            continue
        tried, rules = 0, Counter[str]()
        for count, found in gained(name, spread(read(recorded()[name]), arguments.cases), in_process("columns")):
            tried += count
            for each in found:
                bad += 1
                rules.update({finding.rule for finding in each.findings})
                print(each, file=sys.stderr, flush=True)
        print(name, tried, *(f"{rule}:{n}" for rule, n in rules.most_common()), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
