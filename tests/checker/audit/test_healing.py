"""Outcomes of findings in a metadata log: the partition had a leader again, or all replicas in the ISR, or neither."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.findings.finding import Finding
from isrproof.checker.audit.findings.state import LAST_SHOWN, LASTS, OVER, Condition
from isrproof.checker.audit.observe.controller.conditions import OFFLINE, UNDER_REPLICATED
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.causes import causes
from isrproof.checker.audit.report.chain import Chains
from isrproof.checker.audit.report.healing import Healings, in_words
from isrproof.checker.audit.report.model import Report
from isrproof.checker.audit.report.text import as_text
from isrproof.traces.place import Place

RECORDED = Path(__file__).parents[3] / "traces" / "recorded-kraft"


@cache
def report(name: str = "elr-4.0.0") -> Report:
    (found,) = audit([str(RECORDED / name / "node-13" / "metadata")], Options(engine="python"))
    return found


def test_when_the_isr_is_whole_again_is_told_of_a_record() -> None:
    """Offset 248 makes the ISR of e-0 [2]; 257 adds broker 1, the other replica."""
    found = report()
    e0 = next(each for each in found.findings if each.entity.partition == 0)
    healing = Healings.of(found).healing(e0)
    assert healing is not None
    assert (healing.condition, healing.end, healing.by) == (UNDER_REPLICATED, OVER, "complete")
    assert healing.took == (healing.until or 0) - (e0.ts or 0) > 0
    spell = next(each for each in found.conditions() if each.topic == "e" and each.until == healing.until)
    assert spell.condition == UNDER_REPLICATED
    assert "In sync again: 2 of 2 findings, the last 2.205 s later." in as_text(found)
    assert "Healed" not in as_text(found)


FOUND = 1_000
"""Time of the finding's record in the cases below, in which it has the offset 50."""


def spell(condition: str, offset: int, until: int | None, end: str = OVER, by: str | None = "elected") -> Condition:
    place = Place("a.log", offset=offset)
    return Condition(condition, "e", 0, 1, 1, (1,), (1, 2), place, FOUND - 500 + offset, until, by, end)


def at_50(finding: Finding) -> Finding:
    first = finding.evidence[0]
    own = replace(first, place=replace(first.place, offset=50))
    return replace(finding, ts=FOUND, evidence=(own, *finding.evidence[1:]))


@pytest.mark.parametrize(
    ("spells", "said"),
    [
        ([spell(OFFLINE, 50, FOUND + 250)], "it got a leader again at 1970-01-01 00:00:01.250, 0.250 s later"),
        ([spell(OFFLINE, 40, None, LASTS, None)], "it had no live leader until the end of the log"),
        ([spell(OFFLINE, 40, None, LAST_SHOWN, None)], "no line shows that it got a live leader"),
        (
            [spell(OFFLINE, 40, FOUND + 1, by="deleted")],
            "its topic was deleted at 1970-01-01 00:00:01.001, 0.001 s later",
        ),
        # The record itself elects: that is what is found, and heals nothing.
        ([spell(OFFLINE, 40, FOUND)], None),
        # It is after the one, before the other.
        ([spell(OFFLINE, 10, FOUND - 100), spell(OFFLINE, 60, FOUND + 300)], None),
        (
            [spell(OFFLINE, 40, FOUND), spell(UNDER_REPLICATED, 30, FOUND + 200, by="complete")],
            "its ISR had all replicas at 1970-01-01 00:00:01.200, 0.200 s later",
        ),
        ([spell(UNDER_REPLICATED, 50, None, LASTS, None)], "its ISR lacked replicas until the end of the log"),
        ([spell(UNDER_REPLICATED, 50, None, LAST_SHOWN, None)], "no line shows that its ISR had all replicas"),
        ([spell(UNDER_REPLICATED, 51, None, LASTS, None)], None),
        ([], None),
    ],
)
def test_the_time_in_which_a_record_is_says_what_came_of_it(spells: list[Condition], said: str | None) -> None:
    (log,) = report().metadata or ()
    finding = next(each for each in report().findings if each.entity.partition == 0)
    finding = at_50(finding)
    healings = Healings.of(replace(report(), metadata=(replace(log, conditions=tuple(spells)),)))
    healing = healings.healing(finding)
    assert (None if healing is None else in_words(healing)) == said
    # Another log's partitions of the same name are not this finding's.
    other = replace(log, files=("another.log",), conditions=(spell(OFFLINE, 45, FOUND + 7),))
    several = Healings.of(replace(report(), metadata=(other, replace(log, conditions=tuple(spells)))))
    assert several.healing(finding) == healing


def test_of_several_each_condition_has_its_sentence() -> None:
    (log,) = report().metadata or ()
    spells = [spell(OFFLINE, 50, FOUND + 250), replace(spell(UNDER_REPLICATED, 50, None, LASTS, None), partition=1)]
    findings = tuple(map(at_50, report().findings))
    made = replace(report(), findings=findings, metadata=(replace(log, conditions=tuple(spells)),))
    (cause,) = causes(made.findings)
    healings = Healings.of(made)
    healed, in_sync = healings.of_cause(cause).split(". ")
    assert healed == "Healed: it got a leader again at 1970-01-01 00:00:01.250, 0.250 s later"
    assert in_sync == "Not in sync again: its ISR lacked replicas until the end of the log."
    assert Chains.of(made, healings).of_cause(cause) == []
