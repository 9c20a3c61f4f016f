"""The audit's reconstruction of the recorded clusters equals the content of ZooKeeper, the disks and the
acknowledgements."""

from __future__ import annotations

import pytest
from isrproof.checker.audit.report.json import as_json
from isrproof.traces.record import manifest
from isrproof.traces.record.compare import compare
from isrproof.traces.record.compare_happened import compare_happened, zookeeper_facts
from isrproof.traces.record.compare_replicas import KINDS, compare_lost, compare_replicas

from tests.recordings import EACH, RECORDED, WITH_TRAFFIC, audited


@pytest.mark.parametrize("name", EACH)
def test_nothing_is_wrong_and_what_is_not_shown_is_explained(name: str) -> None:
    report = audited(name)
    assert report.timeline is not None
    found = compare(manifest.read(RECORDED / name), report.timeline, RECORDED / name)
    assert found.wrong == ()
    assert found.unexplained == ()
    assert len(found.shown) > len(found.hidden) - found.reasons["leader-isr-write"]


@pytest.mark.parametrize("name", EACH)
def test_controllers_and_offline_partitions_are_those_of_zookeeper(name: str) -> None:
    report, recorded = audited(name), RECORDED / name
    assert report.timeline is not None
    of_zookeeper = manifest.read(recorded)
    facts = zookeeper_facts(recorded, of_zookeeper, compare(of_zookeeper, report.timeline, recorded))
    kinds = {"failovers": "controller-active", "offline spells": "offline"}
    happened = [row for row in as_json(report)["happened"] if row["what"] in kinds.values()]
    found = compare_happened([fact for fact in facts if fact.kind in kinds], happened)
    assert (found.wrong, found.missed) == ((), ())
    assert found.right["failovers"] >= 1


@pytest.mark.parametrize("name", WITH_TRAFFIC)
def test_replicas_and_losses_are_those_of_the_manifest(name: str) -> None:
    report = audited(name)
    assert report.replicas is not None
    told = manifest.read(RECORDED / name)
    found = compare_replicas(told, report.replicas, RECORDED / name)
    assert found.wrong == ()
    assert all(found.right[kind] for kind in KINDS if kind != "isr")
    lost = [each for finding in report.findings for each in finding.lost]
    loss = compare_lost(told, lost)
    assert loss.wrong == ()
    assert bool(lost) is name.startswith("unclean")
    # What was written after the last checkpoint of high watermarks, at most a second before the leader died.
    assert loss.not_shown <= 25
    assert loss.shown >= 20 * loss.not_shown
    assert {each.verdict for each in report.findings if each.lost} <= {"suspicious"}


@pytest.mark.parametrize("name", [name for name in WITH_TRAFFIC if name.values[0].startswith("unclean")])
def test_what_is_lost_is_named_to_the_offset_where_nothing_was_written_at_the_end(name: str) -> None:
    report = audited(name)
    said = {
        (each.start, each.end)
        for finding in report.findings
        for each in finding.lost
        if finding.rule == "KR661" and each.topic == "quiet"
    }
    (true,) = [(row["from"], row["to"]) for row in manifest.read(RECORDED / name)["lost"] if row["topic"] == "quiet"]
    # In one of them the first was committed, and no producer was acknowledged.
    assert said in ({true}, {(true[0] - 1, true[1])})


@pytest.mark.full(every=4)
@pytest.mark.parametrize("name", [path.name for path in sorted(RECORDED.glob("unclean-*"))])
def test_all_that_is_lost_is_named_where_the_old_leader_prints_its_log_end(name: str) -> None:
    report = audited(name)
    lost = [each for finding in report.findings for each in finding.lost]
    loss = compare_lost(manifest.read(RECORDED / name), lost)
    assert (loss.wrong, loss.not_shown) == ((), 0)
    # A record that was written just before the kill had no answer.
    assert loss.not_acknowledged <= 1
