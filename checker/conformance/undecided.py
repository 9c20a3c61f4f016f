"""Events of a log that the model `cluster` does not follow: lines from there on say nothing of the cluster."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from ...model.cluster.effects import ISR, PREFERRED, REQUESTS
from ...model.cluster.state import DIRECTORIES, RESTARTS, UNSEEN_DIRECTORIES, UNSEEN_MOVES
from ...specs.lines import rows
from ...traces.events.event import Event
from .directories import FAILED
from .evidence import REGISTERED, TRIED, Evidence
from .lines import PlacedEvent, key_of
from .live import LIVE_FOUND
from .looks import ELECTION
from .validate import Beyond, Validation

Bears = Callable[[Event], bool]
"""A check whether an event that is not followed bears on a line."""


def beyond(evidence: Evidence, parts: Collection[str], lines: Sequence[PlacedEvent]) -> list[Beyond]:
    """Return the events that the model does not follow, each with the first line that it bears on; in line order."""
    found: dict[int, Beyond] = {}
    for bears, reason in _reasons(evidence, parts):
        number = next((number for number, line in enumerate(lines) if bears(line.event)), None)
        if number is not None:
            found.setdefault(number, Beyond(number, reason))
    return [found[each] for each in sorted(found)]


def undecided(evidence: Evidence, parts: Collection[str], verdict: Validation) -> str:
    """Return why a line that no run writes says nothing of the cluster; "" if it does."""
    first = evidence.partitions.isr_changes_begin
    if ISR not in parts and first is not None and verdict.matched >= first:
        return "a leader changed an ISR before this line, and the compared lines do not show it: try --brokers"
    if ISR not in parts and _elects_from_another_isr(evidence, verdict):
        return "a leader changed the ISR before this election, and the lines do not show how: try --brokers"
    large = [] if evidence.has_controller_log else sorted(evidence.partitions.large_deleted)
    if large:
        return f"{large[0]} has several partitions and is deleted, and only controller.log shows when"
    if evidence.partitions.not_listed:
        topic, number = min(evidence.partitions.not_listed)
        return f"{verdict.reason}; no line lists the replicas of {topic}-{number}: it may have more than the lines name"
    if _may_ask_for_directories(evidence, verdict):
        return "a failed log directory may have been reported to the controller, which only server.log shows"
    other = _beside(evidence, verdict) if REQUESTS in parts else None
    if other is not None:
        return f"{other.place} has the same millisecond, so the order of the two is not known"
    return ""


def _may_ask_for_directories(evidence: Evidence, verdict: Validation) -> bool:
    """Check whether the line moves an online replica to its own state, which asks its broker for failed directories.

    Up to 2.1 no controller prints that; its broker does, in server.log.
    """
    event = next((each.event for each in evidence.compared if each.place == verdict.place), None)
    if event is None or (event.from_state, event.to_state) != ("OnlineReplica", "OnlineReplica"):
        return False
    told = {each.event.speaker for each in evidence.seen if rows()[each.event.row].family is None}
    return evidence.directories.heeded is None and event.replica not in told


def _elects_from_another_isr(evidence: Evidence, verdict: Validation) -> bool:
    """Check that the line is of an election, and that lines not compared show an ISR changed by a leader by then."""
    event = next((each.event for each in evidence.compared if each.place == verdict.place), None)
    if event is None or event.row not in TRIED:
        return False
    since = {key: time for key, time in evidence.partitions.other_isr_changes.items() if key == key_of(event)}
    return any(time <= (event.ts or time) for time in since.values())


def _beside(evidence: Evidence, verdict: Validation) -> PlacedEvent | None:
    """Return a line of another file with the time of the rejected one: files are merged by time."""
    line = next((each for each in evidence.with_brokers if each.place == verdict.place), None)
    if line is None or line.event.ts is None:
        return None
    others = (each for each in evidence.with_brokers if each.place.file != line.place.file)
    return next((each for each in others if each.event.ts == line.event.ts), None)


def _reasons(evidence: Evidence, parts: Collection[str]) -> Iterator[tuple[Bears, str]]:
    """Yield what is not followed: the lines that it bears on, and the reason in words."""
    partitions = evidence.partitions
    other = partitions.reassigned
    if other is not None and UNSEEN_MOVES not in parts:
        listed = ", ".join(map(str, other.replicas or ()))
        what = f"{other.topic}-{other.partition} gets the replicas {listed}: validate does not follow reassignments"
        yield partial(_since, other), what
    for event in () if {UNSEEN_DIRECTORIES, DIRECTORIES} & {*parts} else evidence.of(*FAILED):
        yield partial(_since, event), "a log directory had failed by then, which validate does not follow"
    for event in evidence.of(ELECTION):
        if event.strategy == "UNCLEAN":
            yield (
                partial(_since, event),
                "unclean elections of some partitions were requested, which validate does not follow",
            )
    if PREFERRED in parts:
        what = (
            "preferred leaders of some partitions were to be elected; the model elects those of all partitions at once"
        )
        yield from ((partial(_since, each), what) for each in _elected_apart(evidence))
        again = partitions.elected_again
        if again is not None:
            what = (
                f"{again.topic}-{again.partition} gets the leader that it already has; the model's elections leave "
                "such partitions alone"
            )
            yield partial(_since, _asked_before(evidence, again)), what
    for epoch, began in sorted(_beginnings(evidence).items()):
        what = f"controller epoch {epoch} had begun by then: validate does not follow a deposed controller that goes on"
        yield partial(_deposed, epoch, began), what
    follows = {REQUESTS, RESTARTS} & {*parts}
    for event in () if follows else (each.event for each in evidence.seen if each.event.bounced_brokers):
        listed = ", ".join(map(str, event.bounced_brokers or ()))
        yield partial(_since, event), f"broker {listed} was back before its loss was noticed: try --brokers"
    if REQUESTS in parts:
        for broker, event in _sessions_lost(evidence):
            what = f"broker {broker} had lost its ZooKeeper session and lived on, which is not in the model"
            yield partial(_since, event), what
        # No controller distinguishes dead brokers from those whose session alone was over, and which keep their state.
        for broker, event in () if evidence.registers else evidence.live.gone_and_back():
            what = f"broker {broker} was gone and came back: only server.log shows whether it was dead"
            yield partial(_since, event), what


def _since(event: Event, line: Event) -> bool:
    return (line.ts or 0) >= (event.ts or 0)


def _deposed(epoch: int, began: int, line: Event) -> bool:
    """Check whether a line is of an earlier controller than an epoch's, written after that epoch began."""
    is_controller, its = rows()[line.row].speaker == "controller", line.controller_epoch
    return is_controller and its is not None and its < epoch and line.ts is not None and line.ts >= began


def _beginnings(evidence: Evidence) -> dict[int, int]:
    """Return controller epoch -> the first time a controller prints it, by the clocks of brokers."""
    found: dict[int, int] = {}
    for event in (each.event for each in evidence.seen):
        epoch, now = event.controller_epoch, event.ts
        if rows()[event.row].speaker == "controller" and epoch is not None and now is not None:
            found[epoch] = min(now, found.get(epoch, now))
    return found


def _elected_apart(evidence: Evidence) -> Iterator[Event]:
    """The lines in which preferred leaders of some partitions, not of all, are asked for."""
    for event in evidence.of(ELECTION):
        if event.detail and len(set(event.detail.split(","))) < len(evidence.names.partitions):
            yield event


def _asked_before(evidence: Evidence, elected: Event) -> Event:
    """Return the line in which an election was asked for, or that of the election where there is none."""
    before = (each for each in evidence.of(ELECTION) if each.controller == elected.controller and _since(each, elected))
    return max(before, key=lambda each: each.ts or 0, default=elected)


def _sessions_lost(evidence: Evidence) -> Iterator[tuple[int, Event]]:
    """Yield brokers that registered anew without a start of their process, and the first line that shows them gone.

    That is the controller's line of the brokers that it no longer found live; or else the registration.
    """
    started: set[str] = set()
    gone: dict[int, Event] = {}
    for each in sorted(evidence.seen, key=lambda one: one.event.ts or 0):
        row, broker = each.event.row, each.event.speaker
        if row == "process-starts":
            started.add(each.place.file)
        elif row in LIVE_FOUND:
            gone |= dict.fromkeys(each.event.deleted_brokers or (), each.event)
        elif row == REGISTERED and broker is not None:
            told = gone.pop(broker, each.event)
            if each.place.file not in started:
                yield broker, told
            started.discard(each.place.file)
