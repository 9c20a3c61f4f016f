"""The lines of logs that are understood, as evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...specs.errors import IsrproofError
from ...specs.lines import STATE_CHANGE, rows
from ...specs.machines import LEVELS
from ...specs.releases import ALL, Release, latest, names
from ...traces.events.event import Event
from ...traces.events.parse import parse_line
from ...traces.formats.detect import detect, holds_lines
from ...traces.formats.reading import PARTS, Unwrapped
from ...traces.place import Place
from ...traces.sources.paths import Source, expand
from ...traces.sources.text import Lines
from .evidence import Evidence
from .lines import PlacedEvent


def read(paths: Sequence[str]) -> Evidence:
    """Return the evidence of all understood lines of some files and folders.

    Raises:
        IsrproofError: a path does not exist, a file cannot be read, or no line is understood.
    """
    seen: list[PlacedEvent] = []
    count = 0
    for _, sources in expand(paths, holds_lines=holds_lines):
        for source in sources:
            for place, text in _lines(source):
                count += 1
                event = parse_line(text)
                if isinstance(event, Event):
                    seen.append(PlacedEvent(place, event))
    if not seen:
        raise IsrproofError(f"no line of {', '.join(paths)} is one that a controller or broker of Kafka prints")
    return Evidence(seen, count)


def _lines(source: Source) -> Iterator[tuple[Place, str]]:
    """Yield the lines of the log in a file, whatever their envelope."""
    reading = detect(source.there).reading
    bare = Lines(source.there)
    if reading.native:
        yield from ((Place(source.path, number), text) for number, text in enumerate(bare, start=1))
        problem = bare.problem
    else:
        unwrapped = Unwrapped(bare, reading)
        for _, at, text in unwrapped:
            number, part = divmod(at, PARTS)
            yield Place(source.path, number, part=part + 1 if part else None), text
        problem = unwrapped.problem
    problem = source.problem or problem
    if problem is not None:
        raise IsrproofError(f"{source.path}: {problem}")


def release_of(evidence: Evidence, known: int) -> Release:
    """Return the newest release with rows in a model that prints all lines as they are.

    Raises:
        IsrproofError: there is none.
    """
    mask = ALL
    for each in evidence.seen:
        mask &= each.event.releases or ALL
    if not mask & known:
        raise IsrproofError(
            f"the wording is that of {names(mask) if mask else 'no single release'}; the model has rows for "
            f"{names(known)}"
        )
    return latest(mask & known)


def level_of(evidence: Evidence, release: Release) -> str:
    """The level of state.change.logger: TRACE if a line at TRACE is there, else INFO."""
    seen = {each.event.level for each in evidence.seen if rows()[each.event.row].family == STATE_CHANGE}
    return "TRACE" if "TRACE" in seen else max(release.state_change_level, "INFO", key=LEVELS.index)
