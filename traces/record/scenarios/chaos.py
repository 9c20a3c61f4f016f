"""Random actions, chosen by the seed and by the state of the cluster.

At least one broker always runs; at the end all do.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ..story import Story
from . import Scenario

BROKERS = (1, 2, 3, 4)
STEPS = 24


def run(story: Story) -> None:
    story.start(*BROKERS)
    story.create_topic("a", {0: [1, 2, 3], 1: [2, 3], 2: [4, 1]})
    story.create_topic("b", {0: [3, 4], 1: [4]})
    story.wait_for_isr("a", "b")
    for _ in range(STEPS):
        deeds = possible(story)
        story.random.choices([deed for deed, _ in deeds], [weight for _, weight in deeds])[0]()
        if story.random.random() < 0.4:
            time.sleep(story.random.uniform(0.1, 2))
        else:
            story.settle(quiet=story.random.choice((1, 3)), seconds=20)
    for broker in sorted(story.paused):
        story.resume(broker)
    for broker in BROKERS:
        if broker not in story.running():
            story.start(broker)
    story.settle(seconds=30)


def possible(story: Story) -> list[tuple[Callable[[], None], float]]:
    """Return the actions that are possible now, each with its weight."""
    choose = story.random.choice
    running = sorted(story.running() - story.paused)
    dead = sorted(set(BROKERS) - story.running())
    queued = set(story.znodes.children("/admin/delete_topics"))
    topics = [topic for topic in story.znodes.topics() if topic not in queued]
    partitions = [(topic, number) for topic in topics for number in sorted(story.znodes.assignment(topic))]
    # A new controller that finds a preferred election of a partition that was never online fails and is elected again,
    # endlessly: KafkaController.fetchPendingPreferredReplicaElections, "key not found" (seen on 2.0.0 and 2.1.1).
    online = [(topic, number) for topic, number in partitions if story.znodes.state(topic, number) is not None]

    def replicas() -> list[int]:
        return story.random.sample(BROKERS, story.random.choice((1, 2, 2, 3)))

    def create() -> None:
        story.create_topic(choose(free), {number: replicas() for number in range(choose((1, 2)))})

    def grow() -> None:
        topic = choose(topics)
        story.add_partitions(topic, {len(story.znodes.assignment(topic)): replicas()})

    def reassign() -> None:
        topic, number = choose(partitions)
        story.reassign(topic, {number: replicas()})

    free = sorted(set("abcdef") - set(story.znodes.topics()) - queued)
    deeds: list[tuple[Callable[[], None], float]] = []
    if len(running) > 1:
        deeds.append((lambda: story.kill(choose(running)), 2))
        deeds.append((lambda: story.pause(choose(running)), 1))
        deeds.append((story.depose_controller, 0.5))
        # A controlled shutdown would wait for a controller that is paused.
        if not story.paused:
            deeds.append((lambda: story.terminate(choose(running)), 1.5))
    if dead:
        deeds.append((lambda: story.start(choose(dead)), 2.0 * len(dead)))
    if story.paused:
        deeds.append((lambda: story.resume(choose(sorted(story.paused))), 2))
    if free:
        deeds.append((create, 1))
    if topics:
        deeds.append((grow, 0.5))
        deeds.append((lambda: story.delete_topic(choose(topics)), 1.5))
    if partitions and story.znodes.value("/admin/reassign_partitions") is None:
        deeds.append((reassign, 1.5))
    if online and story.znodes.value("/admin/preferred_replica_election") is None:
        deeds.append((lambda: story.elect_preferred(*online), 1))
    return deeds


scenario = Scenario("chaos", "random stops, pauses, elections, topics, reassignments", BROKERS, run)
