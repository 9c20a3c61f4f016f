"""How fast the explorer is: whole processes, from start to exit, one core.

    python benchmarks/explore/run.py [--large] [--repeat 3]

Prints for each instance the wall clock and CPU seconds and the peak memory of the best of the repeats, beside the goal.
CPU seconds are what a quiet machine would take; on a busy one the wall clock says more about the neighbours.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

RUNS = (
    # title, arguments, goal in seconds, goal in MB
    ("3/2/2/2", ["kip320"], 0.8, 150),
    ("3/2/2/2 with symmetry", ["kip320", "--symmetry"], None, None),
    ("2/3/3/2 (21,493 states)", ["kip320", "--set=replicas=2", "--set=log_size=3", "--set=max_records=3"], 0.4, None),
    ("3/2/2/1 (39,619 states)", ["kip320", "--set=max_leader_epoch=1"], 0.4, None),
    ("3/3/3/2", ["kip320", "--set=log_size=3", "--set=max_records=3"], 4.0, 300),
    ("3/3/3/2 with symmetry", ["kip320", "--set=log_size=3", "--set=max_records=3", "--symmetry"], None, None),
)
LARGE = (
    ("3/3/3/3", ["kip320", "--set=log_size=3", "--set=max_records=3", "--set=max_leader_epoch=3"], 60.0, 3000),
    (
        "3/3/3/3 with symmetry",
        ["kip320", "--set=log_size=3", "--set=max_records=3", "--set=max_leader_epoch=3", "--symmetry"],
        None,
        None,
    ),
)


def measure(arguments: list[str]) -> dict[str, float]:
    """One whole process: seconds of wall clock and CPU, peak MB, distinct states."""
    program = str(Path(sys.executable).with_name("isrproof"))
    command = [program, "explore", *arguments]
    command += ["--property=WeakIsr", "--property=StrongIsr", "--json"]
    # As installed, Python keeps its bytecode; compiling the modules anew would cost more than the search.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    read, write = os.pipe()
    started = time.perf_counter()
    child = os.posix_spawn(
        program, command, environment, file_actions=[(os.POSIX_SPAWN_DUP2, write, 1), (os.POSIX_SPAWN_CLOSE, read)]
    )
    os.close(write)
    with os.fdopen(read) as pipe:
        said = json.load(pipe)
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status) != 0 or said["verdict"] != "holds":
        raise SystemExit(f"{' '.join(command)}: expected 'holds', got {said}")
    scale = 1024 * 1024 if sys.platform == "darwin" else 1024
    return {
        "wall": wall,
        "cpu": usage.ru_utime + usage.ru_stime,
        "mb": usage.ru_maxrss / scale,
        "distinct": said["distinct"],
    }


def main() -> None:
    """Runs and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="also the instances that take a minute")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    started = time.process_time()
    for _ in range(20):
        sum(range(200_000))
    unit = time.process_time() - started
    print(f"this machine now: {unit * 1000:.0f} ms CPU for 20 x sum(range(200000)), load {os.getloadavg()[0]:.1f}")
    print(f"{'instance':<26}{'states':>12}{'wall s':>9}{'CPU s':>8}{'MB':>7}   goal")
    for title, arguments, seconds, megabytes in RUNS + (LARGE if options.large else ()):
        best = min((measure(arguments) for _ in range(options.repeat)), key=lambda each: each["cpu"])
        goal = " ".join(text for value, text in ((seconds, f"{seconds} s"), (megabytes, f"{megabytes} MB")) if value)
        print(
            f"{title:<26}{best['distinct']:>12,}{best['wall']:>9.2f}{best['cpu']:>8.2f}{best['mb']:>7.0f}   {goal}",
            flush=True,
        )


if __name__ == "__main__":
    main()
