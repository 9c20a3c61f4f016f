"""Advice about one report: its causes, the upgrade that fixes most of them, and the steps."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from .....specs.behaviours import BEHAVIOURS
from .....specs.bugs import HARMS, bugs, numbers
from .....specs.happenings import happenings
from .....specs.tools import ROW_OF
from ...findings.finding import Finding
from ...findings.happened import Happened
from ...rules.catalogue import rules
from ..causes import causes
from ..happened_text import in_short, lines
from ..model import Report, printed_in_kraft
from ..shown import and_more, count
from .steps import steps
from .upgrade import upgrade
from .what import CauseNow, Upgrade, WhatNow

_JUDGED = ("illegal", "suspicious")
_NUMBERS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NAMED = 4
WHY = "No line names a cause: isrproof why follows what happened back."


def what_now(report: Report, ran: Collection[str]) -> WhatNow | None:
    """Return what to do about a report's trouble and findings; None if there is nothing to do.

    Args:
        ran: the releases that may have run; none if they are not known.
    """
    firsts = [each.first for each in causes(report.findings) if not each.follows_from and each.first.verdict in _JUDGED]
    trouble = [each for each in report.happened if each.trouble]
    found = (*_of_bugs(firsts, trouble), *_of_rules(firsts), *_of_happened(trouble))
    issues = [each.issue for each in found if each.issue is not None]
    mode = "kraft" if report.metadata is not None or printed_in_kraft(report.files) else "zk"
    known = [each for each in ran if each in ROW_OF]
    newer = sorted({*ran} - {*known}, key=numbers)
    better = upgrade(issues, known, mode) if issues and not newer else None
    unnamed = {each.rule for each in firsts if _bug_of(each) not in bugs()}
    remedies = [(code, remedy) for code in sorted(unnamed) if (remedy := rules()[code].remedy) is not None]
    tag = max(known, key=numbers, default=None)
    todo = steps([bugs()[each] for each in issues if each in bugs()], trouble, remedies, tag)
    if not found and not todo:
        return None
    return WhatNow(" ".join(_summary(found, better, newer)), found, better, todo)


def _bug_of(each: Finding | Happened) -> str | None:
    issue = each.known_issue if isinstance(each, Finding) else each.issue
    return issue or each.looks_like


def _of_bugs(firsts: Sequence[Finding], trouble: Sequence[Happened]) -> Iterator[CauseNow]:
    named: dict[str, bool] = {}
    every: list[Finding | Happened] = [*firsts, *trouble]
    for each in every:
        issue = _bug_of(each)
        if issue is not None:
            named[issue] = named.get(issue, False) or issue != each.looks_like
    for issue, certain in named.items():
        meaning = bugs()[issue].meaning if issue in bugs() else BEHAVIOURS[issue].meaning
        yield CauseNow(f"{issue}: {meaning.rstrip('.')}", issue, certain)


def _of_rules(firsts: Sequence[Finding]) -> Iterator[CauseNow]:
    """Yield the rules that are broken and of which no known bug explains a finding."""
    for code in dict.fromkeys(each.rule for each in firsts if each.verdict == "illegal" and _bug_of(each) is None):
        yield CauseNow(f"not a known bug ({code} {rules()[code].name})", None, certain=True)


def _of_happened(trouble: Sequence[Happened]) -> Iterator[CauseNow]:
    """Yield what happened that can be the cause of other trouble, one for each kind."""
    own = [each for each in trouble if each.word.cause is not None and _bug_of(each) is None]
    for what in dict.fromkeys(each.what for each in own):
        of_kind = [in_short(line) for line in lines([each for each in own if each.what == what])]
        yield CauseNow(f"{happenings()[what].cause} ({and_more(of_kind, 2)})", None, certain=True)


def _summary(found: Sequence[CauseNow], better: Upgrade | None, newer: Sequence[str]) -> Iterator[str]:
    if not found:
        yield WHY
        return
    if newer and any(each.issue for each in found):
        yield f"What fixes this is not known: this program does not know Kafka {and_more(newer)}. It looks like:"
        yield f"{'; '.join(each.text for each in found)}."
        return
    fixed = () if better is None else better.fixes
    likely = {each.issue for each in found if not each.certain}
    named = ", ".join(f"{issue}{' likely' if issue in likely else ''}" for issue in fixed)
    others = [each for each in found if each.issue not in fixed]
    total = len(found)
    if better is None:
        none = "the cause" if total == 1 else f"any of the {total} causes"
        yield f"No upgrade fixes {none}: {_others(others, total)}."
        return
    many = "The cause is" if total == 1 else f"{len(fixed)} of {total} causes {'is' if len(fixed) == 1 else 'are'}"
    rest = f"; {_others(others, total)}" if others else ""
    yield f"{many} fixed by an upgrade to {better.release} ({named}){rest}."
    if better.of_line is not None:
        yield f"{better.of_line}, of the line that runs, fixes {', '.join(better.of_line_fixes)} only."
    if better.needs is not None:
        yield f"It needs {better.needs}."
    if better.has:
        worse = [f"{each} ({HARMS[bugs()[each].harm]}; {bugs()[each].where_fixed})" for each in better.has]
        are = "is" if len(worse) == 1 else "are"
        yield f"{better.release} has {count(len(worse), 'known bug')} that {are} new or worse: {', '.join(worse)}."


def _others(others: Sequence[CauseNow], total: int) -> str:
    """Return what the causes are that no upgrade fixes."""
    named = [
        f"{each.text}, which is {bugs()[each.issue].where_fixed}" if each.issue and each.issue in bugs() else each.text
        for each in others
    ]
    if len(named) == 1 and total > 1 and total < len(_NUMBERS):
        return f"the {_NUMBERS[total]} is {named[0]}"
    shown = "; ".join(named[:_NAMED]) + (f"; and {len(named) - _NAMED} more" if len(named) > _NAMED else "")
    return f"it is {shown}" if total == 1 else f"the others are {shown}" if len(named) < total else shown
