"""What a piece of work costs: wall time, CPU time and peak memory, of this process and all that it started."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_EVERY = 0.1


@dataclass(frozen=True)
class Cost:
    """Seconds, seconds, bytes."""

    wall: float
    cpu: float
    memory: int


def measured(work: Callable[[], T]) -> tuple[T, Cost]:
    """Do it, and what it cost. Processes are looked at ten times a second (Linux)."""
    done = threading.Event()
    seen: dict[int, float] = {}
    peak = 0

    def watch() -> None:
        nonlocal peak
        while True:
            sample = _family(os.getpid())
            seen.update({pid: cpu for pid, (cpu, _) in sample.items()})
            peak = max(peak, sum(memory for _, memory in sample.values()))
            if done.wait(_EVERY):
                return

    before = {pid: cpu for pid, (cpu, _) in _family(os.getpid()).items()}
    watcher = threading.Thread(target=watch)
    watcher.start()
    began = time.perf_counter()
    try:
        result = work()
    finally:
        wall = time.perf_counter() - began
        seen.update({pid: cpu for pid, (cpu, _) in _family(os.getpid()).items()})
        done.set()
        watcher.join()
    return result, Cost(wall, sum(cpu - before.get(pid, 0.0) for pid, cpu in seen.items()), peak)


def _family(root: int) -> dict[int, tuple[float, int]]:
    """CPU seconds and resident bytes of a process and its descendants."""
    parents: dict[int, int] = {}
    costs: dict[int, tuple[float, int]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        parents[int(entry.name)] = int(words[1])
        costs[int(entry.name)] = ((int(words[11]) + int(words[12])) / _TICKS, int(words[21]) * _PAGE)
    family = {root}
    grown = True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in family} - family
        family |= more
        grown = bool(more)
    return {pid: costs[pid] for pid in family if pid in costs}
