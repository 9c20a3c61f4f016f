"""Kafka's state machines as tables. Data: a file of specs/machines for each machine; a new machine is one more file.

A machine belongs to a `keeper`, whose start forgets the states: the controller, a broker's process, or a request that
waits for its answer; or to KRaft's metadata log, which forgets nothing. Tables of brokers' machines say what causes a
move; Kafka has no table of them, and no byte codes.

A file holds, each perhaps only for some releases (`with` and `without` name behaviours of behaviours.toml):

- `state`: name, byte code, meaning.
- `row`: for a target state the valid previous states, in Kafka's printed order. Every state has, in every release that
  has the state, exactly one row.
- `logged`: for moves (`from` and `target` lists; left out means any) the level of the line that the move makes, and the
  id of that line in the line table. Every valid move has, in every release, exactly one.
- `unlogged`: moves that make no line.
- `cause`: what makes the moves of a machine that is not the controller's; each has one at least.
- `silent`: moves that a release also makes without any line, and when.
- `seed`: the state given to an entity, without a line, when a controller starts, by a condition on what it finds.

`unknown_is` is the state of an entity that the keeper has not met. `mode` is the one that the controller runs in: a
machine holds in the releases that can run in it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from .. import releases, toml
from ..behaviours import RANGE_KEYS, behaviour, selected, several
from ..errors import IsrproofError, TableError, unknown
from ..releases import Release

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
"""Log levels, chattiest first."""

KEEPERS = ("controller", "broker", "request", "log")

_FOLDER = toml.FOLDER / "machines"


@dataclass(frozen=True)
class State:
    """A state; `code` is Kafka's byte code, and the bit of the state in sets of states."""

    name: str
    code: int
    meaning: str
    releases: int
    other_codes: tuple[tuple[int, int], ...] = ()

    @property
    def bit(self) -> int:
        return 1 << self.code

    def code_in(self, release: Release) -> int:
        """The byte code in a release; a few old releases number a state differently."""
        return next((code for mask, code in self.other_codes if mask & release.mask), self.code)


@dataclass(frozen=True)
class Row:
    """The states from which `target` may be entered, in the order in which Kafka prints them.

    `having`, `lacking`: the behaviours by which the row is chosen.
    """

    target: str
    previous: tuple[str, ...]
    releases: int
    having: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True)
class Moves:
    """Moves of some releases; `froms` or `targets` None means any state."""

    froms: tuple[str, ...] | None
    targets: tuple[str, ...] | None
    releases: int

    def covers(self, source: str, target: str) -> bool:
        return _covers(self.froms, source) and _covers(self.targets, target)


@dataclass(frozen=True)
class Logged(Moves):
    """Moves that make the line `line` at `level`, both "" if they make none."""

    line: str
    level: str


@dataclass(frozen=True)
class Cause(Moves):
    """A cause of moves, in a few words."""

    when: str


@dataclass(frozen=True)
class Silent(Moves):
    """Moves that are also made without a line, `when` something holds."""

    when: str


@dataclass(frozen=True)
class Seed:
    """The state that an entity gets, without a line, when a controller starts and finds `condition`."""

    state: str
    condition: str
    meaning: str
    releases: int


@dataclass(frozen=True)
class Move:
    """A valid move of one release. `silent_when` is empty if the move always makes its line; `line` if it has none.

    `causes` say what makes it; Kafka's own tables, the controller's, do not.
    """

    source: str
    target: str
    line: str
    level: str
    silent_when: str = ""
    causes: tuple[str, ...] = ()

    def shown_at(self, level: str) -> bool:
        """Check whether a log that prints `level` and above certainly shows this move."""
        return bool(self.line) and not self.silent_when and LEVELS.index(self.level) >= _level(level)


@dataclass(frozen=True)
class Machine:
    """A table of specs/machines, checked: no release has two rows for one thing, and none lacks one."""

    name: str
    title: str
    source: str
    mode: str
    releases: int
    unknown_is: str
    states: tuple[State, ...]
    rows: tuple[Row, ...]
    logged: tuple[Logged, ...]
    silent: tuple[Silent, ...]
    seeds: tuple[Seed, ...]
    keeper: str = "controller"
    causes: tuple[Cause, ...] = ()

    @property
    def coded(self) -> bool:
        """Check whether the codes of its states are Kafka's."""
        return self.keeper == "controller"

    @cached_property
    def _states(self) -> Mapping[str, State]:
        return {state.name: state for state in self.states}

    def state(self, name: str) -> State:
        if name not in self._states:
            raise unknown(f"{self.name} state", name, self._states)
        return self._states[name]

    def release(self, release: Release | str | None = None) -> Release:
        """The row of a release that has this machine, the newest one for None; else IsrproofError."""
        found = releases.latest(self.releases) if release is None else release
        found = releases.release(found) if isinstance(found, str) else found
        if not found.mask & self.releases:
            raise IsrproofError(
                f"Kafka {found.name} has no {self.name} machine; expected a release of {releases.names(self.releases)}."
            )
        return found

    def states_in(self, release: Release | str | None = None) -> tuple[State, ...]:
        mask = self.release(release).mask
        return tuple(state for state in self.states if state.releases & mask)

    def previous(self, target: str, release: Release | str | None = None) -> tuple[str, ...]:
        """The valid previous states of `target` in Kafka's printed order; empty if the release lacks the state."""
        name, mask = self.state(target).name, self.release(release).mask
        return next((row.previous for row in self.rows if row.target == name and row.releases & mask), ())

    def previous_with(self, target: str, behaviours: Container[str]) -> tuple[str, ...]:
        """The valid previous states of `target` where exactly these behaviours are on, as in no release perhaps."""
        name = self.state(target).name
        rows = [row for row in self.rows if row.target == name and all(each in behaviours for each in row.having)]
        return next((row.previous for row in rows if not any(each in behaviours for each in row.lacking)), ())

    def valid_in(self, source: str, target: str) -> int:
        """The mask of releases in which the move `source` -> `target` is valid."""
        source, target = self.state(source).name, self.state(target).name
        return _union(row.releases for row in self.rows if row.target == target and source in row.previous)

    def moves(self, release: Release | str | None = None) -> tuple[Move, ...]:
        """Every valid move of a release, in the order of the table, with what the log shows of it."""
        mask = self.release(release).mask
        return tuple(
            self._move(source, row.target, mask) for row in self.rows if row.releases & mask for source in row.previous
        )

    def seeds_in(self, release: Release | str | None = None) -> tuple[Seed, ...]:
        """Return the states that a controller of that release gives to entities when it starts, by condition."""
        mask = self.release(release).mask
        return tuple(seed for seed in self.seeds if seed.releases & mask)

    def _move(self, source: str, target: str, mask: int) -> Move:
        line = next(row for row in self.logged if row.releases & mask and row.covers(source, target))
        silent = [row.when for row in self.silent if row.releases & mask and row.covers(source, target)]
        causes = tuple(row.when for row in self.causes if row.releases & mask and row.covers(source, target))
        return Move(source, target, line.line, line.level, " or ".join(silent), causes)


def machine_names() -> tuple[str, ...]:
    """The machines there are: the files of specs/machines."""
    return tuple(toml.files(_FOLDER))


@cache
def machine(name: str) -> Machine:
    """The machine of that name ("replica", "partition"); another raises UnknownNameError with the nearest one."""
    if name not in machine_names():
        raise unknown("machine", name, machine_names())
    return load(_FOLDER / f"{name}.toml")


def load(path: Traversable) -> Machine:
    """The machine of a file, checked; TableError says what is wrong with it."""
    where = f"machines/{path.name}"
    data = toml.read(path)
    tables = ("state", "row")
    toml.check_keys(
        data,
        where,
        ("machine", "title", "source", "mode", "unknown_is", *tables),
        ("keeper", "logged", "unlogged", "cause", "silent", "seed", *RANGE_KEYS),
    )
    mode, keeper = data["mode"], data.get("keeper", "controller")
    whole = selected(data, releases.ALL if mode == releases.ANY_MODE else releases.in_mode(mode))
    if keeper not in KEEPERS:
        raise TableError(f"{where}: {unknown('keeper', keeper, KEEPERS)}")
    numbered = [row if keeper == "controller" else {"code": number} | row for number, row in enumerate(data["state"])]
    loaded = Machine(
        name=data["machine"],
        title=data["title"],
        source=data["source"],
        mode=data["mode"],
        releases=whole,
        unknown_is=data["unknown_is"],
        states=tuple(_state(row, whole, where) for row in numbered),
        rows=tuple(_row(row, whole, where) for row in data["row"]),
        logged=(
            *(_logged(row, whole, where) for row in data.get("logged", ())),
            *(_unlogged(row, whole, where) for row in data.get("unlogged", ())),
        ),
        silent=tuple(_silent(row, whole, where) for row in data.get("silent", ())),
        seeds=tuple(_seed(row, whole, where) for row in data.get("seed", ())),
        keeper=keeper,
        causes=tuple(_cause(row, whole, where) for row in data.get("cause", ())),
    )
    _check(loaded, path.name.removesuffix(".toml"), where)
    return loaded


def _state(row: Mapping[str, Any], whole: int, where: str) -> State:
    toml.check_keys(row, f"{where}, state", ("name", "code", "meaning"), ("code_without", *RANGE_KEYS))
    mask = selected(row, whole)
    others = tuple((mask & ~behaviour(id).releases, code) for id, code in row.get("code_without", {}).items())
    return State(row["name"], row["code"], row["meaning"], mask, others)


def _row(row: Mapping[str, Any], whole: int, where: str) -> Row:
    toml.check_keys(row, f"{where}, row", ("target", "previous"), RANGE_KEYS)
    having, lacking = (several(row.get(key, ())) for key in RANGE_KEYS)
    return Row(row["target"], tuple(row["previous"]), selected(row, whole), having, lacking)


def _logged(row: Mapping[str, Any], whole: int, where: str) -> Logged:
    toml.check_keys(row, f"{where}, logged", ("line", "level"), ("from", "target", *RANGE_KEYS))
    return Logged(_names(row, "from"), _names(row, "target"), selected(row, whole), row["line"], row["level"])


def _unlogged(row: Mapping[str, Any], whole: int, where: str) -> Logged:
    toml.check_keys(row, f"{where}, unlogged", (), ("from", "target", *RANGE_KEYS))
    return Logged(_names(row, "from"), _names(row, "target"), selected(row, whole), "", "")


def _cause(row: Mapping[str, Any], whole: int, where: str) -> Cause:
    toml.check_keys(row, f"{where}, cause", ("when",), ("from", "target", *RANGE_KEYS))
    return Cause(_names(row, "from"), _names(row, "target"), selected(row, whole), row["when"])


def _silent(row: Mapping[str, Any], whole: int, where: str) -> Silent:
    toml.check_keys(row, f"{where}, silent", ("when",), ("from", "target", *RANGE_KEYS))
    return Silent(_names(row, "from"), _names(row, "target"), selected(row, whole), row["when"])


def _seed(row: Mapping[str, Any], whole: int, where: str) -> Seed:
    toml.check_keys(row, f"{where}, seed", ("state", "condition", "meaning"), RANGE_KEYS)
    return Seed(row["state"], row["condition"], row["meaning"], selected(row, whole))


def _names(row: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    return tuple(row[key]) if key in row else None


def _covers(names: tuple[str, ...] | None, name: str) -> bool:
    return names is None or name in names


def _union(masks: Iterable[int]) -> int:
    joined = 0
    for mask in masks:
        joined |= mask
    return joined


def _level(name: str) -> int:
    if name not in LEVELS:
        raise unknown("log level", name, LEVELS)
    return LEVELS.index(name)


def _check(machine: Machine, stem: str, where: str) -> None:
    if machine.name != stem:
        raise TableError(f"{where}: expected machine = {stem!r}, got {machine.name!r}")
    if len({state.name for state in machine.states} | {state.code for state in machine.states}) != 2 * len(
        machine.states
    ):
        raise TableError(f"{where}: two states with one name or code")
    _check_names(machine, where)
    for state in machine.states:
        rows = [row for row in machine.rows if row.target == state.name]
        releases.check_cover((row.releases for row in rows), state.releases, f"{where}, rows for {state.name}")
        for row in rows:
            for previous in row.previous:
                _check_present(machine, previous, row.releases, f"{where}, row for {state.name}")
                _check_logged(machine, previous, row, where)
                _check_caused(machine, previous, row, where)
    for seed in machine.seeds:
        _check_present(machine, seed.state, seed.releases, f"{where}, seed")
    for condition in {seed.condition for seed in machine.seeds}:
        masks = [seed.releases for seed in machine.seeds if seed.condition == condition]
        releases.check_cover(masks, machine.releases, f"{where}, seed for {condition!r}")


def _check_names(machine: Machine, where: str) -> None:
    known = {state.name for state in machine.states}
    named = {machine.unknown_is, *(row.target for row in machine.rows), *(seed.state for seed in machine.seeds)}
    for row in machine.rows:
        if len(set(row.previous)) != len(row.previous):
            raise TableError(f"{where}, row for {row.target}: a state is named twice")
        named.update(row.previous)
    marks: list[Logged | Silent | Cause] = [*machine.logged, *machine.silent, *machine.causes]
    for mark in marks:
        named.update(mark.froms or (), mark.targets or ())
    if strangers := named - known:
        raise TableError(f"{where}: no state is called {', '.join(sorted(strangers))}")
    for line in machine.logged:
        if line.line:
            _level(line.level)


def _check_present(machine: Machine, name: str, mask: int, what: str) -> None:
    if absent := mask & ~machine.state(name).releases:
        raise TableError(f"{what}: there is no {name} in {releases.names(absent)}")


def _check_logged(machine: Machine, source: str, row: Row, where: str) -> None:
    masks = [
        mark.releases & row.releases
        for mark in machine.logged
        if mark.covers(source, row.target) and mark.releases & row.releases
    ]
    releases.check_cover(masks, row.releases, f"{where}, logged for {source} -> {row.target}")


def _check_caused(machine: Machine, source: str, row: Row, where: str) -> None:
    caused = _union(mark.releases for mark in machine.causes if mark.covers(source, row.target))
    if machine.keeper != "controller" and (without := row.releases & ~caused):
        raise TableError(f"{where}, cause of {source} -> {row.target}: none in {releases.names(without)}")
