"""The tables of specs/machines, proved for every release and any number of moves.

Releases with the same table are proved once. A table is finite, so k-induction decides: no path of k good states (no
two the same) leads to a bad one, and no path of k states from the start is bad.

>>> from isrproof.checker.prove.tables import prove_table
>>> [each.verdict for each in prove_table("partition", "2.0.0") if each.name == "NewIsNew"]
['holds']
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ...model.errors import DefinitionError, unknown
from ...model.expr import Expr, after, const, either
from ...model.lifecycles import Promise, all_names, life_model, promises
from ...model.protocol import Model
from ...model.sorts import SetOf
from ...model.tables import state_of
from ...specs import releases
from ...specs.machines import Machine, machine
from ...specs.releases import RELEASES, Release
from ..explore.report import path_lines, step_json
from ..explore.result import Verdict
from ..explore.trace import Path
from . import smt
from .bounded import decide
from .reading import Domain
from .run import overall

MOST_STEPS = 12
"""More steps than any of the tables has states, so that k-induction decides."""


@dataclass(frozen=True)
class Kept:
    """A promise about a table and the releases (a mask) for which the verdict is the same."""

    machine: str
    name: str
    statement: str
    verdict: Verdict | str
    """The verdict; "absent" where a release does not have the states that the promise names."""
    releases: int
    k: int = 0
    """The property is k-inductive."""
    seconds: float = 0.0
    queries: int = 0
    path: Path | None = None
    """A shortest counterexample."""
    promised: bool = True
    """These releases mean to keep it; else the row shows what a release changed."""
    broken_in: int = 0
    """The number of states of the path that shows the change."""


def prove_table(
    name: str, release: str | None = None, timeout: float = 30.0, properties: Iterable[str] | None = None
) -> tuple[Kept, ...]:
    """The promises about a table, all or those named, for one release or for all that have the table.

    Raises:
        UnknownNameError: there is no such promise.
    """
    table = machine(name)
    chosen = [table.release(release)] if release else [each for each in RELEASES if each.mask & table.releases]
    names = all_names(name) if properties is None else tuple(properties)
    for each in names:
        if each not in all_names(name):
            raise unknown("property", each, all_names(name), f"the {name} table")
    found: list[Kept] = []
    for group in _alike(table, chosen):
        found += _prove_group(name, group, timeout, names)
    return tuple(_merged(found))


def _alike(table: Machine, chosen: Iterable[Release]) -> list[list[Release]]:
    """Releases with the same states, moves and seeds."""
    groups: dict[object, list[Release]] = {}
    for each in chosen:
        states = tuple(state.name for state in table.states_in(each))
        moves = tuple((state, table.previous(state, each)) for state in states)
        seeds = tuple(seed.state for seed in table.seeds_in(each))
        groups.setdefault((states, moves, seeds), []).append(each)
    return list(groups.values())


def _prove_group(name: str, group: list[Release], timeout: float, names: Iterable[str]) -> list[Kept]:
    mask = sum(each.mask for each in group)
    model = life_model(name, group[0])
    kept = {each.prop.name: each for each in promises(name, group[0]) if each.prop.name in names}
    found = [_prove(name, model, each, mask, timeout) for each in kept.values()]
    absent = [each for each in names if each not in kept]
    return [*found, *(Kept(name, each, "these releases lack its states", "absent", mask) for each in absent)]


def _prove(name: str, model: Model, promise: Promise, mask: int, timeout: float) -> Kept:
    prop = promise.prop
    found = decide(model.instance(), prop, MOST_STEPS, timeout)
    return Kept(
        name,
        prop.name,
        prop.statement,
        found.verdict,
        mask,
        found.k,
        found.seconds,
        found.queries,
        found.path,
        promise.promised,
        promise.broken_in,
    )


def _merged(found: list[Kept]) -> list[Kept]:
    """Groups of releases with the same verdict as one row, in the order of the promises."""
    rows: dict[tuple[str, str, bool], Kept] = {}
    for each in found:
        key = (each.name, each.verdict, each.promised)
        old = rows.get(key)
        rows[key] = (
            each
            if old is None
            else replace(
                old,
                releases=old.releases | each.releases,
                k=max(old.k, each.k),
                seconds=old.seconds + each.seconds,
                queries=old.queries + each.queries,
            )
        )
    order = {name: index for index, name in enumerate(dict.fromkeys(each.name for each in found))}
    return sorted(rows.values(), key=lambda each: (order[each.name], releases.names(each.releases)))


# What a release changed


def relation(name: str, release: Release | str) -> Expr:
    """The moves of a release as one condition over the state before and after."""
    table = machine(name)
    row = table.release(release)
    state = state_of(table, row)
    moves = []
    for each in table.states_in(row):
        previous = const(frozenset(table.previous(each.name, row)), SetOf(state.sort))
        moves.append(previous.contains(state) & after(state).eq(each.name))
    return either(*moves)


def changed_exactly(name: str, older: str, newer: str, added: Iterable[tuple[str, str]]) -> bool:
    """Check by Z3 whether the newer release has the moves of the older one and those added, and no others.

    Raises:
        IsrproofError: a release without the table; DefinitionError: the two releases do not have the same states.
    """
    table = machine(name)
    state = state_of(table, table.release(older))
    if state != state_of(table, table.release(newer)):
        raise DefinitionError(
            f"the {name} tables of {older} and {newer} have different states; compare two releases with the same states"
        )
    more = either(*(state.eq(source) & after(state).eq(target) for source, target in added))
    agrees = relation(name, newer).eq(either(relation(name, older), more))
    domain = Domain({})
    return smt.ask([smt.neg(domain.read(agrees, domain.symbols([agrees])))], 10.0, search=True).outcome == "unsat"


def moves_added(name: str, older: str, newer: str) -> tuple[tuple[str, str], ...]:
    """Return the moves of the table that a release has and an earlier one does not have."""
    table = machine(name)
    has, had = table.release(newer), table.release(older)
    return tuple(
        (source, each.name)
        for each in table.states_in(has)
        for source in table.previous(each.name, has)
        if source not in table.previous(each.name, had)
    )


def trusted() -> tuple[str, ...]:
    """Return what is believed, not proved, beside every "holds"."""
    return (
        f"{smt.version()}: its answer 'unsat' is trusted",
        "the Z3 reading and the k-induction of checker/prove; the explorer searches the same tables whole (tests)",
        "the tables of specs/machines, which are compared with Kafka's source (tests)",
        (
            "a life begins when a controller starts: whatever it finds takes one of the table's first states; a "
            "broker forgets its state when its process starts"
        ),
    )


def table_report(name: str, found: Iterable[Kept]) -> str:
    """The verdict, one line a promise and range of releases, counterexamples below them, and what is trusted."""
    rows = list(found)
    queries, seconds = sum(each.queries for each in rows), sum(each.seconds for each in rows)
    lines = [f"{name} table: {overall_of(rows)}  ({queries} questions, {seconds:.1f} s)", ""]
    if not rows:
        lines += _nothing_to_prove(machine(name))
    for each in rows:
        where = releases.names(each.releases)
        how = f"  ({each.k}-inductive, {each.seconds:.2f} s)" if each.verdict == "holds" else ""
        changed = "" if each.promised else "  (not promised by these releases)"
        lines.append(f"{each.machine} {each.name}: {each.verdict} for {where}{how}{changed}")
        lines.append(f"  {each.statement}")
        if each.path is not None:
            lines += ["   1. initial state", *path_lines(each.path)]
    return "\n".join([*lines, "", "Trusted:", *(f"  - {each}" for each in trusted())])


def _nothing_to_prove(table: Machine) -> list[str]:
    """Return the lines of a table without promises: whether it forbids anything, and when a move is made."""
    lines = ["No property is stated about this table beyond its moves."]
    if forbidden(table):
        return lines
    lines.append("There is nothing to prove: in every release each state may follow each other one. Causes of a move:")
    lines += [f"  {', '.join(cause.targets or ('any',))}: {cause.when}" for cause in table.causes]
    return [*lines, "These causes are not part of the table; the rules of the audit check logs against them."]


def forbidden(table: Machine) -> list[tuple[Release, str, str]]:
    """The moves from a state to another one that a release's table lacks."""
    return [
        (release, source.name, target.name)
        for release in RELEASES
        if release.mask & table.releases
        for target in table.states_in(release)
        for source in table.states_in(release)
        if source != target and source.name not in table.previous(target.name, release)
    ]


def table_json(name: str, found: Iterable[Kept]) -> dict[str, Any]:
    """The same shape as the proof of a model."""
    rows = list(found)
    return {
        "model": name,
        "verdict": overall_of(rows),
        "properties": [
            {
                "name": each.name,
                "verdict": each.verdict,
                "for": releases.names(each.releases),
                "promised": each.promised,
                "queries": each.queries,
                "k": each.k,
                "seconds": round(each.seconds, 3),
                **({"steps": [step_json(each.path, step) for step in each.path.steps]} if each.path else {}),
            }
            for each in rows
        ],
        "trusted": list(trusted()),
        "seconds": round(sum(each.seconds for each in rows), 3),
    }


@dataclass(frozen=True)
class Decided:
    """A promise of some releases and its verdict, as of a property of a model."""

    name: str
    statement: str
    verdict: Verdict
    path: Path | None
    reason: str = ""

    @property
    def prop(self) -> Decided:
        return self


def decided(found: Iterable[Kept]) -> list[Decided]:
    """Return the promises of releases; an absent or unpromised one is left out."""
    return [
        Decided(each.name, each.statement, _verdict(each), each.path, f"of {releases.names(each.releases)}")
        for each in found
        if each.promised and each.verdict != "absent"
    ]


def _verdict(each: Kept) -> Verdict:
    return "holds" if each.verdict == "holds" else "violated" if each.path else "unknown"


def overall_of(found: Iterable[Kept]) -> Verdict:
    """Return the verdict of a run: absent or unpromised ones do not count."""
    return overall([each.verdict for each in decided(found)])
