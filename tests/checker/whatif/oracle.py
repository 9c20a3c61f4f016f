"""A plain search for what a plan can do to one partition: all brokers of the cluster by their ids, no shapes, stale
requests kept, and what the plan allows and what is at stake written out once more."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from isrproof.checker.audit.sources.metadata.state import Cluster, Partition, registration
from isrproof.checker.whatif.plan import Plan
from isrproof.model.protocol import Model
from isrproof.model.step import Reference, State

KINDS = ("may_lose", "without_eligible_leader", "offline", "under_min_isr")
_ACTIVE = "Unfenced"
_RUNS = ("Unfenced", "ControlledShutdown")
Taken = dict[tuple[Any, ...], list[State]]
"""The states after an action with some of its parameters."""


@dataclass(frozen=True)
class Point:
    """A state of the model, and how far the plan has come."""

    state: State
    failed: frozenset[int]
    todo: frozenset[int]
    stopping: frozenset[int]
    up: frozenset[int]


class Oracle:
    """The search for one partition; broker number n is the n-th id of the cluster."""

    def __init__(
        self,
        model: Model,
        cluster: Cluster,
        partition: Partition,
        plan: Plan,
        min_isr: int,
        *,
        counts: bool,
        taken: Taken,
    ) -> None:
        """Start a search.

        Args:
            counts: two states that differ in the epochs' numbers alone are two.
            taken: steps that earlier searches of this model, with so many brokers and this `min_isr`, have executed.
        """
        self.counts = counts
        self.ids = sorted(cluster.brokers)
        self.plan = plan
        self.min_isr = min_isr
        count = len(self.ids)
        elr = {"min_isr": min_isr} if any(each.name == "min_isr" for each in model.settings) else {}
        instance = model.instance(brokers=count, replicas=count, max_partition_epoch=40, **elr)
        self.reference = Reference(instance)
        self.taken = taken
        self.names = [each.name for each in model.fields]
        self.actions = {each.name: [str(param.data) for param in each.params] for each in model.actions}
        self.order = {self.ids.index(id): at for at, id in enumerate(plan.restarts)}
        self.named = frozenset(self.ids.index(id) for id in plan.named)
        numbers = {id: number for number, id in enumerate(self.ids)}
        registered = tuple(registration(cluster.brokers[id]) for id in self.ids)
        target = plan.wanted.get((cluster.names[partition.topic], partition.number), ())

        def some(ids: tuple[int, ...]) -> frozenset[int]:
            return frozenset(numbers[id] for id in ids)

        def places(ids: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(ids.index(id) if id in ids else -1 for id in self.ids)

        values: dict[str, Any] = {
            "registration": registered,
            "place": places(partition.replicas),
            "isr": some(partition.isr),
            "leader": numbers.get(partition.leader, -1),
            "recovering": partition.recovering,
            "leader_epoch": 0,
            "partition_epoch": 0,
            "adding": some(partition.adding),
            "removing": some(partition.removing),
            "elr": some(partition.elr),
            "last_known": numbers[partition.last_known[0]] if partition.last_known else -1,
            "offline": frozenset(),
            "wanted": places(target),
            "request": None,
        }
        up = frozenset(number for number, each in enumerate(registered) if each in _RUNS)
        self.first = Point(
            tuple(values[name] for name in self.names),
            frozenset(),
            frozenset(self.order) & up,
            frozenset(number for number, each in enumerate(registered) if each == "ControlledShutdown"),
            up,
        )

    def answer(self) -> Mapping[str, int]:
        """The fewest steps to each kind of harm that is reached; 0: it is there from the start."""
        found: dict[str, int] = {}
        depths = {self.first: 0}
        queue = deque([self.first])
        for kind in self._harm(self.first.state):
            found[kind] = 0
        while queue:
            point = queue.popleft()
            depth = depths[point] + 1
            for after in self._steps(point):
                if self._loses(point.state, after.state):
                    found.setdefault("may_lose", depth)
                if after in depths:
                    continue
                depths[after] = depth
                queue.append(after)
                for kind in self._harm(after.state):
                    found.setdefault(kind, depth)
        return found

    def _of(self, state: State) -> dict[str, Any]:
        return dict(zip(self.names, state, strict=True))

    def _harm(self, state: State) -> Iterator[str]:
        now = self._of(state)
        trusted = now["isr"] | now.get("elr", frozenset())
        if not any(now["registration"][each] != "Unregistered" for each in trusted):
            yield "without_eligible_leader"
        if now["leader"] < 0:
            yield "offline"
        if len(now["isr"]) < self.min_isr:
            yield "under_min_isr"

    def _loses(self, before: State, after: State) -> bool:
        one, other = self._of(before), self._of(after)
        leader = other["leader"]
        if leader in (one["leader"], -1) or leader in one["isr"] | one.get("elr", frozenset()):
            return False
        reassigned = bool(one["adding"] | one["removing"]) and not other["adding"] | other["removing"]
        return not (leader in other["isr"] and (other["isr"] & one["isr"] or reassigned))

    def _steps(self, point: Point) -> Iterator[Point]:
        now = self._of(point.state)
        brokers = range(len(self.ids))
        for b in brokers:
            if b in point.up and b in point.stopping:
                yield from self._take(point, "Fence", b, up=point.up - {b})
            elif b in point.up and b not in point.failed and self._may_fail(point, b):
                yield from self._take(point, "Fence", b, up=point.up - {b}, failed=point.failed | {b})
            if b not in point.up:
                cleanly = b in point.stopping and b not in point.failed
                after = {"up": point.up | {b}, "stopping": point.stopping - {b}}
                for clean in (True,) if cleanly else (True, False):
                    yield from self._take(point, "Register", b, clean=clean, **after)
            if b not in point.stopping:
                yield from self._take(point, "Unfence", b, up=point.up | {b})
            if b in point.todo and b in point.up and self._its_turn(point, now, b):
                changed = {"todo": point.todo - {b}, "stopping": point.stopping | {b}}
                yield from self._take(point, "ShutDown", b, **changed)
            if b in point.up and b not in point.stopping and (b == now["leader"] or b not in now["isr"]):
                for recovered in (True, False):
                    yield from self._take(point, "Ask", b, recovered=recovered)
        for action in ("AlterPartition", "Forget", "ElectPreferred", "ElectUnclean", "Reassign"):
            yield from self._take(point, action)

    def _may_fail(self, point: Point, b: int) -> bool:
        return b in self.named or len(point.failed - self.named) < self.plan.spare

    def _its_turn(self, point: Point, now: Mapping[str, Any], b: int) -> bool:
        earlier = [each for each, at in self.order.items() if at < self.order[b]]
        return all(
            each not in point.todo
            and now["registration"][each] == _ACTIVE
            and (each in now["isr"] or now["place"][each] < 0)
            for each in earlier
        )

    def _take(self, point: Point, action: str, b: int | None = None, **changes: Any) -> Iterator[Point]:
        own = {name: changes.pop(name) for name in ("clean", "recovered") if name in changes}
        asked = (point.state, action, b, *own.values())
        if asked not in self.taken:  # plans, and their progress, make many points of a state
            self.taken[asked] = list(self._states(point.state, action, {"b": b, **own}))
        for state in self.taken[asked]:
            yield Point(state, **{**_plan_of(point), **changes})

    def _states(self, state: State, action: str, given: Mapping[str, Any]) -> Iterator[State]:
        names = self.actions.get(action)
        if names is None:
            return
        for to in range(-1, len(self.ids)) if "to" in names else (None,):
            for ends in (False, True) if "ends" in names else (None,):
                every = {**given, "to": to, "ends": ends}
                taken = self.reference.take(state, action, {name: every[name] for name in names})
                if taken is not None:
                    assert not taken.overflows
                    yield taken.state if self.counts else self._shifted(taken.state)

    def _shifted(self, state: State) -> State:
        """Return the state with the lowest of each kind of epoch at 0: epochs are compared, and grow by one."""
        now = self._of(state)
        request = now["request"]
        if request is None:
            return tuple({**now, "leader_epoch": 0, "partition_epoch": 0}.values())
        sender, leader_epoch, partition_epoch, *asked = request
        now["request"] = (sender, 0, 0, *asked)
        now["leader_epoch"] -= leader_epoch
        now["partition_epoch"] -= partition_epoch
        return tuple(now.values())


def _plan_of(point: Point) -> dict[str, frozenset[int]]:
    return {"failed": point.failed, "todo": point.todo, "stopping": point.stopping, "up": point.up}
