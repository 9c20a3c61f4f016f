"""Each pattern takes time by the length of what it is given, whatever it is given: no line and no field hangs."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from types import ModuleType

import isrproof.checker
import isrproof.specs
import isrproof.traces
import pytest
from isrproof.specs.formats import envelopes, layouts
from isrproof.specs.lines import PRIMITIVES, Slot
from isrproof.traces.events.layouts import KNOWN, WITH_THREAD, layout
from isrproof.traces.events.parse import parse_line, parse_message
from isrproof.traces.events.wordings import Reader, readers
from isrproof.traces.formats.wrapping import take

from tests.pumped import loops, pumped

SMALL, LARGE = 2_000, 8_000
"""The characters of the lines that are compared: a pattern of quadratic cost takes 16 times as long for the larger."""
MOST_TIMES = 9
QUICK = 1e-6
"""The seconds a character below which nothing is compared: a line of 8 MB then takes 8 s."""
OF_BOUNDED = {
    "frequent._CLASS": "patterns of the line table",
    "pasted._DATED": "the end of a line",
    "pasted._LEVELLED": "the first 80 characters of a line",
}
"""Patterns of quadratic cost, and the short texts that they are given."""
LEFT_OUT = ("traces.record", "checker.drift", "checker.pages", "checker.explore", "checker.prove", "checker.diagram")
"""Packages that read no logs of others."""


def cost(read: Callable[[str], object], text: str) -> float:
    """Return the seconds of CPU that a text takes, without what the machine does beside it."""
    least = float("inf")
    for _ in range(3):
        began = time.process_time()
        read(text)
        least = min(least, time.process_time() - began)
        if least < QUICK * len(text):
            break
    return least


def slow(read: Callable[[str], object], pattern: str, flags: int = re.DOTALL) -> str | None:
    """Return the text that takes more than its length explains; None if none does."""
    for begin, unit, end in pumped(pattern, flags):
        small, large = (begin + unit * (size // len(unit)) + end for size in (SMALL, LARGE))
        quick = cost(read, small)
        # A quarter, for what is quick at this length may be slow at four times of it.
        if quick > QUICK * SMALL / 4 and cost(read, large) > max(QUICK * LARGE, MOST_TIMES * quick):
            return f"{begin!r}, {unit!r} again and again, {end!r}"
    return None


def of_wordings() -> Iterator[tuple[str, Reader]]:
    seen = set()
    for reader in readers():
        if (reader.row.kept or reader.wording.whole) and reader.pattern not in seen and loops(reader.pattern) > 1:
            seen.add(reader.pattern)
            yield f"{reader.row.id}-{len(seen)}", reader


WORDINGS = dict(of_wordings())
MANY_SLOTS = "raft-state-"
"""The wordings of which each takes some twenty seconds to try."""


@pytest.mark.slow(every=20)
@pytest.mark.full(every=20)
@pytest.mark.parametrize("name", [name for name in WORDINGS if not name.startswith(MANY_SLOTS)])
def test_a_line_of_a_wording_takes_time_by_its_length(name: str) -> None:
    must_take_time_by_its_length(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in WORDINGS if name.startswith(MANY_SLOTS)])
def test_a_line_with_many_slots_takes_time_by_its_length(name: str) -> None:
    must_take_time_by_its_length(name)


def must_take_time_by_its_length(name: str) -> None:
    reader = WORDINGS[name]
    logger = reader.row.logger(reader.wording.releases) if reader.row.loggers else None
    level = reader.wording.levels[0][0]

    def read(text: str) -> object:
        return parse_line(text) if logger is None else parse_message(text, logger, level)

    assert slow(read, reader.pattern) is None


@pytest.mark.parametrize(
    ("name", "pattern"),
    [(each.name, pattern) for each in PRIMITIVES.values() for pattern in (each.exact, each.numbers) if pattern],
)
def test_a_field_takes_time_by_its_length(name: str, pattern: str) -> None:
    read = re.compile(pattern, re.DOTALL)
    assert slow(read.fullmatch if pattern == PRIMITIVES[name].exact else read.findall, pattern) is None


LAYOUTS = {each.name: each for each in (*KNOWN, WITH_THREAD)} | {
    row.pattern: layout(row.pattern) for row in layouts().values() if row.pattern
}


@pytest.mark.full(every=30)
@pytest.mark.parametrize("name", LAYOUTS)
def test_a_line_in_any_layout_takes_time_by_its_length(name: str) -> None:
    for regex, _ in LAYOUTS[name].forms:
        assert slow(LAYOUTS[name].normal, regex) is None


@pytest.mark.full(every=40)
@pytest.mark.parametrize("name", [each.id for each in envelopes().values() if each.pattern])
def test_a_line_in_any_envelope_takes_time_by_its_length(name: str) -> None:
    assert slow(lambda text: take(envelopes()[name], text), envelopes()[name].pattern) is None


def modules() -> Iterator[ModuleType]:
    for package in (isrproof.specs, isrproof.traces, isrproof.checker):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            name = found.name.removeprefix("isrproof.")
            if not name.startswith(LEFT_OUT) and "__main__" not in name:
                try:
                    yield importlib.import_module(found.name)
                except ImportError:
                    continue  # a library that is not installed


def of_modules() -> Iterator[tuple[str, re.Pattern[str], str]]:
    """Yield the patterns that modules keep, and the methods with which they use them."""
    for module in modules():
        kept = {
            name: value
            for name, value in vars(module).items()
            if isinstance(value, re.Pattern) and isinstance(value.pattern, str)
        }
        if kept:
            for node in ast.walk(ast.parse(inspect.getsource(module))):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in kept:
                    name = f"{module.__name__.rpartition('.')[2]}.{node.value.id}"
                    yield name, kept[node.value.id], node.attr


USED = {f"{name}.{method}": (name, pattern, method) for name, pattern, method in of_modules() if loops(pattern.pattern)}
METHODS: dict[str, Callable[[re.Pattern[str], str], object]] = {
    **{name: getattr(re.Pattern, name) for name in ("match", "search", "fullmatch", "findall", "split")},
    "finditer": lambda pattern, text: [*pattern.finditer(text)],
    "sub": lambda pattern, text: pattern.sub("", text),
}


@pytest.mark.full(every=20)
@pytest.mark.parametrize("used", USED)
def test_a_pattern_takes_time_by_the_length_of_a_text(used: str) -> None:
    name, pattern, method = USED[used]
    if name in OF_BOUNDED or method not in METHODS:
        return
    assert slow(lambda text: METHODS[method](pattern, text), pattern.pattern, pattern.flags & ~re.UNICODE) is None


def test_patterns_of_bounded_texts_are_still_there() -> None:
    assert OF_BOUNDED.keys() <= {name for name, _, _ in USED.values()}


def test_a_pattern_of_quadratic_cost_is_found() -> None:
    for pattern in ("a+b", r"([^ ]+)-([0-9]+)", r"x=(.*), y=(.*), z"):
        assert slow(re.compile(pattern).findall, pattern) is not None
    assert slow(re.compile("(?<!a)a+b").findall, "(?<!a)a+b") is None


def test_each_slot_is_pumped() -> None:
    texts = [*pumped("x=([0-9, ]*), y=(.*)", re.DOTALL)]
    assert any(begin == "x=" for begin, _, _ in texts)
    assert any(begin == "x=, y=" for begin, _, _ in texts)
    slots = [piece for each in readers() for piece in each.wording.pieces if isinstance(piece, Slot)]
    assert len({slot.primitive.name for slot in slots}) > 40
