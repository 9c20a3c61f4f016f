"""Known bugs: their releases, and the signs of stack traces: each is found in its own, and in no other."""

from __future__ import annotations

import re

import pytest
from isrproof.checker.audit.rules.catalogue import rules
from isrproof.specs.behaviours import BEHAVIOURS
from isrproof.specs.bugs import Bug, Finding, Moment, Trace, bugs, bugs_of, explaining, known_bug, numbers
from isrproof.specs.errors import UnknownNameError
from isrproof.specs.faults import cause_of, causes
from isrproof.specs.happenings import happenings
from isrproof.specs.lines import rows
from isrproof.specs.releases import span

FAULT = "fault-logged"
TRACES = {
    "KAFKA-14946": (
        'java.lang.NullPointerException: Cannot invoke "BaseHashTable.baseAddOrReplace(Object)"',
        "at org.apache.kafka.timeline.SnapshottableHashTable$HashTier.mergeFrom(SnapshottableHashTable.java:125)",
        "at org.apache.kafka.controller.QuorumController.renounce(QuorumController.java:1193)",
    ),
    "KAFKA-13391": (
        "java.nio.file.AccessDeniedException: D:\\kafka\\logs",
        "at sun.nio.ch.FileChannelImpl.open(FileChannelImpl.java:345)",
        "at org.apache.kafka.common.utils.Utils.flushDir(Utils.java:953)",
    ),
    "KAFKA-15391": (
        "java.nio.file.NoSuchFileException: /d1/t-0",
        "at org.apache.kafka.common.utils.Utils.flushDir(Utils.java:973)",
        "at kafka.log.LocalLog.flush(LocalLog.scala:177)",
    ),
    "KAFKA-13403": (
        "java.nio.file.NoSuchFileException: /d1/t-0.aa-delete/00000000000000000000.log",
        "at org.apache.kafka.common.utils.Utils$1.visitFileFailed(Utils.java:913)",
        "at org.apache.kafka.common.utils.Utils.delete(Utils.java:909)",
    ),
    "KAFKA-6264": (
        "java.lang.IllegalArgumentException: requirement failed: largest offset in message set can not be safely "
        "converted to relative offset.",
        "at scala.Predef$.require(Predef.scala:224)",
        "at kafka.log.LogSegment.append(LogSegment.scala:121)",
        "at kafka.log.Cleaner.cleanInto(LogCleaner.scala:551)",
    ),
    "KAFKA-19192": (
        "java.lang.IllegalArgumentException: No MetadataVersion with feature level 1. Valid feature levels are from 7.",
        "at org.apache.kafka.server.common.MetadataVersion.fromFeatureLevel(MetadataVersion.java:339)",
        "at org.apache.kafka.metadata.bootstrap.BootstrapMetadata.recordToMetadataVersion(BootstrapMetadata.java:98)",
    ),
    "KAFKA-16814": (
        "java.lang.RuntimeException: The log dir Log(dir=/d1/t-0, topic=t, partition=0) does not have a topic ID, "
        "which is not allowed when running in KRaft mode.",
        "at kafka.log.LogManager$.$anonfun$findStrayReplicas$2(LogManager.scala:1559)",
    ),
    "KAFKA-18723": (
        "org.apache.kafka.common.errors.CorruptRecordException: Record size 0 is less than the minimum record overhead",
        "at kafka.raft.KafkaMetadataLog.appendAsFollower(KafkaMetadataLog.scala:118)",
        "at org.apache.kafka.raft.KafkaRaftClient.appendAsFollower(KafkaRaftClient.java:1808)",
    ),
    "KAFKA-16541": (
        "java.io.IOException: Malformed line in checkpoint file (/d1/t-0/leader-epoch-checkpoint): ",
        "at org.apache.kafka.server.common.CheckpointFile$CheckpointReadBuffer.toException(CheckpointFile.java:170)",
    ),
    "KAFKA-19390": (
        "java.io.IOException: Map failed",
        "at org.apache.kafka.storage.internals.log.AbstractIndex.resize(AbstractIndex.java:155)",
    ),
    "KAFKA-14259": (
        "java.lang.ClassCastException: class java.util.HashMap$Node cannot be cast to class java.lang.Comparable",
        "at org.apache.kafka.metadata.BrokerRegistration.toString(BrokerRegistration.java:226)",
    ),
    "KAFKA-14170": (
        "java.lang.NullPointerException",
        "at org.apache.kafka.controller.BrokersToIsrs.removeTopicEntryForBroker(BrokersToIsrs.java:195)",
    ),
    "KAFKA-14996": (
        "java.lang.IllegalStateException: Attempted to atomically commit 10002 records, but maxRecordsPerBatch is 10",
        "at org.apache.kafka.controller.QuorumController.appendRecords(QuorumController.java:776)",
    ),
    "KAFKA-19350": (
        "java.lang.IllegalArgumentException: no owner",
        "at org.apache.kafka.controller.ReplicationControlManager.maybeCheckCreateTopicPolicy(Unknown Source)",
    ),
    "KAFKA-19497": (
        'java.lang.NullPointerException: Cannot invoke "org.apache.kafka.image.TopicImage.partitions()"',
        "at org.apache.kafka.image.TopicDelta.replay(TopicDelta.java:120)",
        "at org.apache.kafka.image.TopicsDelta.maybeReplayClearElrRecord(TopicsDelta.java:102)",
    ),
    "KAFKA-16583": (
        "org.apache.kafka.image.writer.UnwritableMetadataException: Metadata has been lost because the following could"
        " not be represented in metadata version 3.4-IV0: the directory assignment state of one or more replicas",
        "at org.apache.kafka.metadata.PartitionRegistration.toRecord(PartitionRegistration.java:391)",
    ),
}
OF_FETCHERS = {
    "KAFKA-19407": (
        "java.lang.IllegalStateException: Attempt to append a timestamp (17) to slot 3 no larger than the last",
        "at org.apache.kafka.storage.internals.log.TimeIndex.maybeAppend(TimeIndex.java:199)",
    ),
    "KAFKA-17375": (
        "org.apache.kafka.common.errors.RecordBatchTooLargeException: Message batch size is 900 bytes in append to "
        "partition t-0, which exceeds the maximum configured segment size of 500.",
        "at kafka.server.AbstractFetcherThread.processFetchRequest(AbstractFetcherThread.scala:333)",
    ),
}
"""Traces after the line with which a fetcher cannot append."""
OF_DIRECTORIES = {
    "KAFKA-19571": (
        "java.nio.channels.ClosedChannelException",
        "at java.base/sun.nio.ch.FileChannelImpl.ensureOpen(FileChannelImpl.java:159)",
        "at org.apache.kafka.storage.internals.log.LogSegment.flush(LogSegment.java:652)",
    ),
    "KAFKA-16082": (
        "java.nio.file.DirectoryNotEmptyException: /d2/t-0.0123456789abcdef0123456789abcdef-future -> /d2/t-0",
        "at kafka.log.LocalLog.renameDir(LocalLog.scala:115)",
    ),
}
"""Traces after the line with which a directory fails."""
OF_APPENDS = {
    "KAFKA-15653": (
        "java.lang.NullPointerException",
        "at org.apache.kafka.common.utils.ChunkedBytesStream.<init>(ChunkedBytesStream.java:89)",
    ),
}
"""Traces after the line with which a leader cannot append."""
OF_SHUTDOWNS = {
    "KAFKA-18758": (
        "java.lang.NullPointerException",
        "at kafka.server.BrokerServer.shutdown(BrokerServer.scala:660)",
    ),
}
"""Traces after the line with which a process fails to shut down."""
EACH = [
    *((issue, FAULT) for issue in TRACES),
    *((issue, "directory-fails") for issue in OF_DIRECTORIES),
    *((issue, "fetched-data-error") for issue in OF_FETCHERS),
    *((issue, "append-refused") for issue in OF_APPENDS),
    *((issue, "shutdown-fails") for issue in OF_SHUTDOWNS),
]
TRACE = TRACES | OF_DIRECTORIES | OF_FETCHERS | OF_APPENDS | OF_SHUTDOWNS
WITH_TRACE = {bug.issue: sign for bug in bugs().values() for sign in bug.signs if isinstance(sign, Trace)}


@pytest.mark.parametrize(("issue", "line"), EACH)
def test_a_bug_is_known_by_its_trace_and_not_without_a_part_of_it(issue: str, line: str) -> None:
    trace = TRACE[issue]
    found = known_bug(line, trace)
    assert found is not None
    bug, sign = found
    assert bug.issue == issue
    shown = [each for each, own in WITH_TRACE.items() if own.shown(line, trace)]
    assert shown == [issue]
    for mark in sign.marks:
        assert known_bug(line, [text for text in trace if mark not in text]) is None
    assert known_bug(line, ["java.lang.Error: no", *trace[1:]]) is None
    if sign.line is not None:
        assert known_bug(FAULT, trace) is None


def test_a_bug_is_known_by_the_line_that_only_it_prints() -> None:
    by_line = {issue: sign for issue, sign in WITH_TRACE.items() if sign.throwable is None}
    assert {sign.line for sign in WITH_TRACE.values() if sign.line is not None} <= set(rows())
    assert {*by_line} | {*TRACE} == {*WITH_TRACE}
    for issue, sign in by_line.items():
        found = known_bug(sign.line or "", ())
        assert found is not None
        assert found[0].issue == issue
    assert known_bug(FAULT, ()) is None


@pytest.mark.parametrize("bug", bugs().values(), ids=lambda bug: bug.issue)
def test_a_bug_is_described(bug: Bug) -> None:
    assert re.fullmatch("KAFKA-[0-9]+", bug.issue)
    assert re.search(r"; commit [0-9a-f]{11}$", bug.source) or not bug.fixed
    assert all(each in bug.advice for each in bug.fixed)
    assert all(text.endswith(".") for text in (bug.meaning, bug.mark, bug.now))
    assert list(bug.fixed) == sorted(bug.fixed, key=numbers)
    assert bug.is_in(bug.since)
    assert not any(map(bug.is_in, bug.fixed))


@pytest.mark.parametrize("bug", [each for each in bugs().values() if each.behaviour], ids=lambda bug: bug.issue)
def test_a_bug_that_models_have_is_of_the_releases_of_its_behaviour(bug: Bug) -> None:
    known = BEHAVIOURS[bug.behaviour or ""]
    if known.kind == "bug":
        assert bug.releases == known.releases
    else:
        assert bug.releases & known.releases == 0


def test_signs_name_rules_and_happenings_that_exist() -> None:
    for bug in bugs().values():
        for sign in bug.signs:
            if isinstance(sign, Finding):
                assert sign.rule in rules()
            if isinstance(sign, Moment):
                assert {sign.what, *sign.without, sign.beside} - {None} <= {*happenings()}
        if not bug.signs and not bug.mark.startswith("None"):
            assert bug.issue in {issue for rule in rules().values() for issue in (rule.bug, *rule.issues)}


def test_patches_have_a_bug_until_their_line_is_fixed() -> None:
    bug = bugs()["KAFKA-18345"]
    assert [tag for tag in ("2.8.2", "3.0.0", "3.9.1", "3.9.2", "4.0.0", "4.0.1", "4.1.0") if bug.is_in(tag)] == [
        "3.0.0",
        "3.9.1",
        "4.0.0",
    ]
    assert not bug.is_in("3.9.7")
    assert bugs()["KAFKA-21022"].is_in("4.4.0")
    assert "KAFKA-16757" in {each.issue for each in bugs_of("3.7.0")}
    assert "KAFKA-16757" not in {each.issue for each in bugs_of("3.7.1")}
    with pytest.raises(UnknownNameError):
        bugs_of("3.77.0")


def test_a_finding_is_explained_in_the_releases_that_have_the_bug() -> None:
    of_copies = {"kind": "record", "releases": span("3.7")}
    found = explaining("KR501", of_copies)
    assert found is not None
    assert (found[0].issue, found[1].unsure) == ("KAFKA-18723", True)
    assert explaining("KR501", of_copies | {"kind": "time"}) is None
    assert explaining("KR501", of_copies | {"releases": span("4.1")}) is None
    assert explaining("KR502", of_copies) is None


def test_causes_differ_and_the_first_that_fits_counts() -> None:
    marks = [each.mark for each in causes()]
    assert len(set(marks)) == len(marks)
    for each in causes():
        assert cause_of([f"before {each.mark} after"]) == each.means
    assert cause_of(["nothing", "java.io.IOException: Map failed"]) is not None
    assert cause_of([]) is None
    assert cause_of(["java.lang.RuntimeException: something else"]) is None
