"""Advice as text and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..shown import plain
from .what import WhatNow

LOSES = "loses data"


def as_text(now: WhatNow | None) -> str:
    """Return a paragraph: the summary, then numbered steps with their commands."""
    if now is None:
        return ""
    lines = ["what now", f"  {plain(now.summary)}"]
    for number, step in enumerate(now.steps, 1):
        lines.append(f"  {number}. {plain(step.do)}{f' ({LOSES})' if step.loses else ''}")
        lines += [f"     run: {plain(step.run)}"] if step.run else []
        lines += [f"     it helped if {plain(step.check)}"] if step.check else []
    return "\n".join(lines)


def as_markdown(now: WhatNow | None, escaped: Callable[[str], str], code: Callable[[str], str]) -> Iterator[str]:
    """Yield the lines of the same paragraph.

    Args:
        escaped: makes text of a log plain Markdown.
        code: makes a command code.
    """
    if now is None:
        return
    yield from ("What now:", "", escaped(now.summary), "")
    for number, step in enumerate(now.steps, 1):
        yield f"{number}. {escaped(step.do)}{f' **{LOSES}**' if step.loses else ''}"
        if step.run:
            yield f"   {code(step.run)}"
        if step.check:
            yield f"   It helped if: {escaped(step.check)}"
    yield from [""] if now.steps else []
