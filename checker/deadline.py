"""A limit on the time of a command."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ..specs.errors import IsrproofError


class TimeIsUp(KeyboardInterrupt):
    """The time of a command is over: an interrupt, so that processes and half-written files go as after Ctrl-C."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"stopped after {seconds:g} seconds (--max-seconds): nothing was decided")


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """Interrupt the block after so many seconds; None: never.

    Raises:
        TimeIsUp: they are over.
        IsrproofError: this system has no such timer.
    """
    if seconds is None:
        yield
        return
    if not hasattr(signal, "setitimer"):
        raise IsrproofError("--max-seconds needs a timer, which this system does not have; leave it out.")

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeIsUp(seconds)

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
