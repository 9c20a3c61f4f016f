"""The content of a machine's picture, before any format: states, moves, how often they were seen, a caption."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from ...specs import lines
from ...specs.machines import Machine, Move, machine
from ...specs.releases import RELEASES, Release, latest, names
from .counts import MoveCount

START = "a controller starts"
MOST_REFUSED = 15
"""Moves outside the table that a picture shows: a log can hold any number of them."""


@dataclass(frozen=True)
class Node:
    """A state. `kind`: "seeded" states are given when a controller starts, "unknown" is the state of an entity not met
    yet, "plain" any other, "stranger" a state that the release does not have. `hint` is shown beside the picture."""

    id: str
    name: str
    code: int | None
    kind: str
    hint: str = ""


@dataclass(frozen=True)
class Edge:
    """A move. `hidden`: a log at the picture's level need not show it. `illegal`: not in the table, or an audit called
    it illegal. `count` is None in a picture without counts. Where moves have a `group`, each group has a colour."""

    source: str
    target: str
    labels: tuple[str, ...]
    count: int | None
    hidden: bool
    illegal: bool
    group: str = ""


@dataclass(frozen=True)
class Drawing:
    """A picture; nodes and edges in the order of the table, strangers last, edges named by node ids.

    A `crowded` one has too many moves for labels: their groups say what they are.
    """

    title: str
    caption: tuple[str, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    seeds: tuple[tuple[str, str], ...]
    """Node id and condition, for each state that is given when a controller starts."""
    crowded: bool = False


def draw(
    name: str,
    release: Release | str | None = None,
    level: str | None = None,
    seen: Iterable[MoveCount] | None = None,
    among: int = 0,
) -> Drawing:
    """The picture of a machine in a release, as a log at `level` shows it (the release's own level for None).

    `seen` adds how often an audit saw each move, and the moves it saw that the table does not hold. Without a release
    it is the newest one that the log may be of, by the mask `among`, and the title says so.
    """
    table = machine(name)
    among &= table.releases
    row = table.release(latest(among) if release is None and among else release)
    level = level or row.state_change_level
    moves = table.moves(row)
    valid = {(move.source, move.target) for move in moves}
    counted, left_out = _kept(seen, valid)
    nodes = [*_states(table, row), *_strangers(table, row, counted or {})]
    ids = {node.name: node.id for node in nodes}
    levels = {move.level for move in moves if move.line}
    edges = [_edge(table, row, move, level, len(levels) > 1, ids, counted) for move in moves]
    edges += _refused(valid, ids, counted or {})
    seeds = tuple((ids[seed.state], seed.condition) for seed in table.seeds_in(row))
    title = f"{table.title}, in Kafka {row.name if release or seen is None else _caption_of(table, row, among)}"
    caption = _caption(table, row, moves, level, edges, counted is not None)
    if left_out:
        caption += (f"Left out: {left_out:,} rarer moves that are not in the table",)
    return Drawing(title, caption, tuple(nodes), tuple(edges), seeds)


def _caption_of(table: Machine, row: Release, among: int) -> str:
    """Return the releases in a picture's title, if a log may be of any of `among` and `row` is drawn."""
    if not among:
        return f"{row.name} (the log does not show its release)"
    if all(_picture(table, each) == _picture(table, row) for each in RELEASES if each.mask & among):
        return names(among)
    return f"{row.name} (the log may be of {names(among)})"


def _picture(table: Machine, row: Release) -> object:
    """Return all parts of a picture that depend on the release, except its name."""
    states = [(state.name, state.code_in(row)) for state in table.states_in(row)]
    return states, table.moves(row), table.seeds_in(row), row.state_change_level


def _kept(
    seen: Iterable[MoveCount] | None, valid: Collection[tuple[str, str]]
) -> tuple[dict[tuple[str, str], MoveCount] | None, int]:
    """Return the moves seen, by states, with only the most frequent ones outside the table; and how many were cut."""
    if seen is None:
        return None, 0
    pairs = {(one.source, one.target): one for one in seen}
    outside = sorted(pairs.keys() - valid, key=lambda pair: (-pairs[pair].count, pair))
    for pair in outside[MOST_REFUSED:]:
        del pairs[pair]
    return pairs, len(outside[MOST_REFUSED:])


def _states(table: Machine, row: Release) -> list[Node]:
    seeded = {seed.state for seed in table.seeds_in(row)}
    return [
        Node(
            id=f"s{state.code}",
            name=state.name,
            code=state.code_in(row) if table.coded else None,
            kind="seeded" if state.name in seeded else "unknown" if state.name == table.unknown_is else "plain",
        )
        for state in table.states_in(row)
    ]


def _strangers(table: Machine, row: Release, counted: Mapping[tuple[str, str], MoveCount]) -> list[Node]:
    known = {state.name for state in table.states_in(row)}
    strangers = sorted({name for pair in counted for name in pair} - known)
    return [Node(f"x{number}", name, None, "stranger") for number, name in enumerate(strangers, 1)]


def _edge(
    table: Machine,
    row: Release,
    move: Move,
    level: str,
    levels_differ: bool,
    ids: Mapping[str, str],
    counted: Mapping[tuple[str, str], MoveCount] | None,
) -> Edge:
    one = None if counted is None else counted.get((move.source, move.target), MoveCount(move.source, move.target, 0))
    labels = _count_labels(one)
    if one is None:
        labels += move.causes
    if one is None and move.line and levels_differ:
        labels += (move.level,)
    if move.silent_when:
        labels += ("also silent",)
    both = table.state(move.source).releases & table.state(move.target).releases
    valid = table.valid_in(move.source, move.target)
    if valid != both:
        labels += (_when(valid, both),)
    return Edge(
        source=ids[move.source],
        target=ids[move.target],
        labels=labels,
        count=None if one is None else one.count,
        hidden=not move.shown_at(level),
        illegal=one is not None and one.illegal > 0,
    )


def _when(valid: int, both: int) -> str:
    """Return the releases of `both`, which have the two states, in which a move is valid, in words."""
    later = both & ~((valid & -valid) - 1)
    return f"since {names(valid & -valid)}" if valid == later else f"valid in {names(valid)}"


def _refused(
    valid: Collection[tuple[str, str]], ids: Mapping[str, str], counted: Mapping[tuple[str, str], MoveCount]
) -> list[Edge]:
    outside = [one for pair, one in sorted(counted.items()) if pair not in valid]
    return [
        Edge(ids[one.source], ids[one.target], (*_count_labels(one), "not in the table"), one.count, False, True)
        for one in outside
    ]


def _count_labels(one: MoveCount | None) -> tuple[str, ...]:
    if one is None or not one.count:
        return ()
    if 0 < one.illegal < one.count:
        return (f"{one.count:,} seen, {one.illegal:,} illegal",)
    return (f"{one.count:,} illegal" if one.illegal else f"{one.count:,} seen",)


def _caption(
    table: Machine, row: Release, moves: Iterable[Move], level: str, edges: Iterable[Edge], with_counts: bool
) -> tuple[str, ...]:
    caption_lines = [f"Source: {table.source}, Kafka {', '.join(row.tags)}"]
    logged = dict.fromkeys((move.line, move.level) for move in moves if move.line)
    caption_lines += [f"Logged at {at}: {_meaning(line)}" for line, at in logged]
    if any(not move.line for move in moves):
        caption_lines.append("No line shows the other moves" if logged else "No line shows a move")
    if any(edge.hidden for edge in edges):
        caption_lines.append(f"Dashed: a log at {level} need not show it")
    silent = sorted({move.silent_when for move in moves if move.silent_when})
    caption_lines += [f"Also silent: when {when}" for when in silent]
    if with_counts:
        red = "Red: not in the table, or a finding of the audit"
        caption_lines.append(f"Counts: moves in the audited log. {red}. Pale: never seen")
    return tuple(caption_lines)


def _meaning(line: str) -> str:
    """Return the meaning of a line of the line table, for people; the id of a line that is not in it."""
    row = lines.rows().get(line)
    return line if row is None else row.meaning
