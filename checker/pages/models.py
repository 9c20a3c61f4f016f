"""docs/models.md: the models, their behaviours, and what the explorer is expected to find."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from types import ModuleType

from ...model.action import Action
from ...model.catalogue import families, models
from ...model.discovery import modules
from ...model.family import Family
from ...model.protocol import Behaviour
from ...model.replication import base
from ...model.replication.base import REPLICATION
from ...specs.behaviours import BEHAVIOURS
from ...specs.metadata.levels import level_name
from ...specs.releases import names
from ..conformance import flagged
from ..diagram import speakers
from ..diagram.drawing import Drawing
from ..explore import matrix
from ..explore.report import action_lines
from . import picture, table

PATH = "docs/models.md"
NEXT = "[Proofs](proofs.md), for what holds without bounds, or [the language](language.md), to write a model"


def write() -> str:
    """A table of models, one of expectations, the base, and a section per behaviour."""
    lines = [
        "# Models",
        "",
        "This page lists the models, and what the explorer finds in them. `isrproof explore MODEL` searches one,",
        "`isrproof explore MODEL --list` prints one in full, and `isrproof explore --matrix` checks the expectations",
        "below.",
        "",
        "`python -m isrproof.checker.pages` writes this page from the folders of `model/`: change the models, not this",
        "page.",
        "",
        *table(
            ("model", "meaning", "behaviours"),
            ((name, one.statement, ", ".join(each.name for each in one.behaviours)) for name, one in models().items()),
        ),
        "",
        "## What the explorer finds",
        "",
        "Settings are replicas/log size/records/last leader epoch. A length is the number of states of the shortest",
        "counterexample. Every promised property that is not named holds, and every *sometimes* property is met.",
        "",
        *table(("instance", "states", "violated", "shows"), _rows(None)),
        "",
        "## Properties",
        "",
        *table(("property", "kind", "meaning"), _properties()),
        "",
        "## The base",
        "",
        _counterexample(base),
        "",
        "```",
        *(line for action in REPLICATION.actions for line in action_lines(action)),
        "```",
    ]
    counterexamples = _counterexamples()
    for behaviour in _behaviours():
        lines += ["", f"## {behaviour.name}", "", behaviour.statement]
        if behaviour.name in counterexamples:
            lines += ["", counterexamples[behaviour.name]]
        lines += [
            "",
            "```",
            *(line for each in behaviour.replaces + behaviour.adds for line in action_lines(each)),
            "```",
        ]
    for family in families().values():
        lines += _family(family)
    return "\n".join([*lines, ""])


def drawings() -> Iterator[Drawing]:
    """Yield the pictures of the page."""
    yield from map(speakers.draw, families().values())


def _rows(family: str | None) -> Iterator[Iterator[str]]:
    """The expectations of a family's models; None: those of models that are in none."""
    return (_expected(row) for row in matrix.rows() if (row.model if row.model in families() else None) == family)


def _family(family: Family) -> list[str]:
    """A section: parts, behaviours, what is found by release, properties, and the newest release's guards."""
    newest = family.model()
    whole = family.model(adding=[each.name for each in family.parts])
    asked = [prop for ghosts in whole.ghosts for prop in ghosts.properties]
    settings = "/".join(each.name.replace("_", " ") for each in newest.settings if each.name != "max_leader_epoch")
    return [
        "",
        f"## The {family.name}",
        "",
        f"{family.statement}",
        *_of_levels(family),
        f"`--release R` selects the behaviours that a release of {names(family.releases)} has, `--with` and",
        "`--without` switch one, or a part. The verdict of an instance lists what the instance leaves out.",
        "",
        *table(
            ("part", "meaning", "usual"),
            ((each.name, each.statement, "yes" if each.usual else "no") for each in family.parts),
        ),
        "",
        *table(("behaviour", "releases", "meaning"), (_behaviour(each) for each in family.behaviours)),
        "",
        f"### What the explorer finds in a {family.name}",
        "",
        f"Settings are {settings}.",
        "",
        *table(("instance", "states", "violated", "shows"), _rows(family.name)),
        "",
        "The promises of the newest release with all parts"
        + (", then the properties that `--property` adds." if asked else "."),
        "",
        *table(("property", "kind", "meaning"), ((each.name, each.kind, each.statement) for each in whole.properties)),
        "",
        *table(("with --property", "kind", "meaning"), ((each.name, each.kind, each.statement) for each in asked)),
        "",
        *_flagged(family),
        f"### What a {family.name} cannot express",
        "",
        *table(("known bugs", "why"), family.beyond),
        "",
        f"### Communication in a {family.name}",
        "",
        f"`isrproof diagram {family.name} --release R` draws any release.",
        "",
        *picture(speakers.draw(family)),
        "",
        f"### The steps of a {family.name}",
        "",
        *table(("action", "meaning", "when"), (_guarded(each) for each in whole.actions)),
    ]


def _flagged(family: Family) -> list[str]:
    """Return the section on an audit's verdicts on the logs of a family's counterexamples, where known."""
    shown = {pair for row in matrix.rows() if row.model == family.name for pair in row.shows.items()}
    found = [each for each in flagged.rows() if (each.prop, each.shows) in shown]
    if not found:
        return []
    return [
        f"### What an audit finds in the counterexamples of a {family.name}",
        "",
        f"`isrproof simulate {family.name} --release R --property P --out FOLDER` writes the log of one.",
        "",
        *table(
            ("violated", "shows", "an audit of its log"), ((each.prop, each.shows, each.verdict_text) for each in found)
        ),
        "",
    ]


def _of_levels(family: Family) -> list[str]:
    """Return the note for behaviours that also depend on a cluster's metadata.version."""
    if not any(BEHAVIOURS[each].level for each in family.behaviours):
        return []
    return ["A release has its newest metadata.version; an older one is the model without the later behaviours."]


def _behaviour(id: str) -> tuple[str, str, str]:
    one = BEHAVIOURS[id]
    since = f", from {level_name(one.level)} on" if one.level else ""
    return id, f"{names(one.releases)}{since}", one.meaning


def _guarded(action: Action) -> tuple[str, str, str]:
    return action.name, action.statement, "; ".join(each.label for each in (*action.guard, *action.limits))


def _counterexample(module: ModuleType) -> str:
    return str(module.__doc__).strip()


def _counterexamples() -> dict[str, str]:
    """The docstrings of the modules that define behaviours, by the first behaviour that each defines."""
    found = {}
    for module in modules(of_lemmas=False):
        mine = _assigned(module)
        own = [value for name, value in vars(module).items() if isinstance(value, Behaviour) and name in mine]
        if own and module is not base:
            found[own[0].name] = _counterexample(module)
    return found


def _assigned(module: ModuleType) -> set[str]:
    """The names that a module gives a value; what it imports is another's."""
    statements = ast.parse(inspect.getsource(module)).body
    targets = [target for each in statements if isinstance(each, ast.Assign) for target in each.targets]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _behaviours() -> tuple[Behaviour, ...]:
    found: dict[str, Behaviour] = {}
    for one in models().values():
        found.update((each.name, each) for each in one.behaviours)
    return tuple(found.values())


def _expected(row: matrix.Expectation) -> Iterator[str]:
    yield row.title
    yield f"{row.distinct:,}" if row.distinct else ""
    yield ", ".join(f"{name} {length}" for name, length in row.violated.items()) or "nothing"
    yield ", ".join(dict.fromkeys(row.shows.values()))


def _properties() -> Iterator[tuple[str, str, str]]:
    seen = set()
    for chosen in models().values():
        for prop in (*chosen.properties, *(each for ghosts in chosen.ghosts for each in ghosts.properties)):
            if prop.name not in seen:
                seen.add(prop.name)
                yield prop.name, prop.kind, prop.statement
