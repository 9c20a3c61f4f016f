"""A search on Spark finds what one in memory finds: counts of every level, verdicts, and paths of equal length."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.explore.buckets import ACCOUNT, BUCKETS, BucketRow, buckets, entered, expanded, row
from isrproof.checker.explore.program import program
from isrproof.checker.explore.result import Exploration
from isrproof.checker.explore.run import explore_instance
from isrproof.checker.explore.search import Limits, Search
from isrproof.checker.explore.symmetry import orbits
from isrproof.model.action import action
from isrproof.model.catalogue import model
from isrproof.model.cluster.cluster import CLUSTER
from isrproof.model.expr import field
from isrproof.model.property import Property
from isrproof.model.protocol import Model, starts
from isrproof.model.sorts import Int
from isrproof.model.step import Reference
from isrproof.specs.errors import IsrproofError

SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}

AT = field("at", Int(0, 6))
# 5 is a deadlock, 4 has no room for its step, and both ways to 3 are as short.
STEPS = Model(
    "steps",
    "?",
    (),
    (starts(AT, 0, "?"),),
    (
        action("One", "?", guard={"below": AT <= 2}, updates={AT: AT + 1}),
        action("Two", "?", guard={"below": AT <= 3}, updates={AT: AT + 2}),
        action("Far", "?", guard={"four": AT.eq(4)}, updates={AT: AT + 3}),
    ),
    (
        Property("BelowFive", "?", AT <= 4),
        Property("BelowSeven", "?", AT <= 6),
        Property("Three", "?", AT.eq(3), "sometimes"),
    ),
)


@pytest.mark.full(every=3)
@pytest.mark.parametrize("name", ["kip101", "kip320-first-try"])
@pytest.mark.parametrize("symmetric", [False, True])
def test_buckets_are_levels(name: str, symmetric: bool) -> None:
    """Without Spark: what workers do, with rows brought to their buckets by hand."""
    instance = model(name).instance(**{**SMALL, "max_leader_epoch": 2})
    translated = program(instance, instance.model.properties)
    initial = translated.packing.pack(Reference(instance).initial())
    its_orbits = orbits(translated.packing) if symmetric else None
    memory = Search(translated).run(initial, orbits=its_orbits)
    work = pickle.dumps((translated, symmetric))
    first = translated.packing.words(initial)
    if its_orbits is not None:
        first = its_orbits.representatives(first)
    earlier = [row(int(buckets(first)[0]), first, its_orbits)]
    levels = [earlier]
    generated = 1
    while sum(each.states for each in levels[-1]):
        sent = [*expanded(work, len(levels), [each.words for each in levels[-1]])]
        generated += sum(json.loads(each.counts)["generated"] for each in sent if each.bucket == ACCOUNT)
        levels.append(entered_by_bucket(work, [each for each in sent if each.bucket != ACCOUNT], earlier))
        earlier = earlier + levels[-1]
    assert [sum(each.states for each in level) for level in levels[:-1]] == memory.levels
    assert sum(each.searched for level in levels for each in level) == memory.searched
    assert generated == memory.generated


def entered_by_bucket(work: bytes, rows: list[BucketRow], earlier: list[BucketRow]) -> list[BucketRow]:
    """The new rows, in an order that Spark might bring them in."""
    return [
        entered(
            work,
            bucket,
            [each for each in reversed(rows) if each.bucket == bucket],
            [each.words for each in earlier if each.bucket == bucket],
        )
        for bucket in range(BUCKETS)
    ]


def told(found: Exploration) -> object:
    return (
        *(found.distinct, found.orbits, found.generated, found.depth, found.deadlocks, found.levels, found.coverage),
        *(found.stopped, found.verdict),
        [(each.prop.name, each.verdict, each.path and each.path.length, each.reason) for each in found.properties],
    )


def on_spark(
    folder: Path, chosen: Model, limits: Limits | None = None, symmetry: bool | None = None, **values: int
) -> tuple[Exploration, list[int]]:
    """Return the result of the search, and the levels that it made."""
    from isrproof.checker.explore.spark import spark_engine

    made = []
    with spark_engine(
        "local[2]", str(folder), lambda level, _, seconds: made.append(level) if seconds else None
    ) as how:
        return explore_instance(chosen, values, limits=limits, symmetry=symmetry, deadlock=True, engine=how), made


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--checkpoint", "levels"], "--checkpoint needs --master"),
        (["--master", "spark://nowhere:7077"], "--checkpoint FOLDER"),
        (["--master", "local[2]", "--coverage"], "--coverage cannot be used with --master"),
        (["--master", "local[2]", "--max-memory", "9"], "--max-memory cannot be used with --master"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: list[str], said: str) -> None:
    run = CliRunner().invoke(main, ["explore", "kip101", *options])
    assert run.exit_code == 2
    assert said in run.stderr


@pytest.mark.full
@pytest.mark.spark
def test_a_search_goes_on_from_its_last_whole_level(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="needs PySpark")
    part, made = on_spark(tmp_path, STEPS, Limits(depth=2))
    assert told(part) == told(explore_instance(STEPS, {}, limits=Limits(depth=2), deadlock=True))
    assert made == [2, 3]
    next((tmp_path / "level=00003").glob("part-*.parquet")).unlink()  # killed while it was written
    whole, made = on_spark(tmp_path, STEPS)
    assert told(whole) == told(explore_instance(STEPS, {}, deadlock=True))
    assert [each.prop.name for each in whole.violations] == ["BelowFive", "TypeOk", "NoDeadlock"]
    assert made == [3, 4, 5]
    with pytest.raises(IsrproofError, match=r"expected levels of kip101.*got levels of steps"):
        on_spark(tmp_path, model("kip101"), **SMALL)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("name", ["kip101", "kip320-first-try"])
@pytest.mark.parametrize("symmetry", [False, None])
def test_models_are_told_as_in_memory(name: str, symmetry: bool | None, tmp_path: Path) -> None:
    values = {**SMALL, "max_leader_epoch": 2}
    found, _ = on_spark(tmp_path, model(name), symmetry=symmetry, **values)
    assert told(found) == told(explore_instance(model(name), values, symmetry=symmetry, deadlock=True))


@pytest.mark.full
@pytest.mark.spark
def test_a_level_of_orbits_is_told_as_in_memory(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="needs PySpark")
    found, _ = on_spark(tmp_path, model("kip101"), Limits(depth=3), **SMALL)
    expected = explore_instance(model("kip101"), SMALL, limits=Limits(depth=3), deadlock=True)
    assert found.orbits is not None
    assert told(found) == told(expected)


@pytest.mark.full
@pytest.mark.spark
@pytest.mark.parametrize("limits", [Limits(depth=3), pytest.param(None, marks=pytest.mark.slow)])
def test_a_cluster_is_told_as_in_memory(limits: Limits | None, tmp_path: Path) -> None:
    """Searched to the end, the inconsistency after a failover (KAFKA-3143) too, by a path of equal length."""
    pytest.importorskip("pyspark", reason="needs PySpark")
    cluster, few = CLUSTER.model("2.0.0"), {"brokers": 3, "partitions": 1, "outages": 2, "failovers": 1}
    found, _ = on_spark(tmp_path, cluster, limits, **few)
    expected = explore_instance(cluster, few, limits=limits, deadlock=True)
    assert told(found) == told(expected)
    assert ("LeaderAliveOrNone" in [each.prop.name for each in found.violations]) == (limits is None)
