"""Faults planted in what nodes print beside their metadata log: each is found, at its line."""

from __future__ import annotations

import gzip
import random
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options

RECORDED = Path(__file__).parents[3] / "traces" / "recorded-kraft"
Changed = Callable[[re.Match[str], random.Random], str]


def added(group: str, by: int = 1) -> Changed:
    """A number is larger than what was printed."""
    return lambda found, _: _with(found, group, str(int(found[group]) + by))


def another(group: str) -> Changed:
    """Another broker than the one that was printed."""
    return lambda found, dice: _with(found, group, str(dice.choice([n for n in (1, 2, 3) if str(n) != found[group]])))


def without_first(group: str) -> Changed:
    """A list without its first member, or with a stranger if it has one only."""

    def change(found: re.Match[str], _: random.Random) -> str:
        first, comma, rest = found[group].partition(",")
        return _with(found, group, rest.strip() if comma else f"{first},9")

    return change


def _with(found: re.Match[str], group: str, text: str) -> str:
    return found.string[: found.start(group)] + text + found.string[found.end(group) :]


_LEADER = (
    r"Leader (?P<tp>\S+) with topic id Some\(\S+\) starts at leader epoch (?P<le>\d+) .* partition epoch (?P<pe>\d+),"
)
_ISR = r".* ISR \[(?P<isr>[\d,]+)\]"
FAULTS: Mapping[str, tuple[str, str, str, Changed]] = {
    "a leader in another leader epoch": ("KR538", "state-change.log", _LEADER, added("le")),
    "a leader with another ISR": ("KR538", "state-change.log", _LEADER + _ISR, without_first("isr")),
    "a follower of another leader": (
        "KR538",
        "state-change.log",
        r"Follower .* Current leader is (?P<l>\d+)",
        another("l"),
    ),
    "a follower in another leader epoch": (
        "KR538",
        "state-change.log",
        r"Follower \S+ starts at leader epoch (?P<le>\d+)",
        added("le"),
    ),
    "a state of another leader": (
        "KR538",
        "state-change.log",
        r"Skipped .*controllerEpoch=-1, leader=(?P<l>\d)",
        another("l"),
    ),
    "a state with another ISR": (
        "KR538",
        "state-change.log",
        r"Skipped .*controllerEpoch=-1, .*isr=\[(?P<isr>[\d, ]+)\]",
        without_first("isr"),
    ),
    "an ISR that was not written": (
        "KR538",
        "server.log",
        r"ISR updated to (?P<isr>[\d,]+) .*version updated to",
        without_first("isr"),
    ),
    "a broker epoch that nobody gave": (
        "KR539",
        "server.log",
        r"Successfully registered broker \d+ with broker epoch (?P<e>\d+)",
        added("e", 500),
    ),
    "a new partition with another leader": (
        "KR537",
        "controller.log",
        r"(?:Created partition|Replayed PartitionRecord for new partition) .* leader=(?P<l>\d)",
        another("l"),
    ),
    "a new partition with another ISR": (
        "KR537",
        "controller.log",
        r"(?:Created partition|Replayed PartitionRecord for new partition) .* isr=\[(?P<isr>[\d, ]+)\]",
        without_first("isr"),
    ),
    "a change to another leader": ("KR537", "controller.log", r"UNCLEAN .* leader: -?\d+ -> (?P<l>\d)", another("l")),
    "more changes than in the log": (
        "KR547",
        "controller.log",
        r"(?:handleBroker(?:Fenced|Unfenced)|enterControlledShutdown\[\d+\]): changing (?P<n>\d+) partition",
        added("n", 5),
    ),
    "more deletions than in the log": ("KR540", "state-change.log", r"Deleting (?P<n>\d+) partition", added("n", 400)),
    "another leader of the quorum": (
        "KR533",
        "controller.log",
        r"In the new epoch \d+, the leader is (?P<l>\d+)\.",
        added("l", 7),
    ),
    "an epoch that starts elsewhere": (
        "KR536",
        "server.log",
        r"Completed transition to Leader\(.*epochStartOffset=(?P<o>\d+)",
        added("o", 3),
    ),
}
"""What is planted: the rule that finds it, the file, the lines to choose from, and what becomes of one."""


def _files(cluster: Path, name: str) -> Iterator[Path]:
    yield from sorted(cluster.glob(f"node-*/{name}*"))


def _lines(file: Path) -> list[str]:
    raw = file.read_bytes()
    return (gzip.decompress(raw) if file.suffix == ".gz" else raw).decode().splitlines()


def planted(name: str, cluster: Path, dice: random.Random) -> tuple[Path, int] | None:
    """Change one line of the cluster's; its place, None where no line is of that kind."""
    _, where, pattern, change = FAULTS[name]
    found = [
        (file, number, match)
        for file in _files(cluster, where)
        for number, line in enumerate(_lines(file), start=1)
        if (match := re.search(pattern, line))
    ]
    if not found:
        return None
    file, number, match = dice.choice(found)
    lines = _lines(file)
    lines[number - 1] = change(match, dice)
    text = "".join(f"{line}\n" for line in lines).encode()
    file.write_bytes(gzip.compress(text, 1) if file.suffix == ".gz" else text)
    return file, number


def tried(name: str, seed: int, folder: Path, recordings: list[Path]) -> tuple[int, int]:
    """How many faults of a kind were planted, one in each recording, and how many were found at their line."""
    count = right = 0
    for recording in recordings:
        cluster = folder / f"{recording.name}-{seed}"
        shutil.copytree(recording, cluster, ignore=shutil.ignore_patterns("*.xz"))
        at = planted(name, cluster, random.Random(f"{name} {recording.name} {seed}"))
        if at is not None:
            (report,) = audit([str(cluster)], Options(engine="python"))
            there = {(each.rule, each.file, each.place.line) for each in report.findings}
            count += 1
            right += (FAULTS[name][0], str(at[0]), at[1]) in there
        shutil.rmtree(cluster)
    return count, right


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found_at_its_line(name: str, tmp_path: Path) -> None:
    recordings = [RECORDED / "chaos-4.2.0"] if "UNCLEAN" in FAULTS[name][2] else [RECORDED / "chaos-3.5.2"]
    count, right = tried(name, 0, tmp_path, recordings)
    assert (count, right) == (1, 1)


@pytest.mark.slow
def test_nearly_all_faults_are_found(tmp_path: Path) -> None:
    """What is not: a proposal that may have been taken back, and lines that come after the end of the log."""
    recordings = sorted(path for path in RECORDED.iterdir() if path.is_dir())
    table = {}
    for name in FAULTS:
        counted = [tried(name, seed, tmp_path, recordings) for seed in range(3)]
        table[name] = (sum(n for n, _ in counted), sum(n for _, n in counted))
        print(f"{name}: {table[name][1]} of {table[name][0]}")
    planted_in_all, found = (sum(each[n] for each in table.values()) for n in (0, 1))
    assert found >= 0.95 * planted_in_all
