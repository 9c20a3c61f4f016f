"""What a look at partitions tells of how files were collected: lines that are late, lines that are missing.

A missing line is seen where an entity leaves a state that nothing led to, though lines that are not there could have
led to it. Such a contradiction is a fault, under the assumption that no line is missing. The assumption is dropped for
the whole cluster, since whoever lost lines of one file lost those of others,

* where files show otherwise that they were collected carelessly: lines are cut, late, there twice, or lack another
  that belongs to them (history/follow_ups.py), or a life began of which no line says so (history/own_requests.py);
  only for a stretch of a file, if there brokers act on requests that they did not receive (history/quiet.py), unless it
  is one request alone, and there is a contradiction elsewhere too;
* where there are several contradictions: no log of a real cluster that we know has two that Kafka made. If all lines
  that belong together are together, it takes more of them;
* where brokers print, of one partition after the other, another epoch than they had: their lines are mixed with those
  of other brokers, of the same ids;
* where several partitions each break several rules that rest on what stands above a line, or more of them one each:
  lines of others are among theirs, or two files of a broker have two clocks. What one fault breaks, it breaks of one
  partition;
* where a broker's lines go from the wording of one release to that of another and back, or those of one tenure are of
  releases that have none in common (history/wordings.py);
* where a broker has two topics of one name, and deleted none, or takes two states of one partition from one request,
  and from others too (observe/broker/topic_ids.py).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial

from ....model.expr import Expr
from ..fields import before, from_state, gap, releases
from ..files.file import LogFile
from ..history.claims import OverLines
from ..history.doubts import NO_DOUBT, Doubts
from ..history.spans import Span
from ..rules.catalogue import rules
from ..rules.moves import CONTRADICTED, may_precede_with_gap
from ..table.protocol import Row, Table
from ..table.rows import known
from .order import DOUBT
from .signs.beginnings import beheaded, first_lines
from .signs.follow_ups import follow_ups, shown
from .signs.levels import quiet, requests_logged
from .signs.own_requests import begun_anew, numbered
from .signs.wordings import mixed_wordings

_MOVES = ("replica_moves", "partition_moves")
_SIGNS = ("moves", "contradicted", "unmoved", "epochs", "unlike", "shared", "twice", "compared", "broken", "riven")
_EPOCHS, _EPOCH_DIFFERS = "epochs_before", "KR602"
_SEVERAL = 2
_RARE = 10_000
"""Of this number of moves, one in contradiction may be a fault of the controller's, however many there are in all."""
_MOST = 100
"""The same, where all lines that belong together are there; and of the epochs that brokers print."""
_MIXED = 5
"""This many epochs that are unlike are no fault of one broker's."""
_BROKEN, _RIVEN, _BREAKS = 3, 2, 1_000
"""Partitions that break one rule, and that break several: no fault of one partition breaks those of so many. And of how
many comparisons one may fail, however many there are in all."""


def signs(counts: Sequence[Row], failing: Sequence[Row], shared: Sequence[Row], twice: Sequence[Row] = ()) -> list[Row]:
    """By cluster how many moves the lines of some partitions show, how many of these contradict what came before though
    missing lines would explain them (`contradicted`), and how many faults are that nothing was moved (`unmoved`); how
    many `epochs` brokers print that they had before, and how many are `unlike` those that they took; how many replicas
    have a name that is `shared` by topics; from how many requests a partition was taken `twice`; how often a line was
    `compared` with those above it; of how many partitions such a comparison is illegal, or one of what a broker does
    fails (`broken`), and of how many several rules fail (`riven`)."""
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for row in (row for row in counts if row["observation"] in _MOVES):
        found[row["cluster"]]["moves"] += row["n"]
    for row in (row for row in counts if row["observation"] == _EPOCHS and row["cluster"] is not None):
        found[row["cluster"]]["epochs"] += row["n"]
        found[row["cluster"]]["unlike"] += row["n"] * (row[_EPOCH_DIFFERS] in ("illegal", "suspicious"))
    for row in (row for row in failing if row["verdict"] in ("illegal", "suspicious") and row.get(DOUBT) != "order"):
        found[row["cluster"]]["contradicted"] += _for_want_of_a_line(row)
        found[row["cluster"]]["unmoved"] += row["rule"] == "KR401"
    for row in (row for row in counts if row["observation"] in _compared_in()):
        found[row["cluster"]]["compared"] += row["n"]
    for cluster, broken in _broken(failing).items():
        found[cluster]["broken"] += sum(map(_says_so, broken.values()))
        found[cluster]["riven"] += sum(len(verdicts) >= _SEVERAL for verdicts in broken.values())
    for sign, rows in (("shared", shared), ("twice", twice)):
        for row in rows:
            found[row["cluster"]][sign] += row["n"]
    return [{"cluster": cluster, **{name: n[name] for name in _SIGNS}} for cluster, n in sorted(found.items())]


def _broken(failing: Iterable[Row]) -> dict[int, dict[tuple[str, int], dict[str, str]]]:
    """By cluster and partition the worst verdict of each rule that a comparison with lines above breaks."""
    found: dict[int, dict[tuple[str, int], dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for row in failing:
        rests = row["rule"] in _resting() and row["rule"] not in CONTRADICTED and row.get("topic") is not None
        if rests and row["verdict"] in ("illegal", "suspicious") and row.get(DOUBT) != "order":
            verdicts = found[row["cluster"]][row["topic"], row["partition"]]
            if verdicts.get(row["rule"]) != "illegal":
                verdicts[row["rule"]] = row["verdict"]
    return found


def _says_so(verdicts: Mapping[str, str]) -> bool:
    """Whether one rule is illegal, or speaks of what a broker does: of controllers, configurations explain some."""
    return any(verdict == "illegal" or rules()[code].family == "broker" for code, verdict in verdicts.items())


@cache
def _resting() -> frozenset[str]:
    """The rules in whose verdict it counts whether a line is missing between the two that they compare."""
    return frozenset(code for code, rule in rules().items() if gap in rule.reads)


@cache
def _compared_in() -> frozenset[str]:
    return frozenset(rules()[code].observation for code in _resting())


def doubts(
    looked: Mapping[str, Sequence[Row]],
    files: Mapping[int, LogFile],
    spans: Sequence[Span],
    rows: Iterable[Row],
    over_lines: OverLines,
    known: Doubts = NO_DOUBT,
) -> Doubts:
    """What is to be doubted, from what a look at all partitions gave (pipeline.py); `files` are by their index.

    Args:
        rows: what `claims` gave of all lines.
        known: what that look doubted already.
    """
    seen: dict[int, Counter[str]] = defaultdict(Counter)
    for row in looked["sign"]:
        seen[row["cluster"]].update({name: row[name] for name in _SIGNS})
    careless = {files[row["file"]].cluster for row in (*looked["late"], *looked["repeated"])}
    careless |= {file.cluster for file in files.values() if file.broken}
    asked = {
        cluster
        for cluster, n in seen.items()
        if (faults := n["contradicted"] + n["unmoved"]) and faults * _RARE >= n["moves"]
    }
    theirs = {index: file for index, file in files.items() if file.cluster in asked}
    facts = over_lines(partial(_look, [span for span in spans if span.file in theirs]), theirs) if theirs else ()
    repeated = frozenset(row["file"] for row in looked["repeated"])
    pairs = follow_ups([row for row in facts if "kind" in row], theirs.values(), repeated)
    stretches = quiet([row for row in facts if "logged" in row], theirs.values())
    # A line that is missing of one request alone comes of no change of level: so others are missing elsewhere.
    careless |= {
        files[stretch[0]].cluster for stretch, requests in stretches.items() if requests == 1 and stretch in known.quiet
    }
    mixed = {cluster for cluster, n in seen.items() if n["unlike"] >= max(_MIXED, n["epochs"] / _MOST)}
    mixed |= {cluster for cluster, n in seen.items() if n["shared"] or n["twice"] >= _SEVERAL}
    mixed |= mixed_wordings(rows, spans, files)
    mixed |= {
        cluster
        for cluster, n in seen.items()
        if n["broken"] >= max(_BROKEN, n["compared"] / _BREAKS) or n["riven"] >= max(_RIVEN, n["compared"] / _BREAKS)
    }
    gapped = (asked & (pairs.gaps | begun_anew([row for row in facts if "life" in row]))) | mixed
    for cluster in asked - gapped:
        n = seen[cluster]
        most = max(_SEVERAL, n["moves"] / _MOST) if cluster in pairs.whole else _SEVERAL
        if n["contradicted"] >= (1 if cluster in careless else most):
            gapped.add(cluster)
    late = frozenset((row["file"], row["controller"], row["controller_epoch"]) for row in looked["late"])
    begun = beheaded([row for row in facts if "began" in row], theirs.values())
    return Doubts(
        late,
        frozenset(gapped),
        frozenset(mixed),
        frozenset(tenure for tenure in begun if seen[tenure[0]]["unmoved"]),
        frozenset(stretches),
        repeated,
    )


def _look(spans: Sequence[Span], events: Table) -> list[Row]:
    return [*shown(events), *first_lines(events), *numbered(events, spans), *requests_logged(events)]


def _for_want_of_a_line(row: Row) -> bool:
    """Whether a move is in contradiction to what came before, and missing lines would explain it."""
    machine = CONTRADICTED.get(row["rule"])
    return machine is not None and bool(known(_explained(machine))(row))


@cache
def _explained(machine: str) -> Expr:
    return releases.intersects(may_precede_with_gap(machine)[before(machine)][from_state(machine)])
