"""A supervisor that kills commands at random moments, and looks at what they leave behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MARK = "ISRPROOF_TEST_RUN"
"""A variable of the environment that all processes of a run inherit."""
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
PATIENCE = 20.0
"""Seconds that processes and temporary files of a killed run may take to vanish."""
SMALL_PARTS = """
from isrproof.checker.__main__ import main
if __name__ == "__main__":
    from isrproof.checker.audit.files import columns
    columns._ALONE, columns._PART = 0, 20_000
    main()
"""
"""The command line, with several processes for a log of any size."""

Files = Mapping[str, bytes]
"""Contents by path."""


@dataclass(frozen=True)
class Left:
    """The remains of a run."""

    code: int
    """Its exit code, or minus the number of the signal that ended it."""
    said: str
    """Its output, on both streams."""
    files: Files
    """The files of the folder for its outputs."""
    temporary: tuple[str, ...]
    """Names in the folder for temporary files."""
    processes: tuple[str, ...]
    """Commands that still run."""


def program(*arguments: str, several: Path | None = None) -> list[str]:
    """Return the command of a run; `several` is a folder for a script with which several processes share the work."""
    if several is None:
        return [sys.executable, "-m", "isrproof.checker", *arguments]
    script = several / "small_parts.py"
    script.write_text(SMALL_PARTS, encoding="utf-8")
    return [sys.executable, str(script), *arguments]


def run(
    command: Sequence[str], folder: Path, kill: signal.Signals | None = None, after: float = 0.0, group: bool = False
) -> Left:
    """Run a command in a folder, and send it a signal some seconds after it can take one.

    Args:
        group: the signal goes to its children too, as from a terminal.
    """
    temporary = folder.parent / f"{folder.name}-temporary"
    temporary.mkdir(exist_ok=True)
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    environment = {**os.environ, MARK: mark, "TMPDIR": str(temporary)}
    with (folder.parent / f"{folder.name}-said").open("w+b") as said:
        started = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
            start_new_session=True,
        )  # fmt: skip
        if kill is not None:
            _wait_until_it_catches(started)
            time.sleep(after)
            with suppress(ProcessLookupError):
                (os.killpg if group else os.kill)(started.pid, kill)
        code = started.wait(300)
        deadline = time.monotonic() + PATIENCE
        while (there := (*running(mark), *names(temporary))) and time.monotonic() < deadline:
            time.sleep(0.05)
        processes = (*running(mark),) if there else ()
        for process in processes:
            os.kill(int(process.partition(" ")[0]), signal.SIGKILL)
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
    return Left(code, text, contents(folder), (*names(temporary),), processes)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def names(folder: Path) -> Iterator[str]:
    yield from sorted(path.name for path in folder.iterdir())


def running(mark: str) -> Iterator[str]:
    """Yield the number and the command of each process that has the mark in its environment."""
    wanted = f"{MARK}={mark}".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if wanted in (entry / "environ").read_bytes().split(b"\0"):
                yield f"{entry.name} {(entry / 'cmdline').read_bytes().replace(bytes(1), b' ').decode()}"


def _wait_until_it_catches(started: subprocess.Popen[bytes], number: int = signal.SIGTERM) -> None:
    """Wait until a process has a handler for a signal; what Python does before is nobody's to decide."""
    while started.poll() is None:
        with suppress(OSError):
            status = Path(f"/proc/{started.pid}/status").read_text(encoding="ascii")
            caught = next(line for line in status.splitlines() if line.startswith("SigCgt:")).split()[1]
            if int(caught, 16) >> (number - 1) & 1:
                return
        time.sleep(0.002)


def moments(seed: int, count: int, longest: float) -> Iterator[tuple[signal.Signals, float, bool]]:
    """Yield signals, moments in seconds, and whether a whole group of processes gets them."""
    dice = random.Random(seed)
    for number in range(count):
        yield SIGNALS[number % len(SIGNALS)], dice.uniform(0, longest), dice.random() < 0.3
