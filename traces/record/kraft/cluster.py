"""Nodes in KRaft mode as processes: controllers, brokers, or both in one; and the Admin client that steers them."""

from __future__ import annotations

import base64
import random
import select
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from signal import Signals
from typing import NamedTuple

from .. import processes
from ..configuration import LAYOUT, properties
from ..errors import RecordError
from ..java import JVM, Java

# Story-telling speed, not production values; the rest is each release's default.
SETTINGS: Mapping[str, str] = {
    "broker.session.timeout.ms": "5000",
    "broker.heartbeat.interval.ms": "1000",
    "metadata.log.max.record.bytes.between.snapshots": "12000",
    "leader.imbalance.check.interval.seconds": "20",
    "replica.lag.time.max.ms": "6000",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "num.network.threads": "2",
    "num.io.threads": "2",
    "background.threads": "2",
    "log.cleaner.enable": "false",
    "controlled.shutdown.retry.backoff.ms": "1000",
}


class Setting(NamedTuple):
    """A setting of a node, in releases from `since` on and before `until`."""

    name: str
    value: str
    since: tuple[int, ...] = ()
    until: tuple[int, ...] = (99,)


_LATER = (
    Setting("metadata.log.max.snapshot.interval.ms", "25000", since=(3, 4)),
    Setting("unclean.leader.election.interval.ms", "6000", since=(3, 9)),
)
_LOGGERS = {
    "state.change.logger": ("INFO", "state-change"),
    "org.apache.kafka.controller": ("INFO", "controller"),
    "kafka.controller": ("TRACE", "controller"),
}
"""Loggers with their level and file; the last is of ZooKeeper mode, before a migration."""
_ANSWER_SECONDS = 40.0


@dataclass(frozen=True)
class Roles:
    """The ids of controllers and brokers; an id in both is a combined node."""

    controllers: tuple[int, ...] = (1, 2, 3)
    brokers: tuple[int, ...] = (1, 2, 3)
    disks: int = 1
    """Number of directories of a broker."""
    features: Mapping[str, int] = field(default_factory=dict)
    """Features that the format tool sets."""
    release: str | None = None
    """The earlier release for which the format tool formats."""
    racks: Mapping[int, str] = field(default_factory=dict)
    """Racks of brokers."""
    founders: tuple[int, ...] = ()
    """First voters of a quorum whose voters change (KIP-853); if empty, the voters are the controllers in the
    configuration."""

    @property
    def nodes(self) -> tuple[int, ...]:
        return tuple(sorted({*self.controllers, *self.brokers}))

    def roles(self, node: int) -> str:
        named = {"broker": self.brokers, "controller": self.controllers}
        return ",".join(role for role, ids in named.items() if node in ids)


@dataclass
class KRaftCluster:
    """The paths of a cluster, and its running processes. Leaving the `with` block kills all that still run."""

    java: Java
    jars: Path
    folder: Path
    version: str
    layout: Roles
    seed: int
    settings: Mapping[str, str]
    ports: dict[str, int] = field(default_factory=dict)
    running: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)
    _admin: subprocess.Popen[bytes] | None = None
    _output: bytes = b""

    def __enter__(self) -> KRaftCluster:
        names = [f"{role}{node}" for node in self.layout.nodes for role in "bc"]
        self.ports = dict(zip(names, processes.free_ports(len(names)), strict=True))
        self.cluster_id = base64.urlsafe_b64encode(b"isr" + random.Random(self.seed).randbytes(13)).decode()[:22]
        return self

    def __exit__(self, *_: object) -> None:
        self.stop_all()

    def stop_all(self) -> None:
        if self._admin is not None:
            processes.kill_all([self._admin])
            self._admin = None
        processes.kill_all(list(self.running.values()))
        self.running.clear()

    def home(self, node: int) -> Path:
        return self.folder / f"node-{node}"

    def disks(self, node: int) -> list[Path]:
        """Return the log directories of a node; the first has the metadata log."""
        count = self.layout.disks if node in self.layout.brokers else 1
        return [self.home(node) / f"data-{number}" for number in range(1, count + 1)]

    def metadata(self, node: int) -> Path:
        return self.disks(node)[0] / "__cluster_metadata-0"

    def format(self, node: int) -> None:
        """Write the node's configuration, and format its directories."""
        home = self.home(node)
        self.configure(node, self.configuration(node))
        asked = ["format", "-t", self.cluster_id, "-c", str(home / "server.properties"), *self._quorum(node)]
        asked += ["--release-version", self.layout.release] if self.layout.release else []
        asked += [word for name, level in self.layout.features.items() for word in ("--feature", f"{name}={level}")]
        self.tool("kafka.tools.StorageTool", asked, home)

    def configure(self, node: int, settings: Mapping[str, object]) -> None:
        """Write the files that a node reads when it starts."""
        home = self.home(node)
        home.mkdir(parents=True, exist_ok=True)
        (home / "server.properties").write_text(properties(settings))
        (home / "log4j.properties").write_text(log4j_file(home))

    def _quorum(self, node: int) -> list[str]:
        """Return the format tool's options for a quorum whose voters change."""
        founders = self.layout.founders
        if not founders:
            return []
        if node not in founders:
            return ["--no-initial-controllers"]
        named = (f"{each}@127.0.0.1:{self.ports[f'c{each}']}:{self._directory(each)}" for each in founders)
        return ["--initial-controllers", ",".join(named)]

    def _directory(self, node: int) -> str:
        """Return the id of a founder's directory; every founder names all of them."""
        return base64.urlsafe_b64encode(b"isr" + random.Random(f"{self.seed} {node}").randbytes(13)).decode()[:22]

    def directory(self, node: int) -> str:
        """Return the id of a node's metadata directory, from its meta.properties."""
        rows = (self.disks(node)[0] / "meta.properties").read_text().splitlines()
        return next(row.partition("=")[2] for row in rows if row.startswith("directory.id="))

    def tool(self, main: str, arguments: Sequence[str], home: Path) -> str:
        """Run one of Kafka's tools to its end, and return its output.

        Raises:
            RecordError: it failed.
        """
        (home / "tool-log4j.properties").write_text(properties({"log4j.rootLogger": "OFF"}))
        command = [self.java.command, *JVM, "-Xmx256m"]
        command += [f"-Dlog4j.configuration=file:{home / 'tool-log4j.properties'}", "-cp", str(self.jars / "*"), main]
        done = subprocess.run([*command, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            raise RecordError(f"{main} failed:\n{(done.stdout + done.stderr)[-2000:]}")
        return done.stdout

    @property
    def servers(self) -> str:
        """The brokers' addresses, for clients."""
        return ",".join(f"127.0.0.1:{self.ports[f'b{node}']}" for node in self.layout.brokers)

    @property
    def voters(self) -> str:
        """The controllers, as the nodes of a quorum with fixed voters are configured with them."""
        return ",".join(f"{each}@127.0.0.1:{self.ports[f'c{each}']}" for each in self.layout.controllers)

    def configuration(self, node: int) -> dict[str, object]:
        """Return the configuration of a node."""
        layout = self.layout
        servers = ",".join(f"127.0.0.1:{self.ports[f'c{each}']}" for each in layout.controllers)
        listeners = {
            "broker": f"PLAINTEXT://127.0.0.1:{self.ports[f'b{node}']}",
            "controller": f"CONTROLLER://127.0.0.1:{self.ports[f'c{node}']}",
        }
        roles = layout.roles(node).split(",")
        found: dict[str, object] = {
            "process.roles": ",".join(roles),
            "node.id": node,
            **({"controller.quorum.bootstrap.servers": servers} if layout.founders else {}),
            **({} if layout.founders else {"controller.quorum.voters": self.voters}),
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "listeners": ",".join(listeners[role] for role in roles),
            "log.dirs": ",".join(map(str, self.disks(node))),
            **SETTINGS,
        }
        if "broker" in roles:
            found["advertised.listeners"] = listeners["broker"]
        if node in layout.racks:
            found["broker.rack"] = layout.racks[node]
        return {**found, **of_release(_LATER, self.version), **self.settings}

    def start(self, node: int) -> None:
        home = self.home(node)
        command = [self.java.command, *JVM, "-Xmx320m", f"-Dkafka.logs.dir={home}"]
        command += [f"-Dlog4j.configuration=file:{home / 'log4j.properties'}", "-cp", str(self.jars / "*")]
        self.running[node] = processes.start(
            [*command, "kafka.Kafka", str(home / "server.properties")], home / "output.log"
        )

    def signal(self, node: int, number: Signals) -> None:
        processes.send(self.running[node], number)

    def stop(self, node: int, number: Signals, seconds: float = 90.0) -> None:
        """Stop a node by a signal and wait for its end; kill it if it does not end."""
        self.signal(node, number)
        try:
            self.running[node].wait(seconds)
        except subprocess.TimeoutExpired:
            processes.kill_all([self.running[node]])
        del self.running[node]

    def has_ended(self, node: int) -> bool:
        """Return whether a node's process has ended by itself; if so, it no longer counts as running."""
        if self.running[node].poll() is None:
            return False
        del self.running[node]
        return True

    def ask(self, command: str) -> str:
        """Return the Admin client's answer to a command; "error ..." if Kafka refuses it, or no node answers."""
        if self._admin is not None and self._admin.poll() is not None:
            self._admin = None
        admin = self._admin or self._start_admin()
        assert admin.stdin is not None
        assert admin.stdout is not None
        admin.stdin.write(command.encode() + b"\n")
        admin.stdin.flush()
        deadline = time.monotonic() + _ANSWER_SECONDS
        while time.monotonic() < deadline:
            line, newline, rest = self._output.partition(b"\n")
            if newline:
                self._output = rest
                if line.startswith(b"> "):
                    return line[2:].decode("utf-8", "replace")
            elif select.select([admin.stdout], [], [], 1.0)[0]:
                more = admin.stdout.read1(65536)  # type: ignore[attr-defined]
                if not more:
                    break
                self._output += more
        processes.kill_all([admin])
        self._admin = None
        return "error no answer"

    def _start_admin(self) -> subprocess.Popen[bytes]:
        source = self.folder / "Admin.java"
        with resources.as_file(resources.files(__package__) / "Admin.java") as given:
            shutil.copy(given, source)
        (self.folder / "admin-log4j.properties").write_text(properties({"log4j.rootLogger": "OFF"}))
        command = [self.java.command, *JVM, "-Xmx128m"]
        command += [f"-Dlog4j.configuration=file:{self.folder / 'admin-log4j.properties'}"]
        self._output = b""
        self._admin = subprocess.Popen(
            [*command, "-cp", str(self.jars / "*"), str(source), self.servers],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        return self._admin

    def last_lines(self, node: int, count: int = 15) -> str:
        """Return the end of a node's output, for an error message."""
        for name in ("server.log", "output.log"):
            file = self.home(node) / name
            if file.is_file() and file.stat().st_size:
                rows = file.read_text(encoding="utf-8", errors="replace").splitlines()[-count:]
                return f"The last lines of node {node}:\n" + "\n".join(f"  {row[:300]}" for row in rows)
        return f"Node {node} printed nothing."


def of_release(settings: Iterable[Setting], version: str) -> dict[str, str]:
    """Return the settings that a release has."""
    release = tuple(int(part) for part in version.split("."))
    return {each.name: each.value for each in settings if each.since <= release < each.until}


def log4j_file(logs: Path) -> str:
    """Return Kafka's config/log4j.properties for KRaft, without the hourly roll."""
    rows: dict[str, object] = {"log4j.rootLogger": "INFO, server"}
    for appender in ("server", "state-change", "controller"):
        rows[f"log4j.appender.{appender}"] = "org.apache.log4j.FileAppender"
        rows[f"log4j.appender.{appender}.File"] = logs / f"{appender}.log"
        rows[f"log4j.appender.{appender}.layout"] = "org.apache.log4j.PatternLayout"
        rows[f"log4j.appender.{appender}.layout.ConversionPattern"] = LAYOUT
    for logger, (level, appender) in _LOGGERS.items():
        rows[f"log4j.logger.{logger}"] = f"{level}, {appender}"
        rows[f"log4j.additivity.{logger}"] = "false"
    rows["log4j.logger.org.apache.zookeeper.ZooKeeper"] = "WARN"  # a migration's: it prints the client's environment
    return properties(rows)
