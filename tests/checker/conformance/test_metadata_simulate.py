"""Runs of the model `kraft` as metadata logs: what the audit and `validate` say of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import Report
from isrproof.checker.conformance.metadata.simulate import log_of
from isrproof.checker.conformance.metadata.validate import validate
from isrproof.checker.conformance.simulate import counterexample, random_run
from isrproof.model.kraft.kraft import KRAFT
from isrproof.specs.behaviours import behaviour
from isrproof.specs.releases import release


def judged(folder: Path) -> Report:
    (report,) = audit([str(folder)], Options(engine="python"))
    return report


@pytest.mark.full(every=9)
@pytest.mark.parametrize("name", ["3.0", "3.2", "3.3", "3.5", "3.9", "4.1", "4.2", "4.3", "4.4"])
def test_what_a_sound_release_writes_has_no_finding(name: str, tmp_path: Path) -> None:
    instance = KRAFT.model(name).instance(brokers=3, replicas=3, max_partition_epoch=20)
    for seed in range(2):
        log_of(instance, random_run(instance, seed, 80), release(name)).save(tmp_path / str(seed))
        report = judged(tmp_path / str(seed))
        # With ELR on, the last known leader may be elected uncleanly (KIP-966): that is told. So is an ELR that a
        # replica's directory empties, as it does up to 4.2.
        told = {"KR551"} | (
            {"KR557"} if behaviour("ELR emptied by directories").releases & release(name).mask else set()
        )
        assert {(each.rule, each.verdict) for each in report.findings} <= {(code, "suspicious") for code in told}
        assert report.coverage.records is not None


def test_a_counterexample_is_flagged_at_its_last_record(tmp_path: Path) -> None:
    """KAFKA-19522: 4.0 elects a last known leader that is fenced."""
    instance = KRAFT.model("4.0", ["KIP-858"]).instance(brokers=2, replicas=2, max_partition_epoch=5)
    run = counterexample(instance, "ElectedIsActive")
    assert run is not None
    log = log_of(instance, run, release("4.0"))
    log.save(tmp_path)
    (found,) = judged(tmp_path).findings
    assert (found.rule, found.verdict, found.known_issue) == ("KR524", "illegal", "KAFKA-19522")
    assert found.evidence[0].place.offset in log.steps[-1][1]


def test_eligible_replicas_are_forgotten_by_4_2(tmp_path: Path) -> None:
    """A directory is assigned: the audit names the bug, and no step of 4.3 writes that record."""
    instance = KRAFT.model("4.2").instance(brokers=2, replicas=2, max_partition_epoch=5)
    run = counterexample(instance, "EligibleIsKept")
    assert run is not None
    assert run[-1].action == "AssignDirectory"
    log_of(instance, run, release("4.2")).save(tmp_path / "4.2")
    (found,) = judged(tmp_path / "4.2").findings
    assert (found.rule, found.verdict, found.known_issue) == ("KR557", "suspicious", "ELR emptied by directories")
    assert validate([str(tmp_path / "4.2")]).verdict == "accepted"
    log_of(instance, run, release("4.3")).save(tmp_path / "4.3")
    (found,) = judged(tmp_path / "4.3").findings
    assert (found.rule, found.verdict, found.known_issue) == ("KR557", "suspicious", None)
    rejected = validate([str(tmp_path / "4.3")])
    assert (rejected.verdict, rejected.reason) == ("rejected", "t-0: ElectPreferred: elr would be [1], not []")
