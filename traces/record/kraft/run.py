"""Recording of one scenario in KRaft mode: starts the cluster, plays the story, keeps logs, metadata and Kafka's
dump."""

from __future__ import annotations

import json
import lzma
import random
import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ....specs.errors import unknown
from ...metadata.batches import Batches
from ...metadata.files import RECORDS, named
from ...sources.packing import gzipped
from .. import jars, releases
from ..errors import RecordError
from ..java import find_java
from ..manifest import text
from ..processes import exit_on_signals
from ..replicas import written
from ..traffic import Traffic, check_installed
from .cluster import KRaftCluster, Roles, of_release
from .compare import versions
from .dump import DUMP
from .scenarios import KRaftScenario
from .story import Story

GZIP_FROM = 50_000
"""Size in bytes from which a log is kept compressed."""
KEPT_LOGS = ("server.log", "controller.log", "state-change.log")
_KEPT_KINDS = (*RECORDS, "quorum-state", "epochs", "properties")
"""Kinds of metadata files that are kept: no leftovers, and no index, because a killed node leaves ten megabytes of
zeros in one."""
FORMAT = 1
_FEATURES_SINCE = (4, 0)
"""The first release whose format tool sets features."""
LAYOUTS = {"combined": ((1, 2, 3), (1, 2, 3)), "split": ((11, 12, 13), (1, 2, 3))}


@dataclass(frozen=True)
class Options:
    """Options that a user sets beside scenario and version; `layout` is a name of LAYOUTS, or None for the scenario's
    own."""

    seed: int = 0
    layout: str | None = None
    kafka_home: Path | None = None
    settings: Mapping[str, str] = field(default_factory=dict)


def line_of(version: str) -> releases.Line:
    """Return the row of a full version; RecordError or UnknownNameError otherwise."""
    for line in releases.KRAFT_LINES:
        if version in line.patches:
            return line
    known = [patch for line in releases.KRAFT_LINES for patch in line.patches]
    raise unknown("Kafka release that can be recorded in KRaft mode", version, known)


def record(
    scenario: KRaftScenario, version: str, out: Path, options: Options, tell: Callable[[str], None]
) -> dict[str, Any]:
    """Run the scenario, leave the recording in the folder `out`, and return its manifest.

    Raises:
        RecordError: it cannot be made; then there is no `out`, and no process is left.
    """
    if out.exists():
        raise RecordError(f"{out} exists: recordings are never overwritten. Choose another --out, or remove it.")
    line = line_of(version)
    if not scenario.since <= releases.key(version) < scenario.until:
        first, end = (".".join(map(str, each)) for each in (scenario.since, scenario.until))
        raise RecordError(f"The scenario {scenario.name} needs Kafka {first} or later, before {end}; got {version}.")
    layout = _layout(scenario, options, version)
    if scenario.traffic:
        check_installed()
    java = find_java()
    libs = jars.jars(line, version) if options.kafka_home is None else jars.jars_of_home(options.kafka_home, version)
    out.parent.mkdir(parents=True, exist_ok=True)
    with (
        exit_on_signals(),
        tempfile.TemporaryDirectory(prefix="isrproof-record-") as name,
        tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as making,
    ):
        settings = {**of_release(scenario.settings, version), **options.settings}
        with KRaftCluster(java, libs, Path(name), version, layout, options.seed, settings) as cluster:
            story = Story(cluster, random.Random(options.seed), tell)
            if not scenario.starts_nodes:
                story.begin()
            with Traffic(cluster.servers) if scenario.traffic else nullcontext() as story.traffic:
                scenario.run(story)
            story.note("end")
            cluster.stop_all()
            kept = Path(making) / out.name
            manifest: dict[str, Any] = {
                "format": FORMAT,
                "mode": "kraft",
                "scenario": scenario.name,
                "seed": options.seed,
                "kafka": version,
                "java": java.version,
                "controllers": list(layout.controllers),
                "brokers": list(layout.brokers),
                "settings": settings,
                "files": [file for node in layout.nodes for file in _keep(cluster, node, kept, line.dump_tool)],
            }
            if story.traffic is not None:
                leaders = {(each.topic, each.partition): each.leader for each in versions(kept)}
                disks = {broker: cluster.disks(broker) for broker in layout.brokers}
                manifest |= written(story.traffic, disks, leaders)
            (kept / "manifest.json").write_text(text(manifest), encoding="utf-8")
            rows = "".join(json.dumps(row) + "\n" for row in story.timeline)
            (kept / "timeline.jsonl").write_text(rows, encoding="utf-8")
            kept.rename(out)
    return manifest


def _layout(scenario: KRaftScenario, options: Options, version: str) -> Roles:
    features = scenario.features if releases.key(version) >= _FEATURES_SINCE else {}
    layout = replace(scenario.layout, features=features)
    if options.layout is not None:
        own, (controllers, brokers) = layout, LAYOUTS[options.layout]
        layout = replace(layout, controllers=controllers, brokers=brokers)
        # Voters join and leave, or brokers of ZooKeeper come first: these scenarios name their nodes.
        if layout != own and (scenario.starts_nodes or own.founders):
            raise RecordError(
                f"The scenario {scenario.name} has its own nodes, controllers {_listed(own.controllers)} and brokers "
                f"{_listed(own.brokers)}; got the layout {options.layout}. Use --kraft without a layout."
            )
    return layout


def _listed(ids: tuple[int, ...]) -> str:
    return ", ".join(map(str, ids))


def _write(file: Path, raw: bytes) -> None:
    """Write a log, compressed if it is large; the bytes are the same every time."""
    if len(raw) < GZIP_FROM:
        file.write_bytes(raw)
    else:
        file.with_name(f"{file.name}.gz").write_bytes(gzipped(raw))


def _without_zeros(segment: Path) -> None:
    """Cut off the megabytes that Kafka allocates for a segment and has not written when it is killed."""
    batches = Batches(str(segment))
    for _ in batches.frames():
        pass
    if batches.zeros:
        with segment.open("r+b") as file:
            file.truncate(segment.stat().st_size - batches.zeros)


def _is_kept(file: Path) -> bool:
    """Return True if a file of a metadata folder belongs to a recording."""
    found = named(str(file)) if file.is_file() else None
    return found is not None and found.kind in _KEPT_KINDS


def _keep(cluster: KRaftCluster, node: int, kept: Path, dump_tool: str) -> list[str]:
    """Copy a node's logs and metadata files, and the dump of them; return their names. Folders are not named."""
    target = kept / f"node-{node}"
    (target / "metadata").mkdir(parents=True)
    for name in KEPT_LOGS:
        file = cluster.home(node) / name
        if file.is_file() and file.stat().st_size:
            content = file.read_text(encoding="utf-8", errors="replace").replace(
                str(cluster.home(node)), "/var/lib/kafka"
            )
            _write(target / name, content.replace(str(cluster.folder), "/var/lib").encode())
    for place, into in ((cluster.metadata(node), target / "metadata"), (cluster.disks(node)[0], target)):
        for file in filter(_is_kept, sorted(place.iterdir())):
            shutil.copyfile(file, into / file.name)
    for segment in target.glob("metadata/*.log"):
        _without_zeros(segment)
    dumped = sorted(str(path) for ending in ("log", "checkpoint") for path in (target / "metadata").glob(f"*.{ending}"))
    asked = ["--cluster-metadata-decoder", "--files", ",".join(dumped)]
    content = cluster.tool(dump_tool, asked, cluster.folder)
    (target / DUMP).write_bytes(lzma.compress(content.replace(f"{kept}/", "").encode()))
    return sorted(str(path.relative_to(kept)) for path in target.rglob("*") if path.is_file())
