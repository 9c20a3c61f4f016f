"""Independent pieces of work, in several processes at once, none of which outlives this one."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

from ..specs.errors import IsrproofError

Work = TypeVar("Work")
Made = TypeVar("Made")


class LostWorkerError(IsrproofError):
    """A process that did a part of the work was killed."""


_LOST = (
    "One of the processes that share the work was killed, as a system does that runs out of memory. "
    "Run it again with fewer (--jobs 1), or with more memory."
)


class NoWorkersError(IsrproofError):
    """The system does not allow more processes, or what they need to speak with each other."""


def in_turn(
    function: Callable[[Work], Made], work: Sequence[Work], jobs: int, progress: Callable[[Work], None]
) -> Generator[Made, None, None]:
    """Yield a function's result for each piece of work, in order, as soon as it and all before it are done.

    Args:
        function: a function of a module, since its arguments and results travel between processes.
        jobs: the number of processes that share the work; 1: this one does it all.
        progress: called with each piece before it is waited for.
    """
    if jobs == 1:
        yield from _waited_for(work, map(function, work), progress)
        return
    with pool(jobs) as made:
        yield from _waited_for(work, shared(made, function, work), progress)


def pool(jobs: int) -> ProcessPoolExecutor:
    """Return a pool of so many processes. An interrupt is for this process, which ends the others.

    Raises:
        NoWorkersError: the system does not allow it.
    """
    with _no_workers():
        return ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _begin)


def shared(made: ProcessPoolExecutor, function: Callable[[Work], Made], work: Sequence[Work]) -> Iterator[Made]:
    """Yield a function's result for each piece of work, in order; processes of the pool share the work.

    They are killed if this process stops waiting for them.

    Raises:
        NoWorkersError: none can be started.
        LostWorkerError: one of them was killed.
    """
    try:
        with _started_uninterrupted(), _no_workers():
            results = _submitted(made, function, work)
        yield from results
    except BrokenProcessPool as error:
        _kill_all()  # the pool waits for one that it started meanwhile, and does not end it (CPython)
        raise LostWorkerError(_LOST) from error
    except BaseException:  # also one of a caller that gives up
        _kill_all()
        raise


def _submitted(made: ProcessPoolExecutor, function: Callable[[Work], Made], work: Sequence[Work]) -> Iterator[Made]:
    try:
        # Not `made.map`: it cancels what is left as an interrupt comes, which CPython before 3.12 cannot do with a pool
        # whose processes are killed; its thread then prints a stack trace.
        return _results(deque([made.submit(function, each) for each in work]))
    except (OSError, ValueError) as error:
        # A process that is killed while another is being started: CPython closes what that one is given.
        if _is_broken(made):
            raise BrokenProcessPool(str(error)) from error
        raise


def _results(waiting: deque[Future[Made]]) -> Iterator[Made]:
    while waiting:
        yield waiting.popleft().result()


def _is_broken(made: ProcessPoolExecutor) -> bool:
    try:
        made.submit(int)
    except BrokenProcessPool:
        return True
    except (OSError, RuntimeError, ValueError):
        return False
    return False


def _kill_all() -> None:
    for process in multiprocessing.active_children():
        process.kill()


def _begin() -> None:
    """Prepare a process of a pool."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process with the one that started it, even if that was killed: no work would come any more."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _no_workers() -> Iterator[None]:
    try:
        yield
    except BrokenProcessPool:
        raise
    except (OSError, RuntimeError) as error:  # no /dev/shm; a limit of processes, threads or open files
        reason = getattr(error, "strerror", None) or error
        raise NoWorkersError(f"Processes that share the work cannot be started: {reason}. Use --jobs 1.") from error


@contextmanager
def _started_uninterrupted() -> Iterator[None]:
    """Start processes that an interrupt of the whole group does not meet while they still import Python's modules."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _waited_for(work: Sequence[Work], made: Iterator[Made], progress: Callable[[Work], None]) -> Iterator[Made]:
    for each in work:
        progress(each)
        yield next(made)
