"""Brokers over time, from the records of a metadata log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.report.json import as_json
from isrproof.checker.cli import main
from isrproof.specs.machines import machine

from tests.metadata_folders import BEGINNING, SEGMENT, at, change, put, report


def registration(offset: int, broker: int, epoch: int, **data: int) -> str:
    row = {"brokerId": broker, "brokerEpoch": epoch, **data}
    return json.dumps({"offset": offset, "type": "BROKER_REGISTRATION_CHANGE_RECORD", "data": row})


def test_how_brokers_came_and_went_is_told(tmp_path: Path) -> None:
    unregisters = {"offset": 16, "type": "UNREGISTER_BROKER_RECORD", "data": {"brokerId": 2, "brokerEpoch": 6}}
    changes = [registration(13, 3, 7, inControlledShutdown=1), registration(14, 3, 7, fenced=1)]
    put(tmp_path, 1, [*BEGINNING, *changes, registration(15, 2, 6, fenced=1), json.dumps(unregisters)])
    (log,) = as_json(report(tmp_path))["metadata"]
    assert [(each["offset"], each["broker"], each["epoch"], each["state"]) for each in log["brokers"]] == [
        *((5, 1, 5, "Fenced"), (6, 2, 6, "Fenced"), (7, 3, 7, "Fenced")),
        *((8, 1, 5, "Unfenced"), (9, 2, 6, "Unfenced"), (10, 3, 7, "Unfenced")),
        *((13, 3, 7, "ControlledShutdown"), (14, 3, 7, "ShutDown")),
        *((15, 2, 6, "Fenced"), (16, 2, 6, "Unregistered")),
    ]
    assert [each["ts"] for each in log["brokers"]] == [at(each["offset"]) for each in log["brokers"]]
    assert list(log["brokers"][0]) == ["offset", "ts", "broker", "epoch", "state"]
    states = {state.name for state in machine("broker-registration").states}
    assert {each["state"] for each in log["brokers"]} == states
    text = CliRunner().invoke(main, ["audit", str(tmp_path)]).output
    at_end = "brokers at the end: Unfenced 1; Unregistered 2; ShutDown 3"
    assert f"  {at_end}; 10 changes of registrations, the last 8:\n" in text
    assert "    2023-11-14 22:13:37.000  broker 2 Unregistered (offset 16)\n" in text
    reign = "2023-11-14 22:13:21.000  epoch 1 led by 1, its last batch at 2023-11-14 22:13:37.000 (offset 0)"
    assert f"  1 raft epoch:\n    {reign}\n" in text


def test_what_brokers_are_is_not_known_where_records_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A level without a record is not shown either; nor the owner of a copy, if no file names it."""
    lines = [*BEGINNING, change(13, isr=[1, 2]), change(15, isr=[1]), registration(16, 3, 7, fenced=1)]
    file = put(tmp_path, 1, lines)
    (log,) = as_json(report(tmp_path))["metadata"]
    assert [tuple(each.values()) for each in log["brokers"]][-3:] == [
        *((15, None, 1, 5, "Unknown"), (15, None, 2, 6, "Unknown"), (15, None, 3, 7, "Unknown")),
    ]
    assert [each["offset"] for each in log["levels"]] == [1]
    file.parents[1].joinpath("meta.properties").unlink()
    monkeypatch.chdir(file.parent)
    text = CliRunner().invoke(main, ["audit", SEGMENT]).output
    assert "metadata log of a node that no file names: offsets 0 to 16" in text
    assert "records right before offset 15 are in no file" in text
