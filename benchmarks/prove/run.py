"""Whole-process times of `isrproof prove`, from start to exit: python benchmarks/prove/run.py [MODEL...]."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

MODELS = ("kip320", "kip497", "replica", "partition")


def measured(model: str) -> dict[str, object]:
    """Wall and processor seconds of one run, and what it said."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, "-c", "from isrproof.checker.cli import main; main()", "prove", model, "--json"],
        check=False,
        capture_output=True,
        text=True,
    )
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = json.loads(ran.stdout)
    return {
        "model": model,
        "verdict": said["verdict"],
        "wall_seconds": round(wall, 2),
        "cpu_seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2),
        "solver_seconds": said.get("solver_seconds", said["seconds"]),
        "questions": len(said.get("questions", said["properties"])),
    }


if __name__ == "__main__":
    for name in sys.argv[1:] or MODELS:
        print(json.dumps(measured(name)))
