"""Each guard of the model `kraft` that a metadata log can show forbids some record, and is named for it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.cli import main
from isrproof.checker.conformance.metadata.contexts import Choices
from isrproof.checker.conformance.metadata.validate import MetadataValidation, validate
from isrproof.checker.explore.run import explore
from isrproof.model.kraft.kraft import KRAFT

from tests.metadata_folders import TOPIC, elected, put

Record = tuple[str, Mapping[str, Any]]
Batch = Sequence[Record]
_EPOCH = 5
"""The broker epoch of the first broker; they register one after the other."""


def change(**data: Any) -> Record:
    return "PARTITION_CHANGE_RECORD", {"topicId": TOPIC, **data}


def broker(id: int, **data: Any) -> Record:
    return "BROKER_REGISTRATION_CHANGE_RECORD", {"brokerId": id, "brokerEpoch": _EPOCH + id - 1, **data}


def fence(id: int) -> Record:
    return broker(id, fenced=1)


def unfence(id: int) -> Record:
    return broker(id, fenced=-1)


def leaves(id: int) -> Record:
    return broker(id, inControlledShutdown=1)


def unregister(id: int) -> Record:
    return "UNREGISTER_BROKER_RECORD", {"brokerId": id, "brokerEpoch": _EPOCH + id - 1}


def register(id: int) -> Record:
    features = [{"name": "metadata.version", "minSupportedVersion": 1, "maxSupportedVersion": 21}]
    data = {"brokerId": id, "brokerEpoch": _EPOCH + id - 1, "incarnationId": f"another{id}AAAAAAAAAAAAAA"}
    return "REGISTER_BROKER_RECORD", {**data, "fenced": True, "features": features}


def configured(name: str, value: str) -> Record:
    return "CONFIG_RECORD", {"resourceType": 2, "resourceName": "orders", "name": name, "value": value}


UNCLEAN = [configured("unclean.leader.election.enable", "true")]


def created(**data: Any) -> Record:
    return "PARTITION_RECORD", {"topicId": TOPIC, **data}


USUAL = created(replicas=[1, 2, 3], isr=[1, 2, 3], leader=1)


def log(*batches: Batch, level: int = 21, elr: bool = False, topic: Record = USUAL) -> list[str]:
    """Brokers 1 to 4, unfenced; the topic orders, and what comes then. Level 21 is 3.9-IV0, 27 is 4.1-IV1."""
    features = [("metadata.version", level), *([("eligible.leader.replicas.version", 1)] if elr else [])]
    leader = {"leaderId": 1, "voters": [{"voterId": 1}], "grantingVoters": [{"voterId": 1}]}
    supported = [{"name": "metadata.version", "minSupportedVersion": 1, "maxSupportedVersion": level}]
    lines: list[str] = []

    def add(batch: Batch, **more: Any) -> None:
        first = len(lines)
        for kind, data in batch:
            lines.append(json.dumps({"offset": len(lines), "batch": first, "type": kind, "data": data, **more}))

    add([("LEADER_CHANGE", leader)], epoch=1, version=0)
    add([("FEATURE_LEVEL_RECORD", {"name": name, "featureLevel": number}) for name, number in features])
    add([("REGISTER_CONTROLLER_RECORD", {"controllerId": 1, "features": supported})])
    cluster = {"resourceType": 4, "resourceName": "", "name": "min.insync.replicas", "value": "2"}
    add([("CONFIG_RECORD", cluster)] * (_EPOCH - len(lines)))
    for id in range(1, 5):
        add([register(id)])
    for id in range(1, 5):
        add([unfence(id)])
    add([("TOPIC_RECORD", {"name": "orders", "topicId": TOPIC}), topic])
    for batch in batches:
        add(batch)
    return lines


def verdict(folder: Path, *batches: Batch, chosen: Choices = Choices(), **more: Any) -> MetadataValidation:  # noqa: B008
    put(folder, 1, log(*batches, **more))
    return validate([str(folder)], chosen)


def without(*ids: int) -> list[int]:
    return [each for each in (1, 2, 3) if each not in ids]


def out(*ids: int) -> list[Batch]:
    """Followers that are fenced, one after the other."""
    return [[change(isr=without(*ids[: at + 1])), fence(id)] for at, id in enumerate(ids)]


RECOVERING = {"leaderRecoveryState": 1}
ALONE: list[Batch] = [UNCLEAN, *out(2, 3)]
LEADERLESS: list[Batch] = [*out(2, 3), [change(leader=-1), fence(1)]]
GONE = [change(isr=[], leader=-1, eligibleLeaderReplicas=[1, 2], lastKnownElr=[1]), fence(1)]
NOBODY_KNOWN: list[Batch] = [
    [change(isr=[1, 2]), fence(3)],
    [change(isr=[1], eligibleLeaderReplicas=[2]), fence(2)],
    GONE,
    [change(eligibleLeaderReplicas=[1]), register(2)],
    [change(eligibleLeaderReplicas=[]), register(1)],
]
"""With eligible leader replicas on: everybody has stopped uncleanly, broker 1 last."""

LEGAL: Mapping[str, tuple[list[Batch], dict[str, Any]]] = {
    "the ISR shrinks": ([[change(isr=[1, 2])]], {}),
    "the ISR shrinks at an old level": ([[change(isr=[1, 2], leader=1)]], {"level": 11}),
    "followers are fenced": (out(2, 3), {}),
    "a leader is fenced": ([[change(isr=[2, 3], leader=2), fence(1)]], {}),
    "a leader shuts down": ([[leaves(1), change(isr=[2, 3], leader=2)], [fence(1)]], {}),
    "the last one goes and comes back": ([*LEADERLESS, [unfence(1), change(leader=1)]], {}),
    "an unclean election": ([*ALONE, [unfence(2)], [change(isr=[2], leader=2, **RECOVERING), fence(1)]], {}),
    "it recovers": (
        [
            *ALONE,
            [unfence(2)],
            [change(isr=[2], leader=2, **RECOVERING), fence(1)],
            [change(leaderRecoveryState=0)],
        ],
        {},
    ),
    "an administrator elects uncleanly": (
        [*LEADERLESS, [unfence(3)], [change(isr=[3], leader=3, **RECOVERING)]],
        {"level": 20},
    ),
    "the preferred replica leads again": (
        [[change(isr=[2, 3], leader=2), fence(1)], [unfence(1)], [change(isr=[2, 3, 1])], [change(leader=1)]],
        {},
    ),
    "a broker is unregistered": ([[change(isr=[1, 2]), unregister(3)]], {}),
    "a reassignment": (
        [
            [change(replicas=[4, 1, 2, 3], addingReplicas=[4], removingReplicas=[3])],
            [change(isr=[1, 2, 4], replicas=[4, 1, 2], addingReplicas=[], removingReplicas=[], leader=1)],
        ],
        {},
    ),
    "a reassignment is taken back": (
        [
            [change(replicas=[4, 1, 2, 3], addingReplicas=[4])],
            [change(replicas=[1, 2, 3], addingReplicas=[], leader=1)],
        ],
        {},
    ),
    "a reassignment is replaced by another one": (
        [
            *out(3),
            [change(replicas=[1, 2, 4, 3], addingReplicas=[4], removingReplicas=[3])],
            [change(replicas=[1, 2, 3, 4], removingReplicas=[4])],
        ],
        {},
    ),
    "a reassignment is replaced by one that names who was to go": (
        [
            *out(2),
            [change(removingReplicas=[3])],
            [change(replicas=[3, 1, 2, 4], addingReplicas=[4])],
        ],
        {},
    ),
    "a reassignment is replaced by one that ends at once, and the old list is kept": (
        [
            *out(3),
            [change(replicas=[1, 2, 4, 3], addingReplicas=[4], removingReplicas=[3])],
            [change(replicas=[3, 2, 4, 1])],
        ],
        {},
    ),
    "a reassignment that adds a replica ends without one that is dead, since 4.3": (
        [*out(2), [change(replicas=[1, 2, 3, 4], addingReplicas=[4])], [change(isr=[1, 3, 4], addingReplicas=[])]],
        {"level": 30},
    ),
    "replicas in another order": ([[change(replicas=[3, 2, 1])]], {}),
    "an eligible replica leads": (
        [*NOBODY_KNOWN[:3], [unfence(2), change(isr=[2], leader=2, eligibleLeaderReplicas=[1], lastKnownElr=[])]],
        {"level": 27, "elr": True},
    ),
    "the last known leader leads": (
        [*NOBODY_KNOWN, [unfence(1), change(isr=[1], leader=1, lastKnownElr=[], **RECOVERING)]],
        {"level": 27, "elr": True},
    ),
    "one change told twice": (
        [*NOBODY_KNOWN[:3], [change(eligibleLeaderReplicas=[1]), change(eligibleLeaderReplicas=[1]), register(2)]],
        {"level": 27, "elr": True},
    ),
    "a fenced broker is fenced again: its session ends once more, or it asks to stop": ([*out(3), [fence(3)]], {}),
    "a broker whose session ended while it was about to stop is fenced again": (
        [[leaves(3), change(isr=[1, 2])], [fence(3)], [fence(3)]],
        {},
    ),
}


@pytest.mark.parametrize("name", LEGAL)
def test_what_the_controller_does_is_accepted(name: str, tmp_path: Path) -> None:
    batches, more = LEGAL[name]
    found = verdict(tmp_path, *batches, **more)
    assert (found.verdict, found.reason) == ("accepted", "")


# What is forbidden, and the guard or the field that says so.
FORBIDDEN: list[tuple[str, list[Batch], dict[str, Any]]] = [
    ("AlterPartition: all members are active", [*out(3), [change(isr=[1, 2, 3])]], {}),
    ("AlterPartition: the leader is in the ISR", [[change(isr=[2, 3])]], {}),
    ("AlterPartition: the ISR is within the replicas", [[change(isr=[1, 2, 3, 4])]], {}),
    ("AlterPartition: a leader recovers only once", [[change(isr=[1])], [change(**RECOVERING)]], {}),
    (
        "AlterPartition: a leader that has not recovered is alone",
        [*ALONE, [unfence(2)], [change(isr=[2], leader=2, **RECOVERING), fence(1)], [unfence(3)], [change(isr=[2, 3])]],
        {},
    ),
    ("Fence: a leader that can go on is kept", [[change(isr=[1, 2], leader=2), fence(3)]], {}),
    ("Fence: a leader that cannot go on is not kept", [[change(isr=[2, 3]), fence(1)]], {}),
    ("Fence: a partition has no leader only if no replica can lead", [[change(isr=[2, 3], leader=-1), fence(1)]], {}),
    ("Fence: the first replica that can lead is elected", [[change(isr=[2, 3], leader=3), fence(1)]], {}),
    ("Fence: the elected replica is active", [*ALONE, [change(isr=[3], leader=3, **RECOVERING), fence(1)]], {}),
    (
        "Fence: the elected replica is in the ISR, or else eligible, the last known leader, or unclean",
        [
            [configured("unclean.leader.election.enable", "false")],
            [change(isr=[1])],
            [change(isr=[2], leader=2, **RECOVERING), fence(1)],
        ],
        {},
    ),
    (
        "Fence: an election is unclean only if no other replica can lead",
        [UNCLEAN, [change(isr=[1, 2])], [change(isr=[3], leader=3, **RECOVERING), fence(1)]],
        {},
    ),
    (
        "Fence: the first replica that can lead uncleanly is elected",
        [UNCLEAN, [change(isr=[1])], [change(isr=[3], leader=3, **RECOVERING), fence(1)]],
        {},
    ),
    (
        "Unfence: the last known leader precedes any other unclean one",
        [
            [configured("unclean.leader.election.enable", "false")],
            [change(isr=[2, 3], leader=2), fence(1)],
            [change(isr=[2], eligibleLeaderReplicas=[3]), fence(3)],
            [change(isr=[], leader=-1, eligibleLeaderReplicas=[2, 3], lastKnownElr=[2]), fence(2)],
            [change(eligibleLeaderReplicas=[2]), register(3)],
            [change(eligibleLeaderReplicas=[]), register(2)],
            *([unfence(1)], UNCLEAN),
            [unfence(2), change(isr=[1], leader=1, lastKnownElr=[], **RECOVERING)],
        ],
        {"level": 27, "elr": True},
    ),
    ("Unfence: it is fenced", [[unfence(1)]], {}),
    ("ShutDown: it is unfenced", [*out(3), [leaves(3)]], {}),
    ("CreateTopic: the leader is active", [], {"topic": created(replicas=[1, 2], isr=[1, 2], leader=3)}),
    ("CreateTopic: the first active replica leads", [], {"topic": created(replicas=[1, 2], isr=[1, 2], leader=2)}),
    (
        "Reassign: a reassignment ends when all replicas that stay are in the ISR",
        [[change(isr=[1, 2])], [change(replicas=[1, 3], isr=[1], leader=1)]],
        {},
    ),
    (
        "AlterPartition: a reassignment ends when all replicas that stay are in the ISR",
        [*out(2), [change(replicas=[1, 2, 3, 4], addingReplicas=[4])], [change(isr=[1, 3, 4], addingReplicas=[])]],
        {"level": 29},
    ),
    (
        "Reassign: a reassignment ends when all replicas that it adds are in the ISR, "
        "or all that stay if it removes more",
        [[change(isr=[1, 2])], [change(replicas=[1, 3], isr=[1], leader=1)]],
        {"level": 30},
    ),
    (
        "Reassign: a reassignment ends as soon as it can",
        [[change(replicas=[1, 2, 3], removingReplicas=[3])]],
        {},
    ),
    (
        "Cancel: another replica is in the ISR, or leaders may be unclean",
        [
            [configured("unclean.leader.election.enable", "false")],
            [change(replicas=[4, 1, 2, 3], addingReplicas=[4])],
            [change(isr=[1, 4])],
            [change(isr=[4], leader=4), fence(1)],
            [change(replicas=[1, 2, 3], addingReplicas=[], isr=[1], leader=-1)],
        ],
        {},
    ),
    ("Unfence: a partition has no leader only if no replica can lead", [*LEADERLESS, [unfence(1)]], {}),
    ("Fence: isr would be [1, 2], not [1, 2, 3]", [[fence(3)]], {}),
    ("AlterPartition: leader epoch would be 0, not 1", [[change(isr=[1, 2], leader=1)]], {}),
    ("AlterPartition: leader epoch would be 1, not 0", [[change(isr=[1, 2])]], {"level": 11}),
    ("AlterPartition: elr would be [2, 3], not []", [[change(isr=[1])]], {"level": 27, "elr": True}),
]


@pytest.mark.full(every=4)
@pytest.mark.parametrize(("guard", "batches", "more"), FORBIDDEN, ids=[each[0] for each in FORBIDDEN])
def test_what_it_does_not_do_is_rejected(
    guard: str, batches: list[Batch], more: dict[str, Any], tmp_path: Path
) -> None:
    found = verdict(tmp_path, *batches, **more)
    assert (found.verdict, found.guard) == ("rejected", guard), found.reason
    assert found.place is not None
    assert found.place.file.endswith("00000000000000000000.log")


def grown(replicas: Sequence[int]) -> list[Batch]:
    """One of two replicas dies, and the partition is reassigned to three, of which that one is not in the ISR."""
    added = [each for each in replicas if each > 2]
    isr = [1, *added]
    return [
        [change(isr=[1]), fence(2)],
        [change(replicas=replicas, addingReplicas=added)],
        [change(isr=isr, addingReplicas=[])],
    ]


@pytest.mark.parametrize("level", [29, 30, 33])
def test_a_dead_replica_blocks_no_reassignment_since_4_3(level: int, tmp_path: Path) -> None:
    """KAFKA-19975: the audit and the model ask for the same."""
    put(tmp_path, 1, log(*grown([1, 2, 3]), level=level, topic=created(replicas=[1, 2], isr=[1, 2], leader=1)))
    (report,) = audit([str(tmp_path)], Options(engine="python"))
    illegal = [(each.rule, each.known_issue) for each in report.findings if each.verdict == "illegal"]
    ended = validate([str(tmp_path)])
    if level == 29:
        assert illegal == [("KR525", None)]
        assert (ended.verdict, ended.release) == ("rejected", "4.2")
        assert ended.guard == "AlterPartition: a reassignment ends when all replicas that stay are in the ISR"
    else:
        assert (illegal, ended.verdict) == ([], "accepted")


@pytest.mark.parametrize(("replicas", "isr", "verdict"), [([1, 2, 3], [1, 3], "accepted"), ([1, 3], [1], "rejected")])
def test_where_the_release_is_not_known_no_more_is_asked_than_by_any(
    replicas: list[int], isr: list[int], verdict: str, tmp_path: Path
) -> None:
    """The leader has registered nothing: at 3.9-IV0 it may be of 3.9, and of 4.3. None lets the second one end."""
    added = [each for each in replicas if each > 2]
    going = [each for each in (1, 2) if each not in replicas]
    begins = change(replicas=[*replicas, *going], addingReplicas=added, removingReplicas=going)
    ends = change(
        replicas=replicas, isr=isr, addingReplicas=[], removingReplicas=[], **({"leader": 1} if going else {})
    )
    topic = created(replicas=[1, 2], isr=[1, 2], leader=1)
    lines = log([change(isr=[1]), fence(2)], [begins], [ends], topic=topic)
    unknown = [line.replace('"leaderId": 1', '"leaderId": 9') for line in lines]
    put(tmp_path, 1, unknown)
    (report,) = audit([str(tmp_path)], Options(engine="python"))
    illegal = [each.rule for each in report.findings if each.rule == "KR525" and each.verdict == "illegal"]
    found = validate([str(tmp_path)])
    assert (found.verdict, bool(illegal)) == (verdict, verdict == "rejected")
    assert found.release.startswith(">=3.9")


@pytest.mark.full
def test_each_guard_forbids_something_by_itself() -> None:
    """A guard forbids a record above; or it alone forbids steps of an instance, so that expected.toml has another count
    without it; or it is waived, as others forbid the same."""
    forbidding = {guard.partition(": ")[2] for guard, _, _ in FORBIDDEN}
    clauses: dict[str, str] = {}
    for release, without, parts, settings in INSTANCES:
        model = KRAFT.model(release, without, parts)
        clauses |= {_plain(clause.label): clause.waiver for each in model.actions for clause in each.guard}
        for taken in explore(model, [], coverage=True, **settings).coverage:
            forbidding |= {_plain(label) for label, count in (taken.alone or {}).items() if count}
    assert {label for label, waiver in clauses.items() if not waiver} <= forbidding
    assert len(forbidding & set(clauses)) > 40


INSTANCES: list[tuple[str, list[str], list[str], dict[str, int]]] = [
    ("3.9", ["KIP-858"], ["reassignment"], {"brokers": 3, "replicas": 2, "max_partition_epoch": 1}),
    ("3.4", [], ["unclean elections"], {"brokers": 2, "replicas": 2, "max_partition_epoch": 3}),
    ("4.2", [], ["unclean leaders"], {"brokers": 2, "replicas": 2, "max_partition_epoch": 3}),
    ("4.3", ["KIP-858"], ["reassignment"], {"brokers": 3, "replicas": 2, "max_partition_epoch": 1}),
]


def _plain(label: str) -> str:
    return label.removeprefix("un").removeprefix("clean: ") if "clean: " in label else label


def run(*arguments: str) -> tuple[int, dict[str, Any]]:
    ran = CliRunner().invoke(main, ["validate", "kraft", *arguments, "--json"])
    return ran.exit_code, json.loads(ran.output)


def test_the_command_tells_the_verdict_as_json(tmp_path: Path) -> None:
    put(tmp_path, 1, log([change(isr=[1, 2])]))
    code, told = run(str(tmp_path))
    assert (code, told["verdict"], told["line"], told["guard"]) == (0, "accepted", None, None)
    assert (told["level"], told["release"], told["matched"], told["compared"]) == ("3.9-IV0", "3.9", 10, 10)
    put(tmp_path, 1, log([change(isr=[1, 2], leader=2)]))
    code, told = run(str(tmp_path))
    assert (code, told["verdict"], told["line"]["offset"]) == (1, "rejected", 15)
    assert told["line"]["file"].endswith("node-1/__cluster_metadata-0/00000000000000000000.log")
    assert told["guard"] == "AlterPartition: a leader that can go on is kept"
    assert told["reason"].startswith("orders-0: ")


def test_what_is_not_committed_is_not_compared(tmp_path: Path) -> None:
    lines = log([change(isr=[1, 2], leader=2)])
    first = json.loads(lines[0])
    voters = [{"voterId": each} for each in (1, 2, 3)]
    first["data"] |= {"voters": voters, "grantingVoters": voters}
    put(tmp_path, 1, [json.dumps(first), *lines[1:]])
    code, told = run(str(tmp_path))
    assert (code, told["verdict"], told["compared"], told["not_compared"]) == (3, "unknown", 0, len(lines))
    assert told["reason"] == "no committed record changes a broker or a partition"


@pytest.mark.full
def test_any_number_of_brokers_and_replicas(tmp_path: Path) -> None:
    """Nine brokers, of which seven have the partition; the first three go."""
    more = [[register(id)] for id in range(5, 10)] + [[unfence(id)] for id in range(5, 10)]
    seven = [9, 8, 7, 6, 5, 4, 3]
    topic = ("TOPIC_RECORD", {"name": "wide", "topicId": "wideAAAAAAAAAAAAAAAAAA"})
    made = created(replicas=seven, isr=seven, leader=9)
    wide = (made[0], {**made[1], "topicId": topic[1]["topicId"]})

    def now(**data: Any) -> Record:
        return "PARTITION_CHANGE_RECORD", {"topicId": topic[1]["topicId"], **data}

    goes = [
        [now(isr=[8, 7, 6, 5, 4, 3], leader=8), fence(9)],
        [now(isr=[7, 6, 5, 4, 3], leader=7), fence(8)],
    ]
    assert verdict(tmp_path, *more, [topic, wide], *goes).verdict == "accepted"
    wrong = verdict(tmp_path, *more, [topic, wide], *goes, [now(isr=[6, 5, 4, 3], leader=3), fence(7)])
    assert (wrong.verdict, wrong.guard) == ("rejected", "Fence: the first replica that can lead is elected")


def test_a_history_that_begins_at_a_snapshot(tmp_path: Path) -> None:
    """The snapshot's content is the state, however it came about."""
    lines = log([change(isr=[1, 2])], [change(isr=[2], leader=2)])
    end = len(lines) - 1
    rows = [json.loads(line) for line in lines]
    of_state = [row for row in rows[1:end] if row["type"] not in ("PARTITION_CHANGE_RECORD", "PARTITION_RECORD")]
    partition = {**USUAL[1], "isr": [1, 2], "partitionEpoch": 1}
    head = [("SNAPSHOT_HEADER", {}), *((row["type"], row["data"]) for row in of_state), (USUAL[0], partition)]
    tail = [*head, ("SNAPSHOT_FOOTER", {})]
    snapshot = [
        json.dumps({"offset": at, "epoch": 1, "type": kind, "data": data, **({"version": 0} if "SNAP" in kind else {})})
        for at, (kind, data) in enumerate(tail)
    ]
    put(tmp_path, 1, snapshot, f"{end:020d}-0000000001.checkpoint")
    last = {**rows[-1], "epoch": 1}
    later = elected(end + 1, 2, 1, voters=(1,))
    put(tmp_path, 1, [json.dumps(last), later], f"{end:020d}.log")
    found = validate([str(tmp_path)])
    assert (found.verdict, found.compared) == ("rejected", 1)
    assert found.guard == "AlterPartition: the leader is in the ISR"


def test_a_snapshot_alone_is_no_path(tmp_path: Path) -> None:
    """It is said that nothing was compared, at which level the snapshot is, and what to add."""
    rows = [json.loads(line) for line in log()[1:] if "CHANGE" not in line]
    told = [(row["type"], row["data"]) for row in rows]
    lines = [
        json.dumps({"offset": at, "epoch": 1, "type": kind, "data": data, **({"version": 0} if "SNAP" in kind else {})})
        for at, (kind, data) in enumerate([("SNAPSHOT_HEADER", {}), *told, ("SNAPSHOT_FOOTER", {})])
    ]
    put(tmp_path, 1, lines, f"{40:020d}-0000000001.checkpoint")
    found = validate([str(tmp_path)])
    assert (found.verdict, found.compared, found.level) == ("unknown", 0, "3.9-IV0")
    assert "no segment has records" in found.reason
    ran = CliRunner().invoke(main, ["validate", "kraft", str(tmp_path)])
    assert ran.exit_code == 3
    assert "accepted" not in ran.output


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    """A log that begins late is accepted for what is there, and the rest is named."""
    lines = log([change(isr=[1, 2])])
    put(tmp_path, 1, lines[-1:], f"{len(lines) - 1:020d}.log")
    (note, *_) = validate([str(tmp_path)]).notes
    assert "no snapshot shows the state before that" in note


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--level", "INFO"], "--level applies to text logs"),
        (["--without", "KAFKA-1952"], "did you mean 'KAFKA-19522'"),
        (["--release", "2.3"], "has no row for Kafka 2.3"),
    ],
)
def test_misuse_gets_one_message(arguments: list[str], told: str, tmp_path: Path) -> None:
    put(tmp_path, 1, log())
    ran = CliRunner().invoke(main, ["validate", "kraft", str(tmp_path), *arguments])
    assert ran.exit_code == 2
    assert told in ran.output


def test_logs_of_two_clusters_are_not_one(tmp_path: Path) -> None:
    put(tmp_path / "a", 1, log(), cluster="one")
    put(tmp_path / "b", 1, log(), cluster="other")
    ran = CliRunner().invoke(main, ["validate", "kraft", str(tmp_path)])
    assert (ran.exit_code, "the metadata log of one cluster, got the logs of 2 clusters" in ran.output) == (2, True)
