"""The replica and partition tables: proved for every release, and what KAFKA-8237 changed."""

from __future__ import annotations

import json
from functools import cache

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.explore.run import explore
from isrproof.checker.prove.tables import Kept, changed_exactly, forbidden, moves_added, prove_table
from isrproof.model.lifecycles import all_names, life_model, promises
from isrproof.specs.machines import machine, machine_names
from isrproof.specs.releases import span


@cache
def proved(name: str) -> tuple[Kept, ...]:
    return prove_table(name)


@pytest.mark.full(every=8)
@pytest.mark.parametrize(
    ("name", "prop", "since"),
    [
        ("replica", "DeletionStartedIsAnswered", ">=0.8.1"),
        ("replica", "SuccessfulIsForgotten", ">=0.8.1"),
        ("replica", "DeletedIsNotOnline", ">=0.8.1"),
        ("replica", "DeletedIsNotOffline", ">=0.8.1"),
        ("replica", "IneligibleIsRevived", ">=0.8.1"),
        ("replica", "DeletionStartsOffline", ">=0.8.1"),
        ("replica", "SuccessNeedsAStart", ">=0.8.1"),
        ("replica", "ForgottenOnlyWhenDeleted", ">=0.8.1"),
        ("replica", "NewIsNew", "all"),
        ("replica", "NonExistentIsReborn", "all"),
        ("partition", "DeletedIsNotOnline", "all"),
        ("partition", "DeletedIsNotOffline", "all"),
        ("partition", "ForgottenOnlyWhenOffline", "all"),
        ("partition", "NewIsNew", "all"),
        ("partition", "NonExistentIsReborn", "all"),
        ("partition", "OnlineGoesOffline", "all"),
        ("fetch-state", "FailedWaitsForANewEpoch", ">=2.3"),
        ("fetch-state", "OnlyWhatIsFetchedFails", ">=2.3"),
        ("isr-state", "ExpansionIsDecidedFirst", "all"),
        ("isr-state", "ShrinkIsDecidedFirst", "all"),
        ("delayed-produce", "AcknowledgedIsFinal", "all"),
        ("delayed-produce", "TimedOutIsFinal", "all"),
        ("delayed-produce", "AcknowledgedWhileLeading", "all"),
        ("delayed-fetch", "AnsweredIsFinal", "all"),
        ("delayed-fetch", "FencedGetsNoRecords", ">=2.1"),
        ("raft-role", "LeaderAskedForVotes", "all"),
        ("raft-role", "OnlyLeadersResign", "all"),
        ("broker-registration", "UnfencedWasFenced", "all"),
        ("broker-registration", "OnlyUnfencedShutDown", ">=3.3"),
    ],
)
def test_promises_hold_in_every_release_that_has_their_states(name: str, prop: str, since: str) -> None:
    rows = {each.verdict: each.releases for each in proved(name) if each.name == prop}
    everywhere = machine(name).releases
    assert rows.pop("holds") == span(since) & everywhere
    assert rows == ({"absent": everywhere & ~span(since)} if since != "all" else {})


def test_kafka_8237_changes_one_move_and_nothing_else() -> None:
    move = ("OfflineReplica", "ReplicaDeletionIneligible")
    assert moves_added("replica", "2.2", "2.3") == (move,)
    assert changed_exactly("replica", "2.2", "2.3", [move])
    assert not changed_exactly("replica", "2.2", "2.3", [])
    assert not changed_exactly("replica", "2.2", "2.3", [move, ("NewReplica", "NonExistentReplica")])
    assert changed_exactly("partition", "2.2", "2.3", [])
    of = {release: {each.name: each.verdict for each in prove_table("replica", release)} for release in ("2.2", "2.3")}
    assert {name for name in of["2.2"] if of["2.2"][name] != of["2.3"][name]} == {"OfflineIsNotMarkedIneligible"}
    (changed,) = [each for each in proved("replica") if each.verdict == "violated"]
    assert not changed.promised
    assert changed.releases == span(">=2.3") & machine("replica").releases
    assert changed.path is not None
    assert changed.path.steps[-1].action == "ToReplicaDeletionIneligible"
    assert changed.path.length == 4


@pytest.mark.parametrize(
    ("name", "prop", "kept", "broken", "path"),
    [
        ("hosted-partition", "OfflineIsLeftByARestart", "2.1-3.6", "1.0-2.0, >=3.7", ["ToOffline", "ToNone"]),
        ("hosted-partition", "OfflineIsNotServedAgain", "1.0-3.6", ">=3.7", ["ToOffline", "ToOnline"]),
        ("fetch-state", "TruncatesBeforeItFetches", "0.11-2.7", ">=2.8", ["ToFetching"]),
    ],
)
def test_what_a_broker_promises_begins_and_ends_with_a_behaviour(
    name: str, prop: str, kept: str, broken: str, path: list[str]
) -> None:
    rows = {each.verdict: each for each in proved(name) if each.name == prop}
    assert (rows["holds"].releases, rows["violated"].releases) == (span(kept), span(broken))
    assert (rows["holds"].promised, rows["violated"].promised) == (True, False)
    found = rows["violated"].path
    assert found is not None
    assert [step.action for step in found.steps[-len(path) :]] == path
    assert found.length == rows["violated"].broken_in == len(path) + 1


def test_a_table_without_promises_says_that_nothing_is_proved() -> None:
    ran = CliRunner().invoke(main, ["prove", "partition-role"])
    assert (ran.exit_code, "partition-role table: unknown" in ran.output) == (3, True)
    assert "No property is stated about this table" in ran.output
    assert "each state may follow each other one" in ran.output
    assert "  Leader: a higher epoch, itself the leader" in ran.output


def test_only_a_table_that_forbids_nothing_may_promise_nothing() -> None:
    assert [name for name in machine_names() if not forbidden(machine(name))] == ["partition-role"]
    assert [name for name in machine_names() if not all_names(name)] == ["partition-role"]


@pytest.mark.full(every=6)
@pytest.mark.parametrize(
    "name",
    [
        *("replica", "partition", "hosted-partition", "fetch-state", "isr-state", "delayed-produce", "delayed-fetch"),
        *("raft-role", "broker-registration"),
    ],
)
@pytest.mark.parametrize("release", ["0.8.0", "2.2", "3.9"])
def test_the_explorer_agrees(name: str, release: str) -> None:
    if not machine(name).releases & span(release):
        pytest.skip(f"Kafka {release} has no {name} machine")
    model = life_model(name, release)
    verdicts = {each.name: each.verdict for each in prove_table(name, release)}
    for promise in promises(name, release):
        assert explore(model, [promise.prop])[promise.prop.name].verdict == verdicts[promise.prop.name]


def test_the_life_of_a_replica_is_not_empty() -> None:
    """The promises are not kept by a machine that does nothing: every state and phase is reached."""
    found = explore(life_model("replica", "3.9"), [])
    assert {each.action for each in found.coverage if each.taken} == {
        action.name for action in life_model("replica", "3.9").actions
    }


def test_the_command_proves_a_table() -> None:
    ran = CliRunner().invoke(main, ["prove", "partition", "--json"])
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.output)["verdict"] == "holds"
    one = CliRunner().invoke(main, ["prove", "replica", "--release", "2.3.1"])
    assert one.exit_code == 0
    assert "DeletionStartedIsAnswered: holds for 2.3" in one.output
    none = CliRunner().invoke(main, ["prove", "replica", "--release", "4.1"])
    assert none.exit_code == 2


def test_one_promise_can_be_asked_for_and_a_table_has_no_settings() -> None:
    one = CliRunner().invoke(main, ["prove", "replica", "--property", "NewIsNew", "--release", "2.3"])
    assert one.exit_code == 0
    assert "replica table: holds" in one.output
    assert "Trusted:" in one.output
    assert "SuccessfulIsForgotten" not in one.output
    typo = CliRunner().invoke(main, ["prove", "replica", "--property", "NewIsNow"])
    assert (typo.exit_code, "did you mean 'NewIsNew'" in typo.output) == (2, True)
    sets = CliRunner().invoke(main, ["prove", "replica", "--set", "replicas=3"])
    assert (sets.exit_code, "replica cannot be used with --set" in sets.output) == (2, True)
