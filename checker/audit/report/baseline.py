"""Baselines: findings that an earlier run already reported."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....specs.errors import IsrproofError
from ....traces.sources.opened import once
from ..findings.finding import Finding
from .model import Report, verdict_of
from .sarif import MARK, TROUBLE

Known = Counter[tuple[str, str]]
"""The number of findings with each fingerprint and verdict."""


def read_baseline(path: Path) -> Known:
    """Return the findings of a report that `isrproof audit --format json` or `sarif` wrote.

    Raises:
        IsrproofError: the file cannot be read, or is something else.
    """
    wanted = "expected a report that `isrproof audit --format json` or `--format sarif` wrote"
    try:
        content = json.loads(once(str(path)).decode())
    except OSError as error:
        raise IsrproofError(f"--baseline {path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise IsrproofError(f"--baseline {path}: {wanted}, got no JSON: {error}.") from error
    try:
        return Counter(_sarif(content) if "runs" in content else _json(content))
    except (TypeError, KeyError, AttributeError) as error:
        raise IsrproofError(f"--baseline {path}: {wanted}; it lacks {error}.") from error


def _json(content: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for cluster in content.get("clusters", [content]):
        yield from ((each["fingerprint"], each["verdict"]) for each in cluster["findings"])


def _sarif(content: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for run in content["runs"]:
        for result in run["results"]:
            if result.get("ruleId", "").startswith(TROUBLE):
                continue  # what happened is no finding
            yield result["partialFingerprints"][MARK].partition(":")[0], result["properties"]["verdict"]


def only_new(report: Report, known: Known, name: str) -> Report:
    """Return the report without the findings of a baseline, each as often as the baseline has it; a note has their
    number.

    A finding whose verdict has changed is new.
    """
    left, findings = Counter(known), []
    gone: Counter[str] = Counter()
    for each in report.findings:
        key = (each.fingerprint, each.verdict)
        if left[key]:
            left[key] -= 1
            gone[each.verdict] += 1
        else:
            findings.append(each)
    counts = {verdict: n - gone[verdict] for verdict, n in report.counts.items()}
    note = f"{gone.total()} finding{'s' * (gone.total() != 1)} of the baseline {name} left out"
    return replace(
        report,
        findings=tuple[Finding, ...](findings),
        counts=counts,
        notes=(*report.notes, note),
        verdict=verdict_of(counts, report.rules, report.files),
    )
