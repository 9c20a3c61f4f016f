"""One record that is not applied, in logs or a snapshot, beside the text of the nodes: nothing illegal is
gained."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options

from tests.newer_records import newer_version_with_field, offsets, rewritten, unknown_type

RECORDED = Path(__file__).parents[3] / "traces" / "recorded-kraft"
NAMES = sorted(each.parent.name for each in RECORDED.glob("*/manifest.json"))
AT_ONCE = 6


def illegal(*folders: Path) -> list[set[tuple[str, str]]]:
    reports = audit([str(each) for each in folders], Options(engine="columns", each=True))
    return [{(f.rule, str(f.entity)) for f in report.findings if f.verdict == "illegal"} for report in reports]


@pytest.mark.parametrize(
    "tries", [3, pytest.param(6, marks=pytest.mark.full), pytest.param(2_000, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", ["elr-4.1.0", pytest.param("chaos-4.2.0", marks=pytest.mark.full)])
def test_a_record_that_is_not_applied_is_no_evidence(name: str, tries: int, tmp_path: Path) -> None:
    dice = random.Random(tries)
    whole = tmp_path / "whole"
    shutil.copytree(RECORDED / name, whole, ignore=shutil.ignore_patterns("*.xz", "*.jsonl"))
    (known,) = illegal(whole)
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
        assert illegal(damaged)[0] <= known, (chosen, offset, kind, change)
        shutil.rmtree(damaged)


def _link(source: str, target: str) -> None:
    os.link(source, target)


def one_of_each_type(name: str, of_each: int, folder: Path) -> Iterator[tuple[str, int, str, set[tuple[str, str]]]]:
    """Yield, for records of each type of a recording, the illegal findings that are gained where all copies have one
    that is not applied."""
    whole, ignored = folder / "whole", shutil.ignore_patterns("*.xz", "*.json*")
    shutil.copytree(RECORDED / name, whole, ignore=ignored, copy_function=_link)
    (known,) = illegal(whole)
    files = sorted((*whole.glob("node-*/metadata/*.log"), *whole.glob("node-*/metadata/*.checkpoint")))
    records = sorted({(kind, offset) for file in files for offset, kind in offsets(file.read_bytes())})
    dice = random.Random(name)
    cases = []
    for kind in sorted({kind for kind, _ in records}):
        own = [offset for each, offset in records if each == kind]
        chosen = dice.sample(own, min(of_each, len(own)))
        cases += [(kind, offset, dice.choice((unknown_type, newer_version_with_field))) for offset in chosen]
    for begin in range(0, len(cases), AT_ONCE):
        places = []
        for number, (_, offset, change) in enumerate(cases[begin : begin + AT_ONCE]):
            places.append(folder / str(number))
            shutil.copytree(whole, places[-1], copy_function=_link)
            for file in files:
                there = places[-1] / file.relative_to(whole)
                there.unlink()
                there.write_bytes(rewritten(file.read_bytes(), {offset}.__contains__, change))
        for (kind, offset, change), found in zip(cases[begin : begin + AT_ONCE], illegal(*places), strict=True):
            yield kind, offset, change.__name__, found - known
        for place in places:
            shutil.rmtree(place)


@pytest.mark.parametrize(
    ("name", "of_each"),
    [
        pytest.param("failover-3.5.2", 1, marks=pytest.mark.full),
        *(pytest.param(name, 20, marks=pytest.mark.slow) for name in NAMES),
    ],
)
def test_a_record_of_any_type_that_is_not_applied_is_no_evidence(name: str, of_each: int, tmp_path: Path) -> None:
    for kind, offset, change, gained in one_of_each_type(name, of_each, tmp_path):
        assert not gained, (kind, offset, change, gained)
