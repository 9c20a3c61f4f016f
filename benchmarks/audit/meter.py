"""The cost of a piece of work: wall time, CPU time and peak memory, of this process and all that it started."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
_TICKS = os.sysconf("SC_CLK_TCK")
_EVERY = 0.1
_MEMORY_EVERY = 5
"""Number of looks at CPU time for each look at memory, which takes some ten milliseconds."""


@dataclass(frozen=True)
class Cost:
    """Wall seconds, CPU seconds, bytes."""

    wall: float
    cpu: float
    memory: int


def measured(work: Callable[[], T]) -> tuple[T, Cost]:
    """Run it, and return its cost. Processes are sampled ten times a second (Linux), their memory twice.

    Shared memory is counted once: a process that forks workers shares most of its memory with them.
    """
    done = threading.Event()
    seen: dict[int, float] = {}
    peak = 0

    def watch() -> None:
        nonlocal peak
        for look in count():
            sample = _family(os.getpid())
            seen.update(sample)
            if look % _MEMORY_EVERY == 0:
                peak = max(peak, sum(map(_share, sample)))
            if done.wait(_EVERY):
                return

    before = _family(os.getpid())
    watcher = threading.Thread(target=watch)
    watcher.start()
    began = time.perf_counter()
    try:
        result = work()
    finally:
        wall = time.perf_counter() - began
        seen.update(_family(os.getpid()))
        done.set()
        watcher.join()
    return result, Cost(wall, sum(cpu - before.get(pid, 0.0) for pid, cpu in seen.items()), peak)


def _share(pid: int) -> int:
    """Return the resident bytes of a process, with shared ones in parts; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


def _family(root: int) -> dict[int, float]:
    """Return the CPU seconds of a process and its descendants."""
    parents: dict[int, int] = {}
    costs: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        parents[int(entry.name)] = int(words[1])
        costs[int(entry.name)] = (int(words[11]) + int(words[12])) / _TICKS
    family = {root}
    grown = True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in family} - family
        family |= more
        grown = bool(more)
    return {pid: costs[pid] for pid in family if pid in costs}
