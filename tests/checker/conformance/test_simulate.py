"""The log of a run: what the audit says of it, and how it is asked for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.conformance import flagged, simulate
from isrproof.checker.conformance.names import numbered
from isrproof.checker.explore import matrix
from isrproof.model.action import action
from isrproof.model.catalogue import model
from isrproof.model.cluster.cluster import CLUSTER
from isrproof.model.errors import DefinitionError, ModelError
from isrproof.model.expr import field, var
from isrproof.model.lines import Line
from isrproof.model.sorts import Bool, Finite, Int, Setting
from isrproof.model.step import Reference

from tests.engines import columns


def _command(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["simulate", *arguments])
    return done.exit_code, done.output


@pytest.mark.full(every=3)
@pytest.mark.parametrize("release", ["1.1", "2.0.0", "2.2"])
def test_the_counterexample_is_flagged_at_the_line_of_its_last_step(release: str, tmp_path: Path) -> None:
    out = tmp_path / "story"
    code, said = _command(
        "cluster", "--release", release, "--property", "LeaderAliveOrNone", "--out", str(out), "--json"
    )
    assert code == 0
    last = json.loads(said)["steps"][-1]
    assert last["action"] == "StartPartitions"
    (report,) = columns([out])
    found = [each for each in report["findings"] if each["rule"] == "KR401"]
    assert len(found) == 1
    places = {(str(out / each["file"]), each["line"]) for each in last["lines"]}
    assert (found[0]["file"], found[0]["line"]) in places


def test_a_release_that_is_repaired_has_no_such_run() -> None:
    code, said = _command("cluster", "--release", "2.3", "--property", "LeaderAliveOrNone")
    assert code == 3
    assert "no counterexample" in said


def _counterexamples() -> dict[tuple[str, str], matrix.Expectation]:
    """The properties of clusters that are violated, with what they show: the row with the smallest instance."""
    found: dict[tuple[str, str], matrix.Expectation] = {}
    for row in matrix.rows():
        for pair in row.shows.items() if row.model == CLUSTER.name else ():
            if pair not in found or (row.distinct or 0) < (found[pair].distinct or 0):
                found[pair] = row
    return found


def test_of_each_counterexample_it_is_said_what_an_audit_finds() -> None:
    pairs = [(each.prop, each.shows) for each in flagged.rows()]
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == set(_counterexamples())


def _slow(each: flagged.Flagged) -> list[pytest.MarkDecorator]:
    """By default those that a rule flags, and one that none does."""
    return [] if each.rule or each.shows == "KIP-380" else [pytest.mark.slow]


@pytest.mark.slow(every=2)
@pytest.mark.full(every=16)
@pytest.mark.parametrize(
    "expected",
    [pytest.param(each, marks=_slow(each), id=f"{each.prop} {each.shows}") for each in flagged.rows()],
)
def test_an_audit_finds_in_a_counterexample_what_is_said(expected: flagged.Flagged, tmp_path: Path) -> None:
    row = _counterexamples()[expected.prop, expected.shows]
    instance = matrix.model_of(row).instance(**row.settings)
    run = simulate.counterexample(instance, expected.prop)
    assert run is not None
    doubted: set[str] = set()
    told: set[str] = set()
    for level in ("TRACE", "INFO"):
        log = simulate.log_of(
            instance, run, CLUSTER.release(row.release), level, numbered(3, row.settings["partitions"])
        )
        folder = tmp_path / level
        simulate.write(log, folder)
        (report,) = columns([folder])
        found = {(each["rule"], each["file"], each["line"]) for each in report["findings"]}
        if level not in expected.levels:
            doubted |= {rule for rule, _, _ in found}
            continue
        offending = {
            (str(folder / at.file), at.line)
            for taken, at_s in log.steps
            if taken.action == expected.step
            for at in at_s
        }
        assert expected.rule in {rule for rule, _, _ in found}
        told |= {rule for rule, _, _ in found}
        for rule, file, line in found:
            assert rule in expected.beside or (file, line) in offending
    assert doubted == (set() if expected.rule else set(expected.beside))
    assert told == ({expected.rule, *expected.beside} if expected.rule else set())


@pytest.mark.full
def test_an_isr_that_is_refused_is_told() -> None:
    """3.2 writes an ISR with a broker that shuts down (KAFKA-14140), 3.9 refuses it."""
    parts, room = ("ISR changes", "controlled shutdown"), {"outages": 1, "failovers": 0, "isr_changes": 2}
    run = simulate.counterexample(CLUSTER.model("3.2", adding=parts).instance(**room), "LeavingStaysOut")
    assert run is not None
    repaired, state = CLUSTER.model("3.9", adding=parts).instance(**room), run[-1].before
    (step, *_) = Reference(repaired).steps(state, "RefuseAlterIsr")
    refused = simulate.RunStep(step.action, step.params, state, step.state)
    log = simulate.log_of(repaired, [*run[:-1], refused], CLUSTER.release("3.9"), "INFO", numbered(3, 1))
    ((_, (place,)),) = log.steps[-1:]
    assert "Partition state has been reset" in log.files[place.file][place.line - 1]


def _recovery(release: str, folder: Path) -> str:
    """Recovery of a leader from outside the ISR, as printed for a changed ISR, and for its election."""
    one = CLUSTER.model(release, adding=["unclean elections", "ISR changes"])
    reference = Reference(one.instance(brokers=3, partitions=1, outages=4, failovers=0, isr_changes=1, most_requests=8))
    state, run = reference.initial(), []

    def take(action: str, **params: int) -> None:
        nonlocal state
        (step,) = (each for each in reference.steps(state, action) if params.items() <= each.params.items())
        run.append(simulate.RunStep(step.action, step.params, state, step.state))
        state = step.state

    def hears(broker: int) -> None:
        while any(each.params["b"] == broker for each in reference.steps(state, "HandleLeaderAndIsr")):
            take("HandleLeaderAndIsr", b=broker)

    def handles_failure(broker: int) -> None:
        take("Die", b=broker)
        take("BrokerChange", c=2)
        take("ElectForDeadLeaders", c=2)
        take("MoveReplicasOffline", c=2)

    take("Elect", c=2)
    take("CreateTopic", one=0, other=1)
    take("InitializeContext")
    take("StartPartitions")
    handles_failure(1)
    hears(0)
    take("ComeBack", b=1)
    take("BrokerChange", c=2)
    take("ElectForNewBrokers", c=2)
    handles_failure(0)
    hears(1)
    take("ComeBack", b=0)
    take("BrokerChange", c=2)
    take("ElectForNewBrokers", c=2)
    hears(0)
    take("ExpandIsr", b=1, r=0)
    take("AlterIsr", c=2, b=1)
    log = simulate.log_of(reference.instance, run, CLUSTER.release(release), "TRACE", numbered(3, 1))
    simulate.write(log, folder)
    printed = "".join(each.read_text("utf-8") for each in sorted(folder.rglob("*.log")))
    written = r"(?:from OfflinePartition to OnlinePartition|ISR for partition t1-0 updated to) .*leader=2.*State=(\w+)"
    return " ".join(re.findall(written, printed))


@pytest.mark.full(every=2)
@pytest.mark.parametrize(("release", "printed"), [("3.9", "RECOVERED RECOVERING"), ("3.1", "")])
def test_a_leader_that_was_elected_uncleanly_recovers(release: str, printed: str, tmp_path: Path) -> None:
    """KIP-704; an audit of the log finds nothing illegal."""
    assert _recovery(release, tmp_path) == printed
    (report,) = columns([tmp_path])
    assert [each["rule"] for each in report["findings"] if each["severity"] == "error"] == []


def test_a_run_is_the_same_for_the_same_seed() -> None:
    first, again, other = (_command("cluster", "--seed", seed, "--steps", "30")[1] for seed in ("7", "7", "8"))
    assert first == again != other


def test_a_level_leaves_lines_out() -> None:
    asked = ("cluster", "--release", "2.8", "--seed", "3", "--json", "--level")
    trace, info = (sum(json.loads(_command(*asked, level)[1])["files"].values()) for level in ("TRACE", "INFO"))
    assert info < trace


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("kip320", "--out", "nowhere"), "declare no lines"),
        (("cluster", "--release", "1.0.2"), "no row for Kafka 1.0.2"),
        (("cluster", "--release", "2.0.0", "--level", "LOUD"), "unknown level 'LOUD'"),
        (("cluster", "--property", "LeaderAliveOrNon"), "did you mean 'LeaderAliveOrNone'"),
    ],
)
def test_misuse_is_told(arguments: tuple[str, ...], says: str) -> None:
    done = CliRunner().invoke(main, ["simulate", *arguments, "--json"])
    assert done.exit_code == 2
    assert says in json.loads(done.output)["error"]


def test_a_model_without_lines_prints_its_steps() -> None:
    """A random run, or a counterexample: what each step means, and what it changes."""
    code, said = _command("kip101", "--seed", "2", "--steps", "3")
    assert code == 0
    lines = said.splitlines()
    assert lines[0].endswith("its steps declare no lines")
    assert sum(bool(re.match(r" +[2-4]\. [A-Za-z]+\(", line)) for line in lines) == 3
    code, said = _command("kip101", "--set", "replicas=2", "--property", "WeakIsr", "--json")
    assert code == 0
    assert len(json.loads(said)["steps"]) == 11


def test_files_that_are_there_are_not_overwritten(tmp_path: Path) -> None:
    assert _command("cluster", "--out", str(tmp_path / "run"))[0] == 0
    code, said = _command("cluster", "--out", str(tmp_path / "run"), "--json")
    assert code == 2
    assert "exists already" in json.loads(said)["error"]


def test_a_line_reads_what_its_step_knows() -> None:
    who = Finite("Broker", Setting("brokers", 2, "how many", at_least=1))
    one, other, flag = var("one", who), var("other", who), field("flag", Bool)
    line = Line("replica-moved", one, {"replica": other})
    with pytest.raises(DefinitionError, match="`other` is neither a parameter nor bound by the line"):
        action("Step", "A step.", one, guard={}, updates={flag: True}, prints=((line,),))
    action("Step", "A step.", one, other, guard={}, updates={flag: True}, prints=((line,),))


def test_a_level_is_one_of_log4j_s() -> None:
    instance = model("cluster").instance()
    with pytest.raises(ModelError, match="expected one of TRACE"):
        simulate.log_of(instance, [], CLUSTER.release(), "trace", numbered(3, 1))
    assert Int() is not None
