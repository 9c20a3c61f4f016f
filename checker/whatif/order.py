"""An order of restarts in which nothing goes wrong, or why there is none.

A partition restricts the order of its own brokers only: for a few brokers each order is searched, with all that come
first in it. An order for all of them is then built broker by broker. That finds one if there is one, provided that what
may come next depends only on which brokers are done, and that more of them never forbid one: both are checked.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ...model.kraft.state import NOBODY
from ...model.sorts import Value
from ...model.step import State
from ..conformance.metadata.contexts import Choices
from .now import Now
from .plan import Key, Plan
from .reach import distances, reached
from .shapes import Kind, Shapes, search_of, shapes

MOST_RESTARTED = 5
"""The most restarted brokers of a partition whose orders are all searched."""


@dataclass(frozen=True)
class Order:
    """The result."""

    brokers: tuple[int, ...]
    """The order; if none is safe, one that goes on with the others as they are numbered."""
    safe: bool
    blocked: tuple[int, ...]
    """The brokers that no order can restart safely, after all others that it can."""
    because: tuple[Key, ...]
    """The partitions that forbid these."""
    left_out: tuple[str, ...]
    """The parts that were not searched."""


@dataclass(frozen=True)
class _Allowed:
    """For a shape the brokers that may be restarted next, by those that are done, as numbers."""

    next: Mapping[frozenset[int], frozenset[int]]
    exact: bool
    """True if what may come next depends only on what is done, and grows with it."""
    limits: bool
    """True if not every order will do."""


class _Limit(NamedTuple):
    """Partitions on the same brokers that do not allow every order."""

    ids: tuple[int, ...]
    allowed: _Allowed
    keys: list[Key]

    def forbids(self, broker: int, done: Sequence[int]) -> bool:
        """Check whether a broker of theirs may not be restarted next."""
        so_far = frozenset(self.ids.index(each) for each in done if each in self.ids)
        return self.ids.index(broker) not in self.allowed.next.get(so_far, ())


def safe_order(there: Now, planned: Plan, chosen: Choices) -> Order:
    """Search an order in which all planned brokers can be restarted."""
    base = shapes(there, replace(planned, any_order=True), chosen)
    limits: dict[tuple[Kind, int, tuple[int, ...]], _Limit] = {}
    left_out, exact = [], True
    for kind, its in base.kinds.items():
        if kind.brokers > MOST_RESTARTED:
            count = sum(map(len, its.members))
            left_out.append(f"orders for {count} partitions with more than {MOST_RESTARTED} brokers")
            continue
        for shape, (allowed, members) in enumerate(zip(_allowed(kind, its), its.members, strict=True)):
            exact &= allowed.exact
            for key, ids in members if allowed.limits else ():
                limits.setdefault((kind, shape, ids), _Limit(ids, allowed, [])).keys.append(key)
    order, blocked, because = _greedy(planned.restarts, list(limits.values()))
    if blocked and not exact:
        left_out.append("orders other than those that restart each broker as soon as it is safe")
    return Order((*order, *blocked), not blocked, blocked, because, tuple(left_out))


def _greedy(
    brokers: Sequence[int], limits: Sequence[_Limit]
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[Key, ...]]:
    """Restart brokers, each as soon as all partitions allow it; return those that remain, and what forbids them."""
    of_broker: dict[int, list[_Limit]] = {each: [] for each in brokers}
    for limit in limits:
        for broker in limit.ids:
            if broker in of_broker:
                of_broker[broker].append(limit)
    done: list[int] = []
    rest = sorted(brokers)
    while rest:
        free = next((each for each in rest if not any(one.forbids(each, done) for one in of_broker[each])), None)
        if free is None:
            keys = {key for each in rest for one in of_broker[each] if one.forbids(each, done) for key in one.keys}
            return tuple(done), tuple(rest), tuple(sorted(keys))
        done.append(free)
        rest.remove(free)
    return tuple(done), (), ()


def _allowed(kind: Kind, its: Shapes) -> Iterator[_Allowed]:
    """Yield what may come next, for each shape: all orders of its brokers are searched at once."""
    search = search_of(kind)
    names = [each.name for each in search.program.instance.model.fields]
    orders = [_orders(dict(zip(names, state, strict=True))) for state in its.states]
    first = [_with_order(state, names, order) for state, own in zip(its.states, orders, strict=True) for order in own]
    graph = reached(search, first)
    ways = [distances(graph, prop) for prop in range(len(search.program.properties))]
    at = 0
    for own in orders:
        yield _of_orders(own, {order for place, order in enumerate(own, at) if not any(way.of(place) for way in ways)})
        at += len(own)


def _orders(values: Mapping[str, Value]) -> list[tuple[int, ...]]:
    """Return all orders of all brokers that are to be restarted, and all beginnings of them."""
    turns = values["turn"]
    assert isinstance(turns, tuple)
    brokers = [number for number, turn in enumerate(turns) if turn != NOBODY]
    return [order for size in range(len(brokers) + 1) for order in itertools.permutations(brokers, size)]


def _with_order(state: State, names: Sequence[str], order: Sequence[int]) -> State:
    """Return a state with a plan to restart some brokers in an order."""
    values = dict(zip(names, state, strict=True))
    up, turns = values["up"], values["turn"]
    assert isinstance(up, frozenset)
    assert isinstance(turns, tuple)
    values["turn"] = tuple(order.index(each) if each in order else NOBODY for each in range(len(turns)))
    values["todo"] = up & frozenset(order)
    return tuple(values[name] for name in names)


def _of_orders(orders: Sequence[tuple[int, ...]], safe: Container[tuple[int, ...]]) -> _Allowed:
    """Return what may come next, given all beginnings of orders, and which of them are safe."""
    brokers = frozenset(orders[-1])
    following: dict[frozenset[int], set[frozenset[int]]] = {}
    for each in (order for order in orders if order in safe):
        more = frozenset(one for one in brokers if one not in each and (*each, one) in safe)
        following.setdefault(frozenset(each), set()).add(more)
    after = {done: frozenset.intersection(*found) for done, found in following.items()}
    depends = all(len(found) == 1 for found in following.values())
    grows = all(more - larger <= after[larger] for done, more in after.items() for larger in after if done <= larger)
    limits = any(done | more != brokers for done, more in after.items())
    return _Allowed(after, depends and grows, limits)
