"""The state of the model `kraft` as records of a metadata log show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from ....model.expr import Expr
from ....model.kraft.change import REASSIGNMENT, UNCLEAN
from ....model.kraft.kraft import KRAFT
from ....model.protocol import Instance
from ....model.sorts import Value
from ....model.step import Reference
from ....specs.releases import RELEASES
from .guards import guard_of


@cache
def instance(brokers: int, release: str | None = None) -> Instance:
    """Return the model of a release, by default of the newest, with all steps that would help a partition."""
    model = KRAFT.model(release, adding=(UNCLEAN, REASSIGNMENT))
    settings = {each.name: each.default for each in model.settings} | {"brokers": brokers}
    return Instance(model, settings)


def guard(brokers: int, step: str, release: str | None = None) -> dict[str, Expr]:
    return guard_of(instance(brokers, release), step)


def state(brokers: int, values: Mapping[str, Value], release: str | None = None) -> dict[str, Value]:
    """Return a state of the model: what no record shows is as it was at first."""
    reference = Reference(instance(brokers, release))
    return {**reference.env(reference.initial()), **values}


def indices(ids: Sequence[int], named: Iterable[int]) -> frozenset[int]:
    """Return the brokers of the model that some ids are."""
    return frozenset(ids.index(each) for each in named if each in ids)


def releases_at(mask: int) -> list[str]:
    """Return the newest of the releases of a mask for each model that differs, the newest first."""
    newest: dict[frozenset[str], str] = {}
    for row in reversed(RELEASES):
        if row.mask & mask & KRAFT.releases:
            newest.setdefault(frozenset(row.behaviours) & {*KRAFT.behaviours}, row.name)
    return [*newest.values()]
