"""A run of a model as the logs that its brokers write: a random one, or the counterexample of a property."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...model.errors import ModelError
from ...model.protocol import Instance
from ...model.step import Reference, State
from ...specs.lines import STATE_CHANGE, rows
from ...specs.machines import LEVELS
from ...specs.releases import Release
from ...traces.events.render import render
from ..explore.run import explore_instance
from ..replacing import replacing
from .names import Names
from .written import Writer

START, STEP, LINE = 1_600_000_000_000, 1_000, 1
"""When the log begins, and how far steps and lines are apart: milliseconds."""

_FILES = {STATE_CHANGE: "state-change", "kafka.controller": "controller"}


@dataclass(frozen=True)
class Taken:
    """A step of a run."""

    action: str
    params: Mapping[str, object]
    before: State
    after: State


@dataclass(frozen=True)
class Place:
    """Where a line of the run is: broker-N/state-change.log:12."""

    file: str
    line: int


@dataclass(frozen=True)
class Log:
    """The lines of a run by file, and for each step where its lines are (none: they are below the level)."""

    files: Mapping[str, Sequence[str]]
    steps: Sequence[tuple[Taken, Sequence[Place]]]


def random_run(instance: Instance, seed: int, steps: int) -> list[Taken]:
    """A run of at most `steps` steps; each kind of step is as likely as any other that can be taken."""
    dice, reference = random.Random(seed), Reference(instance)
    kinds = [action.name for action in instance.model.actions]
    state, run = reference.initial(), []
    for _ in range(steps):
        in_turn = (_steps(reference, state, kind) for kind in dice.sample(kinds, len(kinds)))
        can = next((found for found in in_turn if found), None)
        if can is None:
            break
        run.append(dice.choice(can))
        state = run[-1].after
    return run


def _steps(reference: Reference, state: State, action: str) -> list[Taken]:
    """The steps of an action that keep within the instance's bounds."""
    found = reference.steps(state, action)
    return [Taken(each.action, each.params, state, each.state) for each in found if not each.overflows]


def counterexample(instance: Instance, prop: str) -> list[Taken] | None:
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
    return [Taken(step.action, step.params, before, after) for step, before, after in pairs]


def log_of(instance: Instance, run: Sequence[Taken], release: Release, level: str, names: Names) -> Log:
    """The logs of a run as a release prints them at a level of state.change.logger; controller.log is whole.

    Raises:
        ModelError: no step of the model prints anything.
        IsrproofError: no such level; the release cannot print a line with the fields that it is given.
    """
    if level not in LEVELS:
        raise ModelError(f"unknown level {level!r}; expected one of {', '.join(LEVELS)}")
    writer = Writer(instance, release, names)
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
                    own.append(render(replace(event, ts=now, level=at), release.name))
                    places.append(Place(file, len(own)))
                    now += LINE
        steps.append((taken, tuple(places)))
        now += STEP
    return Log(files, steps)


def write(log: Log, folder: Path) -> list[Path]:
    """Writes the files below a folder, each under a temporary name first; returns their paths.

    Raises:
        ModelError: one of the files is there already.
    """
    paths = [folder / name for name in sorted(log.files)]
    for path in paths:
        if path.exists():
            raise ModelError(f"{path} is there already; choose another folder with --out, or remove it")
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        name = path.relative_to(folder).as_posix()
        with replacing(path) as fresh:
            fresh.write_text("".join(f"{line}\n" for line in log.files[name]), encoding="utf-8")
    return paths
