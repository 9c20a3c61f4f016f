"""The parser as native Spark expressions: the same table, the same three steps as traces/wordings.py describes.

DataFrame calls only, so that a Spark Connect session does. A line that bears on a rule costs one regular expression,
which writes its fields in a fixed order between separators, and one reading of them as a line of CSV (a regular
expression per field took seven times as long, a cast per field twice as long). The few wordings that make up a large
log (frequent.py) are tried first; any other line takes some searches to find its wording. Each stage is a projection of
its own: Spark keeps a projection apart whose expensive column is used more than once.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, reduce
from typing import TYPE_CHECKING, Any

from ...specs.lines import FAMILIES
from ..events.event import FIELDS, Event, event
from ..events.layouts import KNOWN, LEVELS, NO_LOGGER, Layout
from ..events.parse import STUMP, TAILS, TIME, time_of
from ..events.wordings import BROKER_ID, HEAD, SEPARATORS, Reader, dispatch, read, readers
from .frequent import FAMILY, frequent, pattern

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

EVENT, IRRELEVANT = SEPARATORS
"""The first begins what a pattern understood, and stands between its fields; the second begins the row of an irrelevant
line."""
_OWN = ("row", "level", "ts")
ALL = tuple(field for field in FIELDS if field not in (*_OWN, "releases"))
"""The fields of an event that its message prints."""
_PLACES = {field: place for place, field in enumerate(ALL)}
_DRESS = ("time", "level")
SAID_FIRST = ("wording", "piece", *_DRESS)
"""What stands before the fields in what a line says; a wording's number is less the length of its piece."""
_TIME = r"\[([^\]]*)\] ([A-Z]+) "
_PLAIN = rf"(?sd)^\[[12].{{3}}-.{{14}},.{{3}}\] (?:{'|'.join(LEVELS)})(?:\r*| .*)$"


def _java(pattern: str) -> str:
    """As Python's fullmatch with DOTALL: `.` is any character, `$` nothing but the end."""
    return f"(?sd)^{pattern}$"


@cache
def bearing() -> tuple[Reader, ...]:
    """The wordings that bear on a rule, by number; the frequent ones first."""
    first = [reader for readers in frequent().values() for reader in readers]
    return (*first, *(reader for reader in readers() if reader.row.bears and reader not in first))


@cache
def _number_of() -> dict[Reader, int]:
    return {reader: number for number, reader in enumerate(bearing())}


@cache
def _may_be_empty() -> frozenset[str]:
    """Fields that some wording may print empty."""
    return frozenset(field for reader in readers() for field, slot in reader.groups if slot.inner.endswith("*"))


def _written(number: int, texts: Mapping[str, str], fields: Iterable[str]) -> str:
    """What a match is replaced with: a wording's number, less the length of a piece; then what it says."""
    return EVENT + EVENT.join((str(number), *(texts.get(name, "") for name in (*SAID_FIRST[1:], *fields))))


def _replacement(reader: Reader, dressed: bool, fields: Iterable[str]) -> str:
    groups = (*(_DRESS if dressed else ()), *(field for field, _ in reader.groups if field in fields))
    texts = {field: f"${group}" for group, field in enumerate(groups, start=1)}
    return _written(_number_of()[reader], texts, fields)


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


def _pattern(reader: Reader, dressed: bool, fields: Sequence[str]) -> str:
    message = reader.pattern_of(fields)
    return _java(_TIME + message + r" \([^ ]+\)" if dressed else message)


_ANY = NO_LOGGER + ")"
_LOOSE, _THROWABLE = "\x01", "\x02"
LINE_HEAD = 120
"""So many bytes of a line hold its time and level, who speaks, and the words that it is told by."""
_LEAST_DRESS = len("[2018-08-03 12:00:00,123] INFO ")


def line_head(line: Column) -> Column:
    """What `beginning` looks at. Of bytes: to count characters would take longer than all the rest."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.substring(line.cast("binary"), _LEAST_DRESS, LINE_HEAD - _LEAST_DRESS + 1).cast("string")


def beginning(line: Column, head: Column, sentence: Column) -> Column:
    """Which of the beginnings of the frequent wordings a line seems to have, a number; null if it has none.

    `sentence` is what stands behind the last bracket of its head.
    """
    from pyspark.sql import functions as F  # noqa: N812

    number = F.when(~(line.startswith("[1") | line.startswith("[2")), F.lit(None).cast("int"))
    for place, (words, found) in enumerate(frequent().items()):
        bracketed = found[0].filled.startswith("[")
        number = number.when(sentence.startswith(words) if bracketed else F.contains(head, F.lit(words)), place)
    return number


def behind_bracket(head: Column) -> Column:
    """How the sentence of most lines begins: it is looked at often, and to search a line for words takes longer."""
    from pyspark.sql import functions as F  # noqa: N812

    begins = F.instr(head, "] ") + len("] ")
    return F.substring(head.cast("binary"), begins, max(map(len, frequent()))).cast("string")


def frequent_said(line: Column, begins: Column, fields: Sequence[str] = ALL) -> Column:
    """What a line of a frequent wording says, as in `parsed`; any other line is itself, or null without a beginning."""
    from pyspark.sql import functions as F  # noqa: N812

    said = F.when(begins.isNull(), F.lit(None).cast("string"))
    for place, found in enumerate(frequent().values()):
        made = pattern(found, fields)
        replacement = _written(_number_of()[found[0]], made.numbers(), fields)
        said = said.when(begins == place, F.regexp_replace(line, made.text, replacement))
    return said


@cache
def _data(fields: Sequence[str]) -> str:
    """The buckets as JSON, for Spark to look up."""
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
                "pattern": _pattern(reader, dressed, fields) if reader.row.bears else None,
                "result": _replacement(reader, dressed, fields) if reader.row.bears else IRRELEVANT + reader.row.id,
            }
            for reader, test in bucket
        ]
    return json.dumps(table)


_SCHEMA = (
    "map<string,array<struct<head:string,start:string,inner:array<string>,end:string,without:array<string>,"
    "family:string,pattern:string,result:string>>>"
)


def _looked_up(text: Column, message: Column, sentence: Column, key: Column, tail: Column, data: str) -> Column:
    """The first wording whose test the line passes: a struct of _SCHEMA, or null."""
    from pyspark.sql import functions as F  # noqa: N812

    table = F.from_json(F.lit(data), _SCHEMA)
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


def _numbers(text: Column) -> Column:
    """As wordings._ints."""
    from pyspark.sql import functions as F  # noqa: N812

    plain = F.replace(text, F.lit(", "), F.lit(","))
    numbers = F.split(plain, ",").try_cast("array<bigint>")
    bad = F.contains(plain, F.lit(" ")) | F.contains(plain, F.lit(",,")) | plain.startswith(",") | plain.endswith(",")
    # A number is too large, or all are small enough: short lists need not be looked at.
    short = F.length(plain) < len(str(2**63))
    whole = short | F.forall(numbers, lambda number: number.isNotNull())
    return F.when(plain == "", F.array().cast("array<bigint>")).when(~bad & whole, numbers)


def _value(field: str, text: Column) -> Column:
    """The value of a field from its text, null where it has none."""
    from pyspark.sql import functions as F  # noqa: N812

    kind = FIELDS[field]
    if kind == "int":
        return text  # read as a number
    if kind == "bool":
        return text == "true"
    if kind == "tuple[int, ...]":
        states = F.array_join(F.regexp_extract_all(text, F.lit(BROKER_ID), F.lit(1)), ",")
        isr = F.when(text.startswith("BrokerState"), states).otherwise(text)
        return _numbers(isr if field == "isr" else text)
    if kind == "tuple[str, ...]":
        return F.when(text == "", F.array().cast("array<string>")).otherwise(F.split(text, ","))
    if field == "recovery":
        return F.when(text == "0", "RECOVERED").when(text == "1", "RECOVERING").otherwise(text)
    return text


def _field(field: str, text: Column, wording: Column) -> Column:
    """The value of a field in a wording, from its text; null where the wording says nothing of it."""
    from pyspark.sql import functions as F  # noqa: N812

    if field in _may_be_empty():
        prints = [number for reader, number in _number_of().items() if field in dict(reader.groups)]
        text = F.when(text.isNotNull(), text).when(wording.isin(*prints), "")
    value = _value(field, text)
    constants: dict[Any, list[int]] = defaultdict(list)
    for reader, number in _number_of().items():
        if field in reader.constants:
            constants[reader.constants[field]].append(number)
    for constant, numbers in constants.items():
        value = F.coalesce(value, F.when(wording.isin(*numbers), F.lit(constant)))
    return value


def _releases(wording: Column, level: Column) -> Column:
    """The bitmask of a wording at a level: one look-up in one constant array."""
    from pyspark.sql import functions as F  # noqa: N812

    width = len(LEVELS) + 1
    masks = []
    for reader in bearing():
        levels = dict(reader.wording.levels)
        masks += [levels.get(name, reader.wording.releases) for name in LEVELS] + [reader.wording.releases]
    table = F.split(F.lit(",".join(map(str, masks))), ",").cast("array<bigint>")
    place = F.lit(len(LEVELS))
    for number, name in enumerate(LEVELS):
        place = F.when(level == name, number).otherwise(place)
    return F.get(table, (wording * width + place).cast("int"))


def _level(text: Column) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    return F.substring_index(F.substring(text, 27, 6), " ", 1)


def _milliseconds(time: Column) -> Column:
    """As parse.time_of."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.when(F.rlike(time, F.lit(_java(TIME))), _moment(time))


def _moment(time: Column) -> Column:
    """Milliseconds of what has the form of a time."""
    from pyspark.sql import functions as F  # noqa: N812

    seconds = F.unix_millis(F.concat(F.substring(time, 1, 19), F.lit("Z")).try_cast("timestamp"))
    return seconds + F.substring(time, 21, 3).try_cast("int")


def parsed(
    lines: DataFrame, layout: Layout | None = None, *, fields: Sequence[str] = ALL, many: bool = True
) -> DataFrame:
    """What each row of `lines` says, which has the text of a line, without its end, in `value`.

    Added to the columns of `lines`: `status` ("understood", "irrelevant", "continuation", "unknown"), `family` (what
    the logger's name begins with: "state.change.logger", "kafka.controller", "org.apache.kafka.controller", "other",
    or null where the line has no logger), `level`, `ts` (milliseconds), `row` of an irrelevant line, and `said`: the
    `fields` of an understood line as texts, to be read by `typed` or `event_of`. Equal to parse_line, line by line.

    `many` lines are worth looking for frequent wordings first; `value` is null where one was found.
    """
    from pyspark.sql import functions as F  # noqa: N812

    given = lines.columns
    col = F.col
    none = F.lit(None).cast("string")
    separated = [F.contains(col("value"), F.lit(mark)) for mark in SEPARATORS]
    strange = reduce(lambda left, right: left | right, separated)
    look = many and layout is None
    asked = frequent_said(col("value"), col("_begins"), fields) if look else none
    is_frequent = col("_frequent").startswith(EVENT)
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
    others = [name for name in given if name != "value"]
    known = [*given, "_frequent", "_stamp"]
    # A frequent line is not carried on, and nothing more is looked for in it: its text is null.
    found = (
        lines.select(*given, line_head(col("value")).alias("_head"))
        .select(*given, "_head", behind_bracket(col("_head")).alias("_sentence"))
        .select(*given, beginning(col("value"), col("_head"), col("_sentence")).alias("_begins"))
        .select(*given, asked.alias("_frequent"))
        .select(
            *others,
            F.when(is_frequent, none).otherwise(col("value")).alias("value"),
            F.when(is_frequent, col("_frequent")).alias("_frequent"),
            F.when(is_frequent, F.substring(col("value"), 1, 32)).alias("_stamp"),
            F.when(is_frequent, none).otherwise(text).alias("_text"),
        )
        .select(*known, "_text", _is_plain(col("_text")).alias("_default"))
        .select(*known, normal.alias("_text"), "_default")
        .select(*known, "_text", (is_default | _is_plain(col("_text"))).alias("_plain"))
    )
    kept = [*known, "_text", "_plain"]
    found = (
        found.select(
            *kept,
            F.when(col("_plain"), _level(col("_text"))).otherwise(_level(col("_stamp"))).alias("level"),
            F.when(col("_plain"), tail).alias("_tail"),
        )
        .select(
            *kept,
            "level",
            F.when(col("_tail").endswith(")") & ~F.contains(col("_tail"), F.lit(" ")), col("_tail")).alias("_tail"),
            F.when(col("_plain"), col("_text").substr(F.length("level") + 28, F.lit(HEAD)))
            .otherwise(F.substring(col("_text"), 1, HEAD))
            .alias("_message"),
        )
        .select(*kept, "level", "_tail", "_message", _unprefixed(col("_message")).alias("_bare"))
        .select(*kept, "level", "_tail", "_message", _spoken(col("_bare")).alias("_sentence"))
    )
    thrown = reduce(
        lambda left, right: left | right,
        [F.contains(col("_text"), F.lit(word)) for word in ("Exception", "Error", "Throwable")],
    )
    is_bare = ~col("_plain") & ~_is_blank(col("_text")) & thrown
    key = F.when(is_bare, _THROWABLE).otherwise(F.substring_index(col("_sentence"), " ", 1))
    wording = _looked_up(col("_text"), col("_message"), col("_sentence"), key, col("_tail"), _data(tuple(fields)))
    found = found.select(*kept, "level", "_tail", F.when(is_bare | col("_tail").isNotNull(), wording).alias("_wording"))
    match = F.regexp_replace(col("_text"), col("_wording")["pattern"], col("_wording")["result"])
    said = (
        F.when(col("_frequent").isNotNull(), col("_frequent"))
        .when(col("_wording")["pattern"].isNotNull(), match)
        .otherwise(col("_wording")["result"])
    )
    family = F.when(col("_frequent").isNotNull(), F.lit(FAMILY))
    for name in FAMILIES:
        family = family.when(col("_tail").startswith(name), name)
    family = family.when(col("_tail").isNotNull(), "other")
    cut = reduce(lambda left, right: left | right, [F.contains(col("_text"), F.lit(text)) for text in TAILS])
    cut = cut | F.rlike(col("_text"), F.lit(f"(?s)^(?:{STUMP})\\z"))
    status = (
        F.when(col("_frequent").isNotNull() | (col("_said").startswith(EVENT) & ~strange), "understood")
        .when(col("_said").startswith(IRRELEVANT) & ~strange, "irrelevant")
        .when(col("_plain") | (~_is_blank(col("_text")) & cut), "unknown")
        .otherwise("continuation")
    )
    time = F.when(col("_plain"), _milliseconds(F.substring(col("_text"), 2, 23)))
    return (
        found.select(*kept, "level", family.alias("family"), said.alias("_said"))
        .select(*kept, "_said", "level", "family", status.alias("status"))
        .select(
            *given,
            "status",
            "family",
            "level",
            time.otherwise(_moment(F.substring(col("_stamp"), 2, 23))).alias("ts"),
            F.when(col("status") == "irrelevant", F.ltrim(col("_said"), F.lit(IRRELEVANT))).alias("row"),
            F.when(col("status") == "understood", col("_said")).alias("said"),
        )
    )


def typed(lines: DataFrame, fields: Sequence[str] = ALL) -> DataFrame:
    """`fields` of an Event, with its row, level, time and releases, in place of `said`.

    Those of a line that is not understood are null.
    """
    from pyspark.sql import functions as F  # noqa: N812

    given = [name for name in lines.columns if name not in (*_OWN, "said")]
    types = {name: "bigint" if FIELDS[name] == "int" else "string" for name in fields}
    before = {"_": "string", "wording": "bigint"} | dict.fromkeys((f"_{name}" for name in SAID_FIRST[1:]), "string")
    schema = ", ".join(f"`{name}` {kind}" for name, kind in {**before, **types}.items())
    read = F.from_csv("said", F.lit(schema), {"sep": EVENT, "quote": IRRELEVANT})
    split = lines.select(*given, *_OWN, read.alias("_said"))
    wording = F.col("_said")["wording"] + F.coalesce(F.length(F.col("_said")["_piece"]), F.lit(0))
    rows = F.split(F.lit(",".join(reader.row.id for reader in bearing())), ",")
    numbered = split.select(*given, *_OWN, "_said", wording.cast("int").alias("_wording"))
    return numbered.select(
        *given,
        F.coalesce("row", F.get(rows, F.col("_wording"))).alias("row"),
        "level",
        "ts",
        _releases(F.col("_wording"), F.col("level")).alias("releases"),
        *(_field(field, F.col("_said")[field], F.col("_wording")).alias(field) for field in fields),
    )


def event_of(said: str) -> Event:
    """The event of one line from `said` of `parsed`, which had all fields, as `typed` would give it."""
    _, number, piece, time, level, *texts = said.split(EVENT)
    reader = bearing()[int(number) + len(piece)]
    values = reader.constants.copy()
    values["level"] = level or None
    values["ts"] = time_of(time)
    values["releases"] = dict(reader.wording.levels).get(level, reader.wording.releases)
    for field, primitive in reader.groups:
        values[field] = read(primitive)(texts[_PLACES[field]])
    return event(values)
