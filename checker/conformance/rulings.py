"""Steps of the model `cluster` that a log rules out, by kind: a step is possible where nothing rules it out."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ...model.sorts import Value
from .creations import CREATED, begins, joins, replicas, topics_of
from .evidence import Evidence, Queued
from .names import Names
from .runs import May

_READS_ZOOKEEPER = frozenset({"none", "idle", "elected"})
_HAS_READ_NOTHING = frozenset({"none", "elected"})
_ELECTIONS = frozenset({"AskElection", "ElectAsked"})
_REASSIGNS = {"Reassign": ("one", "other"), "ReassignSingle": ("one",), "ReassignTriple": ("one", "other", "third")}
"""The steps that ask for other replicas, with the parameters that are these."""

_OF_DIRECTORIES = frozenset(
    {"FailDirectory", "TellOfDirectory", "AskForDirectories", "AnswerStorageError", "MarkOffline"}
)
OUTSIDE = frozenset({"Die", "ComeBack", "DeleteTopic", "LoseSession", "FailDirectory", "TellOfDirectory", *CREATED})
SHRINKS = "LeaderShrinksIsr"
UNSEEN_CHANGES = frozenset({SHRINKS, "LeaderExpandsIsr"})
_SHUT_DOWN = frozenset({"ShutDown", "ShutDownContended"})

_SHOWN = frozenset({"Die", "ComeBack"})
"""Steps that cannot be put off where brokers print that they register: a death came before it."""


def rulings(evidence: Evidence, creatable: Collection[tuple[Value, ...]], is_shown: May) -> Mapping[str, May]:
    """Return the steps that can be ruled out, each with the check that it is not.

    Args:
        creatable: the partitions with the replicas that they can have been created with.
        is_shown: the steps whose results the log shows.
    """
    changes = _isr_changes(evidence, is_shown)
    return {
        "Elect": _new_controllers(evidence),
        "InitializeContext": _starts(evidence),
        "BrokerChange": _finds(evidence, "live-brokers-changed"),
        "NewPartitions": _notes(evidence),
        "JoinTopic": _joined(evidence),
        "DeleteTopic": _deletions(evidence),
        **dict.fromkeys(CREATED, _creations(evidence, creatable)),
        **dict.fromkeys(_REASSIGNS, _reassignments(evidence)),
        **dict.fromkeys(_ELECTIONS, elections(evidence)),
        **dict.fromkeys(_OF_DIRECTORIES, directories(evidence)),
        **dict.fromkeys(UNSEEN_CHANGES, changes),
        **dict.fromkeys(_SHUT_DOWN, _shutdowns(evidence, changes)),
    }


def _new_controllers(evidence: Evidence) -> May:
    """Check that a controller is elected for the epoch that it prints, once the topics' partitions are settled."""
    numbers = {broker: number for number, broker in enumerate(evidence.names.brokers)}
    elected = {epoch: numbers[broker] for epoch, broker in evidence.controllers.items()}
    topics = topics_of(evidence.names)

    def may(_: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        is_settled = state.get("topic_of", topics) == topics
        return is_settled and bool(elected.get(state["controller_epoch"] + 1, params["c"]) == params["c"])

    return may


def _finds(evidence: Evidence, row: str) -> May:
    """Check that a controller that prints live brokers found these."""
    names = evidence.names
    found = evidence.live.by_controller(row) if evidence.has_controller_log else None

    def may(_: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        live = frozenset(names.brokers[each] for each in state["registered"])
        return found is None or live in found.get(names.brokers[params["c"]], ())

    return may


def _starts(evidence: Evidence) -> May:
    """Check that a controller read, when it started, all partitions that it names before it creates them."""
    names, told = evidence.names, evidence.partitions.found
    there = {epoch: frozenset(names.partitions.index(each) for each in keys) for epoch, keys in told.items()}
    are_queued, finds = _queued(evidence), _finds(evidence, "live-brokers")
    nothing: frozenset[int] = frozenset()

    def may(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        if not there.get(state["epoch"][params["c"]], nothing) <= state["created"]:
            return False
        return are_queued(action, params, state) and finds(action, params, state)

    return may


def _queued(evidence: Evidence) -> May:
    """Check that the topics to be deleted are those that the controller prints when it starts.

    Where it does not print its epoch, any of the lists that it prints may be the one. For a topic that a controller
    notes later, no earlier life is searched.
    """
    names, by_broker = evidence.names, dict[int | None, list[Queued]]()
    for (broker, _), lists in evidence.queued.items():
        by_broker.setdefault(broker, []).extend(lists)
    known = frozenset(topic for topic, _ in names.partitions) - {topic for topic, _ in evidence.partitions.creators}

    def may(_: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        broker, epoch = names.brokers[params["c"]], state["epoch"][params["c"]]
        told = evidence.queued.get((broker, epoch)) or by_broker.get(broker)
        if told is None or "queued" not in state:
            return True
        queued = frozenset(names.partitions[each][0] for each in state["queued"])
        return any(queued <= each.topics and (each.topics & known) - queued <= each.gone for each in told)

    return may


def _notes(evidence: Evidence) -> May:
    """Check that a controller notes at one time the new partitions whose creation it prints together."""
    names, together = evidence.names, evidence.partitions.created_together

    def may(_: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        new = frozenset(names.partitions[each] for each in state["created"] - state["topics"][params["c"]])
        return not together or any(each.may_be(new) for each in together)

    return may


def _joined(evidence: Evidence) -> May:
    topics = topics_of(evidence.names)
    return lambda _, params, state: joins(topics, params, state)


def _deletions(evidence: Evidence) -> May:
    """Check a deletion: the first partition stands for its topic, and controllers print the topics to delete."""
    names, topics = evidence.names, topics_of(evidence.names)

    def may(_: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        p = params["p"]
        if evidence.deleted is None:
            return True
        is_first = not any(topics[each] == topics[p] for each in state["created"] if each < p)
        return is_first and names.partitions[p][0] in evidence.deleted

    return may


def _creations(evidence: Evidence, creatable: Collection[tuple[Value, ...]]) -> May:
    """Check that a topic has the replicas printed, and comes after those that the same controller prints before.

    The controller that notes it has read the topics before; where no line shows which one, any may.
    """
    names, creators = evidence.names, evidence.partitions.creators
    order = evidence.partitions.created_before
    before = [{names.partitions.index(each) for each in order.get(one, ())} for one in names.partitions]

    def is_read(partition: int, state: Mapping[str, Value]) -> bool:
        epochs, acting = creators.get(names.partitions[partition]), state["controller"]
        if epochs is None:
            return True
        has_read = acting is not None and state["phase"][acting] not in _HAS_READ_NOTHING
        return has_read and state["epoch"][acting] in epochs

    def may(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        p = params["p"]
        are_told = (p, *replicas(action, params)) in creatable
        return are_told and is_read(p, state) and before[p] <= state["created"]

    return may


def _reassignments(evidence: Evidence) -> May:
    """Check that the replicas asked for are those that controllers print."""
    names, targets = evidence.names, evidence.partitions.targets

    def may(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        target = tuple(names.brokers[params[each]] for each in _REASSIGNS[action])
        return target in targets.get(names.partitions[params["p"]], ())

    return may


def _isr_changes(evidence: Evidence, is_shown: May) -> May:
    """Check a leader's change of an ISR: the log shows or announces it, or shows not that version but later ones."""
    names, told = evidence.names, evidence.partitions

    def may(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        if is_shown(action, params, state):
            return True
        key = names.partitions[params["p"]]
        _, isr, epoch, version, *_ = state["znode"][params["p"]]
        is_announced = (key, changed(names, action, params, isr)) in told.announced
        return is_announced or told.can_be_unseen(key, epoch, version + 1)

    return may


def _shutdowns(evidence: Evidence, changes: May) -> May:
    """Check that a controller prints the controlled shutdown; an ISR that changes meanwhile is like any other."""
    names, asked = evidence.names, evidence.shutdowns

    def may(_: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        if "hit" in params and not changes(SHRINKS, {"p": params["hit"], "one": params["r"]}, state):
            return False
        return asked is None or names.brokers[params["b"]] in asked

    return may


def outside(evidence: Evidence) -> May:
    """Check events from outside: they are put off until a controller looks.

    In the middle of a handler, only the death of its own broker differs from a later one.
    """
    names, always_found = evidence.names, evidence.always_found
    comes_back = _registrations(evidence)

    def may(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        acting, has_requests = state["controller"], "hosted" in state
        if evidence.registers and has_requests and action in _SHOWN:
            return True
        if action == "ComeBack" and not comes_back(action, params, state):
            return False
        if action == "Die" and not has_requests and names.brokers[params["b"]] in always_found:
            return bool(params["b"] == acting)
        dies = action == "Die" and params["b"] == acting
        return dies or acting is None or state["phase"][acting] in _READS_ZOOKEEPER

    return may


def _registrations(evidence: Evidence) -> May:
    """Check that only brokers that were seen register.

    A broker that does not print it registered no more often than controllers found it anew. Except for a controller: it
    may die before anybody looks, and the next one may find it live.
    """
    names, elected = evidence.names, [*evidence.controllers.values()]
    there_once = begins(evidence).get("registered", frozenset(range(len(names.brokers))))

    def may(_: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        if params["b"] not in there_once:
            return False
        broker = names.brokers[params["b"]]
        most = evidence.live.registrations[broker] + elected.count(broker)
        return "registration" not in state or bool(state["registration"][params["b"]] < most)

    return may


def elections(evidence: Evidence) -> May:
    """Check that partitions are asked for in turn, while the electing controller can act, and elected when all are.

    A leader epoch that an election gave was one lower before it.
    """
    names = evidence.names
    brokers: dict[int | None, int] = {broker: number for number, broker in enumerate(names.brokers)}
    partitions = {key: number for number, key in enumerate(names.partitions)}
    found = []
    for each in evidence.asked:
        known = {partitions[key]: its for key, its in each.epochs.items() if key in partitions}
        found.append((brokers.get(each.controller), sorted(known, key=lambda one: (known[one] is None, one)), known))

    def elects(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        asked, acting = state["asked"], state["controller"]
        if action == "ElectAsked":
            return any(by == params["c"] and asked == frozenset(named) for by, named, _ in found)
        if acting is None or state["phase"][acting] != "idle":
            return False
        return any(
            by == acting
            and asked | {params["p"]} == frozenset(named[: len(asked) + 1])
            and all(its is None or _leader_epoch(state, one) + 1 == its for one, its in known.items())
            for by, named, known in found
        )

    return elects


def directories(evidence: Evidence) -> May:
    """Check failures of log directories: their replicas are marked as offline, as controllers print.

    Where requests are in the model, directories fail too that only the broker prints: it no longer serves their
    replicas.
    """
    names, told = evidence.names, evidence.directories
    partitions = {key: number for number, key in enumerate(names.partitions)}
    marked = {of: [frozenset(partitions[key] for key in keys) for keys in each] for of, each in told.marked.items()}

    def fails(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        if action == "AskForDirectories":
            heeded, now = told.heeded, frozenset(names.brokers[each] for each in state["reported_failures"])
            return heeded is None or now in heeded.get(names.brokers[params["c"]], ())
        b = params["b"]
        if action == "TellOfDirectory":
            return names.brokers[b] in told.brokers and b not in state["reported_failures"]
        if action == "FailDirectory":
            key = names.partitions[params["p"]]
            failed = told.offline | told.stopped if "hosted" in state else told.offline
            return (names.brokers[b], key) in failed and params["p"] not in state["failed"][b]
        news = state["storage_errors"][params["c"]][b]
        found = marked.get((names.brokers[params["c"]], names.brokers[b]), ())
        if action == "MarkOffline":
            return news in found
        return any(news | {params["p"]} <= each for each in found)

    return fails


def _leader_epoch(state: Mapping[str, Value], partition: int) -> int:
    """Return the leader epoch in ZooKeeper; if there is none, one that no election follows."""
    held = state["znode"][partition]
    return -2 if held is None else held[2]


def changed(names: Names, action: str, params: Mapping[str, Value], isr: frozenset[int]) -> frozenset[int]:
    """The ISR, in ids of brokers, after a leader changes it."""
    who = {params["one"], params.get("other", params["one"])}
    return frozenset(names.brokers[each] for each in (isr - who if action == SHRINKS else isr | who))
