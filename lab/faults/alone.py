"""Planted lines in milliseconds of their own.

A line that is planted into the millisecond of others may have been written before or after them, and no line shows
which.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from .recording import Edit, Fault, Recording

_TIME = re.compile(r"^\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\]")
_FORMAT = "%Y-%m-%d %H:%M:%S,%f"
_STEP = 3


def alone(recording: Recording, fault: Fault) -> tuple[Recording, Fault]:
    """Return the same fault in a recording in which no other line has the time of a planted one.

    A planted line comes a millisecond later than it would, and its broker's later lines _STEP later.
    """
    files, edits = dict(recording.files), []
    shifted: dict[str, int] = {}
    for edit in sorted(fault.edits, key=lambda edit: (edit.file, edit.line)):
        if edit.event is None or edit.event.ts is None:
            edits.append(edit)
            continue
        late = shifted.get(edit.file, 0)
        edits.append(replace(edit, event=replace(edit.event, ts=edit.event.ts + late + 1)))
        shifted[edit.file] = late + _STEP
        files.update(list(_later(files, edit)))
    return replace(recording, files=files), replace(fault, edits=tuple(edits))


def _later(files: Mapping[str, tuple[str, ...]], edit: Edit) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return the files of the edit's broker, with later times below its line, and in others after its time."""
    here, now = files[edit.file], _time(files[edit.file][edit.line - 1])
    kept = edit.line if edit.added else edit.line - 1
    yield edit.file, (*here[:kept], *map(_moved, here[kept:]))
    for path, lines in files.items():
        if path != edit.file and path.rpartition("/")[0] == edit.file.rpartition("/")[0]:
            yield path, tuple(_moved(line) if now < _time(line) else line for line in lines)


def _time(line: str) -> str:
    found = _TIME.match(line)
    return found[1] if found else ""


def _moved(line: str) -> str:
    found = _TIME.match(line)
    if found is None:
        return line
    later = datetime.strptime(found[1], _FORMAT) + timedelta(milliseconds=_STEP)
    return f"[{later.strftime(_FORMAT)[:-3]}]{line[found.end() :]}"
