"""Faults of controllers: in their epochs, their start, and their lines about deleted topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from isrproof.specs.behaviours import behaviour
from isrproof.traces.events.event import Event

from .echoes import Echoes
from .recording import (
    CACHED,
    CREATED,
    ELECTED,
    LEADER_AND_ISR_SENT,
    MOVED,
    REMOVED,
    REQUEST_RECEIVED,
    STOPPED,
    UPDATE_METADATA_SENT,
    ControllerLine,
    Edit,
    Fault,
    Recording,
)
from .views import DELETING, NOBODY, View, printed

_FEW = 3


def epoch_falls(recording: Recording) -> Iterator[Fault]:
    """A controller writes under an earlier epoch for some lines, then goes on under its own."""
    echoes = Echoes.of(recording)
    for (file, epoch), lines in recording.tenures().items():
        dated = [one for one in lines if one.event.controller_epoch == epoch]
        for at in range(1, len(dated) - _FEW):
            few = dated[at : at + _FEW]
            # Epoch 1 and a new topic are the signs of a new cluster, not of a fall.
            if any(one.event.row in CREATED for one in few):
                continue
            edits = tuple(edit for one in few for edit in echoes.changed(one, controller_epoch=epoch - 1))
            yield Fault(file, few[0].line, f"controller epoch {epoch - 1} after {epoch}, for {_FEW} lines", edits)


def interleaved(recording: Recording) -> Iterator[Fault]:
    """The controller of an earlier epoch writes the next version of a partition after a later one wrote it."""
    last: dict[str, View] = {}
    for view in printed(recording):
        if view.event.partition_epoch is not None:
            last[view.name] = view
    for view in last.values():
        written = [e for e in (*view.earlier, view.event) if e.row in ELECTED]
        if not written or written[-1].partition_epoch != view.event.partition_epoch or view.leader < 0:
            continue
        for (file, epoch), lines in recording.tenures().items():
            mine = [one for one in lines if _is_state_of(one, view)]
            by_later = (written[-1].controller_epoch or 0) > epoch
            if not by_later or lines[-1].controller == view.origin.controller or not mine:
                continue
            if mine[-1].event.to_state != "OnlinePartition":
                continue
            end = lines[-1]
            event = replace(
                written[-1],
                ts=end.event.ts,
                controller=end.controller,
                controller_epoch=epoch,
                from_state="OnlinePartition",
                leader_epoch=view.epoch + 1,
                partition_epoch=(view.event.partition_epoch or 0) + 1,
            )
            what = f"{view.name}: controller epoch {epoch} writes version {event.partition_epoch}"
            edits = (Edit(file, _end(recording, end), event, added=True),)
            created = min(e.controller_epoch or 0 for e in (*view.earlier, view.event))
            anew = "the topic was created again under the later controller: the line passes for one of the topic before"
            yield Fault(file, _end(recording, end) + 1, what, edits, anew if created > epoch else None)


def _is_state_of(one: ControllerLine, view: View) -> bool:
    same = (one.event.topic, one.event.partition) == (view.event.topic, view.event.partition)
    return same and one.event.row in MOVED["partition"]


def _end(recording: Recording, one: ControllerLine) -> int:
    """Return the line with which a message ends: a throwable follows an ERROR."""
    lines, line = recording.files[one.file], one.line
    while line < len(lines) and not lines[line].startswith("["):
        line += 1
    return line


def dropped_offline_pass(recording: Recording) -> Iterator[Fault]:
    """A new controller does not remove the dead leader before it looks for another: as up to 2.2 (KAFKA-3143).

    The lines that move the partition's replicas to OfflineReplica are missing, alone or with their consequences; the
    election that fails shows it.
    """
    if behaviour("KAFKA-3143").releases & recording.release.mask:
        return
    leaders: dict[str, int] = {}
    found_leader: dict[tuple[str, int, str], int] = {}
    begun: set[tuple[str, int, str]] = set()
    passed: dict[tuple[str, int, str], list[ControllerLine]] = {}
    for one in recording.by_controllers:
        event = one.event
        if event.topic is None:
            continue
        name = f"{event.topic}-{event.partition}"
        key = (one.file, one.epoch, name)
        dead = found_leader.setdefault(key, leaders.get(name, NOBODY))
        taken_out = event.to_state == "OfflineReplica"
        if key not in begun and (
            taken_out or (key in passed and event.row in UPDATE_METADATA_SENT + REMOVED + LEADER_AND_ISR_SENT)
        ):
            passed.setdefault(key, []).append(one)
        if event.leader is not None and event.leader != DELETING:
            leaders[name] = event.leader
        if event.row in STOPPED["partition"] and key not in begun and dead != NOBODY:
            whole = passed.get(key, [])
            alone = [each for each in whole if each.event.to_state == "OfflineReplica"]
            for lines in (whole, alone) if len(alone) < len(whole) else (whole,):
                if any(each.event.replica == dead for each in lines):
                    gone = sorted({*(each.line for each in lines), *_answers(recording, lines)})
                    edits = tuple(Edit(one.file, line, None) for line in gone)
                    seen = (one.file, one.epoch) in recording.begun
                    hidden = None if seen else "the file does not show that the epoch began here"
                    what = f"{name}: controller epoch {one.epoch} leaves broker {dead} as leader, which is dead"
                    yield Fault(one.file, one.line - sum(line < one.line for line in gone), what, edits, hidden)
        if event.row in MOVED["partition"] + STOPPED["partition"]:
            begun.add(key)


def _answers(recording: Recording, lines: Sequence[ControllerLine]) -> Iterator[int]:
    """Return the lines in which the controller's own broker caches the requests of these lines of one file."""
    sent = {_state(each.event) for each in lines if each.event.row in UPDATE_METADATA_SENT}
    for line, event in recording.events[lines[0].file] if lines else ():
        if event.row in CACHED and _state(event) in sent:
            yield line


def _state(event: Event) -> tuple[object, ...]:
    return event.controller_epoch, event.topic, event.partition, event.leader, event.leader_epoch, event.isr


def leader_after_deletion_mark(recording: Recording) -> Iterator[Fault]:
    """UpdateMetadata names a leader again after it had marked the partition as being deleted."""
    echoes = Echoes.of(recording)
    for lines in recording.tenures().values():
        led: dict[tuple[object, object], ControllerLine] = {}
        for one in lines:
            event = one.event
            key = (event.topic, event.partition)
            if event.row not in UPDATE_METADATA_SENT or event.row in REQUEST_RECEIVED:
                continue
            if event.leader is not None and event.leader >= 0:
                led[key] = one
            elif event.leader == DELETING and key in led:
                again = replace(led[key].event, ts=event.ts)
                what = f"{event.topic}-{event.partition}: leader {again.leader} after -2"
                cached = (Edit(f, n, _with_state(e, again), added=True) for f, n, e in echoes.of_line(one))
                yield Fault(one.file, one.line + 1, what, (Edit(one.file, one.line, again, added=True), *cached))


def _with_state(event: Event, other: Event) -> Event:
    return replace(
        event,
        leader=other.leader,
        isr=other.isr,
        leader_epoch=other.leader_epoch,
        partition_epoch=other.partition_epoch,
        written_by_epoch=other.written_by_epoch,
        replicas=other.replicas,
    )
