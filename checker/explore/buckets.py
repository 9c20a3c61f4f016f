"""Work of a search whose levels are rows of buckets: workers expand states, and enter them where they belong.

A row has the states of one bucket, or some of them: packed words, and for each state the one that it was found from and
the move. Which bucket a state is in depends on its words only, so equal states meet in one.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .packing import packed
from .program import Program
from .search import Found, Search
from .symmetry import Orbits, orbits
from .table import Words

if TYPE_CHECKING:
    import pyarrow as pa

BUCKETS = 64  # a power of two
ACCOUNT = -1  # in place of a bucket: the row has the counts

GATHERED = 1 << 19  # states that a worker expands before it sends what it found
_MULTIPLIERS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F)


class BucketRow(NamedTuple):
    """States of a bucket; `searched` are in it, and stand for `states`. Of an account, `counts` in JSON."""

    bucket: int
    states: int
    searched: int
    words: bytes
    parents: bytes
    moves: bytes
    counts: str = ""


SCHEMA = "bucket int, states long, searched long, words binary, parents binary, moves binary, counts string"


@lru_cache(maxsize=1)
def _search(work: bytes) -> tuple[Search, Orbits | None]:
    """The search of a pickled program, and its orbits if one state of each is searched; kept from task to task."""
    program, symmetric = pickle.loads(work)  # made by our own driver
    return Search(program), orbits(program.packing) if symmetric else None


def buckets(words: Words) -> Any:
    """The bucket of each state. The bits that say where a table has a state are mixed in another way."""
    mixed = np.zeros(len(words[0]), np.uint64)
    for index, word in enumerate(words):
        mixed ^= np.multiply(word, _MULTIPLIERS[index % 4] + 2 * (index // 4), dtype=np.uint64)
        mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(_MULTIPLIERS[1])
    return (mixed >> np.uint64(64 - BUCKETS.bit_length() + 1)).astype(np.int64)


def to_bytes(words: Words) -> bytes:
    """States as bytes: all first words, then all second ones ..."""
    return b"".join(np.ascontiguousarray(word).tobytes() for word in words)


def to_words(program: Program, *held: bytes) -> Words:
    """The states of some rows, one after the other."""
    sizes = program.packing.sizes
    parts: list[list[Any]] = [[] for _ in sizes]
    for each in held:
        count, at = len(each) // sum(sizes), 0
        for part, size in zip(parts, sizes, strict=True):
            part.append(np.frombuffer(each, f"u{size}", count, at))
            at += size * count
    return [np.concatenate([*part, np.empty(0, f"u{size}")]) for part, size in zip(parts, sizes, strict=True)]


def expanded(work: bytes, depth: int, held: Iterable[bytes]) -> Iterator[BucketRow]:
    """The states that one step leads to from those of some rows, by bucket; then an account of the steps."""
    search, found_orbits = _search(work)
    group: list[bytes] = []
    for each in held:
        group.append(each)
        if sum(map(len, group)) >= GATHERED * sum(search.program.packing.sizes):
            yield from _expanded(search, found_orbits, depth, to_words(search.program, *group))
            group = []
    if group:
        yield from _expanded(search, found_orbits, depth, to_words(search.program, *group))


def _expanded(search: Search, found_orbits: Orbits | None, depth: int, words: Words) -> Iterator[BucketRow]:
    found, end = search.expand_level(words, depth, found_orbits)
    table = search.table
    parents = table.parents[end : table.count].astype(np.intp)
    moves, new = table.moves[end : table.count], [word[end : table.count] for word in table.words]
    of = buckets(new)
    order = np.argsort(of, kind="stable")
    cuts = np.searchsorted(of.take(order), np.arange(BUCKETS + 1))
    for bucket in range(BUCKETS):
        rows = order[cuts[bucket] : cuts[bucket + 1]]
        if len(rows):
            from_ = to_bytes([word.take(parents.take(rows)) for word in table.words])
            yield BucketRow(
                bucket, 0, 0, to_bytes([word.take(rows) for word in new]), from_, moves.take(rows).tobytes()
            )
    yield BucketRow(ACCOUNT, 0, 0, b"", b"", b"", json.dumps(_account(search, found)))


def _account(search: Search, found: Found) -> Mapping[str, Any]:
    """Return the counts, with packed states in the place of ids."""
    over, dead = found.overflow, found.first_deadlock
    return {
        "taken": found.taken,
        "generated": found.generated,
        "deadlocks": found.deadlocks,
        "at_bound": found.at_bound,
        "dead": None if dead is None else search.packed(dead),
        "overflow": None if over is None else [search.packed(over.state), over.move],
        "hits": [[prop, search.packed(hit.state), hit.move, hit.length] for prop, hit in found.hits.items()],
    }


def entered(work: bytes, bucket: int, candidates: Iterable[BucketRow], earlier: Iterable[bytes]) -> BucketRow:
    """The candidates of a bucket that no earlier level has; of accounts, all of them."""
    # Spark brings rows in any order: sorted, the same search gives the same levels.
    rows = sorted(candidates)
    if bucket == ACCOUNT:
        return BucketRow(ACCOUNT, 0, 0, b"", b"", b"", json.dumps([json.loads(each.counts) for each in rows]))
    search, found_orbits = _search(work)
    program = search.program
    table = search.table.empty()
    for held in earlier:
        table.enter(to_words(program, held), 0, 0)
    known, words = table.count, to_words(program, *(each.words for each in rows))
    table.enter(words, np.arange(len(words[0]), dtype=np.uint32), 0)
    new = table.parents[known : table.count].astype(np.intp)
    parents = to_words(program, *(each.parents for each in rows))
    moves = np.frombuffer(b"".join(each.moves for each in rows), search.table.moves.dtype)
    kept = [word.take(new) for word in words]
    return row(bucket, kept, found_orbits, to_bytes([word.take(new) for word in parents]), moves.take(new).tobytes())


def row(bucket: int, words: Words, found_orbits: Orbits | None, parents: bytes = b"", moves: bytes = b"") -> BucketRow:
    """A row of a level."""
    states = len(words[0]) if found_orbits is None else int(found_orbits.sizes(words).sum())
    return BucketRow(bucket, states, len(words[0]), to_bytes(words), parents, moves)


def found_from(program: Program, held: BucketRow, sought: frozenset[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the sought states that a row has: each with the state that it was found from, and the move."""
    words, parents = to_words(program, held.words), to_words(program, held.parents)
    size = len(held.moves) // max(len(words[0]), 1)
    moves = np.frombuffer(held.moves, f"u{size}") if size else ()
    for state in sought:
        same = np.ones(len(words[0]), bool)
        for mine, word in zip(program.packing.words(state), words, strict=True):
            same &= word == mine[0]
        for at in np.flatnonzero(same).tolist():
            yield state, packed(parents, at), int(moves[at])


def batch(rows: Iterable[BucketRow]) -> pa.RecordBatch:
    """Rows as Arrow's."""
    import pyarrow as pa

    kinds = (pa.int32(), pa.int64(), pa.int64(), pa.binary(), pa.binary(), pa.binary(), pa.string())
    schema = pa.schema(list(zip(BucketRow._fields, kinds, strict=True)))
    return pa.RecordBatch.from_pylist([each._asdict() for each in rows], schema)
