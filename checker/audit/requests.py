"""The audit of requests as brokers handle them, whole: of what reading has found, with no look at any partition."""

from __future__ import annotations

from collections.abc import Mapping

from .sources.requests.handled import Handled
from .judge import judged
from .sources.requests.columns import (
    METADATA_RECEIVED,
    REQUESTS_ANSWERED,
    REQUESTS_COUNTED,
    REQUESTS_IN_TURN,
    REQUESTS_REFUSED,
)
from .observe.narrow import EVERYTHING, Narrow
from .observe.observation import Input, Observation
from .rules.catalogue import rules_on
from .table.protocol import Row, Table
from .table.rows import PythonTable


def rows_of(found: Handled) -> dict[Input, list[Row]]:
    """The rows of requests that may not fit, by the input that they are."""
    return {
        REQUESTS_ANSWERED.made_from: found.answered,
        REQUESTS_IN_TURN.made_from: found.numbered,
        METADATA_RECEIVED.made_from: found.epochs_taken,
        REQUESTS_COUNTED.made_from: found.counted,
        REQUESTS_REFUSED.made_from: found.refused,
    }


def judged_requests(found: Handled, narrow: Narrow, defects: list[Row]) -> tuple[dict[str, Table], list[Row]]:
    """Verdicts by observation, of requests that may not fit; and counts of those that do."""
    tables = judged({each: PythonTable(rows) for each, rows in rows_of(found).items()}, defects)
    counts = [
        *_held(REQUESTS_ANSWERED, found.answered_fit),
        *_held(REQUESTS_IN_TURN, found.numbered_fit),
        *_held(REQUESTS_REFUSED, found.refused_fit),
    ]
    return {name: narrow.of(of) for name, of in tables.items()}, counts if narrow == EVERYTHING else []


def _held(observation: Observation, fit: Mapping[int, int]) -> list[Row]:
    held = {rule.code: "held" for rule in rules_on(observation.name)}
    return [
        {"observation": observation.name, "cluster": cluster, "topic": None, "n": n, **held}
        for cluster, n in sorted(fit.items())
    ]
