"""The compressed columns from which the page draws the timeline and the partitions."""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from isrproof.checker.audit.report.page.columns import differences, packed
from isrproof.checker.audit.report.page.partitions import partitions

from tests.pages import ELR, data_of, page
from tests.recordings import CHAOS
from tests.reports import made

pytest.importorskip("jinja2")


def unpacked(text: str, columns: int) -> list[list[int]]:
    data = gzip.decompress(base64.b64decode(text))
    length = len(data) // columns // 4
    found = []
    for at in range(0, len(data), 4 * length):
        planes = [data[at + byte * length : at + (byte + 1) * length] for byte in range(4)]
        found.append([int.from_bytes(bytes(four), "little", signed=True) for four in zip(*planes, strict=True)])
    return found


def test_columns_come_back_as_they_were() -> None:
    columns = [[0, 1, -1, 2**31 - 1, -(2**31)], [7, 7, 7, 8, 8]]
    assert unpacked(packed(columns), 2) == columns
    assert differences([3, 5, 4]) == [3, 2, -1]


def test_every_state_of_every_partition_is_in_the_columns() -> None:
    report = made(CHAOS)
    (data,) = partitions(report)
    topic, number, _, length, findings, _ = unpacked(data["heads"], 6)
    seconds, millis, leader, isr, epoch, *_, file, line = unpacked(data["rows"], 9)
    rows = list(report.timeline or ())
    assert sum(length) == data["states"] == len(rows)
    assert sum(findings) == sum(each.entity.partition is not None for each in report.findings)
    names = [(data["topics"][t], n) for t, n, many in zip(topic, number, length, strict=True) for _ in range(many)]
    assert names == [(row.topic, row.partition) for row in rows]
    at, lines = 0, 0
    for index, row in enumerate(rows):
        at, lines = at + seconds[index], lines + line[index]
        assert (data["base"] + at) * 1000 + millis[index] == row.ts
        assert (leader[index], epoch[index]) == (row.leader, row.leader_epoch)
        assert data["isrs"][isr[index]] == ", ".join(map(str, row.isr or ()))
        assert f"{data['files'][file[index]]}:{lines}" == str(row.place)


def test_partitions_with_findings_are_first_where_there_is_no_room_for_all() -> None:
    first, *others = partitions(made(CHAOS), most=40)
    _, _, _, length, findings, _ = unpacked(first["heads"], 6)
    assert sum(length) <= 40
    assert max(findings) == 7
    assert others
    names = []
    for each in (first, *others):
        topic, number, _, length, _, _ = unpacked(each["heads"], 6)
        assert sum(length) <= 40 or len(length) == 1
        names += [(each["topics"][t], n) for t, n in zip(topic, number, strict=True)]
    assert sorted(names) == sorted({(row.topic, row.partition) for row in made(CHAOS).timeline or ()})


def test_what_records_show_offline_is_on_the_timeline() -> None:
    report = made(ELR)
    shown = json.loads(data_of(page(report)))["c0"]
    assert report.metadata is not None
    spells = [(each, each.since, each.until) for each in report.metadata[0].conditions if each.condition == "offline"]
    assert spells
    times = {ts for _, since, until in spells for ts in (since, until) if ts is not None}
    assert [ts for ts, _ in shown["offline"]] == sorted(times)
    topic, number, _, _, _, offline = unpacked(shown["partitions"]["heads"], 6)
    names = [shown["partitions"]["topics"][each] for each in topic]
    lasted: Counter[tuple[str, int]] = Counter()
    for each, since, until in spells:
        if since is not None and until is not None:
            lasted[each.topic, each.partition] += until - since
    assert dict(zip(zip(names, number, strict=True), offline, strict=True)).items() >= lasted.items()


def test_what_does_not_fit_a_page_is_on_others_beside_it(several: list[Path]) -> None:
    more = [f"my page-{n}.html" for n in range(2, len(several) + 1)]
    assert [path.name for path in several] == ["my page.html", *more]
    assert more
    texts = [path.read_text(encoding="utf-8") for path in several]
    assert "KAFKA-3143" in texts[0]
    assert all("KAFKA-3143" not in text and 'href="my%20page.html"' in text for text in texts[1:])
    shown = [json.loads(data_of(text))["c0"]["partitions"] for text in texts]
    assert [len(each["others"]) for each in shown] == [len(several) - 1] * len(several)
    assert sum(each["states"] for each in shown) == len(made(CHAOS).timeline or ())


def test_a_page_that_stands_alone_says_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isrproof.checker.audit.report.page.partitions.MOST", 40)
    shown = json.loads(data_of(page(made(CHAOS))))["c0"]["partitions"]
    assert (
        shown["leftOut"]
        == len({(row.topic, row.partition) for row in made(CHAOS).timeline or ()}) - shown["partitions"]
    )
    assert shown["leftOut"] > 0
