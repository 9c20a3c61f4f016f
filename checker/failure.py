"""The one way for all subcommands to print a result, and to report a failure.

Exit code 1 is a verdict, and nothing else. Whatever keeps a command from its result is one message and exit code 2;
what was judged until then is printed all the same.
"""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from typing import NoReturn

import click

from ..specs.errors import DEBUG, defect, in_one_line
from .packages import import_failed


def say(text: str, *, verdict: str = "", nl: bool = True) -> None:
    """Print a result, or a part of it, on stdout. Where that cannot be written, the `verdict` goes to stderr.

    Raises:
        SystemExit: with code 2, if it cannot be written.
    """
    try:
        if sys.stdout is None:
            raise OSError("it is closed")
        click.echo(text, nl=nl)
    except OSError as error:
        _give_up_stdout()
        verdict_text = f" The verdict: {verdict}." if verdict else ""
        _end(f"could not write the result to stdout: {error.strerror or error}.{verdict_text}")


def say_json(value: object, *, verdict: str = "") -> None:
    """`say` of a value as JSON, on one line."""
    import json

    say(json.dumps(value), verdict=verdict)


def fail(error: object, *, as_json: bool, judged: str = "") -> NoReturn:
    """End the command with what `error` says: one JSON object on stdout, or a line on stderr.

    Args:
        judged: the report of what was judged all the same, JSON if `as_json`.

    Raises:
        SystemExit: always, with code 2.
    """
    message = os.fsencode(str(error)).decode("utf-8", "backslashreplace")
    if as_json:
        import json

        shown = {"judged": json.loads(judged)} if judged else {}
        say(json.dumps({"verdict": "error", "error": message, **shown}), verdict="none, an error")
        raise SystemExit(2)
    if judged:
        say(judged, nl=not judged.endswith("\n"))
    _end(message)


NO_MEMORY = (
    "The memory that this process may use is too small; give it more, or for an audit take the engine that needs least:"
    " --engine python"
)
_NO_THREAD = ("Failed to launch worker thread", "can't start new thread")
"""Messages of PyArrow and Python if there is no room for the stack of a thread."""


def unexpected(error: BaseException) -> str:
    """One line about an error that no part of the project has a message for; with its trace if `DEBUG` is set."""
    if os.environ.get(DEBUG):
        with suppress(OSError):
            click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
    if (failed := import_failed(error)) is not None:
        return failed
    if isinstance(error, MemoryError) or any(text in str(error) for text in _NO_THREAD):
        return f"{NO_MEMORY} ({in_one_line(error)})"
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)
    return defect(in_one_line(error))


def _end(message: str) -> NoReturn:
    try:
        sys.stdout.flush()
    except (OSError, AttributeError):
        _give_up_stdout()
    with suppress(OSError):
        click.echo(f"Error: {message}", err=True)
    raise SystemExit(2)


def _give_up_stdout() -> None:
    """Redirect stdout to the null device, as a write of what is left would fail again when Python ends."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
