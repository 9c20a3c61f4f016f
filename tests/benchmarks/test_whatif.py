"""The generated cluster of the benchmark, and answers that can be counted by hand."""

from __future__ import annotations

from pathlib import Path

from isrproof.checker.audit.sources.metadata.state import TOPIC, Partition
from isrproof.checker.conformance.metadata.contexts import Choices
from isrproof.checker.whatif.answer import answer
from isrproof.checker.whatif.now import Now, now
from isrproof.checker.whatif.plan import Question, plan

from benchmarks.whatif.generate import generate


def elected_uncleanly(there: Now, of: Partition) -> bool:
    """A replica that is left when two have failed is elected, in sync or not."""
    config = there.state.configs[TOPIC, there.state.names[of.topic]]
    return config["unclean.leader.election.enable"] == "true" and len(of.replicas) > 2


def test_answers_are_those_that_can_be_counted(tmp_path: Path) -> None:
    generate(tmp_path / "__cluster_metadata-0", 300, 9, behind=0.2)
    there = now([str(tmp_path)])
    every = list(there.state.all())
    assert len(every) == 300
    two = answer(there, plan(there.state, Question(["2"])), Choices())
    offline = [each for each in every if len(each.isr) <= 2 and not elected_uncleanly(there, each)]
    assert len(two.found["offline"]) == len(offline)
    enough = {each[:2]: there.state.min_isr(each) or 1 for each in every}
    under = [each for each in every if len(each.isr) - 2 < enough[each[:2]] <= len(each.isr)]
    assert len(two.found["under_min_isr"]) == len(under)
    assert len(two.already["under_min_isr"]) == sum(len(each.isr) < enough[each[:2]] for each in every)
    assert two.shapes < 40
    rack = answer(there, plan(there.state, Question(["rack:rack-1"])), Choices())
    inside = {each.id for each in there.state.brokers.values() if each.rack == "rack-1"}
    assert len(rack.found["offline"]) == sum({*each.isr} <= inside for each in every)
