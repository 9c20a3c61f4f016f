"""Text, Markdown and CSV: log content stays text in them."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

from isrproof.checker.audit.report.forms import AuditRun, write

from tests.recordings import CHAOS, FAILOVER
from tests.reports import form, made


def test_the_text_says_whether_a_cause_healed_and_what_to_do_first() -> None:
    text = form("text", FAILOVER)
    assert "Not healed: 2 of 2 findings without a live leader until the end of the log." in text
    assert "what to do: Start the dead broker again" in text
    assert "Healed: 2 of 2 findings, the last 8.912 s later." in form("text", CHAOS)


def test_markdown_says_what_to_do_and_whether_it_healed() -> None:
    text = form("markdown", CHAOS)
    assert "**illegal**: 3 illegal, 11 suspicious, 10 refused" in text
    assert "Upgrade to 2.3.0 or later, in which KAFKA-3143 is fixed." in text
    assert "Healed" in text
    assert text.index("KR401") < text.index("KR203")
    assert len(text) < 10_000


def test_log_content_is_no_markup(hostile: AuditRun) -> None:
    text = write("markdown", hostile)
    outside = re.sub(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", "", text)
    assert "alert" in text
    assert not re.search(r"(?<!\\)<|(?<!\\)@", outside)
    assert "\x1b" not in text


def test_csv_has_a_row_for_each_finding(hostile: AuditRun) -> None:
    rows = list(csv.DictReader(io.StringIO(form("csv", CHAOS))))
    assert [(row["rule"], row["file"], int(row["line"])) for row in rows] == [
        (each.rule, each.file, each.line) for each in made(CHAOS).findings
    ]
    assert any(row["healed"] for row in rows if row["rule"] == "KR401")
    assert len(list(csv.DictReader(io.StringIO(write("csv", hostile))))) == len(rows)


def test_no_cell_is_a_formula() -> None:
    report = made(CHAOS)
    first = replace(report.findings[0], message="=cmd|'/c calc'!A1", excerpt="@SUM(1)")
    run = AuditRun(["logs"], [replace(report, findings=(first,))])
    (row,) = csv.DictReader(io.StringIO(write("csv", run)))
    assert (row["message"], row["excerpt"]) == ("'=cmd|'/c calc'!A1", "'@SUM(1)")
