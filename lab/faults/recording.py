"""A recording read for changing, the changes, and the changed recording written."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from isrproof.specs.errors import IsrproofError
from isrproof.specs.lines import rows_with
from isrproof.specs.lines.roles import ENTITIES, MOVES
from isrproof.specs.releases import Release, release
from isrproof.traces.events.event import Event
from isrproof.traces.events.parse import parse_line
from isrproof.traces.events.render import render
from isrproof.traces.sources.text import Lines

STATE_CHANGE = "state-change.log"
MOVED: Mapping[str, tuple[str, ...]] = {name: rows_with(*MOVES, entity=name) for name in ENTITIES}
"""Lines of a move that was made, by machine."""
STOPPED: Mapping[str, tuple[str, ...]] = {name: rows_with("move-refused", entity=name) for name in ENTITIES}
"""Lines of a move that was refused or failed, by machine."""
CREATED, ELECTED = rows_with("created"), rows_with("elected")
CACHED = ("metadata-cached",)
LEADER_AND_ISR_RECEIVED = ("leader-and-isr-received",)
LEADER_AND_ISR_SENT, UPDATE_METADATA_SENT = rows_with("leader-and-isr-sent"), rows_with("update-metadata-sent")
REASSIGNED, REMOVED = rows_with("reassigned"), rows_with("replica-removed")
WRITTEN = rows_with("elected", "reassigned", "replica-removed")
"""Lines that are printed after a write of the znode."""
REQUEST_RECEIVED = rows_with("request-received")
"""Lines in which a broker names a controller and its epoch."""
OF_BROKERS = rows_with(speaker="broker")


@dataclass(frozen=True)
class ControllerLine:
    """A line of state-change.log that a controller writes. `line` counts from 1.

    `epoch` is the controller's; if the line does not print it, that of the controller's previous line.
    """

    file: str
    line: int
    event: Event
    epoch: int

    @property
    def controller(self) -> int:
        assert self.event.controller is not None
        return self.event.controller


@dataclass(frozen=True)
class Edit:
    """A change of a line: it is replaced by the line of `event`, dropped (None), or followed by a new line."""

    file: str
    line: int
    event: Event | None
    added: bool = False


@dataclass(frozen=True)
class Fault:
    """Changes that make one thing wrong."""

    file: str
    line: int
    """The first line of the changed file that shows the fault."""
    what: str
    """The fault in a sentence."""
    edits: tuple[Edit, ...]
    hidden: str | None = None
    """The reason why the log cannot show it; None if it does."""


@dataclass(frozen=True)
class Recording:
    """The logs of all brokers; `files` are the lines by path, a .gz without its extension."""

    name: str
    release: Release
    level: str
    files: Mapping[str, tuple[str, ...]]

    @cached_property
    def events(self) -> Mapping[str, tuple[tuple[int, Event], ...]]:
        """Line and event of the state-change logs."""
        found = {}
        for path, lines in self.files.items():
            if path.endswith(STATE_CHANGE):
                parsed = ((number, parse_line(text)) for number, text in enumerate(lines, start=1))
                found[path] = tuple((number, event) for number, event in parsed if isinstance(event, Event))
        return found

    @cached_property
    def by_controllers(self) -> tuple[ControllerLine, ...]:
        """Lines of controllers, in the order of their epochs, then of the lines."""
        return tuple(sorted(self._by_controllers(), key=lambda one: (one.epoch, one.file, one.line)))

    def _by_controllers(self) -> Iterator[ControllerLine]:
        for path, events in self.events.items():
            last: dict[int, int] = {}
            for line, event in events:
                if event.row in OF_BROKERS or event.controller is None:
                    continue
                epoch = event.controller_epoch or last.get(event.controller)
                if epoch is not None:
                    last[event.controller] = epoch
                    yield ControllerLine(path, line, event, epoch)

    @cached_property
    def begun(self) -> frozenset[tuple[str, int]]:
        """(file, controller epoch) of the tenures that the file shows from their start: it has lines of an earlier
        one."""
        found = set()
        for path, events in self.events.items():
            earlier: set[int] = set()
            for _, event in events:
                epoch = event.controller_epoch
                if epoch is None:
                    continue
                if event.row not in OF_BROKERS and any(e < epoch for e in earlier):
                    found.add((path, epoch))
                earlier.add(epoch)
        return frozenset(found)

    @cached_property
    def brokers(self) -> tuple[int, ...]:
        """The ids that any assignment or speaker names."""
        ids: set[int] = set()
        for one in self.by_controllers:
            ids |= {one.controller, *(one.event.replicas or ()), *(one.event.isr or ())}
        return tuple(sorted(ids))

    def tenures(self) -> Mapping[tuple[str, int], list[ControllerLine]]:
        """Lines of each controller, by file and epoch."""
        found: dict[tuple[str, int], list[ControllerLine]] = defaultdict(list)
        for one in self.by_controllers:
            found[one.file, one.epoch].append(one)
        return found


def load(folder: Path) -> Recording:
    """Return the recording in a folder that `isrproof record` made.

    Raises:
        IsrproofError: the folder has no manifest, or a file of it cannot be read.
    """
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except OSError as error:
        raise IsrproofError(f"{folder}: expected a recording with a manifest.json ({error.strerror}).") from None
    files = {}
    for path in sorted([*folder.glob("broker-*/*.log"), *folder.glob("broker-*/*.log.gz")]):
        lines = Lines(str(path))
        files[path.relative_to(folder).as_posix().removesuffix(".gz")] = tuple(lines)
        if lines.problem is not None:
            raise IsrproofError(f"{path}: {lines.problem}.")
    return Recording(folder.name, release(manifest["kafka"]), manifest["state_change_level"], files)


def write(recording: Recording, folder: Path, fault: Fault | None = None) -> None:
    """Write the recording's logs under `folder`, with the fault planted.

    Raises:
        IsrproofError: the release does not print a changed event as it is.
    """
    edits = () if fault is None else fault.edits
    for path, lines in recording.files.items():
        made = list(lines)
        for edit in sorted((each for each in edits if each.file == path), key=lambda each: each.line)[::-1]:
            at = slice(edit.line, edit.line) if edit.added else slice(edit.line - 1, edit.line)
            made[at] = [] if edit.event is None else [_text(recording, edit.event)]
        file_path = folder / path
        file_path.parent.mkdir(parents=True, exist_ok=True)
        if file_path.suffix == ".gz":
            file_path.write_bytes(gzip.compress("\n".join(made).encode()))
        file_path.write_text("".join(line + "\n" for line in made), encoding="utf-8")


def can_be_written(recording: Recording, fault: Fault) -> bool:
    """Return True if the release prints each changed event as it is."""
    events = (edit.event for edit in fault.edits if edit.event is not None)
    return all(parse_line(render(event, recording.release.name)) == event for event in events)


def _text(recording: Recording, event: Event) -> str:
    text = render(event, recording.release.name)
    if parse_line(text) != event:
        raise IsrproofError(f"Expected a line of {recording.release.name} that says {event}, got {text!r}.")
    return text
