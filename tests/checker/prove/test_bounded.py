"""Without lemmas: what is k-inductive, what a short path breaks, and what neither decides."""

from __future__ import annotations

import json

from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.explore.run import explore_instance
from isrproof.checker.prove.bounded import decide, prove_bounded
from isrproof.model.catalogue import model
from isrproof.model.step import Reference

TWO = {"replicas": 2}
BROKEN, ALONE = "unclean-election-keeps-isr", "UncleanLeaderAloneInIsr"


def test_a_property_that_every_step_keeps_holds_in_the_instance() -> None:
    found = decide(model("kip320").instance(**TWO), model("kip320").property("HighWatermarkMonotone"), 3, 60)
    assert (found.verdict, found.k, found.reason) == ("holds", 1, "1-inductive")


def test_a_short_counterexample_is_the_shortest_and_real() -> None:
    found = prove_bounded(BROKEN, [ALONE], TWO, depth=3, timeout=60)
    decided = found[ALONE]
    assert (found.verdict, decided.verdict) == ("violated", "violated")
    assert decided.path is not None
    explored = explore_instance(model(BROKEN), TWO, [ALONE])[ALONE].path
    assert explored is not None
    assert decided.path.length == explored.length == 3
    reference = Reference(decided.path.instance)
    assert decided.path.states[0] == reference.initial()
    assert not reference.holds(decided.prop, decided.path.states[-2], decided.path.states[-1])


def test_what_no_path_of_that_length_breaks_is_unknown() -> None:
    found = prove_bounded(BROKEN, [ALONE], TWO, depth=2, timeout=60)[ALONE]
    assert found.verdict == "unknown"
    assert found.reason == "not 2-inductive; no counterexample of up to 2 states"


def test_a_property_of_ghosts_brings_them_along() -> None:
    found = prove_bounded("kip320", ["NoCommittedRecordLost"], TWO, depth=1, timeout=60)["NoCommittedRecordLost"]
    assert (found.verdict, found.path) == ("unknown", None)


def test_the_solver_is_not_asked_for_longer_than_its_time() -> None:
    found = prove_bounded("kip320", ["StrongIsr"], TWO, depth=30, timeout=0.01)["StrongIsr"]
    assert found.verdict == "unknown"
    assert "in 0.01 s" in found.reason


def test_the_command_says_for_which_instance() -> None:
    ran = CliRunner().invoke(
        main,
        ["prove", "kip320", "--bounded", "1", "--set", "replicas=2", "--property", "HighWatermarkMonotone", "--json"],
    )
    assert ran.exit_code == 0, ran.output
    said = json.loads(ran.output)
    assert said["verdict"] == "holds"
    assert said["properties"][0]["for"] == "kip320(replicas=2, log_size=2, max_records=2, max_leader_epoch=2)"
    assert any("this instance only" in each for each in said["trusted"])


def test_a_table_is_proved_so_anyway() -> None:
    ran = CliRunner().invoke(main, ["prove", "replica", "--bounded", "3"])
    assert ran.exit_code == 2
    assert "replica cannot be used with --bounded" in ran.output
