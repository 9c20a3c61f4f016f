"""docs/observations.md: the observations that rules read, from checker/audit/observe, sources and columns.toml."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from types import ModuleType

from ...model.sorts import Sort
from ...specs import toml
from ...specs.errors import unknown
from ..audit import fields, observe, sources
from ..audit.catalogue import observations
from ..audit.observe.observation import Observation
from ..audit.rules.catalogue import rules_on
from ..audit.rules.pages import path
from . import ROOT, table

PATH = "docs/observations.md"
NEXT = "[Rules](rules.md), which judge these rows, or [lines of logs](lines.md), which they are made of"
FILE = ROOT / "checker" / "pages" / "columns.toml"
SHARED = "columns"
"""The table of columns that mean the same in all observations that have no row of their own."""
_LEAST = 8
"""The columns that a mapping has which is listed by its name; smaller ones are written out where they are used."""


def write() -> str:
    """Return the list, the columns that many observations have, and a section for each observation.

    Raises:
        ValueError: a column has no meaning, a meaning is of no column, or an observation has no docstring.
    """
    check()
    lines = [
        "# Observations",
        "",
        "Made from `checker/audit/observe`, `checker/audit/sources` and `checker/pages/columns.toml` by",
        "`python -m isrproof.checker.pages`: change those, not this page. An observation is a table that rules are",
        "stated over: a rule names one, and reads its columns as fields of the model's language. Where a column is",
        "absent, since its line does not print it, a rule that reads it says nothing, unless the column's sort says",
        "what it counts as there. `before_x` is `x` of the row that a row is compared with: the one before it in the",
        "order below, of those that are equal in the columns of the key.",
        "",
        *table(("observation", "what it looks at", "rules"), map(_row, observations().values())),
        "",
        "## Columns that many have",
        "",
        "Each is a constant that an observation takes into its `columns`: `{**HOSTED, ...}`.",
    ]
    for name in sets():
        lines += ["", *_set(name)]
    for each in observations().values():
        lines += ["", *_section(each)]
    return "\n".join([*lines, ""])


def check() -> None:
    """Raise ValueError where the declarations and the table of meanings do not fit."""
    for each in observations().values():
        described(each)
        for column in each.columns:
            meaning(column, each.name)
    used = {column for each in observations().values() for column in each.columns}
    for name, own in meanings().items():
        if unused := sorted(own.keys() - (used if name == SHARED else _columns(name).keys())):
            raise ValueError(f"{FILE.name}: {name} has no column {', '.join(unused)}")


@cache
def meanings() -> Mapping[str, Mapping[str, str]]:
    """Return the meanings of columns, by observation or set; SHARED has those of all others."""
    return toml.read(FILE)


@cache
def meaning(column: str, name: str) -> str:
    """Return what a column means in an observation, or in a set of columns.

    Raises:
        ValueError: columns.toml does not say.
    """
    for place in (name, *_within(name), SHARED):
        if found := meanings().get(place, {}).get(column):
            return found
    base = column.removeprefix("before_")
    if base == column or base not in meanings()[SHARED]:
        raise ValueError(f"{FILE.name}: say what the column {column!r} of {name} means")
    return f"`{base}` of the row before"


def _within(name: str) -> Iterator[str]:
    for each in parts(name):
        yield from (each, *_within(each))


def _columns(name: str) -> Mapping[str, Sort]:
    if name not in _known():
        raise unknown(f"{FILE.name}: observation or set of columns", name, _known())
    return _known()[name]


@cache
def _known() -> Mapping[str, Mapping[str, Sort]]:
    """Return the columns of each set and each observation."""
    return {**sets(), **{each.name: each.columns for each in observations().values()}}


@cache
def sets() -> Mapping[str, Mapping[str, Sort]]:
    """Return the mappings of columns that several observations take in, by the names of their constants."""
    found: dict[str, Mapping[str, Sort]] = {}
    for module in modules():
        for name, value in vars(module).items():
            if name.isupper() and isinstance(value, Mapping) and _is_shared(value):
                known = any(value is each for each in found.values())
                found |= {} if known else {f"{_short(module)}.{name}" if name.startswith("_") else name: value}
    return found


def _is_shared(value: Mapping[object, object]) -> bool:
    """Check that a mapping is one of columns, and of a size and use that make it worth a name."""
    if len(value) < _LEAST or not all(isinstance(each, Sort) for each in value.values()):
        return False
    return sum(value.keys() <= each.columns.keys() for each in observations().values()) > 1


def _is_for(each: str, name: str) -> bool:
    """Check that a set is public, or of the module of an observation or another set."""
    module, _, constant = each.rpartition(".")
    if not constant.startswith("_"):
        return True
    return module == (name.rpartition(".")[0] if name in sets() else _module(observations()[name]))


@cache
def parts(name: str) -> tuple[str, ...]:
    """Return the largest sets that an observation, or a set, contains, largest first."""
    own = _columns(name).keys()
    inside = {
        each: columns.keys()
        for each, columns in sets().items()
        if each != name and columns.keys() <= own and _is_for(each, name)
    }
    largest = [each for each, names in inside.items() if not any(names < other for other in inside.values())]
    return tuple(sorted(largest, key=lambda each: -len(inside[each])))


@cache
def modules() -> tuple[ModuleType, ...]:
    """Return the modules that declare columns and observations."""
    found = (each for of in (observe, sources) for each in pkgutil.walk_packages(of.__path__, f"{of.__name__}."))
    return (fields, *(importlib.import_module(each.name) for each in found))


@cache
def _literals(module: ModuleType) -> Mapping[str, str]:
    """Return the literal under each constant of a module."""
    found: dict[str, str] = {}
    for node, after in pairwise(ast.parse(inspect.getsource(module)).body):
        said = after.value if isinstance(after, ast.Expr) else None
        if isinstance(said, ast.Constant) and isinstance(said.value, str):
            targets = getattr(node, "targets", [getattr(node, "target", None)])
            found |= {each.id: inspect.cleandoc(said.value) for each in targets if isinstance(each, ast.Name)}
    return found


def described(each: Observation) -> str:
    """Return the literal under an observation's constant.

    Raises:
        ValueError: there is none.
    """
    module, name = _declared(each)
    return _literals(module)[name]


def _place(each: Observation) -> str:
    """Return the module that declares an observation, as a path."""
    module, _ = _declared(each)
    return module.__name__.partition(".")[2].replace(".", "/") + ".py"


def _module(each: Observation) -> str:
    return _short(_declared(each)[0])


def _short(module: ModuleType) -> str:
    return module.__name__.rpartition(".audit.")[2].partition(".")[2]


def _declared(each: Observation) -> tuple[ModuleType, str]:
    """Return the module and the constant under which an observation has a literal."""
    for module in modules():
        for name, value in vars(module).items():
            if value is each and name in _literals(module):
                return module, name
    raise ValueError(f"say under the constant of the observation {each.name!r} what it looks at")


def _row(each: Observation) -> tuple[str, str, str]:
    first = " ".join(described(each).split("\n\n")[0].split())
    return f"[{each.name}](#{each.name})", first, ", ".join(_rules(each.name))


def _rules(name: str) -> list[str]:
    return [f"[{rule.code}]({path(rule)})" for rule in rules_on(name)]


def _set(name: str) -> Iterator[str]:
    yield f"### {name}"
    yield ""
    yield from _listed(name)


def _section(each: Observation) -> Iterator[str]:
    yield f"## {each.name}"
    yield ""
    yield described(each)
    yield ""
    yield f"* Rules: {', '.join(_rules(each.name)) or 'none'}"
    yield f"* Declared in: `{_place(each)}`"
    if each.made_from.name != each.name:
        yield f"* Made from: {each.made_from.name}"
    if each.lines:
        yield f"* Lines: {', '.join(f'[{line}](lines.md#{line})' for line in dict.fromkeys(each.lines))}"
    if each.key:
        yield f"* Key: {_named(each.key)}"
    if each.order:
        yield f"* Order: {_named(each.order)}"
    if each.counted_by:
        yield f"* Counted by: {_named(each.counted_by)}"
    if each.between:
        yield f"* Never between a row and the one before: {', '.join(dict.fromkeys(each.between))}"
    yield ""
    yield from _listed(each.name)


def _listed(name: str) -> Iterator[str]:
    """The columns: those of sets by their names, all others in a table."""
    whole = parts(name)
    of_sets = {row for each in whole for row in _rows(each)}
    own = [row for row in _rows(name) if row not in of_sets]
    if whole:
        yield f"Has the columns of {', '.join(f'[{each}](#{_anchor(each)})' for each in whole)}."
    if whole and own:
        yield ""
    if own:
        yield from table(("column", "sort", "meaning"), own)


@cache
def _rows(name: str) -> list[tuple[str, str, str]]:
    return [(f"`{column}`", str(sort), meaning(column, name)) for column, sort in _columns(name).items()]


def _anchor(heading: str) -> str:
    return heading.lower().replace(".", "")


def _named(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
