"""The table of the committed recordings: the content of each and its known answer, read from manifests and logs.

`python -m isrproof.traces.record.catalogue traces/recorded` writes it into the README there; a test checks it.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import manifest

BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"
_REFUSAL = re.compile(r"before moving to (\w+) state\. Instead it is in (\w+) state")
_COLUMNS = (
    "recording",
    "Kafka",
    "level",
    "lines",
    "bytes",
    "epochs",
    "versions",
    "dead leaders left",
    "refused steps",
    "lost",
)


def log_text(file: Path) -> str:
    """Return the text of a kept log, decompressed."""
    raw = file.read_bytes()
    return (gzip.decompress(raw) if file.suffix == ".gz" else raw).decode()


def dead_leaders(recording: dict[str, Any]) -> list[str]:
    """Return the partitions that end with a leader that is not registered although a controller is: the mark of
    KAFKA-3143."""
    live: set[int] = set()
    for row in recording["znodes"]:
        if row["path"].startswith("/brokers/ids/"):
            broker = int(row["path"].rpartition("/")[2])
            live = live - {broker} if row["change"] == "delete" else live | {broker}
    leaders = manifest.leaders(recording)
    return sorted(f"{topic}-{number}" for (topic, number), leader in leaders.items() if leader not in {-1, *live})


def refusals(folder: Path) -> Counter[tuple[str, str]]:
    """Return how often Kafka refused each step (from, to) in the logs of the folder."""
    found: Counter[tuple[str, str]] = Counter()
    for file in sorted(folder.glob("broker-*/state-change.log*")):
        found.update((origin, target) for target, origin in _REFUSAL.findall(log_text(file)))
    return found


def _row(folder: Path) -> str:
    recording = manifest.read(folder)
    epochs = max(int(row["value"]) for row in recording["znodes"] if row["path"] == "/controller_epoch")
    versions = sum(
        bool(manifest.STATE.fullmatch(row["path"])) and row["change"] != "delete" for row in recording["znodes"]
    )
    steps = [f"{count} {origin} to {target}" for (origin, target), count in sorted(refusals(folder).items())]
    cells: tuple[object, ...] = (
        folder.name,
        recording["kafka"],
        recording["state_change_level"],
        sum(row["lines"] for row in recording["files"]),
        sum(row["bytes"] for row in recording["files"]),
        epochs,
        versions,
        ", ".join(dead_leaders(recording)) or "none",
        "; ".join(steps) or "none",
        _lost(recording),
    )
    return "| " + " | ".join(map(str, cells)) + " |"


def _lost(recording: dict[str, Any]) -> str:
    """Return the number of lost acknowledged records, by partition and acks, as text."""
    if "lost" not in recording:
        return "-"
    gone: Counter[str] = Counter()
    for row in recording["lost"]:
        gone[f"{row['topic']}-{row['partition']} (acks={row['acks']})"] += row["to"] - row["from"]
    acknowledged = sum(row["to"] - row["from"] for row in recording["acknowledged"])
    return ", ".join(f"{count} of {name}" for name, count in sorted(gone.items())) or f"none of {acknowledged}"


def _rows(recorded: Path) -> Iterator[str]:
    yield f"| {' | '.join(_COLUMNS)} |"
    yield "|---" * len(_COLUMNS) + "|"
    for file in sorted(recorded.glob("*/manifest.json")):
        yield _row(file.parent)


def readme(recorded: Path) -> str:
    """Return the README of the folder with its table made anew; ValueError if the marks of the table are missing."""
    text = (recorded / "README.md").read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{recorded / 'README.md'} has no table between {BEGIN} and {END}")
    return f"{before}{BEGIN}\n" + "\n".join(_rows(recorded)) + f"\n{END}{after}"


if __name__ == "__main__":
    here = Path(sys.argv[1])
    (here / "README.md").write_text(readme(here), encoding="utf-8")
