"""isrproof formats: the known envelopes and layouts of logs, or how one file is read, and why."""

from __future__ import annotations

import json
import sys

import click

from ...specs.errors import IsrproofError
from ..failure import fail, say


@click.command(name="formats")
@click.argument("file", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(file: str | None, as_json: bool) -> None:
    """List the known formats of logs; with FILE, explain how it is read, and why.

    Exit 0: FILE is understood. 2: it cannot be read. 3: its lines are in no known layout.
    """
    from .. import formats

    if file is None:
        listing = formats.listing()
        say(json.dumps(formats.as_json(), indent=2) if as_json else listing)
        return
    try:
        shown = [formats.explained(path, found) for path, found in formats.detected(file)]
    except (IsrproofError, OSError) as error:
        fail(error, as_json=as_json)
    text = json.dumps({"files": shown}, indent=2) if as_json else "\n".join(formats.as_text(each) for each in shown)
    say(text)
    sys.exit(0 if all(each["read_as"] for each in shown) else 3)
