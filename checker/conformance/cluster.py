"""What a log tells of the hidden steps of the model `cluster`."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping

from ...model.cluster.effects import DELETION, ISR, PREFERRED, REQUESTS, SHUTDOWN
from ...model.cluster.state import PLACES
from ...model.sorts import Value
from ...specs.lines import rows_with
from .evidence import Evidence, NotDecidedError
from .validate import May

_READS_ZOOKEEPER = frozenset({"none", "idle", "elected"})
_OUTSIDE = frozenset({"Die", "ComeBack", "CreateTopic", "DeleteTopic", "LoseSession"})
_ISR_WRITTEN = frozenset(rows_with("isr-written"))

_SHOWN = frozenset({"Die", "ComeBack"})
"""Where brokers say that they register, a death came before it; neither can be put off."""


def parts(evidence: Evidence, brokers: bool = False) -> tuple[str, ...]:
    """The parts of the model without which what the log tells, of brokers too if asked, cannot have happened.

    A part that is left out would have shown: a deletion and an election of the preferred leader print moves, a
    controlled shutdown a line of controller.log, and a change of an ISR one of server.log.
    """
    rows_seen = {each.event.row for each in evidence.seen}
    moves = {(each.event.from_state, each.event.to_state) for each in evidence.compared}
    states = {state for move in moves for state in move}
    wanted = {
        DELETION: bool(states & {"ReplicaDeletionStarted", "ReplicaDeletionSuccessful"}),
        PREFERRED: evidence.elections is None or evidence.elections,
        SHUTDOWN: evidence.shutdowns is None or bool(evidence.shutdowns),
        REQUESTS: brokers,
        ISR: brokers and not (evidence.has_server_log and _ISR_WRITTEN.isdisjoint(rows_seen)),
    }
    return tuple(part for part, there in wanted.items() if there)


def undecided(evidence: Evidence, parts: Collection[str], matched: int) -> str:
    """Why a line that no run writes says nothing of the cluster, by how many lines before it fit; "" if it does."""
    first = evidence.isr_changes_begin
    if ISR in parts or first is None or matched < first:
        return ""
    return "a leader changed an ISR before this line, which the lines compared do not tell: try --brokers"


def possible(evidence: Evidence) -> May:
    """Steps that the log does not rule out.

    * A topic is created with the replicas that are printed; a controller is elected for the epoch that it prints.
    * A controller that tells of live brokers found these; it tells who asks for a controlled shutdown.
    * What happens outside is put off until a controller looks: in the middle of a handler, only its broker's death can
      be told from a later one.

    Raises:
        NotDecidedError: a partition has more or fewer replicas than the model gives it.
    """
    names = evidence.names
    numbers = {broker: index for index, broker in enumerate(names.brokers)}
    created = {
        (index, *pair) for index, partition in enumerate(names.partitions) for pair in _pairs(evidence, partition)
    }
    elected = {epoch: numbers[broker] for epoch, broker in evidence.controllers.items()}
    asked, most = evidence.shutdowns, evidence.registrations
    finds = {"InitializeContext": evidence.live("live-brokers"), "BrokerChange": evidence.live("live-brokers-changed")}

    def seldom(broker: int, state: Mapping[str, Value]) -> bool:
        """A broker that does not say when it registers did so no more often than controllers have found it anew."""
        if "registration" not in state:
            return True
        return bool(state["registration"][broker] < most.get(names.brokers[broker], 0))

    def may(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        if action == "Elect":
            return bool(elected.get(state["controller_epoch"] + 1, params["c"]) == params["c"])
        if action == "CreateTopic":
            if (params["p"], params["one"], params["other"]) not in created:
                return False
        elif action == "ShutDown":
            return asked is None or names.brokers[params["b"]] in asked
        elif action in finds:
            found = finds[action]
            live = frozenset(names.brokers[each] for each in state["registered"])
            return found is None or live in found.get(names.brokers[params["c"]], ())
        if action in _OUTSIDE:
            if evidence.registers and "registration" in state and action in _SHOWN:
                return True
            if action == "ComeBack" and not seldom(params["b"], state):
                return False
            acting = state["controller"]
            dies = action == "Die" and params["b"] == acting
            return dies or acting is None or state["phase"][acting] in _READS_ZOOKEEPER
        return True

    return may


def _pairs(evidence: Evidence, partition: tuple[str, int]) -> Iterator[tuple[int, ...]]:
    """The replicas with which a topic can have been created, as numbers of brokers."""
    brokers, known = list(evidence.names.brokers), evidence.assignments[partition]
    if known is not None and len(known) != len(PLACES):
        topic, number = partition
        raise NotDecidedError(f"{topic}-{number} has {len(known)} replicas; the model's partitions have {len(PLACES)}")
    members = evidence.members(partition)
    for pair in itertools.permutations(brokers, len(PLACES)):
        if pair == known or (known is None and members <= set(pair)):
            yield tuple(brokers.index(each) for each in pair)
