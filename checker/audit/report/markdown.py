"""The report as Markdown, short enough for a ticket. Log content stays text: it cannot add markup, links or
mentions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ....specs.issues import address
from ...ci.text import for_markdown as escaped
from ..rules.advice import advice
from ..rules.catalogue import rules
from .causes import Cause, severest_first
from .chain import Chains
from .forms import AuditRun
from .happened_text import LINES, chosen, lines
from .happened_text import in_headline as in_short_trouble
from .healing import Healings
from .model import VERDICTS, Report
from .notes import in_headline
from .notes import in_short as notes_in_short
from .now.text import as_markdown
from .shown import and_more, count, partition_name, plain, printed
from .text import checked_in_words

_CAUSES = 20


def write(run: AuditRun) -> str:
    """Return a section for each cluster; clusters that conform get one line each."""
    parts = [line for title, report in run.clusters for line in section(title, report)]
    return "\n".join(parts) + "\n"


def code(text: str) -> str:
    """Return text from a log as code, in a fence that is longer than any in it."""
    shown = plain(text)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    space = " " if "`" in shown else ""
    return f"{fence}{space}{shown}{space}{fence}"


def section(title: str, report: Report) -> Iterator[str]:
    """Yield the lines of one cluster's report."""
    counts = ", ".join(f"{report.counts[verdict]} {verdict}" for verdict in VERDICTS if report.counts[verdict])
    head = f"## isrproof audit{': ' + escaped(title) if title else ''}"
    why = f"; {escaped(in_headline(report.not_known))}" if report.not_known else ""
    trouble = in_short_trouble(report.happened)
    health = f"; {escaped(trouble)}" if trouble else ""
    yield from (head, "", f"**{report.verdict}**: {counts or 'no finding'}{why}{health}", "")
    yield from _happened(report)
    found = severest_first(report.findings)
    healings = Healings.of(report)
    chains = Chains.of(report, healings)
    for cause in found[:_CAUSES]:
        yield from _cause(cause, healings, chains)
    if len(found) > _CAUSES:
        yield from (f"And {count(len(found) - _CAUSES, 'other cause')}.", "")
    for number in sorted({cause.first.rule for cause in found[:_CAUSES] if cause.first.verdict != "refused"}):
        yield from _todo(number)
    yield from as_markdown(report.what_now, escaped, code)
    yield f"Checked: {escaped(checked_in_words(report.checked, metadata=report.metadata is not None))}."
    unseen = [*notes_in_short(report)[:10], *(f"unknown: {why}" for why in report.state.unknown)]
    if unseen:
        yield from ("", "Not seen, and notes:", "", *(f"* {escaped(note)}" for note in unseen))
    yield ""


def _happened(report: Report) -> Iterator[str]:
    every = lines(report.happened)
    shown = chosen(every, LINES)
    if shown:
        yield from ("What happened:", "")
        for line in shown:
            yield f"* {f'{line.when}: ' if line.when else ''}{escaped(line.sentence)}"
            if line.where:
                yield f"  {code(line.where)}"
        more = len(every) - len(shown)
        yield from ([f"* and {count(more, 'other thing')}", ""] if more else [""])


def _cause(cause: Cause, healings: Healings, chains: Chains) -> Iterator[str]:
    first = cause.first
    known = f", {first.known_as}" if first.known_as else ""
    if first.known_issue and (where_counted := address(first.known_issue)):
        known = known.replace(first.known_issue, f"[{first.known_issue}]({where_counted})")
    yield f"* **{first.verdict}** {first.rule} {first.name}{known}: {escaped(cause.sentence)}."
    partitions = [partition_name(*each) for each in cause.partitions]
    where = f"{count(len(partitions), 'partition')} ({code(and_more(partitions, 5))})" if partitions else ""
    when = " to ".join(dict.fromkeys(printed(ts) for ts in cause.times))
    details = [each for each in (count(len(cause.findings), "finding"), where, when) if each]
    yield f"  {', '.join(details)}; {code(str(first.place))}"
    if first.excerpt:
        yield from ("", f"  {code(first.excerpt[:300])}", "")
    for sentence in (*(f"{link}." for link in chains.of_cause(cause)), healings.of_cause(cause)):
        if sentence:
            yield from (f"  {escaped(sentence)}", "")


def _todo(number: str) -> Sequence[str]:
    todo = advice(rules()[number])
    if todo is None:
        return ()
    lines = [f"What to do about {number}:", "", f"* {todo.now}"]
    lines += [f"* Upgrade to {todo.upgrade}."] if todo.upgrade else []
    return [*lines, f"* `{todo.verify}` prints {todo.look_for}.", ""]
