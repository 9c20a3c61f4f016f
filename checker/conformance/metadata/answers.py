"""Decide whether a step of the model writes a record, or what forbids the nearest step. Equal questions are asked
once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from .contexts import Choices, RecordContext, relations
from .projection import PartitionChange, PartitionRegistration, absent, state_of
from .relation import Candidate, Objection, State
from .steps import AFTER, of_change, of_creation, of_registration, untouched

_REMEMBERED = 1 << 16
_COMPARED = tuple(name for name in PartitionRegistration._fields if name != "partition_epoch")
_NO_STEP = Objection("no step", "no step writes such a record")


class _Question(NamedTuple):
    """The question whether a step leads from a state to another one, as far as some fields of it show."""

    step: Candidate
    state: State
    after: State


@lru_cache(_REMEMBERED)
def changes(written: PartitionChange, chosen: Choices) -> tuple[Objection, ...]:
    """Return what forbids a record that creates or changes a partition; nothing if a step writes it."""
    return _objections(written.at, chosen, list(_of_partition(written)))


def _of_partition(written: PartitionChange) -> Iterator[_Question]:
    names = _COMPARED if written.directories else PartitionRegistration._fields
    for before, after, offline in written.states:
        state = state_of(written, before, offline)
        known = {name: getattr(after, name) for name in names}
        steps = of_creation(after) if before is None else of_change(written, before, after, offline)
        for step in steps:  # a record that comes after this one is what changes the registration
            there = {} if step.action in AFTER else {"registration": written.registrations}
            yield _Question(step, state, {**known, **there})


@lru_cache(_REMEMBERED)
def registers(step: str, was: str, now: str, at: RecordContext, chosen: Choices) -> tuple[Objection, ...]:
    """Return what forbids that a broker's registration becomes another one."""
    state = state_of(PartitionChange(at, None, (was,), ()), absent(1), frozenset())
    return _objections(at, chosen, [_Question(each, state, {"registration": (now,)}) for each in of_registration(step)])


@lru_cache(_REMEMBERED)
def leaves(step: str, broker: int, written: PartitionChange, chosen: Choices) -> tuple[Objection, ...]:
    """Return what forbids that a step about a broker leaves a partition as it is: it should have changed it."""
    ((seen, _, offline),) = written.states
    if seen is None:
        return ()
    state = state_of(written, seen, offline)
    steps = untouched(step, broker, seen, written.registrations)
    return _objections(written.at, chosen, [_Question(each, state, seen._asdict()) for each in steps])


def _objections(at: RecordContext, chosen: Choices, questions: Sequence[_Question]) -> tuple[Objection, ...]:
    for relation in relations(at, chosen):
        for each in questions:
            if relation.has(each.step) and not relation.objections(each.step, each.state, each.after, 1):
                return ()
    tried: list[Sequence[Objection]] = [
        relation.objections(each.step, each.state, each.after)
        for relation in relations(at, chosen)
        for each in questions
        if relation.has(each.step)
    ]
    found: Sequence[Objection] = min(tried, key=_distance) if tried else [_NO_STEP]
    return tuple(found)


def _distance(objections: Sequence[Objection]) -> tuple[int, int]:
    """Return the distance of a step from the record: first in what it writes, then in its guard."""
    return sum(each.written for each in objections), len(objections)
