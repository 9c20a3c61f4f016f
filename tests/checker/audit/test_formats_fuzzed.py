"""Files in every envelope, mangled at random: no trace, and never "conforms" where nothing was evaluated."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.specs.errors import IsrproofError
from isrproof.specs.formats import envelopes, layouts

from tests.shapes import enveloped, in_layout, recorded

RECORDING = Path(__file__).parents[3] / "traces" / "recorded" / "failover-on-leader-2.0.0-kill"
SHAPES = [*product([None, *envelopes()], layouts())]
CHUNKS, IN_CHUNK = 40, 250
Mangled = Callable[[random.Random, bytes], bytes]


@cache
def written(envelope: str | None, layout: str) -> bytes:
    """The state changes of the second controller, in one file."""
    said = [each for each in recorded(RECORDING) if each.broker == "broker-4" and each.log == "state-change"]
    lines = ['"host","@timestamp","@message"'] if envelope == "csv" else []
    for each in said:
        shown = in_layout(layouts()[layout], each)
        lines += shown if envelope is None else enveloped(envelopes()[envelope], each, shown)
    return "".join(f"{line}\n" for line in lines).encode()


def cut(rng: random.Random, data: bytes) -> bytes:
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:a] + data[b:] if rng.random() < 0.5 else data[a:b]


def flipped(rng: random.Random, data: bytes) -> bytes:
    made = bytearray(data)
    for _ in range(rng.choice((1, 5, 100))):
        if made:
            made[rng.randrange(len(made))] = rng.randrange(256)
    return bytes(made)


def stuffed(rng: random.Random, data: bytes) -> bytes:
    odd = (b"\0", b"\xff\xfe", b"{", b"}", b"[", b'"', b"\n", b"\r", b"null", b"1e999", b"[" * 5000, b'{"a":' * 3000)
    for _ in range(rng.choice((1, 3, 20))):
        at = rng.randrange(len(data) + 1)
        data = data[:at] + rng.choice(odd) + data[at:]
    return data


def of_lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    how = rng.randrange(5)
    if how == 0:
        rng.shuffle(lines)
    elif how == 1:
        lines = lines[::-1]
    elif how == 2:
        lines = [line for line in lines if rng.random() < 0.7]
    elif how == 3:
        lines = [line for line in lines for _ in range(rng.choice((1, 1, 2)))]
    else:
        lines = [line[: rng.randrange(len(line) + 1)] if rng.random() < 0.3 else line for line in lines]
    return b"\n".join(lines)


def mixed(rng: random.Random, data: bytes) -> bytes:
    other = written(*rng.choice(SHAPES))
    a, b = rng.randrange(len(data) + 1), rng.randrange(len(other) + 1)
    return data[:a] + other[b:]


def other_words(rng: random.Random, data: bytes) -> bytes:
    words = (
        (b"kafka", b"log"),
        (b"INFO", b"7"),
        (b'"2', b"2"),
        (b":", b"="),
        (b"T", b" "),
        (b'":"', b'":{"'),
        (b"Z", b""),
    )
    return data.replace(*rng.choice(words))


def packed(rng: random.Random, data: bytes) -> bytes:
    made = gzip.compress(data)
    return made[: rng.randrange(len(made) + 1)] if rng.random() < 0.7 else flipped(rng, made)


MANGLERS: tuple[Mangled, ...] = (cut, flipped, stuffed, of_lines, mixed, other_words, packed)


@pytest.mark.full
@pytest.mark.parametrize(
    ("chunk", "cases"), [(0, 60), *(pytest.param(n, IN_CHUNK, marks=pytest.mark.slow) for n in range(1, CHUNKS + 1))]
)
def test_mangled_files_leave_no_trace_and_no_idle_conforms(chunk: int, cases: int, tmp_path: Path) -> None:
    rng = random.Random(chunk)
    path = tmp_path / "a.log"
    for case in range(cases):
        shape = SHAPES[(chunk * IN_CHUNK + case * 7) % len(SHAPES)]
        data = written(*shape)
        for _ in range(rng.choice((1, 1, 2, 3))):
            data = rng.choice(MANGLERS)(rng, data)
        path.write_bytes(data)
        try:
            (report,) = audit([str(path)], Options(engine="python"))
        except IsrproofError:
            continue
        evaluated = any(tally.evaluated for tally in report.rules.values())
        assert report.verdict != "conforms" or evaluated, (shape, case)
        # Whatever was done to it, no other fault comes of the log of this controller.
        assert {each.rule for each in report.findings if each.verdict == "illegal"} <= {"KR401"}, (shape, case)


@pytest.mark.full
def test_the_shapes_are_judged_before_they_are_mangled(tmp_path: Path) -> None:
    """The mangled log has a fault; otherwise nothing would be shown."""
    path = tmp_path / "a.log"
    for shape in SHAPES[:: len(SHAPES) // 12]:
        path.write_bytes(written(*shape))
        (report,) = audit([str(path)], Options(engine="python"))
        assert any(each.rule == "KR401" for each in report.findings), shape
