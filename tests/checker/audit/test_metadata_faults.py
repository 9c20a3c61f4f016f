"""Faults planted in the metadata logs of real clusters: each is found by its rule, at its record, and nothing is found
without one. The CRCs are right: it is the content that lies."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.files.metadata import Segment
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.sources.metadata.apply import apply, snapshot_state
from isrproof.checker.audit.sources.metadata.fold import Fold
from isrproof.checker.audit.sources.metadata.state import Cluster, Partition
from isrproof.traces.metadata.batches import Batch, Batches
from isrproof.traces.metadata.writer import Message, batch

from tests import metadata_damage
from tests.metadata_folders import recorded

RECORDED = Path(__file__).parents[3] / "traces" / "recorded-kraft"
VOTERS = (1, 2, 3)
UNCLEAN = {("KR546", "suspicious", None), ("KR551", "suspicious", None)}
"""A controller's line, and the record."""
LOST = {(code, "suspicious", None) for code in ("KR661", "KR662", "KR663")}
"""Lines of brokers about the records that an unclean leader lacks."""
EXPECTED: Mapping[str, set[tuple[str, str, str | None]]] = {
    "chaos-3.5.2": {("KR525", "illegal", "KAFKA-15665")},
    "chaos-4.2.0": {("KR522", "suspicious", None), *UNCLEAN},
    "elr-4.0.0": {("KR524", "illegal", "KAFKA-19522")},
    "unclean-3.3.2": UNCLEAN,
    "unclean-3.9.1": {*UNCLEAN, *LOST},
    "unclean-4.4.0": {*UNCLEAN, *LOST},
}
"""Findings in the recordings as they are: released bugs, unclean elections."""


@dataclass
class Log:
    """A log up to some batch, and the state that its records make; faults are appended to it. `snapshot` is what it
    begins with, where its beginning is gone."""

    batches: list[Batch]
    state: Cluster
    dice: random.Random
    snapshot: Path | None = None

    @property
    def end(self) -> int:
        return self.batches[-1].last + 1

    @property
    def epoch(self) -> int:
        return self.batches[-1].epoch

    def partition(self, wanted: Callable[[Partition], bool] = lambda each: True) -> Partition | None:
        found = [each for each in self.state.all() if wanted(each)]
        return self.dice.choice(found) if found else None

    def brokers(self, *, active: bool) -> list[int]:
        return sorted(each.id for each in self.state.brokers.values() if each.active is active)


Fault = Callable[[Log], "list[Message] | None"]
"""The records of a last batch, of which the last is at fault; None where the log has no room for the fault."""


def of(partition: Partition, **data: Any) -> Message:
    known = {"partitionId": partition.number, "topicId": partition.topic}
    return "PARTITION_CHANGE_RECORD", 2, {**known, **data}


def led(partition: Partition) -> bool:
    return partition.leader >= 0


def leader_outside_isr(log: Log) -> list[Message] | None:
    found = log.partition(led)
    other = [each for each in (*log.brokers(active=True), 99) if found and each not in found.isr]
    return [of(found, leader=other[0])] if found else None


def isr_with_a_stranger(log: Log) -> list[Message] | None:
    found = log.partition(led)
    return [of(found, isr=[*found.isr, 77])] if found else None


def isr_with_one_twice(log: Log) -> list[Message] | None:
    found = log.partition(led)
    return [of(found, isr=[*found.isr, found.isr[0]])] if found else None


def empty_isr(log: Log) -> list[Message] | None:
    found = log.partition(led)
    return [of(found, isr=[], leader=-1)] if found and not log.state.elr else None


def fenced_leader(log: Log) -> list[Message] | None:
    """A broker is fenced properly, then elected."""
    found = log.partition(lambda each: led(each) and len(each.isr) > 1)
    if found is None:
        return None
    gone = next(each for each in found.isr if each != found.leader)
    return [*_out_of_every_isr(log, gone), _fence(log, gone), of(found, isr=[gone], leader=gone, leaderRecoveryState=1)]


def fenced_in_isr(log: Log) -> list[Message] | None:
    found = log.partition(lambda each: led(each) and len(each.isr) > 1)
    if found is None:
        return None
    gone = next(each for each in found.isr if each != found.leader)
    rest = [each for each in found.isr if each != gone]
    return [*_out_of_every_isr(log, gone), _fence(log, gone), of(found, isr=[*rest, gone])]


def _out_of_every_isr(log: Log, broker: int) -> list[Message]:
    changes = []
    for each in log.state.all():
        if broker in each.isr:
            rest = [member for member in each.isr if member != broker]
            if rest:
                changes.append(of(each, isr=rest, **({"leader": rest[0]} if each.leader == broker else {})))
            elif log.state.elr:
                changes.append(of(each, isr=[], leader=-1, eligibleLeaderReplicas=[broker]))
            elif each.leader >= 0:
                changes.append(of(each, leader=-1))
    return changes


def _fence(log: Log, broker: int) -> Message:
    known = {"brokerId": broker, "brokerEpoch": log.state.brokers[broker].epoch}
    return "BROKER_REGISTRATION_CHANGE_RECORD", 0, {**known, "fenced": 1}


def fenced_and_left_in_isr(log: Log) -> list[Message] | None:
    found = log.partition(led)
    return [_fence(log, found.isr[0])] if found and found.isr else None


def unclean_without_mark(log: Log) -> list[Message] | None:
    found = log.partition(lambda each: led(each) and set(log.brokers(active=True)) > set(each.isr) and not each.elr)
    others = [each for each in log.brokers(active=True) if found and each in found.replicas and each not in found.isr]
    return [of(found, isr=[others[0]], leader=others[0])] if found and others else None


def unclean_and_marked(log: Log) -> list[Message] | None:
    unclean = unclean_without_mark(log)
    return None if unclean is None else [(kind, at, {**data, "leaderRecoveryState": 1}) for kind, at, data in unclean]


def recovering_with_several(log: Log) -> list[Message] | None:
    found = log.partition(lambda each: led(each) and len(each.isr) > 1)
    return [of(found, leaderRecoveryState=1)] if found else None


def elr_at_full_isr(log: Log) -> list[Message] | None:
    found = log.partition(lambda each: led(each) and len(each.isr) >= (log.state.min_isr(each) or 99))
    if found is None or not log.state.elr or len(found.isr) < 2:
        return None
    return [of(found, isr=found.isr[:-1], eligibleLeaderReplicas=[*found.isr[-1:], found.isr[0]])]


def wrong_broker_epoch(log: Log) -> list[Message] | None:
    broker = log.dice.choice(log.brokers(active=True) or [None])
    if broker is None:
        return None
    known = {"brokerId": broker, "brokerEpoch": log.state.brokers[broker].epoch - 1}
    return [("BROKER_REGISTRATION_CHANGE_RECORD", 0, {**known, "fenced": -1})]


def _registration(broker: int, epoch: int, directories: Sequence[str] = ()) -> Message:
    data = {"brokerId": broker, "brokerEpoch": epoch, "incarnationId": "anotherAAAAAAAAAAAAAAA", "rack": None}
    data |= {"isMigratingZkBroker": False, "endPoints": [], "features": [], "fenced": True}
    data |= {"inControlledShutdown": False, "logDirs": list(directories)}
    return "REGISTER_BROKER_RECORD", 3, data


def broker_epoch_reused(log: Log) -> list[Message] | None:
    broker = log.dice.choice(sorted(log.state.brokers) or [None])
    return None if broker is None else [_registration(broker, log.state.brokers[broker].epoch)]


def directory_of_another(log: Log) -> list[Message] | None:
    owner = next((each for each in log.state.brokers.values() if each.directories), None)
    return [_registration(55, log.end, owner.directories)] if owner and log.state.level >= 17 else None


def directory_of_nobody(log: Log) -> list[Message] | None:
    found = log.partition(lambda each: bool(each.directories))
    return [of(found, directories=["nobodysAAAAAAAAAAAAAAA"] * len(found.replicas))] if found else None


def adding_a_stranger(log: Log) -> list[Message] | None:
    found = log.partition(led)
    return [of(found, addingReplicas=[66])] if found else None


def reassigned_too_early(log: Log) -> list[Message] | None:
    found = log.partition(lambda each: led(each) and len(each.isr) > 2 and not each.adding and not each.removing)
    if found is None:
        return None
    gone, late = [each for each in found.isr if each != found.leader][:2]
    rest = [each for each in found.replicas if each != gone]
    begins = of(found, removingReplicas=[gone], isr=[each for each in found.isr if each != late])
    isr = [each for each in found.isr if each not in (gone, late)]
    return [begins, of(found, removingReplicas=[], replicas=rest, isr=isr, leader=found.leader)]


def leader_epoch_raised(log: Log) -> list[Message] | None:
    found = log.partition(led)
    return [of(found, leader=found.leader)] if found else None


def topic_id_reused(log: Log) -> list[Message] | None:
    topic = log.dice.choice(sorted(log.state.names) or [None])
    return None if topic is None else [("TOPIC_RECORD", 0, {"name": "another", "topicId": topic})]


def topic_name_reused(log: Log) -> list[Message] | None:
    name = log.dice.choice(sorted(log.state.ids) or [None])
    return None if name is None else [("TOPIC_RECORD", 0, {"name": name, "topicId": "freshAAAAAAAAAAAAAAAAA"})]


def _partition(topic: str, number: int, **data: Any) -> Message:
    found = {"partitionId": number, "topicId": topic, "replicas": [1], "isr": [1], "leader": 1, "directories": []}
    found |= {"removingReplicas": [], "addingReplicas": [], "leaderEpoch": 0, "partitionEpoch": 0}
    return "PARTITION_RECORD", 1, {**found, **data}


def hole_in_partitions(log: Log) -> list[Message] | None:
    topic = log.dice.choice(sorted(log.state.names) or [None])
    return None if topic is None else [_partition(topic, 40)]


def created_with_epochs(log: Log) -> list[Message] | None:
    topic = log.dice.choice(sorted(log.state.names) or [None])
    if topic is None or log.state.migrating:  # who migrates brings epochs along
        return None
    return [_partition(topic, len(log.state.partitions[topic]), leaderEpoch=5)]


def change_of_nothing(log: Log) -> list[Message] | None:
    found = log.partition()
    return [("REMOVE_TOPIC_RECORD", 0, {"topicId": found.topic}), of(found, isr=[1])] if found else None


def isr_written_again(log: Log) -> list[Message] | None:
    found = log.partition()
    return [of(found, isr=[*found.isr])] if found else None


def transaction_in_transaction(log: Log) -> list[Message] | None:
    return [("BEGIN_TRANSACTION_RECORD", 0, {}), ("BEGIN_TRANSACTION_RECORD", 0, {})]


def producer_ids_again(log: Log) -> list[Message] | None:
    block = ("PRODUCER_IDS_RECORD", 0, {"brokerId": 1, "brokerEpoch": 1, "nextProducerId": 10**9})
    return [block, block]


def minority_leader(log: Log) -> list[Message] | None:
    voters = [{"voterId": voter} for voter in VOTERS]
    return [("LEADER_CHANGE", 0, {"version": 0, "leaderId": 1, "voters": voters, "grantingVoters": voters[:1]})]


def leader_that_is_no_voter(log: Log) -> list[Message] | None:
    voters = [{"voterId": voter} for voter in VOTERS]
    return [("LEADER_CHANGE", 0, {"version": 0, "leaderId": 9, "voters": voters, "grantingVoters": voters})]


def two_voters_at_once(log: Log) -> list[Message] | None:
    def voters(*ids: int) -> Message:
        rest = {"voterDirectoryId": "A" * 22, "endpoints": [], "kRaftVersionFeature": _RANGE}
        return "KRAFT_VOTERS", 0, {"version": 0, "voters": [{"voterId": each, **rest} for each in ids]}

    return [voters(1), voters(1, 2, 3)]


_RANGE = {"minSupportedVersion": 0, "maxSupportedVersion": 1}
FAULTS: Mapping[str, tuple[str, Fault]] = {
    each.__name__: (code, each)
    for code, each in (
        ("KR505", leader_outside_isr),
        ("KR505", isr_with_a_stranger),
        ("KR505", isr_with_one_twice),
        ("KR505", empty_isr),
        ("KR507", fenced_leader),
        ("KR510", fenced_in_isr),
        ("KR513", fenced_and_left_in_isr),
        ("KR508", unclean_without_mark),
        ("KR551", unclean_and_marked),
        ("KR509", recovering_with_several),
        ("KR506", elr_at_full_isr),
        ("KR511", wrong_broker_epoch),
        ("KR511", broker_epoch_reused),
        ("KR526", directory_of_another),
        ("KR519", directory_of_nobody),
        ("KR514", adding_a_stranger),
        ("KR525", reassigned_too_early),
        ("KR515", leader_epoch_raised),
        ("KR516", topic_id_reused),
        ("KR516", topic_name_reused),
        ("KR516", hole_in_partitions),
        ("KR503", created_with_epochs),
        ("KR523", change_of_nothing),
        ("KR527", isr_written_again),
        ("KR517", transaction_in_transaction),
        ("KR520", producer_ids_again),
        ("KR502", minority_leader),
        ("KR502", leader_that_is_no_voter),
        ("KR521", two_voters_at_once),
    )
}
CONTROL = (minority_leader, leader_that_is_no_voter, two_voters_at_once)


def recordings() -> list[Path]:
    return sorted(each.parent for each in RECORDED.glob("*/manifest.json"))


def log_of(recording: Path, dice: random.Random) -> Log:
    """The log of one of its nodes up to a batch in its second half, and the state there."""
    segments = sorted(next(recording.glob("node-*/metadata/*.log")).parent.glob("*.log"))
    batches = [each for file in segments for each in Batches(str(file))]
    fold, snapshot, start = Fold(0), None, 0
    if batches[0].offset > 0:
        snapshot = min(segments[0].parent.glob("*.checkpoint"))
        start = int(snapshot.name[:20])
        fold = Fold(0, snapshot_state(record for each in Batches(str(snapshot)) for record in each.records)[0])
    later = [at for at, each in enumerate(batches) if each.offset >= start]
    kept = batches[: dice.randrange(later[len(later) // 2], len(batches)) + 1]
    nowhere = Segment(0, "")
    for each in kept[later[0] :]:
        fold.begins(each.offset)
        for record in each.records:
            apply(fold, record, nowhere, True)
    return Log(kept, fold.state, dice, snapshot)


def written(log: Log, folder: Path, messages: list[Message], *, control: bool, voters: Sequence[int] = VOTERS) -> int:
    """Three nodes' copies of the log, with the fault at its end; the offset of the record at fault."""
    raw = b"".join(
        batch([(r.type, r.version, r.data or {}) for r in each.records], each.offset, each.epoch, control=each.control)
        for each in log.batches
    )
    epoch = log.epoch + (messages[0][0] == "LEADER_CHANGE")
    raw += batch(messages, log.end, epoch, control=control)
    for node in voters:
        home = folder / f"node-{node}" / "__cluster_metadata-0"
        home.mkdir(parents=True, exist_ok=True)
        (home / f"{log.batches[0].offset:020d}.log").write_bytes(raw)
        if log.snapshot is not None:
            shutil.copyfile(log.snapshot, home / log.snapshot.name)
        named = ",".join(f'{{"voterId":{each}}}' for each in voters)
        (home / "quorum-state").write_text(f'{{"currentVoters":[{named}],"data_version":0}}')
        (home.parent / "meta.properties").write_text(f"node.id={node}\n")
    return log.end + len(messages) - 1


class Planted(NamedTuple):
    """A recording with a fault at its end: its log without it, the fault's last message, and the offset of that."""

    folder: Path
    log: Log
    message: Message
    at: int


def planted(
    name: str, among: Iterable[Path], out: Path, voters: Callable[[Log], Sequence[int]] = lambda log: VOTERS
) -> Iterator[Planted]:
    """The recordings that have room for a fault, with it."""
    _, fault = FAULTS[name]
    for recording in among:
        log = log_of(recording, random.Random(f"{name} {recording.name} 0"))
        messages = fault(log)
        if messages is not None:
            folder = out / recording.name
            at = written(log, folder, messages, control=fault in CONTROL, voters=voters(log))
            yield Planted(folder, log, messages[-1], at)


@pytest.mark.full(every=15)
@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("most", [2, pytest.param(len(recordings()), marks=pytest.mark.slow)])
def test_a_planted_fault_is_found_at_its_record(name: str, most: int, tmp_path: Path) -> None:
    """In so many recordings, at most: those that have room for it."""
    order = random.Random(name).sample(recordings(), len(recordings()))
    several = [*islice(planted(name, order, tmp_path), most)]
    assert several
    for folder, _, message, at in several:
        (report,) = audit([str(folder)], Options(engine="python"))
        found = {(each.rule, each.place.offset) for each in report.findings}
        assert (FAULTS[name][0], at) in found, (folder.name, message, found)


@pytest.mark.full
@pytest.mark.parametrize("files", [40, pytest.param(10_000, marks=pytest.mark.slow)])
def test_damaged_files_give_no_false_alarm(files: int, tmp_path: Path) -> None:
    """Damage in a file of one node. If it destroys a batch, a note of one line names the file; a cut between two
    batches leaves nothing to report."""
    dice = random.Random(files)
    folder = tmp_path / "cluster"
    shutil.copytree(RECORDED / "failover-3.5.2", folder, ignore=shutil.ignore_patterns("*.gz", "*.xz"))
    for text in folder.glob("node-*/*.log"):
        text.unlink()
    whole = {file: file.read_bytes() for kind in ("log", "checkpoint") for file in folder.glob(f"*/metadata/*.{kind}")}
    for _ in range(files):
        file = dice.choice(sorted(whole))
        way = dice.choice(sorted(metadata_damage.WAYS))
        raw = metadata_damage.WAYS[way](dice, whole[file])
        file.chmod(0o600)
        file.write_bytes(raw)
        (report,) = audit([str(folder)], Options(engine="python"))
        assert "illegal" not in {each.verdict for each in report.findings}, (way, file.name)
        assert all("\n" not in note for note in report.notes)
        lost = metadata_damage.checked(whole[file]) - metadata_damage.checked(raw)
        if lost and not metadata_damage.shows_nothing(raw):
            assert any(str(file) in note for note in report.notes), (way, file.name, report.notes)
        file.write_bytes(whole[file])


@pytest.mark.full(every=8)
@pytest.mark.parametrize(
    "recording",
    [
        pytest.param(each, id=each.name, marks=pytest.mark.slow if each.name.startswith("segments") else ())
        for each in recordings()
    ],
)
def test_without_a_fault_nothing_is_found(recording: Path) -> None:
    report = recorded(recording.name)
    found = {(each.rule, each.verdict, each.known_issue) for each in report.findings}
    assert found == EXPECTED.get(recording.name, set())
    assert not report.checked.nothing_from  # Kafka's own dump, which lies beside, is no log
    assert report.coverage.records is not None
    assert report.coverage.records.unknown == 0
