"""The metadata quorum: times with and without a leader, and why; held against the records of recordings."""

from __future__ import annotations

from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.findings.happened import Happened

RECORDED = Path(__file__).parents[4] / "traces" / "recorded-kraft"
RAFT, CONTROLLER = "org.apache.kafka.raft.QuorumState", "org.apache.kafka.controller.QuorumController"
CLIENT = "org.apache.kafka.raft.KafkaRaftClient"


def line(time: str, text: str, logger: str = RAFT, level: str = "INFO") -> str:
    return f"[2025-03-04 {time}] {level} {text} ({logger})"


def unattached(time: str, node: int, epoch: int, before: str = "null") -> str:
    state = f"Unattached(epoch={epoch}, voters=[7, 8, 9], electionTimeoutMs=1598)"
    return line(time, f"[RaftManager id={node}] Completed transition to {state} from {before}")


def follower(time: str, node: int, epoch: int, leader: int, before: str) -> str:
    state = (
        f"FollowerState(fetchTimeoutMs=2000, epoch={epoch}, leaderId={leader}, voters=[7, 8, 9], "
        "highWatermark=Optional.empty, fetchingSnapshot=Optional.empty)"
    )
    return line(time, f"[RaftManager id={node}] Completed transition to {state} from {before}")


def was_follower(epoch: int, leader: int) -> str:
    return f"FollowerState(fetchTimeoutMs=2000, epoch={epoch}, leaderId={leader}, voters=[7, 8, 9], highWatermark=x)"


def was_unattached(epoch: int) -> str:
    return f"Unattached(epoch={epoch}, voters=[7, 8, 9], electionTimeoutMs=1598)"


WAS_LEADER = (
    "Leader(localId=7, epoch=30, epochStartOffset=5000, highWatermark=Optional[LogOffsetMetadata(offset=6204, "
    "metadata=Optional.empty)], voterStates={7=ReplicaState(nodeId=7, endOffset=Optional["
    "LogOffsetMetadata(offset=6207, metadata=Optional.empty)], lastFetchTimestamp=-1), "
    "8=ReplicaState(nodeId=8, endOffset=Optional[LogOffsetMetadata(offset=6204, metadata=Optional.empty)], "
    "lastFetchTimestamp=1)})"
)


def happened(folder: Path, *files: list[str]) -> list[Happened]:
    for number, lines in enumerate(files):
        home = folder / f"node-{number}"
        home.mkdir(parents=True, exist_ok=True)
        (home / "server.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [*audit([str(folder)])[0].happened]


def of(entries: list[Happened], what: str) -> list[Happened]:
    return [each for each in entries if each.what == what]


def at(entry: Happened) -> tuple[str | None, str | None]:
    return clock(entry.since), clock(entry.until)


def clock(ts: int | None) -> str | None:
    if ts is None:
        return None
    seconds, ms = divmod(ts % 86_400_000, 1000)
    return f"{seconds // 3600:02}:{seconds % 3600 // 60:02}:{seconds % 60:02},{ms:03}"


def test_the_state_before_names_a_leader_that_no_line_shows(tmp_path: Path) -> None:
    found = happened(
        tmp_path,
        [
            unattached("09:00:19,103", 7, 31, WAS_LEADER),
            unattached("09:00:20,618", 7, 32, was_unattached(31)),
            unattached("09:00:22,053", 7, 33, was_unattached(32)),
        ],
    )
    (without,) = of(found, "quorum-without-leader")
    assert (at(without), without.trouble, without.lasts) == (("09:00:19,103", None), True, True)
    assert without.reason == "node 7 led epoch 30 (offset 6204 committed, 6207 written); no leader in epochs 31 to 33"
    (led,) = of(found, "quorum-led")
    assert (at(led), led.node, led.epoch) == ((None, "09:00:19,103"), 7, 30)


def test_a_failover_is_one_entry_for_the_quorum_and_no_trouble(tmp_path: Path) -> None:
    nodes = [
        [
            follower("09:00:00,100", node, 4, 7, was_unattached(3)),
            unattached(f"09:00:10,00{node}", node, 5, was_follower(4, 7)),
            follower(f"09:00:11,00{node}", node, 5, 9, was_unattached(5)),
            follower(f"09:10:00,00{node}", node, 6, 9, was_follower(5, 9)),
        ]
        for node in (8, 9)
    ]
    found = happened(tmp_path, *nodes)
    (without,) = of(found, "quorum-without-leader")
    assert (at(without), without.trouble) == (("09:00:10,009", "09:00:11,008"), False)
    assert [each.node for each in of(found, "quorum-led")] == [7, 9, 9]


def test_a_node_that_alone_hears_of_no_leader_is_named(tmp_path: Path) -> None:
    alone = [follower("09:00:00,100", 7, 4, 9, was_unattached(3))]
    alone += [unattached(f"09:00:{at},000", 7, 5 + at - 10, was_unattached(4 + at - 10)) for at in range(10, 40)]
    others = [
        [follower("09:00:00,100", node, 4, 9, was_unattached(3)), line("09:01:00,000", "x", "kafka.x.Y")]
        for node in (8, 9)
    ]
    (without,) = of(happened(tmp_path, alone, *others), "quorum-without-leader")
    assert (without.node, at(without), without.trouble) == (7, ("09:00:10,000", None), True)
    assert without.reason == "this node alone: node 9 led epoch 4 for others"


@pytest.mark.parametrize(
    "lines",
    [
        [unattached("09:00:00,000", 7, 4)],
        [unattached("09:00:00,000", 7, 4), follower("09:00:04,000", 7, 5, 9, was_unattached(4))],
        [
            follower("09:00:00,000", 7, 5, 9, was_unattached(4)),
            line("09:10:00,000", "[RaftManager id=7] Beginning graceful shutdown", CLIENT),
            unattached("09:10:00,100", 7, 6, was_follower(5, 9)),
        ],
        [
            unattached("09:00:00,000", 7, 0),
            line(
                "09:00:00,100",
                "[RaftManager id=7] Completed transition to Leader(localId=7, epoch=1, epochStartOffset=0, "
                f"highWatermark=Optional.empty, voterStates={{}}) from {was_unattached(0)}",
            ),
        ],
    ],
    ids=["a log that ends soon", "a start", "a shutdown", "a single node"],
)
def test_starts_and_shutdowns_are_no_trouble(lines: list[str], tmp_path: Path) -> None:
    found = happened(tmp_path, lines)
    assert not of(found, "quorum-without-leader")
    assert not any(each.trouble for each in found)


def test_a_process_that_begins_anew_in_the_millisecond_in_which_it_lost_its_leader(tmp_path: Path) -> None:
    lost = unattached("09:00:10,000", 8, 5, was_follower(4, 7))
    found = happened(tmp_path, [follower("09:00:00,000", 8, 4, 7, "null"), lost, unattached("09:00:10,000", 8, 5)])
    assert not of(found, "quorum-without-leader")


def test_a_start_without_any_leader_is_trouble(tmp_path: Path) -> None:
    lines = [unattached("09:00:00,000", 7, 4)]
    lines += [unattached(f"09:00:{at},000", 7, at, was_unattached(at - 1)) for at in range(10, 20)]
    (without,) = of(happened(tmp_path, lines), "quorum-without-leader")
    assert (at(without), without.lasts) == (("09:00:00,000", None), True)


def test_a_refused_vote_is_behind_where_the_end_of_the_voters_log_is_known(tmp_path: Path) -> None:
    request = (
        "[RaftManager id=7] Vote request VoteRequestData(clusterId='AbCdEfGhIjKlMnOpQrStUv', topics=[TopicData("
        "topicName='__cluster_metadata', partitions=[PartitionData(partitionIndex=0, candidateEpoch=32, candidateId=9, "
        "lastOffsetEpoch=30, lastOffset=6203)])]) with epoch 32 is rejected"
    )
    found = happened(tmp_path, [unattached("09:00:19,103", 7, 31, WAS_LEADER), line("09:00:20,619", request, CLIENT)])
    (rejected,) = of(found, "vote-rejected")
    assert (rejected.node, rejected.epoch, rejected.trouble) == (9, 32, False)
    assert rejected.reason == (
        "7 refused it: the candidate's log ends at offset 6203 of epoch 30, behind the voter's, which ends at 6207"
    )


def timed_out(time: str) -> str:
    states = ", ".join(
        f"{id}=VoterState(replicaKey=ReplicaKey(id={id}, directoryId=<undefined>), state={state})"
        for id, state in ((3, "UNRECORDED"), (4, "GRANTED"), (5, "UNRECORDED"))
    )
    text = "[RaftManager id=4] Election timed out before receiving sufficient vote responses to become candidate."
    return line(time, f"{text} Current epoch election state: EpochElection(voterStates={{{states}}})", CLIENT)


def test_voters_that_did_not_vote_are_unreachable_each(tmp_path: Path) -> None:
    found = happened(tmp_path, [timed_out("09:00:01,000"), timed_out("09:00:03,000")])
    silent = of(found, "voter-unreachable")
    assert [(each.node, each.trouble, each.reason) for each in silent] == [
        (3, True, "did not vote for node 4, 2 times"),
        (5, True, "did not vote for node 4, 2 times"),
    ]
    (without,) = of(found, "quorum-without-leader")
    assert without.trouble


def test_connections_fail_for_a_while_or_to_the_end_of_the_log(tmp_path: Path) -> None:
    def failed(time: str) -> str:
        text = "[RaftManager id=8] Connection to node 9 (/10.0.0.9:9093) could not be established."
        return line(time, f"{text} Broker may not be available.", "org.apache.kafka.clients.NetworkClient", "WARN")

    leads = follower("09:00:00,000", 8, 4, 7, was_unattached(3))
    short = [leads, *(failed(f"09:00:{at},000") for at in range(10, 14)), failed("09:20:00,000"), leads]
    assert not of(happened(tmp_path, short[:-1]), "voter-unreachable")
    long = [leads, *(failed(f"09:00:{at},000") for at in range(10, 20))]
    (silent,) = of(happened(tmp_path, long), "voter-unreachable")
    assert (silent.node, silent.trouble, at(silent)) == (9, True, ("09:00:10,000", None))
    assert silent.reason == "could not be reached by node 8, 10 times"


def test_nodes_without_voters_and_changes_of_voters(tmp_path: Path) -> None:
    def read(time: str, ids: tuple[int, ...], where: str) -> str:
        voters = ", ".join(f"{id}=VoterNode(voterKey=ReplicaKey(id={id}, directoryId=<undefined>))" for id in ids)
        return line(time, f"[RaftManager id=7] {where.format(f'VoterSet(voters={{{voters}}})')}", CLIENT)

    starting, latest = "Starting voters are {}", "Latest set of voters is {} at offset 2"
    end = line("09:10:00,000", "x", "kafka.x.Y")
    (empty,) = of(happened(tmp_path, [read("09:00:00,000", (), starting), end]), "voters-empty")
    assert (empty.node, empty.trouble) == (7, True)
    filled = [read("09:00:00,000", (), starting), read("09:00:00,100", (7, 8), latest)]
    found = happened(tmp_path, [*filled, read("09:05:00,000", (7, 8, 9), latest), end])
    assert not of(found, "voters-empty")
    assert [each.reason for each in of(found, "voters-changed")] == ["7, 8 became 7, 8, 9"]


def test_active_controllers_come_from_text_where_there_is_no_metadata_log(tmp_path: Path) -> None:
    found = happened(
        tmp_path,
        [
            line(
                "09:00:00,000",
                "[QuorumController id=7] Becoming the active controller at epoch 5, next write offset 12.",
                CONTROLLER,
            ),
            line(
                "09:05:00,000",
                "[QuorumController id=7] Renouncing the leadership due to a metadata log event. We were the leader at "
                "epoch 5, but in the new epoch 6, the leader is 8. Reverting to last stable offset 12.",
                CONTROLLER,
                "WARN",
            ),
        ],
    )
    (active,) = of(found, "controller-active")
    assert (active.node, active.epoch, at(active)) == (7, 5, ("09:00:00,000", "09:05:00,000"))
    (resigned,) = of(found, "controller-resigned")
    assert resigned.reason == "another epoch of the metadata quorum began; proposals from offset 12 on are taken back"


RECORDINGS = sorted(each.name for each in RECORDED.iterdir() if each.is_dir())


@pytest.mark.slow(every=3)
@pytest.mark.full(every=15)
@pytest.mark.parametrize("name", RECORDINGS)
def test_lines_show_the_leaders_that_records_name(name: str) -> None:
    folder = RECORDED / name
    (whole,) = audit([str(folder)])
    (text,) = audit([str(path) for path in sorted(folder.glob("node-*/*.log*"))])
    reigns = {(each.epoch, each.leader) for log in whole.metadata or () for each in log.reigns}
    led = {(each.epoch, each.node) for each in text.happened if each.what == "quorum-led"}
    active = {(each.epoch, each.node) for each in text.happened if each.what == "controller-active"}
    assert reigns <= led
    assert reigns <= active
    known = dict(reigns)
    assert all(known.get(epoch, leader) == leader for epoch, leader in led)
    assert not any(each.trouble for each in text.happened if each.what == "quorum-without-leader")
