"""A safe order of restarts is found if, and only if, there is one."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st
from isrproof.checker.conformance.metadata.contexts import Choices
from isrproof.checker.whatif.answer import answer, searched
from isrproof.checker.whatif.now import Now
from isrproof.checker.whatif.plan import Plan
from isrproof.checker.whatif.shapes import search_of, shapes
from isrproof.specs.releases import release

from tests.checker.whatif.clusters import broker, brokers, now, partition, partitions

CHOSEN = Choices(release=release("3.9").mask)
LEVEL = 20


def is_safe(there: Now, order: tuple[int, ...]) -> bool:
    return not any(searched(shapes(there, Plan(restarts=order), CHOSEN).kinds, search_of).found.values())


@settings(max_examples=8)
@given(data=st.data())
def test_an_order_is_found_if_there_is_one(data: st.DataObject) -> None:
    there = data.draw(brokers(3, shutdown=True))
    ids = tuple(sorted(each.id for each in there))
    its = [data.draw(partitions(there, False)) for _ in range(data.draw(st.integers(1, 2)))]
    cluster = now(there, its, level=LEVEL, min_isr=data.draw(st.integers(1, 2)))
    found = answer(cluster, Plan(restarts=ids, any_order=True), CHOSEN)
    assert found.order is not None
    assert found.order.safe == any(is_safe(cluster, order) for order in permutations(ids))
    if found.order.safe:
        assert is_safe(cluster, found.order.brokers)


def test_the_replica_that_is_behind_comes_first() -> None:
    there = [broker(1), broker(2)]
    cluster = now(there, [partition((1, 2), (1,))], level=LEVEL)
    found = answer(cluster, Plan(restarts=(1, 2), any_order=True), CHOSEN)
    assert found.order is not None
    assert (found.order.brokers, found.verdict) == ((2, 1), "safe")


def test_two_partitions_can_forbid_every_order() -> None:
    there = [broker(1), broker(2)]
    cluster = now(there, [partition((1, 2), (1,)), partition((2, 1), (2,))], level=LEVEL)
    found = answer(cluster, Plan(restarts=(1, 2), any_order=True), CHOSEN)
    assert found.order is not None
    assert (found.order.safe, found.order.blocked, found.verdict) == (False, (1, 2), "unsafe")
    assert found.order.because == (("t", 0), ("t", 1))
