"""Models of the family that hold at a record: by release, metadata.version, features and configurations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from ....model.kraft.change import ELR, REASSIGNMENT, UNCLEAN, UNCLEAN_ASKED
from ....model.kraft.kraft import KRAFT
from ....specs.behaviours import BEHAVIOURS
from ....specs.releases import RELEASES
from ...audit.sources.metadata.fold import Fold
from ...audit.sources.metadata.state import BROKER, TOPIC, Cluster
from .relation import Relation

UNCLEAN_ELECTION = "unclean.leader.election.enable"
_ON_SHRINK = "KAFKA-15109"


class RecordContext(NamedTuple):
    """The conditions under which a record was written."""

    releases: int
    """The mask of the releases that its controller may run."""
    level: int
    """metadata.version."""
    elr: bool
    """The feature is on."""
    migrating: bool
    """The cluster migrates from ZooKeeper."""
    unclean: bool | None
    """The topic's elections may be unclean; None if no record shows it."""


class Choices(NamedTuple):
    """The user's choices: a release (its mask; 0: taken from the log), behaviours left out and added."""

    release: int = 0
    without: tuple[str, ...] = ()
    adding: tuple[str, ...] = ()


def context(fold: Fold, topic: str) -> RecordContext:
    """Return the context of a record about a topic, by its id, that is written now."""
    state = fold.state
    return RecordContext(fold.releases, state.level, state.elr, state.migrating, _unclean(state, topic))


def _unclean(state: Cluster, topic: str) -> bool | None:
    own = state.configs.get((TOPIC, state.names.get(topic, "")), {})
    configured = own.get(UNCLEAN_ELECTION, state.configs.get((BROKER, ""), {}).get(UNCLEAN_ELECTION))
    return None if configured is None else configured == "true"


def relations(at: RecordContext, chosen: Choices) -> Iterator[Relation]:
    """The models that may hold, each once, made when it is asked for; that of the newest release first."""
    return (_relation(*each) for each in _models(at, chosen))


Named = tuple[str, tuple[str, ...], tuple[str, ...]]
"""A model of the family: its release, what is left out and what is added."""


@cache
def _models(at: RecordContext, chosen: Choices) -> tuple[Named, ...]:
    releases = chosen.release or (at.releases & KRAFT.releases) or KRAFT.releases
    found: dict[frozenset[str], Named] = {}
    for unclean in (False, True) if at.unclean is None else (at.unclean,):
        for row in reversed(RELEASES):
            if row.mask & releases & KRAFT.releases:
                without, adding = _of(row.behaviours, at, unclean, chosen)
                key = frozenset({*row.behaviours, *adding} - set(without)) & {*KRAFT.behaviours, UNCLEAN}
                found.setdefault(key, (row.name, without, adding))
    return tuple(found.values())


def _of(
    behaviours: Iterable[str], at: RecordContext, unclean: bool, chosen: Choices
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is left out of the release's model, and what is added."""
    off = {id for id in KRAFT.behaviours if BEHAVIOURS[id].level > at.level and id in behaviours}
    if at.migrating:
        off.add(_ON_SHRINK)
    if not at.elr:
        off.add(ELR)
    parts = {REASSIGNMENT, UNCLEAN_ASKED, *({UNCLEAN} if unclean else ())}
    without = (off | set(chosen.without)) - set(chosen.adding)
    return tuple(sorted(without)), tuple(sorted((parts | set(chosen.adding)) - set(chosen.without)))


@cache
def _relation(release: str, without: tuple[str, ...], adding: tuple[str, ...]) -> Relation:
    return Relation(KRAFT.model(release, without, adding))
