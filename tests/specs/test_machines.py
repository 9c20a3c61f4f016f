"""The machine tables: what they say, and that a table which contradicts itself is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from isrproof.specs import machines
from isrproof.specs.errors import IsrproofError, TableError, UnknownNameError
from isrproof.specs.machines import machine, machine_names
from isrproof.specs.releases import RELEASES, latest, names, span

REPLICA_TABLE = Path(machines.__file__).with_name("replica.toml")


def test_there_are_seven_replica_and_four_partition_states() -> None:
    codes = {name: [(state.name, state.code) for state in machine(name).states] for name in ("replica", "partition")}
    assert codes["replica"] == [
        ("NewReplica", 1),
        ("OnlineReplica", 2),
        ("OfflineReplica", 3),
        ("ReplicaDeletionStarted", 4),
        ("ReplicaDeletionSuccessful", 5),
        ("ReplicaDeletionIneligible", 6),
        ("NonExistentReplica", 7),
    ]
    assert codes["partition"] == [
        ("NewPartition", 0),
        ("OnlinePartition", 1),
        ("OfflinePartition", 2),
        ("NonExistentPartition", 3),
    ]


def test_kafka_8237_changes_one_row_at_2_3_0_and_nothing_else_changes_since_0_8_1() -> None:
    old, new = machine("replica").moves("2.2.2"), machine("replica").moves("2.3.0")
    pairs = [{(move.source, move.target) for move in moves} for moves in (old, new)]
    assert pairs[1] - pairs[0] == {("OfflineReplica", "ReplicaDeletionIneligible")}
    assert pairs[0] < pairs[1]
    assert machine("replica").previous("ReplicaDeletionIneligible", "2.3.0") == (
        "OfflineReplica",
        "ReplicaDeletionStarted",
    )
    for name in ("replica", "partition"):
        tables = {
            tuple((state.name, machine(name).previous(state.name, row)) for state in machine(name).states)
            for row in RELEASES
            if row.mask & span("0.8.1-3.9")
        }
        assert len(tables) == (2 if name == "replica" else 1)


def test_0_8_0_had_no_deletion_states() -> None:
    names_then = [state.name for state in machine("replica").states_in("0.8.0")]
    assert names_then == ["NewReplica", "OnlineReplica", "OfflineReplica", "NonExistentReplica"]
    assert machine("replica").state("NonExistentReplica").code_in(RELEASES[0]) == 4
    assert machine("replica").previous("ReplicaDeletionStarted", "0.8.0") == ()
    assert machine("partition").previous("OfflinePartition", "0.8.0") == ("NewPartition", "OnlinePartition")


def test_valid_in_says_the_same_as_previous() -> None:
    for name in machine_names():
        table = machine(name)
        for source in table.states:
            for target in table.states:
                mask = table.valid_in(source.name, target.name)
                assert not mask & ~table.releases
                for row in RELEASES:
                    if row.mask & table.releases:
                        assert bool(mask & row.mask) == (source.name in table.previous(target.name, row))


def test_what_the_log_shows_of_a_move() -> None:
    def shown(name: str, release: str, level: str) -> set[str]:
        return {move.target for move in machine(name).moves(release) if move.shown_at(level)}

    assert shown("replica", "3.9.0", "INFO") == set()
    assert len(shown("replica", "3.9.0", "TRACE")) == 7
    assert shown("partition", "2.5.1", "INFO") == set()
    assert shown("partition", "2.6.0", "INFO") == {"NewPartition", "OnlinePartition"}
    silent = {(m.source, m.target) for m in machine("replica").moves("1.0.2") if not m.shown_at("TRACE")}
    assert silent == {
        (source, "OnlineReplica") for source in ("OnlineReplica", "OfflineReplica", "ReplicaDeletionIneligible")
    }
    assert all(move.shown_at("TRACE") for move in machine("replica").moves("1.1.0"))


def test_seeds_of_a_starting_controller() -> None:
    assert [(seed.condition, seed.state) for seed in machine("replica").seeds_in("2.0.0")] == [
        ("online", "OnlineReplica"),
        ("offline", "ReplicaDeletionIneligible"),
    ]
    assert ("offline", "OfflineReplica") in [(s.condition, s.state) for s in machine("replica").seeds_in("0.8.0")]
    assert [seed.state for seed in machine("partition").seeds_in()] == [
        "NewPartition",
        "OnlinePartition",
        "OfflinePartition",
    ]


def test_names_and_releases_outside_a_table_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="'replica'"):
        machine("replicas")
    with pytest.raises(UnknownNameError, match="'OfflineReplica'"):
        machine("replica").previous("OflineReplica")
    with pytest.raises(IsrproofError, match=r"expected a release of <=3\.9"):
        machine("replica").moves("4.0.0")
    with pytest.raises(UnknownNameError, match="log level"):
        machine("replica").moves()[0].shown_at("VERBOSE")
    assert machine("replica").release() == latest(machine("replica").releases)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('without = "KAFKA-8237"\n', "", "two rows for 0.8.1-2.2"),
        ('with = "KAFKA-8237"\nprevious', 'with = "KIP-455"\nprevious', "two rows for 2.4-3.9"),
        ('target = "NewReplica"\n', 'target = "NewReplica"\nwithout = "KIP-380"\n', "no row for 2.2-3.9"),
        ('previous = ["NonExistentReplica"]', 'previous = ["NoReplica"]', "no state is called NoReplica"),
        ('line = "replica-moved"', 'line = "replica-moved"\nwith = "KIP-380"', "no row for <=2.1"),
        ("code = 2", "code = 1", "one name or code"),
        ('condition = "offline"\nwith = "KAFKA-330"', 'condition = "offline"', "two rows for 0.8.0|no Replica"),
        ('level = "TRACE"', 'level = "CHATTY"', "log level"),
        ('level = "TRACE"', 'levels = "TRACE"', "level missing"),
        ('level = "TRACE"', 'level = "TRACE"\nform = []', "unknown key form"),
        ('machine = "replica"', 'machine = "repliqua"', "expected machine = 'replica'"),
        ('mode = "zk"', 'mode = "zoo"', "Unknown mode 'zoo'"),
        ('without = "KAFKA-8237"', 'without = "KAFKA-823"', "Did you mean 'KAFKA-8237'"),
        ('[[state]]\nname = "NewReplica"', '[state]\nname = "NewReplica"', "is no TOML"),
    ],
)
def test_a_table_with_an_overlap_a_hole_or_a_stranger_is_refused(
    old: str, new: str, complaint: str, tmp_path: Path
) -> None:
    text = REPLICA_TABLE.read_text(encoding="utf-8")
    assert old in text
    broken = tmp_path / "replica.toml"
    broken.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises((TableError, UnknownNameError), match=complaint):
        machines.load(broken)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('keeper = "broker"', 'keeper = "brokr"', "Unknown keeper 'brokr'. Did you mean 'broker'"),
        ('when = "asks again"', 'whenever = "asks again"', "when missing"),
        (
            'from = ["Truncating"]\ntarget = ["Truncating"]\nwith = "KIP-101"\nwhen = "asks again"',
            'from = ["Fetching"]\ntarget = ["Truncating"]\nwith = "KIP-101"\nwhen = "asks again"',
            "cause of Truncating -> Truncating: none in >=0.11.0",
        ),
        ('[[unlogged]]\ntarget = ["Delayed', '[[silent]]\nwhen = "always"\ntarget = ["Delayed', "no row for"),
        ('target = ["Failed"]\nwith = "KIP-461"\nline', 'target = ["Faild"]\nwith = "KIP-461"\nline', "Faild"),
    ],
)
def test_a_broker_s_table_without_a_cause_or_a_line_is_refused(
    old: str, new: str, complaint: str, tmp_path: Path
) -> None:
    text = REPLICA_TABLE.with_name("fetch-state.toml").read_text(encoding="utf-8")
    assert old in text
    broken = tmp_path / "fetch-state.toml"
    broken.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises((TableError, UnknownNameError), match=complaint):
        machines.load(broken)


def test_a_broker_s_moves_have_causes_and_some_no_line() -> None:
    moves = {(move.source, move.target): move for move in machine("fetch-state").moves("3.9")}
    assert moves["Failed", "NotFetched"].causes == ("new epoch, or stopped",)
    assert (moves["Truncating", "Fetching"].line, moves["Truncating", "Fetching"].shown_at("TRACE")) == ("", False)
    assert moves["Fetching", "Failed"].shown_at("INFO")
    assert ("NotFetched", "Fetching") not in {(m.source, m.target) for m in machine("fetch-state").moves("2.7.0")}
    assert [state.name for state in machine("hosted-partition").states_in("0.11.0")] == ["None", "Online"]
    assert not machine("hosted-partition").coded
    assert all(move.causes == () for move in machine("replica").moves())


def test_every_machine_says_its_releases_by_behaviour() -> None:
    assert {name: names(machine(name).releases) for name in machine_names()} == {
        "replica": "<=3.9",
        "partition": "<=3.9",
        "hosted-partition": "all",
        "partition-role": "<=3.9",
        "fetch-state": "all",
        "isr-state": ">=2.7",
        "delayed-produce": "all",
        "delayed-fetch": "all",
        "raft-role": ">=3.0",
        "broker-registration": ">=3.0",
    }


def test_the_tables_load_without_heavy_imports() -> None:
    program = (
        "import sys; from isrproof.specs.machines import machine; machine('replica'); machine('partition');"
        "heavy = {'networkx', 'transitions', 'numpy', 'pyspark', 'z3', 'rich', 'click', 'pandas'} & set(sys.modules);"
        "sys.exit(bool(heavy))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
