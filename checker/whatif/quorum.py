"""The metadata quorum within a plan: model `raft` says what a majority is."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ...model.evaluate import evaluate
from ...model.expr import const
from ...model.kraft.state import UNFENCED
from ...model.raft.kip853 import is_majority_of
from ...model.sorts import Int, SetOf
from ...specs.errors import IsrproofError
from ..audit.sources.metadata.state import registration
from .now import Now
from .plan import Plan


@dataclass(frozen=True)
class QuorumAnswer:
    """The answer for the quorum."""

    verdict: str
    """ok or lost; unknown where nothing names the voters."""
    voters: tuple[int, ...]
    """The voters afterwards."""
    down: tuple[int, ...]
    """The voters that may be down at the same time, in the worst case."""
    spare: int
    """The number of further voters that may fail before the quorum is lost."""


def quorum(now: Now, plan: Plan) -> QuorumAnswer:
    """Return what becomes of the quorum within a plan.

    A voter that is also a broker fails, and is restarted, with it. Whoever only is a controller is taken to be alive.

    Raises:
        IsrproofError: the plan removes or adds a voter that it cannot.
    """
    voters = _voters(now, plan)
    if not voters:
        return QuorumAnswer("unknown", (), (), 0)
    down = max(_moments(now, plan, voters), key=lambda each: (len(each), sorted(each)))
    size, alive = len(voters), len(voters - down)
    spare = next((more for more in range(alive + 1) if not _holds(alive - more, size)), alive + 1) - 1
    return QuorumAnswer("lost" if spare < 0 else "ok", tuple(sorted(voters)), tuple(sorted(down)), max(spare, 0))


def _moments(now: Now, plan: Plan, voters: frozenset[int]) -> Iterator[frozenset[int]]:
    """Yield the voters that may be down at the same time, for each broker that is restarted, or once."""
    brokers = {each.id: registration(each) for each in now.state.brokers.values() if each.id in voters}
    gone = frozenset(id for id, there in brokers.items() if there != UNFENCED)
    for at in range(max(len(plan.restarts), 1)):
        down = ((gone - {*plan.restarts[:at]}) | plan.named | {*plan.restarts[at : at + 1]}) & {*brokers}
        yield down | {*sorted({*brokers} - down)[: plan.spare]}


def _voters(now: Now, plan: Plan) -> frozenset[int]:
    if plan.remove_voter is None and plan.add_voter is None:
        return now.voters
    state = now.state
    if state.voters is None:
        raise IsrproofError(
            "the voters of this quorum are not in its log (kraft.version 0): they cannot be removed or added"
        )
    voters = frozenset(state.voters)
    if plan.remove_voter is not None:
        if plan.remove_voter not in voters:
            raise IsrproofError(f"--remove-voter {plan.remove_voter}: the voters are {_named(voters)}")
        if len(voters) == 1:
            raise IsrproofError(f"--remove-voter {plan.remove_voter}: it is the only voter")
        voters -= {plan.remove_voter}
    if plan.add_voter is not None:
        if plan.add_voter in voters:
            raise IsrproofError(f"--add-voter {plan.add_voter}: it is a voter; the voters are {_named(voters)}")
        if plan.add_voter not in state.controllers:
            raise IsrproofError(
                f"--add-voter {plan.add_voter}: no such controller has registered ({_named(state.controllers)} have); "
                "start it as an observer first"
            )
        voters |= {plan.add_voter}
    return voters


def _named(ids: Collection[int]) -> str:
    return ", ".join(map(str, sorted(ids))) or "none"


def _holds(alive: int, voters: int) -> bool:
    """Check whether so many voters, of so many, are a majority, by the model."""
    some = SetOf(Int(0, voters))
    condition = is_majority_of(const(frozenset(range(alive)), some), const(frozenset(range(voters)), some))
    return bool(evaluate(condition, {}))
