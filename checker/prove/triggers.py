"""Terms that make the solver use a universally quantified clause.

A clause is instantiated where its trigger matches known terms. The solver's own choice is one trigger, often one whose
terms do not occur in the question; here every small set of terms that covers the variables is a trigger of its own.
"""

from __future__ import annotations

import itertools
from typing import Any

import z3

from .smt import Term

MOST = 40
"""The most triggers for one clause."""


def for_all(variables: list[Any], body: Term) -> Term:
    """The clause for all values of its variables, with its triggers."""
    if not variables or isinstance(body, bool):
        return body
    return z3.ForAll(variables, body, patterns=triggers(variables, body))


def triggers(variables: list[Any], body: Term) -> list[Any]:
    """The smallest sets of applications of uninterpreted functions that together hold all variables, if any do.

    Where an application to what another one gives is in each of these, as in `led(log(at), below)`, there are also the
    smallest sets without: else the clause would be used only where that term is known already.
    """
    candidates = _applications(body, {each.get_id() for each in variables})
    wanted = frozenset(each.get_id() for each in variables)
    found = _covers(candidates, wanted)
    known = {term.get_id() for term, _ in candidates}
    plain = [each for each in candidates if not any(arg.get_id() in known for arg in each[0].children())]
    named = {term.get_id() for term, _ in plain}
    if not any(all(term.get_id() in named for term in each) for each in found):
        found += _covers(plain, wanted)
    return [z3.MultiPattern(*each) for each in found[:MOST]]


def _covers(candidates: list[tuple[Any, frozenset[int]]], wanted: frozenset[int]) -> list[tuple[Any, ...]]:
    """The sets of as few candidates as possible that together hold all variables, and none in vain."""
    for size in range(1, min(4, len(wanted) + 1)):
        found = []
        for chosen in itertools.combinations(candidates, size):
            if frozenset().union(*(held for _, held in chosen)) != wanted:
                continue
            if size > 1 and any(
                frozenset().union(*(held for _, held in chosen if held is not left)) == wanted for _, left in chosen
            ):
                continue
            found.append(tuple(term for term, _ in chosen))
        if found:
            return found
    return []


def _applications(body: Any, variables: set[int]) -> list[tuple[Any, frozenset[int]]]:
    """Applications to variables and terms without variables or operators, with the variables in each."""
    seen: dict[int, frozenset[int] | None] = {}
    found: dict[int, tuple[Any, frozenset[int]]] = {}

    def walk(term: Any) -> frozenset[int] | None:
        """The variables of a term if it may stand in a trigger, else None."""
        key = term.get_id()
        if key in seen:
            return seen[key]
        if z3.is_quantifier(term):
            seen[key] = None
            return None
        inner = [walk(each) for each in term.children()]
        held: frozenset[int] | None
        if key in variables:
            held = frozenset({key})
        elif z3.is_app_of(term, z3.Z3_OP_UNINTERPRETED) and None not in inner:
            held = frozenset[int]().union(*(each for each in inner if each is not None))
            if held:
                found[key] = (term, held)
        elif z3.is_int_value(term):
            held = frozenset()
        else:
            held = None
        seen[key] = held
        return held

    walk(body)
    return list(found.values())
