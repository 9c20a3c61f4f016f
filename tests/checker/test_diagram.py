"""Pictures of the machines: what is in them, that foreign text stays text, and the command."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from isrproof.checker.cli import main
from isrproof.checker.diagram import counts, dot, mermaid, speakers, svg
from isrproof.checker.diagram.counts import CountsError, MoveCount
from isrproof.checker.diagram.drawing import Drawing, Edge, Node, draw
from isrproof.checker.explore import machines as machines_of
from isrproof.model.catalogue import families, model
from isrproof.specs import machines
from isrproof.specs.errors import IsrproofError
from isrproof.specs.lines import rows
from isrproof.specs.machines import machine, machine_names
from isrproof.specs.releases import RELEASES

needs_graphviz = pytest.mark.skipif(find_spec("pygraphviz") is None, reason="the extra `diagram` is not installed")
HOSTILE = '</title><script>alert(1)</script>"; x [label="\\N \\" &amp; &lt; %% `#quot;` \x1b[31m\r\n ]]>'


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["diagram", *arguments])


def audited(folder: Path, *transitions: dict[str, object]) -> Path:
    (folder / "audit.json").write_text(json.dumps({"transitions": transitions}), encoding="utf-8")
    return folder


def seen(source: str, target: str, count: int = 1, illegal: bool = False, name: str = "replica") -> dict[str, object]:
    return {"machine": name, "from": source, "to": target, "count": count, "illegal": illegal}


def test_a_drawing_has_every_state_and_move_of_the_table() -> None:
    for name in machine_names():
        for row in RELEASES:
            if row.mask & machine(name).releases:
                drawing = draw(name, row)
                states = {node.id: node.name for node in drawing.nodes}
                assert list(states.values()) == [state.name for state in machine(name).states_in(row)]
                drawn = [(states[edge.source], states[edge.target], edge.hidden) for edge in drawing.edges]
                level = row.state_change_level
                assert drawn == [(m.source, m.target, not m.shown_at(level)) for m in machine(name).moves(row)]
                assert not any(edge.illegal for edge in drawing.edges)


def test_dashes_follow_the_level() -> None:
    assert all(edge.hidden for edge in draw("replica", "3.9.1").edges)
    assert not any(edge.hidden for edge in draw("replica", "3.9.1", "TRACE").edges)
    assert not any(edge.hidden for edge in draw("replica", "2.3.1").edges)


def test_a_move_of_some_releases_says_so() -> None:
    labels = {(e.source, e.target): e.labels for e in draw("replica", "2.3.0").edges}
    assert labels["s3", "s6"] == ("since 2.3",)
    assert labels["s4", "s6"] == ()


@pytest.mark.parametrize(
    ("stretches", "expected"),
    [
        (["1.1-2.0", "1.0-1.1", "none"], "Kafka 1.1.1"),
        (["<=1.1", "2.3-2.4"], "Kafka 2.4.1"),
        ([], ""),
    ],
    ids=["what all allow", "upgraded meanwhile", "not told"],
)
def test_a_picture_with_counts_is_of_the_release_that_ran(stretches: list[str], expected: str, tmp_path: Path) -> None:
    content = {"transitions": [], "releases": [{"releases": text} for text in stretches]}
    (tmp_path / "audit.json").write_text(json.dumps(content), encoding="utf-8")
    newest = draw("replica").title.rpartition("in ")[2]
    assert (expected if stretches else newest) in run("replica", "--counts", str(tmp_path)).output
    assert "Kafka 2.0.0" in run("replica", "--counts", str(tmp_path), "--release", "2.0.0").output


@pytest.mark.parametrize(
    ("stretches", "title"),
    [
        # The tables of all of these are one; the log is of 2.0.0, and nothing in it tells that from 2.0.1.
        (["1.1-2.0"], "in Kafka 1.1-2.0"),
        (["contradictory", "1.1-2.0"], "in Kafka 1.1-2.0"),
        (["2.2-2.3"], "in Kafka 2.3 (the log may be of 2.2-2.3)"),
        (["contradictory"], "in Kafka 3.9 (the log does not show its release)"),
        ([], "in Kafka 3.9 (the log does not show its release)"),
        ([">=3.8"], "in Kafka 3.8-3.9"),
        (["4.0"], "in Kafka 3.9 (the log does not show its release)"),
    ],
)
def test_the_title_claims_no_release_that_the_log_does_not_tell(
    stretches: list[str], title: str, tmp_path: Path
) -> None:
    content = {"transitions": [], "releases": [{"releases": text} for text in stretches]}
    (tmp_path / "audit.json").write_text(json.dumps(content), encoding="utf-8")
    result = run("replica", "--counts", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[1] == f'title: "Replica, as the controller sees it, {title}"'


def test_releases_that_are_none_are_refused(tmp_path: Path) -> None:
    content = {"transitions": [], "releases": [{"releases": "yesterday"}]}
    (tmp_path / "audit.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(CountsError, match="yesterday"):
        counts.releases(tmp_path)


def test_what_is_logged_is_told_in_words() -> None:
    for name in machine_names():
        for row in RELEASES:
            if row.mask & machine(name).releases:
                told = [line for line in draw(name, row).caption if line.startswith("Logged at ")]
                moves = [move for move in machine(name).moves(row) if move.line]
                expected = {f"Logged at {move.level}: {rows()[move.line].meaning}" for move in moves}
                assert set(told) == expected
                assert len(told) == len(expected)


@pytest.mark.parametrize("format_", ["dot", "mermaid", pytest.param("svg", marks=needs_graphviz)])
@pytest.mark.parametrize("name", machine_names())
def test_no_format_prints_the_ids_of_lines(format_: str, name: str) -> None:
    text = run(name, "--format", format_).output
    for line in {move.line for move in machine(name).moves() if move.line}:
        assert not re.search(rf"\b{re.escape(line)}\b", text)
        assert rows()[line].meaning in text


def test_counts_are_on_the_edges_and_illegal_ones_marked() -> None:
    drawing = draw(
        "replica",
        "2.2.2",
        seen=[
            MoveCount("NewReplica", "OnlineReplica", 1200),
            MoveCount("OnlineReplica", "OnlineReplica", 5, 2),
            MoveCount("OfflineReplica", "ReplicaDeletionIneligible", 3),
            MoveCount("Gone", "OnlineReplica", 4, 4),
        ],
    )
    edges = {(edge.source, edge.target): edge for edge in drawing.edges}
    assert edges["s1", "s2"].labels == ("1,200 seen",)
    assert not edges["s1", "s2"].illegal
    assert edges["s2", "s2"].labels == ("5 seen, 2 illegal",)
    assert edges["s2", "s2"].illegal
    assert edges["s3", "s6"].labels == ("3 seen", "not in the table")
    assert edges["s3", "s6"].illegal
    assert drawing.nodes[-1].kind == "stranger"
    assert edges["x1", "s2"].labels == ("4 illegal", "not in the table")
    assert edges["s3", "s4"].count == 0


def test_only_the_most_frequent_foreign_moves_are_drawn() -> None:
    drawing = draw("partition", seen=[MoveCount(f"s{n}", "OnlinePartition", n) for n in range(1, 101)])
    assert [edge.count for edge in drawing.edges if edge.illegal] == sorted(range(86, 101), key=lambda n: f"s{n}")
    assert drawing.caption[-1] == "Left out: 85 rarer moves that are not in the table"


def test_rows_of_one_pair_are_added_and_other_machines_left_out(tmp_path: Path) -> None:
    folder = audited(tmp_path, seen("a", "b", 3), seen("a", "b", 2, illegal=True), seen("c", "d", name="other"))
    assert counts.read(folder, "replica") == (MoveCount("a", "b", 5, 2),)


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"transitions": {}}',
        '{"transitions": [1]}',
        json.dumps({"transitions": [seen("a", "b") | {"count": "many"}]}),
        json.dumps({"transitions": [seen("a", "b") | {"count": True}]}),
        json.dumps({"transitions": [seen("a", "b", -1)]}),
        json.dumps({"transitions": [{"machine": "replica"}]}),
        "\ud800".encode("utf-8", "surrogatepass"),
        None,
    ],
)
def test_a_folder_without_counts_is_refused(content: str | bytes | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "audit.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(CountsError, match=r"audit\.json"):
        counts.read(tmp_path, "replica")
    result = run("replica", "--counts", str(tmp_path))
    assert result.exit_code == 2
    assert result.output.startswith("Error: ")


STRING = r'"(?:[^"\\\n]|\\.)*"'


@given(st.lists(st.text(max_size=80), min_size=1, max_size=3).map(lambda texts: [*texts, HOSTILE]))
def test_foreign_text_stays_inside_its_quotes(texts: list[str]) -> None:
    drawing = draw("partition", seen=[MoveCount(text, "OnlinePartition", 1) for text in texts])
    plain = draw("partition", seen=[])
    # What is left of DOT without its quoted strings is words of ours.
    for line in dot.write(drawing).splitlines()[1:-1]:
        assert re.fullmatch(r"[\w\s\[\]=;#>.,-]*", re.sub(STRING, "", line)), line
    # Mermaid has no escapes inside quotes: nothing but plain characters and names of characters may be there.
    text = mermaid.write(drawing)
    assert len(text.splitlines()) == len(mermaid.write(plain).splitlines()) + 3 * len(set(texts) - _states())
    for quoted in re.findall(r'\("([^"]*)"\)', text):
        assert re.fullmatch(r"(?:[\w .,()?\-]|&[a-z]+;|<br/>)*", quoted), quoted


def _states() -> set[str]:
    return {state.name for state in machine("partition").states}


@needs_graphviz
def test_hostile_text_is_text_in_svg() -> None:
    drawn = svg.write(draw("replica", seen=[MoveCount(HOSTILE, "OnlineReplica", 1, 1)]))
    root = ET.fromstring(drawn)
    assert {element.tag.partition("}")[2] for element in root.iter()} <= {
        *("svg", "g", "title", "polygon", "path", "text", "ellipse"),
    }
    # Cut to a length, without control characters, else as it is: neither Graphviz' escapes nor entities were read.
    assert HOSTILE[:59] in {(element.text or "")[:59] for element in root.iter() if element.tag.endswith("text")}


@needs_graphviz
@pytest.mark.parametrize("name", machine_names())
def test_svg_shows_every_state_dashed_and_red(name: str, tmp_path: Path) -> None:
    first = machine(name).states[0].name
    folder = audited(tmp_path, seen(first, first, name=name, illegal=True))
    out = tmp_path / "picture.svg"
    result = run(name, "--level", "error", "--counts", str(folder), "--out", str(out))
    assert result.exit_code == 0, result.output
    assert result.output == ""
    root = ET.fromstring(out.read_text(encoding="utf-8"))
    texts = {element.text for element in root.iter() if element.tag.endswith("}text")}
    coded = machine(name).coded
    states = machine(name).states_in()
    assert {f"{state.name} ({state.code})" if coded else state.name for state in states} <= texts
    strokes = [
        element.attrib for element in root.iter() if element.tag.endswith("}path") and "stroke" in element.attrib
    ]
    assert sum("stroke-dasharray" in path for path in strokes) >= len(machine(name).moves())
    assert sum(path["stroke"] == "#c62828" for path in strokes) == 1
    assert [path.name for path in tmp_path.iterdir() if path.suffix not in (".svg", ".json")] == []


@needs_graphviz
def test_no_length_of_a_title_crashes_graphviz() -> None:
    """An empty first line of the label did, at some lengths of the others; 12 and 13 more letters here."""
    moves = [(f"s{one}", f"s{two}") for one in range(6) for two in range(6) if abs(one - two) < 2]
    nodes = tuple(Node(f"s{number}", f"{number}", None, "plain") for number in range(6))
    edges = tuple(Edge(*move, ("Vote(0)",), None, hidden=False, illegal=False) for move in moves)
    for more in (0, 4, 8, 12, 13):
        title = f"two-phase(participants=1){'x' * more}"
        drawn = svg.write(Drawing(title, ("18 states, 40 steps; the initial state is blue",), nodes, edges, ()))
        assert f"<title>{title}</title>" in drawn


@pytest.mark.parametrize(
    ("ended", "says"),
    [
        ("import os; os.kill(os.getpid(), 11)", "Graphviz crashed (signal 11). Use --export dot."),
        (
            "import sys; sys.exit('no such layout\\nFontconfig warning: no font')",
            "Graphviz failed (exit 1): no such layout. Use --export dot.",
        ),
    ],
)
def test_a_failure_of_graphviz_names_its_reason_and_what_to_use(
    ended: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pygraphviz")
    monkeypatch.setattr(svg, "_LAYOUT", ended)
    with pytest.raises(IsrproofError, match=re.escape(says)):
        svg.write(draw("replica"), "--export dot")


def test_the_title_stands_on_top() -> None:
    assert 'label="Replica, as the controller sees it, in Kafka' in dot.write(draw("replica"))
    assert "labelloc=t" in dot.write(draw("replica"))


@pytest.mark.parametrize("format_", ["dot", "mermaid"])
def test_text_formats_are_the_same_each_time(format_: str, tmp_path: Path) -> None:
    rows = [seen("OnlineReplica", "OfflineReplica", 3), seen("x", "y"), seen("b", "a")]
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, order in zip(folders, (rows, rows[::-1]), strict=True):
        folder.mkdir()
        audited(folder, *order)
    outputs = [run("replica", "--format", format_, "--counts", str(folder)).output for folder in folders]
    assert outputs[0] == outputs[1]
    assert "OnlineReplica" in outputs[0]


def test_the_format_follows_the_ending_of_the_file(tmp_path: Path) -> None:
    for ending, beginning in ((".dot", "digraph"), (".mmd", "---"), (".txt", "---")):
        out = tmp_path / f"picture{ending}"
        assert run("partition", "--out", str(out)).exit_code == 0
        assert out.read_text(encoding="utf-8").startswith(beginning)


def test_facts_tell_reachability_dead_ends_and_cycles() -> None:
    result = run("partition", "--facts", "--release", "2.3.0")
    assert result.exit_code == 0
    for told in (
        "partition in Kafka 2.3",
        "  0  NonExistentPartition",
        "Unreachable: none",
        "Dead ends (no move to another state): none",
        "  OnlinePartition -> OfflinePartition -> OnlinePartition\n",
    ):
        assert told in result.output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["replicas"], "Did you mean 'replica'?"),
        (["replica", "--release", "2.33"], "Did you mean '2.3'?"),
        (["replica", "--release", "4.0.0"], "Kafka 4.0 has no replica machine; expected a release of <=3.9."),
        (["replica", "--format", "svgs"], "Did you mean 'svg'?"),
        (["replica", "--level", "INF"], "Did you mean 'INFO'?"),
        (["replicas", "--facts"], "Did you mean 'replica'?"),
        (["replica", "--out", "x.png"], "Expected a file that ends in .mmd, .dot, .svg, got .png"),
        (["replica", "--facts", "--out", "x.jpg"], "got .jpg"),
        (["replica", "--out", "x.PDF", "--format", "svg"], "got .pdf"),
        (["replica", "--out", "no/such/folder/x.svg", "--format", "dot"], "no/such/folder"),
    ],
)
def test_misuse_exits_2_and_says_what_to_do(arguments: list[str], told: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert told in result.output
    assert "Traceback" not in result.output


def test_a_third_machine_is_one_more_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "door.toml").write_text(
        """
        machine = "door"
        title = "A door"
        source = "none"
        mode = "zk"
        unknown_is = "Shut"
        state = [{ name = "Shut", code = 0, meaning = "m" }, { name = "Open", code = 1, meaning = "m" }]
        row = [{ target = "Shut", previous = ["Open"] }, { target = "Open", previous = ["Shut"] }]
        logged = [{ line = "D1", level = "INFO" }]
        """,
        encoding="utf-8",
    )
    monkeypatch.setattr(machines, "_FOLDER", tmp_path)
    machine.cache_clear()
    try:
        for format_ in ("dot", "mermaid"):
            assert "Open (1)" in run("door", "--format", format_).output
        assert "Open -> Shut" in run("door", "--facts").output or "Shut -> Open" in run("door", "--facts").output
    finally:
        machine.cache_clear()


def spoken(release: str) -> dict[tuple[str, str], tuple[str, ...]]:
    drawing = speakers.draw(families()["cluster"], release)
    names = {node.id: node.name for node in drawing.nodes}
    return {(names[edge.source], names[edge.target]): edge.labels for edge in drawing.edges}


def test_who_speaks_to_whom_in_a_cluster() -> None:
    """Up to 2.6 leaders write the ISR into ZooKeeper, since 2.7 they ask the controller (KIP-497)."""
    before, since = spoken("2.6"), spoken("2.7")
    assert "ShrinkIsr" in before["broker", "ZooKeeper"]
    assert "ShrinkIsr" not in since["broker", "ZooKeeper"]
    assert "AlterIsr" not in before.get(("broker", "controller"), ())
    assert "AlterIsr" in since["broker", "controller"]
    for each in (before, since):
        requests = {"HandleLeaderAndIsr", "HandleStopReplica", "HandleUpdateMetadata"}
        assert set(each["requests on the way", "broker"]) == requests
        assert "Elect" in each["controller", "ZooKeeper"]
        assert ("broker", "requests on the way") not in each
        assert ("requests on the way", "controller") not in each
    assert len(before["controller", "ZooKeeper"]) == speakers.MOST_LABELS
    assert before["controller", "ZooKeeper"][-1].endswith(" more")


@pytest.mark.full
def test_every_field_of_a_cluster_has_an_owner_or_only_bounds_the_search() -> None:
    cluster = families()["cluster"]
    whole = cluster.model(adding=[each.name for each in cluster.parts])
    nobody = {each.name for each in whole.fields} - set(cluster.owners)
    bounds = ("outages", "isr_changes", "elections", "reassignments", "directory_failures")
    assert nobody == {f"{each}_so_far" for each in bounds}
    assert set(cluster.owners) <= {each.name for each in whole.fields}
    for row in RELEASES:
        if row.mask & cluster.releases:
            assert speakers.draw(cluster, row.name).edges


def test_the_command_draws_a_cluster() -> None:
    done = run("cluster", "--release", "2.0.0")
    assert done.exit_code == 0
    assert 'title: "cluster: communication, in Kafka 2.0.0"' in done.output
    assert run("cluster", "--level", "TRACE").exit_code == 2
    assert run("cluster", "--release", "0.9").exit_code == 2
    assert run("cluster", "--facts").exit_code == 2


def test_the_enums_of_a_model_are_drawn_as_machines() -> None:
    drawing = machines_of.drawing(model("raft"), {"voters": 2, "max_epoch": 1, "log_size": 1})
    assert drawing.title == "raft(voters=2, max_epoch=1, log_size=1): role"
    names = {node.id: node.name for node in drawing.nodes}
    kinds = {node.name: node.kind for node in drawing.nodes}
    moves = {(names[edge.source], names[edge.target]): edge.labels for edge in drawing.edges}
    assert moves["Unattached", "Candidate"] == ("BecomeCandidate",)
    assert moves["Leader", "Resigned"] == ("Resign", "Restart")
    assert (kinds["Unattached"], kinds["Leader"], kinds["Prospective"]) == ("seeded", "plain", "unknown")
    assert drawing.caption[-1] == "White: never reached here"


def test_the_command_draws_a_model_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "lamp.py").write_text(
        "from isrproof.model.action import action\n"
        "from isrproof.model.expr import field\n"
        "from isrproof.model.protocol import Model, starts\n"
        "from isrproof.model.sorts import Enum\n"
        "lamp = field('lamp', Enum('Lamp', ('off', 'on')))\n"
        "ON = action('Light', 'It is lit.', guard={'is off': lamp.eq('off')}, updates={lamp: 'on'})\n"
        "MODEL = Model('lamp', 'A lamp.', (), (starts(lamp, 'off', '?'),), (ON,), ())\n",
        encoding="utf-8",
    )
    done = run(f"{tmp_path / 'lamp.py'}:MODEL")
    assert done.exit_code == 0, done.output
    assert 's0 -- "Light" --> s1' in done.output
    assert "has no state machine to draw" in run("kip101", "--set", "replicas=1").output
    assert "lamp.py:MODEL is a model" in run(f"{tmp_path / 'lamp.py'}:MODEL", "--level", "TRACE").output
