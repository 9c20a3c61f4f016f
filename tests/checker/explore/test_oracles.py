"""The ladder against TLC: counts, depths, verdicts and lengths of shortest counterexamples.

Rows are results of TLC on the TLA+ modules of hachikuji/kafka-specification (d68782b), or of two independent prototypes
where TLC needs too long. Constants: replicas/log size/records/last leader epoch.
"""

from __future__ import annotations

import pytest
from isrproof.checker.explore.result import Exploration
from isrproof.checker.explore.run import explore

BOTH = "WeakIsr StrongIsr"
ALL = "WeakIsr StrongIsr TruncationPrefix LogMatching"
slow = pytest.mark.slow

COUNTS = [
    ("kip320", "2/2/2/2", 5973, 11839, 18),
    ("kip320", "2/3/3/2", 21493, 45141, 22),
    ("kip320", "2/3/3/3", 120879, 261017, 26),
    pytest.param("kip320", "2/4/4/3", 441543, 987223, 30, marks=slow),
    ("kip320", "3/2/2/1", 39619, 104488, 22),
    pytest.param("kip320", "3/2/2/2", 737794, 1967560, 26, marks=slow),
    pytest.param("kip320", "3/3/3/2", 4093531, 11663770, 31, marks=slow),
    pytest.param("kip320", "4/2/2/1", 1426977, 4984833, 29, marks=slow),
    pytest.param("kip320", "3/3/3/3", 64739578, 186255259, 37, marks=slow),
    ("kip320-first-try", "3/2/2/1", 59092, 179830, 22),
]
ORBITS = [
    pytest.param("kip320", "3/2/2/2", 123311, 26, marks=slow),
    pytest.param("kip320", "3/3/3/2", 683278, 31, marks=slow),
    pytest.param("kip320", "3/2/2/3", 1665204, 32, marks=slow),
]
LENGTHS = [
    ("kip320-first-try", "3/2/2/2", "WeakIsr", 12),
    ("kip320-first-try", "3/2/2/2", "StrongIsr", 13),
    ("kip279", "3/2/2/1", "StrongIsr", 12),
    ("kip279", "3/2/2/2", "WeakIsr", 11),
    ("kip279", "3/2/2/2", "StrongIsr", 11),
    ("kip101", "3/2/2/1", "StrongIsr", 12),
    ("kip101", "3/2/2/2", "WeakIsr", 11),
    ("kip101", "3/2/2/2", "StrongIsr", 11),
    ("truncate-to-hw", "3/2/2/1", "WeakIsr", 9),
    ("truncate-to-hw", "3/2/2/1", "StrongIsr", 9),
    ("truncate-to-hw", "3/2/2/2", "WeakIsr", 9),
    ("truncate-to-hw", "3/2/2/2", "StrongIsr", 9),
]
TOLD_APART = [
    ("kip101", "2/2/2/2", 9045, {"WeakIsr": 12, "StrongIsr": 12, "TruncationPrefix": 13}),
    ("kip279", "2/2/2/2", 9027, {}),
    ("kip101", "2/3/3/2", 32933, {"WeakIsr": 12, "StrongIsr": 12, "LogMatching": 12, "TruncationPrefix": 11}),
    ("kip279", "2/3/3/2", 32713, {}),
    ("kip279", "2/2/2/3", 53099, {}),
]


def _run(model: str, constants: str, properties: str, **options: bool) -> Exploration:
    names = ("replicas", "log_size", "max_records", "max_leader_epoch")
    settings = dict(zip(names, map(int, constants.split("/")), strict=True))
    return explore(model, properties.split(), **settings, **options)  # type: ignore[arg-type]


@pytest.mark.full(every=5)
@pytest.mark.parametrize(("model", "constants", "distinct", "generated", "depth"), COUNTS)
def test_counts(model: str, constants: str, distinct: int, generated: int, depth: int) -> None:
    """By default one state of each orbit is searched; the counts are of all."""
    result = _run(model, constants, BOTH)
    assert result.orbits is not None
    assert (result.verdict, result.distinct, result.generated, result.depth) == ("holds", distinct, generated, depth)


@pytest.mark.full
@pytest.mark.parametrize(("model", "constants", "distinct", "generated", "depth"), COUNTS[:5:2])
def test_counts_without_symmetry(model: str, constants: str, distinct: int, generated: int, depth: int) -> None:
    result = _run(model, constants, BOTH, symmetry=False)
    assert result.orbits is None
    assert (result.verdict, result.distinct, result.generated, result.depth) == ("holds", distinct, generated, depth)


@pytest.mark.full(every=4)
@pytest.mark.parametrize(("model", "constants", "orbits", "depth"), ORBITS)
def test_orbits(model: str, constants: str, orbits: int, depth: int) -> None:
    result = _run(model, constants, BOTH)
    assert (result.verdict, result.orbits, result.depth) == ("holds", orbits, depth)


@pytest.mark.full(every=5)
@pytest.mark.parametrize(("model", "constants", "name", "length"), LENGTHS)
def test_shortest_counterexamples(model: str, constants: str, name: str, length: int) -> None:
    result = _run(model, constants, name, until_decided=True)
    path = result[name].path
    assert result[name].verdict == "violated"
    assert path is not None
    assert path.length == length


@pytest.mark.full
@pytest.mark.parametrize(("model", "constants"), [("kip279", "3/2/2/1"), ("kip101", "3/2/2/1")])
def test_weak_isr_holds_where_strong_isr_does_not(model: str, constants: str) -> None:
    assert _run(model, constants, "WeakIsr").verdict == "holds"


@pytest.mark.full
@pytest.mark.parametrize(("model", "constants", "distinct", "lengths"), TOLD_APART)
def test_kip101_and_kip279_are_told_apart(model: str, constants: str, distinct: int, lengths: dict[str, int]) -> None:
    result = _run(model, constants, ALL)
    assert result.distinct == distinct
    assert {each.prop.name: each.path.length for each in result.violations if each.path} == lengths


@pytest.mark.full
def test_kip101_at_more_epochs() -> None:
    result = _run("kip101", "2/2/2/3", BOTH)
    assert result.distinct == 53413
    assert {each.prop.name: each.path.length for each in result.violations if each.path} == {
        "WeakIsr": 12,
        "StrongIsr": 12,
    }


@slow
def test_kip320_needs_its_own_truncation() -> None:
    from dataclasses import replace

    from isrproof.model.replication import kip279
    from isrproof.model.replication.ladder import KIP320

    actions = tuple(kip279.become_follower if each.name == "BecomeFollower" else each for each in KIP320.actions)
    result = explore(replace(KIP320, actions=actions), ["WeakIsr"], until_decided=True)
    path = result["WeakIsr"].path
    assert path is not None
    assert path.length == 14


@pytest.mark.full(every=5)
@pytest.mark.parametrize("model", ["truncate-to-hw", "kip101", "kip279", "kip320-first-try", "kip320"])
def test_the_quirk_empties_the_isr_and_can_be_switched_off(model: str) -> None:
    from isrproof.model.catalogue import model as named

    small = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 2}
    assert explore(model, ["IsrNotEmpty"], **small).verdict == "violated"
    assert explore(named(model).without("empty-isr"), ["IsrNotEmpty"], **small).verdict == "holds"
