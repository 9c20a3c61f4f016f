"""Generator of a cluster's logs, of about the requested size."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from .broker_faults import plant_in_brokers
from .faults import leaderless_unnoticed, plant
from .state import Fault
from .tenure import Cluster, Tenure, cluster

PARTITIONS = 100_000
TENURES_PER_GIGABYTE = 3
_FIRST_EPOCH = 7


@dataclass(frozen=True)
class Generated:
    """The written logs. `faults` are all findings that an audit must give; it must give no others."""

    folder: Path
    lines: int
    size: int
    faults: tuple[Fault, ...]


def generate(folder: Path, gigabytes: float, seed: int = 1) -> Generated:
    """Write logs of about this size under a new `folder`; up to 1 GB the cluster grows, then the time."""
    partitions = round(PARTITIONS * min(1.0, gigabytes))
    tenures = round(TENURES_PER_GIGABYTE * max(1.0, gigabytes))
    return story(folder, 100, partitions, tenures, seed, faults=2)


def generate_with_brokers(folder: Path, gigabytes: float, seed: int = 1) -> Generated:
    """Write the same, with the lines of the brokers that are never controllers; the faults are in these."""
    partitions = round(PARTITIONS * min(1.0, gigabytes))
    tenures = round(max(1.0, gigabytes))
    return story(folder, 100, partitions, tenures, seed, faults=0, broker_faults=2)


def story(
    folder: Path, brokers: int, partitions: int, tenures: int, seed: int, faults: int, broker_faults: int = 0
) -> Generated:
    """Run a number of controllers one after the other, each killed; in the time of each, a broker dies and comes back.

    Args:
        faults: number of faults of each kind in a controller's time.
        broker_faults: the same for kinds in brokers' lines, which are written then.
    """
    if folder.exists():
        shutil.rmtree(folder)
    c = cluster(folder, brokers, partitions, seed)
    if broker_faults:
        c.log_brokers(range(tenures + 1, brokers + 1))
    before: tuple[int, int] | None = None
    for i in range(tenures):
        controller, epoch = i % brokers + 1, _FIRST_EPOCH + i
        _tenure(c, controller, epoch, before, faults, broker_faults)
        before = (controller, epoch)
    c.close()
    found = tuple(sorted(c.faults))
    (folder / "faults.json").write_text(json.dumps([asdict(fault) for fault in found], indent=1), encoding="utf-8")
    size = sum(file.stat().st_size for file in folder.rglob("*.log"))
    return Generated(folder, c.lines, size, found)


def _tenure(
    c: Cluster, controller: int, epoch: int, before: tuple[int, int] | None, faults: int, broker_faults: int
) -> None:
    t = Tenure(c, controller, epoch)
    silent = []
    if before is not None:
        t.cache_states(*before, cached=[p for p in c.partitions if controller in p.replicas])
        silent = leaderless_unnoticed(c)
    t.start(silent)
    if before is not None:
        t.broker_returns(before[0])
    t.create(f"new.in.epoch-{epoch}", 10)
    broker = c.random.choice([b for b in c.live if b != controller])
    t.broker_dies(broker)
    t.broker_returns(broker)
    plant(t, faults)
    plant_in_brokers(t, broker_faults)
    t.close()
    c.dead.add(controller)
