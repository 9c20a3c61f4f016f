"""One record that is not applied, in logs or a snapshot, beside the text of the nodes: nothing illegal is
gained."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options

from tests.newer_records import newer_version_with_field, offsets, rewritten, unknown_type

RECORDED = Path(__file__).parents[3] / "traces" / "recorded-kraft"


def illegal(folder: Path) -> set[tuple[str, str]]:
    (report,) = audit([str(folder)], Options(engine="columns"))
    return {(finding.rule, str(finding.entity)) for finding in report.findings if finding.verdict == "illegal"}


@pytest.mark.parametrize(
    "tries", [3, pytest.param(15, marks=pytest.mark.full), pytest.param(2_000, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", ["elr-4.1.0", pytest.param("chaos-4.2.0", marks=pytest.mark.full)])
def test_a_record_that_is_not_applied_is_no_evidence(name: str, tries: int, tmp_path: Path) -> None:
    dice = random.Random(tries)
    whole = tmp_path / "whole"
    shutil.copytree(RECORDED / name, whole, ignore=shutil.ignore_patterns("*.xz", "*.jsonl"))
    known = illegal(whole)
    logs, snapshots = (sorted(whole.glob(f"node-*/metadata/*.{kind}")) for kind in ("log", "checkpoint"))
    for number in range(tries):
        chosen = (logs, [dice.choice(logs)], [dice.choice(snapshots)])[number % 3]
        offset, kind = dice.choice(offsets(dice.choice(chosen).read_bytes()))
        change = dice.choice((unknown_type, newer_version_with_field))
        damaged = tmp_path / str(number)
        shutil.copytree(whole, damaged)
        for file in chosen:
            raw = rewritten(file.read_bytes(), {offset}.__contains__, change)
            (damaged / file.relative_to(whole)).write_bytes(raw)
        assert illegal(damaged) <= known, (chosen, offset, kind, change)
        shutil.rmtree(damaged)
