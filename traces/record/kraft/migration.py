"""The scenario of a migration from ZooKeeper to KRaft (KIP-866): brokers of a ZooKeeper, controllers that take over."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from ..cluster import Cluster
from .story import Story

_Settings = dict[str, object]


def run(story: Story) -> None:
    """Play the migration: brokers with ZooKeeper; controllers beside it; both written; brokers without it; controllers
    without it. One broker is killed in each phase but the last."""
    cluster = story.cluster
    brokers, controllers = cluster.layout.brokers, cluster.layout.controllers
    with Cluster(cluster.java, cluster.jars, cluster.folder, brokers, "INFO", {}) as old:
        old.start_zookeeper()
        old.wait_for_zookeeper()
        zookeeper = f"127.0.0.1:{old.ports[0]}"
        for broker in brokers:
            cluster.configure(broker, _with_zookeeper(story, broker, zookeeper))
            story.start(broker)
        story.wait_for(*brokers)
        story.create("m", {0: [1, 2, 3], 1: [2, 3, 1]})
        story.create("two", {0: [1, 2], 1: [2, 3]})
        story.sleep(3)
        _dies(story, 3)
        cluster.cluster_id = _cluster_id(zookeeper)
        for controller in controllers:
            cluster.configure(controller, cluster.configuration(controller) | _migrating(zookeeper))
            cluster.tool("kafka.tools.StorageTool", _format(story, controller), cluster.home(controller))
            story.start(controller)
        story.sleep(6)
        _again(story, brokers, lambda broker: _with_both(story, broker, zookeeper))
        story.sleep(8)
        story.create("between", {0: [1, 2, 3]})
        _dies(story, 2)
        story.reassign("two", 0, [1, 3])
        story.sleep(4)
        _again(story, brokers, cluster.configuration)
        story.sleep(3)
        _again(story, controllers, cluster.configuration)
    _dies(story, 1)
    story.create("after", {0: [1, 2, 3]})
    story.ask("delete", "between")
    story.sleep(3)
    story.partitions()


def _dies(story: Story, broker: int) -> None:
    story.kill(broker)
    story.sleep(9)
    story.start(broker)
    story.wait_for(broker)
    story.sleep(5)


def _again(story: Story, nodes: Iterable[int], settings: Callable[[int], _Settings]) -> None:
    """Stop each node and start it with other settings."""
    for node in nodes:
        story.terminate(node)
        story.cluster.configure(node, settings(node))
        story.start(node)
        if node in story.cluster.layout.brokers:
            story.wait_for(node)
        story.sleep(4)


def _cluster_id(zookeeper: str) -> str:
    """Return ZooKeeper's id of the cluster, with which the controllers are formatted."""
    from kazoo.client import KazooClient

    client = KazooClient(zookeeper)
    client.start()
    try:
        return str(json.loads(client.get("/cluster/id")[0])["id"])
    finally:
        client.stop()
        client.close()


def _format(story: Story, controller: int) -> list[str]:
    """Return the arguments that format a controller. Brokers choose the id in ZooKeeper; it may begin with "-", so that
    a separate argument would be taken for an option."""
    cluster = story.cluster
    return ["format", f"--cluster-id={cluster.cluster_id}", "-c", str(cluster.home(controller) / "server.properties")]


def _migrating(zookeeper: str) -> _Settings:
    return {"zookeeper.metadata.migration.enable": "true", "zookeeper.connect": zookeeper}


def _with_zookeeper(story: Story, broker: int, zookeeper: str) -> _Settings:
    """Return the settings of a broker in ZooKeeper mode."""
    in_kraft = ("process.roles", "node.id", "controller.quorum.voters", "controller.listener.names")
    kept = {name: value for name, value in story.cluster.configuration(broker).items() if name not in in_kraft}
    protocol = story.cluster.version.rpartition(".")[0]
    own = {"broker.id": broker, "zookeeper.connect": zookeeper, "zookeeper.session.timeout.ms": "6000"}
    return {**kept, **own, "inter.broker.protocol.version": protocol}


def _with_both(story: Story, broker: int, zookeeper: str) -> _Settings:
    """Return the settings of a broker in ZooKeeper mode that knows the controllers."""
    quorum = {"controller.quorum.voters": story.cluster.voters, "controller.listener.names": "CONTROLLER"}
    return {**_with_zookeeper(story, broker, zookeeper), **_migrating(zookeeper), **quorum}
