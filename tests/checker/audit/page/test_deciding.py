"""The parts of a line or a record that decide a finding, as the page marks them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from isrproof.checker.audit.report.page.deciding import pieces

pytest.importorskip("jinja2")


def test_the_fields_that_decide_a_finding_are_marked_where_they_stand() -> None:
    stands = "PartitionState(controllerEpoch=2, leader=2, leaderEpoch=2, isr=[2], zkVersion=2, replicas=[3, 2, 4]"
    line = (
        f"[2026-11-21 21:05:46,757] TRACE [Controller id=4 epoch=2] Sending UpdateMetadata request {stands},"
        " offlineReplicas=[]) to brokers Set(1, 2, 3, 4) for partition a-1 (state.change.logger)"
    )
    found = pieces(line, "KR303")
    assert "".join(text for text, _ in found) == line
    assert [text for text, kind in found if kind == "about"] == ["a", "1"]
    assert [(before[0].split()[-1], text) for before, (text, kind) in pairwise(found) if kind == "deciding"] == [
        ("leader=", "2"),
        ("isr=[", "2"),
        ("zkVersion=", "2"),
    ]
    assert ("[]", "deciding") in pieces(line.replace("isr=[2]", "isr=[]"), "KR303")
    assert pieces("a line of nobody", "KR303") == (("a line of nobody", ""),)


def test_the_fields_of_a_record_that_decide_are_marked() -> None:
    record = 'PARTITION_CHANGE_RECORD {"partitionId": 0, "isr": [2, 1], "leader": 2, "removingReplicas": null}'
    assert [text for text, kind in pieces(record, "KR522") if kind] == []
    assert [text for text, kind in pieces(record, "KR506") if kind] == ["[2, 1]", "2"]
