"""The reference, columns on this machine and columns on Spark say the same, to the letter, of every recording, of the
corpus and of histories with faults, for any number of buckets."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests import engines
from tests.histories import history, save, texts, with_faults
from tests.recordings import ALL, RECORDED, some

pytest.importorskip("pyarrow")

RELEASES = ("0.8.1", "0.11.0", "1.0.0", "1.1.1", "2.0.0", "2.3", "2.5", "2.8.1", "3.9")
HISTORIES = 150
_PART = 200_000
"""Bytes of a file that are read together: most of these files are read in several parts."""

Said = list[dict[str, Any]]


def _columns(paths: list[Path], buckets: int) -> Said:
    return engines.columns(paths, buckets=buckets, part=_PART, piece=2_000)


def _spark(paths: list[Path], buckets: int) -> Said:
    pytest.importorskip("pyspark", reason="the Spark engine needs PySpark")
    return engines.spark(paths, buckets=buckets)


ENGINES = [
    pytest.param(_columns, id="columns"),
    pytest.param(_spark, id="spark", marks=(pytest.mark.spark, pytest.mark.full)),
]
MANY = [pytest.param(buckets, marks=pytest.mark.slow) for buckets in (1, 2, 100)]


@cache
def _reference(*paths: Path) -> Said:
    return engines.reference(paths)


def _equal(engine: Callable[[list[Path], int], Said], paths: list[Path], buckets: int) -> None:
    plain = _reference(*paths)
    assert len(plain) == len(paths)
    assert any(report["findings"] for report in plain)
    for path, ours, expected in zip(paths, engine(paths, buckets), plain, strict=True):
        assert ours == expected, path.name


@pytest.mark.full
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("buckets", [7, *MANY])
def test_recordings(buckets: int, engine: Callable[[list[Path], int], Said]) -> None:
    _equal(engine, some(), buckets)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("buckets", [1, 2, 7, 100])
def test_the_other_recordings(buckets: int, engine: Callable[[list[Path], int], Said]) -> None:
    """Cases that share wordings and scenarios with some of them."""
    _equal(engine, [path for path in map(RECORDED.joinpath, ALL) if path not in some()], buckets)


@pytest.mark.corpus
@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("buckets", [1, 2, 7, 100])
def test_the_corpus(corpus: Path, buckets: int, engine: Callable[[list[Path], int], Said]) -> None:
    _equal(engine, sorted(corpus.iterdir()), buckets)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """Histories of all releases by their seed, in half of which logs are wiped, with up to six faults each."""

    @cache
    def made(seed: int) -> Path:
        release = RELEASES[seed % len(RELEASES)]
        own = history(seed, release, wipes=seed % 2)
        own.written = with_faults(own.written, random.Random(seed), seed % 7)
        return save(tmp_path_factory.mktemp(str(seed)), texts(own.written, release))

    return made


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("buckets", [7, *MANY])
@pytest.mark.parametrize(
    "many", [3, pytest.param(12, marks=pytest.mark.full), pytest.param(HISTORIES, marks=pytest.mark.slow)]
)
def test_histories_with_faults(
    many: int, buckets: int, engine: Callable[[list[Path], int], Said], faulty: Callable[[int], Path]
) -> None:
    """One audit of many clusters: a job takes longer to plan than a history to read."""
    _equal(engine, [*map(faulty, range(many))], buckets)
