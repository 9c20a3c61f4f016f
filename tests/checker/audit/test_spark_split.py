"""Spark splits files whose lines are in an envelope, and says what the reference says, wherever it cuts them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="the Spark engine needs PySpark")
import pyarrow as pa
from isrproof.checker.audit.catalogue import lines_read
from isrproof.checker.audit.fields import EVENT
from isrproof.checker.audit.files import spark, spark_lines, split
from isrproof.checker.audit.files.python import InProcess
from isrproof.checker.audit.pipeline import first_look
from isrproof.checker.audit.table.protocol import Row, Table
from isrproof.checker.spark_session import session
from isrproof.specs.formats import envelopes, layouts
from isrproof.traces.formats.detect import UNASKED, detect
from isrproof.traces.formats.pieces import missing, texts_of
from isrproof.traces.formats.reading import PARTS, Numbering, Reading, Unwrapped
from isrproof.traces.formats.wrapping import taken_alone
from isrproof.traces.sources.text import Lines, cleaned, text_of

from tests import engines
from tests.recordings import RECORDED
from tests.shapes import Said, enveloped, in_layout, recorded

pytestmark = [pytest.mark.spark, pytest.mark.full]
TIME = "2026-11-21T20:24:36.123456789Z"


@cache
def lines() -> list[tuple[Said, str]]:
    said = [each for each in recorded(RECORDED / "lifecycle-2.8.2") if each.log == "state-change"]
    return [(each, line) for each in said for line in in_layout(layouts()["kafka"], each)][:400]


def written(envelope: str, rng: random.Random) -> Iterator[str]:
    """Lines in an envelope, some of them in pieces; what else is in such files."""
    row = envelopes()[envelope]
    for said, line in lines():
        luck = rng.random()
        if luck < 0.02:
            yield rng.choice(["", "  ", "no line of Kafka", line, "\ufeff", '{"a": [1]}', "[2026-11-21 20:24:36,0"])
        cuts = sorted(rng.randrange(len(line)) for _ in range(rng.choice([1, 2, 9]))) if luck < 0.1 else []
        pieces = [line[a:b] for a, b in zip([0, *cuts], [*cuts, len(line)], strict=True)]
        for number, piece in enumerate(pieces):
            last = number == len(pieces) - 1
            if luck < 0.005 and last:  # its end is lost
                continue
            (shown,) = enveloped(row, said, [piece])
            if envelope == "cri" and not last:
                shown = shown.replace(" F ", " P ", 1)
            if envelope == "docker" and not last:
                shown = json.dumps(json.loads(shown) | {"log": piece})
            yield shown.replace('": "', '":"').replace('", "', '","')
        if luck > 0.99:
            (shown,) = enveloped(row, said, [line])
            yield shown.replace("stdout", "stderr") + rng.choice(["", "\r", " "])


CUTS = [("cri", "9k"), ("docker", "10k")]
MORE = [("cri", "900"), ("docker", "1k"), ("timestamps", "5k"), ("cri", "64m"), ("docker", "64m"), ("cri", "2k")]


@pytest.mark.parametrize(("envelope", "split"), [*CUTS, *(pytest.param(*cut, marks=pytest.mark.slow) for cut in MORE)])
def test_wherever_a_file_is_cut_it_is_equal(
    envelope: str, split: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_lines, "SPLIT", split)
    rng = random.Random(split)
    paths = []
    for number in range(2):
        path = tmp_path / f"b{number}" / "state-change.log"
        path.parent.mkdir()
        path.write_text("".join(f"{line}\n" for line in written(envelope, rng)), encoding="utf-8")
        assert detect(str(path)).reading.alone is envelopes()[envelope]
        paths.append(path)
    plain = engines.reference(paths)
    assert sum(report["coverage"]["understood"] for report in plain) > len(lines()) / 2
    shown = engines.spark(paths, buckets=2, piece=100)
    assert json.dumps(shown) == json.dumps(plain)


def test_some_of_the_files_are_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the numbers that their lines have in the audit."""
    monkeypatch.setattr(spark_lines, "SPLIT", "30k")
    rng, paths = random.Random(3), [tmp_path / f"b{number}" / "state-change.log" for number in range(3)]
    for path in paths:
        path.parent.mkdir()
        path.write_text("".join(f"{line}\n" for line in written("cri", rng)), encoding="utf-8")
    sources = engines.sources(paths, each=False)
    there = spark.SparkLog(session(), sources, [0] * 3, UNASKED, False, lines_read(), tuple(EVENT), buckets=2)
    here = InProcess(sources, UNASKED, False, lines_read())
    for log in (there, here):
        log.read(first_look)
    for files in ([1], [0, 2]):
        rows = [sorted(map(str, log.over_lines(_shown, files))) for log in (there, here)]
        assert rows[0] == rows[1] != []


def _shown(table: Table) -> list[Row]:
    return [{name: row[name] for name in ("file", "line", "row", "ts")} for row in table.rows()]


def logical(envelope: str, split_at: list[int], texts: list[str]) -> tuple[list[tuple[int, str]], int]:
    """Return the places and texts of the lines of a file, read in parts, and the number of cut ones.

    The content of a line is beside it if Spark may extract it.
    """
    found: dict[tuple[int, int], list[str]] = {}
    parts = []
    for begin, end in pairwise([0, *split_at, len(texts)]):
        readers: list[Any] = []
        batch = of_lines(envelope, begin, texts[begin:end])
        middle = batch.num_rows // 2
        for made in split._lines(envelopes()[envelope], False, [batch.slice(0, middle), batch.slice(middle)], readers):
            for row in made.to_pylist():
                found.setdefault((row["home"], row["block"]), []).append(row["value"].decode())
        parts += [split.FilePart.from_json(json.loads(json.dumps(reader.part().as_json()))) for reader in readers]
    joined = split.joined(parts)
    for seam in joined.seams:
        for row in seam.to_pylist():
            found.setdefault((row["home"], row["block"]), []).append(row["value"].decode())
    shown = [text for key in sorted(found) for text in found[key]]
    assert joined.numbering.size == len(shown)
    return [(placed(joined.numbering, number), text) for number, text in enumerate(shown, start=1)], joined.cut


def placed(numbering: Numbering, number: int) -> int:
    line, part = numbering.place(number)
    return line * PARTS + (part - 1 if part else 0)


def of_lines(envelope: str, begin: int, texts: list[str]) -> pa.RecordBatch:
    held = [alone(envelope, text) for text in texts]
    same = [pa.array([number] * len(texts), pa.int64()) for number in (7, begin * 1000)]
    bytes_of = (pa.array([text and text.encode() for text in each], pa.binary()) for each in (held, texts))
    columns = [*same, pa.array(range(len(texts)), pa.int64()), *bytes_of]
    return pa.record_batch(columns, names=["home", "block", "place", "text", "value"])


def alone(envelope: str, text: str) -> str | None:
    """The log line that a line of the file contains in full, if Spark may extract it."""
    held = taken_alone(envelopes()[envelope], text)
    whole = held is not None and not held.goes_on and isinstance(held.value, str) and held.value[:5] == "[2026"
    return held.value.rstrip("\n") if whole and held is not None else None


@pytest.mark.parametrize("envelope", ["cri", "docker"])
def test_the_parts_of_a_file_are_joined_wherever_it_is_cut(envelope: str, tmp_path: Path) -> None:
    rng = random.Random(1)
    for case in range(30):
        texts = [line for line in written(envelope, rng) if rng.random() < 0.98][: rng.choice([3, 30, 300])]
        if case % 3 == 0:  # a line in very many pieces
            piece = {"cri": f"{TIME} stderr P x", "docker": '{"log":"x","stream":"stderr","time":"now"}'}[envelope]
            at = rng.randrange(len(texts))
            texts[at:at] = [piece] * rng.choice([2, 40])
        path = tmp_path / "a.log"
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        lines = Unwrapped(Lines(str(path)), Reading((envelope,), "kafka"))
        wanted = [(place, text) for _, place, text in lines]
        at_most = rng.choice([1, 5, len(texts)])
        cuts = sorted(rng.sample(range(1, len(texts)), min(at_most, len(texts) - 1)))
        shown, cut = logical(envelope, cuts, [line.rstrip("\r").lstrip("\ufeff") for line in texts])
        assert shown == wanted
        assert missing(cut) == lines.problem


def test_what_spark_takes_out_of_an_envelope_is_what_the_reference_takes() -> None:
    from isrproof.traces.spark.unwrapped import unwrapped

    rng = random.Random(5)
    for envelope in (row for row in envelopes().values() if Reading((row.id,)).alone):
        texts = [*written(envelope.id, rng)]
        texts += [text.replace(*odd) for text in texts[:40] for odd in ODD]
        rows = session().createDataFrame([(text,) for text in texts], "value string")
        for name, column in unwrapped(envelope):
            rows = rows.select("*", column.alias(name))
        found = [row["text"] for row in rows.collect()]
        assert sum(text is not None for text in found) > len(texts) / 4
        for text, shown in zip(texts, found, strict=True):
            held = taken_alone(envelope, text_of(text.encode()))
            assert shown is None or (held is not None and not held.goes_on), text
            assert shown is None or texts_of(held) == [cleaned(shown)], text  # type: ignore[arg-type]


ODD = (
    ("stdout", "stdout\x1b[32m"),
    ("Z", "+01:00"),
    ("partition", 'parti"tion'),
    ("partition", "parti\ttion"),
    ("partition", "parti\\tion"),
    ("partition", "partiti\u00f6n\ufffd"),
    (" F ", " F:tag "),
    ('"}', '","attrs":{"tag":"x"}}'),
    ('"}', '"} '),
    ('{"log"', '{ "log"'),
    ("2026", "206"),
    (",", ";"),
)
