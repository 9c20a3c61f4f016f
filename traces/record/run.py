"""Recording of one scenario: starts the cluster, plays the story, keeps logs and manifest."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...specs.releases import release
from ..sources.packing import gzipped
from . import jars, manifest, replicas, traffic, zklog
from .clock import utc
from .cluster import Cluster
from .configuration import BROKER_SETTINGS
from .errors import RecordError
from .java import find_java
from .processes import exit_on_signals
from .releases import key, line_of
from .scenarios import Scenario
from .story import Story
from .traffic import Traffic
from .zookeeper import Znodes, answering, check_installed

KEPT_LOGS = ("state-change.log", "controller.log", "server.log")
GZIP_FROM = 200_000
"""Size in bytes from which a log is kept compressed."""


@dataclass(frozen=True)
class Options:
    """Options that a user sets beside the scenario and the version."""

    level: str = "default"
    """Level of state.change.logger: `default` (the release's own), `trace` or `info`."""
    seed: int = 0
    stop: str = "kill"
    kafka_home: Path | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    """Broker settings that replace the recorder's or the release's own."""


def record(
    scenario: Scenario, version: str, out: Path, options: Options, tell: Callable[[str], None]
) -> dict[str, Any]:
    """Run the scenario on a cluster of that version, leave the recording in the folder `out`, and return its manifest.

    Raises RecordError if it cannot be made: then there is no `out` and no process is left.
    """
    if out.exists():
        raise RecordError(f"{out} exists: recordings are never overwritten. Choose another --out, or remove it.")
    check_installed()
    line = line_of(version)
    if scenario.traffic:
        _check_traffic(scenario, version)
    java = find_java()
    if options.kafka_home is not None:
        if line.zookeeper_swapped and java.major >= 14:
            raise RecordError(
                f"Kafka {version}'s own ZooKeeper client does not connect on Java {java.version}. Leave out "
                "--kafka-home (Maven then brings a newer client), or set JAVA_HOME to a Java from 8 to 13."
            )
        libs = jars.jars_of_home(options.kafka_home, version)
    else:
        tell(f"jars of Kafka {version}")
        libs = jars.jars(line, version)
    level = release(version).state_change_level if options.level == "default" else options.level.upper()
    out.parent.mkdir(parents=True, exist_ok=True)
    with (
        exit_on_signals(),
        tempfile.TemporaryDirectory(prefix="isrproof-record-") as name,
        tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as making,
    ):
        folder = Path(name)
        began = time.time_ns() // 1_000_000
        settings = {**scenario.settings, **options.settings}
        with Cluster(java, libs, folder, scenario.brokers, level, settings, scenario.disks) as cluster:
            story = _play(scenario, cluster, options, tell)
        kept = Path(making) / out.name
        kept.mkdir()
        written: dict[str, Any] = {
            "format": manifest.FORMAT,
            "scenario": scenario.name,
            "stop": options.stop,
            "seed": options.seed,
            "kafka": version,
            "scala": line.scala,
            "zookeeper": jars.version_in(libs, "zookeeper"),
            "java": java.version,
            "state_change_level": level,
            "settings": {**BROKER_SETTINGS, **settings},
            "brokers": {str(broker): f"127.0.0.1:{cluster.ports[broker]}" for broker in scenario.brokers},
            "began": utc(began),
            "ended": utc(time.time_ns() // 1_000_000),
            "files": [row for broker in scenario.brokers for row in _keep(cluster.home(broker), kept)],
            "timeline": story.timeline,
            "znodes": manifest.znodes(zklog.changes(cluster.home(0) / "data" / "version-2")),
        }
        if story.traffic is not None:
            disks = {broker: cluster.disks(broker) for broker in cluster.brokers}
            written |= replicas.written(story.traffic, disks, manifest.leaders(written))
        (kept / "manifest.json").write_text(manifest.text(written), encoding="utf-8")
        kept.rename(out)
    return written


def _check_traffic(scenario: Scenario, version: str) -> None:
    if key(version) < traffic.OLDEST:
        raise RecordError(
            f"The scenario {scenario.name} writes records, and their logs can be read from 0.11.0.0 on; got {version}."
        )
    traffic.check_installed()


def _play(scenario: Scenario, cluster: Cluster, options: Options, tell: Callable[[str], None]) -> Story:
    """Play the story to its end, after which no broker runs."""
    cluster.start_zookeeper()
    cluster.wait_for_zookeeper()
    with answering():
        znodes = Znodes(cluster.ports[0])
        try:
            story = Story(cluster, znodes, options.stop, random.Random(options.seed), tell)
            with Traffic(cluster.servers) if scenario.traffic else nullcontext() as story.traffic:
                scenario.run(story)
            story.note("end")
            return story
        finally:
            cluster.stop_brokers()
            znodes.close()


def _keep(home: Path, kept: Path) -> list[dict[str, Any]]:
    """Copy a broker's logs, the large ones compressed (to the same bytes every time); return a row of the manifest for
    each.

    The machine's folder that server.log prints becomes `/var/lib/kafka`.
    """
    rows = []
    target = kept / home.name
    target.mkdir()
    for name in KEPT_LOGS:
        file = home / name
        if not file.is_file() or not file.stat().st_size:
            continue
        raw = file.read_bytes().replace(str(home).encode(), b"/var/lib/kafka")
        if len(raw) >= GZIP_FROM:
            (target / f"{name}.gz").write_bytes(gzipped(raw))
        else:
            (target / name).write_bytes(raw)
        kept_as = f"{home.name}/{name}" + (".gz" if len(raw) >= GZIP_FROM else "")
        rows.append({"file": kept_as, "bytes": len(raw), "lines": raw.count(b"\n")})
    return rows
