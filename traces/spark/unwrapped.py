"""The content of envelopes as native Spark expressions, for lines as their writer usually writes them.

The reference (traces/formats) reads all other lines: those written otherwise, incomplete ones, and lines in layouts
other than the default one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...specs.formats import Envelope
from ..events.layouts import escape

if TYPE_CHECKING:
    from pyspark.sql import Column

_LINE = "LINE"
"""Stands for the line in the example of an envelope's row."""
_HEAD = 64
"""Number of bytes of a line that contain its envelope before the line of the log, and of those at its end that contain
the rest."""
_END = 100
_MOST = (1 << 31) - 1
NamedColumn = tuple[str, "Column"]
"""A column that later ones may name: Spark computes it once."""


def unwrapped(envelope: Envelope | None) -> tuple[NamedColumn, ...]:
    """Return the steps that compute, from a line of a file, `value`, the line of the log that it contains: the last
    column, `text`.

    The text begins with a bracket; it is null if the reference must read the line. Without an envelope it is the line
    itself.
    """
    from pyspark.sql import functions as F  # noqa: N812

    if envelope is None:
        return (("text", F.col("value")),)
    return _of_object(envelope) if envelope.kind == "json" or envelope.quoted else _of_text(envelope)


def _of_text(envelope: Envelope) -> tuple[NamedColumn, ...]:
    from pyspark.sql import functions as F  # noqa: N812

    line, before = F.col("value"), F.col("before")
    inner = _bytes(line, F.octet_length(before) + 1, F.lit(_MOST))
    return (
        ("before", F.regexp_extract(_bytes(line, 1, _HEAD), before_text(envelope), 0)),
        ("text", F.when(before != "", inner)),
    )


def before_text(envelope: Envelope) -> str:
    """Return a Java pattern of the text before a whole line that begins with a bracket."""
    before, text, _ = envelope.pattern.partition("(?P<text>")
    whole = before.replace("(?P<piece>[FP])", "F")
    return "^" + re.sub(r"\(\?P<[a-z]+>", "(?:", whole) + r"(?=\[)" if text else ""


def _of_object(envelope: Envelope) -> tuple[NamedColumn, ...]:
    """Return the steps for JSON written like the example of the envelope's row, with other texts, none of them
    escaped."""
    from pyspark.sql import functions as F  # noqa: N812

    line, after, inner = F.col("value"), F.col("after"), F.col("inner")
    before = envelope.example.partition(_LINE)[0]
    behind = F.regexp_extract(_bytes(line, F.lit(-_END), F.lit(_END)), after_text(envelope), 0)
    size = F.octet_length(line) - F.octet_length(after) - len(before)
    escaped = F.contains(inner, F.lit('"')) | F.contains(inner, F.lit("\\"))
    return (
        ("after", F.when(line.startswith(before + "["), behind).otherwise("")),
        ("inner", F.when(after != "", _bytes(line, F.lit(len(before) + 1), size))),
        ("text", F.when(~escaped, inner)),
    )


def after_text(envelope: Envelope) -> str:
    """Return a Java pattern of the text after the line in an envelope of JSON."""
    behind = escape(envelope.example.partition(_LINE)[2])
    return re.sub(':"[^"]*"', lambda _: r':"[^"\\]*"', behind) + r"\r*\z"


def _bytes(line: Column, first: Column | int, size: Column | int) -> Column:
    """Return a column as bytes, because counting characters takes longer."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.substring(line.cast("binary"), first, size).cast("string")
