"""Independent pieces of work, in several processes at once."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

Work = TypeVar("Work")
Made = TypeVar("Made")


def in_turn(
    function: Callable[[Work], Made], work: Sequence[Work], jobs: int, progress: Callable[[Work], None]
) -> Iterator[Made]:
    """Yield a function's result for each piece of work, in order, as soon as it and all before it are done.

    Args:
        function: a function of a module, since its arguments and results travel between processes.
        jobs: the number of processes that share the work; 1: this one does it all.
        progress: called with each piece before it is waited for.
    """
    if jobs == 1:
        yield from _waited_for(work, map(function, work), progress)
        return
    with pool(jobs) as made, killed_with_us():
        yield from _waited_for(work, made.map(function, work), progress)


def pool(jobs: int) -> ProcessPoolExecutor:
    """Return a pool of so many processes. An interrupt is for this process, which ends the others."""
    return ProcessPoolExecutor(
        jobs, multiprocessing.get_context("spawn"), signal.signal, (signal.SIGINT, signal.SIG_IGN)
    )


@contextmanager
def killed_with_us() -> Iterator[None]:
    """Kill the child processes if this process stops waiting for them."""
    try:
        yield
    except BaseException:  # also one of a caller that gives up
        for process in multiprocessing.active_children():
            process.kill()
        raise


def _waited_for(work: Sequence[Work], made: Iterator[Made], progress: Callable[[Work], None]) -> Iterator[Made]:
    for each in work:
        progress(each)
        yield next(made)
