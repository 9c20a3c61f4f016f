"""Every way of mangling is a kind of damage of the contract (docs/doubt.md), and every kind is tried."""

from __future__ import annotations

from isrproof.checker.audit.doubt.contract import CONTRACT

from lab.mangled.ways import WAYS

DAMAGE = {
    "rotated, compressed": ("newest first", "rotated files joined", "downloaded", "zgrep", "one file per broker"),
    "copies, overlaps": (
        *("file twice in one", "chunk repeated", "chunk repeated later", "overlap inside", "overlap of rotated files"),
        *("copy beside", "gz beside", "lines doubled", "physical lines doubled", "lines sent again"),
        *("shipper restarted", "additive loggers", "hour again, sorted", "stretch of a broker after", "seen once"),
    ),
    "gaps that show": (
        *("hole", "stretch missing", "hour missing", "head missing", "tail missing", "file missing"),
        *("one rotated file missing", "copied while written"),
    ),
    "a broker or a kind of file": ("broker left out",),
    "envelopes, prefixes": ("lines truncated", "lines wrapped", "line ends", "milliseconds cut off"),
    "lines torn": (
        *("lines cut", "heads of lines cut", "lines spliced", "lines torn", "other programs between"),
        *("states corrupted", "traces dropped"),
    ),
    "clocks": ("zones", "clock set", "times corrupted", "one zone later"),
    "levels": ("level changed", "levels", "grep -v"),
    "lines missing here": (
        *("lines missing", "physical lines missing", "uniq", "searched", "same message dropped", "rate limited"),
        "sampled",
    ),
    "lines in another order": (
        *("milliseconds shuffled", "sorted as text", "sorted by time", "blocks swapped", "seconds shuffled"),
        "batches swapped",
    ),
    "lines of another cluster": (
        *("brokers concatenated", "brokers by time", "brokers interleaved", "another cluster beside", "mislabelled"),
        *("two machines", "another cluster inside", "another KRaft cluster beside", "another KRaft cluster inside"),
    ),
    "names, addresses": ("redacted", "pasted", "other case", "numbers grouped"),
}
"""By the beginning of a kind's name the ways that do it."""
NOT_TRIED = {"words that were replaced"}
"""Nothing is promised of these."""


def test_every_way_is_one_kind_of_damage() -> None:
    ways = [way for own in DAMAGE.values() for way in own]
    assert sorted(ways) == sorted(WAYS)


def test_every_kind_of_damage_is_tried_or_not_promised() -> None:
    for damage in CONTRACT:
        tried = [kind for kind in DAMAGE if damage.name.startswith(kind)]
        untried = [kind for kind in NOT_TRIED if damage.name.startswith(kind)]
        assert len(tried) + len(untried) == 1, damage.name
        assert bool(untried) == (damage.verdicts == "not seen")
