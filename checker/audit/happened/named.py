"""Entries with the known bugs of Kafka that they are the signs of, in the releases that ran."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from ....specs.bugs import Bug, Moment, moments_of
from ....specs.release_sets import TAGS
from ..files.file import LogFile
from ..findings.excerpts import Texts, Wanted
from ..findings.happened import Happened
from ..history.journals import VERSION
from ..history.spans import Span
from ..table.protocol import Row

BUG = "known-bug"
"""The word for a bug that lines, or records, show by themselves."""
_VERSION = re.compile(r"Kafka version: ([0-9]+(?:\.[0-9]+)+)")
_NEAR = 60_000
"""The milliseconds between two entries that are of about the same time: several sessions of a broker."""


def releases_that_ran(
    rows: Iterable[Row], spans: Iterable[Span], files: Mapping[int, LogFile], texts_of: Callable[[Wanted], Texts]
) -> Mapping[int, frozenset[str]]:
    """Return by cluster the releases that its processes print, else those that its lines' wordings allow.

    A cluster that shows neither is left out.
    """
    found: dict[int, set[str]] = defaultdict(set)
    wanted: Wanted = defaultdict(set)
    clusters: dict[str, int] = {}
    for row in rows:
        if row.get("kind") == VERSION and row["file"] in files:
            place = files[row["file"]].place(row["line"])
            wanted[place.file].add((place.line or 0, place.part))
            clusters[place.file] = files[row["file"]].cluster
    texts = texts_of(wanted) if wanted else {}
    for file, lines in texts.items():
        for text in lines.values():
            if file in clusters and (version := _VERSION.search(text)):
                found[clusters[file]].add(version[1])
    printed = {*found}
    for span in spans:
        if span.releases and span.cluster not in printed:
            found[span.cluster].update(tag for i, tags in enumerate(TAGS) if span.releases >> i & 1 for tag in tags)
    return {cluster: frozenset(tags) for cluster, tags in found.items()}


def with_names(entries: Sequence[Happened], ran: Collection[str]) -> list[Happened]:
    """Return the entries of a cluster, each with the bug that it is a sign of: in its `issue` if nothing else leaves
    it and all releases that ran have the bug, else in its reason, as "looks like".

    What is a bug only in releases that have it, and is no line of its own, is left out in others.

    Args:
        ran: the releases that may have run; none if they are not known.
    """
    named = (_with_name(each, entries, ran) for each in entries)
    return [each for each in named if each.what != BUG or each.at is not None or each.issue or each.looks_like]


def _with_name(each: Happened, entries: Sequence[Happened], ran: Collection[str]) -> Happened:
    for bug, sign in moments_of(each.what):
        if each.issue is None and has_it(bug, ran) and _shows(each, sign, entries):
            sure = not sign.unsure and bool(ran) and all(map(bug.is_in, ran))
            reason = f"{each.reason or ''} ({bug.named(unsure=not sure)})".strip()
            issue, like = (bug.issue, None) if sure else (None, bug.issue)
            return replace(each, reason=reason, issue=issue, looks_like=like)
    return each


def has_it(bug: Bug, ran: Collection[str]) -> bool:
    """Return whether a cluster may have a bug, by the releases that may have run."""
    return not ran or any(map(bug.is_in, ran))


def _shows(each: Happened, sign: Moment, entries: Sequence[Happened]) -> bool:
    if not all(text in (each.reason or "") for text in sign.says) or (each.longest or 0) < sign.longest:
        return False
    if sign.without and any(other.what in sign.without and _is_near(each, other) for other in entries):
        return False
    return sign.beside is None or any(other.what == sign.beside and _is_before(each, other) for other in entries)


def _is_before(each: Happened, other: Happened) -> bool:
    """Return whether another entry says of the node of one what it could not do, and lasts until shortly before it."""
    if each.node is None or each.since is None or other.since is None:
        return False
    ends = other.until if other.until is not None else other.since
    named = re.search(rf"\bbroker {each.node}\b", other.reason or "") is not None
    return named and other.since <= each.since and (other.lasts or each.since <= ends + _NEAR)


def _is_near(each: Happened, other: Happened) -> bool:
    """Return whether another entry is of about the time at which one begins, and of its node or a controller."""
    of_it = each.node is None or other.node == each.node or other.word.subject == "controller"
    return of_it and None not in (each.since, other.since) and abs((other.since or 0) - (each.since or 0)) <= _NEAR
