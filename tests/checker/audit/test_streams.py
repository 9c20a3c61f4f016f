"""Logs as people hand them over: copied, in parts, joined the wrong way round, torn, with files missing.

None of this may make a legal log illegal; and what a whole file shows is still found.
"""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import Report

from tests.evaluated import COMPARING, evaluated
from tests.recordings import RECORDED

RECORDINGS = ("lifecycle-2.8.2", "lifecycle-0.11.0.3", "lifecycle-2.0.0", "lifecycle-2.3.1", "lifecycle-2.8.2-trace")
Logs = Mapping[str, list[str]]


def logs(name: str) -> dict[str, list[str]]:
    """The lines of every file of a recording."""
    found = {}
    for path in sorted((RECORDED / name).rglob("*.log*")):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        found[str(path.relative_to(RECORDED / name)).removesuffix(".gz")] = data.decode().splitlines()
    return found


def reported(folder: Path, files: Logs) -> Report:
    for name, lines in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    (report,) = audit([str(folder)], Options(engine="python"))
    return report


def illegal(report: Report) -> list[tuple[str, str]]:
    return [(finding.rule, finding.message) for finding in report.findings if finding.verdict == "illegal"]


def legal(report: Report) -> bool:
    """Return True if nothing is illegal, although the rules that compare lines had some to compare."""
    return illegal(report) == [] and evaluated(report) >= COMPARING


def edges(lines: list[str]) -> list[int]:
    """Return the places where a log can be cut: before a line that has a time of its own."""
    return [i for i in range(1, len(lines)) if lines[i].startswith("[2") and lines[i][:24] != lines[i - 1][:24]]


def in_three(lines: list[str], dice: random.Random) -> list[list[str]]:
    a, b = sorted(dice.sample(edges(lines), 2)) if len(edges(lines)) > 2 else (0, 0)
    return [lines[:a], lines[a:b], lines[b:]]


@pytest.mark.full(every=5)
@pytest.mark.slow(every=2)
@pytest.mark.parametrize("name", RECORDINGS)
def test_a_copy_of_a_log_is_read_once(name: str, tmp_path: Path) -> None:
    files = logs(name)
    copied = reported(tmp_path / "copied", files | {f"copy/{path}": lines for path, lines in files.items()})
    alone = reported(tmp_path / "alone", files)
    assert [(f.rule, f.line, f.verdict) for f in copied.findings] == [
        (f.rule, f.line, f.verdict) for f in alone.findings
    ]
    assert copied.rules == alone.rules
    assert evaluated(copied) >= COMPARING
    assert any("not read again" in note for note in copied.notes)


@pytest.mark.full
@pytest.mark.slow(every=2)
@pytest.mark.parametrize("name", RECORDINGS)
def test_a_second_copy_that_ends_earlier_makes_nothing_illegal(name: str, tmp_path: Path) -> None:
    dice, files = random.Random(name), logs(name)
    early = {f"early/{path}": lines[: -len(in_three(lines, dice)[2])] for path, lines in files.items() if lines}
    assert legal(reported(tmp_path, files | early))


@pytest.mark.full(every=10)
@pytest.mark.slow(every=3)
@pytest.mark.parametrize("name", RECORDINGS)
@pytest.mark.parametrize("named", ["day{part}/{path}", "{path}_{part}.log"])
def test_parts_of_a_log_may_lie_anywhere(name: str, named: str, tmp_path: Path) -> None:
    dice = random.Random(name)
    parts = {
        named.format(part=part, path=path): lines
        for path, whole in logs(name).items()
        for part, lines in enumerate(in_three(whole, dice))
    }
    assert legal(reported(tmp_path, parts))


def test_parts_in_other_folders_are_in_the_order_of_their_times(tmp_path: Path) -> None:
    """The fault is in the second part, which another folder has under a name that sorts first."""
    files = logs("lifecycle-2.0.0")
    path = "broker-2/state-change.log"
    at = next(i for i, line in enumerate(files[path]) if "from OnlineReplica to OfflineReplica" in line)
    files[path][at] = files[path][at].replace("from OnlineReplica", "from NonExistentReplica")
    cut = [edge for edge in edges(files[path]) if edge < at][-1]
    parts = files | {path: files[path][:cut], f"a/{path}": files[path][cut:]}
    found = reported(tmp_path, parts)
    assert {rule for rule, _ in illegal(found)} == {"KR101"}
    assert [(f.file, f.line) for f in found.findings if f.verdict == "illegal"] == [
        (str(tmp_path / "a" / path), at - cut + 1)
    ]


@pytest.mark.full(every=5)
@pytest.mark.slow(every=2)
@pytest.mark.parametrize("name", RECORDINGS)
def test_a_rotated_file_that_is_not_there_is_a_gap(name: str, tmp_path: Path) -> None:
    dice = random.Random(name)
    kept: dict[str, list[str]] = {}
    for path, lines in logs(name).items():
        oldest, _, newest = in_three(lines, dice)
        kept |= {f"{path}.2": oldest, path: newest}
    assert legal(reported(tmp_path, kept))


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        (("state-change.log.2", "state-change.log.1", "state-change.log"), False),
        (("state-change.log.1", "state-change.log.2", "state-change.log"), False),
        (("state-change.log.3", "state-change.log.1", "state-change.log"), True),
        (("state-change.log.3", "state-change.log.2", "state-change.log"), True),
        (("state-change.log.1", "state-change.log.3", "state-change.log"), True),
    ],
)
def test_numbers_rise_or_fall_with_time(names: tuple[str, str, str], missing: bool, tmp_path: Path) -> None:
    """A line that contradicts the one before, in a later file, is a finding if no file is missing."""
    whole = logs("lifecycle-2.0.0")["broker-1/state-change.log"]
    at = next(i for i, line in enumerate(whole) if "life-0 state from NonExistentPartition to NewPartition" in line)
    cut = next(edge for edge in edges(whole) if edge > at + 100)
    again = whole[at].replace(whole[at][:25], whole[cut + 50][:25])
    parts = [whole[:cut], whole[cut : cut + 50], [again, *whole[cut + 50 :]]]
    found = reported(tmp_path, dict(zip(names, parts, strict=True)))
    assert ("KR104" in {each.rule for each in found.findings if each.verdict != "unknown"}) is not missing


@pytest.mark.full(every=18)
@pytest.mark.slow(every=5)
@pytest.mark.parametrize("name", [*RECORDINGS, "chaos-1.1.1-2"])
@pytest.mark.parametrize("order", [(2, 0, 1), (2, 1, 0), (0, 2, 1)], ids=["by name", "reversed", "last two"])
def test_rotated_files_joined_in_a_wrong_order(name: str, order: tuple[int, ...], tmp_path: Path) -> None:
    dice = random.Random(name)
    joined = {}
    for path, lines in logs(name).items():
        parts = in_three(lines, dice)
        joined[path] = [line for part in order for line in parts[part]]
    found = reported(tmp_path, joined)
    assert legal(found)
    assert not {"KR301"} & {finding.rule for finding in found.findings}
    # Only in the recording of a chaotic cluster a file has several epochs of one controller.
    assert ("KR301" in evaluated(found)) is (name not in RECORDINGS)


def test_logs_of_several_brokers_in_one_file_lose_nothing(tmp_path: Path) -> None:
    """Its times go back too, but not those of one controller."""
    files = logs("failover-on-leader-2.0.0-kill")
    brokers = sorted({path.split("/")[0] for path in files}, reverse=True)
    joined = [line for broker in brokers for line in files[f"{broker}/state-change.log"]]
    assert {rule for rule, _ in illegal(reported(tmp_path, {"state-change.log": joined}))} == {"KR401"}


def torn(lines: list[str], at: int, keep: int, lost: int) -> list[str]:
    return [*lines[:at], lines[at][:keep], *lines[at + lost :]]


@pytest.mark.full(every=25)
@pytest.mark.slow(every=6)
@pytest.mark.parametrize("name", RECORDINGS)
@pytest.mark.parametrize("keep", [3, 12, 28, 45, 90], ids="{} characters left".format)
def test_lines_are_lost_where_one_is_torn(name: str, keep: int, tmp_path: Path) -> None:
    """A full disk, a machine that lost its power: a line ends in its middle, and some more are gone."""
    dice = random.Random(f"{name} {keep}")
    files = logs(name)
    for path, lines in files.items():
        moves = [i for i, line in enumerate(lines) if re.search(r"Changed|changed|Partition \S+ state", line)]
        for _ in range(3 if moves else 0):
            files[path] = lines = torn(lines, dice.choice([i for i in moves if i + 8 < len(lines)]), keep, 6)
            moves = [i for i in moves if i + 8 < len(lines)]
    assert legal(reported(tmp_path, files))


@pytest.mark.full
@pytest.mark.parametrize("kept", [40, 10, 100])
def test_the_next_line_may_follow_in_the_middle_of_a_torn_one(kept: int, tmp_path: Path) -> None:
    files = logs("lifecycle-2.0.0")
    for lines in files.values():
        at = next((i for i, line in enumerate(lines) if "from NewReplica to OnlineReplica" in line), None)
        if at is not None:
            lines[at : at + 2] = [lines[at][:kept] + lines[at + 1]]
    assert legal(reported(tmp_path, files))


def test_zeros_where_lines_never_reached_the_disk(tmp_path: Path) -> None:
    files = logs("lifecycle-2.0.0")
    path = "broker-2/state-change.log"
    at = next(i for i, line in enumerate(files[path]) if i > 100 and "from NewReplica to OnlineReplica" in line)
    files[path][at : at + 2] = ["\0" * 300 + "\tat some.Frame(File.scala:1)"]
    found = reported(tmp_path, files)
    assert legal(found)
    assert [(each.rule, each.verdict, each.line) for each in found.findings if each.verdict == "unknown"]
    assert found.verdict == "incomplete"  # the lines that are gone would decide it


def test_what_is_before_and_after_a_torn_line_is_still_judged(tmp_path: Path) -> None:
    files = logs("lifecycle-2.0.0")
    lines = files["broker-2/state-change.log"]
    at = [i for i, line in enumerate(lines) if "from OnlineReplica to OfflineReplica" in line]
    for i in (at[0], at[-1]):
        lines[i] = lines[i].replace("from OnlineReplica", "from NonExistentReplica")
    middle = at[0] + 3
    lines.insert(middle, lines[middle][:50])
    wrong = [f.line for f in reported(tmp_path, files).findings if f.rule == "KR101" and f.verdict == "illegal"]
    assert wrong == [at[0] + 1, at[-1] + 2]


@pytest.mark.full(every=3)
@pytest.mark.slow(every=4)
@pytest.mark.parametrize("level", ["INFO", "WARN", "ERROR"])
@pytest.mark.parametrize("name", ["failover-on-leader-2.3.1-kill", "lifecycle-2.4.1", "lifecycle-2.8.2-trace"])
def test_a_controller_that_was_restarted_at_another_level(name: str, level: str, tmp_path: Path) -> None:
    """In one file: an epoch at a higher level than those before and after it."""
    levels = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR")
    files = logs(name)
    for path, lines in files.items():
        if "state-change" in path:
            hidden = re.compile(rf"\[[^]]*\] ({'|'.join(levels[: levels.index(level)])}) \[Controller id=\d epoch=2\]")
            files[path] = [line for line in lines if not hidden.match(line)]
    assert legal(reported(tmp_path, files))


def test_what_a_level_hides_is_not_known(tmp_path: Path) -> None:
    """Epoch 2 is logged at WARN: its controller may have deleted the topic and created it again."""
    speaks = "[2018-08-03 12:{:02}:00,000] {} [Controller id={} epoch={}] {} (state.change.logger)"
    state = "Changed partition t-0 from {}Partition to OnlinePartition with state"
    state += " LeaderAndIsr(leader=1, leaderEpoch={}, isr=List(1, 2), zkVersion={})"
    heard = "[2018-08-03 12:{:02}:30,000] TRACE [Broker id={}] Cached leader info PartitionState(controllerEpoch={},"
    heard += " leader=1, leaderEpoch=0, isr=[1, 2], zkVersion=0, replicas=[1, 2], offlineReplicas=[]) for partition u-0"
    heard += " in response to UpdateMetadata request sent by controller {} epoch {} with correlation id 1"
    heard += " (state.change.logger)"
    fails = "Controller 2 epoch 2 failed to change state for partition u-0 from OfflinePartition to OnlinePartition"
    thrown = "kafka.common.StateChangeFailedException: Failed to elect leader for partition u-0 under strategy"
    refused = "[2018-08-03 12:03:00,000] WARN [Broker id=2] Ignoring LeaderAndIsr request from controller 1 with"
    refused += " correlation id 1 epoch 1 for partition u-0 since its associated leader epoch 0 is not higher than the"
    refused += " current leader epoch 0 (state.change.logger)"
    files = {
        "b1/state-change.log": [
            speaks.format(1, "TRACE", 1, 1, state.format("Online", 5, 7)),
            heard.format(6, 1, 2, 2, 2),
        ],
        "b2/state-change.log": [
            refused,
            speaks.format(5, "ERROR", 2, 2, fails),
            f"{thrown} OfflinePartitionLeaderElectionStrategy",
        ],
        "b3/state-change.log": [
            heard.format(7, 3, 2, 2, 2),
            speaks.format(8, "TRACE", 3, 3, state.format("Online", 1, 2)),
        ],
    }
    found = reported(tmp_path, files)
    assert illegal(found) == []
    assert {"KR104", "KR205", "KR211"} <= evaluated(found)
