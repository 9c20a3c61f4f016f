"""The evidence of findings: which lines contradict each other, and what would decide an unknown."""

from __future__ import annotations

import random
from pathlib import Path

from isrproof.checker.audit.command import audit
from isrproof.checker.audit.findings.finding import Evidence, Finding
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.rules.catalogue import rules

from tests.evidence import places, text
from tests.histories import history, save, texts, with_faults
from tests.recordings import CHAOS, RECORDED
from tests.reports import made


def found(folder: Path, lossy: bool = False) -> tuple[Finding, ...]:
    (report,) = audit([str(folder)], Options(engine="python", lossy=lossy))
    return report.findings


def test_of_a_refusal_it_is_the_throwable() -> None:
    refused = [finding for finding in made(CHAOS).findings if finding.rule == "KR105"]
    assert refused
    for finding in refused:
        (thrown,) = places(finding, "contradicts")
        assert "Instead it is in" in text(thrown)


def test_a_deposed_controllers_write_contradicts_the_line_of_its_successor_only() -> None:
    """The line before may have been printed by the deposed controller, and read once more by the successor."""
    rule = rules()["KR304"]
    assert rule.looks_back
    assert rule.contradicts({"before_controller_epoch": 2, "read_in": 2})
    assert not rule.contradicts({"before_controller_epoch": 1, "read_in": 2})


def test_an_unknown_with_no_line_before_says_before_this_one() -> None:
    """It said `between line None and this one`."""
    unknown = [each for each in found(RECORDED / "failover-on-leader-2.0.0-kill", lossy=True) if each.decided_by]
    assert [(each.rule, each.verdict) for each in unknown] == [("KR401", "unknown")] * 2
    for finding in unknown:
        assert finding.decided_by == "the lines that may be missing before this one"
        assert finding.evidence == (Evidence("seen", finding.place),)


def test_an_unknown_seeded_at_the_start_says_since_then(tmp_path: Path) -> None:
    made = history(1, "3.9", wipes=1)
    save(tmp_path, texts(with_faults(made.written, random.Random(1), 3), made.release))
    told = {finding.decided_by for finding in found(tmp_path, lossy=True)}
    assert "the lines that may be missing between the start of controller epoch 3 and this one" in told
    assert not [each for each in told if each and "None" in each]


def test_missing_lines_would_decide_what_a_verdict_asks_them_for(tmp_path: Path) -> None:
    """A verdict that only the release decides names no lines: no release writes the lines of two."""
    made = history(1, "3.9", wipes=1)
    save(tmp_path, texts(with_faults(made.written, random.Random(1), 3), made.release, "3.0"))
    unknown = [each for each in found(tmp_path, lossy=True) if each.verdict == "unknown"]
    deciding = {each.rule: places(each, "decides") for each in unknown if places(each, "decides")}
    assert {"KR101", "KR103"} <= {each.rule for each in unknown}
    assert deciding.keys() == {"KR103"}
    for finding in (each for each in unknown if places(each, "decides")):
        (place,) = places(finding, "decides")
        assert finding.decided_by == f"the lines that may be missing between line {place.line} and this one"
    told = {each.decided_by for each in unknown if each.rule == "KR101"}
    assert told == {"a line whose wording narrows down Kafka <=3.9, or --release"}
