"""isrproof rules: the catalogue of the audit's rules, or one rule's page."""

from __future__ import annotations

import json

import click

from ...specs.errors import IsrproofError
from ..failure import fail, say


@click.command(name="rules")
@click.argument("code", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(code: str | None, as_json: bool) -> None:
    """List the rules of the audit, or print the page of one: its meaning, why it matters, an example, releases, issues.

    CODE is a rule's code or its name.
    """
    from ..audit.rules import pages
    from ..audit.rules.catalogue import find, rules

    try:
        if code is None:
            text = pages.listing()
            shown: dict[str, object] = {"rules": [pages.as_json(rule) for rule in rules().values()]}
        else:
            rule = find(code)
            text = pages.page(rule)
            shown = {**pages.as_json(rule), "page": text}
    except IsrproofError as error:
        fail(error, as_json=as_json)
    say(json.dumps(shown, indent=2) if as_json else text.rstrip("\n"))
