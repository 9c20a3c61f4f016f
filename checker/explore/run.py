"""Exploring an instance: the verdicts of its properties, the counts, and the paths that show them.

>>> from isrproof.checker.explore.run import explore
>>> result = explore("kip101", replicas=2, max_leader_epoch=1, log_size=1)
>>> result.verdict, result.distinct
('violated', 631)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from ...model.catalogue import model as model_named
from ...model.errors import SortError
from ...model.property import Property
from ...model.protocol import Model
from ...model.sorts import canonical
from ...model.step import Reference, State
from ..memory import peak_mb
from .generate import build_masks
from .packing import packed
from .program import Program, program
from .report import text_report
from .result import NO_DEADLOCK, TYPE_OK, ActionCounts, Decided, Exploration, overall
from .search import ALL_DECIDED, EVERYWHERE, Ends, Found, Hit, Limits, Progress, Search
from .symmetry import Orbits, orbits, refuse_if_broken, why_broken
from .trace import EngineError, Hop, Path, Step, check, replay, replay_orbits
from .vacuity import vacuous


class Searching(Protocol):
    """A search over a program that can then show how it reached a state."""

    def run(
        self,
        initial: int,
        ends: Ends = EVERYWHERE,
        orbits: Orbits | None = None,
        progress: Progress | None = None,
    ) -> Found:
        """All that is reached from a packed initial state."""

    def packed(self, state: int) -> int:
        """Return the packed integer of a state that the search reports."""

    def trail(self, state: int) -> list[tuple[int, int]]:
        """The states on the way to one, after the initial state, each with its move."""

    def after(self, state: int, move: int) -> int:
        """The packed state after a step from a packed one."""


def explore(
    model: Model | str,
    properties: Iterable[str | Property] | str | Property | None = None,
    *,
    symmetry: bool | None = None,
    limits: Limits | None = None,
    until_decided: bool = False,
    deadlock: bool = False,
    coverage: bool = False,
    vacuity: bool = False,
    progress: Progress | None = None,
    **settings: int,
) -> Exploration:
    """Search all reachable states of an instance, breadth first.

    Args:
        settings: of the instance, by name; what is not given has its default.
        others: see `explore_instance`.

    Raises:
        ModelError: unknown names, wrong settings, a model that the explorer cannot store, symmetry that is broken.
    """
    return explore_instance(
        model,
        settings,
        properties,
        symmetry=symmetry,
        limits=limits,
        until_decided=until_decided,
        deadlock=deadlock,
        coverage=coverage,
        vacuity=vacuity,
        progress=progress,
    )


def explore_instance(
    model: Model | str,
    settings: Mapping[str, int],
    properties: Iterable[str | Property] | str | Property | None = None,
    *,
    symmetry: bool | None = None,
    limits: Limits | None = None,
    until_decided: bool = False,
    until_violated: bool = False,
    deadlock: bool = False,
    coverage: bool = False,
    vacuity: bool = False,
    progress: Progress | None = None,
    engine: Callable[[Program], Searching] = Search,
) -> Exploration:
    """Search all reachable states of an instance, breadth first.

    Args:
        settings: by name; what is not given has its default.
        properties: names or properties; all that the model promises if None. Asking for a property of ghost fields
            turns these on.
        symmetry: search one state per orbit of interchangeable elements; None: where that is sound, and decides all.
        limits: the point at which to stop unfinished; a property that is not decided by then is *unknown*.
        until_decided: stop as soon as every property is decided; counts are then partial, and TypeOk is a result only
            if it is violated by then; where it is asked for, all states are searched.
        until_violated: stop after the level on which the first property is violated.
        deadlock: a state without successor is a violation, unless only a limit of the model forbids a step there.
        coverage: count per clause how often it alone forbade a step; in memory only.
        vacuity: look whether a property that holds says anything; in memory only.
        engine: the search of a program: in memory, or a `SparkSearch`.

    Raises:
        ModelError: unknown names, wrong settings, a model that the explorer cannot store, symmetry that is broken.
    """
    started = time.perf_counter()
    chosen = model_named(model) if isinstance(model, str) else model
    chosen, wanted, left_out = select(chosen, properties)
    instance = replace(chosen, properties=tuple(wanted)).instance(**settings)
    reference = Reference(instance)
    translated = program(instance, wanted)
    search = engine(translated)
    found_orbits = _orbits(translated, symmetry, wanted, coverage)
    symmetric = found_orbits is not None
    initial = translated.packing.pack(reference.initial())
    decided_at = until_decided and not _asks_for(TYPE_OK, properties)  # that takes all states
    ends = Ends(limits or Limits(), decided=decided_at, violated=until_violated)
    found = search.run(initial, ends, found_orbits, progress)
    paths = _Paths(search, translated, reference, found_orbits)
    decided = [
        _decide(prop, found, found.hits.get(index), paths)
        if prop.goal is None
        else _leads(prop, index, found, search, translated, reference, symmetric)
        for index, prop in enumerate(wanted)
    ]
    if vacuity:
        decided = [_with_vacuity(each, translated, search) for each in decided]
    if found.overflow is not None or found.stopped != ALL_DECIDED:
        decided.append(_decide(TYPE_OK, found, found.overflow, paths))
    if deadlock:
        dead = found.first_deadlock
        hit = None if dead is None else Hit(-1, dead, None, 0)
        decided.append(_decide(NO_DEADLOCK, found, hit, paths))
    return Exploration(
        instance=instance,
        verdict=overall(each.verdict for each in decided),
        properties=tuple(decided),
        distinct=found.distinct,
        generated=found.generated,
        depth=found.depth,
        deadlocks=found.deadlocks,
        at_bound=found.at_bound,
        levels=tuple(found.levels),
        coverage=_coverage(translated, found, search, coverage),
        left_out=left_out,
        stopped=found.stopped,
        orbits=found.searched if symmetric else None,
        seconds=time.perf_counter() - started,
        peak_mb=peak_mb(),
    )


def _orbits(translated: Program, symmetry: bool | None, wanted: Iterable[Property], coverage: bool) -> Orbits | None:
    """The orbits to search one state of each; None: all states are searched.

    A leads-to property, and the counts of clauses, need all states.
    """
    if symmetry:
        refuse_if_broken(translated.packing)
    elif (
        symmetry is False
        or coverage
        or any(each.goal is not None for each in wanted)
        or why_broken(translated.packing) is not None
    ):
        return None
    return orbits(translated.packing)


def select(
    model: Model, properties: Iterable[str | Property] | str | Property | None
) -> tuple[Model, list[Property], tuple[str, ...]]:
    """The properties to check, the model with the ghosts they need, and the names left out by default."""
    if properties is None:
        wanted = [each for each in model.properties if each.name not in model.suspended]
        return model, wanted, tuple(each.name for each in model.properties if each.name in model.suspended)
    if isinstance(properties, str | Property):
        properties = [properties]
    names = []
    for each in properties:
        if isinstance(each, Property):
            names.append(each)
        elif each != TYPE_OK.name:
            names.append(model.property(each))
    return model.watching_for(names), names, ()


def _asks_for(prop: Property, properties: Iterable[str | Property] | str | Property | None) -> bool:
    return prop.name == properties or (not isinstance(properties, str | Property) and prop.name in (properties or ()))


class _Paths:
    """Paths to states of a finished search."""

    def __init__(self, search: Searching, program: Program, reference: Reference, orbits: Orbits | None) -> None:
        self.search, self.program, self.reference, self.orbits = search, program, reference, orbits

    def to(self, hit: Hit, overflow: bool) -> Path:
        """The path to a state, or to the step from it, executed by the reference."""
        trail = self.search.trail(hit.state)
        known = [self.search.packed(state) for state, _ in trail]
        if self.orbits is not None:
            return self._by_orbits(known, hit, self.orbits)
        states: list[int | None] = [*known]
        moves = [move for _, move in trail]
        if hit.move is not None:
            moves.append(hit.move)
            states.append(None if overflow else self.search.after(self.search.packed(hit.state), hit.move))
        hops = []
        for move, state in zip(moves, states, strict=True):
            each = self.program.moves[move]
            hops.append(Hop(each.action.name, each.binding, state))
        return replay(self.reference, hops, self.program.packing.pack)

    def _by_orbits(self, states: list[int], hit: Hit, orbits: Orbits) -> Path:
        packing = self.program.packing

        def representatives(states: Sequence[State]) -> list[int]:
            words = orbits.representatives(packing.words(*map(packing.pack, states)))
            return [packed(words, row) for row in range(len(states))]

        path = replay_orbits(self.reference, states, representatives)
        if hit.move is None:
            return path
        return self._last_step(path, hit)

    def _last_step(self, path: Path, hit: Hit) -> Path:
        """The path with one more step of the hit's action by which its property is decided."""
        name = self.program.moves[hit.move or 0].action.name
        for taken in self.reference.successors(path.states[-1]):
            if taken.action != name:
                continue
            if hit.prop < 0:
                decides = bool(taken.overflows)
            else:
                prop = self.program.properties[hit.prop]
                decides = self.reference.holds(prop, path.states[-1], taken.state) == (prop.kind == "sometimes")
            if decides:
                pairs = zip(self.reference.names, path.states[-1], taken.state, strict=True)
                changes = {each: (old, new) for each, old, new in pairs if old != new}
                step = Step(taken.action, taken.params, changes)
                return path._replace(states=(*path.states, taken.state), steps=(*path.steps, step))
        return path


def _decide(prop: Property, found: Found, hit: Hit | None, paths: _Paths) -> Decided:
    sometimes = prop.kind == "sometimes"
    if hit is not None:
        path = paths.to(hit, overflow=prop is TYPE_OK)
        if prop is TYPE_OK:
            return Decided(prop, "violated", path, out_of_range(path))
        if prop is not NO_DEADLOCK:
            check(paths.reference, prop, path)
        return Decided(prop, "holds" if sometimes else "violated", path)
    if found.stopped is not None:
        return Decided(prop, "unknown", reason=f"the search stopped at {found.stopped}")
    if sometimes:
        return Decided(prop, "violated", reason="not met in any reachable state")
    return Decided(prop, "holds")


def _with_vacuity(decided: Decided, program: Program, search: Searching) -> Decided:
    if decided.verdict != "holds" or not isinstance(search, Search):
        return decided
    return decided._replace(vacuous=vacuous(decided.prop, program, search))


def _leads(
    prop: Property, index: int, found: Found, search: Searching, program: Program, reference: Reference, symmetry: bool
) -> Decided:
    """Decide a leads-to property on the graph of a finished search: an orbit hides which replica a step is of."""
    if symmetry:
        return Decided(prop, "unknown", reason="decided only without symmetry")
    if found.stopped is not None:
        return Decided(prop, "unknown", reason=f"the search stopped at {found.stopped}")
    if not isinstance(search, Search):
        return Decided(prop, "unknown", reason="decided only in memory, without --master")
    from .liveness import counterexample

    lasso = counterexample(prop, index, search, program, reference)
    return Decided(prop, "holds") if lasso is None else Decided(prop, "violated", lasso)


def out_of_range(path: Path) -> str:
    """Return the value that the last step of a path stores and that its field cannot hold, in words."""
    settings = path.instance.settings
    for name, (_, value) in path.steps[-1].changes.items():
        try:
            canonical(value, path.sort(name), settings)
        except SortError as error:
            where = ", ".join(f"{each}={number}" for each, number in settings.items())
            return f"{path.steps[-1].action} overflows field {name}: {error}{f' ({where})' if where else ''}"
    raise EngineError("the reference finds every value of the last state within its range")


def _coverage(program: Program, found: Found, search: Searching, clauses: bool) -> tuple[ActionCounts, ...]:
    taken: dict[str, int] = {each.name: 0 for each in program.instance.model.actions}
    for move, count in zip(program.moves, found.taken, strict=True):
        taken[move.action.name] += count
    alone = alone_false(search, program) if clauses and isinstance(search, Search) else {}
    return tuple(ActionCounts(name, count, alone.get(name)) for name, count in taken.items())


def alone_false(search: Search, program: Program) -> dict[str, dict[str, int]]:
    """Per action and clause: over all reachable states and parameters, how often that clause alone was false."""
    counts: dict[str, dict[str, int]] = {}
    labels: list[tuple[str, str]] = []
    nodes: list[int] = []
    for move in program.moves:
        mine = counts.setdefault(move.action.name, {})
        for label, node in move.clauses:
            mine.setdefault(label, 0)
            others = [each for other, each in move.clauses if other != label]
            alone = program.scalars.both(program.scalars.invert(node), *others)
            if alone != program.scalars.false:
                labels.append((move.action.name, label))
                nodes.append(alone)
    masks = build_masks(program, nodes)
    for low in range(0, search.table.count, search.chunk):
        high = min(low + search.chunk, search.table.count)
        for (action, label), mask in zip(labels, masks([word[low:high] for word in search.table.words]), strict=True):
            counts[action][label] += int(mask.sum())
    return counts


def assert_holds(
    model: Model | str,
    properties: Sequence[str | Property] | None = None,
    *,
    symmetry: bool | None = None,
    **settings: int,
) -> Exploration:
    """Explore for a test, and fail with the counterexample printed unless every property holds.

    Raises:
        AssertionError: a property is violated or unknown.
    """
    result = explore_instance(model, settings, properties, symmetry=symmetry)
    if result.verdict != "holds":
        raise AssertionError("\n" + text_report(result))
    return result
