"""Wordings against templates: what could be read, and what could not."""

from __future__ import annotations

import pytest
from isrproof.checker.drift.matching import reads, similarity
from isrproof.checker.drift.templates import template
from isrproof.specs.lines import PRIMITIVES, Slot, Wording


def wording(text: str) -> Wording:
    """A wording: <int> is a slot for that primitive; what is before | is who speaks."""
    speaker, bar, sentence = text.rpartition("|")
    head = _pieces(speaker)
    return Wording("row", head + _pieces(sentence), len(head) if bar else 0, (), (("INFO", 1),))


def _pieces(text: str) -> tuple[str | Slot, ...]:
    parts = enumerate(text.replace(">", "<").split("<"))
    return tuple(Slot(None, PRIMITIVES[part]) if index % 2 else part for index, part in parts if part)


@pytest.mark.parametrize(
    ("ours", "printed", "expected"),
    [
        ("Resigned now", "Resigned now", True),
        ("Epoch <int> of leader <int>", "Epoch {} of leader {}", True),
        ("Epoch <int> of leader <int>.", "Epoch {} of leader {}", False),
        ("Moved to epoch <int>", "Moved to epoch {}. {}", False),
        ("Moved to epoch <int>, <text>", "Moved to epoch {}, leader {} of {}", True),
        ("Moved to <int> at once", "Moved to the end at once", False),
        ("Moved to <text> at once", "Moved to the end at once", True),
        ("The leader is (none).", "The leader is {}.", True),
        ("Sent <kind> request", "Sent become-leader request", True),
        ("Sent <kind> request", "Sent other request", False),
        ("Epoch <int> ms", "Epoch {}ms", False),
        ("ISR is <csv>  and more", "ISR is {} {} and more", True),
        ("<text>", "{}", False),
        ("Found <text>", "{} is something else", False),
        ("[Some id=<int>] |Became leader now", "Became leader now", True),
        ("[Some id=<int>] |Became leader now", "{}Became leader now", True),
        ("Became leader now", "Became follower now", False),
        ("ISR is [<csv>] now", "ISR is {} now", True),
        ("Of cluster <uuid>.", "Of cluster {}", False),
        ("Became leader, old one <int>", "Became leader{}", True),
    ],
)
def test_a_wording_reads_what_fits(ours: str, printed: str, expected: bool) -> None:
    assert reads(wording(ours), template((printed,))) is expected


def test_similarity_is_by_words_in_order() -> None:
    assert similarity("a b c d", "a b c d") == 1
    assert similarity("a b c d", "a b x d") == 0.75
    assert similarity("a b", "c d") == 0
