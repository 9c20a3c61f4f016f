"""What Spark extracts of the lines of frequent wordings, as native expressions.

Of wordings of all releases, or of those that a log is likely to have: Java compiles no large method, and a long list of
patterns is one.

DataFrame calls only, so that a Spark Connect session can run them. A line of a frequent wording (frequent.py) costs one
regular expression, which writes the line's fields in a fixed order between separators: its *extract*. The extracts of
many lines that begin alike are read together, as lines of CSV, by whoever gets them as Arrow. Any other line is for the
reference parser (traces/events/parse.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ...specs.releases import ALL
from ..events.event import FIELDS, Event, event
from ..events.parse import time_of
from ..events.wordings import SEPARATORS, Reader, read
from .frequent import frequent, pattern

if TYPE_CHECKING:
    from pyspark.sql import Column

SEPARATOR, RETURN = SEPARATORS
"""The first begins an extract, and stands between its fields; neither is in any. The second is free for readers."""
PRINTED = tuple(field for field in FIELDS if field not in ("row", "level", "ts", "releases"))
"""The fields of an event that its message prints."""
LEADING = ("beginning", "piece", "time", "level")
"""What stands before the fields in an extract: the beginning, a number of DIGITS digits, says which of `beginnings` it
is of, the length of the piece which of its wordings."""
DIGITS = 3
LINE_HEAD = 200
"""The bytes of a line that hold its time and level, who speaks, and the words that it is recognised by."""
_LEAST_DRESS = len("[2018-08-03 12:00:00,123] INFO ")


class Beginning(NamedTuple):
    """Wordings that begin alike, whose lines one pattern reads, and the fields of their extracts, in order."""

    wordings: tuple[Reader, ...]
    fields: tuple[str, ...]


@cache
def beginnings(fields: tuple[str, ...] = PRINTED, releases: int = ALL) -> tuple[Beginning, ...]:
    """Those of the frequent wordings of some releases, if these fields are asked for."""
    found = []
    for readers in frequent(releases).values():
        printed = set(pattern(readers, fields).groups)
        found.append(Beginning(readers, tuple(name for name in fields if name in printed)))
    return tuple(found)


def line_head(line: Column) -> Column:
    """What `beginning` looks at. Of bytes: to count characters would take longer than all the rest."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.substring(line.cast("binary"), _LEAST_DRESS, LINE_HEAD - _LEAST_DRESS + 1).cast("string")


def behind_bracket(head: Column) -> Column:
    """How the sentence of most lines begins: it is looked at often, and to search a line for words takes longer."""
    from pyspark.sql import functions as F  # noqa: N812

    begins = F.instr(head, "] ") + len("] ")
    return F.substring(head.cast("binary"), begins, max(len(mark.words) for mark in frequent() if mark.bracketed)).cast(
        "string"
    )


def beginning(line: Column, head: Column, sentence: Column, releases: int = ALL) -> Column:
    """Which of `beginnings` of some releases a line seems to have, a number; null if it has none.

    `sentence` is what stands behind the last bracket of its head.
    """
    from pyspark.sql import functions as F  # noqa: N812

    number = F.when(~(line.startswith("[1") | line.startswith("[2")), F.lit(None).cast("int"))
    for place, (words, bracketed) in enumerate(frequent(releases)):
        number = number.when(sentence.startswith(words) if bracketed else F.contains(head, F.lit(words)), place)
    return number


def replaced(line: Column, begins: Column, fields: Sequence[str] = PRINTED, releases: int = ALL) -> Column:
    """The extract of a line of a frequent wording; any other line is itself, or null without a beginning."""
    from pyspark.sql import functions as F  # noqa: N812

    found = F.when(begins.isNull(), F.lit(None).cast("string"))
    for place, beginning in enumerate(beginnings(tuple(fields), releases)):
        made = pattern(beginning.wordings, fields)
        texts = made.numbers()
        shown = (f"{place:0{DIGITS}}", *(texts[name] for name in (*LEADING[1:], *beginning.fields)))
        extract = SEPARATOR + SEPARATOR.join(shown)
        found = found.when(begins == place, F.regexp_replace(line, made.text, extract))
    return found


def event_of(extract: str) -> Event:
    """The event of one line, from an extract of all fields: as parse_line gives it."""
    _, place, piece, time, level, *texts = extract.split(SEPARATOR)
    beginning = beginnings()[int(place)]
    reader = beginning.wordings[len(piece)]
    values = reader.constants.copy()
    values["level"] = level or None
    values["ts"] = time_of(time)
    values["releases"] = dict(reader.wording.levels).get(level, reader.wording.releases)
    for field, primitive in reader.groups:
        values[field] = read(primitive)(texts[beginning.fields.index(field)])
    return event(values)
