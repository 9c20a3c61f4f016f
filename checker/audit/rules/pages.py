"""The rules for people: a list of them, and the page of each, from its module's docstring and its case file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ....specs.behaviours import behaviour
from ....specs.issues import address
from ....specs.release_sets import names
from ....traces.cases import Case, Excerpt, cases
from .advice import advice
from .catalogue import rules
from .rule import Rule

REQUIRED = ("Why it matters", "Releases")
"""Headings that the docstring of every rule has."""
_HEADING = re.compile(r"(?<=\n\n)([A-Z][^\n]*[^\n.])\n(?=    [^ ])")
_FENCE = re.compile("```(?:log|records) ([^ ]+)(?: after ([^ ]+))?")


def summary(rule: Rule) -> str:
    """Return one sentence on what is wrong."""
    return rule.page.partition("\n")[0]


def headings(rule: Rule) -> tuple[str, ...]:
    return tuple(match[1] for match in _HEADING.finditer(rule.page))


def as_json(rule: Rule) -> dict[str, Any]:
    todo = advice(rule)
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": summary(rule),
        "releases": rule.releases,
        "issues": list(rule.issues),
        "fixed_in": list(behaviour(rule.bug).fixed_in) if rule.bug else [],
        "follows_from": list(rule.follows_from),
        "what_to_do": None if todo is None else vars(todo),
    }


def listing() -> str:
    """Return one line for each rule; releases and issues only where there is something to say."""
    return "\n".join(f"{rule.code} {rule.name:<30} {summary(rule)}{_bracketed(rule)}" for rule in rules().values())


def limits(rule: Rule) -> list[str]:
    """Return the releases that a rule is about, if not all, and its issues."""
    return [*([] if rule.releases == "all" else [rule.releases]), *rule.issues]


def _bracketed(rule: Rule) -> str:
    found = limits(rule)
    return f" [{', '.join(found)}]" if found else ""


def path(rule: Rule) -> str:
    """Return the file of a rule's page, from docs/."""
    return f"rules/{rule.code}.md"


def page(rule: Rule) -> str:
    """Return everything about a rule, as Markdown."""
    return "\n".join([f"# {rule.code} {rule.name}", "", *_body(rule), ""])


def _body(rule: Rule) -> Iterator[str]:
    text = _HEADING.sub(lambda match: f"## {match[1]}\n\n", rule.page)
    yield from (line.removeprefix("    ") for line in text.splitlines())
    yield ""
    yield from _what_to_do(rule)
    if rule.code in cases():
        yield from _example(cases()[rule.code])
    yield from ("", "## Facts", "", f"* Releases: {rule.releases}")
    if rule.issues:
        yield "* Issues: " + ", ".join(f"[{issue}]({address(issue)})" for issue in rule.issues)
    if rule.bug:
        bug = behaviour(rule.bug)
        fixed = ", ".join(bug.fixed_in) or "no release"
        yield f"* As a known bug: {rule.bug}, of {names(bug.releases)}, fixed in {fixed}. A finding there names it."
    if rule.follows_from:
        yield f"* Its findings may follow from those of {', '.join(rule.follows_from)}"
    yield f"* All cases: `traces/cases/{rule.code}.md`"


def _what_to_do(rule: Rule) -> Iterator[str]:
    todo = advice(rule)
    if todo is not None:
        yield from ("## What to do", "", f"* {todo.now}")
        if todo.upgrade:
            yield f"* Upgrade to {todo.upgrade}."
        yield from (f"* Verify: `{todo.verify}` prints {todo.look_for}.", "")


def _shown(line: str) -> Iterator[str]:
    """Yield a line of a case, with a block's file before it: Markdown readers do not know such blocks."""
    fence = _FENCE.fullmatch(line)
    if fence is None:
        yield line
        return
    path, before = fence.groups()
    yield from (f"`{path}`" + (f", behind the records of `{before}`" if before else "") + ":", "", "```text")


def _example(case: Case) -> Iterator[str]:
    first: list[Excerpt] = [next(each for each in case.excerpts if each.fires is fires) for fires in (True, False)]
    for excerpt in first:
        yield f"## {'Example' if excerpt.fires else 'Close to it, and legal'}: {excerpt.title}"
        for line in excerpt.text.strip().splitlines()[1:]:
            yield from _shown(line)
        if excerpt.fires:
            yield ""
