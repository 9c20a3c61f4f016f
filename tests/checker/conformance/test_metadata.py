"""Metadata logs against the model `kraft`: recordings are paths of it, faults are not, and the guard is named."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from isrproof.checker.conformance.metadata.contexts import Chosen
from isrproof.checker.conformance.metadata.validate import validate
from isrproof.specs.errors import IsrproofError
from isrproof.specs.releases import release

from tests.checker.audit.test_metadata_faults import CONTROL, FAULTS, Log, log_of, recordings, written
from tests.conftest import SHARED
from tests.metadata_logs import unpack_samples

SAMPLES = SHARED / "kafka" / "kraft-samples"
RECORDED = {each.name: each for each in recordings()}


@pytest.mark.parametrize("recording", RECORDED)
def test_a_recording_is_a_path_of_the_model(recording: str) -> None:
    found = validate([str(RECORDED[recording])], Chosen())
    assert (found.verdict, found.reason) == ("accepted", "")
    assert found.matched == found.compared > 10


@pytest.mark.skipif(not SAMPLES.exists(), reason="../shared/kafka/kraft-samples is not here")
def test_the_samples_are_paths_of_the_model(tmp_path: Path) -> None:
    for folder in unpack_samples(SHARED, tmp_path).iterdir():
        found = validate([str(folder)], Chosen())
        assert (found.verdict, found.reason) == ("accepted", "")
        assert found.matched == found.compared > 100


@pytest.mark.parametrize(
    ("recording", "fixed", "bug", "guard"),
    [
        ("elr-4.0.0", "4.1", "KAFKA-19522", "Register: unclean: who is elected is active"),
        (
            "chaos-3.5.2",
            "3.8",
            "KAFKA-15665",
            "Reassign: a reassignment ends when all replicas that stay are in the ISR",
        ),
    ],
)
def test_a_released_bug_is_no_path_where_it_is_mended(recording: str, fixed: str, bug: str, guard: str) -> None:
    for chosen in (Chosen(release(fixed).mask), Chosen(without=(bug,))):
        found = validate([str(RECORDED[recording])], chosen)
        assert (found.verdict, found.guard) == ("rejected", guard)
        assert found.place is not None
    again = validate([str(RECORDED[recording])], Chosen(release(fixed).mask, adding=(bug,)))
    assert again.place != found.place or again.verdict == "accepted"


def voters(log: Log) -> list[int]:
    """Who must have a record for it to be committed."""
    changes = [each for batch in log.batches for each in batch.records if each.type == "LEADER_CHANGE"]
    return [each["voterId"] for each in (changes[-1].data or {})["voters"]]


NOT_OF_THE_MODEL = {
    *("directory_of_another", "directory_of_nobody", "topic_id_reused", "topic_name_reused", "hole_in_partitions"),
    *("change_of_nothing", "transaction_in_transaction", "producer_ids_again"),
    *("minority_leader", "leader_that_is_no_voter", "two_voters_at_once", "wrong_broker_epoch", "broker_epoch_reused"),
}
"""Faults of what is in no projection on one partition and its brokers, and of epochs of brokers: rules have these."""


@pytest.mark.parametrize("name", sorted({*FAULTS} - NOT_OF_THE_MODEL))
def test_a_planted_fault_is_no_path(name: str, tmp_path: Path) -> None:
    _, fault = FAULTS[name]
    planted = 0
    for recording in (RECORDED[each] for each in ("unclean-3.3.2", "chaos-3.5.2", "jbod-3.7.2", "chaos-4.2.0")):
        log = log_of(recording, random.Random(f"{name} {recording.name} 0"))
        messages = fault(log)
        if messages is not None:
            planted += 1
            at = written(log, tmp_path / recording.name, messages, control=fault in CONTROL, voters=voters(log))
            found = validate([str(tmp_path / recording.name)], Chosen())
            assert found.place is not None, (recording.name, messages[-1])
            assert log.end <= (found.place.offset or 0) <= at
    assert planted


def test_a_release_that_cannot_run_at_the_level_of_the_log_is_misuse() -> None:
    with pytest.raises(IsrproofError, match=r"Kafka 3\.9 can write, got metadata\.version 4\.1-IV1; .* one of >=4\.1"):
        validate([str(RECORDED["elr-4.1.0"])], Chosen(release("3.9").mask))
    assert validate([str(RECORDED["elr-4.1.0"])], Chosen(release("4.1").mask)).verdict == "accepted"
