"""Recorded clusters did what was predicted, and a wrong prediction is seen."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from isrproof.checker.whatif.answer import KINDS, Answer
from isrproof.traces.record.kraft.dump import State, course

from lab import RECORDED
from lab.whatif import AGREES, AS_TOLD, OUTSIDE, WRONG, Compared, compare, compared, main, predicted, runs

FOLDERS = sorted(path.parent for path in RECORDED.with_name("recorded-whatif").glob("*/manifest.json"))
BROKERS, VOTERS = (next(each for each in FOLDERS if each.name == name) for name in ("brokers-3.7.2", "voters-3.9.1"))


@pytest.mark.full(every=3)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_what_happened_is_among_what_was_predicted(folder: Path) -> None:
    found = list(compare(folder))
    assert {each.result for each in found} == {AGREES, AS_TOLD}
    for each in found:
        unsafe = each.run.name.endswith("-unsafe")
        assert each.answer.verdict == ("unsafe" if unsafe else "safe")
        assert (any(each.seen.values()) or each.run.quorum == "lost") is unsafe, each.run.name


@cache
def one(folder: Path, name: str) -> tuple[Any, Answer, Mapping[tuple[str, int, int], list[State]]]:
    """A run, its answer, and what happened to partitions."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    run = next(each for each in runs(folder, manifest["kafka"]) if each.name == name)
    return run, predicted(folder, run), course(folder, manifest["controllers"]).partitions


def held(folder: Path, name: str, **changes: Any) -> Compared:
    """A run held against its answer, which is changed."""
    its, answer, partitions = one(folder, name)
    return compared(its, replace(answer, **changes), partitions, set(its.touched))


def test_a_run_as_told() -> None:
    assert held(BROKERS, "fail-1-unsafe").result == AS_TOLD
    assert held(BROKERS, "fail-1-unsafe", path=None).result == AGREES


def test_what_was_not_predicted_is_wrong() -> None:
    nothing = dict.fromkeys(KINDS, ())
    found = held(BROKERS, "fail-1-unsafe", found=nothing)
    assert found.result == WRONG
    assert found.why == "not predicted: offline one-0, under_min_isr strict-0, under_min_isr strict-1"
    assert held(BROKERS, "fail-1-safe", found=nothing).result == AGREES


def test_a_quorum_that_is_lost_must_be_predicted() -> None:
    run, answer, _ = one(VOTERS, "quorum-fail-2-unsafe")
    assert run.quorum == answer.quorum.verdict == "lost"
    assert held(VOTERS, "quorum-fail-2-unsafe").result == AS_TOLD
    found = held(VOTERS, "quorum-fail-2-unsafe", quorum=replace(answer.quorum, verdict="ok"))
    assert (found.result, found.why) == (WRONG, "not predicted: quorum lost")


def test_a_way_that_was_not_gone_is_not_as_told() -> None:
    _, answer, _ = one(BROKERS, "fail-1-unsafe")
    assert answer.path is not None
    other = replace(answer.path.steps[0], leader=5)
    found = held(BROKERS, "fail-1-unsafe", path=replace(answer.path, steps=(other,)))
    assert found.result == AGREES


def test_a_fault_that_the_plan_does_not_name_is_outside_of_it() -> None:
    run, answer, partitions = one(BROKERS, "fail-1-safe")
    found = compared(run, answer, partitions, {*run.touched, 4})
    assert (found.result, found.why) == (OUTSIDE, "broker 4 failed, or came back, by itself")


def test_the_command_says_how_many_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = shutil.copytree(VOTERS, tmp_path / "few")
    rows = (few / "timeline.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    end = next(number for number, row in enumerate(rows) if '"planned"' in row)
    (few / "timeline.jsonl").write_text("".join(rows[: end + 1]), encoding="utf-8")
    assert main([str(few)]) == 0
    said = "runs: 1; outside their plan: 0; among what was predicted: 1 of 1; plans found safe: 1"
    assert said in capsys.readouterr().out
    assert main([str(tmp_path)]) == 2
    assert "expected recordings of a scenario whatif-*" in capsys.readouterr().err
