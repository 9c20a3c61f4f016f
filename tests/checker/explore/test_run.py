"""The explorer's interface: verdicts, bounds, paths, reports, and the command."""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from isrproof.checker.__main__ import main as start
from isrproof.checker.cli import main
from isrproof.checker.explore import drawn, matrix, report, vacuity
from isrproof.checker.explore.program import program
from isrproof.checker.explore.run import assert_holds, explore
from isrproof.checker.explore.search import Limits, Search
from isrproof.checker.explore.trace import EngineError, Hop, replay
from isrproof.checker.explore.trace import Path as Steps
from isrproof.model.action import action
from isrproof.model.catalogue import model, models
from isrproof.model.errors import DefinitionError, UnknownNameError
from isrproof.model.expr import after, either, false, field, some, true, var
from isrproof.model.property import Property
from isrproof.model.protocol import Model, starts
from isrproof.model.sorts import Bool, Finite, Int, IntSort, MapOf, OptionOf, Record, Setting
from isrproof.model.step import Reference

from tests.stderr import without_progress

SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
TINY_SET = [f"--set={name}={value}" for name, value in SMALL.items()]

TOP = Setting("top", 5, "where the counter ends")
count = field("count", Int(0, TOP))
COUNTER = Model(
    "counter",
    "A number grows.",
    (TOP,),
    (starts(count, 0, "the number"),),
    (
        action(
            "Grow",
            "One more.",
            guard={"always": true},
            limits={"below the top": count < TOP},
            updates={count: count + 1},
        ),
    ),
    (
        Property("Small", "It stays below 4.", count < 4),
        Property("Met", "It reaches 3.", count.eq(3), "sometimes"),
        Property("Missed", "It is negative.", count < 0, "sometimes"),
    ),
)


def test_verdicts_and_shortest_paths() -> None:
    result = explore(COUNTER)
    assert result.verdict == "violated"
    small, met, missed = (result[name] for name in ("Small", "Met", "Missed"))
    assert (small.verdict, small.path.length if small.path else 0) == ("violated", 5)
    assert (met.verdict, met.path.length if met.path else 0) == ("holds", 4)
    assert (missed.verdict, missed.path, missed.reason) == ("violated", None, "not met in any reachable state")
    assert (result.distinct, result.generated, result.depth, result.deadlocks) == (6, 6, 6, 1)


@pytest.mark.parametrize(
    "limits",
    [Limits(states=3), Limits(depth=3), Limits(seconds=1e-9), Limits(memory_mb=1)],
    ids=["states", "depth", "time", "memory"],
)
def test_bounds_end_in_unknown_never_in_holds(limits: Limits) -> None:
    result = explore(COUNTER, ["Small", "Missed"], limits=limits)
    assert result.verdict == "unknown"
    assert result.stopped
    assert {each.verdict for each in result.properties} == {"unknown"}
    assert result["Small"].reason.startswith("the search stopped at")


def test_a_violation_within_the_bounds_is_still_one() -> None:
    assert explore(COUNTER, ["Small"], limits=Limits(depth=5)).verdict == "violated"


def test_a_search_that_ends_at_its_bound_is_complete() -> None:
    assert explore(COUNTER, ["Met"], limits=Limits(depth=6)).verdict == "holds"


def test_a_range_that_overflows_violates_type_ok() -> None:
    greedy = replace(COUNTER, actions=(replace(COUNTER.actions[0], limits=()),))
    (last,) = Reference(greedy.instance()).successors((5,))
    assert (last.state, last.overflows) == ((6,), ("count",))
    result = explore(greedy, [])
    path = result["TypeOk"].path
    assert result.verdict == "violated"
    assert path is not None
    assert path.states[-1] == (6,)
    assert path.length == 7
    said = "Grow overflows field count: 6 is not a value of Int 0..top (top=5)"
    assert result["TypeOk"].reason == said
    assert f"VIOLATED TypeOk: violated, 7 states; {said}" in report.text_report(result)


@pytest.mark.parametrize("narrow", [0, 10**9], ids=["wide levels", "narrow levels"])
@pytest.mark.parametrize("sort", [Int(0, 5), Int(-3, 5), Int(0, 255), Int(0, 65535), Int(-32768, 32767)], ids=str)
def test_no_engine_stores_a_value_that_wrapped(sort: IntSort, narrow: int) -> None:
    number = field("number", sort)
    grow = action("Grow", "?", guard={"always": true}, updates={number: number + number})
    assert isinstance(sort.hi, int)
    model = Model("doubled", "?", (), (starts(number, 1, "?"),), (grow,), ())
    translated = program(model.instance(), [])
    search = Search(translated, narrow=narrow, narrow_levels=0)
    found = search.run(translated.packing.pack((1,)))
    values = [translated.packing.unpack(search.packed(each))[0] for each in range(found.distinct)]
    assert values == [2**power for power in range(sort.hi.bit_length())]
    assert found.overflow is not None
    path = explore(model)["TypeOk"].path
    assert path is not None
    assert path.states[-1] == (2 ** sort.hi.bit_length(),)


def test_a_deadlock_is_a_violation_only_on_request() -> None:
    (grow,) = COUNTER.actions
    stuck = replace(COUNTER, actions=(replace(grow, guard=grow.limits, limits=()),))
    assert explore(stuck, []).verdict == "holds"
    result = explore(stuck, [], deadlock=True)
    path = result["NoDeadlock"].path
    assert path is not None
    assert path.states[-1] == (5,)
    assert (result.deadlocks, result.at_bound) == (1, 0)


def test_a_state_that_ends_only_at_a_limit_is_no_deadlock() -> None:
    result = explore(COUNTER, [], deadlock=True)
    assert result["NoDeadlock"].verdict == "holds"
    assert (result.deadlocks, result.at_bound) == (1, 1)
    assert "1 without successor, 1 of them only at a limit of the model" in report.text_report(result)
    narrow = explore("kip320", [], deadlock=True, **SMALL)
    assert narrow.at_bound < narrow.deadlocks  # that the ISR is empty is no limit


def test_a_property_that_says_nothing_is_called_vacuous() -> None:
    wide = field("count", Int(0, 9))
    grow = action("Grow", "One more.", guard={"below 5": wide < 5}, updates={wide: wide + 1})
    later = after(wide)
    properties = (
        Property("NeverAsked", "?", (wide > 5).implies(wide.eq(0))),
        Property("Always", "?", either(wide < 3, wide >= 3)),
        Property("NoStep", "?", (later < wide).implies(wide.eq(3)), "step"),
        Property("Anything", "?", either(later.eq(wide), later.ne(wide)), "step"),
        Property("Asked", "?", (wide > 2).implies(wide < 6)),
        Property("Steps", "?", (later > wide).implies(later.eq(wide + 1)), "step"),
        Property("Denied", "?", (wide > 5).implies(false)),
        Property("Plain", "?", wide < 6),
    )
    found = explore(Model("wide", "?", (), (starts(wide, 0, "?"),), (grow,), properties), vacuity=True)
    assert found.verdict == "holds"
    assert {each.prop.name: each.vacuous for each in found.properties if each.vacuous} == {
        "NeverAsked": vacuity.NO_PREMISE,
        "Always": vacuity.ALWAYS_TRUE,
        "NoStep": vacuity.NO_STEP,
        "Anything": vacuity.ALWAYS_TRUE,
    }
    text = report.text_report(found)
    assert f"  VACUOUS NeverAsked: holds, but says nothing here: {vacuity.NO_PREMISE}" in text
    assert "  ok Asked: holds" in text
    assert {each["name"]: each["vacuous"] for each in report.json_report(found)["properties"]}["Asked"] is None


def test_the_reference_refuses_a_path_that_is_none() -> None:
    reference = Reference(COUNTER.instance())
    with pytest.raises(EngineError, match="explorer does not"):
        replay(reference, [Hop("Grow", {}, 2)], lambda state: state[0])
    with pytest.raises(EngineError, match="cannot take"):
        replay(reference, [Hop("Grow", {}, at) for at in range(1, 8)], lambda state: state[0])


def test_assert_holds_prints_the_counterexample() -> None:
    with pytest.raises(AssertionError, match=r"(?s)Small: violated, 5 states.*Grow\(\).*count: 3 -> 4"):
        assert_holds(COUNTER)
    assert_holds(COUNTER, ["Met"])


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'kip320'"):
        explore("kip302")
    with pytest.raises(UnknownNameError, match="did you mean 'WeakIsr'"):
        explore("kip320", ["WeekIsr"])
    with pytest.raises(UnknownNameError, match="did you mean 'replicas'"):
        explore("kip320", replica=2)


def test_symmetry_is_refused_where_an_element_is_named() -> None:
    boxes = Setting("boxes", 3, "boxes")
    box = Finite("Box", boxes)
    chosen = field("chosen", OptionOf(box))
    one = var("one", box)
    choose = action("Choose", "Pick.", one, guard={"not yet": chosen.is_none()}, updates={chosen: some(one)})
    plain = Model("boxes", "Pick one.", (boxes,), (starts(chosen, None, "?"),), (choose,), ())
    assert explore(plain, [], symmetry=False).distinct == 4
    found = explore(plain, [])
    assert (found.orbits, found.distinct) == (2, 4)
    first = Property("First", "Not the first.", chosen.ne(0))
    assert explore(plain, [first]).orbits is None  # by default, where it is sound
    with pytest.raises(DefinitionError, match="property First names 0"):
        explore(plain, [first], symmetry=True)


@pytest.mark.full(every=3)
@pytest.mark.parametrize("name", ["kip101", "truncate-to-hw", "kip966"])
def test_symmetry_finds_the_same_counts_verdicts_and_lengths(name: str) -> None:
    settings = {"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 2}
    full, orbits = explore(name, symmetry=False, **settings), explore(name, symmetry=True, **settings)
    assert [(each.prop.name, each.verdict, each.path and each.path.length) for each in full.properties] == [
        (each.prop.name, each.verdict, each.path and each.path.length) for each in orbits.properties
    ]
    assert orbits.orbits is not None
    assert orbits.orbits < full.distinct / 4
    for each in ("distinct", "generated", "depth", "levels", "deadlocks", "coverage"):
        assert getattr(orbits, each) == getattr(full, each), each


def test_the_same_counterexample_on_every_run() -> None:
    settings = {"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 2}
    one, two = (explore("kip101", **settings) for _ in range(2))
    assert [each.path for each in one.violations] == [each.path for each in two.violations]
    assert one.violations


def test_coverage_counts_steps_and_lone_clauses() -> None:
    result = explore("kip320", ["WeakIsr"], coverage=True, **SMALL)
    reference = Reference(model("kip320").instance(**SMALL))
    taken: dict[str, int] = {}
    seen = {reference.initial()}
    stack = list(seen)
    while stack:
        for step in reference.successors(stack.pop()):
            taken[step.action] = taken.get(step.action, 0) + 1
            if step.state not in seen:
                seen.add(step.state)
                stack.append(step.state)
    assert {each.action: each.taken for each in result.coverage if each.taken} == taken
    alone = {each.action: each.alone for each in result.coverage}["LeaderWrite"]
    assert alone is not None
    assert set(alone) == {"records are left", "log has room", "presumes leadership"}


def test_reports() -> None:
    result = explore("kip101", replicas=2)
    path = result["WeakIsr"].path
    assert path is not None
    as_json = json.loads(json.dumps(report.json_report(result)))
    assert {"verdict", "distinct", "generated", "depth", "violations", "seconds", "peak_mb"} <= set(as_json)
    first = as_json["violations"][0]
    assert (first["property"], first["length"], len(first["steps"])) == ("WeakIsr", 12, 11)
    assert first["steps"][0]["changes"]["quorum_leader"] == [None, 0]
    trace = report.itf(path, "kip101")
    assert len(trace["states"]) == 12
    assert set(trace["vars"]) == {each.name for each in model("kip101").fields}
    assert {"#meta", *trace["vars"]} == set(trace["states"][3])
    json.dumps(trace)
    said = report.text_report(result)
    assert "the same path as WeakIsr" in said
    assert "1 to 12: the same as WeakIsr" in said


def test_a_path_ends_with_the_reason() -> None:
    """The clause that fails, with the values that it reads; each step with its meaning."""
    result = explore("kip101", replicas=2)
    lines = report.text_report(result).splitlines()
    meaning = "A follower copies the next record of a presumed leader; neither epoch is compared."
    assert f"   8. FollowerFetch(follower=1, leader=0): {meaning}" in lines
    clause = (
        "local_leader[one] = one and other in local_isr[one] and at < hw[one] implies log[one][at] = log[other][at]"
    )
    at = lines.index(f"  fails: {clause}  with one=0, other=1, at=0")
    assert lines[at + 1 : at + 6] == [
        "         local_leader[one] = 0",
        "         local_isr[one] = {0, 1}",
        "         hw[one] = 1",
        "         log[one][at] = (id=0, epoch=0)",
        "         log[other][at] = none",
    ]
    step = next(line for line in lines if line.startswith("  fails: local_epoch'[one] != local_epoch[one]"))
    assert step.endswith("with one=0, other=1, at=0")
    first = json.loads(json.dumps(report.json_report(result)))["violations"][0]
    assert first["fails"][0] == f"fails: {clause}  with one=0, other=1, at=0"
    fields = {"log_size": 1, "max_leader_epoch": 0}
    stuck = explore("kip101", ["WeakIsr"], deadlock=True, replicas=1, **fields)
    assert "  fails: no action can be taken in this state" in report.text_report(stuck).splitlines()


def test_of_a_nested_map_only_what_changed_is_shown() -> None:
    inner = Record("Pair", left=Int(0, 3), right=MapOf(Bool, Int(0, 3)))
    nested = field("nested", MapOf(Bool, OptionOf(inner)))
    one = Model("m", "?", (), (starts(nested, (None, (0, (1, 2))), "?"),), (), ())
    path = Steps(one.instance(), (), ())
    changed = report.change_text(path, "nested", (None, (0, (1, 2))), ((1, (1, 1)), (0, (1, 3))))
    assert changed == "nested[false]: none -> (left=1, right=[1; 1]), nested[true].right[true]: 2 -> 3"


def test_a_path_is_drawn_from_whose_state_is_read_to_whose_is_written() -> None:
    found = explore("kip101", ["WeakIsr"], replicas=2)["WeakIsr"]
    assert found.path is not None
    diagram = drawn.drawing(found.path, found)
    assert diagram.title == "kip101(replicas=2, log_size=2, max_records=2, max_leader_epoch=2): WeakIsr"
    assert diagram.caption == (drawn.ARROWS, "Red: WeakIsr is violated.")
    assert [label for _, label in diagram.lanes] == ["Replica 0", "Replica 1", "shared state"]
    by_text = {each.lines[0]: each for each in diagram.happenings}
    fetch = by_text["8. FollowerFetch(follower=1, leader=0)"]
    assert (fetch.is_arrow, fetch.lanes) == (True, ("Replica0", "Replica1"))
    assert by_text["2. ControllerElectLeader(leader=0)"].lanes == ("shared",)
    assert by_text["6. LeaderWrite(leader=0)"].lanes == ("Replica0",)
    last = diagram.happenings[-1]
    assert (last.kind, last.lines[0]) == ("bad", "WeakIsr is violated")
    assert last.lines[1].startswith("fails: local_leader[one] = one")
    text = drawn.mermaid(found.path, found)
    assert text.startswith(f'---\ntitle: "{diagram.title}"\n---\nsequenceDiagram\n')
    assert "    Replica0->>Replica1: 8. FollowerFetch" in text
    assert "    rect rgb(253, 236, 234)\n    Note over Replica0,shared: WeakIsr is violated<br/>" in text
    longest = max(len(part) for line in text.splitlines()[5:] for part in line.partition(": ")[2].split("<br/>"))
    assert longest <= 60  # a note is no wider than a lane
    root = ElementTree.fromstring(drawn.svg(found.path, found))
    assert float(root.attrib["width"]) < 1000
    texts = [each.text for each in root.iter() if each.tag.endswith("}text")]
    assert {"Replica 0", "8. FollowerFetch(follower=1, leader=0)", "WeakIsr is violated"} <= set(texts)
    assert sum(each.attrib.get("class") == "bad" for each in root.iter()) == 1


def _invoke(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["explore", *arguments])
    return done.exit_code, done.output


def test_the_command() -> None:
    code, output = _invoke("kip320", *TINY_SET, "--property", "WeakIsr", "--json")
    assert code == 0
    assert json.loads(output)["verdict"] == "holds"
    assert _invoke("kip320", *TINY_SET, "--property", "IsrNotEmpty")[0] == 1
    assert _invoke("kip320", *TINY_SET, "--without", "empty-isr", "--property", "IsrNotEmpty")[0] == 0
    assert _invoke("kip320", "--max-states", "10")[0] in (1, 3)
    assert _invoke("kip320", "--max-depth", "3", "--property", "WeakIsr")[0] == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("kip302",), "did you mean 'kip320'"),
        ((), "MODEL is missing"),
        (("kip320", "--set", "replicas"), "NAME=INT"),
        (("kip320", "--set", "replicas=0"), "at least 1"),
        (("kip320", "--release", "2.99"), "2.99"),
        (("kip320", "--set", "log_size=1000000000"), "choose smaller settings"),
        (("kip320", "--set", "max_leader_epoch=1000000000"), "choose smaller settings"),
        (("kip320", "--set", "replicas=60"), "choices of parameters"),
        (("kip320", "--set", "replicas=1000000000"), "at most 62 elements"),
        (("kip320", "--set", "replicas=8", "--set", "log_size=1", "--symmetry"), "40,320 renamings, and at most 5,040"),
        (("kip320", "--set", "max_records=99999999999999999999"), "at most 62"),
        (("kip320", "--matrix"), "leave out kip320"),
        (("kip320", "--mutate", "--export=tla"), "--mutate cannot be used with --export"),
        (("kip320", "--mutate", "--coverage", "--deadlock"), "cannot be used with --coverage and --deadlock"),
        (("kip320", "--list", "--format=itf"), "--list cannot be used with --format"),
        (("--matrix", "--set", "replicas=2"), "--matrix cannot be used with --set"),
        (("kip320", "--jobs", "3"), "--jobs applies to --matrix only."),
        (("kip320", "--out", "models"), "--out is the folder for --export"),
        (("kip320", "--set", "replicas=--3"), "NAME=INT"),
        (("kip320", "--set", "replicas=2", "--set", "replicas=3"), "twice: 2 and 3"),
        (("kip320", "--set", "replica=3"), "did you mean 'replicas'"),
        (("kip320", "--property", "WeekIsr"), "did you mean 'WeakIsr'"),
        (("replica", "--mutate"), "has no property that a step can break"),
        (("kip320", "--export=tla", "--out=/dev/null/models"), "/dev/null/models"),
    ],
)
def test_misuse_of_the_command_exits_2(arguments: tuple[str, ...], says: str) -> None:
    code, output = _invoke(*arguments)
    assert code == 2
    assert says in output
    assert "Traceback" not in output


@pytest.mark.parametrize(
    "arguments",
    [
        ("kip302", "--json"),
        ("--list", "--matrix", "--json"),
        ("kip320", "--export=tla", "--out=/dev/null/x", "--json"),
        ("kip320", "--sett", "replicas=2", "--json"),
        ("kip320", "--max-states=many", "--format", "json"),
        ("kip320", "--format=json", "--property"),
    ],
)
def test_misuse_with_json_is_one_object(arguments: tuple[str, ...]) -> None:
    code, output = _invoke(*arguments)
    assert code == 2
    said = json.loads(output)
    assert said["verdict"] == "error"
    assert said["error"]


def test_json_is_one_object_of_every_mode(tmp_path: Path) -> None:
    assert set(models()) < set(json.loads(_invoke("--list", "--json")[1])["models"])
    listed = json.loads(_invoke("kip320", "--list", "--format=json")[1])
    assert listed["model"] == "kip320"
    assert "\n".join(listed["lines"]) + "\n" == _invoke("kip320", "--list")[1]
    written = json.loads(_invoke("kip320", *TINY_SET, "--export=tla", f"--out={tmp_path / 'new'}", "--json")[1])
    assert [Path(each).name for each in written["written"]] == ["kip320.tla", "kip320.cfg"]
    assert all(Path(each).is_file() for each in written["written"])


INTERRUPTED_ON_LEVEL_THREE = """
import os, signal
from isrproof.checker.cli import main
from isrproof.checker.explore.search import Search

def progress(level, states, of_level):
    if level == 3:
        os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
searched = Search.run
Search.run = lambda search, *args: searched(search, *args[:-1], progress)
main(["explore", "kip320", "--format=json"])
"""
"""Interrupts itself: whatever sends a signal from outside races with the search.

A shell lets what it runs in the background ignore the signal; the tests may run there.
"""


def test_an_interrupt_reports_what_was_found() -> None:
    command = [sys.executable, "-c", INTERRUPTED_ON_LEVEL_THREE]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, without_progress(ended.stderr)) == (3, "")
    found = json.loads(ended.stdout)
    assert (found["verdict"], found["stopped"], found["depth"]) == ("unknown", "an interrupt", 3)
    verdicts = {each["name"]: each["verdict"] for each in found["properties"]}
    assert verdicts["IsrShrinks"] == "holds"  # met before
    assert verdicts["WeakIsr"] == "unknown"


def test_an_interrupt_of_a_search_from_python_is_an_interrupt() -> None:
    def interrupts(level: int, states: int, of_level: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explore("kip320", progress=interrupts, replicas=2)
    found = explore("kip320", progress=interrupts, replicas=2, limits=Limits(interrupts=True))
    assert (found.verdict, found.stopped) == ("unknown", "an interrupt")


def test_a_search_stops_when_all_is_decided() -> None:
    """States beyond a violation at depth 12 say nothing more; all are searched where that is asked for."""
    asked = ("kip101", "--set=replicas=2", "--property=WeakIsr", "--json")
    code, output = _invoke(*asked)
    found = json.loads(output)
    assert (code, found["depth"], found["stopped"]) == (1, 12, "the level that decided the last property")
    assert [each["name"] for each in found["properties"]] == ["WeakIsr"]
    whole = [json.loads(_invoke(*asked, more)[1]) for more in ("--all-states", "--coverage", "--deadlock")]
    assert {(each["distinct"], each["stopped"]) for each in whole} == {(9045, None)}
    code, output = _invoke("kip320", "--set=replicas=2", "--property=RecordCommits")
    assert code == 0
    assert "met after" in output


def test_the_defaults_of_raft_voters_meet_what_they_promise() -> None:
    assert explore("raft-voters").verdict == "holds"


def test_an_interrupt_of_the_imports_ends_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "isrproof.checker.cli", SimpleNamespace(main=interrupted))
    monkeypatch.setattr(gc, "disable", lambda: None)  # the tests after this one go on in the same process
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    with pytest.raises(SystemExit) as ended:
        start()
    assert ended.value.code == 3
    assert capsys.readouterr() == ("", "Interrupted: nothing is decided.\n")


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="counts threads by /proc")
def test_the_command_starts_no_threads_that_only_wait() -> None:
    script = (
        "import os, sys; from isrproof.checker.cli import main; main(sys.argv[1:], standalone_mode=False); "
        "assert 'numpy' in sys.modules; print(len(os.listdir('/proc/self/task')))"
    )
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    command = [sys.executable, "-c", script, "explore", "kip320", *TINY_SET]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.splitlines()[-1] == "1"


def test_a_release_is_a_row_of_behaviours() -> None:
    code, output = _invoke("kip320", *TINY_SET, "--release", "1.1", "--json")
    assert code == 0
    assert json.loads(output)["behaviours"] == ["empty-isr", "KIP-101"]


def test_every_model_can_be_listed() -> None:
    code, output = _invoke("--list")
    assert code == 0
    assert all(name in output for name in models())
    whole = _invoke("kip320", "--list")[1]
    assert "NoCommittedRecordLost (always)" in whole
    assert "    when in the same epoch: local_epoch[follower] = local_epoch[leader]" in whole
    assert "    limit records are left: next_record_id < max_records" in whole
    assert "action ToOnlineReplica()" in _invoke("replica", "--list")[1]


def test_formats_of_the_command() -> None:
    two = ("kip101", "--set=replicas=2", "--property=WeakIsr")
    code, output = _invoke(*two, "--format", "itf")
    assert code == 1
    assert len(json.loads(output)["states"]) == 12
    assert "\nsequenceDiagram\n" in _invoke(*two, "--format", "mermaid")[1]
    assert _invoke(*two, "--format", "svg")[1].startswith("<svg ")
    assert "(never decides)" in _invoke("kip320", *TINY_SET, "--coverage")[1]
    assert _invoke("kip320", *TINY_SET, "--property=WeakIsr", "--format=itf")[0] == 0


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(each, marks=() if each.title == "kip101 2/3/3/2" else pytest.mark.slow, id=f"{each.title} {index}")
        for index, each in enumerate(matrix.rows())
    ],
)
def test_each_row_of_the_matrix_is_as_expected(row: matrix.Expectation) -> None:
    """One of them: `explore --matrix` has all, and .ci/run runs that."""
    result = matrix.run(row)
    assert result.as_expected, "\n".join(matrix.lines(result))


def test_a_cell_that_is_not_as_expected_is_told() -> None:
    row = matrix.Expectation("kip101", {"replicas": 2}, distinct=1, violated={"WeakIsr": 11}, shows={"WeakIsr": "?"})
    result = matrix.run(row)
    assert not result.as_expected
    said = "\n".join(matrix.lines(result))
    assert "EXPECTED 1" in said
    assert "WRONG     WeakIsr: expected violated, 11 states; got violated, 12 states" in said
    assert "WRONG     StrongIsr: expected holds; got violated, 12 states" in said


def _kip101(length: int) -> matrix.Expectation:
    violated = {"WeakIsr": length, "StrongIsr": 12, "TruncationPrefix": 13}
    return matrix.Expectation(
        "kip101", {"replicas": 2}, 9045, violated=violated, shows=dict.fromkeys(violated, "KIP-101")
    )


@pytest.mark.full
@pytest.mark.parametrize(("length", "code"), [(12, 0), (11, 1)])
def test_the_matrix_exits_0_only_if_all_is_as_expected(length: int, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "rows", lambda: (_kip101(length),))
    found, output = _invoke("--matrix", "--jobs", "1")
    assert found == code
    assert ("all as expected" in output) == (code == 0)


@pytest.mark.full
def test_the_matrix_is_the_same_by_processes_beside_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "rows", lambda: (_kip101(12), _kip101(11)))
    alone, beside = (re.sub(r"[\d.]+ s\b", "", _invoke("--matrix", *jobs)[1]) for jobs in (("--jobs", "1"), ()))
    assert alone == beside
    done = CliRunner().invoke(main, ["explore", "--matrix", "--json"])
    assert json.loads(done.stdout)["rows"][0]["distinct"] == 9045
