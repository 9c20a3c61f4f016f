"""The peak memory of the processes of a Spark session on this machine, by role (Linux)."""

from __future__ import annotations

import os
from pathlib import Path

_PEAK = "VmHWM:"
_ROLES = {
    b"SparkSubmit": "the driver's Java",
    b"CoarseGrainedExecutorBackend": "an executor's Java",
    b"spark_daemon": "a Python worker",
    b"pyspark.daemon": "a Python worker",
    b"pyspark/daemon": "a Python worker",
}
"""By what stands in the command of a process, its role."""


def peaks() -> dict[str, int]:
    """Return the largest number of resident bytes that a process of each role has had."""
    found: dict[str, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            lines = (entry / "status").read_text(encoding="utf-8").splitlines()
            role = _role(int(entry.name), (entry / "cmdline").read_bytes())
        except OSError:
            continue  # it has ended
        peak = next((int(line.split()[1]) * 1024 for line in lines if line.startswith(_PEAK)), 0)
        if role is not None:
            found[role] = max(found.get(role, 0), peak)
    return found


def _role(process: int, command: bytes) -> str | None:
    if process == os.getpid():
        return "this process, the driver's Python"
    if not _is_below(process, os.getpid()):
        return None
    return next((role for sign, role in _ROLES.items() if sign in command), None)


def _is_below(process: int, root: int) -> bool:
    while process > 1:
        words = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        process = int(words[1])
        if process == root:
            return True
    return False
