"""The signs of known bugs: each is found in its own stack trace, and in no other."""

from __future__ import annotations

import re

import pytest
from isrproof.specs.faults import KnownBug, cause_of, causes, known_bug, known_bugs
from isrproof.specs.lines import rows

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
}


@pytest.mark.parametrize("issue", TRACES)
def test_a_bug_is_known_by_its_trace_and_not_without_a_part_of_it(issue: str) -> None:
    bug = known_bug(FAULT, TRACES[issue])
    assert bug is not None
    assert bug.issue == issue
    assert [each.issue for each in known_bugs() if each.shows(FAULT, TRACES[issue])] == [issue]
    for mark in bug.marks:
        assert known_bug(FAULT, [text for text in TRACES[issue] if mark not in text]) is None
    assert known_bug(FAULT, ["java.io.IOException: no", *TRACES[issue][1:]]) is None


def test_a_bug_is_known_by_the_line_that_only_it_prints() -> None:
    by_line = [each for each in known_bugs() if each.line is not None]
    assert {each.line for each in by_line} <= set(rows())
    assert {each.issue for each in by_line} | set(TRACES) == {each.issue for each in known_bugs()}
    for each in by_line:
        assert known_bug(each.line or "", ()) == each
    assert known_bug(FAULT, ()) is None


@pytest.mark.parametrize("bug", known_bugs(), ids=lambda bug: bug.issue)
def test_a_bug_names_its_releases_and_its_commit(bug: KnownBug) -> None:
    assert re.fullmatch("KAFKA-[0-9]+", bug.issue)
    assert bug.releases
    assert bug.fixed
    assert re.search(r"; commit [0-9a-f]{11}$", bug.source)
    assert all(fixed in bug.advice for fixed in bug.fixed)


def test_causes_differ_and_the_first_that_fits_counts() -> None:
    marks = [each.mark for each in causes()]
    assert len(set(marks)) == len(marks)
    for each in causes():
        assert cause_of([f"before {each.mark} after"]) == each.means
    assert cause_of(["nothing", "java.io.IOException: Map failed"]) is not None
    assert cause_of([]) is None
    assert cause_of(["java.lang.RuntimeException: something else"]) is None
