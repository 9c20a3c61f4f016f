"""Lines that print a state because another line did: an elected state is sent, a sent state is received and cached."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from isrproof.traces.events.event import Event

from .recording import (
    CACHED,
    LEADER_AND_ISR_RECEIVED,
    LEADER_AND_ISR_SENT,
    UPDATE_METADATA_SENT,
    WRITTEN,
    ControllerLine,
    Edit,
    Recording,
)

_SENT = LEADER_AND_ISR_SENT + UPDATE_METADATA_SENT
_RECEIVED = LEADER_AND_ISR_RECEIVED + CACHED
_STATE = ("leader", "leader_epoch", "isr", "partition_epoch")
_Key = tuple[object, ...]


@dataclass(frozen=True)
class Echoes:
    """The states that controllers write and send for each partition, and those that each broker receives, in the order
    of lines."""

    printed_by: Mapping[_Key, Sequence[ControllerLine]]
    received: Mapping[_Key, Sequence[tuple[str, int, Event]]]

    @staticmethod
    def of(recording: Recording) -> Echoes:
        printed_by: dict[_Key, list[ControllerLine]] = defaultdict(list)
        received: dict[_Key, list[tuple[str, int, Event]]] = defaultdict(list)
        for one in recording.by_controllers:
            if one.event.row in WRITTEN + _SENT:
                printed_by[one.file, one.epoch, one.event.topic, one.event.partition].append(one)
        for path, events in recording.events.items():
            for line, event in events:
                if event.row in _RECEIVED:
                    received[(event.speaker, *_request(event, event.row in CACHED))].append((path, line, event))
        return Echoes(printed_by, received)

    def changed(self, one: ControllerLine, **fields: object) -> tuple[Edit, ...]:
        """Return a line with other values, and all that print its state because of it with the same values."""
        lines = {(one.file, one.line): one.event} | {(file, line): event for file, line, event in self.of_line(one)}
        return tuple(Edit(file, line, _changed(event, fields)) for (file, line), event in lines.items())

    def of_line(self, one: ControllerLine) -> Iterator[tuple[str, int, Event]]:
        if one.event.row in WRITTEN:
            for sent in self._sent_after(one):
                yield sent.file, sent.line, sent.event
                yield from self.of_line(sent)
        elif one.event.row in _SENT:
            for broker in _recipients(one.event):
                yield from self._received_by(broker, one)

    def _sent_after(self, one: ControllerLine) -> Iterator[ControllerLine]:
        """Return the requests after a write, up to the next one."""
        for other in self.printed_by[one.file, one.epoch, one.event.topic, one.event.partition]:
            if other.line > one.line and other.event.row in WRITTEN:
                return
            if other.line > one.line and _same(one.event, other.event):
                yield other

    def _received_by(self, broker: int, one: ControllerLine) -> Iterator[tuple[str, int, Event]]:
        """Return the received line; as the same state may be sent several times, the line with the same number."""
        cached = one.event.row in UPDATE_METADATA_SENT
        printed_by = self.printed_by[one.file, one.epoch, one.event.topic, one.event.partition]
        of_kind = UPDATE_METADATA_SENT if cached else LEADER_AND_ISR_SENT
        equal = [
            each.line
            for each in printed_by
            if each.event.row in of_kind and broker in _recipients(each.event) and _same(each.event, one.event)
        ]
        event = replace(one.event, controller_epoch=one.epoch)
        received = [each for each in self.received[(broker, *_request(event, cached))] if _same(each[2], one.event)]
        yield from received[equal.index(one.line) :][:1]


def _changed(event: Event, fields: Mapping[str, object]) -> Event:
    """Return the line with other values."""
    printed = {name: value for name, value in fields.items() if getattr(event, name) is not None}
    return replace(event, **printed)  # type: ignore[arg-type]


def _request(event: Event, cached: bool) -> _Key:
    return event.controller, event.controller_epoch, event.topic, event.partition, cached


def _recipients(event: Event) -> tuple[int, ...]:
    return event.recipients or (() if event.recipient is None else (event.recipient,))


def _same(one: Event, other: Event) -> bool:
    """Return True if two lines print one state, as far as both print it."""
    pairs = ((getattr(one, name), getattr(other, name)) for name in _STATE)
    return all(mine == theirs for mine, theirs in pairs if mine is not None and theirs is not None)
