"""The log of a run: what the audit says of it, and how it is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from isrproof.checker.cli import main
from isrproof.checker.conformance import simulate
from isrproof.checker.conformance.names import numbered
from isrproof.model.action import action
from isrproof.model.catalogue import model
from isrproof.model.cluster.cluster import CLUSTER
from isrproof.model.errors import DefinitionError, ModelError
from isrproof.model.expr import field, var
from isrproof.model.lines import Line
from isrproof.model.sorts import Bool, Finite, Int, Setting

from tests.engines import columns

RELEASES = ("1.1", "2.0.0", "2.1", "2.2", "2.3", "2.4.1", "2.6.1", "2.8", "3.3.2", "3.9")
LEGAL_PARTS = ("controlled shutdown", "deletion", "preferred elections", "unclean elections")


def _command(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["simulate", *arguments])
    return done.exit_code, done.output


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


def _findings(release: str, parts: tuple[str, ...], seed: int, level: str, folder: Path) -> set[str]:
    room = {"brokers": 3, "partitions": 2, "outages": 8, "failovers": 4, "max_leader_epoch": 80}
    instance = CLUSTER.model(release, adding=parts).instance(**room)
    run = simulate.random_run(instance, seed, 50)
    log = simulate.log_of(instance, run, CLUSTER.release(release), level, numbered(3, 2))
    if not log.files:
        return set()
    simulate.write(log, folder)
    (report,) = columns([folder])
    return {each["rule"] for each in report["findings"] if each["severity"] == "error"}


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    release=st.sampled_from(RELEASES),
    parts=st.sets(st.sampled_from(LEGAL_PARTS)),
    seed=st.integers(0, 2**16),
    level=st.sampled_from(["TRACE", "INFO"]),
)
def test_nothing_is_illegal_in_a_random_run_but_what_its_release_does_wrong(
    release: str, parts: set[str], seed: int, level: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    known = {"KR401"} if "KAFKA-3143" in CLUSTER.release(release).behaviours else set()
    assert _findings(release, tuple(sorted(parts)), seed, level, tmp_path_factory.mktemp("run")) <= known


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
        (("kip320",), "does not say what its steps print"),
        (("cluster", "--release", "1.0.2"), "no row for Kafka 1.0.2"),
        (("cluster", "--release", "2.0.0", "--level", "LOUD"), "unknown level 'LOUD'"),
        (("cluster", "--property", "LeaderAliveOrNon"), "did you mean 'LeaderAliveOrNone'"),
    ],
)
def test_misuse_is_told(arguments: tuple[str, ...], says: str) -> None:
    done = CliRunner().invoke(main, ["simulate", *arguments, "--json"])
    assert done.exit_code == 2
    assert says in json.loads(done.output)["error"]


def test_files_that_are_there_are_not_overwritten(tmp_path: Path) -> None:
    assert _command("cluster", "--out", str(tmp_path / "run"))[0] == 0
    code, said = _command("cluster", "--out", str(tmp_path / "run"), "--json")
    assert code == 2
    assert "is there already" in json.loads(said)["error"]


def test_a_line_reads_what_its_step_knows() -> None:
    who = Finite("Broker", Setting("brokers", 2, "how many", at_least=1))
    one, other, flag = var("one", who), var("other", who), field("flag", Bool)
    line = Line("replica-moved", one, {"replica": other})
    with pytest.raises(DefinitionError, match="`other` is no parameter, and the line is not over it"):
        action("Step", "A step.", one, guard={}, updates={flag: True}, prints=((line,),))
    action("Step", "A step.", one, other, guard={}, updates={flag: True}, prints=((line,),))


def test_a_level_is_one_of_log4j_s() -> None:
    instance = model("cluster").instance()
    with pytest.raises(ModelError, match="expected one of TRACE"):
        simulate.log_of(instance, [], CLUSTER.release(), "trace", numbered(3, 1))
    assert Int() is not None
