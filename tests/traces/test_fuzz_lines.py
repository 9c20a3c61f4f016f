"""Damaged lines: no reader breaks, and the native reading of Spark says what the reference says."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest
from isrproof.specs.lines import rows
from isrproof.traces.events.event import Continuation, Event, Irrelevant, Unknown
from isrproof.traces.events.parse import parse_line
from isrproof.traces.sources.text import Lines, text_of
from isrproof.traces.spark.frequent import frequent

from tests.mangled_bytes import flipped, inserted, mangled

RECORDED = Path(__file__).parents[2] / "traces" / "recorded"


@cache
def pool() -> tuple[bytes, ...]:
    """Lines of all kinds: samples of the table, and some of each recording."""
    found = [row.sample.encode() for row in rows().values() if row.sample]
    for log in sorted(RECORDED.glob("*/broker-1/*.log*")):
        found += (line.encode() for line in [*Lines(str(log))][:3000:5] if line)
    return tuple(found)


@cache
def common() -> tuple[bytes, ...]:
    """Lines of the wordings that Spark reads natively."""
    rows_read = {reader.row.id for readers in frequent().values() for reader in readers}
    parsed = ((line, parse_line(text_of(line))) for line in pool())
    return tuple(line for line, each in parsed if isinstance(each, Event) and each.row in rows_read)


def damaged(count: int) -> list[bytes]:
    """Every second is a common line in which hardly anything is wrong."""
    chance = random.Random(count)
    found = []
    for number in range(count):
        gentle = chance.choice((flipped, inserted, lambda _, line, __: line))
        some = chance.choice(common())
        found.append(mangled(chance, pool()) if number % 2 else gentle(chance, some, some))
    return [line.replace(b"\n", b" ") for line in found]


def test_the_pool_has_lines_of_most_rows() -> None:
    parsed = [parse_line(text_of(line)) for line in pool()]
    assert len({each.row for each in parsed if isinstance(each, Event)}) > 90
    assert len(pool()) > 1_000


@pytest.mark.parametrize("count", [3_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_damaged_line_is_read_as_something(count: int) -> None:
    found = [parse_line(text_of(line)) for line in damaged(count)]
    kinds = {kind: sum(isinstance(each, kind) for each in found) for kind in (Event, Irrelevant, Continuation, Unknown)}
    assert sum(kinds.values()) == count
    assert all(n > count // 100 for n in kinds.values()), kinds
    assert sum(isinstance(each, Unknown) and each.wrong is not None for each in found) > count // 100


@pytest.mark.spark
@pytest.mark.parametrize("count", [3_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_spark_says_of_a_damaged_line_what_the_reference_says(count: int, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    from isrproof.checker.audit.files.spark_lines import placed_lines
    from isrproof.checker.spark_session import NoSparkError, session
    from isrproof.traces.spark.extract import SEPARATOR, event_of, replaced
    from isrproof.traces.spark.unwrapped import unwrapped
    from pyspark.sql import functions as F  # noqa: N812

    try:
        spark = session("local[2]")
    except NoSparkError as error:
        pytest.skip(str(error))
    lines = damaged(count)
    (tmp_path / "a.log").write_bytes(b"\n".join(lines))
    frame = placed_lines(spark, [str(tmp_path / "a.log")], unwrapped(None))
    found = replaced(F.col("text"), F.col("begins")).alias("found")
    read = frame.select(F.col("value").cast("binary").alias("value"), found).collect()
    assert sorted(bytes(row["value"]) for row in read) == sorted(lines)
    extracts = [row for row in read if (row["found"] or "").startswith(SEPARATOR)]
    assert len(extracts) > count // 10
    wrong = [row["value"] for row in extracts if event_of(row["found"]) != parse_line(text_of(bytes(row["value"])))]
    assert wrong == []
