"""Small clusters, as the end of a metadata log leaves them, and plans for them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from isrproof.checker.audit.sources.metadata.fold import Fold
from isrproof.checker.audit.sources.metadata.state import BROKER, TOPIC, Broker, Cluster, Partition
from isrproof.checker.whatif.now import Now
from isrproof.checker.whatif.plan import Plan
from isrproof.specs.metadata.levels import NAME

IDS = (4, 2, 7, 1)
MIN_ISR, UNCLEAN = "min.insync.replicas", "unclean.leader.election.enable"
ELR = "eligible.leader.replicas.version"


def broker(id: int, *, fenced: bool = False, in_shutdown: bool = False) -> Broker:
    return Broker(id, id, f"process {id}", fenced, in_shutdown, [], None)


def partition(replicas: Sequence[int], isr: Sequence[int], number: int = 0, **others: object) -> Partition:
    """A partition that the first of its ISR leads."""
    values = {
        "topic": "id of t",
        "number": number,
        "leader": isr[0] if isr else -1,
        "isr": tuple(isr),
        "replicas": tuple(replicas),
        "adding": (),
        "removing": (),
        "elr": (),
        "last_known": (),
        "recovering": False,
        "leader_epoch": 3,
        "partition_epoch": 5,
        "directories": (),
    }
    return Partition(**{**values, **others})  # type: ignore[arg-type]


def now(
    brokers: Sequence[Broker],
    partitions: Sequence[Partition],
    *,
    level: int,
    elr: bool = False,
    unclean: bool = False,
    min_isr: int = 1,
    voters: Sequence[int] = (100,),
) -> Now:
    """The cluster of these brokers, with these partitions of a topic `t`."""
    state = Cluster()
    state.features[NAME] = level
    if elr:
        state.features[ELR] = 1
    for each in brokers:
        state.register(each)
    state.names["id of t"], state.ids["t"] = "t", "id of t"
    for number, each in enumerate(partitions):
        state.put(each._replace(number=number), None)
    state.configure({"resourceType": BROKER, "resourceName": "", "name": MIN_ISR, "value": str(min_isr)})
    unclean_config = {"name": UNCLEAN, "value": "true" if unclean else "false"}
    state.configure({"resourceType": TOPIC, "resourceName": "t", **unclean_config})
    return Now(Fold(0, state), 100, 0, frozenset(voters), (), ())


@st.composite
def brokers(draw: st.DrawFn, most: int = 3, shutdown: bool = True) -> list[Broker]:
    """Brokers of which most run."""
    ids = IDS[: draw(st.integers(1, most))]
    kinds = st.sampled_from(
        [(False, False)] * 4 + [(True, False), *([(False, True), (True, True)] if shutdown else [])]
    )
    found = []
    for id in ids:
        fenced, in_shutdown = draw(kinds)
        found.append(broker(id, fenced=fenced, in_shutdown=in_shutdown))
    return found


@st.composite
def partitions(draw: st.DrawFn, there: Sequence[Broker], elr: bool) -> Partition:
    """A partition as a controller can leave it: active brokers in its ISR, or nobody leads."""
    ids = [each.id for each in there]
    replicas = draw(st.permutations(ids))[: draw(st.integers(1, len(ids)))]
    active = [each.id for each in there if each.active and each.id in replicas]
    isr = [each for each in active if draw(st.booleans()) or draw(st.booleans())]
    others = [each for each in replicas if each not in isr]
    eligible = tuple(each for each in others if elr and draw(st.booleans()))
    if isr:
        return partition(replicas, isr, leader=draw(st.sampled_from(isr)), elr=eligible)
    inactive = [each for each in others if each not in active]
    last = draw(st.sampled_from(replicas))
    if elr:
        kept = tuple(each for each in eligible if each in inactive)
        return partition(replicas, (), elr=kept, last_known=(last,) if draw(st.booleans()) else ())
    if not inactive:
        return partition(replicas, active[:1])
    return partition(replicas, inactive[:1], leader=-1)


@st.composite
def plans(draw: st.DrawFn, there: Sequence[Broker], most: int = 2) -> Plan:
    """Brokers that fail, or are restarted, or both."""
    ids = [each.id for each in there]
    kind = draw(st.sampled_from(("fail", "fail", "restart", "both", "reassign")))
    named = frozenset(each for each in ids if draw(st.integers(0, 3)) == 0)
    spare = draw(st.integers(0 if named else 1, min(most, len(ids))))
    restarts = tuple(draw(st.permutations(ids))[: draw(st.integers(1, len(ids)))])
    if kind == "fail":
        return Plan(named=named, spare=spare)
    if kind == "restart":
        return Plan(restarts=restarts)
    if kind == "both":
        return Plan(spare=1, restarts=restarts[:2])
    target = tuple(draw(st.permutations(ids))[: draw(st.integers(1, len(ids)))])
    return Plan(spare=draw(st.integers(0, 1)), wanted={("t", 0): target})
