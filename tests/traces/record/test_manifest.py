"""The manifest's text and its znode rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isrproof.traces.record import manifest
from isrproof.traces.record.clock import milliseconds, utc
from isrproof.traces.record.zklog import Change

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(), children, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), JSON, min_size=1, max_size=5))
def test_text_is_the_same_json(value: dict[str, object]) -> None:
    assert json.loads(manifest.text(value)) == value


@given(st.integers(0, 4_000_000_000_000))
def test_times(at: int) -> None:
    assert milliseconds(utc(at)) == at


def change(zxid: int, session: int, what: str, path: str, data: bytes = b"") -> Change:
    return Change(zxid, zxid, session, what, path, None if what == "delete" else 0, data)


def test_rows_know_the_broker_that_wrote_them() -> None:
    rows = manifest.znodes(
        [
            change(1, 5, "create", "/controller_epoch", b"1"),
            change(2, 5, "create", "/brokers/ids/3", b"{}"),
            change(3, 9, "create", "/brokers/topics/t", b'{"partitions":{"0":[3]}}'),
            change(4, 5, "create", "/brokers/topics/t/partitions/0/state", b'{"leader":3}'),
            change(5, 5, "delete", "/brokers/ids/3"),
        ]
    )
    assert [row["by"] for row in rows] == [3, 3, None, 3, 3]
    assert [row["value"] for row in rows] == [1, {}, {"partitions": {"0": [3]}}, {"leader": 3}, None]


@pytest.mark.parametrize("path", ["/consumers", "/config/topics/t", "/brokers/topics/t/partitions", "/brokers/seqid"])
def test_other_znodes_are_left_out(path: str) -> None:
    assert manifest.znodes([change(1, 1, "create", path)]) == []


def test_another_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("[]")
    with pytest.raises(ValueError, match="is not the manifest of a recording"):
        manifest.read(tmp_path)
