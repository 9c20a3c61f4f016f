"""One ZooKeeper and the brokers, as processes."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import configuration, processes
from .errors import RecordError
from .java import JVM, Java

START_SECONDS = 120.0
"""Generous, because the machine may be busy with other things."""


@dataclass
class Cluster:
    """The paths of a cluster, and its running processes. Leaving the `with` block kills all that still run."""

    java: Java
    jars: Path
    folder: Path
    brokers: tuple[int, ...]
    state_change_level: str
    settings: Mapping[str, str]
    disks_each: int = 1
    """Number of log directories of a broker."""
    ports: dict[int, int] = field(default_factory=dict)
    """Broker id -> its port; 0 -> ZooKeeper's."""
    running: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)

    def __enter__(self) -> Cluster:
        self.ports = dict(zip((0, *self.brokers), processes.free_ports(len(self.brokers) + 1), strict=True))
        return self

    def __exit__(self, *_: object) -> None:
        self.stop_all()

    def stop_brokers(self) -> None:
        """Stop all brokers at once, so that none logs the end of the others."""
        processes.kill_all([self.running.pop(broker) for broker in self.brokers if broker in self.running])

    def stop_all(self) -> None:
        self.stop_brokers()
        processes.kill_all(list(self.running.values()))
        self.running.clear()

    def home(self, process: int) -> Path:
        """Return the folder of a broker, or of ZooKeeper (0)."""
        return self.folder / (f"broker-{process}" if process else "zookeeper")

    def disks(self, broker: int) -> list[Path]:
        """Return the log directories of a broker."""
        return [self.home(broker) / f"data-{number}" for number in range(1, self.disks_each + 1)]

    @property
    def servers(self) -> str:
        """Every broker's address, as clients expect them."""
        return ",".join(f"127.0.0.1:{self.ports[broker]}" for broker in self.brokers)

    def start_zookeeper(self) -> None:
        home = self.home(0)
        home.mkdir()
        (home / "zookeeper.properties").write_text(configuration.zookeeper_file(home, self.ports[0]))
        options = (
            "-Xmx128m",
            # Small files; nothing here needs to survive a power cut.
            "-Dzookeeper.preAllocSize=1024",
            "-Dzookeeper.forceSync=no",
            # reload4j lacks the log4j class that ZooKeeper's JMX needs.
            "-Dzookeeper.jmx.log4j.disable=true",
        )
        self._start(0, options, "org.apache.zookeeper.server.quorum.QuorumPeerMain", home / "zookeeper.properties")

    def start_broker(self, broker: int) -> None:
        home = self.home(broker)
        home.mkdir(exist_ok=True)
        file = configuration.broker_file(broker, self.disks(broker), self.ports[broker], self.ports[0], self.settings)
        (home / "server.properties").write_text(file)
        self._start(broker, ("-Xmx320m", f"-Dkafka.logs.dir={home}"), "kafka.Kafka", home / "server.properties")

    def _start(self, process: int, options: Sequence[str], main: str, file: Path) -> None:
        home = self.home(process)
        (home / "log4j.properties").write_text(configuration.log4j_file(home, self.state_change_level))
        command = [
            self.java.command,
            *JVM,
            *options,
            f"-Dlog4j.configuration=file:{home / 'log4j.properties'}",
            "-cp",
            str(self.jars / "*"),
            main,
            str(file),
        ]
        self.running[process] = processes.start(command, home / "output.log")

    def alive(self, process: int) -> bool:
        return process in self.running and self.running[process].poll() is None

    def signal(self, broker: int, number: signal.Signals) -> None:
        processes.send(self.running[broker], number)

    def wait_for_end(self, broker: int, seconds: float = START_SECONDS) -> None:
        """Wait until the broker's process has ended; RecordError if it does not."""
        try:
            self.running[broker].wait(seconds)
        except subprocess.TimeoutExpired:
            raise RecordError(
                f"Broker {broker} did not end within {seconds:.0f} s.\n{self.last_lines(broker)}"
            ) from None
        del self.running[broker]

    def wait_for_zookeeper(self) -> None:
        """Wait until ZooKeeper's port answers."""
        deadline = time.monotonic() + START_SECONDS
        while not processes.listens(self.ports[0]):
            if not self.alive(0) or time.monotonic() > deadline:
                raise RecordError(f"ZooKeeper did not come up on port {self.ports[0]}.\n{self.last_lines(0)}")
            time.sleep(0.1)

    def last_lines(self, process: int, count: int = 15) -> str:
        """Return the end of a process's output, for an error message."""
        who = f"broker {process}" if process else "ZooKeeper"
        for name in ("server.log", "output.log"):
            file = self.home(process) / name
            if file.is_file() and file.stat().st_size:
                rows = file.read_text(encoding="utf-8", errors="replace").splitlines()[-count:]
                return f"The last lines of {who}:\n" + "\n".join(f"  {row[:300]}" for row in rows)
        return f"{who} printed nothing."
