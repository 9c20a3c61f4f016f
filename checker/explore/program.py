"""An instance as scalar programs: for each action and choice of parameters a guard, new cells, and watches."""

from __future__ import annotations

import itertools
import math
from collections.abc import Container, Iterator, Mapping
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ...model.action import Action, disjuncts
from ...model.errors import DefinitionError
from ...model.expr import Expr
from ...model.property import Property
from ...model.protocol import Instance
from ...model.sorts import Value, elements
from .flatten import Flattener
from .packing import Bits, Cell, Fused, Optional, Packing, Rows, Sequence, scalar_range
from .scalars import Scalars

MOST_CHOICES = 4096  # of parameters, per action


class Watch(NamedTuple):
    """A condition that decides a property: the scalar node that is true where a state or step is worth reporting."""

    prop: int
    node: int


class Lead(NamedTuple):
    """The scalar nodes of a leads-to property: where it begins, and where it ends."""

    condition: int
    goal: int


@dataclass(frozen=True)
class Guarded:
    """One action with fixed parameters, and when it can be taken.

    * `guard`: true where the step can be taken; `clauses`: (label, node) of its limits and clauses.
    * `ways`: for each clause that is a disjunction, the nodes of its parts.
    """

    action: Action
    params: tuple[Value, ...]
    guard: int
    clauses: tuple[tuple[str, int], ...]
    ways: tuple[tuple[int, ...], ...]

    @property
    def binding(self) -> dict[str, Value]:
        return {str(param.data): value for param, value in zip(self.action.params, self.params, strict=True)}


class Effect(NamedTuple):
    """The effect of a step on the state: the fields after it as shapes, and a `Move`'s part of it."""

    after: dict[str, Any]
    writes: tuple[tuple[Cell, int], ...]
    overflow: int


@dataclass(frozen=True)
class Move(Guarded):
    """A guarded action with its effect on the state.

    * `writes`: (cell, new value); `overflow`: true where a new value is not in its field's range.
    """

    writes: tuple[tuple[Cell, int], ...]
    overflow: int
    watches: tuple[Watch, ...]


@dataclass(frozen=True)
class Program:
    """All moves of an instance, the watches that need one state only, and the leads-to properties by their place."""

    instance: Instance
    packing: Packing
    scalars: Scalars
    moves: tuple[Move, ...]
    properties: tuple[Property, ...]
    state_watches: tuple[Watch, ...]
    leads: Mapping[int, Lead] = field(default_factory=dict)


def program(instance: Instance, properties: Seq[Property]) -> Program:
    """Flatten an instance.

    A *sometimes* property is watched for the first state or step where it holds, the others for the first where they
    do not.

    Raises:
        DefinitionError: the instance is too large to be written out.
    """
    packing, scalars = Packing(instance), Scalars()
    flat = Flattener(packing, scalars)
    of_state: list[tuple[int, Property]] = []
    of_step: list[tuple[int, Property]] = []
    leads: dict[int, Lead] = {}
    for index, prop in enumerate(properties):
        if prop.goal is not None:
            leads[index] = Lead(flat.truth(prop.condition, {}), flat.truth(prop.goal, {}))
            continue
        (of_step if prop.needs_after else of_state).append((index, prop))

    def watched(prop: Property) -> int:
        holds = flat.truth(prop.condition, {})
        return holds if prop.kind == "sometimes" else scalars.invert(holds)

    moves = []
    for each in guarded(flat, instance):
        made = effect(flat, each)
        watches = []
        if of_step:
            flat.step(made.after)
            watches = [Watch(index, watched(prop)) for index, prop in of_step]
        kept = tuple(one for one in watches if one.node != scalars.false)
        moves.append(Move(**vars(each), writes=made.writes, overflow=made.overflow, watches=kept))
    state_watches = [Watch(index, watched(prop)) for index, prop in of_state]
    kept = tuple(each for each in state_watches if each.node != scalars.false)
    return Program(instance, packing, scalars, tuple(moves), tuple(properties), kept, leads)


def guarded(flat: Flattener, instance: Instance) -> Iterator[Guarded]:
    """The guard of each action with each choice of parameters, but for those that can never be taken.

    Raises:
        DefinitionError: an action has too many choices to be written out.
    """
    scalars = flat.s
    for action in instance.model.actions:
        ranges = [scalar_range(param.sort, instance.settings) or (0, 0) for param in action.params]
        choices = math.prod(hi - lo + 1 for lo, hi in ranges)
        if choices > MOST_CHOICES:
            raise DefinitionError(
                f"action {action.name} has {choices:,} choices of parameters in {instance.name}; the explorer writes "
                f"each out, at most {MOST_CHOICES:,}; choose smaller settings"
            )
    for action in instance.model.actions:
        domains = [elements(param.sort, instance.settings) for param in action.params]
        labelled = [(clause.label, disjuncts(clause.condition)) for clause in (*action.limits, *action.guard)]
        for params in itertools.product(*domains):
            binding: dict[Expr, Value] = dict(zip(action.params, params, strict=True))
            clauses, ways = [], []
            for label, parts in labelled:
                nodes = [flat.truth(part, binding) for part in parts]
                nodes = [node for node in nodes if node != scalars.false]
                clauses.append((label, scalars.either(*nodes)))
                if len(nodes) > 1:
                    ways.append(tuple(nodes))
                if not nodes:
                    break
            guard = scalars.both(*(node for _, node in clauses))
            if guard != scalars.false:
                yield Guarded(action, params, guard, tuple(clauses), tuple(ways))


def beyond_limits(program: Program) -> int:
    """Return the scalar node that is true where a step could be taken but for the limits of the model."""
    model = program.instance.model
    endless = tuple(replace(each, limits=()) for each in model.actions if each.limits)
    instance = replace(
        program.instance, model=replace(model, actions=endless, properties=(), ghosts=(), projections=())
    )
    flat = Flattener(program.packing, program.scalars)
    return program.scalars.either(*(each.guard for each in guarded(flat, instance)))


def effect(flat: Flattener, move: Guarded) -> Effect:
    """Return the effect of a move on the state."""
    scalars, binding = flat.s, dict(zip(move.action.params, move.params, strict=True))
    held = [node for _, node in move.clauses]
    after = {str(each.field.data): flat.flat(each.value, binding) for each in move.action.updates}
    writes: list[tuple[Cell, int]] = []
    overflows: list[int] = []
    for name, shape in after.items():
        _store(flat, flat.packing.shapes[name], shape, writes, overflows)
    overflows = [each for each in overflows if scalars.both(*held, each) != scalars.false]
    kept = ((cell, node) for cell, node in writes if node != scalars.cell(cell.index, cell.lo, cell.hi))
    return Effect(after, tuple(kept), scalars.either(*overflows))


def unwatched(program: Program, properties: Container[int]) -> Program:
    """The program without the watches of some properties; itself if it has none of theirs."""

    def rest(watches: tuple[Watch, ...]) -> tuple[Watch, ...]:
        return tuple(each for each in watches if each.prop not in properties)

    moves = tuple(replace(move, watches=rest(move.watches)) for move in program.moves)
    state_watches = rest(program.state_watches)
    if moves == program.moves and state_watches == program.state_watches:
        return program
    return replace(program, moves=moves, state_watches=state_watches)


def _store(f: Flattener, target: Any, shape: Any, writes: list[tuple[Cell, int]], overflows: list[int]) -> None:
    """Match a new value with the cells it goes to; values out of range are noted."""
    s = f.s
    if isinstance(target, Cell):
        node = shape
        if s.los[node] < target.lo:
            overflows.append(s.lt(node, s.const(target.lo)))
        if s.his[node] > target.hi:
            overflows.append(s.lt(s.const(target.hi), node))
        writes.append((target, node))
    elif isinstance(target, Bits):
        place = Bits(s.const(0), target.base, target.width)
        shape, _ = f.aligned(shape, place)
        if shape.base < target.base:
            outside = (1 << (target.base - shape.base)) - 1
            overflows.append(s.invert(s.eq(s.bit_and(shape.mask, s.const(outside)), s.const(0))))
            shape = f.counted_from(target.base, shape, target.width)
        _store(f, target.mask, shape.mask, writes, overflows)
    elif isinstance(target, Fused):
        code = shape.code
        if shape.base != target.base:
            is_none = s.eq(code, s.const(0))
            moved = s.add(code, s.const(shape.base - target.base))
            overflows.append(s.both(s.invert(is_none), s.lt(moved, s.const(1))))
            code = s.ite(is_none, s.const(0), moved)
        _store(f, target.code, code, writes, overflows)
    elif isinstance(target, Optional):
        _store(f, target.present, shape.present, writes, overflows)
        _store(f, target.value, shape.value, writes, overflows)
    elif isinstance(target, Rows):
        for part, new in zip(target.parts, shape.parts, strict=True):
            _store(f, part, new, writes, overflows)
    elif isinstance(target, Sequence):
        _store(f, target.length, shape.length, writes, overflows)
        for part, new in zip(target.items, shape.items, strict=True):
            _store(f, part, new, writes, overflows)
