"""Whole-process times of `isrproof prove`, from start to exit: python benchmarks/prove/run.py [MODEL[/REPLICAS]...].

One line of JSON a run: wall and processor time of the process, how long it took before the first question (interpreter,
imports, terms), and the time of the questions.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time

MODELS = ("kip320", "kip320/2", "kip320/3", "kip320/4", "kip320/5", "kip497", "replica", "partition")
PROGRAM = (sys.executable, "-c", "from isrproof.checker.cli import main; main()")


def timed(*arguments: str) -> tuple[dict[str, float], str]:
    """Return wall and processor seconds of one process, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    ran = subprocess.run([*PROGRAM, *arguments], check=False, capture_output=True, text=True)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall_seconds": round(wall, 2), "cpu_seconds": round(cpu, 2)}, ran.stdout


def measured(name: str) -> dict[str, object]:
    """Measure one model (with a number of replicas) or table."""
    model, _, replicas = name.partition("/")
    times, printed = timed("prove", model, "--json", *(("--set", f"replicas={replicas}") if replicas else ()))
    output = json.loads(printed)
    asked = [each["seconds"] for each in output.get("questions", output["properties"])]
    return {
        "run": name,
        "verdict": output["verdict"],
        **times,
        "start_seconds": round(times["wall_seconds"] - output["seconds"], 2),
        "questions": len(asked),
        "question_seconds": round(sum(asked), 2),
        "median_question": round(statistics.median(asked), 4),
        "slowest_question": max(asked),
    }


if __name__ == "__main__":
    print(json.dumps({"run": "--help", **timed("--help")[0]}))
    for each in sys.argv[1:] or MODELS:
        print(json.dumps(measured(each)), flush=True)
