"""Damages recordings in many kinds of ways and audits them: `python -m tests.fuzz --cases 300`.

It shows a table of the kinds, how many cases were tried and how many held, and for each failure a command that makes it
again. Exit code 1 if a case failed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

from tests.fuzz.case import Case, Result, tried
from tests.fuzz.kinds import KINDS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=300, help="so many, of the kinds in turn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=sorted(KINDS), metavar="KIND", help="may be repeated")
    parser.add_argument("--first", type=int, default=0, help="number of the first case of each kind")
    parser.add_argument("--every", action="store_true", help="take all recordings, not only small ones")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "isrproof-fuzz")
    asked = parser.parse_args()
    cases = enumerated(asked.only or sorted(KINDS), asked.seed, asked.first, asked.cases, asked.every)
    found = []
    with suppress(KeyboardInterrupt):  # the table is then of those that were tried
        for result in run(cases, asked.keep, asked.jobs):
            found.append(result)
            if result.wrong is not None:
                print(f"{result.case.subject()}: {result.wrong[:400]}\n  {result.case.command()}", flush=True)
    print(table(found))
    print(f"{sum(result.seconds for result in found):.0f} s of CPU; failing input is in {asked.keep}")
    return 1 if any(result.wrong is not None for result in found) else 0


def enumerated(kinds: Sequence[str], seed: int, first: int, count: int, every: bool = False) -> list[Case]:
    """Return cases of these kinds in turn."""
    return [Case(kinds[at % len(kinds)], seed, first + at // len(kinds), every) for at in range(count)]


def run(cases: Sequence[Case], keep: Path, jobs: int = 1) -> Iterator[Result]:
    """Yield the results of cases."""
    if jobs == 1:
        yield from map(partial(tried, keep=keep), cases)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(partial(tried, keep=keep), cases, chunksize=8)


def table(results: Iterable[Result]) -> str:
    """Return the kinds, with the numbers of cases that were tried and that held, as Markdown."""
    all_tried: Counter[str] = Counter()
    held: Counter[str] = Counter()
    for result in results:
        all_tried[result.case.kind] += 1
        held[result.case.kind] += result.wrong is None
    rows = [
        f"| {kind} | {'yes' if KINDS[kind].promised else 'no'} | {n} | {held[kind]} |"
        for kind, n in sorted(all_tried.items())
    ]
    total = f"| all | | {all_tried.total()} | {held.total()} |"
    return "\n".join(["| kind | verdicts promised | tried | held |", "|---|---|---|---|", *rows, total])


if __name__ == "__main__":
    sys.exit(main())
