"""The memory of this process."""

from __future__ import annotations

import os
import sys


def peak_mb() -> int:
    """The largest memory of this process so far, in MB."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak / (1024 * 1024) if sys.platform == "darwin" else peak / 1024)


def used_mb() -> int:
    """The memory of this process now, in MB, where the system shows it; else the largest so far."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
    except OSError:
        return peak_mb()
    return pages * os.sysconf("SC_PAGE_SIZE") // (1024 * 1024)
