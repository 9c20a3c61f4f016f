"""The engines: explore, prove, audit; reports; the command line."""

import signal
from collections.abc import Sequence

INTERRUPTED = "Interrupted: nothing is decided."  # what an interrupted command says; its exit code is then 3


def interrupting() -> Sequence[signal.Signals]:
    """Return the signals that end a command as Ctrl-C does; not those that its caller ignores, as nohup does."""
    known = (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP"))
    return [number for number in known if number is not None and signal.getsignal(number) is not signal.SIG_IGN]
