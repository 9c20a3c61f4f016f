"""Leads-to properties: fair behaviours that wait forever are found, and checked by the reference."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path as File

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.explore import drawn, report, tla
from isrproof.checker.explore.liveness import check
from isrproof.checker.explore.run import explore
from isrproof.checker.explore.search import Limits
from isrproof.checker.explore.trace import EngineError, Path
from isrproof.model.action import action
from isrproof.model.errors import DefinitionError, UnknownNameError
from isrproof.model.expr import after, const, exists, field, fill, forall, ite, var
from isrproof.model.property import Property
from isrproof.model.protocol import Model, starts
from isrproof.model.sorts import Bool, Finite, Int, MapOf, Setting
from isrproof.model.step import Reference

LAMPS = Setting("lamps", 2, "how many lamps there are", at_least=1)
Lamp = Finite("Lamp", LAMPS)
lamp, one = var("lamp", Lamp), var("one", Lamp)
asked, lit, turns = field("asked", Bool), field("lit", MapOf(Lamp, Bool)), field("turns", Int(0, 2))
ACTIONS = (
    action("Ask", "Somebody asks for light.", guard={"did not": ~asked}, updates={asked: True}),
    action(
        "Light", "A lamp is lit.", lamp, guard={"was asked": asked, "is dark": ~lit[lamp]}, updates={lit[lamp]: True}
    ),
    action(
        "Turn",
        "A wheel turns; while it stands at 1 no lamp can be dimmed.",
        guard={"was asked": asked},
        updates={turns: ite(turns.eq(2), const(0, Int()), turns + 1)},
    ),
    action(
        "Dim",
        "A lamp goes out.",
        lamp,
        guard={"the wheel does not stand at 1": turns.ne(1), "is lit": lit[lamp]},
        updates={lit[lamp]: False},
    ),
)


def _model(fair: tuple[str, ...], without: tuple[str, ...] = (), some: bool = False) -> Model:
    goal = exists(one, lit[one]) if some else forall(one, lit[one])
    prop = Property("LightComes", "Who asks gets light.", asked, "leads_to", goal=goal, fair=fair)
    fields = (
        starts(asked, False, "whether somebody asked"),
        starts(lit, fill(lit.sort, False), "which lamps are lit"),
        starts(turns, 0, "where the wheel stands"),
    )
    actions = tuple(each for each in ACTIONS if each.name not in without)
    return Model("lamps", "Two lamps and a wheel.", (LAMPS,), fields, actions, (prop,))


def _lasso(model: Model) -> Path:
    found = explore(model)["LightComes"]
    assert found.verdict == "violated"
    assert found.path is not None
    return found.path


def test_without_fairness_it_waits_where_it_is() -> None:
    path = _lasso(_model(()))
    assert [each.action for each in path.steps] == ["Ask"]
    assert path.loop == path.length - 1 == 1


def test_with_fairness_it_comes() -> None:
    for without, some in ((("Dim",), False), (("Turn", "Dim"), False), ((), True)):
        assert explore(_model(("Light",), without, some)).verdict == "holds"


def test_only_what_is_named_is_fair() -> None:
    assert explore(_model(("Turn",), ("Dim",))).verdict == "violated"


def test_a_fair_step_for_each_choice_of_its_parameters() -> None:
    """One lamp goes on and off forever; the other's turn never comes: that is fair for neither lamp alone."""
    path = _lasso(_model(("Light",)))
    assert path.loop is not None
    round_about = path.steps[path.loop :]
    assert {each.params["lamp"] for each in round_about if each.action == "Light"} == {0, 1}
    assert path.states[path.loop] == path.states[-1]


def test_where_a_step_is_impossible_now_and_then_nothing_makes_it_be_taken() -> None:
    """The wheel turns for ever: at 1 no lamp can be dimmed."""
    fair = ("Light", "Turn", "Dim")
    prop = Property(
        "GoesOut", "It gets dark.", exists(one, lit[one]), "leads_to", goal=~exists(one, lit[one]), fair=fair
    )
    model = replace(_model(fair), properties=(prop,))
    path = explore(model)["GoesOut"].path
    assert path is not None
    assert path.loop is not None
    assert "Turn" in {each.action for each in path.steps[path.loop :]}


def test_the_reference_checks_the_lasso() -> None:
    model = _model(("Light",))
    path, reference = _lasso(model), Reference(model.instance())
    (prop,) = model.properties
    check(reference, prop, path)
    for wrong, why in (
        (path._replace(loop=0), "does not return to one of its states"),
        (path._replace(states=path.states[:2], steps=path.steps[:1], loop=1), "is not fair"),
        (path._replace(states=path.states[:1], steps=(), loop=0), "does not see LightComes broken"),
    ):
        with pytest.raises(EngineError, match=why):
            check(reference, prop, wrong)


def test_what_is_not_searched_to_the_end_is_not_decided() -> None:
    assert explore(_model(("Light",)), limits=Limits(states=3)).verdict == "unknown"
    assert explore(_model(("Light",)), symmetry=True)["LightComes"].reason == "decided only without symmetry"


def test_it_is_told() -> None:
    stays, goes_on = _lasso(_model(())), _lasso(_model(("Light",)))
    assert report.path_lines(stays)[-1] == "  and there it stays: no fair step changes anything"
    assert report.path_lines(goes_on)[-1] == f"  and so on from {(goes_on.loop or 0) + 1}, forever"
    assert report.itf(goes_on, "x")["loop"] == goes_on.loop
    assert "loop" not in report.itf(goes_on._replace(loop=None), "x")
    lines = drawn.mermaid(goes_on).splitlines()
    assert lines[-1] == "    end"
    inside = lines[lines.index("    loop and so on, forever") :]
    assert sum("Note over" in line for line in inside) == goes_on.length - 1 - (goes_on.loop or 0)
    assert "and there it stays" in drawn.mermaid(stays)
    assert "and so on, forever" in drawn.svg(goes_on)


def test_the_module_for_tlc_has_it() -> None:
    model = _model(("Light", "Turn"))
    text = tla.module(model.instance(), model.properties)
    assert "Spec == Init /\\ [][Next]_vars /\\ (\\A lamp \\in Lamp : WF_vars(Light(lamp))) /\\ WF_vars(Turn)" in text
    assert "LightComes == asked ~> " in text
    assert "PROPERTY LightComes" in tla.configuration(model.instance(), model.properties)


def test_misuse_is_told() -> None:
    with pytest.raises(DefinitionError, match="only the kind 'leads_to' has a goal"):
        Property("P", "?", asked, "leads_to")
    with pytest.raises(DefinitionError, match="only the kind 'leads_to' has a goal"):
        Property("P", "?", asked, goal=asked)
    with pytest.raises(DefinitionError, match="only the kind 'leads_to' has fairness"):
        Property("P", "?", asked, fair=("Ask",))
    with pytest.raises(DefinitionError, match="expected a Bool"):
        Property("P", "?", asked, "leads_to", goal=turns)
    with pytest.raises(DefinitionError, match="after a step"):
        Property("P", "?", after(asked), "leads_to", goal=asked)
    with pytest.raises(UnknownNameError, match="Lihgt"):
        _model(("Lihgt",))


def test_the_command_tells_a_lasso(tmp_path: File) -> None:
    file = tmp_path / "lamps.py"
    file.write_text(
        "from isrproof.model.action import action\n"
        "from isrproof.model.expr import field\n"
        "from isrproof.model.property import Property\n"
        "from isrproof.model.protocol import Model, starts\n"
        "from isrproof.model.sorts import Bool\n"
        "lit = field('lit', Bool)\n"
        "GO = action('Go', 'It goes on.', guard={'is off': ~lit}, updates={lit: True})\n"
        "COMES = Property('Comes', 'It goes on.', ~lit, 'leads_to', goal=lit)\n"
        "MODEL = Model('lamp', 'A lamp.', (), (starts(lit, False, '?'),), (GO,), (COMES,))\n"
    )
    done = CliRunner().invoke(main, ["explore", f"{file}:MODEL", "--json"])
    assert done.exit_code == 1
    said = json.loads(done.output)
    assert said["violations"][0]["loop"] == 0
    assert CliRunner().invoke(main, ["prove", f"{file}:MODEL", "--property", "Comes"]).exit_code == 2
