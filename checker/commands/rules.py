"""isrproof rules: the catalogue of the audit's rules, one rule's page, or the known bugs of a release."""

from __future__ import annotations

import json

import click

from ...specs.errors import IsrproofError
from ..failure import fail, say


@click.command(name="rules")
@click.argument("code", required=False)
@click.option("--bugs", is_flag=True, help="List the known bugs instead, with their marks and remedies.")
@click.option("--release", metavar="RELEASE", help="With --bugs: those that a release has, such as 3.7.0.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(code: str | None, bugs: bool, release: str | None, as_json: bool) -> None:
    """List the rules of the audit, or print the page of one: its meaning, why it matters, an example, releases, issues.

    CODE is a rule's code or its name. With --bugs, the bugs of Kafka that reports name are listed, and CODE is the
    number of one, such as KAFKA-19571.
    """
    from ..audit.rules import bugs as bug_pages
    from ..audit.rules import pages
    from ..audit.rules.catalogue import find, rules

    try:
        shown: dict[str, object]
        if bugs:
            found = bug_pages.asked(code, release)
            others = bug_pages.also_in(release) if code is None else []
            text = bug_pages.listing(found, others) if code is None else bug_pages.page(found[0])
            shown = {
                "release": release,
                "bugs": [bug_pages.as_json(each) for each in found],
                "behaviours": [bug_pages.behaviour_as_json(each) for each in others],
            }
        elif release is not None:
            raise IsrproofError("--release belongs to --bugs.")
        elif code is None:
            text = pages.listing()
            shown = {"rules": [pages.as_json(rule) for rule in rules().values()]}
        else:
            rule = find(code)
            text = pages.page(rule)
            shown = {**pages.as_json(rule), "page": text}
    except IsrproofError as error:
        fail(error, as_json=as_json)
    say(json.dumps(shown, indent=2) if as_json else text.rstrip("\n"))
