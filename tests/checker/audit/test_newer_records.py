"""Metadata logs as a later release or a fork writes them: nothing is illegal that is not in the log as it was."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.findings.finding import Finding
from isrproof.checker.audit.findings.judged import findings
from isrproof.checker.audit.metadata import audited_metadata
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import EXIT, Report
from isrproof.checker.audit.sources.metadata.apply import applied_types
from isrproof.specs.metadata import bears, control_types, fork_types, record_types
from isrproof.specs.metadata.levels import features, levels
from isrproof.traces.metadata.files import must_be_found
from isrproof.traces.metadata.writer import batch

from tests.newer_records import (
    WAYS,
    Change,
    fork_tag,
    newer_version,
    offsets,
    rewritten,
    type_of_a_fork,
    unknown_tag,
    unknown_type,
)

RECORDED = Path(__file__).parents[3] / "traces" / "recorded-kraft"
NAMES = sorted(each.parent.name for each in RECORDED.glob("*/manifest.json"))
Files = Mapping[Path, bytes]


def test_each_type_is_applied_or_bears_on_nothing() -> None:
    """A record of a type that the fold drops would leave a hole in the history."""
    kinds = [*record_types().values(), *control_types().values(), *fork_types().values()]
    neither = {kind.name for kind in kinds if kind.bears and kind.name not in applied_types()}
    both = {kind.name for kind in kinds if not kind.bears and kind.name in applied_types()}
    assert (neither, both) == (set(), set())
    assert bears("UNKNOWN(99)")


def test_the_newest_level_is_of_the_newest_release() -> None:
    assert features()["metadata.version"].newest == max(levels())


def recorded(name: str, folder: Path) -> tuple[Path, Files]:
    """Copy the metadata logs of a recording, and return their segments and snapshots with their bytes."""
    home = folder / name
    for file in (RECORDED / name).rglob("*"):
        if file.parent.name == "metadata" or file.name == "meta.properties":
            to = home / file.relative_to(RECORDED / name)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, to)
    return home, {each: each.read_bytes() for each in sorted(home.rglob("*")) if each.suffix in (".log", ".checkpoint")}


def illegal(home: Path) -> set[tuple[str, str, int | None]]:
    """The rule and the place of each illegal finding."""
    found = audited_metadata([(0, must_be_found([str(home)]))], 0)
    made = [*findings(found.verdicts.fails, found.files, found.defects)]
    assert not found.defects
    return {_place(each, home) for each in made if each.verdict == "illegal"}


def _place(each: Finding, home: Path) -> tuple[str, str, int | None]:
    return each.rule, str(Path(each.file).relative_to(home)), each.place.offset


@cache
def _data(raw: bytes) -> Sequence[tuple[int, str]]:
    return offsets(raw)


def changed(dice: random.Random, whole: Files) -> tuple[str, dict[Path, bytes]]:
    """Change some records of a log, of its snapshots or of both, in one copy or in all: in words, and the files."""
    way, where, copies = (
        dice.choice(sorted(WAYS)),
        dice.choice(("log", "checkpoint", "both")),
        dice.choice(("all", "one")),
    )
    files = [each for each in whole if where in ("both", each.suffix[1:]) and _data(whole[each])]
    if not files:
        return "nothing", {}
    chosen = dice.choice(files)
    if copies == "one":
        files = [each for each in files if each.parents[1] == chosen.parents[1]]
    offset, kind = dice.choice(_data(whole[chosen]))
    which = dice.choice(("one", "every", "later"))
    found = {}
    for each in files:
        kinds = dict(_data(whole[each]))
        picked = {at for at, of in kinds.items() if of == kind}
        if which != "every":
            picked = {at for at in picked if at == offset or (which == "later" and at > offset)}
        found[each] = rewritten(whole[each], picked.__contains__, WAYS[way])
    return f"{way} of {which} {kind} at {offset} in {where}, {copies}", found


@pytest.mark.full
@pytest.mark.parametrize("logs", [50, pytest.param(100_000, marks=pytest.mark.slow)])
def test_what_is_not_known_is_never_evidence(logs: int, tmp_path: Path) -> None:
    dice = random.Random(logs)
    recordings = {name: recorded(name, tmp_path) for name in NAMES}
    before = {name: illegal(home) for name, (home, _) in recordings.items()}
    for _ in range(logs):
        name = dice.choice(NAMES)
        home, whole = recordings[name]
        words, files = changed(dice, whole)
        for file, raw in files.items():
            file.write_bytes(raw)
        assert illegal(home) <= before[name], (name, words)
        for file in files:
            file.write_bytes(whole[file])


def report_of(folder: Path, name: str, change: Change, kind: str) -> Report:
    """Audit a recording in which all records of a type are changed, in all files."""
    home, whole = recorded(name, folder)
    for file, raw in whole.items():
        kinds = dict(offsets(raw))
        file.write_bytes(rewritten(raw, lambda at, kinds=kinds: kinds.get(at) == kind, change))  # type: ignore[misc]
    (report,) = audit([str(home)], Options(engine="python"))
    return report


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        (newer_version, "REGISTER_BROKER_RECORD", "REGISTER_BROKER_RECORD, version 2"),
        (unknown_type, "CONFIG_RECORD", "records of type UNKNOWN(99) are not known"),
        (unknown_tag, "PARTITION_CHANGE_RECORD", "has tagged fields that this program does not know"),
    ],
)
def test_what_is_not_known_is_in_the_headline(change: Change, kind: str, words: str, tmp_path: Path) -> None:
    report = report_of(tmp_path, "elr-4.1.0", change, kind)
    assert report.verdict == "incomplete"
    assert any(words in reason for reason in report.not_known)
    assert not report.counts["illegal"]
    assert not report.counts["suspicious"]


@pytest.mark.parametrize("kind", ["PARTITION_RECORD", "PARTITION_CHANGE_RECORD"])
def test_the_tags_of_a_fork_cost_nothing(kind: str, tmp_path: Path) -> None:
    report = report_of(tmp_path, "elr-4.0.0", fork_tag, kind)
    assert (report.verdict, report.counts["illegal"], report.not_known) == ("illegal", 2, ())


def test_a_type_of_a_fork_costs_nothing(tmp_path: Path) -> None:
    report = report_of(tmp_path, "elr-4.1.0", type_of_a_fork, "NO_OP_RECORD")
    assert (report.verdict, report.not_known) == ("conforms", ())
    assert report.coverage.records is not None
    assert report.coverage.records.unknown == 0


def test_what_comes_before_is_still_illegal(tmp_path: Path) -> None:
    """KAFKA-15665 in chaos-3.5.2: a record after it that is not known changes nothing about it."""
    home, whole = recorded("chaos-3.5.2", tmp_path)
    (first, *_) = sorted(each for each in illegal(home) if each[0] == "KR525")
    for file, raw in whole.items():
        if file.suffix == ".log":
            file.write_bytes(rewritten(raw, lambda at: at > (first[2] or 0), unknown_type))
    assert illegal(home) == {first}


@pytest.mark.parametrize(
    ("feature", "level", "verdict", "words"),
    [
        ("metadata.version", max(levels()), "conforms", None),
        (
            "metadata.version",
            max(levels()) + 1,
            "incomplete",
            f"metadata.version {max(levels()) + 1} is newer than this",
        ),
        ("share.version", 9, "conforms", None),
        ("eligible.leader.replicas.version", 2, "incomplete", "eligible.leader.replicas.version 2 is newer"),
        ("colour.version", 1, "incomplete", "the feature colour.version (level 1) is not known"),
        ("colour.version", 0, "conforms", None),
    ],
)
def test_levels_of_features(feature: str, level: int, verdict: str, words: str | None, tmp_path: Path) -> None:
    report = _with(tmp_path, [("FEATURE_LEVEL_RECORD", 0, {"name": feature, "featureLevel": level})])
    assert report.verdict == verdict
    assert words is None or words in report.not_known[0]
    assert EXIT[report.verdict] == (0 if words is None else 3)


def test_a_controller_of_a_newer_release(tmp_path: Path) -> None:
    """Its behaviour is not known, whatever the level is."""
    newest = max(levels()) + 1
    features = [{"name": "metadata.version", "minSupportedVersion": 7, "maxSupportedVersion": newest}]
    data = {
        "controllerId": 1,
        "incarnationId": "A" * 22,
        "zkMigrationReady": False,
        "endPoints": [],
        "features": features,
    }
    report = _with(tmp_path, [("REGISTER_CONTROLLER_RECORD", 0, data), ("NO_OP_RECORD", 0, {})])
    (reason,) = report.not_known
    assert reason.startswith(f"controller 1 supports metadata.version up to {newest}: its release is newer than")


def _with(folder: Path, messages: Sequence[tuple[str, int, Mapping[str, object]]]) -> Report:
    """Audit a log of one voter at the newest level that is known, with more records at its end."""
    home = folder / "node-1" / "__cluster_metadata-0"
    home.mkdir(parents=True)
    leader = {"version": 0, "leaderId": 1, "voters": [{"voterId": 1}], "grantingVoters": [{"voterId": 1}]}
    level = {"name": "metadata.version", "featureLevel": max(levels())}
    topic = {"name": "orders", "topicId": "B" * 21 + "A"}
    raw = batch([("LEADER_CHANGE", 0, leader)], 0, 1, control=True) + batch([("FEATURE_LEVEL_RECORD", 0, level)], 1, 1)
    raw += batch(messages, 2, 1) + batch([("TOPIC_RECORD", 0, topic)], 2 + len(messages), 1)
    (home / f"{0:020d}.log").write_bytes(raw)
    (report,) = audit([str(folder)], Options(engine="python"))
    return report


def test_the_counts_are_in_the_report(tmp_path: Path) -> None:
    """Records that were read in part are neither decoded nor unknown."""
    report = report_of(tmp_path, "failover-3.5.2", newer_version, "TOPIC_RECORD")
    records = report.coverage.records
    assert records is not None
    assert records.partial > 0
    assert records.unknown == 0


def kinds_of(files: Files) -> Iterator[str]:
    for raw in files.values():
        yield from (kind for _, kind in offsets(raw))


def test_the_recordings_have_what_is_changed(tmp_path: Path) -> None:
    """Changes of most types are tried."""
    counted = Counter(kind for name in NAMES for kind in kinds_of(recorded(name, tmp_path)[1]))
    assert len(counted) >= 14
