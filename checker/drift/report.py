"""The report of the gate, as text and as JSON: the same bytes for the same files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from .drift import Drift
from .finding import GROUPS, REMEDIES, Finding
from .sources import shown

_LESS = {"line": 1, "new": 2}
"""The ranks from which findings are only counted; they are listed on request."""


def text(drift: Drift, *, everything: bool) -> str:
    """Return the findings by group, one per line, with what to do about each group."""
    return "\n".join(_lines(drift, everything)) + "\n"


def _lines(drift: Drift, everything: bool) -> Iterator[str]:
    about = f"Kafka {drift.version}" if drift.version else "Kafka of unknown release"
    yield f"{about}, compared with the rows of {drift.release}."
    for group, heading in GROUPS.items():
        found = [finding for finding in drift.findings if finding.group == group]
        if not found:
            continue
        yield ""
        yield f"{heading}: {len(found)}. To do: {REMEDIES[group]}."
        shown = [finding for finding in found if everything or not less(finding)]
        yield from (f"  {_line(finding)}" for finding in shown)
        if len(shown) < len(found):
            yield f"  and {len(found) - len(shown)} of rows and loggers that bear on no rule; --all lists them"
    if drift.unseen:
        yield ""
        yield "Not checked:"
        yield from (f"  {line}" for line in drift.unseen)
    yield ""
    yield verdict(drift)


def less(finding: Finding) -> bool:
    """Return whether a finding is listed only on request: its row or logger bears on no rule."""
    return finding.rank >= _LESS.get(finding.group, 9)


def _line(finding: Finding) -> str:
    place = f"  [{finding.where}]" if finding.where else ""
    return shown(f"{'! ' if finding.fails else '  '}{finding.subject}: {finding.text}{place}")


def verdict(drift: Drift) -> str:
    """Return the result in one line."""
    failing = sum(finding.fails for finding in drift.findings)
    if failing:
        return f"Drift: {failing} of {len(drift.findings)} findings (!) must be fixed."
    return f"No drift that must be fixed; {len(drift.findings)} findings."


def as_json(drift: Drift) -> dict[str, Any]:
    """Return all findings as JSON values."""
    counts = Counter(finding.group for finding in drift.findings)
    return {
        "version": drift.version,
        "release": drift.release,
        "verdict": "drift" if drift.fails else "current",
        "counts": {group: counts[group] for group in GROUPS},
        "findings": [
            {**asdict(finding), "bears": finding.rank == 0, "to_do": REMEDIES[finding.group]}
            for finding in drift.findings
        ],
        "not_looked_at": list(drift.unseen),
        "damaged": [asdict(each) for each in drift.damaged],
    }
