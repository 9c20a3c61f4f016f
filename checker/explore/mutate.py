"""Guard necessity: each guard clause is dropped, one at a time; which property breaks without it?

A clause that no property needs is a waiver: the model says beside it why it may stay. Limits are not dropped, they only
keep the search finite. What is found is true of the instances searched; a clause that nothing needs there may be needed
in a larger one.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...model.action import Action, Clause
from ...model.errors import ModelError
from ...model.protocol import Model
from .result import Exploration
from .run import explore_instance, select
from .search import Limits

Instances = tuple[Mapping[str, int], ...]


def _instances(*constants: str) -> Instances:
    """Settings of replication models, written replicas/log size/records/last leader epoch."""
    names = ("replicas", "log_size", "max_records", "max_leader_epoch")
    return tuple(dict(zip(names, map(int, each.split("/")), strict=True)) for each in constants)


# Smallest first: most clauses are decided by the first.
INSTANCES = _instances("2/2/2/2", "3/1/1/2", "3/2/2/2")

# An epoch more for what follows an unclean election or a crash, records more for logs that part below their ends.
OF_MODEL = {
    "unclean-election": _instances("2/2/2/2", "2/2/4/2", "3/1/1/2", "3/1/1/3", "3/2/2/3", "3/2/3/2"),
    "kip966": _instances("2/2/2/2", "2/2/4/2", "3/1/1/2", "3/1/1/3", "3/2/2/2", "3/2/3/2"),
}


def instances_of(model: Model) -> Instances:
    """Return the instances that are searched by default; for a model with other settings, its default instance."""
    known = {each.name for each in model.settings}
    return OF_MODEL.get(model.name, INSTANCES) if known >= set(INSTANCES[0]) else ({},)


@dataclass(frozen=True)
class Mutation:
    """The result without one clause."""

    action: str
    clause: Clause
    broken: Mapping[str, int]
    """Property -> the number of states of its shortest counterexample."""
    instance: Mapping[str, int] | None
    """The first instance in which a property breaks."""
    exploration: Exploration | None
    searched: Instances
    unfinished: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """needed, waived, or unknown (a search was cut off).

        Or the model is wrong: unexplained (nothing breaks, no waiver says why) or contradicted (waived, yet needed).
        """
        if self.broken:
            return "contradicted" if self.clause.waiver else "needed"
        if self.unfinished:
            return "unknown"
        return "waived" if self.clause.waiver else "unexplained"


def mutations(
    model: Model,
    properties: Iterable[str] | None = None,
    instances: Iterable[Mapping[str, int]] | None = None,
    limits: Limits | None = None,
    progress: Callable[[str], None] = lambda line: None,
    symmetry: bool | None = None,
    actions: Container[str] | None = None,
    left_out: Callable[[str], None] = lambda line: None,
) -> Iterator[Mutation]:
    """Drop each guard clause, and search the instances until a property breaks.

    Args:
        instances: settings, smallest first; those of `instances_of` if None.
        symmetry: search one state per orbit of interchangeable elements: the same breaks, on paths as short; None:
            where that is sound.
        actions: those whose clauses are dropped; all of them if None.
        left_out: is given a line on properties that break with no clause dropped: they show nothing.

    Raises:
        ModelError: unknown names; nothing is promised; all properties, or one that is asked for, break with no clause
            dropped.
    """
    model, wanted, _ = select(model, None if properties is None else list(properties))
    names = [each.name for each in wanted if each.kind in ("always", "step")]
    if not names:
        raise ModelError(
            f"{model.name} has no property that a step can break: it has only properties that are met or not met"
        )
    searched = instances_of(model) if instances is None else tuple(instances)
    for settings in searched:
        whole = explore_instance(model, settings, names, symmetry=symmetry, limits=limits)
        broken = {each.prop.name for each in whole.violations}
        if broken:
            names = [each for each in names if each not in broken]
            if properties is not None or not names:
                raise ModelError(f"{whole.instance.name} breaks {', '.join(sorted(broken))} with all clauses")
            left_out(f"left out: {', '.join(sorted(broken))}, which {whole.instance.name} breaks with all clauses")
    for action in model.actions:
        for clause in action.guard if actions is None or action.name in actions else ():
            progress(f"{action.name}: without {clause.label!r}")
            yield _mutation(model, action, clause, names, searched, limits, symmetry)


def _mutation(
    model: Model,
    action: Action,
    clause: Clause,
    names: list[str],
    instances: Instances,
    limits: Limits | None,
    symmetry: bool | None,
) -> Mutation:
    weaker = replace(action, guard=tuple(each for each in action.guard if each != clause))
    mutant = replace(model, actions=tuple(weaker if each.name == action.name else each for each in model.actions))
    unfinished = []
    for settings in instances:
        found = explore_instance(mutant, settings, names, symmetry=symmetry, limits=limits, until_violated=True)
        broken = {each.prop.name: each.path.length for each in found.violations if each.path}
        if broken:
            return Mutation(action.name, clause, broken, settings, found, instances)
        if found.stopped:
            unfinished.append(found.stopped)
    return Mutation(action.name, clause, {}, None, None, instances, tuple(unfinished))


def constants(settings: Mapping[str, int]) -> str:
    """`2/2/2/2`: the settings as their values."""
    return "/".join(str(each) for each in settings.values()) or "the model"


def line(mutation: Mutation) -> str:
    """One line of the report."""
    where = f"{mutation.action}: {mutation.clause.label!r}"
    broken = ", ".join(f"{name} ({length} states)" for name, length in mutation.broken.items())
    breaks = f"without it {constants(mutation.instance or {})} breaks {broken}"
    return {
        "needed": f"needed       {where}; {breaks}",
        "contradicted": f"CONTRADICTED {where}; {breaks}, but the model waives it: {mutation.clause.waiver}",
        "waived": f"waived       {where}; nothing breaks: {mutation.clause.waiver}",
        "unexplained": f"UNEXPLAINED  {where}; nothing breaks, and no waiver says why the clause stays",
        "unknown": f"unknown      {where}; searches stopped at {', '.join(mutation.unfinished)}",
    }[mutation.verdict]


def json_row(mutation: Mutation) -> dict[str, Any]:
    """One mutation as a JSON object."""
    return {
        "action": mutation.action,
        "clause": mutation.clause.label,
        "verdict": mutation.verdict,
        "broken": dict(mutation.broken),
        "instance": None if mutation.instance is None else dict(mutation.instance),
        "waiver": mutation.clause.waiver or None,
    }
