"""Faults at an offset of the metadata log, held against the log that was read beside them."""

from __future__ import annotations

from pathlib import Path

import pytest
from isrproof.checker.audit.findings.happened import Happened

from tests.metadata_folders import BEGINNING, put, report

from .test_nodes import at

LOADING = "ERROR Encountered metadata loading fault: {} (org.apache.kafka.server.fault.LoggingFaultHandler)"
FATAL = "ERROR Encountered fatal fault: {} (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)"
LAST = len(BEGINNING) - 1


def fault(folder: Path, text: str, what: str = "fault") -> Happened:
    put(folder, 1, BEGINNING)
    put(folder, 2, BEGINNING)
    (folder / "node-2" / "server.log").write_text(at(0, text) + "\n", encoding="utf-8")
    (only,) = [each for each in report(folder).happened if each.what == what]
    return only


@pytest.mark.parametrize(
    ("text", "stands"),
    {
        "Error loading metadata log record from offset 6": "at offset 6 of the metadata log stands REGISTER_BR",
        "Unable to apply TopicRecord record at offset 11 on standby controller, from the batch with baseOffset 10": (
            "at offset 11 of the metadata log stands TOPIC_RECORD"
        ),
        "Unable to apply TopicRecord record on standby controller, which was 2 of 3 record(s) in the batch with "
        "baseOffset 10.": "at offset 11 of the metadata log stands TOPIC_RECORD",
        "Error loading metadata log record from offset 9999": (
            f"the metadata log that was read ends before offset 9999, at {LAST}"
        ),
    }.items(),
)
def test_a_fault_names_the_record_at_its_offset(text: str, stands: str, tmp_path: Path) -> None:
    for what, line in (("fault", LOADING), ("process-failed", FATAL)):
        found = fault(tmp_path / what, line.format(text), what)
        assert stands in (found.reason or "")
        records = [place for place in found.places if place.offset is not None]
        assert [place.file for place in records] == [
            str(tmp_path / what / "node-2" / "__cluster_metadata-0" / "00000000000000000000.log")
        ] * ("stands" in stands)


@pytest.mark.parametrize(
    "text",
    [
        "Error applying topics delta in MetadataDelta up to 12",
        "Unable to apply TopicRecord record from snapshot 12-3 on standby controller, which was 2 of 3 record(s) in "
        "the batch with baseOffset 10.",
        "Unable to apply TopicRecord record, which was 2 of 3 record(s) in the batch following last write offset 10.",
    ],
)
def test_a_fault_without_an_offset_of_the_log_names_no_record(text: str, tmp_path: Path) -> None:
    found = fault(tmp_path, LOADING.format(text))
    assert "stands" not in (found.reason or "")
    assert len(found.places) == 1


def test_without_a_metadata_log_nothing_is_said_of_it(tmp_path: Path) -> None:
    (tmp_path / "server.log").write_text(
        at(0, LOADING.format("Error loading metadata log record from offset 6")) + "\n"
    )
    (only,) = report(tmp_path / "server.log").happened
    assert (only.reason or "").endswith("from offset 6")
