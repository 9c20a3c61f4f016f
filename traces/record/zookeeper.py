"""Reading and changing the cluster through ZooKeeper, the only way that is the same from Kafka 0.9 to 3.9."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .errors import RecordError

Assignment = Mapping[int, Sequence[int]]
"""Partition number -> replicas, the preferred one first."""


def check_installed() -> None:
    """Raise RecordError unless kazoo is installed."""
    if importlib.util.find_spec("kazoo") is None:
        raise RecordError("Recording needs kazoo: pip install 'isrproof[record]'.")


@contextlib.contextmanager
def answering() -> Iterator[None]:
    """Turn kazoo's exceptions for a ZooKeeper that does not answer into a RecordError."""
    from kazoo.exceptions import KazooException
    from kazoo.handlers.threading import KazooTimeoutError

    try:
        yield
    except (KazooException, KazooTimeoutError) as error:
        raise RecordError(f"A request to ZooKeeper failed: {error!r}. Is the machine too busy?") from error


class Znodes:
    """A kazoo client with Kafka's terms; a value is the znode's decoded JSON, None if the znode does not exist."""

    def __init__(self, port: int) -> None:
        from kazoo.client import KazooClient

        logging.getLogger("kazoo").setLevel(logging.CRITICAL)
        self._client = KazooClient(hosts=f"127.0.0.1:{port}", timeout=60)
        self._client.start(timeout=60)

    def close(self) -> None:
        self._client.stop()
        self._client.close()

    def value(self, path: str) -> Any:
        from kazoo.exceptions import NoNodeError

        try:
            data, _ = self._client.get(path)
        except NoNodeError:
            return None
        return json.loads(data) if data else {}

    def children(self, path: str) -> list[str]:
        from kazoo.exceptions import NoNodeError

        try:
            return sorted(self._client.get_children(path))
        except NoNodeError:
            return []

    def create(self, path: str, value: object) -> None:
        """Create a znode; RecordError if it exists, e.g. because an earlier request of this kind is still being
        processed."""
        from kazoo.exceptions import NodeExistsError

        try:
            self._client.create(path, _json(value), makepath=True)
        except NodeExistsError:
            raise RecordError(f"{path} exists: the previous request has not been processed.") from None

    def put(self, path: str, value: object) -> None:
        self._client.ensure_path(path)
        self._client.set(path, _json(value))

    def delete(self, path: str) -> None:
        from kazoo.exceptions import NoNodeError

        try:
            self._client.delete(path)
        except NoNodeError:
            return

    def live(self) -> set[int]:
        return {int(broker) for broker in self.children("/brokers/ids")}

    def controller(self) -> int | None:
        value = self.value("/controller")
        return None if value is None else int(value["brokerid"])

    def topics(self) -> list[str]:
        return self.children("/brokers/topics")

    def assignment(self, topic: str) -> dict[int, list[int]]:
        value = self.value(f"/brokers/topics/{topic}")
        return {int(number): list(replicas) for number, replicas in (value or {}).get("partitions", {}).items()}

    def state(self, topic: str, partition: int) -> Any:
        """Return {leader, isr, leader_epoch, controller_epoch, ...}, or None before the partition is online."""
        return self.value(f"/brokers/topics/{topic}/partitions/{partition}/state")


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
