"""Lines of recordings are worded as in the release that wrote them: signs of other clusters rest on that."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from pathlib import Path

import pytest
from isrproof.specs.releases import span
from isrproof.traces.events.event import Event
from isrproof.traces.events.parse import parse_line

TRACES = Path(__file__).parents[2] / "traces"
FOLDERS = sorted(p for name in ("recorded", "recorded-kraft") for p in (TRACES / name).glob("*-[0-4].*") if p.is_dir())
_RELEASE = re.compile(r"-((?:0\.)?[0-9]+\.[0-9]+)\.[0-9]+")


@pytest.mark.full(every=4)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_each_line_is_worded_as_in_its_release(folder: Path) -> None:
    found = _RELEASE.search(folder.name)
    assert found
    release = span(found[1])
    odd: Counter[tuple[str, int]] = Counter()
    read = 0
    for path in (*folder.glob("*/*.log"), *folder.glob("*/*.log.gz")):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for line in data.decode("utf-8", "replace").splitlines():
            parsed = parse_line(line)
            if isinstance(parsed, Event):
                read += 1
                odd[parsed.row, parsed.releases] += not parsed.releases & release
    assert read
    assert not +odd
