"""The cost of an envelope: `python -m benchmarks.audit.envelopes`. Generated logs as files of Docker and of CRI are
audited beside the plain ones, each as a process, in turn."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

import click

from lab.cluster.generate import Generated, generate
from lab.cluster.state import Fault

from .meter import Cost, measured
from .readings import audit_process

PIECE = 16 * 1024
"""Number of bytes after which Docker and containerd continue in another record."""
_ESCAPED = {char: f"\\u{ord(char):04x}" for char in "<>&"}
"""Characters that Docker's JSON writer escapes beyond those that JSON requires."""


def docker(time: str, pieces: list[str]) -> Iterator[str]:
    """Return the records of a line in Docker's json-file."""
    for piece in (*pieces[:-1], pieces[-1] + "\n"):
        text = json.dumps(piece, ensure_ascii=False)
        for char, shown in _ESCAPED.items():
            text = text.replace(char, shown)
        yield f'{{"log":{text},"stream":"stdout","time":"{time}"}}'


def cri(time: str, pieces: list[str]) -> Iterator[str]:
    """Return the records of a line in a file of containerd."""
    for piece in pieces[:-1]:
        yield f"{time} stdout P {piece}"
    yield f"{time} stdout F {pieces[-1]}"


WRITERS: dict[str, Callable[[str, list[str]], Iterator[str]]] = {"docker": docker, "cri": cri}


def wrapped(made: Generated, folder: Path, envelope: str) -> Generated:
    """Write the same logs in an envelope, under a new `folder`; faults are where their lines begin."""
    if folder.exists():
        shutil.rmtree(folder)
    write = WRITERS[envelope]
    faults, lines, size = [], 0, 0
    for path in sorted(made.folder.rglob("*.log")):
        name = str(path.relative_to(made.folder))
        there = folder / name
        there.parent.mkdir(parents=True, exist_ok=True)
        own = [fault for fault in made.faults if fault.file == name]
        time = ""
        with path.open(encoding="utf-8") as plain, there.open("w", encoding="utf-8") as file:
            number = 1
            for place, line in enumerate(plain, start=1):
                faults += [replace(fault, line=number) for fault in own if fault.line == place]
                text = line.rstrip("\n")
                if text.startswith("["):  # not the rest of a throwable
                    time = f"{text[1:11]}T{text[12:20]}.{text[21:24]}{place % 1_000_000:06d}Z"
                pieces = [text[i : i + PIECE] for i in range(0, len(text), PIECE)] or [""]
                for record in write(time, pieces):
                    file.write(record + "\n")
                    number += 1
            lines += number - 1
        size += there.stat().st_size
    return Generated(folder, lines, size, tuple(sorted(faults)))


@click.command()
@click.option("--size", default=1.0, show_default=True, help="GB of plain text.")
@click.option("--rounds", default=3, show_default=True, help="How often each is measured; the medians are shown.")
@click.option("--folder", type=click.Path(path_type=Path), help="Where the logs go (default: a temporary folder).")
def main(size: float, rounds: int, folder: Path | None) -> None:
    """Time the audit of the same logs plain, as Docker writes them, and as CRI does."""
    with tempfile.TemporaryDirectory() as temporary:
        top = folder or Path(temporary)
        plain = generate(top / "plain", size)
        made = {"plain": plain, **{name: wrapped(plain, top / name, name) for name in WRITERS}}
        costs: dict[str, list[Cost]] = {name: [] for name in made}
        wrong = False
        for _ in range(rounds):
            for name, each in made.items():
                found, cost = measured(lambda each=each: audit_process(each.folder))  # type: ignore[misc]
                costs[name].append(cost)
                wrong |= _differs(name, found, each.faults)
    _print(made, costs)
    sys.exit(1 if wrong else 0)


def _print(made: dict[str, Generated], costs: dict[str, list[Cost]]) -> None:
    click.echo(f"{'':8}{'GB':>6}{'lines':>12}{'wall s':>9}{'CPU s':>9}{'peak MB':>9}{'/ plain: wall':>15}{'CPU':>6}")
    walls = {name: median(cost.wall for cost in found) for name, found in costs.items()}
    cpus = {name: median(cost.cpu for cost in found) for name, found in costs.items()}
    for name, each in made.items():
        memory = max(cost.memory for cost in costs[name]) / 1e6
        click.echo(
            f"{name:8}{each.size / 1e9:6.2f}{each.lines:12,}{walls[name]:9.1f}{cpus[name]:9.1f}{memory:9.0f}"
            f"{walls[name] / walls['plain']:15.2f}{cpus[name] / cpus['plain']:6.2f}"
        )


def _differs(name: str, found: list[Fault], planted: tuple[Fault, ...]) -> bool:
    others = set(found) ^ set(planted)
    for fault in sorted(others)[:10]:
        click.echo(f"{name}: found or planted only: {fault.rule} {fault.file}:{fault.line}", err=True)
    return bool(others)


if __name__ == "__main__":
    main()
