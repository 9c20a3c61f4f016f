"""Progress on stderr, for people who wait: on a terminal a line that changes, elsewhere a line every ten seconds."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

EVERY = 10.0
"""The seconds between two lines where stderr is no terminal."""


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A bar that the yielded function advances; without a total it shows that work goes on, and for how long."""
    if not sys.stderr.isatty():
        done = 0

        def advance(steps: int) -> None:
            nonlocal done
            done += steps

        with showing(lambda: what if total is None else f"{what}: {done:,} of {total:,}"):
            yield advance
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = [SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()]
    if total is not None:
        columns.insert(3, MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda steps: bar.advance(task, steps)


@contextmanager
def showing(state: Callable[[], str]) -> Iterator[None]:
    """Show how far the block is, in the words that a function returns at any moment."""
    started = time.monotonic()

    def line() -> str:
        return f"{state()} ({time.monotonic() - started:.0f} s)"

    if sys.stderr.isatty():
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        with Live(get_renderable=lambda: Text(line()), console=Console(stderr=True), transient=True):
            yield
        return

    def say() -> None:
        with suppress(OSError, ValueError):  # nobody reads stderr any more
            print(line(), file=sys.stderr, flush=True)

    with repeating(say, EVERY):
        yield


@contextmanager
def repeating(show: Callable[[], object], every: float) -> Iterator[None]:
    """Call a function every so many seconds, in a thread of its own, while the block runs."""
    over = threading.Event()

    def repeat() -> None:
        if hasattr(signal, "pthread_sigmask"):  # signals are for the thread that works, also while it holds them back
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        while not over.wait(every):
            show()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
