"""The known answers: what the audit says of the recorded clusters."""

from __future__ import annotations

from collections import Counter

import pytest
from isrproof.checker.audit.report.model import Report
from isrproof.checker.audit.rules.catalogue import rules

from tests.evaluated import evaluated
from tests.recordings import ALL, EACH, audited


def illegal(report: Report) -> Counter[str]:
    return Counter(finding.rule for finding in report.findings if finding.verdict == "illegal")


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", [name for name in ALL if name.startswith("failover-on-leader-2.0.0")])
def test_a_failover_on_2_0_0_leaves_the_dead_leader(name: str) -> None:
    """KAFKA-3143, and nothing else."""
    assert set(illegal(audited(name))) == {"KR401"}


@pytest.mark.full
def test_so_it_does_on_2_2_2() -> None:
    assert set(illegal(audited("failover-on-leader-2.2.2-kill"))) == {"KR401"}


@pytest.mark.full(every=10)
@pytest.mark.parametrize(
    "name",
    [
        name
        for name in ALL
        if name.startswith(("failover-elsewhere", "lifecycle", "reassign", "failover-on-leader-2.3.1", "zombie-2.8"))
    ],
)
def test_nothing_is_illegal_where_kafka_keeps_its_promises(name: str) -> None:
    report = audited(name)
    assert illegal(report) == Counter()
    assert {"KR102", "KR104", "KR201", "KR202", "KR203"} <= evaluated(report)


@pytest.mark.parametrize("name", EACH)
def test_every_line_is_understood(name: str) -> None:
    report = audited(name)
    assert not any(file.bearing_unknown or file.problem for file in report.files)
    assert len({life.life for life in report.lives}) == 1


@pytest.mark.parametrize("name", EACH)
def test_nothing_of_a_whole_log_is_doubted(name: str) -> None:
    """Nor the order of its lines: what two files of a broker say of one time stands in none."""
    report = audited(name)
    assert report.notes == ()
    assert report.checked.assumption == "contiguous"


HAPPENED = {
    "deposed-2.0.0": {"KR622"},
    "stale-broker-0.11.0.3": {"KR623"},
    "unclean": {"KR661", "KR662", "KR663"},
    "zombie-2.0.0": {"KR622"},
}
"""Faults of brokers, by the beginning of a recording's name: a follower passed over the epochs of a leader that was
left in place, a leader could not write an ISR any more, an unclean election lost records."""


@pytest.mark.parametrize("name", EACH)
def test_rules_on_brokers_tell_of_what_happened_and_of_nothing_else(name: str) -> None:
    of_brokers = {code for code, rule in rules().items() if rule.family == "broker"}
    told = {each.rule for each in audited(name).findings if each.verdict in ("illegal", "suspicious")} & of_brokers
    may = {code for begin, codes in HAPPENED.items() if name.startswith(begin) for code in codes}
    must = {"KR661", "KR662"} & may if name.startswith("unclean") else may
    assert must <= told <= may
    assert evaluated(audited(name)) & of_brokers
