"""Actions, models, behaviours: what is refused when it is defined, and what the reference executes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from isrproof.model.action import action, disjuncts, update, waived
from isrproof.model.errors import DefinitionError, SortError, UnknownNameError
from isrproof.model.expr import after, const, either, field, fill, forall, ite, some, true, var
from isrproof.model.property import Property
from isrproof.model.protocol import Behaviour, Ghosts, Model, names_an_element, starts
from isrproof.model.replication.ladder import KIP320, LADDER
from isrproof.model.sorts import Bool, Finite, Int, MapOf, OptionOf, SeqOf, Setting
from isrproof.model.step import Reference

BOXES = Setting("boxes", 2, "how many boxes", at_least=1)
TOP = Setting("top", 2, "how much fits into a box")
TALL = Setting("tall", 2, "of another model")
Box = Finite("Box", BOXES)
held = field("held", MapOf(Box, Int(0, TOP)))
chosen = field("chosen", OptionOf(Box))
box = var("box", Box)
SMALL = field("small", Int(0, 3))
many = field("many", SeqOf(Int(0, 3), 2))

put = action(
    "Put", "One more.", box, guard={"open": true}, limits={"room": held[box] < TOP}, updates={held[box]: held[box] + 1}
)
choose = action("Choose", "Pick.", box, guard={"not yet": chosen.is_none()}, updates={chosen: some(box)})
MODEL = Model(
    "boxes",
    "Boxes are filled, one is chosen.",
    (BOXES, TOP),
    (starts(held, fill(held.sort, 0), "how much is in each box"), starts(chosen, None, "which one is chosen")),
    (put, choose),
    (),
)


def test_an_update_that_fits_in_some_state_is_no_misuse() -> None:
    for value in (SMALL + 3, SMALL - 3, ite(SMALL < 2, SMALL + 4, SMALL), held[box] + TOP):
        assert update(SMALL, value).value is value


def _reachable(model: Model, **settings: int) -> set[object]:
    reference = Reference(model.instance(**settings))
    seen = {reference.initial()}
    frontier = list(seen)
    while frontier:
        for step in reference.successors(frontier.pop()):
            assert not step.overflows
            if step.state not in seen:
                seen.add(step.state)
                frontier.append(step.state)
    return seen


def test_the_reference_reaches_what_it_should() -> None:
    assert len(_reachable(MODEL)) == 3 * 3 * 3
    assert len(_reachable(MODEL, boxes=1, top=5)) == 6 * 2


def test_a_literal_of_another_instance_names_its_field() -> None:
    two = starts(held, (0, 1), "how much is in each of two boxes")
    reference = Reference(replace(MODEL, fields=(two, MODEL.fields[1])).instance(boxes=3))
    with pytest.raises(SortError, match=r"field held cannot start so: .* is not a value of Map Box to Int 0..top"):
        reference.initial()


def test_without_its_limit_a_field_overflows() -> None:
    free_put = replace(put, limits=())
    model = MODEL.with_behaviours(Behaviour("greedy", "No limit.", replaces=(free_put,)))
    reference = Reference(model.instance(boxes=1, top=0))
    (step,) = [each for each in reference.successors(reference.initial()) if each.action == "Put"]
    assert step.overflows == ("held",)


@pytest.mark.parametrize(
    ("misuse", "error", "says"),
    [
        (lambda: action("A", "a", box, box, guard={}, updates={}), DefinitionError, "parameter twice"),
        (lambda: action("A", "a", var("n", Int()), guard={}, updates={}), DefinitionError, "a variable made by var"),
        (lambda: action("A", "a", "box", guard={}, updates={}), DefinitionError, "a variable made by var"),
        (lambda: action("A", "a", guard=(true,), updates={}), DefinitionError, "expected guard={label: condition"),
        (lambda: action("A", "a", guard={}, updates=[(held, held)]), DefinitionError, "expected updates={field"),
        (lambda: action("A", "a", guard={}, updates={"held": held}), DefinitionError, "not its name"),
        (lambda: action("A", "a", guard={"g": held == chosen}, updates={}), DefinitionError, r"a\.eq\(b\)"),
        (lambda: action("A", "a", guard={"g": held[box] < 1}, updates={}), DefinitionError, "one of its param"),
        (lambda: action("A", "a", guard={"g": after(chosen).is_none()}, updates={}), DefinitionError, "before the"),
        (lambda: action("A", "a", guard={"g": lambda state: True}, updates={}), DefinitionError, "printed and proved"),
        (lambda: action("A", "a", guard={"g": chosen}, updates={}), SortError, "expected a Bool"),
        (lambda: action("A", "a", box, guard={}, updates={held[box]: 0, held: held}), DefinitionError, "twice"),
        (lambda: action("A", "a", guard={}, updates={chosen.is_none(): True}), DefinitionError, "cannot be updated"),
        (lambda: update(field("n", Int(0, 3)), 4), SortError, "4 is not a value of Int 0..3"),
        (lambda: update(SMALL, SMALL + 4), SortError, "is 4..7, never a value of Int 0..3"),
        (lambda: update(held[box], held[box] + TOP + 1), SortError, "1 or more, never a value of Int 0..top"),
        (lambda: update(many, many.append(SMALL - 4)), SortError, "-4..-1, never a value"),
        (lambda: update(chosen, box), SortError, "compares Option of Box with Box; wrap it in some"),
        (lambda: starts(chosen, const(True, Bool), "?"), SortError, "cannot start as"),
        (lambda: replace(MODEL, actions=(put, put)), DefinitionError, "action 'Put' twice"),
        (lambda: replace(MODEL, fields=MODEL.fields[1:]), UnknownNameError, "action Put: unknown field 'held'"),
        (lambda: replace(MODEL, settings=(BOXES,)), UnknownNameError, "the setting 'top', which"),
        (lambda: replace(MODEL, fields=MODEL.fields[0]), DefinitionError, r"a single one is \(it,\)"),
        (lambda: replace(MODEL, fields=(held,)), DefinitionError, "fields are a tuple of Field, got held"),
        (
            lambda: replace(MODEL, properties=(Property("P", "p", forall(var("x", Finite("X", TALL)), true)),)),
            UnknownNameError,
            "variable x: X depends on the setting 'tall'",
        ),
        (lambda: Property("P", "p", chosen.is_none(), kind="step"), DefinitionError, "reads nothing after a step"),
        (lambda: Property("P", "p", lambda state: True), DefinitionError, "expected an expression"),  # type: ignore[arg-type]
        (lambda: MODEL.instance(boxes="2"), DefinitionError, "expected an integer, got '2'"),  # type: ignore[arg-type]
        (lambda: MODEL.instance(boxs=2), UnknownNameError, "did you mean 'boxes'"),
        (lambda: MODEL.instance(boxes=0), DefinitionError, "at least 1"),
        (lambda: MODEL.action("Putt"), UnknownNameError, "did you mean 'Put'"),
        (lambda: MODEL.property("P"), UnknownNameError, "none is defined"),
        (
            lambda: MODEL.with_behaviours(Behaviour("b", "b", suspends=("Safe",))),
            UnknownNameError,
            "behaviour b: unknown property 'Safe'",
        ),
        (lambda: MODEL.with_behaviours(Behaviour("b", "b", adds=(put,))), DefinitionError, "use `replaces`"),
        (lambda: KIP320.without("KIP-321"), UnknownNameError, "did you mean 'KIP-320'"),
        (lambda: KIP320.watching("commited"), UnknownNameError, "did you mean 'committed'"),
        (
            lambda: MODEL.with_behaviours(Behaviour("b", "b", replaces=(replace(put, name="Pot"),))),
            UnknownNameError,
            "did you mean 'Put'",
        ),
        (
            lambda: replace(MODEL, ghosts=(Ghosts("g", (), {"Put": (update(held, fill(held.sort, 0)),)}),)),
            DefinitionError,
            "only ghosts are written",
        ),
    ],
)  # fmt: skip
def test_misuse_is_refused_when_it_is_defined(misuse: object, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        misuse()  # type: ignore[operator]


def test_a_parameter_must_not_hide_a_field() -> None:
    bad = action("Bad", "bad", var("held", Box), guard={}, updates={})
    with pytest.raises(DefinitionError, match="hides a field"):
        replace(MODEL, actions=(bad,))


def test_disjuncts_are_split_as_tlc_does() -> None:
    a, b, c = (field(name, Bool) for name in "abc")
    assert disjuncts(either(a, b) & c) == [true & a & c, true & b & c]
    assert disjuncts(~either(a, b)) == [~either(a, b)]


def test_a_clause_can_be_waived_with_a_reason() -> None:
    kept = action("A", "a", guard={"g": waived(chosen.is_none(), "tidy")}, updates={})
    assert kept.guard[0].label == "g"
    assert kept.guard[0].waiver == "tidy"


def test_symmetry_ends_where_an_element_is_named() -> None:
    assert names_an_element(MODEL) is None
    assert all(names_an_element(model) is None for model in LADDER)
    first = Property("First", "The first box is chosen.", chosen.eq(0), "sometimes")
    assert "property First names" in str(names_an_element(replace(MODEL, properties=(first,))))


def test_removing_a_behaviour_gives_the_rung_below() -> None:
    below = KIP320.without("KIP-320")
    assert {each.name: each for each in below.actions} == {each.name: each for each in LADDER[2].actions}
    assert [each.name for each in below.behaviours] == ["empty-isr", "KIP-101", "KIP-279"]


def test_the_quirk_can_be_switched_off() -> None:
    clauses = [clause.label for clause in KIP320.without("empty-isr").action("ControllerShrinkIsr").guard]
    assert "the last member stays" in clauses


def test_ghosts_are_off_until_asked_for() -> None:
    assert "committed" not in [each.name for each in KIP320.fields]
    watched = KIP320.watching("committed")
    assert watched.fields[-1].name == "committed"
    assert watched.property("NoCommittedRecordLost") in watched.properties
