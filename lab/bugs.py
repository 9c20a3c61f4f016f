"""Names of known bugs, both ways: `python -m lab.bugs [FOLDER ...]`.

Each case of a bug is audited as of a release that has the bug, which must be named at its line, and as of the first
releases that are without it, of which no line may be. Then recordings, and the folders that are given, are audited, and
what is named there is printed: each must be a bug that the recording is known to show. Exit code 1 if a case fails.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import Report
from isrproof.specs.bugs import EACH_TAG, bugs
from isrproof.specs.errors import IsrproofError
from isrproof.traces.cases.bugs import BugCase, bug_cases

from . import RECORDED, RECORDED_KRAFT

LIKE = "looks like "
_PRINTED = "2.8.0"
"""The first release whose printed version is read."""


def named(report: Report) -> Iterator[tuple[str, str, int | None]]:
    """Yield the bugs that a report names, as "KAFKA-1" or "looks like KAFKA-1", each with its first file and line."""
    for each in report.happened:
        place = each.places[0] if each.places else None
        where = ("", None) if place is None else (place.file, place.line)
        if each.issue is not None:
            yield each.issue, *where
        yield from ((LIKE + issue, *where) for issue in _likened(each.reason))
    for finding in report.findings:
        if finding.known_issue is not None:
            yield finding.known_issue, finding.file, finding.line
        yield from ((LIKE + issue, finding.file, finding.line) for issue in _likened(finding.got))


def _likened(text: str | None) -> Iterator[str]:
    for part in (text or "").split(LIKE)[1:]:
        yield part.partition(",")[0]


def releases_of(case: BugCase) -> tuple[str, tuple[str, ...]]:
    """Return the newest release that has a case's bug, and those after it, or before it, that are without it."""
    bug = bugs()[case.issue]
    has = [tag for tag in EACH_TAG if tag in bug.affected]
    before = [tag for tag in EACH_TAG[EACH_TAG.index(_PRINTED) : EACH_TAG.index(has[0])] if tag not in bug.affected]
    return has[-1], bug.fixed or tuple(before[-1:])


def at(case: BugCase, release: str) -> list[str]:
    """Return the names that a case's line gets as of a release."""
    with tempfile.TemporaryDirectory() as folder:
        case.write(Path(folder), release)
        report = audit([folder], Options(engine="python"))[0]
        path, line = case.at
        return [name for name, file, number in named(report) if file.endswith(path) and number == line]


def cases_that_fail() -> Iterator[str]:
    """Yield what is wrong with each case."""
    for case in bug_cases().values():
        has, without = releases_of(case)
        expected = case.issue if case.sure else LIKE + case.issue
        if (found := at(case, has)) != [expected]:
            yield f"{case.issue} in {has}: expected {expected}, got {found or 'nothing'}"
        for release in without:
            if any(case.issue in name for name in at(case, release)):
                yield f"{case.issue} in {release}, which is without it: named"


def named_in(folders: Iterable[Path]) -> tuple[int, Counter[str], dict[str, set[str]]]:
    """Return the number of folders that could be audited, how often each name was given in them, and where."""
    counts: Counter[str] = Counter()
    where: dict[str, set[str]] = {}
    audited = 0
    for folder in folders:
        try:
            reports = audit([str(folder)], Options(engine="python"))
        except IsrproofError:
            continue
        audited += 1
        for report in reports:
            for name, *_ in named(report):
                counts[name] += 1
                where.setdefault(name, set()).add(folder.name)
    return audited, counts, where


def main(arguments: list[str]) -> int:
    """Print both figures; return 1 if a case fails."""
    wrong = [*cases_that_fail()]
    print(f"{len(bug_cases())} cases, each in a release that has the bug and those without it: {len(wrong)} fail")
    print("".join(f"  {each}\n" for each in wrong), end="")
    given = [Path(each) for each in arguments] or [RECORDED, RECORDED_KRAFT]
    for folder in given:
        audited, counts, where = named_in(sorted(each for each in folder.iterdir()))
        print(f"{folder.name}: {audited} audited")
        for name, count in sorted(counts.items()):
            print(f"  {name}: {count} in {', '.join(sorted(where[name]))}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
