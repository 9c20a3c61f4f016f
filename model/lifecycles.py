"""What an operator relies on in the life of a replica or partition under one controller, stated over the tables.

A life begins when a controller starts: an entity is not met yet, or the controller finds it and gives it a state
without a line (the table's seeds). From then on every change is a move of the table. A topic deletion is judged by
these rules: they say what may follow what, so a log that shows something else is wrong whatever the lines between were.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..specs.behaviours import behaviour
from ..specs.machines import Machine, machine
from ..specs.releases import Release
from .action import Action, Update, action, update
from .expr import Expr, after, const, false, field, ite
from .property import Kind, Property
from .protocol import Ghosts, Model, starts
from .sorts import Bool, Enum, SetOf
from .tables import state_of, table_model

fresh = field("fresh", Bool)
phase = field("phase", Enum("Phase", ("never", "deleted", "forgotten")))


@dataclass(frozen=True)
class Promise:
    """A property of a table's entities. A release without the states that it speaks of has nothing to keep.

    `promised`: whether the release means to keep it; else it shows what a release changed.
    """

    prop: Property
    promised: bool


def life_model(name: str, release: Release | str | None = None) -> Model:
    """The table of a release with the start of a controller, and with the phase of deletion remembered."""
    table = machine(name)
    row = table.release(release)
    model = table_model(name, row)
    state = state_of(table, row)
    moves = [replace(each, updates=(*each.updates, update(fresh, false))) for each in model.actions]
    found = [_finds(state, each.state) for each in table.seeds_in(row)]
    lived = replace(
        model,
        name=f"{name}-life-{row.name}",
        fields=(*model.fields, starts(fresh, True, "the controller has not met it yet")),
        actions=(*moves, *found),
        properties=(),
    )
    ghosts = Ghosts("deletion", (starts(phase, "never", "where its deletion stands"),), _phases(table, row))
    return replace(lived, ghosts=(ghosts,)).watching("deletion")


def promises(name: str, release: Release | str | None = None) -> tuple[Promise, ...]:
    """The promises about a table's entities in the states of a release."""
    table = machine(name)
    row = table.release(release)
    has = {each.name for each in table.states_in(row)}
    known = _REPLICA if name == "replica" else _PARTITION
    state = state_of(table, row)
    return tuple(
        Promise(
            Property(title, statement, form.condition(state), form.kind),
            title not in _ONLY_WITH or bool(behaviour(_ONLY_WITH[title]).releases & row.mask),
        )
        for title, statement, form in known
        if set(form.states) <= has
    )


def all_names(name: str) -> tuple[str, ...]:
    """The names of all promises about a table, whatever release keeps them."""
    return tuple(title for title, _, _ in (_REPLICA if name == "replica" else _PARTITION))


def _finds(state: Expr, target: str) -> Action:
    return action(
        f"Finds{target}",
        f"A controller that starts finds the entity and takes it to be {target}.",
        guard={"not met yet": fresh},
        updates={state: const(target, state.sort), fresh: false},
    )


def _phases(table: Machine, release: Release) -> Mapping[str, tuple[Update, ...]]:
    has = {each.name for each in table.states_in(release)}
    kind = table.name.capitalize()
    updates: dict[str, tuple[Update, ...]] = {
        f"ToNonExistent{kind}": (update(phase, ite(phase.eq("deleted"), const("forgotten", phase.sort), phase)),),
        f"ToNew{kind}": (update(phase, ite(phase.eq("forgotten"), const("never", phase.sort), phase)),),
    }
    if "ReplicaDeletionSuccessful" in has:
        updates["ToReplicaDeletionSuccessful"] = (update(phase, const("deleted", phase.sort)),)
    if kind == "Partition":
        updates["ToNonExistentPartition"] = (update(phase, const("forgotten", phase.sort)),)
    return updates


# The forms that promises have


@dataclass(frozen=True)
class _LeftOnlyTo:
    source: str
    targets: tuple[str, ...]
    kind: Kind = "step"

    @property
    def states(self) -> tuple[str, ...]:
        return (self.source, *self.targets)

    def condition(self, state: Expr) -> Expr:
        stays = after(state).eq(self.source)
        goes = const(frozenset(self.targets), SetOf(state.sort)).contains(after(state))
        return (~fresh & state.eq(self.source) & ~stays).implies(goes)


@dataclass(frozen=True)
class _EnteredOnlyFrom:
    target: str
    sources: tuple[str, ...]
    kind: Kind = "step"

    @property
    def states(self) -> tuple[str, ...]:
        return (self.target, *self.sources)

    def condition(self, state: Expr) -> Expr:
        came = const(frozenset((*self.sources, self.target)), SetOf(state.sort)).contains(state)
        return (~fresh & after(state).eq(self.target)).implies(came)


@dataclass(frozen=True)
class _OnlyInPhase:
    state: str
    allowed: tuple[str, ...]
    needs: tuple[str, ...]
    kind: Kind = "always"

    @property
    def states(self) -> tuple[str, ...]:
        return (self.state, *self.needs)

    def condition(self, state: Expr) -> Expr:
        return state.eq(self.state).implies(const(frozenset(self.allowed), SetOf(phase.sort)).contains(phase))


_ONLY_WITH = {"OfflineIsNotMarkedIneligible": "KAFKA-8237"}
"""Promises that end with a behaviour."""

_REPLICA = (
    (
        "DeletionStartedIsAnswered",
        "A started deletion ends in ReplicaDeletionSuccessful or ReplicaDeletionIneligible, in nothing else.",
        _LeftOnlyTo("ReplicaDeletionStarted", ("ReplicaDeletionSuccessful", "ReplicaDeletionIneligible")),
    ),
    (
        "SuccessfulIsForgotten",
        "A replica whose deletion succeeded becomes NonExistentReplica, nothing else.",
        _LeftOnlyTo("ReplicaDeletionSuccessful", ("NonExistentReplica",)),
    ),
    (
        "DeletedIsNotOnline",
        "After ReplicaDeletionSuccessful a replica is not online again before NonExistentReplica and then NewReplica.",
        _OnlyInPhase("OnlineReplica", ("never",), ("ReplicaDeletionSuccessful",)),
    ),
    (
        "DeletedIsNotOffline",
        "After ReplicaDeletionSuccessful a replica is not offline again before NonExistentReplica and then NewReplica.",
        _OnlyInPhase("OfflineReplica", ("never",), ("ReplicaDeletionSuccessful",)),
    ),
    (
        "IneligibleIsRevived",
        "A replica that is ineligible for deletion becomes OnlineReplica or OfflineReplica next: its deletion is never "
        "started again, or counted as done, while its broker is away.",
        _LeftOnlyTo("ReplicaDeletionIneligible", ("OnlineReplica", "OfflineReplica")),
    ),
    (
        "DeletionStartsOffline",
        "A deletion is started only for a replica that was stopped before: it is OfflineReplica.",
        _EnteredOnlyFrom("ReplicaDeletionStarted", ("OfflineReplica",)),
    ),
    (
        "SuccessNeedsAStart",
        "A deletion succeeds only after it was started.",
        _EnteredOnlyFrom("ReplicaDeletionSuccessful", ("ReplicaDeletionStarted",)),
    ),
    (
        "ForgottenOnlyWhenDeleted",
        "A replica is forgotten only after its deletion succeeded.",
        _EnteredOnlyFrom("NonExistentReplica", ("ReplicaDeletionSuccessful",)),
    ),
    (
        "NewIsNew",
        "A replica becomes NewReplica only from NonExistentReplica.",
        _EnteredOnlyFrom("NewReplica", ("NonExistentReplica",)),
    ),
    (
        "NonExistentIsReborn",
        "A replica that the controller has forgotten becomes NewReplica next.",
        _LeftOnlyTo("NonExistentReplica", ("NewReplica",)),
    ),
    (
        "OfflineIsNotMarkedIneligible",
        "An offline replica is never marked ineligible before its deletion was started.",
        _EnteredOnlyFrom("ReplicaDeletionIneligible", ("ReplicaDeletionStarted",)),
    ),
)

_PARTITION = (
    (
        "DeletedIsNotOnline",
        "After NonExistentPartition a partition is not online again before NewPartition.",
        _OnlyInPhase("OnlinePartition", ("never",), ()),
    ),
    (
        "DeletedIsNotOffline",
        "After NonExistentPartition a partition is not offline again before NewPartition.",
        _OnlyInPhase("OfflinePartition", ("never",), ()),
    ),
    (
        "ForgottenOnlyWhenOffline",
        "A partition is forgotten only when it is offline.",
        _EnteredOnlyFrom("NonExistentPartition", ("OfflinePartition",)),
    ),
    (
        "NewIsNew",
        "A partition becomes NewPartition only from NonExistentPartition.",
        _EnteredOnlyFrom("NewPartition", ("NonExistentPartition",)),
    ),
    (
        "NonExistentIsReborn",
        "A partition that does not exist becomes NewPartition next.",
        _LeftOnlyTo("NonExistentPartition", ("NewPartition",)),
    ),
    (
        "OnlineGoesOffline",
        "A partition that is online becomes OfflinePartition before anything else.",
        _LeftOnlyTo("OnlinePartition", ("OfflinePartition",)),
    ),
)
