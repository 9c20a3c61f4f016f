"""The words of the audit's conditions: columns as fields of the model's language, and Kafka's tables as constant maps.

How a column holds a value of the language, the same in every engine: a broker that is not there is -1, a set of brokers
is a list of ids, a set of releases is a bitmask, a state is its name. An absent column (not printed) has no value at
all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeVar

from ...model.errors import NotWrittenError
from ...model.expr import QUANTIFIERS, Expr, Op, const, either, field, some
from ...model.machines import hidden_in
from ...model.reading import Never
from ...model.sorts import Bool, Enum, EnumSort, MapOf, SetOf, SetSort, Sort
from ...model.views import PARTITION, Broker
from ...specs.behaviours import behaviour
from ...specs.machines import LEVELS, machine
from ...specs.releases import RELEASES, span

T = TypeVar("T")
NO_LEADER = -1
RELEASE = Enum("Release", tuple(release.name for release in RELEASES))

SEEDED, ANYTHING = "seeded at the start of the epoch", "anything"
"""What stands for the state before an entity's first line: given by the controller's start-up, or not known at all."""

VERDICT = Enum("Verdict", ("held", "illegal", "suspicious", "refused", "unknown", "silent"))
"""Of a rule on a row; silent: the rule is not about that row."""
HELD, ILLEGAL, SUSPICIOUS, REFUSED, UNKNOWN, SILENT = (const(value, VERDICT) for value in VERDICT.values)


_NOT_PRINTED = (Op.RECORD, Op.RECORD_GET, Op.MAP_FILL, Op.MAP_PUT, Op.SEQ_LEN, Op.SEQ_AT, Op.SEQ_APPEND, Op.SEQ_TAKE)
NOT_IN_RULES: Mapping[Op, Never] = {
    Op.FIELD: Never("fields are columns, given as leaves"),
    Op.AFTER: Never("a rule reads the columns of one row; `step` makes a step's two states columns"),
    Op.VAR: Never("a rule has no parameters"),
    Op.SETTING: Never("an audit has no instance"),
    **dict.fromkeys(
        (*_NOT_PRINTED, *QUANTIFIERS), Never("a rule looks at printed values, which are no sequences, records or maps")
    ),
}
"""The operators that the audit's readings of columns lack, and why."""


def is_mask(sort: Sort) -> bool:
    """Whether columns hold values of this sort as bitmasks: sets of releases."""
    return isinstance(sort, SetSort) and sort.element == RELEASE


def of_brokers(operator: Callable[..., T]) -> Callable[..., T]:
    """An operator on a set and one member, for readings that hold sets of releases as masks: of those it has none."""

    def apply(node: Expr, *args: T) -> T:
        if any(is_mask(arg.sort) for arg in node.args):
            raise NotWrittenError(
                f"columns have no translation of the operator `{node.op.value}` on sets of releases yet"
            )
        return operator(node, *args)

    return apply


@cache
def release_set(mask: int) -> frozenset[str]:
    """The names in a mask of releases."""
    return frozenset(release.name for release in RELEASES if release.mask & mask)


@cache
def release_mask(names: frozenset[str]) -> int:
    """The mask of a set of release names."""
    return sum(release.mask for release in RELEASES if release.name in names)


def in_releases(text: str) -> Expr:
    """The constant set of releases that `text` names, as specs.releases.span reads it."""
    return const(release_set(span(text)), SetOf(RELEASE))


releases = field("releases", SetOf(RELEASE))
LEVEL = Enum("Level", LEVELS)
level = field("seen_level", LEVEL)
gap, lossy = field("gap", Bool), field("lossy", Bool)
leader, isr, replicas = PARTITION["leader"], PARTITION["isr"], PARTITION["replicas"]
leader_epoch, partition_epoch = PARTITION["leader_epoch"], PARTITION["partition_epoch"]
adding, removing = field("adding", SetOf(Broker)), field("removing", SetOf(Broker))

offline_pass_logged = either(
    level.eq("TRACE"),
    (level.eq("DEBUG") | level.eq("INFO")) & releases.subset_of(in_releases(">=2.6")),
)
"""Whether moving a replica to OfflineReplica shows.

The line replica-moved is at TRACE, offline-replica-removed-from-isr at INFO since 2.6 (KAFKA-8470).
"""

LEADER_DURING_DELETE = some(const(-2, Broker))
"""What UpdateMetadata says of a partition whose topic is being deleted."""


def behaviour_releases(name: str) -> Expr:
    """The constant set of releases that have a behaviour of specs/behaviours.toml."""
    return const(release_set(behaviour(name).releases), SetOf(RELEASE))


def states(name: str) -> EnumSort:
    """The states of a machine, and the two words for what stands before a first line."""
    return Enum(f"{name} state", (*(state.name for state in machine(name).states), SEEDED, ANYTHING))


def from_state(name: str) -> Expr:
    return field("from_state", states(name))


def to_state(name: str) -> Expr:
    return field("to_state", states(name))


def before(name: str) -> Expr:
    """The state after the entity's previous line, or SEEDED or ANYTHING."""
    return field("before", states(name))


@cache
def valid_in(name: str) -> Expr:
    """Map from -> to -> the releases in which that move is valid."""
    table, sort = machine(name), states(name)
    known = {state.name for state in table.states}
    return const(
        {
            a: {b: release_set(table.valid_in(a, b) if a in known and b in known else 0) for b in sort.values}
            for a in sort.values
        },
        MapOf(sort, MapOf(sort, SetOf(RELEASE))),
    )


@cache
def may_precede(name: str) -> Expr:
    """Map level -> before -> from -> the releases in which moves that the level hides lead from one to the other."""
    return const(
        {at: _reached(name, at) for at in LEVELS},
        MapOf(LEVEL, MapOf(states(name), MapOf(states(name), SetOf(RELEASE)))),
    )


@cache
def may_precede_with_gap(name: str) -> Expr:
    """Map before -> from -> the releases in which `from` can be the state now, if any line may be missing between."""
    return const(_reached(name, None), MapOf(states(name), MapOf(states(name), SetOf(RELEASE))))


def _reached(name: str, level: str | None) -> dict[str, dict[str, frozenset[str]]]:
    table, names = machine(name), states(name).values
    masks = hidden_in(name, level)
    # An entity that the start-up did not seed is new to the controller: both are possible before its first line.
    unseeded = {table.unknown_is: table.releases}
    seeds = unseeded | {seed.state: seed.releases for seed in table.seeds}
    everything = {state.name: state.releases for state in table.states}
    starts = {state: {state: table.releases} for state in everything} | {SEEDED: seeds, ANYTHING: everything}
    reached = {before: dict.fromkeys(names, 0) for before in names}
    for before, possible in starts.items():
        for state, since in possible.items():
            for now in everything:
                reached[before][now] |= masks.get((state, now), 0) & since
    return {before: {now: release_set(mask) for now, mask in row.items()} for before, row in reached.items()}
