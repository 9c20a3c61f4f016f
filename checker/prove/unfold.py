"""Questions without lambdas, for solvers that do not know arrays given by a lambda.

The size of a set of any number of elements is the size of an array `lambda x. body` to Z3. Standard SMT-LIB has no such
arrays. So each is given a name, a function of the bound variables around it, and an assertion that says what it is:
the question has the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import z3

from .smt import Term


class _Naming:
    """Names for the lambdas of one question; the same lambda has one name wherever it stands."""

    def __init__(self) -> None:
        self.definitions: list[Term] = []
        self._made: dict[tuple[Term, ...], Term] = {}

    def rename(self, term: Term, bound: Sequence[Term] = ()) -> Term:
        """The term with a name in the place of each lambda; `bound` are the variables around it."""
        if z3.is_quantifier(term):
            own, body = _opened(term, len(bound))
            inner = self.rename(body, (*bound, *own))
            if term.is_lambda():
                return self._named(own, inner, bound)
            return z3.ForAll(own, inner) if term.is_forall() else z3.Exists(own, inner)
        return term.decl()(*(self.rename(each, bound) for each in term.children())) if z3.is_app(term) else term

    def _named(self, own: Sequence[Term], body: Term, bound: Sequence[Term]) -> Term:
        around = [each for each in bound if _occurs(each.eq, body)]
        key = (*around, *own, body)
        if key not in self._made:
            sets = z3.ArraySort(*(each.sort() for each in own), body.sort())
            name = z3.Function(f"set!{len(self._made)}", *(each.sort() for each in around), sets)
            self._made[key] = name(*around)
            self.definitions.append(z3.ForAll([*around, *own], z3.Select(self._made[key], *own) == body))
        return self._made[key]


def _opened(term: Term, depth: int) -> tuple[list[Term], Term]:
    """The variables of a quantifier as constants, named by how deep they stand, and its body over them."""
    count = term.num_vars()
    own = [z3.Const(f"{term.var_name(index)}!{depth + index}", term.var_sort(index)) for index in range(count)]
    return own, z3.substitute_vars(term.body(), *reversed(own))


def _occurs(is_it: Callable[[Term], bool], term: Term) -> bool:
    """Check whether some part of the term is it."""
    waiting, seen = [term], set()
    while waiting:
        each = waiting.pop()
        if is_it(each):
            return True
        if each.get_id() not in seen:
            seen.add(each.get_id())
            waiting += each.children()
    return False


def without_lambdas(assertions: Sequence[Term]) -> list[Term]:
    """The assertions with a name in the place of each lambda, and what the names mean."""
    naming = _Naming()
    renamed = [naming.rename(each) if z3.is_expr(each) and _occurs(_is_lambda, each) else each for each in assertions]
    return [*naming.definitions, *renamed]


def _is_lambda(term: Term) -> bool:
    return bool(z3.is_quantifier(term) and term.is_lambda())
