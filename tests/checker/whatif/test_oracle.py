"""Answers are those of a plain search, for any small cluster and plan."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from isrproof.checker.audit.sources.metadata.state import Broker, Partition
from isrproof.checker.conformance.metadata.contexts import Choices
from isrproof.checker.whatif.answer import KINDS, answer
from isrproof.checker.whatif.plan import Plan
from isrproof.model.kraft.kraft import KRAFT
from isrproof.specs.metadata.levels import levels
from isrproof.specs.releases import release, span

from tests.checker.whatif.clusters import broker, brokers, now, partition, partitions, plans
from tests.checker.whatif.oracle import Oracle, Taken


class Mode(NamedTuple):
    """A release, and what a cluster has on."""

    release: str
    elr: bool
    unclean: bool

    @property
    def honours(self) -> bool:
        """True if the configuration has an effect; before 3.9 only an administrator elected uncleanly."""
        return bool(release(self.release).mask & span(">=3.9"))


MODES = [Mode("4.3", True, False), Mode("4.3", True, True), Mode("3.9", False, False), Mode("3.9", False, True)]
OLDER = [Mode("3.3", False, True), Mode("3.5", False, False), Mode("4.0", True, False)]
TAKEN: defaultdict[tuple[Mode, int, int, bool], Taken] = defaultdict(dict)
"""The steps that searches have executed, by the model that executes them, and if it counts epochs."""


def newest_level(name: str) -> int:
    return max(number for number, each in levels().items() if span(f"<={name}") & span(each.release))


def compare(mode: Mode, data: st.DataObject, most: int) -> None:
    """Draw a cluster and a plan, and compare; epochs are counted where the clusters are small enough."""
    there = data.draw(brokers(most, shutdown=newest_level(mode.release) >= 7))
    one = data.draw(partitions(there, mode.elr))
    event(same(mode, there, one, data.draw(plans(there)), data.draw(st.integers(1, 3)), counts=most < 3))


def same(mode: Mode, there: list[Broker], one: Partition, planned: Plan, min_isr: int, *, counts: bool = True) -> str:
    """Compare the answer with the oracle's, with the steps to the worst, and return its verdict."""
    cluster = now(there, [one], level=newest_level(mode.release), elr=mode.elr, unclean=mode.unclean, min_isr=min_isr)
    found = answer(cluster, planned, Choices(release=release(mode.release).mask))
    model = KRAFT.model(
        mode.release,
        () if mode.elr else ("KIP-966",) if "KIP-966" in release(mode.release).behaviours else (),
        ("reassignment", *(("unclean leaders",) if mode.unclean and mode.honours else ())),
    )
    least = cluster.state.min_isr(one) or 1
    taken = TAKEN[mode, len(there), least, counts]
    expected = Oracle(model, cluster.state, one, planned, least, counts=counts, taken=taken).answer()
    got = {kind: 0 for kind in KINDS if found.already[kind]} | {kind: 1 for kind in KINDS if found.found[kind]}
    assert got == {kind: min(steps, 1) for kind, steps in expected.items()}
    if found.path is None:
        assert not any(expected.values())
        return found.verdict
    worst = next(kind for kind in KINDS if expected.get(kind))
    steps = [each.action for each in found.path.steps]
    if not planned.restarts:  # the oracle also restarts brokers that the partition is not on
        assert len(steps) - steps.count("Forget") <= expected[worst] <= len(steps)
    return found.verdict


@pytest.mark.parametrize("mode", [MODES[0], MODES[2]])
@settings(max_examples=3)
@given(data=st.data())
def test_answers_are_those_of_a_plain_search(mode: Mode, data: st.DataObject) -> None:
    compare(mode, data, most=2)


def test_a_broker_that_was_away_at_first_may_come_back_and_fail() -> None:
    """The last known leader registers anew, and is elected though it is fenced (KAFKA-19522)."""
    one = partition([4], (), leader=-1, elr=(4,), last_known=(4,))
    same(Mode("4.0", True, False), [broker(4, fenced=True)], one, Plan(spare=1, wanted={("t", 0): (4,)}), min_isr=1)


@pytest.mark.full
@pytest.mark.parametrize("mode", [*MODES, *OLDER])
@settings(max_examples=5)
@given(data=st.data())
def test_answers_of_each_release_are_those_of_a_plain_search(mode: Mode, data: st.DataObject) -> None:
    compare(mode, data, most=2)


@pytest.mark.slow
@pytest.mark.parametrize("mode", [*MODES, *OLDER])
@settings(max_examples=150)
@given(data=st.data())
def test_a_thousand_answers_are_those_of_a_plain_search(mode: Mode, data: st.DataObject) -> None:
    compare(mode, data, most=3)
