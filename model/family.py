"""Families: models that depend on a release of Kafka, with parts that an instance may leave out.

Behaviours replace whole actions; where a release changes one clause in the middle of many effects, a model is better
built: a family is the function that builds it from the ids of behaviours.toml that a release has, and from the parts
that are wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from ..specs import releases
from ..specs.behaviours import BEHAVIOURS
from ..specs.errors import IsrproofError
from ..specs.machines import machine
from ..specs.releases import Release
from .action import Action
from .errors import unknown
from .protocol import Behaviour, Model


@dataclass(frozen=True)
class Part:
    """A part of the system that an instance may have or leave out.

    `usual`: instances have it by default; `needs`: the parts that come with it.
    """

    name: str
    statement: str
    usual: bool = False
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chosen:
    """The release, behaviours and parts that a model of a family is built for.

    * `behaviours`: ids of behaviours.toml: the release's own, without those left out and with those added.
    * `parts`: names of the parts it has.
    """

    release: Release
    behaviours: frozenset[str]
    parts: frozenset[str]

    def has(self, behaviour: str) -> bool:
        """Check whether a behaviour is on."""
        if behaviour not in BEHAVIOURS:
            raise unknown("behaviour", behaviour, BEHAVIOURS)
        return behaviour in self.behaviours

    def before(self, release: str) -> bool:
        """Check whether the release is older than another."""
        return not self.release.mask & releases.span(f">={release}")

    def previous(self, table: str, target: str) -> tuple[str, ...]:
        """The valid previous states of a target in a table of specs/machines, as these behaviours have it."""
        return machine(table).previous_with(target, self.behaviours)


@dataclass(frozen=True)
class Family:
    """Models by release.

    * `releases`: the mask of releases that it has rows for.
    * `behaviours`: the ids of behaviours.toml that its models depend on.
    * `beyond`: known bugs that its models cannot express, with the reason.
    * `owners`: field -> its holder (a field without one only bounds the search); `actor`: gives the actor of a step.
    """

    name: str
    statement: str
    releases: int
    behaviours: tuple[str, ...]
    parts: tuple[Part, ...]
    build: Callable[[Chosen], Model]
    beyond: tuple[tuple[str, str], ...] = ()
    owners: Mapping[str, str] = field(default_factory=dict)
    actor: Callable[[Action], str] = field(default=lambda action: "the system")

    def chosen(self, release: str | None = None, without: Iterable[str] = (), adding: Iterable[str] = ()) -> Chosen:
        """Return what a model is built for: see `model`."""
        row, without = self.release(release), tuple(without)
        on = set(row.behaviours)
        parts = {each.name for each in self.parts if each.usual}
        known = (*self.behaviours, *(each.name for each in self.parts))
        for name in without:
            if name not in known:
                raise unknown("behaviour or part", name, known, self.name)
            on.discard(name)
            parts.discard(name)
        for name in adding:
            if name not in known:
                raise unknown("behaviour or part", name, known, self.name)
            (on if name in self.behaviours else parts).add(name)
        for each in self.parts:
            for need in each.needs if each.name in parts else ():
                if need in without:
                    raise IsrproofError(f"{each.name!r} needs the part {need!r}; leave out both, or neither")
                parts.add(need)
        return Chosen(row, frozenset(on), frozenset(parts))

    def model(self, release: str | None = None, without: Iterable[str] = (), adding: Iterable[str] = ()) -> Model:
        """The model of a release, by default of the newest one.

        Args:
            without: behaviours and parts that are left out.
            adding: behaviours and parts that the release, or a usual instance, does not have.

        Raises:
            UnknownNameError: no such release, behaviour or part.
            IsrproofError: the family has no row for the release, or a part is left out that another needs.
        """
        without, adding = tuple(without), tuple(adding)
        chosen = self.chosen(release, without, adding)
        row, on, parts = chosen.release, chosen.behaviours, chosen.parts
        named = (*(f"without {each}" for each in without), *(f"with {each}" for each in adding))
        model = self.build(chosen)
        return replace(
            model,
            name=" ".join((f"{self.name}-{row.name}", *named)),
            statement=f"{self.statement.rstrip('.')}, Kafka {row.name}.",
            behaviours=tuple(_known(each) for each in self.behaviours if each in on),
            left_out=tuple(f"{each.name} ({each.statement})" for each in self.parts if each.name not in parts),
        )

    def release(self, name: str | None = None) -> Release:
        """The row of a release, by default the newest."""
        row = releases.latest(self.releases) if name is None else releases.release(name)
        if not row.mask & self.releases:
            raise IsrproofError(
                f"the model {self.name} has no row for Kafka {row.name}; expected a release of "
                f"{releases.names(self.releases)}"
            )
        return row


def _known(id: str) -> Behaviour:
    return Behaviour(id, BEHAVIOURS[id].meaning, cites=BEHAVIOURS[id].also)


def of_table(table: str, chosen: Chosen) -> Mapping[str, tuple[str, ...]]:
    """For each state of a table the states from which it may be entered."""
    return {each.name: chosen.previous(table, each.name) for each in machine(table).states_in(chosen.release)}
