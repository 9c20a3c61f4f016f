"""docs/bugs.md: its first half is written by hand; bugs since 3.0 are from specs/bugs.toml."""

from __future__ import annotations

from collections.abc import Iterator

from ...specs.bugs import EACH_TAG, MODES, Bug, bugs, numbers
from ...specs.issues import address
from ..audit.rules.bugs import modelled, named_by
from . import ROOT, table

PATH = "docs/bugs.md"
NEXT = "[Rules](rules.md), with what to do about the findings of each"
BEGINS = "## Bugs since 3.0"
"""The heading at which the generated half begins."""
_FIRST = (3, 0)
"""The first line of releases in which KRaft is complete."""


def write() -> str:
    """Return the page: what is written by hand, then the matrix, the marks and the remedies."""
    by_hand = (ROOT / PATH).read_text(encoding="utf-8").partition(f"{BEGINS}\n")[0].rstrip("\n")
    return "\n".join([by_hand, "", *_generated(), ""])


def _generated() -> Iterator[str]:
    own = sorted(_since(), key=lambda bug: int(bug.issue.partition("-")[2]))
    lines = sorted({numbers(tag)[:2] for tag in EACH_TAG if numbers(tag)[:2] >= _FIRST})
    yield BEGINS
    yield ""
    yield "Made from `specs/bugs.toml` by `python -m isrproof.checker.pages`: change that, not this half of the page."
    yield ""
    yield "`isrproof rules --bugs --release 3.7.0` lists what a release has; with `--json` it prints one object."
    yield "A cell has the patches of a line that have the bug; `all` are all of those that are out."
    yield ""
    yield from table(
        ("bug", *(".".join(map(str, line)) for line in lines)),
        (
            [f"[{bug.issue.removeprefix('KAFKA-')}]({address(bug.issue)})", *(_cell(bug, line) for line in lines)]
            for bug in own
        ),
    )
    yield ""
    yield "### What a log shows of them"
    yield ""
    yield "Where something else can leave the same mark, a report says that it looks like the bug."
    yield ""
    yield from table(
        ("bug", "what goes wrong", "in", "mark", "named by"),
        ([bug.issue, bug.meaning, MODES[bug.mode], bug.mark, named_by(bug)] for bug in own),
    )
    yield ""
    yield "### What to do"
    yield ""
    yield from table(
        ("bug", "upgrade to", "now", "verify"),
        ([bug.issue, bug.upgrade or "no release yet", bug.now, bug.verify] for bug in own),
    )
    yield ""
    yield "### Which of them a model has"
    yield ""
    yield from table(("bug", "model"), ([bug.issue, modelled(bug)] for bug in own))


def _since() -> list[Bug]:
    return [bug for bug in bugs().values() if any(numbers(tag)[:2] >= _FIRST for tag in bug.affected)]


def _cell(bug: Bug, line: tuple[int, ...]) -> str:
    of_line = [tag for tag in EACH_TAG if numbers(tag)[:2] == line]
    has = [tag for tag in of_line if tag in bug.affected]
    if has == of_line:
        return "all"
    if not has:
        return ""
    first, last = (str(numbers(tag)[-1]) for tag in (has[0], has[-1]))
    return f".{first}" if first == last else f".{first}-.{last}"
