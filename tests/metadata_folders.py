"""Folders of nodes with a metadata log of a few records, and their reports."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import Report
from isrproof.traces.cases import FOLDER
from isrproof.traces.metadata.text import log_bytes

RECORDED = Path(__file__).parents[1] / "traces" / "recorded-kraft"
SEGMENT = "00000000000000000000.log"
BEGINNING = (FOLDER / "three-brokers.jsonl").read_text(encoding="utf-8").splitlines()
TOPIC = "ordersAAAAAAAAAAAAAAAA"


def change(offset: int, epoch: int = 1, **data: object) -> str:
    """A record that changes the partition of the topic."""
    row = {"offset": offset, "epoch": epoch, "type": "PARTITION_CHANGE_RECORD", "data": {"topicId": TOPIC, **data}}
    return json.dumps(row)


def elected(offset: int, epoch: int, leader: int, voters: Sequence[int] = (1, 2, 3)) -> str:
    """A record of the election of a leader of the quorum."""
    those = [{"voterId": voter} for voter in voters]
    data = {"leaderId": leader, "voters": those, "grantingVoters": those}
    return json.dumps({"offset": offset, "epoch": epoch, "type": "LEADER_CHANGE", "version": 0, "data": data})


THREE_VOTERS = [elected(0, 1, 1), *BEGINNING[1:]]


def put(folder: Path, node: int, lines: Sequence[str], name: str = SEGMENT, cluster: str = "c") -> Path:
    """A file of a node's metadata log."""
    file = folder / f"node-{node}" / "__cluster_metadata-0" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(log_bytes(lines))
    (file.parents[1] / "meta.properties").write_text(f"version=1\nnode.id={node}\ncluster.id={cluster}\n")
    return file


def report(*paths: Path, engine: str = "python", **options: object) -> Report:
    """The report of one cluster."""
    (found,) = audit([str(path) for path in paths], Options(engine=engine, **options))  # type: ignore[arg-type]
    return found


@cache
def recorded(name: str) -> Report:
    """The report of a recording, made once for all tests of a process."""
    return report(RECORDED / name)


def found(shown: Report) -> list[tuple[str, str, int | None]]:
    """The rule, verdict and offset of each finding."""
    return [(each.rule, each.verdict, each.place.offset) for each in shown.findings]


def at(offset: int) -> int:
    """Return the time at which the record at an offset was written."""
    return 1_700_000_001_000 + 1_000 * offset
