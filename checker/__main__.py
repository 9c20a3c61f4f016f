"""The command `isrproof`: the command line, and an interrupt while Python still imports it."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys

from . import INTERRUPTED, interrupt, interrupting


def main() -> None:
    """Run the command line; exit with code 3 if it is interrupted before it can report that itself."""
    _open_what_is_closed()
    for number in interrupting():  # so that it stops its processes and removes its files whoever ends it
        signal.signal(number, interrupt)
    # Commands make next to nothing that refers to itself, and end: to look for it takes a tenth of a short one's time.
    gc.disable()
    if isinstance(sys.stdout, io.TextIOWrapper):  # JSON is UTF-8, whatever the terminal's language
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        from .cli import main as command_line

        command_line()
    except KeyboardInterrupt:
        print(INTERRUPTED, file=sys.stderr)
        sys.exit(3)
    finally:
        for number in interrupting():  # all is said, and what is left to do takes no time
            signal.signal(number, signal.SIG_IGN)
        # Python remembers an interrupt within a text that it executes, such as a dataclass's, and would die of it at
        # its end; the next text makes it forget.
        exec("")


def _open_what_is_closed() -> None:
    """Give closed standard streams the null device: a file would take their numbers, and what is printed.

    stdout stays None, as a result that nobody gets is a failure.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115


if __name__ == "__main__":
    main()
