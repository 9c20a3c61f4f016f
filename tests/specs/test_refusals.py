"""The tables against Kafka itself: refusing a step it prints the valid previous states of the release that runs."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from isrproof.specs.machines import Machine, machine
from isrproof.specs.refusals import known_refusal
from isrproof.specs.releases import release

RECORDED = Path(__file__).parents[2] / "traces" / "recorded"
REFUSAL = re.compile(
    r"(?P<entity>Replica|Partition) \S+ should be in (?:the|one of) (?P<printed>[\w,]+) states"
    r" before moving to (?P<target>\w+) state\. Instead it is in (?P<source>\w+) state"
)


def lines(path: Path) -> Iterator[str]:
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8", errors="replace") as file:
        yield from file


def refusals(recording: Path) -> Iterator[tuple[Machine, re.Match[str]]]:
    for path in sorted(recording.glob("broker-*/state-change.log*")):
        for line in lines(path):
            if refused := REFUSAL.search(line):
                yield machine(refused["entity"].lower()), refused


RECORDINGS = [manifest.parent for manifest in sorted(RECORDED.glob("*/manifest.json"))]


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.name)
def test_every_refusal_prints_the_row_of_its_release(recording: Path) -> None:
    version = json.loads((recording / "manifest.json").read_text(encoding="utf-8"))["kafka"]
    for table, refused in refusals(recording):
        assert tuple(refused["printed"].split(",")) == table.previous(refused["target"], version), refused[0]
        assert not table.valid_in(refused["source"], refused["target"]) & release(version).mask, refused[0]


def test_the_recordings_show_kafka_8237() -> None:
    """A deletion with a dead broker is refused up to 2.2, and the two rows of ReplicaDeletionIneligible are printed."""
    printed: Counter[str] = Counter()
    for recording in RECORDINGS:
        for _, refused in refusals(recording):
            if refused["target"] == "ReplicaDeletionIneligible":
                printed[refused["printed"]] += 1
    assert set(printed) == {"ReplicaDeletionStarted", "OfflineReplica,ReplicaDeletionStarted"}


def test_what_a_cancelled_reassignment_leaves_is_not_harmless() -> None:
    """Since 2.4 (KIP-455) a replica may be in the ISR that the controller has no state of; before it may not."""
    pair = ("NonExistentReplica", "OnlineReplica")
    before, since = (known_refusal(*pair, release(each).mask) for each in ("2.3", "2.4"))
    assert before is not None
    assert since is not None
    assert (before.harmless, since.harmless) == (True, False)
    assert "cancelled" in since.when
    assert "cancelled" not in before.when
