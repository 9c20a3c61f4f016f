"""Wordings that their pattern alone identifies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from isrproof.specs.lines import PRIMITIVES, Slot
from isrproof.traces.events import wordings
from isrproof.traces.events.frequent import ROWS, frequent, prints_all
from isrproof.traces.events.wordings import HEAD, Reader, dispatch, readers


def test_a_frequent_wording_is_told_by_its_pattern_alone() -> None:
    """Each condition alone keeps a wording from being looked for first."""
    tried = wordings.bucket(dispatch().by_key["Changed"])
    reader, own = next((reader, test) for reader, test in tried if reader.row.id == "replica-moved")
    assert prints_all(reader, [own])
    assert not prints_all(reader, [replace(own, without=("NewReplica",))])
    assert not prints_all(reader, [wordings.Test("", "Changed", (), ""), own])
    assert prints_all(reader, [wordings.Test("", "Changed", (" assigned replicas ",), ""), own])
    assert prints_all(reader, [wordings.Test("", "Changed", (), "", without=reader.literal_pieces[:1]), own])
    others = [reader for reader in readers() if not reader.row.bears and reader.row.family == "state.change.logger"]
    assert others
    assert not any(prints_all(reader, [own]) for reader in others)


def of_row(row: str, text: str) -> Reader:
    """The wording of a row whose sample line has a text."""
    return next(reader for reader in readers() if reader.row.id == row and text in reader.filled)


def test_a_wording_that_ends_with_any_text_is_told_by_how_it_begins() -> None:
    added, own = of_row("fetchers-added", "Added fetcher to broker 1"), wordings.Test("", "Added fetcher to", (), "")
    assert prints_all(added, [own])
    assert prints_all(added, [wordings.Test("", "Added fetcher for ", (), ""), own])
    assert prints_all(added, [wordings.Test("", "Added fetcher to broker BrokerEndPoint(", (), ""), own])
    assert not prints_all(added, [wordings.Test("", "Added fetcher to broker 1", (), ""), own])
    assert not prints_all(added, [wordings.Test("", "Added", (" Map(",), ""), own])
    assert not prints_all(added, [replace(own, without=("Map(",))])


def test_a_wording_that_begins_with_any_word_begins_with_none_of_another() -> None:
    starts, own = of_row("leader-starts", "starts at leader epoch"), wordings.Test("[Partition ", "", (), "")
    assert prints_all(starts, [own])
    assert not prints_all(starts, [wordings.Test("", "", (), ""), own])
    word, after = Slot("topic", PRIMITIVES["word"]), " starts at leader epoch "
    wording = replace(starts.wording, pieces=("[Partition t-0 broker=1] ", word, after), prefix=1)
    assert not prints_all(Reader(starts.row, wording), [own])


def test_frequent_wordings_are_of_their_rows_and_begin_in_time() -> None:
    assert {reader.row.id for reader in frequent()} == {*ROWS}
    for reader in frequent():
        assert longest(reader.speaker_slots[0], 255) + len(reader.literals[1]) <= HEAD


def longest(pieces: Sequence[str | Slot], characters: int) -> int:
    """The most characters of pieces, if names have this many."""
    most = dict.fromkeys(("int", "index"), 19)
    return sum(len(p) if isinstance(p, str) else most.get(p.primitive.name, characters) for p in pieces)
