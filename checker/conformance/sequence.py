"""Sequence diagrams of logs: each step of controllers; of a long log, and of KRaft, what the cluster went through."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ...specs.errors import IsrproofError
from ...traces.events.event import Event
from ..audit.command import audit
from ..audit.options import Options
from ..audit.report.happened_text import Line, chosen, lines
from ..audit.report.shown import printed
from ..diagram.sequence import BAD, GOOD, PLAIN, Happening, SequenceDrawing
from . import read
from .evidence import Evidence
from .lines import PlacedEvent
from .names import NO_LEADER

MOST_STEPS = 200
"""The most notes and arrows that are drawn one by one; of more, the spells are drawn."""

_DEATH = ("is dead, says the controller",)
_RED = "Red: a broker died, or something failed."
_TROUBLE = "Red: trouble."


def draw(paths: Sequence[str], title: str | None, options: Options, by_spells: bool = False) -> SequenceDrawing:
    """The diagram of a log, in the order of its times.

    Args:
        title: its title; None: one that says what is drawn.
        options: the partition and the times to draw.
        by_spells: draw what the cluster went through, also where the steps are few.

    Raises:
        IsrproofError: the log has nothing to draw.
    """
    steps = [] if by_spells else _steps_of(paths, options)
    if 0 < len(steps) <= MOST_STEPS:
        return _drawn(
            title or "What the controllers did", ("Each step that the controllers print.", _RED), steps, "broker"
        )
    found = [each for report in audit(paths, options) for each in report.happened]
    every = lines(found)
    if not every:
        raise IsrproofError("nothing in this log shows what happened to a cluster; expected logs of brokers or nodes")
    shown = chosen(every, MOST_STEPS)
    caption = ["What happened to the cluster, each kind of it once; `isrproof audit` names the lines.", _TROUBLE]
    if len(steps) > MOST_STEPS:
        caption.insert(0, f"{len(steps):,} steps of controllers are too many to draw, so these are spells.")
    if len(shown) < len(every):
        caption.append(f"Left out: {len(every) - len(shown):,} others, which are no trouble.")
    return _drawn(title or "What the cluster went through", tuple(caption), [_spell(each) for each in shown], "node")


def _steps_of(paths: Sequence[str], options: Options) -> list[Happening]:
    try:
        seen = read.read(paths).seen
    except IsrproofError:  # no lines of controllers: metadata logs, say, of which the audit knows more
        return []
    return _in_turn(seen, options)


def _in_turn(seen: Iterable[PlacedEvent], options: Options) -> list[Happening]:
    in_turn = sorted((each.event for each in seen), key=lambda event: event.ts or 0)
    return [step for event in in_turn if _is_asked_for(event, options) for step in _steps(event)]


def without_times(evidence: Evidence, title: str, partition: tuple[str, int] | None = None) -> SequenceDrawing:
    """The diagram of a log's steps beside that of another: only what happens, all alike."""
    steps = _in_turn(evidence.seen, Options(partition=partition))
    told = [replace(each, time="", kind=PLAIN) for each in steps if each.lines != _DEATH]
    return _drawn(title, (), told, "broker")


def _is_asked_for(event: Event, options: Options) -> bool:
    if options.partition is not None and event.topic is not None and _key(event) != options.partition:
        return False
    begins, ends = options.since, options.until
    if event.ts is None:
        return begins is None and ends is None
    return (begins is None or event.ts >= begins) and (ends is None or event.ts <= ends)


def _key(event: Event) -> tuple[str | None, int | None]:
    return event.topic, event.partition


def _drawn(title: str, caption: tuple[str, ...], steps: Sequence[Happening], word: str) -> SequenceDrawing:
    """The diagram of some happenings, with a lane for each that they name: brokers by id, the cluster at the end."""
    ids = sorted({lane for step in steps for lane in step.lanes}, key=lambda lane: (lane == CLUSTER, len(lane), lane))
    lanes = tuple((lane, "cluster" if lane == CLUSTER else f"{word} {lane[1:]}") for lane in ids)
    if not any(step.kind == BAD for step in steps):
        caption = tuple(each for each in caption if each not in (_RED, _TROUBLE))
    return SequenceDrawing(title, caption, lanes, tuple(steps))


CLUSTER = "cluster"
"""The lane of what happened to no single node."""


def _spell(line: Line) -> Happening:
    node = line.first.node
    kind = BAD if line.trouble else PLAIN
    return Happening((line.sentence,), (CLUSTER if node is None else f"B{node}",), kind=kind, time=_clock(line.when))


def _clock(time: str) -> str:
    """The time of a day; the date is the same on most lines."""
    return time.replace("T", " ").rpartition(" ")[2]


def _steps(event: Event) -> Iterator[Happening]:
    """Yield a note or an arrow, if the line is one that is drawn."""
    controller, word = event.controller, _WORDS.get(event.row)
    time = "" if event.ts is None else _clock(printed(event.ts))
    if word is not None and controller is not None:
        kind = BAD if event.row in _FAILURES or event.deleted_brokers else GOOD if event.row in _TENURES else PLAIN
        yield Happening(tuple(word(event).split("\n")), (f"B{controller}",), kind=kind, time=time)
        for each in event.deleted_brokers or ():
            yield Happening(_DEATH, (f"B{each}",), kind=BAD, time=time)
    elif event.row == "leader-and-isr-sent" and controller is not None and event.recipient is not None:
        role = "lead" if event.kind == "become-leader" else "follow"
        text = f"{role} {_where(event)}, leader epoch {event.leader_epoch}"
        yield Happening((text,), (f"B{controller}", f"B{event.recipient}"), is_arrow=True, time=time)


def _where(event: Event) -> str:
    """A partition."""
    return f"{event.topic}-{event.partition}"


def _state(event: Event) -> str:
    leader = "none" if event.leader == NO_LEADER else event.leader
    return f"leader {leader}, ISR {_ids(event.isr)}, leader epoch {event.leader_epoch}"


def _ids(brokers: Iterable[int] | None) -> str:
    return ", ".join(map(str, sorted(brokers or ()))) or "none"


def _replica_moves(event: Event) -> str:
    return f"replica {event.replica} of {_where(event)}\nfrom {event.from_state} to {event.to_state}"


def _partition_moves(event: Event) -> str:
    return f"{_where(event)}\nfrom {event.from_state} to {event.to_state}"


_WORDS: Mapping[str, Callable[[Event], str]] = {
    "controller-elected": lambda event: "is elected as the controller",
    "controller-ready": lambda event: f"is ready, epoch {event.controller_epoch}",
    "live-brokers": lambda event: f"live brokers {_ids(event.brokers)}",
    "live-brokers-changed": lambda event: (
        f"new brokers {_ids(event.new_brokers)}, dead {_ids(event.deleted_brokers)},\nlive {_ids(event.brokers)}"
    ),
    "replica-moved": _replica_moves,
    "replica-refused": lambda event: f"refused: {_replica_moves(event)}",
    "partition-created": _partition_moves,
    "partition-online": lambda event: f"{_partition_moves(event)},\n{_state(event)}",
    "partition-offline-or-gone": _partition_moves,
    "partition-refused": lambda event: f"failed: {_partition_moves(event)}",
}

_FAILURES = frozenset({"replica-refused", "partition-refused"})
_TENURES = frozenset({"controller-elected", "controller-ready"})
