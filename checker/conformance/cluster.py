"""Evidence of a log about the hidden steps of the model `cluster`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial

from ...model.cluster.effects import DELETION, FACTORS, ISR, ISR_OUTSIDE, PREFERRED, REQUESTS, SHUTDOWN
from ...model.cluster.state import ASKED, DIRECTORIES, LARGE, RESTARTS, UNSEEN_DIRECTORIES, UNSEEN_MOVES
from ...model.sorts import Value
from .creations import CREATED, NARROWEST, Extent, begins, creatable, joins, lists_of, replicas, topics_of
from .evidence import UNSEEN, Evidence
from .lines import Key
from .names import Names
from .partitions import ISR_CHANGES
from .rulings import OUTSIDE, UNSEEN_CHANGES, changed, elections, outside, rulings
from .runs import May
from .undecided import beyond
from .validate import Told

_UNHURRIED = frozenset({"none", "elected", "idle"})
"""The phases of a controller process in which its next step is a choice: in the others it ends what it has begun."""

AT_ONCE = UNSEEN_CHANGES
"""A leader's change of an ISR that the log shows settles its partition: nobody else writes in that leader epoch."""

_STAYS_ONLINE = ("OnlinePartition", "OnlinePartition")
"""An election of a preferred leader, which an administrator can ask for without a line."""


def scopes(evidence: Evidence, brokers: bool = False) -> list[Extent]:
    """Return the scopes in the order in which they are searched: the next one where no run is found in one."""
    told = evidence.partitions
    has_isrs = not brokers and told.isr_changes_begin is None and bool(told.other_isr_changes)
    both = (Extent(isrs, replicas) for replicas in (False, True) for isrs in (False, True))
    return [each for each in both if each.isrs <= has_isrs and each.replicas <= bool(told.not_listed)]


def parts(evidence: Evidence, brokers: bool = False, scope: Extent = NARROWEST) -> tuple[str, ...]:
    """Return the parts of the model that the log's events, with brokers' if asked, cannot have happened without.

    A part that is left out would have shown: a deletion and an election of the preferred leader print moves, a
    controlled shutdown a line of controller.log, and a change of an ISR one of server.log.

    Args:
        scope: the extent of the search.
    """
    rows_seen = {each.event.row for each in evidence.seen}
    moves = {(each.event.from_state, each.event.to_state) for each in evidence.compared}
    states, told = {state for move in moves for state in move}, evidence.partitions
    wanted = {
        DELETION: _deletes(evidence, states),
        UNSEEN_MOVES: not brokers and evidence.partitions.reassigned is not None,
        UNSEEN_DIRECTORIES: not brokers and evidence.directories.failed,
        DIRECTORIES: brokers and evidence.directories.failed,
        LARGE: any(_may_be_deleted(evidence, topic) for topic in evidence.partitions.large_deleted),
        ASKED: bool(evidence.elections),
        PREFERRED: evidence.elections is None or (not evidence.elections and _STAYS_ONLINE in moves),
        SHUTDOWN: evidence.shutdowns is None or bool(evidence.shutdowns),
        REQUESTS: brokers,
        RESTARTS: not brokers and any(each.event.bounced_brokers for each in evidence.seen),
        ISR: brokers and not (evidence.has_server_log and ISR_CHANGES.isdisjoint(rows_seen)),
        ISR_OUTSIDE: not brokers and (told.isr_changes_begin is not None or scope.isrs),
        FACTORS: any(len(each) != 2 for lists in _replica_lists(evidence, scope) for each in lists),
    }
    return tuple(part for part, there in wanted.items() if there)


def _deletes(evidence: Evidence, states: Collection[str | None]) -> bool:
    """Check whether controllers had topics to delete, or replicas are deleted, and not only by reassignments."""
    deletes = not {"ReplicaDeletionStarted", "ReplicaDeletionSuccessful"}.isdisjoint(states)
    apart = evidence.partitions.reassigned is None or evidence.deleted is None
    return bool(evidence.deleted) or (deletes and apart)


def _may_be_deleted(evidence: Evidence, topic: str) -> bool:
    return evidence.deleted is None or topic in evidence.deleted


def _replica_lists(evidence: Evidence, scope: Extent) -> Iterator[frozenset[tuple[int, ...]]]:
    """The replicas that partitions can have been created with, and those that were asked for later."""
    yield from (frozenset(lists_of(evidence, each, scope)) for each in evidence.names.partitions)
    if evidence.partitions.reassigned is not None:
        yield from evidence.partitions.targets.values()


def possible(evidence: Evidence, scope: Extent = NARROWEST) -> May:
    """Return the steps that the log does not rule out, by the `rulings` on each kind of step.

    Args:
        scope: see `parts`.

    Raises:
        NotDecidedError: a partition has more replicas than the model gives it.
    """
    of_kind = rulings(evidence, creatable(evidence, scope), shown(evidence, scope))
    waits = outside(evidence)

    def may(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        ruled = of_kind.get(action)
        if ruled is not None and not ruled(action, params, state):
            return False
        return action not in OUTSIDE or waits(action, params, state)

    return may


def first(evidence: Evidence) -> May:
    """Return the steps with which a run may begin: partitions are created whose replicas no line lists, in turn.

    Not on brokers that are never there: nothing but a failed election comes of these.
    """
    names, topics = evidence.names, topics_of(evidence.names)
    wanted = frozenset(names.partitions.index(each) for each in evidence.partitions.not_listed)

    def is_first(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        if action == "JoinTopic":
            return joins(topics, params, state)
        if action not in CREATED or params["p"] not in wanted or state.get("topic_of", topics) != topics:
            return False
        there = all(names.brokers[each] > UNSEEN for each in replicas(action, params))
        return there and all(each < params["p"] for each in state["created"])

    return is_first


def told(evidence: Evidence, scope: Extent = NARROWEST, parts: Collection[str] = ()) -> Told:
    """Return a log's evidence of steps that write nothing, and of what a model with some parts does not follow.

    Args:
        scope: see `parts`.
    """
    return Told(
        possible(evidence, scope),
        shown(evidence, scope),
        AT_ONCE,
        begins(evidence),
        first(evidence),
        partial(beyond, evidence, parts),
    )


def _new(names: Names, state: Mapping[str, Value], *partitions: int) -> frozenset[Key]:
    """Return the partitions that the controller has not noted yet, and the given ones."""
    acting = state["controller"]
    found = state["created"] - (frozenset() if acting is None else state["topics"][acting])
    return frozenset(names.partitions[each] for each in (*found, *partitions))


def _is_first_answer(params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
    """Check that this broker answers first of the live ones asked to delete replicas: all do, in any order."""
    asked, answering = state["asked_to_delete"][params["c"]], state["registered"] & state["live"][params["c"]]
    waiting = ((p, b) for p, brokers in enumerate(asked) for b, is_asked in enumerate(brokers) if is_asked)
    first = next((each for each in waiting if each[1] in answering), None)
    return bool(first == (params["p"], params["b"]))


def shown(evidence: Evidence, scope: Extent = NARROWEST) -> May:
    """Return the steps that later lines show: leaders' ISR changes, by the version of the znode; new topics; and
    elections that are asked for. `scope`: see `parts`."""
    names = evidence.names
    elects, topics = elections(evidence), topics_of(names)
    created, together = creatable(evidence, scope), evidence.partitions.created_together

    def is_spoken_of(acting: Value, new: Collection[Key], state: Mapping[str, Value]) -> bool:
        """Check that the controller names the partitions, which it does not know yet and no line shows created."""
        if acting is None:
            return False
        return set(new) <= evidence.partitions.spoken_of.get(state["epoch"][acting], frozenset())

    def is_shown(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        if action in CREATED:
            if (params["p"], *replicas(action, params)) not in created:
                return False
            unknown = _new(names, state, params["p"])
            if any(unknown <= each.partitions for each in together):
                return True
            return is_spoken_of(state["controller"], unknown, state)
        if action == "NewPartitions" and is_spoken_of(params["c"], _new(names, state), state):
            return True
        if "c" in params and state["phase"][params["c"]] not in _UNHURRIED:
            return True
        if action == "DeleteReplica":
            return _is_first_answer(params, state)
        if action == "AskElection":
            return elects(action, params, state)
        if action == "JoinTopic":
            return joins(topics, params, state)
        if action not in UNSEEN_CHANGES:
            return False
        _, isr, epoch, version, *_ = state["znode"][params["p"]]
        new = changed(names, action, params, isr)
        key = names.partitions[params["p"]]
        if (epoch, new) in evidence.partitions.isrs.get(key, {}).get(version + 1, ()):
            return True
        return evidence.partitions.must_be_unseen(key, epoch, version + 1, new)

    return is_shown
