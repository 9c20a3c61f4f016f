"""How a subcommand says that it failed, the same for all: one message, exit code 2."""

from __future__ import annotations

from typing import NoReturn

import click


def fail(error: object, *, as_json: bool) -> NoReturn:
    """End the command with what `error` says: one JSON object on stdout, or a line on stderr.

    Raises:
        SystemExit: always, with code 2.
    """
    if as_json:
        import json

        click.echo(json.dumps({"verdict": "error", "error": str(error)}))
    else:
        click.echo(f"Error: {error}", err=True)
    raise SystemExit(2)
