"""The line table: the lines of Kafka's controller and brokers about replication, per release, as data.

A **row** is one meaning ("a replica changed its state"); its **variants** are the wordings of release ranges; formats
that print differently per release (a LeaderAndIsr, a partition) are expanded, which gives **wordings**: flat sequences
of literal text and slots, each with the bitmask of the releases that print it. Parsers, writer and documentation are
made from wordings and from nothing else. Data: the .toml files beside this module, checked against Kafka's source tags.

Columns of a row give the writer of the line (`speaker`), its meaning (`role`, and the `entity` where that is a state
machine's), and whether Kafka prints it with ZooKeeper or with KRaft (`mode`, releases.py); a file gives speaker and
mode of the rows that have none of their own. The words are closed lists (roles.py). A row whose role is not
"irrelevant" *bears* on a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from .. import toml
from ..behaviours import behaviour
from ..errors import TableError, unknown
from ..happenings import happenings
from ..machines import machine
from ..release_sets import NAMES
from ..releases import ALL, ANY_MODE, MODES, in_mode, span
from .classes import loggers, outer, packages
from .roles import DROPPED, ENTITIES, OF_ENTITIES, OF_NO_RULE, ROLES, SPEAKERS

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

FOLDER = toml.FOLDER / "lines"

NOT_LINES = ("formats", "classes")
"""Files of the folder that hold no lines: what formats print, and where classes live."""
RELEASE_LINE = "release-line"
"""The format that is made of releases.toml: how a release's number begins, which all its patches have."""
STATE_CHANGE = "state.change.logger"
FAMILIES = (STATE_CHANGE, "kafka.controller", "org.apache.kafka.controller")

_ID = "-?[0-9]+"
_WORD = "[^ ]+"


@dataclass(frozen=True)
class Primitive:
    """Text of one kind.

    The patterns mean the same in Python's `re` and in Java (no \\d, no \\w), have no nested repeats, and are of the
    kind that Java is quick at: unbounded, few ranges. Lists are read loosely here and checked when they become numbers.
    """

    name: str
    kind: str
    """The type that the text becomes: "int", "ints", "text", "texts" (a comma list) or "bool"."""
    inner: str
    """The pattern of the text that is kept."""
    before: str = ""
    """The pattern in front of it."""
    after: str = ""
    """The pattern behind it."""
    show: str = "{}"
    """The format that writes it."""
    separator: str = ","
    exact: str = ""
    """A narrower pattern of what Kafka can print there, where `inner` lets through more: a line with a wording's words
    and another text there is corrupt, and the wrong text can be named."""
    item: str = ""
    """The format of one item, in a list of more than numbers."""
    numbers: str = ""
    """The pattern that finds an item's numbers."""


_CSV = "[0-9,]*"
_LIST = "[0-9, ]*"
_STATE, _STATE_NUMBERS = "BrokerState(brokerId={}, brokerEpoch=-1)", "brokerId=([0-9]+)"
_STATES = "[BbrokeStaIdEpch0-9=(), -]*"  # the characters of _STATE
_LAGGING, _LAGGING_SINCE = "[brokeIdnOfst0-9:(), -]*", "[A-Za-z0-9:(), -]*"
_LAGS, _LAGS_SINCE = "(brokerId: {}, endOffset: {})", "(brokerId: {}, endOffset: {}, lastCaughtUpTimeMs: 0)"
_LAG = "brokerId: {0}, endOffset: {0}"
_LAG_NUMBERS = _LAG.format(f"({_ID})")
_COLLECTION = r"[A-Za-z0-9_.$]+\("  # Set(, List(, ArrayBuffer(, and HashSet( of Scala 2.13
_TOPIC = "[A-Za-z0-9._-]+"  # Topic.LEGAL_CHARS, the same since kafka.common.Topic of 0.8
_VOTER = "VoterNode(voterKey=ReplicaKey(id={}, directoryId=<undefined>))"
_BROKER_STATE = r"BrokerState\(brokerId=[0-9]+, brokerEpoch=-?[0-9]+\)"


def _newer(name: str) -> str:
    """The versions after all of a release's line: 4.5.0 and 5.0.0 of 4.4; a build of no release is a SNAPSHOT."""
    first, second = name.split(".")[:2]
    line = rf"{first}\.(?:{_above(second)})|(?:{_above(first)})\.[0-9]+"
    return rf"(?:{line})\.[0-9]+(?:-SNAPSHOT)?"


def _above(number: str) -> str:
    """The numbers that are greater: as long and greater from some digit on, or longer."""
    digits = enumerate(number)
    same = [f"{number[:at]}[{int(d) + 1}-9]{'[0-9]' * (len(number) - at - 1)}" for at, d in digits if d != "9"]
    return "|".join([*same, f"[1-9][0-9]{{{len(number)},9}}"])


def _state(of: str) -> Primitive:
    """The name of a state of a machine."""
    return Primitive(f"{of}-state", "text", "[A-Za-z]+", exact=_names(of))


def _lagging(name: str, inner: str, item: str, more: str) -> Primitive:
    """Replicas and their log ends, at least one, each with `more`, a pattern."""
    one = rf"\({_LAG.format(_ID)}{more}\)"
    return Primitive(name, "ints", inner, separator=" ", exact=f"{one}(?: {one})*", item=item, numbers=_LAG_NUMBERS)


def _vote_states(name: str, state: str) -> Primitive:
    """The voters with this vote, of all in an election."""
    shown = "VoterState(replicaKey=ReplicaKey(id={}, directoryId=<undefined>), state=" + state + ")"
    numbers = rf"id=([0-9]+), directoryId=[^)]*\), state={state}\b"
    return Primitive(name, "ints", ".*", separator=", ", item=shown, numbers=numbers)


def _states(of: str) -> Primitive:
    return Primitive(f"{of}-states", "texts", "[A-Za-z,]*", exact=f"(?:{_names(of)})(?:,(?:{_names(of)}))*")


def _names(of: str) -> str:
    return "|".join(state.name for state in machine(of).states)


PRIMITIVES: Mapping[str, Primitive] = {
    primitive.name: primitive
    for primitive in (
        Primitive("int", "int", _ID),
        Primitive("long", "int", _ID),
        Primitive("index", "int", "[0-9]+"),
        Primitive("bool", "bool", "true|false"),
        Primitive("csv", "ints", _CSV),
        Primitive("csv1", "ints", "[0-9][0-9,]*"),
        Primitive("list", "ints", _LIST, separator=", "),
        Primitive("list-text", "text", _LIST),
        Primitive("ids", "ints", _LIST, _COLLECTION, r"\)", "List({})", ", "),
        Primitive("idset", "ints", _LIST, _COLLECTION, r"\)", "Set({})", ", "),
        Primitive("idarray", "ints", _LIST, _COLLECTION, r"\)", "ArrayBuffer({})", ", "),
        Primitive("collection", "text", "[A-Za-z]+"),
        Primitive(
            "brokerstates",
            "ints",
            _STATES,
            _COLLECTION,
            r"\)",
            "List({})",
            ", ",
            f"(?:{_BROKER_STATE}(?:, {_BROKER_STATE})*)?",
            _STATE,
            _STATE_NUMBERS,
        ),
        _lagging("lagging", _LAGGING, _LAGS, ""),
        _lagging("lagging-since", _LAGGING_SINCE, _LAGS_SINCE, ", lastCaughtUpTimeMs: (?:-?[0-9]+|unknown)"),
        Primitive("lagging-unknown", "text", rf"{_LAGGING_SINCE[:-1]}{{0,1000}}endOffset: unknown{_LAGGING_SINCE}"),
        Primitive("topic", "text", r"[^ ,'\[\]]+", exact=_TOPIC),
        Primitive("topic-in-path", "text", r"[^ ,'\[\]/]+", exact=_TOPIC),
        Primitive("topic-after-id", "text", r"[^ ,:'\[\]]+", "(?:[A-Za-z0-9_-]{22}:)?", exact=_TOPIC),
        *map(_state, ENTITIES),
        *map(_states, ENTITIES),
        Primitive("kind", "text", "become-leader|become-follower"),
        Primitive("request", "text", "LeaderAndIsr|UpdateMetadata"),
        Primitive("recovery", "text", "RECOVERED|RECOVERING"),
        Primitive("recovery-code", "recovery", "[01]"),
        Primitive("election", "text", "PREFERRED|UNCLEAN"),
        Primitive("trigger", "text", "[A-Za-z]+"),
        Primitive("throwable", "text", r"[^ :]{0,200}(?:Exception|Error|Throwable)[^ :.]{0,200}"),
        Primitive("word", "text", _WORD),
        Primitive("tps", "text", r"[A-Za-z0-9._,-]*"),
        Primitive("names", "text", "[A-Za-z0-9._, -]*"),
        Primitive("uuid", "text", "[A-Za-z0-9_-]+"),
        Primitive("quoted", "text", "[^']*"),
        Primitive("uuids", "text", "[A-Za-z0-9_, -]*"),
        Primitive("raft-state", "text", "[A-Za-z]+", exact="[A-Z][A-Za-z]+"),
        Primitive("raft-none", "text", "null", exact="null"),
        Primitive("raft-leader-id", "int", _ID, before="leaderId=", show="leaderId={}"),
        Primitive("raft-leader", "int", _ID, before="leader=", show="leader={}"),
        Primitive("raft-ids", "text", "(?:(?!epoch=).)*"),
        Primitive("before-from", "text", r"(?:(?!\) from ).)*"),
        Primitive("before-leader", "text", r"(?:(?!, leader=)[^()])*"),
        Primitive("before-proposed", "text", r"(?:(?!\. Proposed ISR was \[).)*"),
        Primitive("before-voters", "text", r"(?:(?!voters=\[|\) from ).)*"),
        Primitive("errors", "text", "[A-Z_]+"),
        Primitive("endpoint", "text", r"[^ ()]+"),
        Primitive("dir", "text", r"[^\[\]]+"),
        Primitive("path", "text", "[^{}]+"),
        Primitive("leader", "int", "-1|[0-9]+"),
        Primitive("of-record", "text", "[^()]*"),
        Primitive("voters", "ints", ".*", separator=", ", item=_VOTER, numbers=r"voterKey=ReplicaKey\(id=([0-9]+)"),
        *(_vote_states(name, state) for name, state in (("unrecorded", "UNRECORDED"), ("rejecting", "REJECTED"))),
        Primitive(
            "replica-keys",
            "ints",
            ".*",
            separator=", ",
            item="ReplicaKey(id={}, directoryId=<undefined>)",
            numbers=r"ReplicaKey\(id=([0-9]+)",
        ),
        Primitive("fault", "text", "[A-Za-z ]+"),
        Primitive("newer-version", "text", _newer(NAMES[-1])),
        Primitive("state-text", "text", r"[A-Za-z0-9=(),\[\] -]*"),
        Primitive("text", "text", ".*"),
    )
}


@dataclass(frozen=True)
class Slot:
    """A place in a wording; `field` is None where what is read is dropped."""

    field: str | None
    primitive: Primitive


@dataclass(frozen=True)
class Wording:
    """One concrete text of a row: literals and slots, and the releases that print it, per level."""

    row: str
    pieces: tuple[str | Slot, ...]
    prefix: int
    """The number of pieces before the sentence, which name the speaker."""
    constants: tuple[tuple[str, str], ...]
    """The fields that the words themselves give ("... to OnlinePartition with ...")."""
    levels: tuple[tuple[str, int], ...]
    untrue: tuple[tuple[str, int], ...] = ()
    """The fields that some releases print whatever the truth is, each with the bitmask of those releases."""
    whole: bool = False
    """Another wording may have its words too, with other texts between them: only a match of the whole pattern is such
    a line, and a line without one is not corrupt."""

    @property
    def releases(self) -> int:
        mask = 0
        for _, releases in self.levels:
            mask |= releases
        return mask

    def level_in(self, releases: int) -> str:
        """The level at which these releases print it, "" where it has none; of several the first."""
        return next(level for level, mask in self.levels if mask & releases)

    @property
    def anything(self) -> bool:
        """Check whether it is any text at all: what its loggers print besides the lines of other rows."""
        return all(isinstance(piece, Slot) and piece.primitive.name == "text" for piece in self.pieces)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that it fills, in order; a field printed twice is read the first time."""
        return tuple(dict.fromkeys(piece.field for piece in self.pieces if isinstance(piece, Slot) and piece.field))


@dataclass(frozen=True)
class Row:
    """One meaning."""

    id: str
    meaning: str
    speaker: str
    """A key of roles.SPEAKERS."""
    role: str
    """A key of roles.ROLES."""
    entity: str | None
    """The state machine's entity; None where the role has none."""
    mode: str
    """A key of releases.MODES, or "any"."""
    loggers: tuple[tuple[str, int], ...]
    """The loggers that print it, per release, by full names (classes.py); throwables have none."""
    source: str
    sample: str | None
    """A line as Kafka prints it; a row that is irrelevant may leave it to the writer."""
    wordings: tuple[Wording, ...]
    file: str
    opens: bool = False
    """It is the first line of a message of several, whose last line has the logger's name."""
    happens: str | None = None
    """The happening that such a line shows, a key of specs.happenings; None if it shows none."""
    reason: str | None = None
    """The reason why it happened: a text with names of fields in braces; None where `happens` says enough."""
    happens_where: tuple[tuple[str, str], ...] = ()
    """The values of fields with which it happens; in lines with others nothing does."""
    node: str = "speaker"
    """The field with the node that it happened to."""

    @property
    def kept(self) -> bool:
        """Check whether its fields are read."""
        return self.role != DROPPED

    @property
    def bears(self) -> bool:
        """Check whether any rule may ask for its fields."""
        return self.role not in OF_NO_RULE

    @cached_property
    def begins(self) -> tuple[str, ...]:
        """The prefixes of its loggers' names, with a dot behind. The classes of a family were renamed and nested over
        the releases: all its names match. Of any other name only classes within it match."""
        names: list[str] = []
        for name, _ in self.loggers:
            family = next((family for family in FAMILIES if name.startswith(family)), None)
            names += (family,) if family else (f"{name}.", f"{name}$")
        return tuple(dict.fromkeys(names))

    @property
    def family(self) -> str | None:
        """The family of loggers that prints it; None if none does."""
        return next((name for name in self.begins if name in FAMILIES), None)

    def logger(self, releases: int) -> str | None:
        """The logger's name in a release, given as its mask; of several releases that in the first."""
        return next((name for name, mask in self.loggers if mask & releases), None)

    @property
    def releases(self) -> int:
        mask = 0
        for wording in self.wordings:
            mask |= wording.releases
        return mask


_Pieces = tuple[tuple["str | Slot", ...], int]  # pieces, releases


@cache
def _formats() -> dict[str, list[tuple[int, str]]]:
    table = toml.read(FOLDER / "formats.toml")["format"]
    formats = {}
    for name, variants in table.items():
        for variant in variants:
            toml.check_keys(variant, f"formats.toml, {name}", ("text",), ("releases",))
        formats[name] = [(span(variant.get("releases", "all")), variant["text"]) for variant in variants]
    formats[RELEASE_LINE] = [(span(line), line) for line in _lines()]
    return formats


def _lines() -> Iterable[str]:
    """Return the lines of releases, which add a patch number to them: 2.3, and 0.10.2."""
    return dict.fromkeys(".".join(name.split(".")[: 3 if name.startswith("0.") else 2]) for name in NAMES)


_TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[^{}]+|[{}]")


@lru_cache(maxsize=4096)
def _expand(text: str, releases: int, where: str) -> tuple[_Pieces, ...]:
    """All flat forms of a template within a mask."""
    forms: list[_Pieces] = [((), releases)]
    for token in _TOKEN.finditer(text):
        whole, inside = token.group(), token.group(1)
        if inside is None:
            if whole in "{}":
                raise TableError(f"{where}: a lone brace in {text!r}; write {{{{ or }}}}")
            parts: tuple[_Pieces, ...] = (((whole[0] if whole in ("{{", "}}") else whole,), ALL),)
        elif ":" in inside:
            field, _, name = inside.partition(":")
            if name not in PRIMITIVES:
                raise unknown("primitive", name, PRIMITIVES)
            parts = (((Slot(field or None, PRIMITIVES[name]),), ALL),)
        else:
            if inside not in _formats():
                raise unknown("format", inside, _formats())
            parts = tuple(
                form for mask, inner in _formats()[inside] for form in _expand(inner, mask & releases, where) if form[1]
            )
        forms = [(head + tail, mask & more) for head, mask in forms for tail, more in parts if mask & more]
    return tuple(forms)


def _joined(pieces: tuple[str | Slot, ...]) -> tuple[str | Slot, ...]:
    """Join literals that stand side by side."""
    out: list[str | Slot] = []
    for piece in pieces:
        if isinstance(piece, str) and out and isinstance(out[-1], str):
            out[-1] += piece
        else:
            out.append(piece)
    return tuple(out)


# Who speaks: a format, or a bracket written out, and "Controller {c} epoch {e} " after it. Readers strip the same.
_LEADING = re.compile(
    r"(?:\{[a-z]+-?[a-z-]*\}|\[(?:[^\[\]{}]|\{[^{}]*\})*\][:,]? )(?:Controller \{[^}]*\} epoch \{[^}]*\} )?"
)


def _wordings(row: dict[str, Any], variant: dict[str, Any], within: int, where: str) -> Iterator[Wording]:
    releases = span(variant["releases"]) & within
    level = variant.get("level", row.get("level"))
    levels = (
        {level: ALL} if isinstance(level, str) else {name: span(text) for name, text in (level or {"": "all"}).items()}
    )
    untrue = {field: behaviour(id).releases for field, id in variant.get("untrue", {}).items()}
    text = variant["text"]
    leading = _LEADING.match(text)
    prefix, sentence = (leading.group(), text[leading.end() :]) if leading else ("", text)
    if not releases:
        raise TableError(f"{where}: no release in {variant['releases']}")
    for field, mask in untrue.items():
        if not mask & releases:
            raise TableError(f"{where}: {field} is untrue in no release of {variant['releases']}")
    for head, head_mask in _expand(prefix, releases, where):
        for tail, mask in _expand(sentence, head_mask, where):
            head_pieces = _joined(head)
            per_level = tuple((name, mask & more) for name, more in levels.items() if mask & more)
            if not per_level:
                raise TableError(f"{where}: no level for {variant['releases']}")
            yield Wording(
                row["id"],
                head_pieces + _joined(tail),
                len(head_pieces),
                tuple(variant.get("set", {}).items()),
                per_level,
                tuple((field, mask & more) for field, more in untrue.items() if mask & more),
                variant.get("whole", False),
            )


def _merged(wordings: list[Wording]) -> tuple[Wording, ...]:
    """Merge wordings of the same text in several release ranges into one."""
    merged: dict[object, Wording] = {}
    for wording in wordings:
        key = (wording.pieces, wording.constants)
        if key in merged:
            levels = _joint(merged[key].levels, wording.levels)
            untrue = _joint(merged[key].untrue, wording.untrue)
            wording = replace(wording, levels=levels, untrue=untrue)
        merged[key] = wording
    return tuple(merged.values())


def _joint(some: tuple[tuple[str, int], ...], more: tuple[tuple[str, int], ...]) -> tuple[tuple[str, int], ...]:
    """Return masks by name, merged where they have one name."""
    joint = dict(some)
    for name, mask in more:
        joint[name] = joint.get(name, 0) | mask
    return tuple(joint.items())


def _row(row: dict[str, Any], given: dict[str, Any], file: str) -> Row:
    """A row; `given` are the columns of its file, which hold where the row has none of its own."""
    where = f"{file}.toml, line {row.get('id', '?')}"
    own = (
        "logger",
        "level",
        "sample",
        "speaker",
        "mode",
        "entity",
        "opens",
        "happens",
        "reason",
        "happens_where",
        "node",
    )
    toml.check_keys(row, where, ("id", "meaning", "role", "source", "variant"), own)
    speaker, mode, entity = row.get("speaker", given["speaker"]), row.get("mode", given["mode"]), row.get("entity")
    _check_word("speaker", speaker, SPEAKERS, where)
    _check_word("role", row["role"], ROLES, where)
    _check_word("mode", mode, (*MODES, ANY_MODE), where)
    if (entity is not None) != (row["role"] in OF_ENTITIES):
        raise TableError(f"{where}: the role {row['role']} {'wants an' if entity is None else 'has no'} entity")
    if entity is not None:
        _check_word("entity", entity, ENTITIES, where)
    within = ALL if mode == ANY_MODE else in_mode(mode)
    wordings: list[Wording] = []
    for variant in row["variant"]:
        toml.check_keys(variant, where, ("releases", "text"), ("level", "set", "untrue", "whole"))
        wordings += _wordings(row, variant, within, where)
    logger = row.get("logger", {})
    named = {logger: "all"} if isinstance(logger, str) else logger
    for name in named:
        if "." not in name:
            _check_word("class", outer(name), packages(), where)
    made = Row(
        row["id"],
        row["meaning"],
        speaker,
        row["role"],
        entity,
        mode,
        tuple(each for name, releases in named.items() for each in loggers(name, span(releases))),
        row["source"],
        row.get("sample"),
        _merged(wordings),
        file,
        row.get("opens", False),
        row.get("happens"),
        row.get("reason"),
        tuple(row.get("happens_where", {}).items()),
        row.get("node", "speaker"),
    )
    if made.kept and made.opens:
        raise TableError(f"{where}: a line that opens a message of several lines bears on no rule")
    if made.kept and made.sample is None:
        raise TableError(f"{where}: a line whose fields are read needs a sample")
    if made.happens is not None:
        _check_word("happening", made.happens, happenings(), where)
    if (made.role == "happening" and made.happens is None) or (made.happens is not None and not made.kept):
        raise TableError(f"{where}: the role {made.role} goes with happens = {made.happens!r} as little")
    if made.happens is None and ("node" in row or (made.reason is not None and made.speaker != "throwable")):
        raise TableError(f"{where}: reason and node belong to a row that says what happens")
    return made


def _check_word(column: str, word: str, known: Iterable[str], where: str) -> None:
    if word not in known:
        raise TableError(f"{where}: {unknown(column, word, known)}")


def load(folder: Traversable) -> Mapping[str, Row]:
    """The rows of a folder of line files by id, in the order of the files (by name) and of each file.

    Raises:
        TableError: a file contradicts itself, or a column has a word that is in none of the closed lists.
    """
    table: dict[str, Row] = {}
    for name, file in toml.files(folder).items():
        if name in NOT_LINES:
            continue
        content = toml.read(file)
        toml.check_keys(content, file.name, ("speaker", "mode", "line"))
        for entry in content["line"]:
            row = _row(entry, content, name)
            if row.id in table:
                raise TableError(f"{file.name}: line {row.id} is defined twice")
            table[row.id] = row
    return table


@cache
def rows() -> Mapping[str, Row]:
    """All rows by id, in the order of the files (by name) and of each file."""
    return load(FOLDER)


@cache
def rows_with(
    *roles: str,
    entity: str | None = None,
    speaker: str | None = None,
    family: str | None = None,
    mode: str | None = None,
) -> tuple[str, ...]:
    """Ids of the rows that have one of these roles (any, if none is given), this entity, speaker, family of loggers and
    mode.

    They come in the order of the table.

    Raises:
        UnknownNameError: a word that no row can have.
    """
    asked: list[tuple[str, str | None, Iterable[str]]] = [("role", role, ROLES) for role in roles]
    asked += [("entity", entity, ENTITIES), ("speaker", speaker, SPEAKERS), ("family", family, FAMILIES)]
    asked.append(("mode", mode, (*MODES, ANY_MODE)))
    for column, word, known in asked:
        if word is not None and word not in known:
            raise unknown(column, word, known)
    return tuple(
        row.id
        for row in rows().values()
        if (not roles or row.role in roles)
        and entity in (None, row.entity)
        and speaker in (None, row.speaker)
        and family in (None, row.family)
        and mode in (None, row.mode)
    )
