"""Sets that are counted, for solvers without lambdas: a name for each, and what it means."""

from __future__ import annotations

import z3
from isrproof.checker.prove.unfold import without_lambdas

R = z3.DeclareSort("R")
who, at = z3.Const("who", R), z3.Int("at")
isr = z3.Function("isr", z3.IntSort(), R, z3.BoolSort())
size = z3.Function("size", z3.ArraySort(R, z3.BoolSort()), z3.IntSort())


def members(of: object) -> z3.ArrayRef:
    return z3.Lambda([who], isr(of, who))


def outcome(*assertions: object) -> str:
    solver = z3.Solver()
    solver.add(*assertions)
    return str(solver.check())


def test_a_set_has_one_name_and_its_members() -> None:
    first, second = size(members(z3.IntVal(3))) > 5, size(members(z3.IntVal(3))) < 3
    (means, *asked) = without_lambdas([first, second])
    assert [str(each) for each in asked] == ["size(set!0) > 5", "size(set!0) < 3"]
    assert str(means) == "ForAll(who!0, set!0[who!0] == isr(3, who!0))"
    assert outcome(means, *asked) == "unsat"


def test_a_set_below_a_quantifier_is_named_by_the_variables_that_it_reads() -> None:
    small = z3.ForAll([at], z3.Or(size(members(at)) < 2, at > 3))
    asked = without_lambdas([small, size(members(z3.IntVal(3))) > 5])
    assert not any("Lambda" in str(each) for each in asked)
    assert outcome(*asked) == outcome(small, size(members(z3.IntVal(3))) > 5) == "unsat"
    assert outcome(*without_lambdas([small, size(members(z3.IntVal(4))) > 5])) != "unsat"


def test_what_has_no_lambda_stays_as_it_is() -> None:
    plain = z3.ForAll([who], isr(at, who), patterns=[isr(at, who)])
    assert without_lambdas([plain, True]) == [plain, True]
