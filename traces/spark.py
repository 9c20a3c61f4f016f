"""The parser as native Spark expressions: the same table, the same three steps as traces/wordings.py describes.

DataFrame calls only, so that a Spark Connect session does. A line costs a few plain searches; a line that bears on a
rule costs one regular expression, which writes its fields in a fixed order behind separators, and one split (a regular
expression per field took seven times as long). Each stage is a projection of its own: Spark keeps a projection apart
whose expensive column is used more than once.
"""

from __future__ import annotations

import json
from functools import cache, reduce
from typing import TYPE_CHECKING

from ..specs.lines import FAMILIES
from .event import FIELDS, Event, event
from .layouts import KNOWN, LEVELS, NO_LOGGER, Layout
from .parse import TAILS, TIME
from .wordings import BROKER_ID, HEAD, SEPARATORS, Bucket, Reader, Test, dispatch, read, readers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import Column, DataFrame

EVENT, IRRELEVANT = SEPARATORS
"""The first begins what a pattern understood, and stands between its fields; the second begins the row of an irrelevant
line, and the value of a field that may be printed empty."""
_FRONT = ("row", "wording")
_OFTEN = (
    "controller", "controller_epoch", "topic", "partition", "replica", "from_state", "to_state", "leader", "isr",
    "leader_epoch", "partition_epoch", "written_by_epoch", "replicas", "broker", "kind", "is_new", "brokers",
    "offline_replicas",
)  # fmt: skip
# The more frequent, the further in front: what is split ends with the last field that a line fills.
_PLACES = {
    name: place
    for place, name in enumerate(
        (*_FRONT, *_OFTEN, *(name for name in FIELDS if name not in (*_OFTEN, "row", "level", "ts", "releases")))
    )
}
_TIME = r"\[[^\]]*\] [A-Z]+ "


_ROW = 40
"""No id of a row of the line table is longer."""
_PLAIN = rf"(?sd)^\[[12].{{3}}-.{{14}},.{{3}}\] (?:{'|'.join(LEVELS)})(?:\r*| .*)$"


def _java(pattern: str) -> str:
    """As Python's fullmatch with DOTALL: `.` is any character, `$` nothing but the end."""
    return f"(?sd)^{pattern}$"


@cache
def _bearing() -> dict[Reader, int]:
    """The numbers of the wordings that bear on a rule."""
    return {reader: number for number, reader in enumerate(reader for reader in readers() if reader.row.bears)}


@cache
def _may_be_empty() -> frozenset[str]:
    """Fields that some wording may print empty: their values carry a mark, as "" means that there is none."""
    return frozenset(
        field for reader in readers() for field, primitive in reader.groups if primitive.inner.endswith("*")
    )


def _replacement(reader: Reader) -> str:
    """What a match is replaced with: the fields in their places."""
    values = {"row": reader.row.id, "wording": str(_bearing()[reader])}
    shown = {field: value for field, value in reader.constants.items() if field != "row"}
    shown |= {field: f"${group}" for group, (field, _) in enumerate(reader.groups, start=1)}
    values |= {field: IRRELEVANT + text if field in _may_be_empty() else text for field, text in shown.items()}
    names = list(_PLACES)[: 1 + max(_PLACES[name] for name in values)]
    return EVENT + EVENT.join(values.get(name, "") for name in names)


def _space(text: Column, start: Column) -> Column:
    """Position (from 1) of the first space at or behind a position; 0 if there is none."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.call_function("locate", F.lit(" "), text, start.cast("int"))


def _behind(text: Column, position: Column) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    return text.substr(position + 1, F.lit(HEAD))


def _unprefixed(message: Column) -> Column:
    """The first step of wordings.sentence_of: without "[Controller id=1 epoch=2] "."""
    from pyspark.sql import functions as F  # noqa: N812

    close = F.instr(message, "]")
    space = _space(message, close)
    return F.when(message.startswith("[") & (close > 0) & (space > 0), _behind(message, space)).otherwise(message)


def _spoken(text: Column) -> Column:
    """The second step of wordings.sentence_of: without "Controller 1 epoch 2 " or "Broker 1 "."""
    from pyspark.sql import functions as F  # noqa: N812

    space = _space(text, F.lit(12))
    epoch = _space(text, space + 7)
    broker = _space(text, F.lit(8))
    return (
        F.when(
            text.startswith("Controller "),
            F.when(
                (space > 0) & (text.substr(space + 1, F.lit(6)) == "epoch ") & (epoch > 0), _behind(text, epoch)
            ).otherwise(text),
        )
        .when(
            text.startswith("Broker "),
            F.when(F.substring(text, 8, 1).isin(*"0123456789-") & (broker > 0), _behind(text, broker)).otherwise(text),
        )
        .otherwise(text)
    )


def _passes(test: Test, text: Column, message: Column, sentence: Column) -> Column:
    """As Test.passes, in a line that ends with _HOT_TAIL. `message` and `sentence` are cut, `text` is the line."""
    from pyspark.sql import functions as F  # noqa: N812

    terms = []
    if test.start:
        terms.append(sentence.startswith(test.start))
    if test.head:
        terms.append(message.startswith(test.head))
    terms += [F.contains(text, F.lit(literal)) for literal in test.inner]
    terms += [~F.contains(text, F.lit(literal)) for literal in test.without]
    if test.end:
        terms.append(text.endswith(f"{test.end} ({_HOT_TAIL}"))
    return reduce(lambda left, right: left & right, terms) if terms else F.lit(True)


def _pattern(reader: Reader, dressed: bool) -> str:
    return _java(_TIME + reader.pattern + r" \([^ ]+\)" if dressed else reader.pattern)


def _leaf(reader: Reader, text: Column) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    if not reader.row.bears:
        return F.lit(IRRELEVANT + reader.row.id)
    return F.regexp_replace(text, _pattern(reader, dressed=True), _replacement(reader))


_ANY = NO_LOGGER + ")"
_HOT = ("Changed", "Sending", "Cached", "Received", "changed", "sending", "cached", "received")
"""First words of what makes up a large log: their wordings are written out, to be compiled; others are data."""
_HOT_TAIL = "state.change.logger)"
_LOOSE, _THROWABLE = "\x01", "\x02"


def _chosen(bucket: Bucket, text: Column, message: Column, sentence: Column) -> Column:
    """What the first wording makes of the line whose test it passes, in state.change.logger; null if there is none."""
    from pyspark.sql import functions as F  # noqa: N812

    value = F.when(F.lit(False), F.lit(None).cast("string"))
    for reader, test in bucket:
        if _HOT_TAIL.startswith(reader.row.family or ""):
            value = value.when(_passes(test, text, message, sentence), _leaf(reader, text))
    return value


@cache
def _data() -> str:
    """The buckets as JSON: what Spark looks up for words that are not hot."""
    buckets, loose, throwables = dispatch()
    table = {}
    for key, bucket in (*buckets.items(), (_LOOSE, loose), (_THROWABLE, throwables)):
        dressed = key != _THROWABLE
        table[key] = [
            {
                "head": test.head,
                "start": test.start,
                "inner": test.inner,
                "end": test.end,
                "without": test.without,
                "family": reader.row.family or "",
                "pattern": _pattern(reader, dressed) if reader.row.bears else None,
                "result": _replacement(reader) if reader.row.bears else IRRELEVANT + reader.row.id,
            }
            for reader, test in bucket
        ]
    return json.dumps(table)


_SCHEMA = (
    "map<string,array<struct<head:string,start:string,inner:array<string>,end:string,without:array<string>,"
    "family:string,pattern:string,result:string>>>"
)


def _looked_up(text: Column, message: Column, sentence: Column, key: Column, tail: Column) -> Column:
    """The first wording whose test the line passes, from the table as data: a struct of _SCHEMA, or null.

    Slower for a line than `_chosen`, and as quick to plan as one wording.
    """
    from pyspark.sql import functions as F  # noqa: N812

    table = F.from_json(F.lit(_data()), _SCHEMA)
    bucket = F.coalesce(F.try_element_at(table, key), F.try_element_at(table, F.lit(_LOOSE)))
    behind = F.when(tail.isNull(), "").otherwise(F.concat(F.lit(" ("), tail))

    def passes(wording: Column) -> Column:
        return (
            F.startswith(sentence, wording["start"])
            & F.startswith(message, wording["head"])
            & ((wording["end"] == "") | F.endswith(text, F.concat(wording["end"], behind)))
            & F.forall(wording["inner"], lambda literal: F.contains(text, literal))
            & ~F.exists(wording["without"], lambda literal: F.contains(text, literal))
            & (tail.isNull() | (tail == _ANY) | F.startswith(tail, wording["family"]))
        )

    return F.get(F.filter(bucket, passes), F.lit(0))


def _is_plain(line: Column) -> Column:
    """As parse._plain, with a level that log4j knows: a look at the beginning of the line."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.rlike(F.substring(line, 1, 32), F.lit(_PLAIN))


def _is_blank(text: Column) -> Column:
    return (text == "") | text.startswith(" ") | text.startswith("\t")


def _normal(text: Column, layouts: Iterable[Layout]) -> Column:
    """The line as the default layout would print it; itself if no layout printed it."""
    from pyspark.sql import functions as F  # noqa: N812

    value = F.when(F.lit(False), text)
    for known in layouts:
        for regex, pieces in known.forms:
            shown = "".join(
                piece.replace("\\", "\\\\").replace("$", "\\$") if isinstance(piece, str) else f"${piece}"
                for piece in pieces
            )
            value = value.when(F.rlike(text, F.lit(_java(regex))), F.regexp_replace(text, _java(regex), shown))
    return value.otherwise(text)


def _number(text: Column) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    return F.when(text != "", text.try_cast("bigint"))  # what fails to be cast costs an exception


def _numbers(text: Column) -> Column:
    """As wordings._ints, of a text behind its mark."""
    from pyspark.sql import functions as F  # noqa: N812

    plain = F.replace(text, F.lit(", "), F.lit(","))
    numbers = F.split(plain, ",").try_cast("array<bigint>")
    bad = F.contains(plain, F.lit(" ")) | F.contains(plain, F.lit(",,")) | plain.startswith(",") | plain.endswith(",")
    return F.when(plain == "", F.array().cast("array<bigint>")).when(~bad, numbers)


def _value(field: str, text: Column) -> Column:
    """The value of a field from its text; null where the text is empty, which is none."""
    from pyspark.sql import functions as F  # noqa: N812

    marked = field in _may_be_empty()
    inside = F.when(text.startswith(IRRELEVANT), F.substring(text, 2, 2**31 - 1)) if marked else text
    kind = FIELDS[field]
    if kind == "int":
        return _number(text)
    if kind == "bool":
        return F.when(text != "", text == "true")
    if kind == "tuple[int, ...]":
        states = F.array_join(F.regexp_extract_all(inside, F.lit(BROKER_ID), F.lit(1)), ",")
        return (
            _numbers(F.when(inside.startswith("BrokerState("), states).otherwise(inside))
            if field == "isr"
            else (_numbers(inside))
        )
    if kind == "tuple[str, ...]":
        return F.when(inside == "", F.array().cast("array<string>")).otherwise(F.split(inside, ","))
    if field == "recovery":
        return F.when(text == "0", "RECOVERED").when(text == "1", "RECOVERING").when(text != "", text)
    return inside if marked else F.when(text != "", text)


def _releases(wording: Column, level: Column) -> Column:
    """The bitmask of a wording at a level: one look-up in one constant array."""
    from pyspark.sql import functions as F  # noqa: N812

    width = len(LEVELS) + 1
    masks = []
    for reader in _bearing():
        levels = dict(reader.wording.levels)
        masks += [levels.get(name, reader.wording.releases) for name in LEVELS] + [reader.wording.releases]
    table = F.split(F.lit(",".join(map(str, masks))), ",").cast("array<bigint>")
    place = F.lit(len(LEVELS))
    for number, name in enumerate(LEVELS):
        place = F.when(level == name, number).otherwise(place)
    return F.get(table, (wording * width + place).cast("int"))


def _milliseconds(time: Column) -> Column:
    """As parse.time_of."""
    from pyspark.sql import functions as F  # noqa: N812

    seconds = F.unix_millis(F.concat(F.substring(time, 1, 19), F.lit("Z")).try_cast("timestamp"))
    return F.when(F.rlike(time, F.lit(_java(TIME))), seconds + F.substring(time, 21, 3).try_cast("int"))


def parsed(lines: DataFrame, layout: Layout | None = None, *, many: bool = True) -> DataFrame:
    """What each row of `lines` says, which has the text of a line, without its end, in `value`.

    Added to the columns of `lines`: `status` ("understood", "irrelevant", "continuation", "unknown"), `family` (what
    the logger's name begins with: "state.change.logger", "kafka.controller", "org.apache.kafka.controller", "other",
    or null where the line has no logger), `level`, `ts` (milliseconds), `row` and `said`: the fields of an understood
    line as texts, to be read by `typed` or `event_of`. Equal to parse_line, line by line.

    `many` lines are worth a plan with the wordings of frequent lines written out, which Spark compiles.
    """
    from pyspark.sql import functions as F  # noqa: N812

    given = lines.columns
    col = F.col
    text = F.when(F.endswith(col("value"), F.lit("\r")), F.rtrim(col("value"), F.lit("\r"))).otherwise(col("value"))
    if layout is None:
        dressed = col("_text").startswith("[") | col("_text").startswith("1") | col("_text").startswith("2")
        normal = (
            F.when(col("_default") | _is_blank(col("_text")), col("_text"))
            .when(dressed | F.contains(col("_text"), F.lit("] ")), _normal(col("_text"), KNOWN))
            .otherwise(col("_text"))
        )
    else:
        normal = _normal(col("_text"), (layout,))
    is_default = F.lit(False) if layout else col("_default")
    tail = F.substring_index(col("_text"), " (", -1)
    found = (
        lines.select(*given, text.alias("_text"), _is_plain(col("value")).alias("_default"))
        .select(*given, normal.alias("_text"), "_default")
        .select(*given, "_text", (is_default | _is_plain(col("_text"))).alias("_plain"))
        .select(
            *given,
            "_text",
            "_plain",
            F.when(col("_plain"), F.substring_index(F.substring(col("_text"), 27, 6), " ", 1)).alias("level"),
            F.when(col("_plain"), tail).alias("_tail"),
        )
        .select(
            *given,
            "_text",
            "_plain",
            "level",
            F.when(col("_tail").endswith(")") & ~F.contains(col("_tail"), F.lit(" ")), col("_tail")).alias("_tail"),
            F.when(col("_plain"), col("_text").substr(F.length("level") + 28, F.lit(HEAD)))
            .otherwise(F.substring(col("_text"), 1, HEAD))
            .alias("_message"),
        )
        .select(*given, "_text", "_plain", "level", "_tail", "_message", _unprefixed(col("_message")).alias("_bare"))
        .select(*given, "_text", "_plain", "level", "_tail", "_message", _spoken(col("_bare")).alias("_sentence"))
        .select(
            *given,
            "_text",
            "_plain",
            "level",
            "_tail",
            "_message",
            "_sentence",
            F.substring_index(col("_sentence"), " ", 1).alias("_key"),
        )
    )
    named = (col("_text"), col("_message"), col("_sentence"))
    thrown = reduce(
        lambda left, right: left | right,
        [F.contains(col("_text"), F.lit(word)) for word in ("Exception", "Error", "Throwable")],
    )
    none = F.lit(None).cast("string")
    hot = _HOT if many else ()
    is_hot = col("_key").isin(*hot) & (col("_tail") == _HOT_TAIL) if many else F.lit(False)
    is_bare = ~col("_plain") & ~_is_blank(col("_text")) & thrown
    is_cold = is_bare | (col("_tail").isNotNull() & ~is_hot)
    key = F.when(is_bare, _THROWABLE).otherwise(col("_key"))
    found = found.select(*found.columns, F.when(is_cold, _looked_up(*named, key, col("_tail"))).alias("_wording"))
    cold = col("_wording")
    said = F.when(cold["pattern"].isNotNull(), F.regexp_replace(col("_text"), cold["pattern"], cold["result"]))
    said = said.when(cold.isNotNull(), cold["result"]).when(col("_tail").isNull() | ~is_hot, none)
    for word in hot:
        said = said.when(col("_key") == word, _chosen(dispatch()[0][word], *named))
    family = F.lit("other")
    for name in reversed(FAMILIES):
        family = F.when(col("_tail").startswith(name), name).otherwise(family)
    cut = reduce(lambda left, right: left | right, [F.contains(col("_text"), F.lit(text)) for text in TAILS])
    strange = F.contains(col("_text"), F.lit(EVENT)) | F.contains(col("_text"), F.lit(IRRELEVANT))
    status = (
        F.when(col("_said").startswith(EVENT) & ~strange, "understood")
        .when(col("_said").startswith(IRRELEVANT) & ~strange, "irrelevant")
        .when(col("_plain") | (~_is_blank(col("_text")) & cut), "unknown")
        .otherwise("continuation")
    )
    return (
        found.select(
            *given,
            "_text",
            "_plain",
            "level",
            F.when(col("_tail").isNotNull(), family).alias("family"),
            said.alias("_said"),
        )
        .select(*given, "_said", "_text", "_plain", "level", "family", status.alias("status"))
        .select(
            *given,
            "status",
            "family",
            "level",
            F.when(col("_plain"), _milliseconds(F.substring(col("_text"), 2, 23))).alias("ts"),
            F.when(
                col("status").isin("understood", "irrelevant"),
                F.substring_index(F.substring(col("_said"), 2, _ROW), EVENT, 1),
            ).alias("row"),
            F.when(col("status") == "understood", col("_said")).alias("said"),
        )
    )


def typed(lines: DataFrame) -> DataFrame:
    """The columns of an Event in place of `said`; those of a line that is not understood are null."""
    from pyspark.sql import functions as F  # noqa: N812

    own = ("level", "ts", "row", "said")
    given = [name for name in lines.columns if name not in own]
    split = lines.select(*given, "row", "level", "ts", F.split("said", EVENT).alias("_parts"))

    def part(name: str) -> Column:
        return F.get(F.col("_parts"), F.lit(_PLACES[name] + 1))

    columns = {
        "row": F.col("row"),
        "level": F.col("level"),
        "ts": F.col("ts"),
        "releases": _releases(_number(part("wording")), F.col("level")),
    }
    columns |= {field: _value(field, part(field)) for field in FIELDS if field not in columns}
    return split.select(*given, *(columns[field].alias(field) for field in FIELDS))


@cache
def _readers() -> tuple[Reader, ...]:
    return tuple(_bearing())


def event_of(said: str, level: str | None, ts: int | None) -> Event:
    """The event of one line from columns of `parsed`, as `typed` would give it."""
    texts = said.split(EVENT)[1:]
    reader = _readers()[int(texts[_PLACES["wording"]])]
    values = reader.constants.copy()
    values["level"] = level
    values["ts"] = ts
    values["releases"] = dict(reader.wording.levels).get(level or "", reader.wording.releases)
    for field, primitive in reader.groups:
        values[field] = read(primitive)(texts[_PLACES[field]].removeprefix(IRRELEVANT))
    return event(values)
