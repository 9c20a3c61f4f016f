"""States that nothing led to, where a missing line could have.

Such a contradiction is a fault if no line is missing. Several of them mean that lines are missing: no log of a real
cluster that we know has two that Kafka caused. One is enough where the files show in another way that they were
collected carelessly: lines are cut, late or repeated, or only the lines of one request are missing, which no change of
level causes. Where all lines that belong together are there, it takes more.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from .....model.expr import Expr
from ...fields import before, from_state, releases
from ...history.doubts import GAPPED
from ...rules.catalogue import rules
from ...rules.moves import may_precede_with_gap
from ...rules.shown_by import NOTHING_LED_THERE, NOTHING_MOVED
from ...table.rows import known
from ..evidence import CONTRADICTED, MOVES, UNMOVED, Evidence
from ..excuses.excuse import DOUBT
from ..sign import Counts, Partitions, Sign
from .follow_ups import pairs
from .levels import stretches

_MOVES = ("replica_moves", "partition_moves")
_SEVERAL = 2
_MOST = 100
"""The number of moves of which one contradiction is no sign, if all lines that belong together are there."""


def _counted(seen: Partitions) -> Counts:
    for row in seen.counts:
        if row["observation"] in _MOVES:
            yield row["cluster"], MOVES, row["n"]
    for row in seen.fails:
        if row["verdict"] in ("illegal", "suspicious") and row.get(DOUBT) != "order":
            shows = rules()[row["rule"]].shows
            if NOTHING_MOVED in shows:
                yield row["cluster"], UNMOVED, 1
            if NOTHING_LED_THERE in shows and known(_explained(rules()[row["rule"]].kind))(row):
                yield row["cluster"], CONTRADICTED, 1


@cache
def _explained(machine: str) -> Expr:
    """Return the condition that missing lines would explain a move."""
    return releases.intersects(may_precede_with_gap(machine)[before(machine)][from_state(machine)])


def _careless(evidence: Evidence) -> frozenset[int]:
    """The clusters whose files were collected carelessly."""
    files = evidence.files
    shown = {files[row["file"]].cluster for row in (*evidence.looked["late"], *evidence.looked["repeated"])}
    shown |= {file.cluster for file in files.values() if file.broken}
    alone = (stretch for stretch, requests in evidence.once(stretches).items() if requests == 1)
    return frozenset(shown | {files[each[0]].cluster for each in alone if each in evidence.known.less_logged})


def _found(evidence: Evidence) -> Iterator[int]:
    careless, whole = _careless(evidence), evidence.once(pairs).whole
    for cluster in evidence.asked:
        n = evidence.numbers[cluster]
        most = max(_SEVERAL, n[MOVES] / _MOST) if cluster in whole else _SEVERAL
        if n[CONTRADICTED] >= (1 if cluster in careless else most):
            yield cluster


SIGN = Sign(
    "contradictions",
    "replicas or partitions leave states that nothing led to, again and again",
    GAPPED,
    _found,
    counted=_counted,
)
