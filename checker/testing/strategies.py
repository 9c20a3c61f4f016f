"""Hypothesis strategies: log lines as releases print them, and logs that were collected carelessly.

>>> from hypothesis import given
>>> from isrproof.checker.testing.strategies import damaged, log_lines
>>> @given(damaged(log_lines("2.0.0")))
... def test_my_shipper(lines): ...
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from hypothesis import strategies as st

from ...specs.lines import Wording
from ...specs.releases import release as release_named
from ...traces.events.render import filled, time_text
from ...traces.events.wordings import readers

_LATEST = 4_000_000_000_000
Lines = list[str]


def log_lines(release: str, min_size: int = 1, max_size: int = 50) -> st.SearchStrategy[Lines]:
    """Lines of state-change.log and controller.log that a release prints, in the order of their times.

    Each is a line that the parser understands; together they are no history that a cluster could have.

    Raises:
        UnknownNameError: there is no such release.
    """
    line = st.builds(_line, st.sampled_from(_printed(release)), st.integers(0, 1))
    times = st.lists(st.integers(0, _LATEST), min_size=min_size, max_size=max_size).map(sorted)
    return times.flatmap(lambda own: st.tuples(*(line.map(_at(ts)) for ts in own)).map(list))


def damaged(lines: st.SearchStrategy[Lines]) -> st.SearchStrategy[Lines]:
    """The same with one thing that happens to logs on their way: lines lost, twice, out of order, or cut."""
    return st.tuples(lines, st.sampled_from(_DAMAGES), st.integers(0, 10**6), st.integers(0, 10**6)).map(
        lambda drawn: drawn[1](drawn[0], *(at % max(len(drawn[0]), 1) for at in drawn[2:]))
    )


@cache
def _printed(release: str) -> tuple[tuple[Wording, str, str | None], ...]:
    """The wordings of a release, each with a level and a logger of its."""
    mask = release_named(release).mask
    return tuple(
        (reader.wording, level, logger)
        for reader in readers()
        if reader.row.bears and (logger := reader.row.logger(mask)) is not None
        for level, printed_by in reader.wording.levels
        if printed_by & mask
    )


def _line(printed: tuple[Wording, str, str | None], turn: int) -> str:
    wording, level, logger = printed
    return f"{level} {filled(wording, turn)} ({logger})"


def _at(ts: int) -> Callable[[str], str]:
    return lambda line: f"[{time_text(ts)}] {line}"


def _lost(lines: Lines, first: int, last: int) -> Lines:
    return [line for at, line in enumerate(lines) if not first <= at <= last]


def _twice(lines: Lines, first: int, last: int) -> Lines:
    return lines[: last + 1] + lines[first:]


def _swapped(lines: Lines, first: int, last: int) -> Lines:
    if not lines:
        return []
    found = list(lines)
    found[first], found[last] = found[last], found[first]
    return found


def _cut(lines: Lines, at: int, length: int) -> Lines:
    return [line[:length] if number == at else line for number, line in enumerate(lines)]


_DAMAGES = (_lost, _twice, _swapped, _cut)
