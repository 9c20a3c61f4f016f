"""The scenarios of clusters in KRaft mode: a layout, and the actions on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ....specs.errors import unknown
from . import bugs, migration, plans
from .cluster import Roles, Setting
from .story import Story

_ELR = {"eligible.leader.replicas.version": 1}
_SPLIT = Roles(controllers=(11, 12, 13), brokers=(1, 2, 3))
_VOTERS = Roles(controllers=(11, 12, 13, 14), brokers=(1, 2, 3), founders=(11, 12, 13))
_RACKS = Roles(controllers=(11,), brokers=(1, 2, 3, 4, 5), racks={1: "a", 2: "a", 3: "b", 4: "b", 5: "c"})
_SPARE_VOTER = Roles(controllers=(1, 2, 3, 4), brokers=(1, 2, 3), founders=(1, 2, 3))
_PATIENT = (
    Setting("broker.session.timeout.ms", "6000"),
    Setting("broker.heartbeat.interval.ms", "500"),
    Setting("replica.lag.time.max.ms", "60000"),
    Setting("controller.quorum.fetch.timeout.ms", "4000"),
)
"""Settings with which only a plan's faults change an ISR, even where the machine is busy."""
_SMALL = (
    Setting("metadata.log.segment.min.bytes", "1024", until=(4, 1)),
    Setting("metadata.log.segment.bytes", "12000", until=(4, 1)),
    Setting("internal.metadata.log.segment.bytes", "12000", since=(4, 1)),
    Setting("internal.metadata.max.batch.size.in.bytes", "8192", since=(4, 1)),
    Setting("metadata.max.retention.bytes", "20000"),
)
"""Settings for segments so small that a minute fills several, and the first are deleted."""


@dataclass(frozen=True)
class KRaftScenario:
    """The actions on a cluster; `run` finds every node up, unless it starts them itself."""

    name: str
    summary: str
    run: Callable[[Story], None]
    layout: Roles = field(default_factory=Roles)
    settings: Sequence[Setting] = ()
    """Settings of the nodes."""
    features: Mapping[str, int] = field(default_factory=dict)
    """Features that the format tool sets, in releases that have them."""
    since: tuple[int, ...] = (3, 3)
    """First release on which it can be played."""
    until: tuple[int, ...] = (5, 0)
    """First release on which it can no longer be played."""
    starts_nodes: bool = False
    traffic: bool = False
    """Producers write records, and the manifest lists the acknowledged ones."""


def _failover(story: Story) -> None:
    """The active controller dies, comes back, stops, comes back; the brokers' leaders move with it."""
    story.create("t", {0: [1, 2, 3], 1: [2, 3, 1], 2: [3, 1, 2]}, min_insync_replicas=2)
    story.produce("t", range(3))
    story.sleep(3)
    for stop in (story.kill, story.terminate):
        leader = story.leader()
        if leader is None:
            continue
        stop(leader)
        story.sleep(8)
        story.partitions()
        story.start(leader)
        story.wait_for(*story.cluster.layout.brokers)
        story.sleep(4)
    story.partitions()


def _lifecycle(story: Story) -> None:
    """Topics are created, grow, are deleted and created again; each broker stops once."""
    story.create("life", {0: [1, 2], 1: [2, 3], 2: [3, 1]})
    story.create("gone", {0: [1, 2, 3]})
    story.ask("grow", "life", 4, "1,2")
    for node in story.cluster.layout.brokers:
        story.terminate(node)
        story.sleep(3)
        story.start(node)
        story.wait_for(node)
        story.sleep(3)
    story.ask("delete", "gone")
    story.create("gone", {0: [3, 2]}, min_insync_replicas=2)
    story.ask("config", "life", "min.insync.replicas=2")
    story.ask("elect", "PREFERRED", "life", 0)
    story.ask("config", "life", "min.insync.replicas")
    story.partitions()


def _reassign(story: Story) -> None:
    """Reassignments, one cancelled, one to a broker that is down."""
    story.create("move", {0: [1, 2], 1: [2, 3], 2: [3, 1]})
    story.sleep(2)
    for number, replicas in ((0, [3, 2]), (1, [1, 3]), (2, [1, 2, 3]), (0, [3])):
        story.reassign("move", number, replicas)
        story.sleep(3)
    story.kill(2)
    story.sleep(8)
    story.reassign("move", 0, [3, 2])
    story.sleep(2)
    story.ask("reassign", "move", 0, "cancel")
    story.reassign("move", 1, [1, 2])
    story.sleep(2)
    story.start(2)
    story.wait_for(2)
    story.sleep(6)
    story.partitions()


def _grow(story: Story) -> None:
    """Reassignments while a replica that stays is dead: from two replicas to three, to another two, from three to two.

    Since 4.3 (KAFKA-19975) the first two kinds end when the added replica is in sync; before, all wait for the dead
    one. Two wait in every release: the one whose added replica is the dead one, and the one that only removes.
    """
    story.create("grow", {0: [1, 2], 1: [2, 3], 2: [3, 1]})
    story.create("swap", {0: [1, 2]})
    story.create("fall", {0: [1, 2, 3]})
    story.sleep(3)
    story.kill(2)
    story.sleep(8)
    story.reassign("grow", 0, [1, 2, 3])
    story.reassign("grow", 1, [2, 3, 1])
    story.reassign("grow", 2, [3, 1, 2])
    story.reassign("swap", 0, [3, 2])
    story.reassign("fall", 0, [1, 2])
    story.sleep(6)
    story.partitions()
    story.start(2)
    story.wait_for(2)
    story.sleep(8)
    story.partitions()


def _unclean(story: Story) -> None:
    """Both replicas of partitions die, the later one stays dead: with and without unclean election."""
    story.create("clean", {0: [1, 2]})
    story.create("unclean", {0: [1, 2], 1: [2, 1]}, unclean_leader_election_enable="true")
    story.produce("clean", [0])
    story.produce("unclean", [0])
    story.produce("unclean", [1], acks="1")
    story.sleep(2)
    story.kill(1)
    story.sleep(8)
    story.kill(2)
    story.sleep(8)
    story.start(1)
    story.wait_for(1)
    story.sleep(8)
    story.partitions()
    story.ask("elect", "UNCLEAN", "clean", 0)
    story.start(2)
    story.wait_for(2)
    story.sleep(6)
    story.partitions()


def _elr(story: Story) -> None:
    """The ISR falls below min.insync.replicas and becomes empty; leaders come from the ELR, or are the last known.

    In 4.0.0 the broker that was killed last is elected as soon as it registers, still fenced (KAFKA-19522).
    """
    story.create("e", {0: [1, 2], 1: [2, 1]}, min_insync_replicas=2)
    story.create("all", {0: [1, 2, 3]}, min_insync_replicas=2)
    story.produce("e", [0, 1])
    story.produce("all", [0])
    story.sleep(2)
    for stop, order in ((story.terminate, (2, 1)), (story.kill, (1, 2))):
        stop(1)
        story.sleep(8)
        story.kill(2)
        story.sleep(8)
        for broker in order:
            story.start(broker)
            story.wait_for(broker)
            story.sleep(5)
    story.ask("config", "e", "min.insync.replicas=1")
    story.sleep(2)
    story.kill(2)
    story.sleep(7)
    story.ask("config", "e", "min.insync.replicas=2")
    story.start(2)
    story.wait_for(2)
    story.sleep(3)
    story.partitions()


def _jbod(story: Story) -> None:
    """Brokers with two directories; one fails and comes back."""
    for number in range(3):
        story.create(f"j{number}", {0: [1, 2], 1: [2, 3], 2: [3, 1]})
    story.sleep(5)
    disk = story.cluster.disks(2)[1]
    gone = disk.with_name("gone")
    story.note("disk fails", node=2)
    disk.rename(gone)
    disk.write_text("no directory")
    story.sleep(15)
    story.partitions()
    story.terminate(2)
    disk.unlink()
    gone.rename(disk)
    story.start(2)
    story.wait_for(2)
    story.sleep(6)
    story.partitions()


def _chaos(story: Story) -> None:
    """Random actions, chosen by the seed, for a minute and a half; at most one node is down or paused at a time."""
    dice, brokers = story.random, story.cluster.layout.brokers
    topics: list[str] = []
    made = 0
    story.create("w", {0: [1, 2, 3], 1: [2, 3, 1]}, min_insync_replicas=2)
    story.produce("w", [0, 1])
    for _ in range(28):
        deeds = ["create", "stop", "pause", "reassign", "elect", "delete", "config", "wait"]
        deed = dice.choices(deeds, [3, 4, 2, 3, 2, 1, 1, 1])[0]
        down = [node for node in story.cluster.layout.nodes if node not in story.cluster.running]
        if (down or story.paused) and deed in ("stop", "pause"):
            for node in sorted(story.paused):
                story.resume(node)
            for node in down:
                story.start(node)
            story.sleep(dice.uniform(3, 7))
        elif deed == "create" or not topics:
            made += 1
            topics.append(f"c{made}")
            size = dice.choice((1, 2, 2, 3))
            assignment = {number: dice.sample(brokers, size) for number in range(dice.choice((1, 2)))}
            story.create(
                topics[-1],
                assignment,
                min_insync_replicas=dice.choice((1, 2)),
                unclean_leader_election_enable=dice.choice(("true", "false")),
            )
        elif deed == "stop":
            dice.choice((story.kill, story.terminate))(dice.choice(story.cluster.layout.nodes))
            story.sleep(dice.choice((1.0, 7.0)))
        elif deed == "pause":
            story.pause(dice.choice(story.cluster.layout.nodes))
            story.sleep(dice.choice((3.0, 8.0)))
        elif deed == "reassign":
            story.reassign(dice.choice(topics), 0, dice.sample(brokers, dice.choice((1, 2, 3))))
        elif deed == "elect":
            story.ask("elect", dice.choice(("PREFERRED", "UNCLEAN")), dice.choice(topics), 0)
        elif deed == "delete":
            story.ask("delete", topics.pop(dice.randrange(len(topics))))
        elif deed == "config":
            story.ask("config", dice.choice(topics), dice.choice(("min.insync.replicas=2", "min.insync.replicas")))
        story.sleep(dice.uniform(0.1, 2))
    for node in sorted(story.paused):
        story.resume(node)
    story.start(*(node for node in story.cluster.layout.nodes if node not in story.cluster.running))
    story.wait_for(*brokers)
    story.partitions()
    story.sleep(4)


def _voters(story: Story) -> None:
    """A controller joins the voters, a leading one leaves them and joins again, one is killed and removed."""
    cluster, spare = story.cluster, 14
    story.create("v", {0: [1, 2, 3], 1: [2, 3, 1]}, min_insync_replicas=2)
    story.sleep(2)
    story.vote_in(spare)
    story.sleep(3)
    leader = story.leader()
    if leader is not None:
        story.vote_out(leader)
        story.sleep(6)
        story.create("w", {0: [3, 1]})
        story.vote_in(leader)
        story.sleep(3)
    dead = next(node for node in cluster.layout.controllers if node not in (leader, story.leader()))
    story.kill(dead)
    story.sleep(3)
    story.vote_out(dead)
    story.sleep(3)
    story.kill(2)
    story.sleep(7)
    story.start(dead, 2)
    story.wait_for(2)
    story.sleep(3)
    story.partitions()


def _segments(story: Story) -> None:
    """The metadata log grows over several segments; snapshots are taken, old segments deleted, nodes come back."""
    topics = [f"s{number}" for number in range(6)]
    for round_ in range(4):
        for number, topic in enumerate(topics):
            replicas = [1 + (number + each) % 3 for each in range(3)]
            story.create(topic, dict.fromkeys(range(8), replicas), min_insync_replicas=2)
        story.sleep(4)
        node = story.cluster.layout.brokers[round_ % 3]
        (story.kill if round_ % 2 else story.terminate)(node)
        story.sleep(8)
        story.start(node)
        story.wait_for(node)
        for topic in topics[:4] if round_ < 3 else ():
            story.ask("delete", topic)
        topics = [f"s{number}.{round_}" for number in range(4)]
        story.sleep(3)
    story.sleep(45)  # old segments are looked for once a minute
    story.kill(3)
    story.sleep(8)
    story.start(3)
    story.wait_for(3)
    story.sleep(3)
    story.partitions()


_ALL = (
    KRaftScenario("failover", "the active controller dies, then stops", _failover, traffic=True),
    KRaftScenario("lifecycle", "create, grow, restart each broker, elect, delete", _lifecycle),
    KRaftScenario("reassign", "move replicas, even onto a broker that is down; cancel", _reassign),
    KRaftScenario("grow", "move replicas while a remaining one is down", _grow),
    KRaftScenario("unclean", "all replicas die, with and without unclean election", _unclean, _SPLIT, traffic=True),
    KRaftScenario(
        "elr", "the ISR becomes empty; eligible and last known leaders", _elr, _SPLIT, features=_ELR, traffic=True
    ),
    KRaftScenario("jbod", "one of two directories fails and comes back", _jbod, Roles(disks=2)),
    KRaftScenario("voters", "voters join and leave (KIP-853)", _voters, _VOTERS, since=(3, 9)),
    KRaftScenario("segments", "small segments, snapshots, a log whose beginning is gone", _segments, settings=_SMALL),
    KRaftScenario(
        "migration",
        "from ZooKeeper to KRaft, with a broker that dies in each phase",
        migration.run,
        _SPLIT,
        since=(3, 6),
        until=(4, 0),
        starts_nodes=True,
    ),
    KRaftScenario(
        "whatif-brokers", "plans for five brokers in three racks", plans.play(plans.BROKERS), _RACKS, _PATIENT
    ),
    KRaftScenario(
        "whatif-quorum", "plans for three brokers that are voters", plans.play(plans.QUORUM), settings=_PATIENT
    ),
    KRaftScenario(
        "whatif-voters",
        "plans that change the voters (KIP-853)",
        plans.play((*plans.QUORUM, *plans.VOTERS)),
        _SPARE_VOTER,
        _PATIENT,
        since=(3, 9),
    ),
    KRaftScenario("bug-16814", "a replica's partition.metadata is lost", bugs.lost_topic_id, traffic=True),
    KRaftScenario(
        "bug-19571",
        "replicas move between directories while they are flushed",
        bugs.moved_while_flushed,
        Roles(disks=3),
        bugs.FLUSHED,
        since=(3, 7),
        traffic=True,
    ),
    KRaftScenario("bug-19975", "a reassignment while a replica that stays is dead", bugs.waits_for_the_dead),
    KRaftScenario(
        "bug-19383",
        "a broker sleeps while a topic is deleted and min.insync.replicas changes",
        bugs.deleted_and_cleared,
        _SPLIT,
        features=_ELR,
        since=(4, 0),
    ),
    KRaftScenario(
        "bug-20247",
        "controllers pause while another registers",
        bugs.unanswered_registration,
        _SPLIT,
        since=(3, 7),
    ),
    KRaftScenario("chaos", "random stops, pauses, topics, reassignments, elections", _chaos, traffic=True),
)


def scenarios() -> Mapping[str, KRaftScenario]:
    return {each.name: each for each in _ALL}


def find(name: str) -> KRaftScenario:
    """Return the scenario with that name; an unknown one raises UnknownNameError with the nearest."""
    if name not in scenarios():
        raise unknown("scenario of KRaft", name, scenarios())
    return scenarios()[name]
