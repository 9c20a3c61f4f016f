"""Promises that an operator relies on in the life of an entity of specs/machines, stated over the tables.

The life of a replica or partition under one controller begins when the controller starts: an entity is not met yet, or
the controller finds it and gives it a state without a line (the table's seeds). From then on every change is a move of
the table. A topic deletion is judged by these rules: they say what may follow what, so a log that shows something else
is wrong whatever the lines between were. A broker forgets its state when its process starts again, which may happen at
any time; a promise is about one process. A request that waits is answered once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..specs.behaviours import behaviour
from ..specs.machines import Machine, machine
from ..specs.releases import Release
from .action import Action, Update, action, update
from .expr import Expr, after, const, false, field, ite, true
from .property import Kind, Property
from .protocol import Ghosts, Model, starts
from .sorts import Bool, Enum, SetOf
from .tables import state_of, table_model

fresh = field("fresh", Bool)
phase = field("phase", Enum("Phase", ("never", "deleted", "forgotten")))


@dataclass(frozen=True)
class Promise:
    """A property of a table's entities. A release without the states that it speaks of has nothing to keep.

    `promised`: the release means to keep it; else it shows what a release changed, and `broken_in` is the
    number of states of a shortest path to that.
    """

    prop: Property
    promised: bool
    broken_in: int = 0


def life_model(name: str, release: Release | str | None = None) -> Model:
    """The table of a release with the start of its keeper; the controller's, with the phase of deletion remembered."""
    table = machine(name)
    row = table.release(release)
    model = table_model(name, row)
    state = state_of(table, row)
    moves = [replace(each, updates=(*each.updates, update(fresh, false))) for each in model.actions]
    found = [_finds(state, each.state) for each in table.seeds_in(row)]
    if table.keeper == "broker":
        found.append(_restarts(state, table.unknown_is))
    lived = replace(
        model,
        name=f"{name}-life-{row.name}",
        fields=(*model.fields, starts(fresh, True, f"the {table.keeper} has not met it yet")),
        actions=(*moves, *found),
        properties=(),
    )
    if table.keeper != "controller":
        return lived
    ghosts = Ghosts("deletion", (starts(phase, "never", "the progress of its deletion"),), _phases(table, row))
    return replace(lived, ghosts=(ghosts,)).watching("deletion")


def promises(name: str, release: Release | str | None = None) -> tuple[Promise, ...]:
    """The promises about a table's entities in the states of a release."""
    table = machine(name)
    row = table.release(release)
    has = {each.name for each in table.states_in(row)}
    state = state_of(table, row)
    # A controller's start is over when the entity was met; what a broker keeps, its restart makes fresh.
    moved = ~fresh if table.keeper == "controller" else ~after(fresh)
    return tuple(
        Promise(
            Property(title, statement, form.condition(state, moved), form.kind),
            not any(bool(behaviour(id).releases & row.mask) == breaks for id, breaks in _BREAKS.get(title, ())),
            _BROKEN_IN.get(title, 0),
        )
        for title, statement, form in _PROMISES.get(name, ())
        if set(form.states) <= has
    )


def all_names(name: str) -> tuple[str, ...]:
    """The names of all promises about a table, whatever release keeps them."""
    return tuple(title for title, _, _ in _PROMISES.get(name, ()))


def _finds(state: Expr, target: str) -> Action:
    return action(
        f"Finds{target}",
        f"A controller that starts finds the entity and takes it to be {target}.",
        guard={"not met yet": fresh},
        updates={state: const(target, state.sort), fresh: false},
    )


def _restarts(state: Expr, target: str) -> Action:
    return action(
        "Restarts",
        "The broker's process ends, and starts again: it has forgotten its state.",
        guard={},
        updates={state: const(target, state.sort), fresh: true},
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

    def condition(self, state: Expr, moved: Expr) -> Expr:
        stays = after(state).eq(self.source)
        goes = const(frozenset(self.targets), SetOf(state.sort)).contains(after(state))
        return (moved & state.eq(self.source) & ~stays).implies(goes)


@dataclass(frozen=True)
class _EnteredOnlyFrom:
    target: str
    sources: tuple[str, ...]
    kind: Kind = "step"

    @property
    def states(self) -> tuple[str, ...]:
        return (self.target, *self.sources)

    def condition(self, state: Expr, moved: Expr) -> Expr:
        came = const(frozenset((*self.sources, self.target)), SetOf(state.sort)).contains(state)
        return (moved & after(state).eq(self.target)).implies(came)


@dataclass(frozen=True)
class _OnlyInPhase:
    state: str
    allowed: tuple[str, ...]
    needs: tuple[str, ...]
    kind: Kind = "always"

    @property
    def states(self) -> tuple[str, ...]:
        return (self.state, *self.needs)

    def condition(self, state: Expr, moved: Expr) -> Expr:
        return state.eq(self.state).implies(const(frozenset(self.allowed), SetOf(phase.sort)).contains(phase))


_BREAKS: Mapping[str, tuple[tuple[str, bool], ...]] = {
    "OfflineIsNotMarkedIneligible": (("KAFKA-8237", False),),
    "OfflineIsLeftByARestart": (("KAFKA-7313", True), ("KAFKA-16157", True)),
    "OfflineIsNotServedAgain": (("KAFKA-16157", True),),
    "TruncatesBeforeItFetches": (("KIP-101", False), ("KAFKA-10554", True)),
}
"""For each promise, the behaviours that a release breaks it with (True) or without (False)."""
_BROKEN_IN = {
    "OfflineIsNotMarkedIneligible": 4,
    "OfflineIsLeftByARestart": 3,
    "OfflineIsNotServedAgain": 3,
    "TruncatesBeforeItFetches": 2,
}

_REPLICA = (
    (
        "DeletionStartedIsAnswered",
        "A started deletion ends only in ReplicaDeletionSuccessful or ReplicaDeletionIneligible.",
        _LeftOnlyTo("ReplicaDeletionStarted", ("ReplicaDeletionSuccessful", "ReplicaDeletionIneligible")),
    ),
    (
        "SuccessfulIsForgotten",
        "A replica whose deletion succeeded becomes NonExistentReplica and nothing else.",
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

_HOSTED = (
    (
        "OfflineIsLeftByARestart",
        "A partition whose log directory failed stays offline until its broker's process starts again.",
        _LeftOnlyTo("Offline", ()),
    ),
    (
        "OfflineIsNotServedAgain",
        "The same process does not serve a partition again whose log directory failed, except to delete it.",
        _LeftOnlyTo("Offline", ("None",)),
    ),
)

_FETCH = (
    (
        "TruncatesBeforeItFetches",
        "A follower fetches from a leader only after it truncated its log for it.",
        _EnteredOnlyFrom("Fetching", ("Truncating", "DelayedFetching")),
    ),
    (
        "FailedWaitsForANewEpoch",
        "A partition that was given up is fetched again only after it was taken out: for a new leader epoch, or "
        "because its replica was stopped.",
        _LeftOnlyTo("Failed", ("NotFetched",)),
    ),
    (
        "OnlyWhatIsFetchedFails",
        "A partition is given up only while it is truncated or fetched.",
        _EnteredOnlyFrom("Failed", ("Truncating", "Fetching")),
    ),
)

_ISR = (
    (
        "ExpansionIsDecidedFirst",
        "While a replica is to join the ISR, no other change begins.",
        _LeftOnlyTo("PendingExpand", ("Committed",)),
    ),
    (
        "ShrinkIsDecidedFirst",
        "While replicas are to leave the ISR, no other change begins.",
        _LeftOnlyTo("PendingShrink", ("Committed",)),
    ),
)

_PRODUCE = (
    ("AcknowledgedIsFinal", "An acknowledged request is never answered otherwise.", _LeftOnlyTo("Acknowledged", ())),
    ("TimedOutIsFinal", "A request that timed out is not acknowledged later.", _LeftOnlyTo("TimedOut", ())),
    (
        "AcknowledgedWhileLeading",
        (
            "Only a request that still waits is acknowledged, not one that was answered because the broker no "
            "longer leads."
        ),
        _EnteredOnlyFrom("Acknowledged", ("Waiting",)),
    ),
)

_DELAYED_FETCH = (
    ("AnsweredIsFinal", "A fetch that was answered is not answered again.", _LeftOnlyTo("Answered", ())),
    ("FencedGetsNoRecords", "A fetch with an old leader epoch gets no records.", _LeftOnlyTo("Fenced", ())),
)

_RAFT = (
    (
        "LeaderAskedForVotes",
        "No node leads an epoch in which it was not a candidate.",
        _EnteredOnlyFrom("Leader", ("Candidate",)),
    ),
    (
        "OnlyLeadersResign",
        "No node resigns that did not lead, unless it led before its process started.",
        _EnteredOnlyFrom("Resigned", ("Leader", "Down")),
    ),
)

_REGISTRATION = (
    (
        "UnfencedWasFenced",
        "A broker is fenced before it is unfenced: it has to catch up first.",
        _EnteredOnlyFrom("Unfenced", ("Fenced",)),
    ),
    (
        "OnlyUnfencedShutDown",
        "Only an unfenced broker begins a controlled shutdown.",
        _EnteredOnlyFrom("ControlledShutdown", ("Unfenced",)),
    ),
)

_PROMISES = {
    "replica": _REPLICA,
    "partition": _PARTITION,
    "hosted-partition": _HOSTED,
    "fetch-state": _FETCH,
    "isr-state": _ISR,
    "delayed-produce": _PRODUCE,
    "delayed-fetch": _DELAYED_FETCH,
    "raft-role": _RAFT,
    "broker-registration": _REGISTRATION,
}
