"""docs/machines.md: the state machines, from specs/machines."""

from __future__ import annotations

from collections.abc import Iterator

from ...specs.machines import Machine, machine, machine_names
from ...specs.releases import MODES, RELEASES, Release, names
from ..diagram.drawing import Drawing, draw
from . import picture, table

PATH = "docs/machines.md"
NEXT = (
    "[Releases](releases.md), for what else differs between them, or [models](models.md), in which these machines run"
)
_BEGINS = {
    "controller": "An entity that the controller has not met is {}.",
    "broker": "For a broker's process that starts, each entity is {}.",
    "log": "In an empty metadata log each entity is {}; the content of the log is never forgotten.",
    "request": "A request begins as {}, and ends in any other state.",
}


def write() -> str:
    """A section for each machine."""
    lines = [
        "# State machines",
        "",
        "This page shows Kafka's state machines, with the releases of each move. `isrproof diagram MACHINE --release",
        "R` draws any release; `--facts` prints the consequences of the shape.",
        "",
        "`python -m isrproof.checker.pages` writes this page from `specs/machines`: change the data, not this page.",
    ]
    for name in machine_names():
        lines += ["", *_machine(machine(name))]
    return "\n".join([*lines, ""])


def _machine(one: Machine) -> Iterator[str]:
    where = f"Kafka {names(one.releases)}" + (f" in {MODES[one.mode]} mode" if one.mode in MODES else "")
    yield from (f"## {one.name}", "", f"{one.title}. {where}. Source: `{one.source}`.", "")
    yield _BEGINS[one.keeper].format(one.unknown_is)
    yield from ("", "### States", "")
    coded = ("code",) if one.coded else ()
    yield from table(
        (*coded, "state", "meaning", "releases"),
        (
            (*(_codes(one, state.name) for _ in coded), state.name, state.meaning, names(state.releases))
            for state in one.states
        ),
    )
    in_order = ", in the order in which Kafka prints them" if one.coded else ""
    yield from ("", f"### Valid previous states{in_order}", "")
    yield from table(
        ("to", "from", "releases"), ((row.target, ", ".join(row.previous), names(row.releases)) for row in one.rows)
    )
    if one.causes:
        yield from ("", "### Causes of a move", "")
        yield from table(
            ("to", "from", "when", "releases"),
            ((_any(row.targets), _any(row.froms), row.when, names(row.releases)) for row in one.causes),
        )
    yield from ("", "### Log lines of a move", "")
    yield from table(
        ("to", "from", "line", "level", "releases"),
        (
            (_any(row.targets), _any(row.froms), row.line or "none", row.level, names(row.releases))
            for row in one.logged
        ),
    )
    for mark in one.silent:
        pair = f"From {_any(mark.froms)} to {_any(mark.targets)}"
        yield from ("", f"{pair} there is no line in {names(mark.releases)} when {mark.when}.")
    if one.seeds:
        yield from ("", "### States that a starting controller assigns without a line", "")
        yield from table(
            ("if it finds", "state", "meaning", "releases"),
            ((seed.condition, seed.state, seed.meaning, names(seed.releases)) for seed in one.seeds),
        )
    for release in _eras(one):
        yield from ("", f"### Kafka {release.name}", "", *picture(draw(one.name, release)))


def drawings() -> Iterator[Drawing]:
    """Yield the pictures of the page."""
    for name in machine_names():
        yield from (draw(name, release) for release in _eras(machine(name)))


def _codes(one: Machine, name: str) -> str:
    """The byte code; where some releases number the state differently, those too."""
    state = one.state(name)
    others = [f"{code} in {names(mask)}" for mask, code in state.other_codes]
    return ", ".join([str(state.code), *others])


def _any(states: tuple[str, ...] | None) -> str:
    return "any state" if states is None else ", ".join(states)


def _eras(one: Machine) -> Iterator[Release]:
    """The last release of each stretch in which nothing of a machine's picture changes, newest first."""
    shown = None
    for release in reversed(RELEASES):
        if release.mask & one.releases:
            picture = (one.moves(release), one.seeds_in(release), release.state_change_level)
            if picture != shown:
                yield release
            shown = picture
