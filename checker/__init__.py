"""The engines: explore, prove, audit; reports; the command line."""

import signal
from collections.abc import Sequence
from types import FrameType

INTERRUPTED = "Interrupted: nothing is decided."  # what an interrupted command says; its exit code is then 3


def interrupting() -> Sequence[signal.Signals]:
    """Return the signals that end a command as Ctrl-C does; not those that its caller ignores, as nohup does."""
    known = (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP"))
    return [number for number in known if number is not None and signal.getsignal(number) is not signal.SIG_IGN]


_CAME: list[int] = []


def interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, and remember that: the handler of the signals that end a command."""
    _CAME.append(number)
    raise KeyboardInterrupt


def was_interrupted() -> bool:
    """Return whether this command was to end: Python drops an interrupt within a finalizer, and what was cut off there
    fails later."""
    return bool(_CAME)
