"""From extracts of lines (traces/spark/extract.py), as Arrow, to columns.

Arrow reads the extracts of lines that begin alike as CSV, and numbers the different texts of each field. What a text
means is asked once for each, of the functions that the reference parser has: so there is one reading of a text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from ....specs.releases import ALL
from ....traces.events.parse import time_of
from ....traces.events.wordings import Reader, read
from ....traces.spark.extract import DIGITS, LEADING, RETURN, SEPARATOR, Beginning, beginnings
from ..table.arrays import Array, Dictionary, Numbers, absent, array_of, concatenated

_BLOCK = 1 << 23
_KIND = pa.large_string()
# RETURN stands for a carriage return within a line, which would end a line of CSV; no extract holds it.


class Texts(NamedTuple):
    """A column of texts: which of the `different` ones each row has."""

    numbers: Numbers
    different: list[str]


def _texts(column: pa.ChunkedArray) -> Texts:
    one = column.unify_dictionaries().combine_chunks()
    if isinstance(one, pa.ChunkedArray):  # of no chunks
        return Texts(np.zeros(0, dtype=np.int32), [])
    return Texts(one.indices.to_numpy(zero_copy_only=False), [_whole(text) for text in one.dictionary.to_pylist()])


def _whole(text: str) -> str:
    return text.replace(RETURN, "\r") if RETURN in text else text


def _table(extracts: pa.LargeStringArray, names: Sequence[str]) -> Mapping[str, Texts]:
    lines = pc.binary_join_element_wise(extracts, pa.scalar("", _KIND), pa.scalar("\n", _KIND))
    table = csv.read_csv(
        pa.BufferReader(lines.buffers()[2]),
        read_options=csv.ReadOptions(column_names=list(names), block_size=_BLOCK),
        parse_options=csv.ParseOptions(delimiter=SEPARATOR, quote_char=False, escape_char=False),
        convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, pa.dictionary(pa.int32(), pa.string()))),
    )
    return {name: _texts(table[name]) for name in names}


def extracted_columns(
    extracts: pa.ChunkedArray, fields: tuple[str, ...], dictionary: Dictionary, releases: int = ALL
) -> tuple[Numbers, dict[str, Array]]:
    """The columns of understood lines: row, level, ts, releases and these fields. There must be at least one line.

    The extracts are of wordings of `releases`, as they were asked for.

    Lines that begin alike stand together: the first that is returned has for each row the place of its extract.
    """
    one = extracts.cast(_KIND).combine_chunks()
    if pc.any(pc.match_substring(one, "\r")).as_py():
        one = pc.replace_substring(one, "\r", RETURN)
    place = _places(one)
    order = np.argsort(place, kind="stable")
    ends = np.cumsum(np.bincount(place))
    known = beginnings(fields, releases)
    parts = [
        (to - at, _of_beginning(known[number], one.take(pa.array(order[at:to])), fields, dictionary))
        for number, (at, to) in enumerate(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True))
        if to > at
    ]
    names = ("row", "level", "ts", "releases", *fields)
    return order, {name: concatenated([part.get(name) or absent(size) for size, part in parts]) for name in names}


def _places(extracts: pa.LargeStringArray) -> Numbers:
    """Of each extract the number of its beginning."""
    _, offsets, data = extracts.buffers()
    begins = np.frombuffer(offsets, np.int64)[extracts.offset : extracts.offset + len(extracts)] + len(SEPARATOR)
    digits = np.frombuffer(data, np.uint8)[begins[:, None] + np.arange(DIGITS)] - ord("0")
    found: Numbers = digits @ 10 ** np.arange(DIGITS)[::-1]
    return found


def _of_beginning(
    beginning: Beginning, extracts: pa.LargeStringArray, fields: Sequence[str], dictionary: Dictionary
) -> dict[str, Array]:
    """The columns of extracts of one beginning; without those that are absent in all of its wordings."""
    texts = _table(extracts, ("_", *LEADING, *beginning.fields))
    wordings = beginning.wordings
    wording = _numbers(texts["piece"], len)
    levels = texts["level"]
    releases = np.array([[_releases(reader, level) for level in levels.different] for reader in wordings])
    found = {
        "row": array_of([reader.row.id for reader in wordings], dictionary).take(wording),
        "level": _converted(levels, lambda level: level or None, dictionary),
        "ts": _converted(texts["time"], time_of, dictionary),
        "releases": Array(releases[wording, levels.numbers]),
    }
    for field in fields:
        if field in beginning.fields or any(field in reader.constants for reader in wordings):
            found[field] = _field(field, texts.get(field), wording, wordings, dictionary)
    return found


def _releases(reader: Reader, level: str) -> int:
    return dict(reader.wording.levels).get(level, reader.wording.releases)


def _numbers(texts: Texts, function: Callable[[str], int]) -> Numbers:
    return np.array([function(text) for text in texts.different], dtype=np.int64)[texts.numbers]


def _converted(texts: Texts, function: Callable[[str], Any], dictionary: Dictionary) -> Array:
    return array_of([function(text) for text in texts.different], dictionary).take(texts.numbers)


def _field(
    field: str, texts: Texts | None, wording: Numbers, wordings: Sequence[Reader], dictionary: Dictionary
) -> Array:
    """A field's values: what its wordings make of the texts that they print, or their constants; else absent."""
    texts = texts or Texts(np.zeros(len(wording), dtype=np.int32), [""])
    readings: list[Callable[[str], Any]] = []
    which: dict[Any, int] = {}
    of_wording = []
    for reader in wordings:
        primitive = dict(reader.groups).get(field)
        constant = reader.constants.get(field)
        key = (read(primitive), None) if primitive else (None, constant)
        if key not in which:
            which[key] = len(readings)
            readings.append(key[0] or partial(_always, constant))
        of_wording.append(which[key])
    if len(readings) == 1:
        return _converted(texts, readings[0], dictionary)
    reading = np.array(of_wording)[wording]
    pairs = reading * len(texts.different) + texts.numbers
    asked = np.flatnonzero(np.bincount(pairs))  # of a few numbers, faster than to sort them
    place = np.zeros(asked[-1] + 1, dtype=np.int64)
    place[asked] = np.arange(len(asked))
    chosen = (divmod(pair, len(texts.different)) for pair in asked.tolist())
    values = [readings[how](texts.different[number]) for how, number in chosen]
    return array_of(values, dictionary).take(place[pairs])


def _always(value: Any, text: str) -> Any:
    return value
