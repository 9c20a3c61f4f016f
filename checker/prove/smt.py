"""The solver: questions, answers, limits of time and work, SMT-LIB text, and terms with literals folded."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import z3

Term = Any
"""A Z3 term, or a Python bool or int that stands for itself: literals are folded before the solver sees them."""

Outcome = Literal["unsat", "sat", "unknown"]


@dataclass(frozen=True)
class Answer:
    """The solver's answer: `unsat` proves, `sat` comes with an assignment, `unknown` with a reason."""

    outcome: Outcome
    seconds: float
    reason: str = ""
    assignment: Any = None


def version() -> str:
    """Return the solver's name and version, as printed beside a result."""
    return f"Z3 {z3.get_version_string()}"


FEW, MUCH = 2_000_000, 20_000_000
"""Work for one attempt, in units that Z3 counts the same on every machine: some one and ten seconds of one core."""


def solver(timeout: float, *, search: bool = False, work: int | None = None, seed: int = 0) -> z3.Solver:
    """A solver with a time limit in seconds, in a context of its own: translate assertions to it.

    In a context that others share, numbers of terms depend on what was asked before and when it was forgotten, and on
    them the order in which a solver tries instances of a quantifier: the same question would be answered in one
    process and not in another.

    Args:
        search: go its own way with quantifiers, and look for models of them.
        work: gives up after this amount of work, on every machine and run at the same place.
    """
    context = z3.Context()
    made = z3.Solver(ctx=context) if search else z3.SimpleSolver(ctx=context)
    made.set("timeout", max(1, int(timeout * 1000)))
    made.set("random_seed", seed)
    if work is not None:
        made.set("rlimit", work)
    if not search:
        made.set("auto_config", False)
        made.set("mbqi", False)
        made.set("relevancy", 2)
    return made


def ask(
    assertions: Iterable[Term],
    timeout: float,
    *,
    search: bool = False,
    work: int | None = None,
    seed: int = 0,
) -> Answer:
    """Ask whether there is an assignment under which all assertions hold."""
    started = time.perf_counter()
    asked = solver(timeout, search=search, work=work, seed=seed)
    for each in assertions:
        if each is False:
            return Answer("unsat", time.perf_counter() - started)
        if each is not True:
            asked.add(each.translate(asked.ctx))
    return answer(asked, started)


def check(asked: z3.Solver, *assumptions: Term) -> Outcome:
    """Return the solver's answer.

    Raises:
        KeyboardInterrupt: the solver, which takes interrupts for itself, was interrupted.
    """
    outcome: Outcome = str(asked.check(*assumptions))  # type: ignore[assignment]
    if outcome == "unknown" and "interrupt" in asked.reason_unknown():
        raise KeyboardInterrupt
    return outcome


def answer(asked: z3.Solver, started: float, assumptions: Sequence[Term] = ()) -> Answer:
    """Run a solver that holds its assertions already."""
    outcome = check(asked, *assumptions)
    seconds = time.perf_counter() - started
    if outcome == "sat":
        return Answer("sat", seconds, assignment=asked.model())
    if outcome == "unsat":
        return Answer("unsat", seconds)
    return Answer("unknown", seconds, asked.reason_unknown())


def core(
    assertions: Iterable[Term], groups: Mapping[str, Iterable[Term]], timeout: float, *, work: int
) -> frozenset[str] | None:
    """The names of the groups that a refutation used together with the assertions; None without a refutation."""
    asked = solver(timeout, search=True, work=work)
    for each in assertions:
        asked.add(boolean(each).translate(asked.ctx))
    for name, terms in groups.items():
        for each in terms:
            asked.add(z3.Implies(z3.Bool(f"group.{name}"), boolean(each)).translate(asked.ctx))
    if check(asked, *(z3.Bool(f"group.{name}", asked.ctx) for name in groups)) != "unsat":
        return None
    return frozenset(str(each).removeprefix("group.") for each in asked.unsat_core())


def smtlib(assertions: Iterable[Term], comment: str) -> str:
    """The question as SMT-LIB 2 text, with its comment; a second solver can be asked it."""
    asked = z3.Solver()
    for each in assertions:
        asked.add(each if z3.is_expr(each) else z3.BoolVal(each))
    head = "".join(f"; {line}\n" for line in comment.splitlines())
    body = "\n".join(line for line in asked.to_smt2().splitlines() if not line.startswith(("; benchmark", "(set-info")))
    return f"{head}(set-logic ALL)\n{body}\n"


# Terms, with literals folded


def boolean(term: Term) -> Term:
    """A term that Z3 accepts where it wants a Bool."""
    return z3.BoolVal(term) if isinstance(term, bool) else term


def conj(*terms: Term) -> Term:
    open_terms: list[Term] = []
    for each in terms:
        if each is False:
            return False
        if each is not True:
            open_terms.append(each)
    if not open_terms:
        return True
    return open_terms[0] if len(open_terms) == 1 else z3.And(open_terms)


def disj(*terms: Term) -> Term:
    open_terms: list[Term] = []
    for each in terms:
        if each is True:
            return True
        if each is not False:
            open_terms.append(each)
    if not open_terms:
        return False
    return open_terms[0] if len(open_terms) == 1 else z3.Or(open_terms)


def neg(term: Term) -> Term:
    if isinstance(term, bool):
        return not term
    return term.arg(0) if z3.is_not(term) else z3.Not(term)


def implies(left: Term, right: Term) -> Term:
    if left is False or right is True:
        return True
    if left is True:
        return right
    return neg(left) if right is False else z3.Implies(left, right)


def iff(left: Term, right: Term) -> Term:
    if isinstance(left, bool):
        return right if left else neg(right)
    if isinstance(right, bool):
        return left if right else neg(left)
    return left == right


def scalar_eq(left: Term, right: Term) -> Term:
    if isinstance(left, bool) or isinstance(right, bool):
        return iff(left, right)
    if isinstance(left, int) and isinstance(right, int):
        return left == right
    if z3.is_expr(left) and z3.is_expr(right) and left.eq(right):
        return True
    return left == right


def choose(test: Term, then: Term, otherwise: Term) -> Term:
    """If-then-else on scalars."""
    if isinstance(test, bool):
        return then if test else otherwise
    if isinstance(then, bool):
        return disj(test, otherwise) if then else conj(neg(test), otherwise)
    if isinstance(otherwise, bool):
        return implies(test, then) if otherwise else conj(test, then)
    if isinstance(then, int) and isinstance(otherwise, int) and then == otherwise:
        return then
    if z3.is_expr(then) and z3.is_expr(otherwise) and then.eq(otherwise):
        return then
    return z3.If(test, then, otherwise)
