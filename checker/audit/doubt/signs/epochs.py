"""Brokers that print, for partition after partition, another leader epoch than the one that they adopted.

One case may be a fault of the broker. So many cannot be: lines of several brokers with one id are mixed.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...history.doubts import MIXED
from ...rules.catalogue import rules
from ...rules.shown_by import EPOCH_DIFFERS
from ..evidence import Evidence
from ..sign import Counts, Partitions, Sign

_EPOCHS, _UNLIKE = "epochs", "unlike"
_MIXED = 5
"""This many epochs that are unlike are no fault of one broker's."""
_MOST = 100
"""The number of epochs of which one may be unlike."""


def _counted(seen: Partitions) -> Counts:
    for rule in (rule for rule in rules().values() if EPOCH_DIFFERS in rule.shows):
        for row in seen.counts:
            if row["observation"] == rule.observation and row["cluster"] is not None:
                yield row["cluster"], _EPOCHS, row["n"]
                yield row["cluster"], _UNLIKE, row["n"] * (row[rule.code] in ("illegal", "suspicious"))


def _found(evidence: Evidence) -> Iterator[int]:
    for cluster, n in evidence.numbers.items():
        if n[_UNLIKE] >= max(_MIXED, n[_EPOCHS] / _MOST):
            yield cluster


SIGN = Sign(
    "epochs-unlike",
    "brokers print, of several partitions, another leader epoch than they took",
    MIXED,
    _found,
    counted=_counted,
)
