"""A run of a model as the logs that its brokers write: a random one, or the counterexample of a property."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as File
from typing import Protocol

from ...model.errors import ModelError
from ...model.protocol import Instance
from ...model.step import Reference, State, Taken
from ...specs.lines import STATE_CHANGE, rows
from ...specs.machines import LEVELS
from ...specs.releases import Release
from ...traces.events.render import render
from ...traces.place import Place
from ..explore.run import explore_instance
from ..explore.trace import Path, Step
from ..replacing import replacing
from .moves import Moves
from .names import Names
from .written import Writer

START, STEP, LINE = 1_600_000_000_000, 1_000, 1
"""The time when the log begins, and the time between steps and between lines: milliseconds."""

_FILES = {STATE_CHANGE: "state-change", "kafka.controller": "controller"}


@dataclass(frozen=True)
class RunStep:
    """A step of a run."""

    action: str
    params: Mapping[str, object]
    before: State
    after: State


@dataclass(frozen=True)
class SimulatedLog:
    """The lines of a run by file, and for each step where its lines are (none: they are below the level)."""

    files: Mapping[str, Sequence[str]]
    steps: Sequence[tuple[RunStep, Sequence[Place]]]


class Taking(Protocol):
    """An object that takes the steps of an instance, one kind at a time: `model.step.Reference`, or `_Fast`."""

    def steps(self, state: State, action: str, /) -> Iterator[Taken]:
        """Every step of one kind from a state."""


def random_run(instance: Instance, seed: int, steps: int) -> list[RunStep]:
    """A run of at most `steps` steps; each kind of step is as likely as any other that can be taken."""
    reference = Reference(instance)
    return _drawn(instance, reference, reference.initial(), seed, steps)


def random_runs(instance: Instance, seeds: Iterable[int], steps: int) -> Iterator[list[RunStep]]:
    """The run that `random_run` draws for each seed. Guards are compiled first, which pays from some ten runs on.

    Raises:
        DefinitionError: the instance is more than a packed state has room for.
    """
    moves, reference = Moves(instance), Reference(instance)
    start = reference.initial()
    for seed in seeds:
        yield _drawn(instance, _Fast(moves, reference, start), start, seed, steps)


class _Fast:
    """The steps of a run's states, the guards compiled; the reference executes what is taken."""

    def __init__(self, moves: Moves, reference: Reference, start: State) -> None:
        self._moves, self._reference = moves, reference
        self._state, self._packed = start, moves.packing.pack(start)
        self._enabled = self._by_kind()

    def steps(self, state: State, action: str, /) -> Iterator[Taken]:
        """Every step of one kind from a state. States that differ little from the previous one are quick."""
        if state is not self._state:
            self._packed = self._moves.fields.replaced(self._packed, self._state, state)
            self._state = state
            self._enabled = self._by_kind()
        for move in self._enabled.get(action, ()):
            step = self._reference.take(state, action, self._moves.bindings[move])
            assert step is not None, "a guard holds here, but not in the reference"
            yield step

    def _by_kind(self) -> dict[str, list[int]]:
        """The moves that can be taken in the state, by the kind of their step."""
        found: dict[str, list[int]] = {}
        for move in self._moves.enabled(self._packed):
            found.setdefault(self._moves.all[move].action.name, []).append(move)
        return found


def _drawn(instance: Instance, taking: Taking, state: State, seed: int, steps: int) -> list[RunStep]:
    """A run drawn from the steps that can be taken from a state on, within the instance's bounds."""
    dice = random.Random(seed)
    kinds = [action.name for action in instance.model.actions]
    run: list[RunStep] = []
    for _ in range(steps):
        shuffled = dice.sample(kinds, len(kinds))
        in_turn = ([each for each in taking.steps(state, kind) if not each.overflows] for kind in shuffled)
        found = next((each for each in in_turn if each), None)
        if found is None:
            break
        step = dice.choice(found)
        run.append(RunStep(step.action, step.params, state, step.state))
        state = step.state
    return run


def counterexample(instance: Instance, prop: str) -> list[RunStep] | None:
    """A shortest run that breaks a property, or meets a *sometimes* property; None if there is none.

    Raises:
        ModelError: there is no such property.
    """
    found = explore_instance(instance.model, instance.settings, [prop], until_decided=True)[prop].path
    if found is None:
        return None
    watched = [each.name for each in found.instance.model.fields]
    of_model = [watched.index(each.name) for each in instance.model.fields]  # ghosts are written nowhere
    states = [tuple(state[at] for at in of_model) for state in found.states]
    pairs = zip(found.steps, states, states[1:], strict=False)
    return [RunStep(step.action, step.params, before, after) for step, before, after in pairs]


def path_of(instance: Instance, run: Sequence[RunStep]) -> Path:
    """The run as a path, with what each step changes."""
    names = [each.name for each in instance.model.fields]
    steps = []
    for each in run:
        pairs = zip(names, each.before, each.after, strict=True)
        changes = {name: (old, new) for name, old, new in pairs if old != new}
        steps.append(Step(each.action, each.params, changes))
    states = [each.before for each in run[:1]] + [each.after for each in run]
    return Path(instance, tuple(states), tuple(steps))


def log_of(instance: Instance, run: Sequence[RunStep], release: Release, level: str, names: Names) -> SimulatedLog:
    """The logs of a run as a release prints them at a level of state.change.logger; controller.log is whole.

    Raises:
        ModelError: no step of the model prints anything.
        IsrproofError: no such level; the release cannot print a line with the fields that it is given.
    """
    return log_by(Writer(instance, release, names), run, level)


def log_by(writer: Writer, run: Sequence[RunStep], level: str) -> SimulatedLog:
    """Return the logs as `log_of` does, by a writer made before for the instance and its release."""
    if level not in LEVELS:
        raise ModelError(f"unknown level {level!r}; expected one of {', '.join(LEVELS)}")
    files: dict[str, list[str]] = {}
    controllers: dict[int | None, int | None] = {}
    steps, now = [], START
    for number, taken in enumerate(run):
        places, file, shown = [], "", True
        for block in writer.blocks(taken.action, taken.params, taken.before, taken.after):
            for broker, event in block:
                row = rows()[event.row]
                if row.speaker == "controller" and event.controller_epoch is not None:
                    controllers[event.controller_epoch] = event.controller
                if row.speaker == "broker":  # the state has neither names of controllers nor numbers of requests
                    known = controllers.get(event.controller_epoch) if event.controller is None else event.controller
                    event = replace(event, correlation_id=number, controller=known)
                at = writer.level(event)
                if row.loggers:  # a stack trace is where its line is
                    of_states = row.family == STATE_CHANGE
                    file = f"broker-{broker}/{_FILES.get(row.family or '', 'server')}.log"
                    shown = not of_states or LEVELS.index(at or level) >= LEVELS.index(level)
                if shown:
                    own = files.setdefault(file, [])
                    own.append(render(replace(event, ts=now, level=at), writer.release.name))
                    places.append(Place(file, len(own)))
                    now += LINE
        steps.append((taken, tuple(places)))
        now += STEP
    return SimulatedLog(files, steps)


def write(log: SimulatedLog, folder: File) -> list[File]:
    """Write the files below a folder, each under a temporary name first; return their paths.

    Raises:
        ModelError: one of the files is there already.
    """
    paths = [folder / name for name in sorted(log.files)]
    for path in paths:
        if path.exists():
            raise ModelError(f"{path} exists already; choose another folder with --out, or remove it")
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        name = path.relative_to(folder).as_posix()
        with replacing(path) as fresh:
            fresh.write_text("".join(f"{line}\n" for line in log.files[name]), encoding="utf-8")
    return paths
