"""The Spark reading of the line table equals the plain one, line by line."""

from __future__ import annotations

import io
import itertools
import random
import re
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import pytest
from isrproof.checker.spark_session import NoSparkError, session
from isrproof.specs.lines import PRIMITIVES, Slot, rows
from isrproof.specs.releases import ALL, span
from isrproof.traces.events import wordings
from isrproof.traces.events.parse import parse_line
from isrproof.traces.events.wordings import HEAD, Reader, dispatch, readers

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


def of_row(row: str, text: str) -> Reader:
    """The wording of a row whose sample line has a text."""
    return next(reader for reader in readers() if reader.row.id == row and text in reader.filled)


def test_a_wording_that_ends_with_any_text_is_told_by_how_it_begins() -> None:
    from isrproof.traces.spark.frequent import prints_all

    added, own = of_row("fetchers-added", "Added fetcher to broker 1"), wordings.Test("", "Added fetcher to", (), "")
    assert prints_all(added, [own])
    assert prints_all(added, [wordings.Test("", "Added fetcher for ", (), ""), own])
    assert prints_all(added, [wordings.Test("", "Added fetcher to broker BrokerEndPoint(", (), ""), own])
    assert not prints_all(added, [wordings.Test("", "Added fetcher to broker 1", (), ""), own])
    assert not prints_all(added, [wordings.Test("", "Added", (" Map(",), ""), own])
    assert not prints_all(added, [replace(own, without=("Map(",))])


def test_a_wording_that_begins_with_any_word_begins_with_none_of_another() -> None:
    from isrproof.traces.spark.frequent import prints_all

    starts, own = of_row("leader-starts", "starts at leader epoch"), wordings.Test("[Partition ", "", (), "")
    assert prints_all(starts, [own])
    assert not prints_all(starts, [wordings.Test("", "", (), ""), own])
    word, after = Slot("topic", PRIMITIVES["word"]), " starts at leader epoch "
    wording = replace(starts.wording, pieces=("[Partition t-0 broker=1] ", word, after), prefix=1)
    assert not prints_all(Reader(starts.row, wording), [own])


def test_a_logger_with_a_short_name_cannot_tell_wordings_apart() -> None:
    from isrproof.traces.spark.frequent import MOST, prints_all, tail_of

    moved, own = of_row("replica-moved", "[Controller"), wordings.Test("", "Changed state", (), "")
    assert prints_all(moved, [own])
    assert len(tail_of(moved)) == MOST
    assert not prints_all(Reader(replace(moved.row, loggers=(("state.change", ALL),)), moved.wording), [own])


def test_frequent_wordings_can_be_numbered_and_begin_in_time() -> None:
    from isrproof.traces.spark.extract import LINE_HEAD
    from isrproof.traces.spark.frequent import MOST, MOST_CHARACTERS, ROWS, frequent

    assert {reader.row.id for found in frequent().values() for reader in found} == {*ROWS}
    assert all(len(found) <= MOST for found in frequent().values())
    for reader in itertools.chain(*frequent().values()):
        assert longest(reader.speaker_slots[0], MOST_CHARACTERS) + len(reader.literals[1]) <= HEAD
        word = f" {reader.key} x" if reader.key else " starts at leader epoch "
        begins = reader.speaker_slots[0] if reader.key else (*reader.speaker_slots[0], *reader.speaker_slots[1][:3])
        assert len("[2018-08-03 12:00:00,123] TRACE ") + longest(begins, 30) + len(word) <= LINE_HEAD


def longest(pieces: Sequence[str | Slot], characters: int) -> int:
    """The most characters of pieces, if names have this many."""
    from isrproof.traces.spark.frequent import MOST_DIGITS

    most = dict.fromkeys(("int", "index"), MOST_DIGITS + 1)
    return sum(len(p) if isinstance(p, str) else most.get(p.primitive.name, characters) for p in pieces)


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
    from isrproof.traces.spark.frequent import frequent, tail_of

    lines = [
        f"[2018-08-03 12:00:00,123] {level} {filled(reader.wording, turn)}{tail_of(reader)}"
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


@pytest.mark.parametrize("releases", ["<=0.10", "0.11", ">=1.0"])
def test_patterns_of_one_era_are_compiled_as_one_method(releases: str, tmp_path: Path) -> None:
    """Java compiles no method larger than that; Spark then takes each column on its own, and copies lines between."""
    from isrproof.checker.audit.files.spark_lines import placed_lines
    from isrproof.traces.spark.extract import PRINTED, replaced
    from isrproof.traces.spark.unwrapped import unwrapped
    from pyspark.sql import functions as F  # noqa: N812

    try:
        spark = session("local[2]")
    except NoSparkError as error:
        pytest.skip(str(error))
    (tmp_path / "a.log").write_text("\n", encoding="utf-8")
    lines = placed_lines(spark, [str(tmp_path / "a.log")], unwrapped(None), None, span(releases))
    found = replaced(F.col("text"), F.col("begins"), PRINTED, span(releases))
    shown = io.StringIO()
    with redirect_stdout(shown):
        lines.select("path", "block", "place", "value", found.alias("found")).explain("codegen")
    sizes = [int(size) for size in re.findall(r"maxMethodCodeSize:([0-9]+)", shown.getvalue())]
    assert sizes
    assert max(sizes) < int(spark.conf.get("spark.sql.codegen.hugeMethodLimit") or 0)
