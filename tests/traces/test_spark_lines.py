"""The Spark reading of the line table equals the plain one, line by line."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from isrproof.checker.spark_session import NoSparkError, session
from isrproof.specs.lines import rows
from isrproof.traces.events import wordings
from isrproof.traces.events.parse import parse_line
from isrproof.traces.events.wordings import HEAD, dispatch, readers

pytest.importorskip("pyspark")
pytestmark = pytest.mark.spark

HOSTILE = [
    "", " ", "\t", "\r", "(", "[", "[1", "[2018-08-03 12:00:00,123]", "[2018-08-03 12:00:00,123] TRACE", "\x01SC1\x010",
    "[2018-08-03 12:00:00,123] TRACE [Controller id=3 epoch=1] Changed part",
    "[2018-13-45 12:00:00,123] TRACE [Controller id=3 epoch=1] Changed state of replica 1 for partition t-0 from"
    " NewReplica to OnlineReplica (state.change.logger)",
    "[2018-08-03 12:00:00,123] TRACE [Controller id=3 epoch=1] Changed state of replica 99999999999999999999999 for"
    " partition t-0 from NewReplica to OnlineReplica (state.change.logger)",
    "[2018-08-03 12:00:00,123] TRACE [Controller id=3 epoch=1] Changed state of replica 1 for partition t--0 from"
    " NewReplica to OnlineReplica (state.change.logger)\r",
    "[2018-08-03 12:00:00,123] TRACE [Controller id=3 epoch=1] Changed partition t-0 from A to OnlinePartition with"
    " state LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(,1,,2 3), zkVersion=0) (state.change.logger)",
    # What a frequent wording's pattern matches, and is no line of it: too long a beginning, a separator, no such day.
    *(f"[2018-08-03 12:00:00,123] TRACE [Controller id={id} epoch=1] Changed state of replica 1 for partition {topic}-0"
      " from NewReplica to OnlineReplica (state.change.logger)\r\r"
      for id, topic in (("1" * 200, "t"), ("9" * 19, "t"), (3, "t\x01u"), (3, "t\x02u"), (3, "t\x00\\ru"), (3, '"'))),
    "[yesterday, at half past] TRACE [Controller id=3 epoch=1] Changed state of replica 1 for partition t-0 from"
    " NewReplica to OnlineReplica (state.change.logger)",
    "[2018-02-30 12:00:00,123] TRACE [Controller id=3 epoch=1] Changed state of replica 1 for partition t-0 from"
    " NewReplica to OnlineReplica (state.change.logger)",
    "[2018-08-03 12:00:00,123] TRACE Broker 1 received LeaderAndIsr request (LeaderAndIsrInfo:(Leader:) correlation id"
    " 1 from controller 1 epoch 1 for partition [t,0] (state.change.logger)",
    "kafka1  | [2018-08-03 12:00:00,123] INFO [Controller id=3] Resigned (kafka.controller.KafkaController)",
    "state-change.log:[2018-08-03 12:00:00,123] INFO [Controller id=3] Resigned (kafka.controller.KafkaController)",
    "2018-08-03 12:00:00,123 INFO [Controller id=3] Resigned (kafka.controller.KafkaController) [main]",
    "[2018-08-03 12:00:00,123] [INFO ] [main] [kafka.controller.KafkaController] - [Controller id=3] Resigned",
    "[2018-08-03T12:00:00.123Z] INFO  [Controller id=3] Resigned (kafka.controller.KafkaController)",
    "[2018-08-03 12:00:00] WARN  [Controller id=3] Resigned (kafka.controller.KafkaController)",
    "[2018-08-03 12:00:00,123] INFO Übergrößenträger \u2028 \u0085 (a.b.C)",
    "[2018-08-03 12:00:00,123] INFO [" + "x" * 400 + "] Resigned (kafka.controller.KafkaController)",
    "java.lang.IllegalStateException: nothing that the table knows", "Exception in thread main", "\tat a.b.Error(C:1)",
    "Caused by: java.lang.Exception: (state.change.logger)", "cut tail of a line (state.change.logger)",
]  # fmt: skip


def written() -> Iterator[str]:
    """A line of each wording, dressed, and some of them damaged; the same ones on every run."""
    from isrproof.traces.events.render import filled

    chance = random.Random(7)
    for reader in readers():
        name = reader.row.logger(reader.wording.releases)
        for turn in (0, 1):
            message = filled(reader.wording, turn)
            level = reader.wording.levels[0][0]
            line = f"[2018-08-03 12:00:00,123] {level} {message} ({name})" if name else message
            yield line
            if chance.random() < 0.3:
                at = chance.randrange(len(line))
                yield line[:at] + chance.choice(["", " ", "x", "[", "'"]) + line[at + chance.randrange(3) :]


def endless() -> list[str]:
    """A line of each wording with something very long in it: no pattern may take it to heart, or run out of stack."""
    chance = random.Random(11)
    found = []
    for line in written():
        if line[:1] == "[" and not line.startswith("[2018"):
            continue
        at = chance.randrange(len(line))
        unit = chance.choice(["a", "1,", "1", "[", "List(", " ", ", ", ".a", "Exception: ", line[at : at + 8] or "x"])
        found.append(line[:at] + unit * (10_000 // len(unit)) + line[at:])
    return found


def test_a_frequent_wording_is_told_by_its_pattern_alone() -> None:
    """Each condition alone keeps a wording from being looked for first."""
    from isrproof.traces.spark.frequent import prints_all

    bucket = dispatch().by_key["Changed"]
    reader, own = next((reader, test) for reader, test in bucket if reader.row.id == "replica-moved")
    assert prints_all(reader, [own])
    assert not prints_all(reader, [replace(own, without=("NewReplica",))])
    assert not prints_all(reader, [wordings.Test("", "Changed", (), ""), own])
    assert prints_all(reader, [wordings.Test("", "Changed", (" assigned replicas ",), ""), own])
    assert prints_all(reader, [wordings.Test("", "Changed", (), "", without=reader.literal_pieces[:1]), own])
    others = [reader for reader in readers() if not reader.row.bears and reader.row.family == "state.change.logger"]
    assert others
    assert not any(prints_all(reader, [own]) for reader in others)
    others = [reader for reader in readers() if reader.row.bears and reader.row.family == "kafka.controller"]
    assert others
    assert not any(prints_all(reader, [own]) for reader in others)


def test_frequent_wordings_can_be_numbered_and_begin_in_time() -> None:
    from isrproof.traces.spark.extract import LINE_HEAD
    from isrproof.traces.spark.frequent import MOST, MOST_DIGITS, WORDS, frequent

    assert {beginning.partition(" ")[0] for beginning in frequent()} == {*WORDS}
    assert all(len(found) <= MOST for found in frequent().values())
    for reader in itertools.chain(*frequent().values()):
        longest = sum(len(piece) if isinstance(piece, str) else MOST_DIGITS + 1 for piece in reader.speaker_slots[0])
        assert longest + len(reader.literals[1]) <= HEAD
        assert len("[2018-08-03 12:00:00,123] TRACE ") + longest + len(f" {reader.key} x") <= LINE_HEAD


def extracts(lines: Sequence[str]) -> dict[str, str | None]:
    """Of each line its extract; None if Spark takes it for none of a frequent wording."""
    from isrproof.traces.spark.extract import SEPARATOR, beginning, behind_bracket, line_head, replaced
    from pyspark.sql import functions as F  # noqa: N812

    try:
        spark = session("local[2]")
    except NoSparkError as error:
        pytest.skip(str(error))
    frame = spark.createDataFrame([(line,) for line in lines], "value string")
    frame = frame.select("value", line_head(F.col("value")).alias("head"))
    begins = beginning(F.col("value"), F.col("head"), behind_bracket(F.col("head")))
    frame = frame.select("value", begins.alias("begins"))
    rows = frame.select("value", replaced(F.col("value"), F.col("begins")).alias("found")).collect()
    return {row["value"]: row["found"] if (row["found"] or "").startswith(SEPARATOR) else None for row in rows}


def test_each_frequent_wording_is_matched_by_its_pattern() -> None:
    """What no pattern matched would be read all the same, but slowly."""
    from isrproof.traces.events.render import filled
    from isrproof.traces.spark.extract import event_of
    from isrproof.traces.spark.frequent import FAMILY, frequent

    lines = [
        f"[2018-08-03 12:00:00,123] {level} {filled(reader.wording, turn)} ({FAMILY})"
        for reader in itertools.chain(*frequent().values())
        for turn in (0, 1)
        for level in ("TRACE", "INFO")
    ]
    for line, extract in extracts(lines).items():
        assert extract is not None, line
        assert event_of(extract) == parse_line(line)


def test_what_spark_extracts_is_what_python_reads() -> None:
    """Of hostile lines too: an extract is of a line that the reference understands, and says the same."""
    from isrproof.traces.spark.extract import event_of

    lines = [*HOSTILE, *(row.sample for row in rows().values() if row.sample), *written(), *endless()]
    found = extracts(lines)
    assert sum(extract is not None for extract in found.values()) > 100
    wrong = [line for line, extract in found.items() if extract is not None and event_of(extract) != parse_line(line)]
    assert wrong == []
