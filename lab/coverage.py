"""Share of known lines in brokers' logs, by release and file: `python -m lab.coverage`.

It counts lines with a time: those that the line table understands, those that it knows to be irrelevant, the unknown
ones, and among these the lines about a broker's handling of a partition. It reads the recordings, and with `--corpus`
the files that an INDEX.tsv names (columns `file` and `kafka_version`; the files are in folders beside it). Exit code 1
if more than 2 % of a server.log or a state-change.log of a release are unknown, or any line about a partition is.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from isrproof.specs.lines import rows
from isrproof.traces.events.event import Continuation, Event, Unknown
from isrproof.traces.events.parse import parse_line
from isrproof.traces.sources.text import Lines

from . import RECORDED

MOST_UNKNOWN = 0.02
FILES = ("server.log", "state-change.log", "controller.log", "other")
NAMING = tuple(sorted({name for row in rows().values() if row.bears for name, _ in row.loggers}))
"""Loggers that print a broker's handling of a partition; no line of theirs may be unknown."""
Key = tuple[str, str]
"""A release and a file."""


def shares(lines: Iterable[str]) -> Counter[str]:
    """Return the numbers of lines with a time: understood, irrelevant, unknown. `of_partitions` counts those of the
    unknown that are about a partition."""
    counts: Counter[str] = Counter()
    for text in lines:
        parsed = parse_line(text)
        if isinstance(parsed, Continuation):
            continue
        if isinstance(parsed, Unknown):
            counts["unknown"] += 1
            counts["of_partitions"] += any(f"({name})" in text or f" {name}" in text for name in NAMING)
        else:
            counts["understood" if isinstance(parsed, Event) else "irrelevant"] += 1
    return counts


def dated(counts: Counter[str]) -> int:
    return counts["understood"] + counts["irrelevant"] + counts["unknown"]


def recorded(folder: Path = RECORDED) -> Iterator[tuple[Key, Counter[str]]]:
    for manifest in sorted(folder.glob("*/manifest.json")):
        release = json.loads(manifest.read_text(encoding="utf-8"))["kafka"]
        for path in sorted(manifest.parent.glob("broker-*/*.log*")):
            yield (release, _which(path.name)), shares(Lines(str(path)))


def collected(index: Path) -> Iterator[tuple[Key, str, Counter[str]]]:
    """Return the counts of a corpus's files, with the name of each."""
    with index.open(encoding="utf-8") as rows_of:
        for row in csv.DictReader(rows_of, delimiter="\t"):
            release = row["kafka_version"].partition(" ")[0].replace("not", "not stated")
            file = next(path for folder in sorted(index.parent.iterdir()) if (path := folder / row["file"]).exists())
            yield (release, _which(row["file"])), row["file"], shares(Lines(str(file)))


def _which(name: str) -> str:
    return next((file for file in FILES if file.removesuffix(".log") in name), "other")


def added(found: Iterable[tuple[Key, Counter[str]]]) -> dict[Key, Counter[str]]:
    total: dict[Key, Counter[str]] = defaultdict(Counter)
    for key, counts in found:
        total[key].update(counts)
    return dict(sorted(total.items(), key=lambda each: (FILES.index(each[0][1]), each[0])))


def over(found: dict[Key, Counter[str]]) -> list[Key]:
    """Return the files with too many unknown lines, or with an unknown line about a partition."""
    return [
        (release, file)
        for (release, file), counts in found.items()
        if counts["of_partitions"] or (file != "other" and counts["unknown"] > MOST_UNKNOWN * dated(counts))
    ]


def table(found: dict[Key, Counter[str]]) -> list[str]:
    lines = [
        "| file | release | lines | understood | irrelevant | unknown | share | of a partition |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (release, file), counts in found.items():
        numbers = [dated(counts), *(counts[what] for what in ("understood", "irrelevant", "unknown"))]
        share = counts["unknown"] / max(dated(counts), 1)
        lines.append(
            f"| {file} | {release} | {' | '.join(map(str, numbers))} | {share:.2%} | {counts['of_partitions']} |"
        )
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, help="an INDEX.tsv of collected files")
    corpus = parser.parse_args().corpus
    files = list(collected(corpus)) if corpus else []
    found = added([*recorded(), *((key, counts) for key, _, counts in files)])
    print("\n".join(table(found)))
    for _, name, counts in files:
        if counts["of_partitions"]:
            print(f"{name}: {counts['of_partitions']} lines about a partition are unknown")
    return 1 if over(found) else 0


if __name__ == "__main__":
    sys.exit(main())
