"""From extracts of lines (traces/spark/extract.py), as Arrow, to columns.

Arrow reads extracts as CSV and numbers the different texts of each field. What a text means is asked once for each, of
the functions that the reference parser has: so there is one reading of a text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from ....traces.events.parse import time_of
from ....traces.events.wordings import Reader, read
from ....traces.spark.extract import LEADING, RETURN, SEPARATOR, wordings
from ..table.arrays import Array, Dictionary, Numbers, array_of

_BLOCK = 1 << 23
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


def _table(extracts: pa.ChunkedArray, names: Sequence[str]) -> Mapping[str, Texts]:
    kind = pa.large_string()
    one = extracts.cast(kind).combine_chunks()
    if pc.any(pc.match_substring(one, "\r")).as_py():
        one = pc.replace_substring(one, "\r", RETURN)
    lines = pc.binary_join_element_wise(one, pa.scalar("", kind), pa.scalar("\n", kind))
    table = csv.read_csv(
        pa.BufferReader(lines.buffers()[2]),
        read_options=csv.ReadOptions(column_names=list(names), block_size=_BLOCK),
        parse_options=csv.ParseOptions(delimiter=SEPARATOR, quote_char=False, escape_char=False),
        convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, pa.dictionary(pa.int32(), pa.string()))),
    )
    return {name: _texts(table[name]) for name in names}


def extracted_columns(extracts: pa.ChunkedArray, fields: Sequence[str], dictionary: Dictionary) -> dict[str, Array]:
    """The columns of understood lines: row, level, ts, releases and these fields. There must be at least one line."""
    texts = _table(extracts, ("_", *LEADING, *fields))
    wording = _numbers(texts["wording"], int) + _numbers(texts["piece"], len)
    found = {
        "row": array_of([reader.row.id for reader in wordings()], dictionary).take(wording),
        "level": _converted(texts["level"], lambda level: level or None, dictionary),
        "ts": _converted(texts["time"], time_of, dictionary),
    }
    releases = np.array([[_releases(reader, level) for level in texts["level"].different] for reader in wordings()])
    found["releases"] = Array(releases[wording, texts["level"].numbers])
    return found | {field: _field(field, texts[field], wording, dictionary) for field in fields}


def _releases(reader: Reader, level: str) -> int:
    return dict(reader.wording.levels).get(level, reader.wording.releases)


def _numbers(texts: Texts, function: Callable[[str], int]) -> Numbers:
    return np.array([function(text) for text in texts.different], dtype=np.int64)[texts.numbers]


def _converted(texts: Texts, function: Callable[[str], Any], dictionary: Dictionary) -> Array:
    return array_of([function(text) for text in texts.different], dictionary).take(texts.numbers)


def _field(field: str, texts: Texts, wording: Numbers, dictionary: Dictionary) -> Array:
    """A field's values: what its wordings make of the texts that they print, or their constants; else absent."""
    readings: list[Callable[[str], Any]] = []
    which: dict[Any, int] = {}
    of_wording = []
    for reader in wordings():
        primitive = dict(reader.groups).get(field)
        constant = reader.constants.get(field)
        key = (read(primitive), None) if primitive else (None, constant)
        if key not in which:
            which[key] = len(readings)
            readings.append(key[0] or partial(_always, constant))
        of_wording.append(which[key])
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
