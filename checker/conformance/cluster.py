"""What a log tells of the hidden steps of the model `cluster`."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...model.cluster.effects import DELETION, FACTORS, ISR, ISR_OUTSIDE, PREFERRED, REQUESTS, SHUTDOWN
from ...model.cluster.state import ASKED, LARGE, PLACES, RESTARTS, UNSEEN_DIRECTORIES, UNSEEN_MOVES
from ...model.sorts import Value
from .evidence import UNSEEN, Evidence, NotDecidedError
from .names import Names
from .partitions import ISR_CHANGES, Key
from .runs import May

_READS_ZOOKEEPER = frozenset({"none", "idle", "elected"})
_HAS_READ_NOTHING = frozenset({"none", "elected"})
_CREATED = {"CreateTopic": ("one", "other"), "CreateSingle": ("one",), "CreateTriple": ("one", "other", "third")}
"""The steps that create a topic, with their parameters that are its replicas."""

_UNHURRIED = frozenset({"none", "elected", "idle"})
"""The phases of a controller process in which its next step is a choice: in the others it ends what it has begun."""

_ELECTIONS = frozenset({"AskElection", "ElectAsked"})
_REASSIGNS = {"Reassign": ("one", "other"), "ReassignSingle": ("one",), "ReassignTriple": ("one", "other", "third")}
"""The steps that ask for other replicas, with their parameters that are these."""

_OF_DIRECTORIES = frozenset(
    {"FailDirectory", "TellOfDirectory", "AskForDirectories", "AnswerStorageError", "MarkOffline"}
)
_OUTSIDE = frozenset({"Die", "ComeBack", "DeleteTopic", "LoseSession", "FailDirectory", "TellOfDirectory", *_CREATED})
_SHRINKS = "LeaderShrinksIsr"
_UNSEEN = frozenset({_SHRINKS, "LeaderExpandsIsr"})
AT_ONCE = _UNSEEN
"""A leader's change of an ISR that the log shows settles its partition: nobody else writes in that leader epoch."""
_SHUT_DOWN = frozenset({"ShutDown", "ShutDownContended"})

_STAYS_ONLINE = ("OnlinePartition", "OnlinePartition")
"""An election of a preferred leader, which an administrator can ask for without a line."""

_SHOWN = frozenset({"Die", "ComeBack"})
"""Where brokers say that they register, a death came before it; neither can be put off."""


class Scope(NamedTuple):
    """How far is searched: what can have happened, makes the search larger, and mostly did not.

    * `isrs`: a leader changed an ISR, of which only lines tell that are not compared.
    * `replicas`: a partition whose replicas no line lists has more than lines name, or than two.
    """

    isrs: bool = False
    replicas: bool = False


NARROWEST = Scope()


def scopes(evidence: Evidence, brokers: bool = False) -> list[Scope]:
    """In which order it is looked at: the next one where a log is rejected."""
    told = evidence.partitions
    isrs = not brokers and told.isr_changes_begin is None and bool(told.other_isr_changes)
    with_isrs, with_replicas = [Scope(isrs)] * isrs, [Scope(isrs, True)] * bool(told.not_listed)
    return [NARROWEST, *with_isrs, *with_replicas]


def parts(evidence: Evidence, brokers: bool = False, scope: Scope = NARROWEST) -> tuple[str, ...]:
    """The parts of the model without which what the log tells, of brokers too if asked, cannot have happened.

    A part that is left out would have shown: a deletion and an election of the preferred leader print moves, a
    controlled shutdown a line of controller.log, and a change of an ISR one of server.log.

    Args:
        scope: what is looked at, too.
    """
    rows_seen = {each.event.row for each in evidence.seen}
    moves = {(each.event.from_state, each.event.to_state) for each in evidence.compared}
    states, told = {state for move in moves for state in move}, evidence.partitions
    wanted = {
        DELETION: _deletes(evidence, states),
        UNSEEN_MOVES: not brokers and evidence.partitions.reassigned is not None,
        UNSEEN_DIRECTORIES: not brokers and evidence.directories.failed,
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
    """Controllers were told of topics to delete; or replicas are deleted, and not only by reassignments."""
    deletes = not {"ReplicaDeletionStarted", "ReplicaDeletionSuccessful"}.isdisjoint(states)
    apart = evidence.partitions.reassigned is None or evidence.deleted is None
    return bool(evidence.deleted) or (deletes and apart)


def _is_deleted(evidence: Evidence, topic: str) -> bool:
    """A controller was told to delete it: there may be another one of its name later."""
    return evidence.deleted is not None and topic in evidence.deleted


def _may_be_deleted(evidence: Evidence, topic: str) -> bool:
    return evidence.deleted is None or topic in evidence.deleted


def _replica_lists(evidence: Evidence, scope: Scope) -> Iterator[frozenset[tuple[int, ...]]]:
    """The replicas that partitions can have been created with, and those that were asked for later."""
    yield from (frozenset(_lists(evidence, each, scope)) for each in evidence.names.partitions)
    if evidence.partitions.reassigned is not None:
        yield from evidence.partitions.targets.values()


def possible(evidence: Evidence, scope: Scope = NARROWEST) -> May:
    """Steps that the log does not rule out.

    * A topic is created with the replicas that are printed; a controller is elected for the epoch that it prints.
    * A controller has read, when it started, all partitions that it speaks of before it creates them.
    * A controller that tells of live brokers found these; it tells who asks for a controlled shutdown.
    * What happens outside is put off until a controller looks: in the middle of a handler, only its broker's death can
      be told from a later one.

    Args:
        scope: see `parts`.

    Raises:
        NotDecidedError: a partition has more replicas than the model gives it.
    """
    names = evidence.names
    numbers = {broker: index for index, broker in enumerate(names.brokers)}
    created, together = _created(evidence, scope), evidence.partitions.created_together
    creators = evidence.partitions.creators
    order = evidence.partitions.created_before
    before = [{names.partitions.index(each) for each in order.get(one, ())} for one in names.partitions]
    elected = {epoch: numbers[broker] for epoch, broker in evidence.controllers.items()}
    asked, is_shown = evidence.shutdowns, shown(evidence, scope)
    finds = {"InitializeContext": evidence.live("live-brokers"), "BrokerChange": evidence.live("live-brokers-changed")}

    def seldom(broker: int, state: Mapping[str, Value]) -> bool:
        """A broker that does not say when it registers did so no more often than controllers have found it anew.

        But for one that is controller: it may die before anybody looks, and the next one may find it live.
        """
        if "registration" not in state:
            return True
        most = evidence.registrations.get(names.brokers[broker], 0) + [*elected.values()].count(broker)
        return bool(state["registration"][broker] < most)

    later = frozenset(topic for topic, _ in creators)
    known = frozenset(topic for topic, _ in names.partitions) - later

    def are_queued(broker: int, state: Mapping[str, Value]) -> bool:
        """Those topics are to be deleted of which the controller says so when it starts.

        Of one that a controller takes note of later, an earlier life is not looked for.
        """
        told = evidence.queued.get(broker)
        if told is None or "queued" not in state:
            return True
        queued = frozenset(names.partitions[each][0] for each in state["queued"])
        return any(queued <= each.topics and (each.topics & known) - queued <= each.gone for each in told)

    there_once = begins(evidence).get("registered", frozenset(range(len(names.brokers))))
    nothing: frozenset[int] = frozenset()
    there = {
        epoch: frozenset(names.partitions.index(each) for each in keys)
        for epoch, keys in evidence.partitions.found.items()
    }
    elects, topics, targets = _elections(evidence), _topics(names), evidence.partitions.targets
    fails = _failures(evidence)

    def written(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        """A leader's change of an ISR: the log shows or announces it, or shows not that version but later ones."""
        if is_shown(action, params, state):
            return True
        _, isr, epoch, version, *_ = state["znode"][params["p"]]
        if (names.partitions[params["p"]], _changed(names, action, params, isr)) in evidence.partitions.announced:
            return True
        return evidence.partitions.can_be_unseen(names.partitions[params["p"]], epoch, version + 1)

    def is_read(partition: int, state: Mapping[str, Value]) -> bool:
        """Who takes note of a new partition has read before which ones there are; where no line tells, anybody may."""
        epochs, acting = creators.get(names.partitions[partition]), state["controller"]
        if epochs is None:
            return True
        has_read = acting is not None and state["phase"][acting] not in _HAS_READ_NOTHING
        return has_read and state["epoch"][acting] in epochs

    def may(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        if action == "Elect":
            return state.get("topic_of", topics) == topics and bool(
                elected.get(state["controller_epoch"] + 1, params["c"]) == params["c"]
            )
        if action == "NewPartitions" and together:
            new = frozenset(names.partitions[each] for each in state["created"] - state["topics"][params["c"]])
            return any(each.may_be(new) for each in together)
        if action in _CREATED:
            if (params["p"], *_replicas(action, params)) not in created or not is_read(params["p"], state):
                return False
            if not before[params["p"]] <= state["created"]:
                return False
        elif action in _REASSIGNS:
            target = tuple(names.brokers[params[each]] for each in _REASSIGNS[action])
            return target in targets.get(names.partitions[params["p"]], ())
        elif action == "JoinTopic":
            return _joins(topics, params, state)
        elif action == "DeleteTopic" and evidence.deleted is not None:
            if any(topics[each] == topics[params["p"]] for each in state["created"] if each < params["p"]):
                return False  # any of its partitions stands for a topic: the first is enough
            if names.partitions[params["p"]][0] not in evidence.deleted:
                return False
        elif action in _ELECTIONS:
            return elects(action, params, state)
        elif action in _OF_DIRECTORIES:
            if not fails(action, params, state):
                return False
        elif action in _UNSEEN:
            return written(action, params, state)
        elif action in _SHUT_DOWN:
            if "hit" in params and not written(_SHRINKS, {"p": params["hit"], "one": params["r"]}, state):
                return False
            return asked is None or names.brokers[params["b"]] in asked
        elif action in finds:
            if action == "InitializeContext":
                if not there.get(state["epoch"][params["c"]], nothing) <= state["created"]:
                    return False
                if not are_queued(names.brokers[params["c"]], state):
                    return False
            found = finds[action]
            live = frozenset(names.brokers[each] for each in state["registered"])
            return found is None or live in found.get(names.brokers[params["c"]], ())
        if action in _OUTSIDE:
            if evidence.registers and "hosted" in state and action in _SHOWN:
                return True
            if action == "ComeBack" and (params["b"] not in there_once or not seldom(params["b"], state)):
                return False
            if action == "Die" and "hosted" not in state and names.brokers[params["b"]] in evidence.always_found:
                return bool(params["b"] == state["controller"])
            acting = state["controller"]
            dies = action == "Die" and params["b"] == acting
            return dies or acting is None or state["phase"][acting] in _READS_ZOOKEEPER
        return True

    return may


def begins(evidence: Evidence) -> Mapping[str, Value]:
    """What is other at the beginning than the model says: brokers that no line names are dead, and stay so.

    Each controller tells whom it finds live, and it finds nobody else: who is never found was never there.
    """
    if not evidence.has_controller_log:
        return {}
    return {"registered": frozenset(number for number, broker in enumerate(evidence.names.brokers) if broker > UNSEEN)}


def first(evidence: Evidence) -> May:
    """The steps with which a run may begin: partitions are created whose replicas no line lists, in turn.

    Not on brokers that are never there: nothing but a failed election comes of these.
    """
    names, topics = evidence.names, _topics(evidence.names)
    wanted = frozenset(names.partitions.index(each) for each in evidence.partitions.not_listed)

    def is_first(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        if action == "JoinTopic":
            return _joins(topics, params, state)
        if action not in _CREATED or params["p"] not in wanted or state.get("topic_of", topics) != topics:
            return False
        there = all(names.brokers[each] > UNSEEN for each in _replicas(action, params))
        return there and all(each < params["p"] for each in state["created"])

    return is_first


def _new(names: Names, state: Mapping[str, Value], *partitions: int) -> frozenset[Key]:
    """Some partitions, and those of which the controller has taken no note yet."""
    acting = state["controller"]
    found = state["created"] - (frozenset() if acting is None else state["topics"][acting])
    return frozenset(names.partitions[each] for each in (*found, *partitions))


def _replicas(action: str, params: Mapping[str, Value]) -> tuple[Value, ...]:
    """The replicas of a topic that a step creates."""
    return tuple(params[each] for each in _CREATED[action])


def _created(evidence: Evidence, scope: Scope) -> frozenset[tuple[Value, ...]]:
    """The partitions with the replicas that they can have been created with, as numbers of the model.

    Raises:
        NotDecidedError: a partition has more replicas than the model gives it.
    """
    numbers = {broker: number for number, broker in enumerate(evidence.names.brokers)}
    found: set[tuple[Value, ...]] = set()
    for index, partition in enumerate(evidence.names.partitions):
        for brokers in _lists(evidence, partition, scope):
            if len(brokers) > len(PLACES):
                name = "{}-{}".format(*partition)
                raise NotDecidedError(
                    f"{name} has {len(brokers)} replicas; the model's partitions have {len(PLACES)} at most"
                )
            found.add((index, *(numbers[each] for each in brokers)))
    return frozenset(found)


def _topics(names: Names) -> tuple[int, ...]:
    """Of each partition the one that stands for its topic: the first."""
    first: dict[str, int] = {}
    return tuple(first.setdefault(topic, number) for number, (topic, _) in enumerate(names.partitions))


def _joins(topics: tuple[int, ...], params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
    """Which partitions are of one topic is settled before anything happens, one partition after the other."""
    now, p = state["topic_of"], params["p"]
    in_turn = topics[p] == params["of_topic"] and now[:p] == topics[:p]
    return bool(in_turn and state["controller_epoch"] == 0)


def _is_first_answer(params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
    """Of the live brokers that were asked to delete replicas one is the first to answer: they all do, in any order."""
    asked, answering = state["asked_to_delete"][params["c"]], state["registered"] & state["live"][params["c"]]
    waiting = ((p, b) for p, brokers in enumerate(asked) for b, is_asked in enumerate(brokers) if is_asked)
    first = next((each for each in waiting if each[1] in answering), None)
    return bool(first == (params["p"], params["b"]))


def _elections(evidence: Evidence) -> May:
    """Partitions are asked for in turn, when the controller that elects them can, and elected when all are.

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


def _failures(evidence: Evidence) -> May:
    """Log directories fail whose replicas are marked as offline, and what controllers tell of them is what they did."""
    names, told = evidence.names, evidence.directories
    partitions = {key: number for number, key in enumerate(names.partitions)}
    marked = {of: [frozenset(partitions[key] for key in keys) for keys in each] for of, each in told.marked.items()}

    def fails(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        if action == "AskForDirectories":
            heeded, now = told.heeded, frozenset(names.brokers[each] for each in state["told_of_failures"])
            return heeded is None or now in heeded.get(names.brokers[params["c"]], ())
        b = params["b"]
        if action == "TellOfDirectory":
            return names.brokers[b] in told.brokers and b not in state["told_of_failures"]
        if action == "FailDirectory":
            key = names.partitions[params["p"]]
            return (names.brokers[b], key) in told.offline and params["p"] not in state["failed"][b]
        news = state["storage_errors"][params["c"]][b]
        found = marked.get((names.brokers[params["c"]], names.brokers[b]), ())
        if action == "MarkOffline":
            return news in found
        return any(news | {params["p"]} <= each for each in found)

    return fails


def _leader_epoch(state: Mapping[str, Value], partition: int) -> int:
    """The leader epoch in ZooKeeper; where there is none, one that no election follows."""
    held = state["znode"][partition]
    return -2 if held is None else held[2]


def shown(evidence: Evidence, scope: Scope = NARROWEST) -> May:
    """Changes of ISRs by leaders of which later lines tell, by the version of the znode; new topics; and elections
    that are asked for. `scope`: see `parts`."""
    names = evidence.names
    elects, topics = _elections(evidence), _topics(names)
    created, together = _created(evidence, scope), evidence.partitions.created_together

    def is_spoken_of(acting: Value, new: Collection[Key], state: Mapping[str, Value]) -> bool:
        """The acting controller speaks of partitions that it does not know yet, and of their creation no line tells."""
        if acting is None:
            return False
        return set(new) <= evidence.partitions.spoken_of.get(state["epoch"][acting], frozenset())

    def is_shown(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
        if action in _CREATED:
            if (params["p"], *_replicas(action, params)) not in created:
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
            return _joins(topics, params, state)
        if action not in _UNSEEN:
            return False
        _, isr, epoch, version, *_ = state["znode"][params["p"]]
        new = _changed(names, action, params, isr)
        key = names.partitions[params["p"]]
        if (epoch, new) in evidence.partitions.isrs.get(key, {}).get(version + 1, ()):
            return True
        return evidence.partitions.must_be_unseen(key, epoch, version + 1, new)

    return is_shown


def _are_in_turn(replicas: Sequence[int]) -> bool:
    """Of brokers that are never there one is like another: the first ones stand for all."""
    absent = [each for each in replicas if each <= UNSEEN]
    return absent == [UNSEEN - number for number in range(len(absent))]


def _changed(names: Names, action: str, params: Mapping[str, Value], isr: frozenset[int]) -> frozenset[int]:
    """The ISR, in ids of brokers, after a leader changes it."""
    who = {params["one"], params.get("other", params["one"])}
    return frozenset(names.brokers[each] for each in (isr - who if action == _SHRINKS else isr | who))


def _lists(evidence: Evidence, partition: Key, scope: Scope) -> Iterator[tuple[int, ...]]:
    """The replicas with which a topic can have been created; where nothing tells, those that are named, and others."""
    known, members = evidence.partitions.assignments[partition], evidence.partitions.unlisted.get(partition)
    yield from known
    if members is None and known:
        return
    if members is None:
        members = evidence.partitions.members(partition)
    if scope.replicas and _is_deleted(evidence, partition[0]):
        members = frozenset()  # of several lives no line may tell all: each has some of them
    usual = (1, 2) if len(members) <= 1 else (len(members),)
    all_may_be_there = not begins(evidence)
    for many in range(1, len(PLACES) + 1) if scope.replicas else usual:
        lists = itertools.permutations(evidence.names.brokers, many)
        yield from (each for each in lists if members <= set(each) and (all_may_be_there or _are_in_turn(each)))
