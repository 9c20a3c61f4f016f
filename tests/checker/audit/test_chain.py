"""One fault is one story: findings name what explains them, and a report what came of each cause."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from isrproof.checker.audit.command import audit
from isrproof.checker.audit.findings.chains import chained
from isrproof.checker.audit.findings.finding import Entity, Evidence, Finding
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.json import as_json
from isrproof.checker.audit.report.model import Report
from isrproof.checker.audit.report.text import as_text
from isrproof.traces.place import Place

from tests.recordings import RECORDED

DEAD = "failover-on-leader-2.0.0-kill"


def audited(folder: Path) -> Report:
    (report,) = audit([str(folder)], Options(engine="python"))
    return report


def test_an_unclean_election_explains_the_loss_and_the_loss_the_cuts() -> None:
    report = audited(RECORDED / "unclean-3.9.1")
    by_rule = {
        code: {
            each.entity.partition: each for each in report.findings if each.rule == code and each.entity.topic == "all"
        }
        for code in ("KR204", "KR661", "KR662", "KR663")
    }
    for effect, cause in (("KR661", "KR204"), ("KR662", "KR661"), ("KR663", "KR661")):
        assert by_rule[effect]
        for partition, finding in by_rule[effect].items():
            (origin,) = finding.caused_by
            assert origin.fingerprint == by_rule[cause][partition].fingerprint
            assert origin.place == by_rule[cause][partition].place
    assert not any(each.caused_by for each in by_rule["KR204"].values())
    said = as_text(report)
    assert "Then KR661 leader-lacks-committed-records: 3 findings, the first" in said
    assert "Then KR662 cut-below-high-watermark: 3 findings, the first" in said
    lost = {(each.topic, each.partition): each for finding in by_rule["KR661"].values() for each in finding.lost}
    assert "\n    all-0 got leader 3 from outside its ISR." in said
    (told,) = [line for line in said.splitlines() if "concerned, by offset" in line]
    assert all(f"{topic}-{n} {each.start} to {each.end - 1}" in told for (topic, n), each in lost.items())
    total = sum(one.end - one.start for each in report.findings if each.rule == "KR661" for one in each.lost)
    assert f"; {total} committed records may be gone; troubled" in said.splitlines()[0]
    assert "may be gone" not in as_text(audited(RECORDED / DEAD))
    shown = json.loads(json.dumps(as_json(report)))
    (origin,) = next(each for each in shown["findings"] if each["rule"] == "KR661")["caused_by"]
    assert (origin["rule"], origin["file"].endswith("broker-1/state-change.log")) == ("KR204", True)


def unavailable(second: str, leader: int = 2) -> str:
    return (
        f"[2026-11-21 {second}] ERROR [Broker id=3] Received LeaderAndIsrRequest with correlation id 3 from"
        " controller 4 epoch 2 for partition t-0 (last update controller epoch 2) but cannot become follower since"
        f" the new leader {leader} is unavailable. (state.change.logger)\n"
    )


def test_what_brokers_could_not_do_of_a_dead_leader_is_told_with_it(tmp_path: Path) -> None:
    shutil.copytree(RECORDED / DEAD, tmp_path / DEAD)
    with (tmp_path / DEAD / "broker-3" / "state-change.log").open("a", encoding="utf-8") as log:
        log.write(unavailable("20:24:36,100") + unavailable("20:24:37,200"))
    report = audited(tmp_path / DEAD)
    (refusal,) = report.state.refusals
    assert (refusal.kind, refusal.broker, refusal.topic, refusal.lines) == ("follow", 3, "t", 2)
    said = as_text(report)
    expected = "Then broker 3 could not follow: the leader is not alive to it; 2 lines, until 2026-11-21 20:24:37.200"
    assert expected in said
    assert said.index("KR401") < said.index(expected) < said.index("Not healed")


def test_what_they_could_not_do_before_is_not(tmp_path: Path) -> None:
    shutil.copytree(RECORDED / DEAD, tmp_path / DEAD)
    path = tmp_path / DEAD / "broker-3" / "state-change.log"
    path.write_text(unavailable("20:24:10,100") + path.read_text(encoding="utf-8"), encoding="utf-8")
    report = audited(tmp_path / DEAD)
    assert len(report.state.refusals) == 1
    assert "could not follow" not in as_text(report)


def finding(rule: str, ts: int, line: int, life: int | None = 1, partition: int = 0) -> Finding:
    return Finding(
        rule=rule,
        name=rule,
        verdict="suspicious",
        evidence=(Evidence("seen", Place("a.log", line)),),
        ts=ts,
        entity=Entity("partition", "t", partition),
        life=life,
        controller_epoch=None,
        message=f"line {line}",
        expected="",
        got="",
        assumption=None,
    )


def test_what_stands_below_in_the_same_file_explains_nothing() -> None:
    """A leader epoch that jumps falls later on: the fall comes of the jump."""
    jump, fall = finding("KR206", 100, 1), finding("KR205", 200, 2)
    assert [each.caused_by for each in chained([jump, fall])] == [(), ()]
    both = finding("KR206", 200, 2)
    assert [origin.rule for origin in chained([fall, both])[1].caused_by] == ["KR205"]


def test_the_nearest_of_the_same_partition_and_life_is_named() -> None:
    causes = [
        finding("KR204", 100, 1),
        finding("KR204", 500, 2),
        finding("KR204", 610, 3, life=2),
        finding("KR204", 600, 4, partition=1),
    ]
    *_, of_life, of_none, alone = chained(
        [*causes, finding("KR661", 590, 9), finding("KR661", 605, 10, life=None), finding("KR661", 1, 11, partition=7)]
    )
    assert [each.place.line for each in of_life.caused_by] == [2]
    assert [each.place.line for each in of_none.caused_by] == [3]
    assert alone.caused_by == ()
