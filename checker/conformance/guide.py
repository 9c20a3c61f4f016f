"""What happens outside is looked for only where the log shows what came of it.

Brokers die and come back, and topics are created and deleted, without a line of the controller: between any two lines,
in any order. Where controller.log is there, it says whom a controller found live each time that it looked. A search
that is guided by it changes the live brokers only to what is found next, and creates and deletes topics only soon
before the lines of it. A run that it finds is a run of the model. Where it finds none, there may be one all the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...model.sorts import Value
from .evidence import CREATED, DELETED_BY, EPOCH_RAISED, LIVE_FOUND, Evidence

ASKED = frozenset(
    {"BrokerChange", "ComeBack", "CreateSingle", "CreateTopic", "CreateTriple", "DeleteTopic", "Die", "Elect"}
    | {"InitializeContext"}
)
"""The steps of the model `cluster` that a guide is asked about."""
SOON = 2_000
"""Milliseconds in which a controller takes note of a topic that is created, or is to be deleted."""


@dataclass(frozen=True)
class Look:
    """A controller looked who is live. `epoch`: the one in which it became controller, if it looks for the first time.

    Brokers are elements of the model.
    """

    ts: int
    epoch: int | None
    controller: int
    live: frozenset[int]


@dataclass(frozen=True)
class Guide:
    """The looks in the order of their times; who was controller in each epoch; and when lines of each partition show
    its creation, and its deletion."""

    looks: Sequence[Look]
    controllers: Mapping[int, int]
    created: Mapping[int, Sequence[int]]
    deleted: Mapping[int, Sequence[int]]

    @staticmethod
    def of(evidence: Evidence) -> Guide | None:
        """None where no log says who was live, or when."""
        if not evidence.has_controller_log or any(each.event.ts is None for each in evidence.compared):
            return None
        numbers = {broker: number for number, broker in enumerate(evidence.names.brokers)}
        looks = []
        elected: dict[str, int] = {}
        for event, file in ((each.event, each.place.file) for each in evidence.seen):
            if event.row in EPOCH_RAISED and event.controller_epoch is not None:
                elected[file] = event.controller_epoch
            elif event.row in LIVE_FOUND:
                epoch = elected.get(file) if event.row == LIVE_FOUND[0] else None
                if event.ts is None or event.controller is None or (epoch is None and event.row == LIVE_FOUND[0]):
                    return None
                live = frozenset(numbers[each] for each in event.brokers or ())
                looks.append(Look(event.ts, epoch, numbers[event.controller], live))
        looks.sort(key=lambda look: look.ts)
        partitions = {partition: number for number, partition in enumerate(evidence.names.partitions)}
        created: dict[int, list[int]] = {}
        deleted: dict[int, list[int]] = {}
        for event in (each.event for each in evidence.compared):
            if event.topic is None or event.partition is None or event.ts is None:
                continue
            number = partitions[event.topic, event.partition]
            if event.row == CREATED or number not in created:
                created.setdefault(number, []).append(event.ts)
            if event.to_state in DELETED_BY:
                deleted.setdefault(number, []).append(event.ts)
        controllers = {epoch: numbers[broker] for epoch, broker in evidence.controllers.items()}
        in_order = ({partition: sorted(own) for partition, own in each.items()} for each in (created, deleted))
        return Guide(looks, controllers, *in_order)

    def looks_after(
        self, action: str, params: Mapping[str, Value], state: Mapping[str, Value], looks: int, now: int
    ) -> int | None:
        """How many looks were taken after a step; None if it is not the time for the step.

        Args:
            looks: how many were taken before.
            now: when the next line was written, in milliseconds since 1970.
        """
        if action in ("CreateSingle", "CreateTopic", "CreateTriple"):
            return looks if _soon(self.created.get(params["p"], ()), now) else None
        if action == "DeleteTopic":
            return looks if _soon(self.deleted.get(params["p"], ()), now) else None
        if looks == len(self.looks) or self.looks[looks].ts > now:
            return None
        look = self.looks[looks]
        if action in ("BrokerChange", "InitializeContext"):
            expected = state["controller_epoch"] if action == "InitializeContext" else None
            mine = look.epoch == expected and look.controller == params["c"]
            return looks + 1 if mine and look.live == state["registered"] else None
        later = look.epoch is not None and state["controller_epoch"] < look.epoch
        if action == "Elect":
            return looks if later else None
        if action == "ComeBack":  # a controller may die before it looks
            elected = self.controllers.get(state["controller_epoch"] + 1) if later else None
            return looks if params["b"] in look.live or params["b"] == elected else None
        deposed = later and params["b"] == state["controller"]
        return looks if deposed or params["b"] not in look.live else None

    def looks_before(self, now: int) -> int:
        """How many looks there were when a controller writes a line: one thread looks and writes."""
        return bisect_left(self.looks, now, key=lambda look: look.ts)


def _soon(times: Sequence[int], now: int) -> bool:
    at = bisect_left(times, now)
    return at < len(times) and times[at] <= now + SOON
