"""The case files of the rules: each excerpt goes through the audit, and every rule has one of each kind; findings name
what they contradict."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.findings.finding import Finding
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import Report
from isrproof.checker.audit.rules.catalogue import rules
from isrproof.specs.errors import IsrproofError
from isrproof.specs.lines import Slot, rows
from isrproof.specs.releases import RELEASES
from isrproof.traces.cases import Case, Excerpt, cases, read
from isrproof.traces.events.event import Event, Unknown
from isrproof.traces.events.parse import parse_line
from isrproof.traces.events.render import render

from tests.evidence import places, text

TOGETHER = 10
"""So many case files are audited at once: what an audit costs whatever it reads is paid once for all of them."""
Audited = Callable[[Case, Excerpt], tuple[Path, Report]]
ALONE = {
    *("KR101", "KR102", "KR201", "KR202", "KR203", "KR209", "KR212", "KR301", "KR304", "KR401"),
    *("KR503", "KR505", "KR513", "KR516", "KR517", "KR518", "KR519", "KR523", "KR526", "KR529"),
    *("KR530", "KR532", "KR539", "KR540", "KR544", "KR546", "KR552", "KR555", "KR556"),
    *("KR602", "KR605", "KR606", "KR612", "KR624", "KR625", "KR626", "KR629", "KR647", "KR648", "KR650"),
}
"""Rules whose findings in the case files name the line seen only: it contradicts a table, or itself, a file that has no
lines (KR552), a record that is not there (KR539, KR555), or before the first (KR556), or a line that its row does not
name."""


def last_of_its_kind(case: Case, excerpt: Excerpt) -> bool:
    return excerpt == [each for each in case.excerpts if each.fires == excerpt.fires][-1]


EACH = pytest.mark.parametrize(
    ("case", "excerpt"),
    [
        pytest.param(
            case,
            excerpt,
            id=f"{case.code}-{excerpt.title}",
            marks=() if last_of_its_kind(case, excerpt) else pytest.mark.full,
        )
        for case in cases().values()
        for excerpt in case.excerpts
    ],
)
"""By default each rule fires and stays silent once: where an excerpt is added, there."""


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Audited:
    """The folder of an excerpt, and the report of it as a cluster of its own."""
    codes = sorted(cases())

    @cache
    def reports(number: int, last: bool) -> dict[tuple[str, str], tuple[Path, Report]]:
        folders = {}
        for code in codes[number * TOGETHER : (number + 1) * TOGETHER]:
            for excerpt in cases()[code].excerpts:
                if last_of_its_kind(cases()[code], excerpt) is last:
                    folders[code, excerpt.title] = tmp_path_factory.mktemp(code)
                    excerpt.write(folders[code, excerpt.title])
        made = audit([str(folder) for folder in folders.values()], Options(engine="python", each=True))
        return dict(zip(folders, zip(folders.values(), made, strict=True), strict=True))

    def of(case: Case, excerpt: Excerpt) -> tuple[Path, Report]:
        return reports(codes.index(case.code) // TOGETHER, last_of_its_kind(case, excerpt))[case.code, excerpt.title]

    return of


@EACH
def test_the_rule_finds_what_the_case_says(case: Case, excerpt: Excerpt, audited: Audited) -> None:
    folder, report = audited(case, excerpt)
    found = {
        (Path(finding.file).relative_to(folder).as_posix(), place_in(finding), finding.verdict)
        for finding in report.findings
        if finding.rule == case.code
    }
    assert found == set(excerpt.expected)
    # A silent excerpt shows something only if the rule, or at least the audit, looked at it.
    assert any(tally.evaluated for tally in report.rules.values())


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(code, marks=() if number // TOGETHER % 6 == 0 else pytest.mark.full)
        for number, code in enumerate(sorted(cases()))
    ],
)
def test_a_finding_names_what_it_contradicts(code: str, audited: Audited) -> None:
    contradicting = set()
    for excerpt in cases()[code].excerpts:
        _, report = audited(cases()[code], excerpt)
        for finding in (each for each in report.findings if each.rule == code):
            assert places(finding, "seen") == [finding.place]
            contradicting.add(len(places(finding, "contradicts")))
            for place in places(finding, "contradicts"):
                assert place != finding.place
                about = [finding.entity.topic] if finding.entity.topic else ["epoch", "correlationId"]
                assert place.offset is not None or any(each in text(place) for each in about)
    assert (1 in contradicting) == (code not in ALONE)
    assert contradicting <= {0, 1}


def place_in(finding: Finding) -> int | None:
    """The line of a text log, the offset of a record."""
    return finding.place.offset if finding.line is None else finding.line


@EACH
def test_excerpts_are_what_some_release_prints(case: Case, excerpt: Excerpt) -> None:
    for _, lines in excerpt.files:
        for line in lines:
            parsed = parse_line(line)
            assert not isinstance(parsed, Unknown)
            if isinstance(parsed, Event):
                plain = line.removeprefix("kafka | ").removeprefix("console: ")
                assert any(
                    written == plain or (drops_text(parsed.row) and parse_line(written) == parsed)
                    for written in (render(parsed, row.name) for row in RELEASES if row.mask & parsed.releases)
                )


def drops_text(row: str) -> bool:
    """Return True if a line of the table has text that no field keeps: it is then not written as it was read."""
    pieces = (piece for wording in rows()[row].wordings for piece in wording.pieces if isinstance(piece, Slot))
    return any(piece.field is None and piece.primitive.kind == "text" for piece in pieces)


def test_every_rule_has_its_cases_and_every_case_its_rule() -> None:
    assert {case.code: case.name for case in cases().values()} == {r.code: r.name for r in rules().values()}
    for case in cases().values():
        assert {excerpt.fires for excerpt in case.excerpts} == {True, False}, case.code


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("KR101.md", "# KR102 a-name\n", "first line"),
        ("KR101.md", "# KR101 a-name\n\n## Sometimes: this\n", "got '## Sometimes: this'"),
        ("KR101.md", "# KR101 a-name\n\n## Silent: this\n", "a block that begins"),
        ("KR101.md", "# KR101 a-name\n\n## Silent: this\n```log a.log\nline\n", "a block that begins"),
        ("KR101.md", "# KR101 a-name\n\n## Silent: this\n```log a.log\nline  <== illegal\n```\n", "an arrow"),
        ("KR101.md", "# KR101 a-name\n\n## Firing: this\n```log a.log\nline\n```\n", "an arrow"),
    ],
)
def test_a_file_that_is_no_case_is_refused(name: str, text: str, message: str) -> None:
    with pytest.raises(IsrproofError, match=message):
        read(name, text)
