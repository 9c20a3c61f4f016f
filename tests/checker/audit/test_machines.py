"""The `transitions` machines drive runs; what they refuse, written as if it had been made, is what the audit calls
illegal, and nothing else is.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.machines import transition_machine, trigger
from isrproof.specs.machines import machine
from isrproof.specs.releases import RELEASES, span
from isrproof.traces.events.event import Event
from isrproof.traces.events.render import render
from transitions import MachineError

from tests.evaluated import evaluated

# 0.8.0 prints no from-states of replicas.
ZOOKEEPER = [release.name for release in RELEASES if release.mask & span("0.8.1-3.9")]
WALKS, STEPS = 6, 25
_ROWS = {
    "NewPartition": "partition-created",
    "OnlinePartition": "partition-online",
    "OfflinePartition": "partition-offline-or-gone",
    "NonExistentPartition": "partition-offline-or-gone",
}


def moved(name: str, before: str, after: str, count: int) -> Event:
    told: dict[str, Any] = {"topic": "t", "partition": 0, "controller": 3, "controller_epoch": 2}
    told |= {
        "ts": 1_533_297_600_200 + count,
        "from_state": before,
        "to_state": after,
        "replicas": (1, 2),
        "recovery": "RECOVERED",
    }
    if name == "replica":
        return Event("replica-moved", replica=1, **told)
    # The first election of a new partition creates its znode, any other one raises both numbers.
    epoch = 0 if before == "NewPartition" else count + 1
    return Event(_ROWS[after], leader=1, isr=(1, 2), leader_epoch=epoch, partition_epoch=epoch, **told)


def walk(name: str, release: str, dice: random.Random, faults: bool) -> tuple[list[Event], set[int]]:
    """Moves that the machine makes, and where it was made to make one that it refuses."""
    driven = transition_machine(name, release)
    states = [state.name for state in machine(name).states_in(release)]
    events: list[Event] = []
    refused = set()
    for count in range(STEPS):
        before = driven.state
        legal = driven.get_triggers(before)
        wanted = trigger(dice.choice(states)) if faults and dice.random() < 0.3 else dice.choice(legal)
        try:
            driven.trigger(wanted)
        except MachineError:
            refused.add(len(events))
            driven.set_state(wanted.removeprefix(trigger("")))
        events.append(moved(name, before, driven.state, count))
    return events, refused


@pytest.mark.full(every=12)
@pytest.mark.parametrize("release", ZOOKEEPER)
def test_what_the_machine_refuses_is_illegal_and_nothing_else(release: str, tmp_path: Path) -> None:
    dice = random.Random(release)
    earlier = render(Event("partition-refused", topic="z", partition=0, controller=9, controller_epoch=1,
                           from_state="OfflinePartition", to_state="OnlinePartition"), release)  # fmt: skip
    refused = {}
    for name in ("replica", "partition"):
        for i in range(WALKS):
            events, where = walk(name, release, dice, faults=i > 1)
            path = tmp_path / f"{name}-{i}.log"
            path.write_text("".join(f"{line}\n" for line in [earlier, *(render(event, release) for event in events)]))
            refused[str(path)] = {number + 2 for number in where}
    reports = audit(list(refused), Options.of(release, each=True, engine="python"))
    for (path, lines), report in zip(refused.items(), reports, strict=True):
        found = {(finding.file, finding.line) for finding in report.findings if finding.verdict == "illegal"}
        assert found == {(path, line) for line in lines}
        rules = {finding.rule for finding in report.findings if finding.verdict == "illegal"}
        rule = "KR101" if "replica" in Path(path).name else "KR102"
        assert rules <= {rule} <= evaluated(report)
    assert any(refused.values())
