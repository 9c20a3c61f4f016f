"""Faults planted in what nodes print beside their metadata log: each is found, at its line."""

from __future__ import annotations

import gzip
import random
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.files.metadata import copies
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.sources.metadata.quorum import joined, quorums
from isrproof.traces.metadata.batches import Batches, Record
from isrproof.traces.metadata.files import found_in

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
        added("e"),
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
"""A planted fault: the rule that finds it, the file, the lines to choose from, and the change of one."""


def _files(cluster: Path, name: str) -> Iterator[Path]:
    yield from sorted(cluster.glob(f"node-*/{name}*"))


def _lines(file: Path) -> list[str]:
    raw = file.read_bytes()
    return (gzip.decompress(raw) if file.suffix == ".gz" else raw).decode().splitlines()


def _write(file: Path, lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines).encode()
    file.write_bytes(gzip.compress(text, 1) if file.suffix == ".gz" else text)


def _decided_from(cluster: Path) -> tuple[str, bool]:
    """Return the time from which the metadata log decides about lines, and whether it also decides about lines that
    name no topic id: from its first record or snapshot on, or from the end of a migration from ZooKeeper, whose mode
    has states and topic ids that no record shows."""
    (quorum,) = quorums(copies(found_in([str(cluster)])))
    records = _records(cluster)
    known = [each.end[0] for scan in quorum.copies for each in scan.copy.snapshots if each.end is not None]
    start = min((end for end in known if end >= quorum.start), default=0) if quorum.start else 0
    ends = [record for record in records if (record.data or {}).get("zkMigrationState") == _POST_MIGRATION]
    first = next(record for record in ends or records if record.offset >= start)
    return f"{datetime.fromtimestamp(first.timestamp / 1000, timezone.utc):%Y-%m-%d %H:%M:%S},000", not ends


_POST_MIGRATION = 3


def planted(name: str, cluster: Path, dice: random.Random) -> tuple[Path, int] | None:
    """Change one line of the cluster's; its place, None where no line is of that kind."""
    code, where, pattern, change = FAULTS[name]
    begins, all_decided = _decided_from(cluster)
    epochs = {record.epoch for record in _records(cluster) if record.type == "LEADER_CHANGE"}
    found = [
        (file, number, match)
        for file in _files(cluster, where)
        for number, line in enumerate(_lines(file), start=1)
        if (match := re.search(pattern, line))
        and line[1:24] > begins
        and (all_decided or not re.search("Follower|Skipped|ISR updated|Deleting", line))
        and (code != "KR536" or int(re.findall(r"epoch=(\d+)", line)[0]) in epochs)  # else it was never committed
    ]
    if not found:
        return None
    file, number, match = dice.choice(found)
    lines = _lines(file)
    lines[number - 1] = change(match, dice)
    _write(file, lines)
    return file, number


def _records(cluster: Path) -> list[Record]:
    """The records of the metadata log, of whatever node."""
    (quorum,) = quorums(copies(found_in([str(cluster)])))
    return [record for each in joined(quorum, []) for record in each.records]


Logs = Mapping[Path, list[str]]
Put = tuple[Path, int, str]
"""A file, the number of a line from 1, and the line that is put there before what stood there; lines that are changed
are those that "change" has."""


def _matches(logs: Logs, pattern: str) -> Iterator[tuple[Path, int, re.Match[str]]]:
    for file, lines in logs.items():
        for number, line in enumerate(lines, start=1):
            if match := re.search(pattern, line):
                yield file, number, match


def _later(line: str, milliseconds: int = 1) -> str:
    """The line, written later."""
    at = datetime.strptime(line[1:24], "%Y-%m-%d %H:%M:%S,%f") + timedelta(milliseconds=milliseconds)
    return f"[{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03}{line[24:]}"


def an_epoch_that_falls(logs: Logs) -> Iterator[Put]:
    """The same state once more, in an epoch that is over."""
    for file, number, match in _matches(logs, r"Completed transition to .*?[ (,]epoch=(?P<e>\d+)"):
        if int(match["e"]) and "from null" not in match.string:  # with which a process begins
            yield file, number + 1, _later(_with(match, "e", str(int(match["e"]) - 1)))


def a_leader_without_election(logs: Logs) -> Iterator[Put]:
    for file, number, match in _matches(logs, r"Completed transition to Leader\(.* from (?P<f>Candidate)"):
        yield file, number, _with(match, "f", "Follower")


def a_second_vote(logs: Logs) -> Iterator[Put]:
    pattern = r"Vote request .*(?:candidateId|replicaId)=(?P<c>\d+).* is granted"
    for file, number, match in _matches(logs, pattern):
        if "preVote=true" not in match.string:
            yield file, number + 1, _later(_with(match, "c", str(int(match["c"]) + 1)))


def a_watermark_that_falls(logs: Logs) -> Iterator[Put]:
    for file, number, match in _matches(logs, r"High watermark set to .*?offset=(?P<o>\d+)"):
        if int(match["o"]):
            yield file, number + 1, _later(_with(match, "o", str(int(match["o"]) - 1)))


_FOLLOWS = r"Follower (?P<tp>\S+) starts at leader epoch (?P<le>\d+) .* partition epoch (?P<pe>\d+) "
_LEADS = r"Broker id=(?P<b>\d+)\] " + _LEADER + _ISR


def a_state_in_two_versions(logs: Logs) -> Iterator[Put]:
    """A leader whose leader epoch is not that of a follower with the same partition epoch."""
    followers = {(found["tp"], found["pe"], found["le"]) for _, _, found in _matches(logs, _FOLLOWS)}
    for file, number, match in _matches(logs, _LEADER):
        if (match["tp"], match["pe"], match["le"]) in followers:
            yield file, number, _with(match, "le", str(int(match["le"]) + 9))


def a_leader_epoch_of_two(logs: Logs) -> Iterator[Put]:
    """A broker leads in a leader epoch of another one, which had it before."""
    first: dict[str, re.Match[str]] = {}
    for file, number, match in _matches(logs, _LEADS):
        other = first.setdefault(match["tp"], match)
        if other["b"] != match["b"] and int(other["le"]) != int(match["le"]) and _topic(other) == _topic(match):
            yield file, number, _with(match, "le", other["le"])


def _topic(match: re.Match[str]) -> str:
    return re.findall(r"topic id Some\((\S+)\)", match.string)[0]


def a_partition_epoch_that_falls(logs: Logs) -> Iterator[Put]:
    for file, number, match in _matches(logs, _LEADER):
        if int(match["pe"]):
            yield file, number + 1, _later(_with(match, "pe", str(int(match["pe"]) - 1)))


def a_leader_outside_its_isr(logs: Logs) -> Iterator[Put]:
    for file, number, match in _matches(logs, _LEADS):
        rest = [each for each in match["isr"].split(",") if each != match["b"]]
        yield file, number, _with(match, "isr", ",".join(rest or ["9"]))


def a_leader_from_outside_the_isr_before(logs: Logs) -> Iterator[Put]:
    """The new leader, alone in its ISR, is gone from the ISR of the previous partition epoch, which one line shows.

    In lines of 3.3 to 3.5: later ones may be of 4.x, where KR545 is silent, since no broker prints who is eligible.
    """
    told: dict[tuple[str, str, int], list[tuple[Path, int, re.Match[str]]]] = {}
    for file, number, match in _matches(logs, _LEADS + r".*\. Previous leader epoch was"):
        told.setdefault((match["tp"], _topic(match), int(match["pe"])), []).append((file, number, match))
    for (name, topic, epoch), after in told.items():
        before = told.get((name, topic, epoch - 1), [])
        leaders = {match["b"] for _, _, match in after if match["isr"] == match["b"]}
        for file, number, match in before if len(before) == len(after) == len(leaders) == 1 else ():
            (leader,) = leaders
            rest = [each for each in match["isr"].split(",") if each != leader]
            if leader != match["b"] and leader in match["isr"].split(",") and "removing replicas []" in match.string:
                yield file, number, _with(match, "isr", ",".join(rest))


_COMPLETED = "completed the ongoing partition reassignment. (org.apache.kafka.controller.ReplicationControlManager)"


def a_reassignment_that_was_none(logs: Logs) -> Iterator[Put]:
    """A controller of 3.5 or later says that a reassignment is over beside a change of a partition that had none."""
    cluster = next(iter(logs)).parent.parent
    names: dict[str, str] = {}
    moving: dict[tuple[str, int], bool] = {}
    leader, changes = -1, []
    for record in _records(cluster):
        data = record.data or {}
        if record.type == "LEADER_CHANGE":
            leader = data["leaderId"]
        elif record.type == "TOPIC_RECORD":
            names[data["topicId"]] = data["name"]
        elif record.type in ("PARTITION_RECORD", "PARTITION_CHANGE_RECORD"):
            key = data["topicId"], data["partitionId"]
            lists = [data.get(name) for name in ("addingReplicas", "removingReplicas")]
            moving[key] = any(lists) or (lists != [[], []] and moving.get(key, False))
            changes.append((names.get(key[0]), key[1], record.timestamp, leader, moving[key]))
    for name, number, time, leader, moves in changes:
        alone = sum(abs(time - ts) <= 5_000 for other, n, ts, _, _ in changes if (other, n) == (name, number)) == 1
        file = cluster / f"node-{leader}" / "controller.log"
        for log in logs if alone and name and not moves else ():
            if log.parent == file.parent and any("[QuorumController id=" in line for line in logs[log]):
                at = datetime.fromtimestamp(time / 1000, timezone.utc)
                when = f"[{at:%Y-%m-%d %H:%M:%S},{time % 1000:03}]"
                later = (n for n, line in enumerate(logs[log], start=1) if line.startswith("[") and line[:25] > when)
                said = f"AlterPartition request from node 1 for {name}-{number} {_COMPLETED}"
                line = f"{when} INFO [QuorumController id={leader}] {said}"
                yield log, next(later, len(logs[log]) + 1), line


def an_unclean_change(logs: Logs) -> Iterator[Put]:
    """A controller prints an unclean election in a partition that it has just created."""
    pattern = (
        r"^(?P<head>.*Controller\S* (?:id=)?\d+\] )(?:Created partition|Replayed PartitionRecord for new partition) "
        r"(?P<tp>\S+) with topic ID (?P<id>\S+) .* isr=\[(?P<isr>\d+)"
    )
    for file, number, match in _matches(logs, pattern):
        change = f"isr: [{match['isr']}] -> [9], leader: -1 -> 9, leaderEpoch: 0 -> 1, partitionEpoch: 0 -> 1"
        said = f"{match['head']}UNCLEAN partition change for {match['tp']} with topic ID {match['id']}: {change}"
        yield file, number + 1, _later(f"{said} (org.apache.kafka.controller.ReplicationControlManager)")


def _removed(logs: Logs) -> set[str]:
    """The ids of topics that the metadata log beside the lines removes."""
    cluster = next(iter(logs)).parent.parent
    return {
        (record.data or {})["topicId"]
        for path in cluster.glob("node-*/metadata/*.log")
        for batch in Batches(str(path))
        for record in batch.records
        if record.type == "REMOVE_TOPIC_RECORD"
    }


def _replicas_at_the_end(logs: Logs) -> Mapping[tuple[str, str], list[int]]:
    """Return the topics by id and partition; nothing if the log does not show all topics that ever existed, because it
    begins later, or with a migration."""
    records = _records(next(iter(logs)).parent.parent)
    if records[0].offset or any((each.data or {}).get("zkMigrationState") for each in records):
        return {}
    found: dict[tuple[str, str], list[int]] = {}
    for each in records:
        data = each.data or {}
        if each.type in ("PARTITION_RECORD", "PARTITION_CHANGE_RECORD") and data.get("replicas") is not None:
            found[data["topicId"], str(data["partitionId"])] = data["replicas"]
    return found


def a_stray_that_is_a_replica(logs: Logs) -> Iterator[Put]:
    """At the end of what a broker writes; a topic that is removed leaves strays, and so does a replica that moves."""
    removed, replicas = _removed(logs), _replicas_at_the_end(logs)
    for file, _, match in _matches(logs, _LEADER):
        node = int(file.parent.name.removeprefix("node-"))
        if node not in replicas.get((_topic(match), match["tp"].rpartition("-")[2]), ()):
            continue
        server = next(
            (each for each in logs if each.parent == file.parent and each.name.startswith("server.log")), None
        )
        if server is not None and _topic(match) not in removed:
            last = next(line for line in reversed(logs[server]) if line.startswith("["))
            if _later(match.string, 20_000)[1:24] > last[1:24]:
                continue  # the log may not have come so far
            name = f"/d1/{match['tp']}"
            said = f"Log in {name} marked stray and renamed to {name}.0123456789abcdef0123456789abcdef-stray"
            yield server, len(logs[server]) + 1, _later(f"{last[:25]} WARN {said} (kafka.log.LogManager)")


def a_line_on_a_deleted_topic(logs: Logs) -> Iterator[Put]:
    """At the end of a broker's file, on a topic that the metadata log has removed long before."""
    removed = _removed(logs)
    for file, _, match in _matches(logs, _LEADER):
        if _topic(match) in removed:
            last = next(line for line in reversed(logs[file]) if line.startswith("["))
            yield file, len(logs[file]) + 1, _later(last[:25] + match.string[25:], 5_000)


ADDED: Mapping[str, tuple[str, str, bool, Callable[[Logs], Iterator[Put]]]] = {
    each.__name__.replace("_", " "): (code, where, beside, each)
    for code, where, beside, each in (
        ("KR531", "server.log", True, an_epoch_that_falls),
        ("KR532", "server.log", True, a_leader_without_election),
        ("KR534", "server.log", True, a_second_vote),
        ("KR535", "server.log", True, a_watermark_that_falls),
        ("KR541", "state-change.log", False, a_state_in_two_versions),
        ("KR542", "state-change.log", False, a_leader_epoch_of_two),
        ("KR543", "state-change.log", True, a_partition_epoch_that_falls),
        ("KR544", "state-change.log", False, a_leader_outside_its_isr),
        ("KR545", "state-change.log", False, a_leader_from_outside_the_isr_before),
        ("KR546", "controller.log", True, an_unclean_change),
        ("KR548", "controller.log", True, a_reassignment_that_was_none),
        ("KR549", "state-change.log", True, a_line_on_a_deleted_topic),
        ("KR550", "s", True, a_stray_that_is_a_replica),
    )
}
"""The rule, the file, whether the metadata log is beside it, and what may be planted."""
CHANGED = {
    *(a_leader_without_election, a_state_in_two_versions, a_leader_epoch_of_two, a_leader_outside_its_isr),
    a_leader_from_outside_the_isr_before,
}
"""Faults that are in a line that was there; the others are in a line more."""


def put(name: str, cluster: Path, dice: random.Random) -> tuple[Path, int] | None:
    """Plant a fault of ADDED; its place, None where there is no room for it."""
    _, where, beside, fault = ADDED[name]
    logs = {file: _lines(file) for file in _files(cluster, where) if ".log" in file.name}
    found = list(fault(logs)) if logs else []
    if not found:
        return None
    file, number, line = dice.choice(found)
    lines = logs[file]
    lines[number - 1 : number - 1 + (fault in CHANGED)] = [line]
    _write(file, lines)
    for folder in cluster.glob("node-*/metadata") if not beside else ():
        shutil.rmtree(folder)
    return file, number


def tried(name: str, seed: int, folder: Path, recordings: list[Path]) -> tuple[int, int]:
    """Return the number of planted faults of a kind, one in each recording, and the number found at their line."""
    count = right = 0
    for recording in recordings:
        cluster = folder / f"{recording.name}-{seed}"
        shutil.copytree(recording, cluster, ignore=shutil.ignore_patterns("*.xz"))
        dice = random.Random(f"{name} {recording.name} {seed}")
        at = planted(name, cluster, dice) if name in FAULTS else put(name, cluster, dice)
        code = (FAULTS if name in FAULTS else ADDED)[name][0]
        if at is not None:
            (report,) = audit([str(cluster)], Options(engine="python"))
            places = [each.place for each in report.findings if each.rule == code]
            places += [shown.place for each in report.findings if each.rule == code for shown in each.evidence]
            count += 1
            right += (str(at[0]), at[1]) in {(str(each.file), each.line) for each in places}
        shutil.rmtree(cluster)
    return count, right


@pytest.mark.full(every=10)
@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found_at_its_line(name: str, tmp_path: Path) -> None:
    recordings = [RECORDED / "chaos-4.2.0"] if "UNCLEAN" in FAULTS[name][2] else [RECORDED / "chaos-3.5.2"]
    count, right = tried(name, 0, tmp_path, recordings)
    assert (count, right) == (1, 1)


@pytest.mark.full(every=8)
@pytest.mark.parametrize("name", ADDED)
def test_a_fault_that_is_put_there_is_found_at_its_line(name: str, tmp_path: Path) -> None:
    recordings = [RECORDED / ("chaos-4.2.0" if ADDED[name][0] == "KR550" else "chaos-3.5.2")]
    count, right = tried(name, 0, tmp_path, recordings)
    assert (count, right) == (1, 1)


@pytest.mark.slow
def test_nearly_all_faults_are_found(tmp_path: Path) -> None:
    """Some lines are not compared: a proposal that may have been taken back, lines after the end of the log, and lines
    that a broker writes in the mode of ZooKeeper, which the rules of that mode find."""
    recordings = sorted(path for path in RECORDED.iterdir() if path.is_dir())
    table = {}
    for name in (*FAULTS, *ADDED):
        counted = [tried(name, seed, tmp_path, recordings) for seed in range(3)]
        table[name] = (sum(n for n, _ in counted), sum(n for _, n in counted))
        print(f"{name}: {table[name][1]} of {table[name][0]}")
    planted_in_all, found = (sum(each[n] for each in table.values()) for n in (0, 1))
    assert found >= 0.95 * planted_in_all
