"""The catalogue of rules: the modules in the folders of `rules/`, discovered, not registered."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from inspect import cleandoc

from ....specs.errors import IsrproofError, unknown
from .. import rules as package
from .rule import Rule

RETIRED: Mapping[str, str] = {
    "KR645": "count-not-sent compared how many partitions a request is about, as controller and broker print it. It"
    " could only be suspicious, and found no fault in any recording or log of a real cluster",
}
"""Codes that are not used again, each with why its rule went."""


@cache
def rules() -> Mapping[str, Rule]:
    """Return all rules by code, each with the docstring of its module as its page, and its folder as its family.

    Raises:
        ValueError: two rules share a code.
        UnknownNameError: a rule names an observation that does not exist, or reads a column that the observation lacks.
    """
    found: dict[str, Rule] = {}
    for name in _modules():
        module = importlib.import_module(name)
        rule: Rule = replace(module.RULE, page=cleandoc(module.__doc__ or ""), family=name.split(".")[-2])
        if rule.code in found:
            raise ValueError(f"two rules have the code {rule.code}: {found[rule.code].name} and {rule.name}")
        found[rule.code] = rule
    return dict(sorted(found.items()))


def _modules() -> Iterator[str]:
    """Yield the modules in folders, except shared ones, whose names begin with `_`."""
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        folder, _, name = module.name.removeprefix(f"{package.__name__}.").rpartition(".")
        if folder and not module.ispkg and not name.startswith("_"):
            yield module.name


@cache
def rules_on(observation: str) -> tuple[Rule, ...]:
    """Return the rules that look at an observation's rows."""
    return tuple(rule for rule in rules().values() if rule.observation == observation)


def find(name: str) -> Rule:
    """Return the rule with that code, name or former name.

    Raises:
        UnknownNameError: there is none; the message names the nearest.
        IsrproofError: it is retired.
    """
    for rule in rules().values():
        if name.lower() in (rule.code.lower(), rule.name, *rule.former_names):
            return rule
    if name.upper() in RETIRED:
        raise IsrproofError(f"The rule {name.upper()} is retired: {RETIRED[name.upper()]}.")
    known = [*rules(), *(rule.name for rule in rules().values())]
    raise unknown("rule", name.upper() if name.upper().startswith("KR") else name, known)
