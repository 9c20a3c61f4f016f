"""The state of the model `cluster` as lines of a cluster in ZooKeeper mode show it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from ....model.cluster.cluster import CLUSTER, whole
from ....model.cluster.effects import DELETION
from ....model.cluster.state import PLACES, UNSEEN_DIRECTORIES, UNSEEN_MOVES, b, c, p
from ....model.evaluate import evaluate, name_of
from ....model.expr import Expr
from ....model.family import Chosen
from ....model.protocol import Instance
from ....model.sorts import Value
from ....model.step import Reference
from ..findings.brokers import LiveBrokers
from ..happened.in_words import listed
from .guards import guard_of

_PARTS = (DELETION, UNSEEN_MOVES, UNSEEN_DIRECTORIES)
_CONTROLLER = 0
"""The number of the controller's process: the guards look at no other, and not at whose it is."""
_SHOWS = {
    "live": "the controller.log of the controller then",
    "registered": "the controller.log of the controller then",
    "epoch": "the controller.log of the controller then",
    "znode": "the state-change.log of the controller then, and the server.log of the leader,",
    "asked_to_delete": "the state-change.log of the controller then, at TRACE,",
}
"""The files that would show a field of the model."""


@cache
def chosen() -> Chosen:
    """Return the newest release with the parts that are asked about: what they ask is the same in all releases."""
    return whole(CLUSTER.chosen(adding=_PARTS))


@cache
def _instance(brokers: int) -> Instance:
    model = CLUSTER.model(adding=_PARTS)
    settings = {each.name: each.default for each in model.settings}
    return Instance(model, settings | {"brokers": brokers, "partitions": 1})


@dataclass(frozen=True)
class Named:
    """The brokers that evidence names, of which the model has the numbers."""

    ids: tuple[int, ...]

    @staticmethod
    def of(*named: Iterable[int]) -> Named:
        return Named(tuple(sorted({each for ids in named for each in ids})))

    def guard(self, step: str) -> dict[str, Expr]:
        return guard_of(_instance(len(self.ids)), step)

    def broker(self, of: Expr, env: dict[str, Value]) -> int | None:
        """Return the broker that an expression names, if any."""
        number = evaluate(of, env)
        return None if number is None else self.ids[number]

    def state(
        self,
        live: LiveBrokers | None,
        *,
        isr: Collection[int] | None = None,
        replicas: Sequence[int] = (),
        before: Sequence[int] | None = None,
        offline: Collection[int] = (),
        written_by: int | None = None,
        epoch: int | None = None,
        asked: bool | None = None,
        ineligible: bool = False,
        broker: int | None = None,
    ) -> dict[str, Value]:
        """Return the state of one partition and its controller: a field that lines do not show is not there.

        Args:
            live: the last list of live brokers; the controller acts on no other.
            isr: the ISR that was printed last.
            replicas: the first three are looked at.
            before: the replicas before a reassignment that goes on.
            offline: the brokers whose directory has failed.
            written_by: the controller epoch of the partition's state; None: the line does not print it.
            epoch: the controller's own.
            asked: whether the broker was asked to delete its replica.
            ineligible: whether the topic is marked so.
            broker: the broker that a step is about.
        """
        size = len(self.ids)
        reference = Reference(_instance(size))
        env = reference.env(reference.initial())
        number = {each: at for at, each in enumerate(self.ids)}
        every = frozenset({0})

        def of_controller(value: Value) -> Value:
            return (value,) * size

        env |= {
            name_of(c): _CONTROLLER,
            name_of(p): 0,
            # Between two events the controller is idle.
            "phase": of_controller("idle"),
            "topics": of_controller(every),
            "created": every,
            "assignment": (_assignment(number, replicas),),
            "origin": (None if before is None else _assignment(number, before),),
            "offline_dirs": of_controller(tuple(every if each in offline else frozenset() for each in self.ids)),
            "ineligible": of_controller((ineligible,)),
            "to_delete": of_controller(every),
        }
        lacks = set()
        if live is None:
            lacks |= {"live", "registered"}
        else:
            brokers = frozenset(number[each] for each in live.brokers if each in number)
            env |= {"live": of_controller(brokers), "registered": brokers}
        if isr is None:
            lacks.add("znode")
        else:
            members = frozenset(number[each] for each in isr)
            env["znode"] = ((None, members, 0, 0, written_by or 0, "RECOVERED"),)
        if epoch is None or written_by is None:
            lacks.add("epoch")
        else:
            env["epoch"] = of_controller(epoch)
        if broker is not None:
            env[name_of(b)] = number[broker]
        if asked is None:
            lacks.add("asked_to_delete")
        else:
            env["asked_to_delete"] = of_controller(((asked,) * size,))
        return {name: value for name, value in env.items() if name not in lacks}


def _assignment(number: dict[int, int], replicas: Sequence[int]) -> Value:
    shown = [number[each] for each in replicas][: len(PLACES)]
    return (*shown, *(None for _ in range(len(PLACES) - len(shown))))


def would_tell(lacks: Collection[str], what: str) -> tuple[str, ...]:
    """Return what is not known for want of some fields, and which file would show it."""
    files = dict.fromkeys(_SHOWS[each] for each in sorted(lacks))
    return (f"{what}: {' and '.join(files)} would show it",) if files else ()


def printed_live(live: LiveBrokers | None) -> Sequence[str]:
    """Return the live brokers in words, and where they stand."""
    return () if live is None else (f"live brokers {listed(live.brokers)} by {live.place}",)
