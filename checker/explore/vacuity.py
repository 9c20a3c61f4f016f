"""Properties that hold and say nothing: the premise is never true, or no state of the sorts could break them."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from typing import Any

from ...model.evaluate import closure
from ...model.expr import Expr, Op, both, either, exists, free
from ...model.property import Property
from ...model.sorts import (
    SCALARS,
    BySort,
    MapSort,
    OptionSort,
    RecordSort,
    SeqSort,
    SetSort,
    Settings,
    Sort,
    Value,
    elements,
    resolve,
)
from .flat import clauses
from .flatten import Flattener
from .generate import build_masks
from .program import Program, effect, guarded
from .search import Search

NO_PREMISE = "its premise is true in no state that is reached"
NO_STEP = "its premise is true for no step that is taken"
ALWAYS_TRUE = "it is true in every state of the sorts, whatever the steps are"

MOST_DRAWN, MOST_LISTED = 300, 5_000
"""The number of random states in which a property is evaluated; and of states that are all looked at after that."""


def vacuous(prop: Property, program: Program, search: Search) -> str:
    """Return the reason why a property that holds in all states of a finished search says nothing; else ""."""
    if prop.kind not in ("always", "step"):
        return ""
    premise = _premise(prop)
    if premise is not None and not _is_ever_true(premise, program, search):
        return NO_STEP if prop.needs_after else NO_PREMISE
    return ALWAYS_TRUE if _is_always_true(prop, program.instance.settings) else ""


def _premise(prop: Property) -> Expr | None:
    """Return the condition under which a property claims something; None if it always does."""
    found = []
    for clause in clauses(prop.condition):
        if not clause.conditions or clause.conclusion.op is Op.CONST:  # it claims that its premise is never true
            return None
        premise = both(*clause.conditions)
        for bound in reversed(clause.variables):
            premise = exists(bound, premise)
        found.append(premise)
    return either(*found)


def _is_ever_true(premise: Expr, program: Program, search: Search) -> bool:
    flat = Flattener(program.packing, program.scalars)
    if any(leaf.op is Op.AFTER for leaf in free(premise)):
        nodes = []
        for move in guarded(flat, program.instance):
            flat.step(effect(flat, move).after)
            nodes.append(program.scalars.both(move.guard, flat.truth(premise, {})))
    else:
        nodes = [flat.truth(premise, {})]
    nodes = [each for each in nodes if each != program.scalars.false]
    if not nodes:
        return False
    masks = build_masks(program, nodes)
    table = search.table
    for low in range(0, table.count, search.chunk):
        words = [word[low : min(low + search.chunk, table.count)] for word in table.words]
        if any(mask.any() for mask in masks(words)):
            return True
    return False


def _is_always_true(prop: Property, settings: Settings) -> bool:
    """Check that no state, or pair of states, of the sorts breaks a property; False if they are too many to look at."""
    holds = closure(prop.condition)
    leaves = sorted({leaf for leaf in free(prop.condition) if leaf.op in (Op.FIELD, Op.AFTER)}, key=repr)
    names = [f"{leaf.data}'" if leaf.op is Op.AFTER else str(leaf.data) for leaf in leaves]
    dice = random.Random(0)

    def is_true(values: Any) -> bool:
        return bool(holds({**settings, **dict(zip(names, values, strict=True))}))

    drawn = ([_drawn(leaf.sort, settings, dice) for leaf in leaves] for _ in range(MOST_DRAWN))
    if not all(map(is_true, drawn)):
        return False
    if math.prod(_count(leaf.sort, settings) for leaf in leaves) > MOST_LISTED:
        return False
    return all(map(is_true, itertools.product(*(list(_listed(leaf.sort, settings)) for leaf in leaves))))


def _drawn(sort: Sort, settings: Settings, dice: random.Random) -> Value:
    return _DRAWN[type(sort)](sort, settings, dice)


def _count(sort: Sort, settings: Settings) -> int:
    return _COUNT[type(sort)](sort, settings)


def _listed(sort: Sort, settings: Settings) -> Iterator[Value]:
    return _LISTED[type(sort)](sort, settings)


def _length(sort: SeqSort, settings: Settings) -> int:
    return resolve(sort.capacity, settings)


def _listed_sets(sort: SetSort, settings: Settings) -> Iterator[Value]:
    members = elements(sort.element, settings)
    for size in range(len(members) + 1):
        yield from map(frozenset, itertools.combinations(members, size))


def _listed_maps(sort: MapSort, settings: Settings) -> Iterator[Value]:
    each = list(_listed(sort.value, settings))
    return itertools.product(each, repeat=len(elements(sort.key, settings)))


def _listed_sequences(sort: SeqSort, settings: Settings) -> Iterator[Value]:
    each = list(_listed(sort.element, settings))
    for length in range(_length(sort, settings) + 1):
        yield from itertools.product(each, repeat=length)


_DRAWN: BySort[Value] = BySort(
    {
        **dict.fromkeys(SCALARS, lambda sort, settings, dice: dice.choice(elements(sort, settings))),
        SetSort: lambda sort, settings, dice: frozenset(
            each for each in elements(sort.element, settings) if dice.random() < 0.5
        ),
        OptionSort: lambda sort, settings, dice: None if dice.random() < 0.3 else _drawn(sort.element, settings, dice),
        RecordSort: lambda sort, settings, dice: tuple(_drawn(inner, settings, dice) for _, inner in sort.fields),
        MapSort: lambda sort, settings, dice: tuple(
            _drawn(sort.value, settings, dice) for _ in elements(sort.key, settings)
        ),
        SeqSort: lambda sort, settings, dice: tuple(
            _drawn(sort.element, settings, dice) for _ in range(dice.randint(0, _length(sort, settings)))
        ),
    }
)
_COUNT: BySort[int] = BySort(
    {
        **dict.fromkeys(SCALARS, lambda sort, settings: len(elements(sort, settings))),
        SetSort: lambda sort, settings: 2 ** len(elements(sort.element, settings)),
        OptionSort: lambda sort, settings: 1 + _count(sort.element, settings),
        RecordSort: lambda sort, settings: math.prod(_count(inner, settings) for _, inner in sort.fields),
        MapSort: lambda sort, settings: _count(sort.value, settings) ** len(elements(sort.key, settings)),
        SeqSort: lambda sort, settings: sum(
            _count(sort.element, settings) ** length for length in range(_length(sort, settings) + 1)
        ),
    }
)
_LISTED: BySort[Iterator[Value]] = BySort(
    {
        **dict.fromkeys(SCALARS, lambda sort, settings: iter(elements(sort, settings))),
        SetSort: _listed_sets,
        OptionSort: lambda sort, settings: itertools.chain((None,), _listed(sort.element, settings)),
        RecordSort: lambda sort, settings: itertools.product(
            *(list(_listed(inner, settings)) for _, inner in sort.fields)
        ),
        MapSort: _listed_maps,
        SeqSort: _listed_sequences,
    }
)
