"""Limits on the time and the memory of a command."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ..specs.errors import IsrproofError
from .memory import used_mb

_LOOK = 0.5
"""The seconds between two looks at the memory."""

_SOON = 0.01
"""The seconds until an interrupt that Python dropped is raised again."""


class TimeIsUp(KeyboardInterrupt):
    """The time of a command is over: an interrupt, so that processes and half-written files go as after Ctrl-C."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"stopped after {seconds:g} seconds (--max-seconds): nothing was decided")


class MemoryIsFull(KeyboardInterrupt):
    """The command may take no more memory: an interrupt, as `TimeIsUp` is."""

    def __init__(self, megabytes: int) -> None:
        super().__init__(f"stopped at {megabytes:,} MB (--max-memory): nothing was decided")


@contextmanager
def within(seconds: float | None, megabytes: int | None = None) -> Iterator[None]:
    """Interrupt the block after so many seconds, None: never; and soon after the process takes so much memory.

    Raises:
        TimeIsUp, MemoryIsFull: the limit is reached.
        IsrproofError: this system has no such timer.
    """
    if seconds is None:
        yield
        return
    if not hasattr(signal, "setitimer"):
        raise IsrproofError("--max-seconds needs a timer, which this system does not have; leave it out.")

    end = time.monotonic() + seconds

    def look(number: int, frame: FrameType | None) -> None:
        over = megabytes is None or time.monotonic() >= end
        if over or used_mb() > (megabytes or 0):
            signal.setitimer(signal.ITIMER_REAL, 0)  # once is enough
            raise TimeIsUp(seconds) if over else MemoryIsFull(megabytes or 0)

    def again(unraisable: sys.UnraisableHookArgs) -> None:
        # Python drops what is raised within a finalizer or a weak reference's callback, so the block would go on.
        if isinstance(unraisable.exc_value, TimeIsUp | MemoryIsFull):
            signal.setitimer(signal.ITIMER_REAL, _SOON, _LOOK)
        else:
            hook(unraisable)

    before, hook = signal.signal(signal.SIGALRM, look), sys.unraisablehook
    sys.unraisablehook = again
    signal.setitimer(signal.ITIMER_REAL, *((seconds,) if megabytes is None else (min(seconds, _LOOK), _LOOK)))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        sys.unraisablehook = hook
