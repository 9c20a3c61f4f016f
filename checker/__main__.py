"""The command `isrproof`: the command line, and an interrupt while Python still imports it."""

from __future__ import annotations

import gc
import io
import sys

from . import INTERRUPTED


def main() -> None:
    """Run the command line; exit with code 3 if it is interrupted before it can report that itself."""
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


if __name__ == "__main__":
    main()
