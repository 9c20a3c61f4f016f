"""The command as a user meets it: exit codes, messages, outputs."""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.rules.catalogue import rules
from isrproof.checker.audit.sources.requests.columns import REQUESTS_ANSWERED, REQUESTS_IN_TURN
from isrproof.checker.commands.audit import command

from tests.recordings import CHAOS, FAILOVER, RECORDED

LOG = FAILOVER / "broker-4" / "state-change.log"
SEGMENT = RECORDED.parent / "recorded-kraft" / "failover-3.5.2" / "node-1" / "metadata" / f"{0:020}.log"


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(command, ["--engine", "python", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


@cache
def text_of_chaos() -> str:
    return run(str(CHAOS))[1]


@cache
def json_of_chaos() -> Any:
    return json.loads(run("--json", str(CHAOS))[1])


def test_illegal_is_exit_1_and_names_the_line() -> None:
    code, out, _ = run(str(FAILOVER))
    assert code == 1
    assert "KR401 dead-leader-after-failover; KAFKA-3143, fixed in 2.3.0" in out
    assert "broker-4/state-change.log:33" in out


def test_conforming_is_exit_0() -> None:
    assert run(str(RECORDED / "failover-elsewhere-2.0.0-kill"))[0] == 0


def test_what_these_lines_cannot_decide_does_not_conform() -> None:
    code, out, _ = run("--lossy", str(FAILOVER))
    assert code == 3
    assert out.startswith("incomplete (exit 3): 2 unknown")
    said = json.loads(run("--lossy", "--json", str(FAILOVER))[1])
    assert (said["verdict"], said["counts"]["unknown"]) == ("incomplete", 2)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("binary.log", b"\0\1\2" * 100, "binary"),
        ("zipped.log", b"PK\3\4" + b"\0" * 100, "the archive is cut or broken"),
        ("hole.log", b"\0" * 9_000, "nothing but NUL"),
        (
            "copy.log.gz",
            gzip.compress(SEGMENT.read_bytes()),
            "from its folder, or from an archive of it, with Kafka's names",
        ),
        ("empty.log", b"", "found none in 0 lines"),
        ("other.log", b"hello\nworld\n", "found none in 2 lines"),
    ],
)
def test_what_cannot_be_read_is_exit_2_with_one_message(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(content)
    code, out, err = run(str(tmp_path / name))
    assert (code, out) == (2, "")
    assert says in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["no-such-file.log"], "no such file"),
        (["--release", "2.99", str(LOG)], "Did you mean"),
        (["--partition", "orders", str(LOG)], "orders-0"),
        (["--since", "yesterday", str(LOG)], "as the log prints it"),
        (["--layout", "%q", str(LOG)], "%m"),
        (["--master", "local", "--remote", "sc://here", str(LOG)], "two places"),
    ],
)
def test_misuse_is_exit_2(arguments: list[str], says: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert says in err


def test_a_cut_gzip_is_incomplete_and_loses_nothing_before_the_cut(tmp_path: Path) -> None:
    whole = gzip.compress(LOG.read_bytes())
    (tmp_path / "state-change.log.gz").write_bytes(whole[: len(whole) * 3 // 4])
    code, out, _ = run(str(tmp_path))
    assert code == 3
    assert "incomplete" in out
    assert "cut or broken" in out
    assert "understood" in out


def test_one_unreadable_file_does_not_hide_the_findings_of_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"\0" * 10)
    assert run(str(tmp_path / "a.log"), str(FAILOVER))[0] == 1


@pytest.mark.full
def test_fail_on_makes_weaker_findings_count() -> None:
    suspicious = str(RECORDED / "reassign-2.3.1")
    assert run(suspicious)[0] == 0
    assert run("--fail-on", "suspicious", suspicious)[0] == 1


def test_json_is_one_object_with_the_promised_keys() -> None:
    code, out, _ = run("--json", "--timeline", str(FAILOVER))
    report = json.loads(out)
    assert code == 1
    assert {"verdict", "findings", "rules", "coverage", "files", "lives", "releases", "timeline"} <= set(report)
    assert {"understood", "irrelevant", "continuation", "unknown", "top_unknown"} <= set(report["coverage"])
    (first, _) = report["findings"]
    assert first["issue"] == ["KAFKA-3143", "KAFKA-8152", "KAFKA-3096"]
    assert (first["rule"], first["line"], first["known_issue"], first["fixed_in"]) == (
        "KR401",
        33,
        "KAFKA-3143",
        "2.3.0",
    )
    assert first["entity"] == {"kind": "partition", "topic": "t", "partition": 1, "replica": None, "broker": None}
    assert first["excerpt"].endswith("(state.change.logger)")
    row = report["timeline"][0]
    assert {"topic", "partition", "leader", "isr", "leader_epoch", "controller_epoch", "partition_epoch"} < set(row)


def test_each_gives_a_cluster_for_every_path() -> None:
    code, out, _ = run("--json", "--each", str(FAILOVER), str(RECORDED / "failover-elsewhere-2.0.0-kill"))
    assert [cluster["verdict"] for cluster in json.loads(out)["clusters"]] == ["illegal", "conforms"]
    assert code == 1


def test_narrowing_by_partition_and_time() -> None:
    assert json.loads(run("--json", "--partition", "t-0", str(FAILOVER))[1])["findings"][0]["entity"]["partition"] == 0
    assert json.loads(run("--json", "--until", "2026-11-21 20:24:30", str(FAILOVER))[1])["findings"] == []


@pytest.mark.full(every=7)
@pytest.mark.slow(every=2)
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--partition", "t-7"], "Topic t has partitions 0, 1, 2."),
        (["--partition", "tt-0"], "Did you mean topic t?"),
        (["--partition", "zebra-0"], "There is topic t."),
        (["--until", "2026-11-21"], "from 2026-11-21 20:24:12.798 to 2026-11-21 20:24:35.992; the first after at"),
        (["--since", "2027-01-01"], "the last before at 2026-11-21 20:24:35.992."),
        (["--partition", "t-1", "--since", "2027-01-01"], "the last before at 2026-11-21 20:24:35.987."),
        (["--since", "2026-11-22", "--until", "2026-11-21"], "--since is after --until"),
    ],
)
@pytest.mark.parametrize("engine", ["python", "columns"])
def test_what_nothing_matches_is_exit_2_and_says_what_there_is(engine: str, arguments: list[str], says: str) -> None:
    code, out, err = run(*arguments, "--engine", engine, str(FAILOVER))
    assert (code, out) == (2, "")
    assert says in err
    code, out, _ = run("--json", *arguments, "--engine", engine, str(FAILOVER))
    assert says in json.loads(out)["error"]


@pytest.mark.full(every=5)
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--partition", "t-7"], "Topic t has partitions 0, 1, 2."),
        (["--partition", "tt-0"], "Did you mean topic t?"),
        (["--until", "2026-11-21"], "from 2026-11-23 08:24:29.714 to 2026-11-23 08:24:51.378; the first after at"),
        (["--partition", "t-0", "--since", "2027-01-01"], "the last before at 2026-11-23 08:24:48.964."),
    ],
)
@pytest.mark.parametrize("engine", ["python", "columns"])
def test_a_metadata_log_tells_what_there_is_too(engine: str, arguments: list[str], says: str) -> None:
    log = RECORDED.with_name("recorded-kraft") / "failover-3.5.2" / "node-1" / "metadata"
    code, out, err = run(*arguments, "--engine", engine, str(log))
    assert (code, out) == (2, "")
    assert says in err
    assert run("--partition", "t-0", "--engine", engine, str(log))[0] == 0


@pytest.mark.full
def test_counts_are_of_what_is_asked_for() -> None:
    whole = json_of_chaos()
    for arguments in (["--partition", "a-2"], ["--since", "2026-11-21 21:06:20"], ["--until", "2026-11-21 21:06:20"]):
        report = json.loads(run("--json", *arguments, str(CHAOS))[1])
        found = Counter((finding["rule"], finding["verdict"]) for finding in report["findings"])
        for code, tally in report["rules"].items():
            assert tally["failed"] == sum(n for (rule, verdict), n in found.items() if rule == code)
            assert tally["illegal"] == found[code, "illegal"]
            assert tally["evaluated"] <= whole["rules"][code]["evaluated"]
        assert report["counts"] == {v: sum(n for (_, each), n in found.items() if each == v) for v in report["counts"]}
        assert report["checked"]["partitions"] <= whole["checked"]["partitions"]
        assert sum(move["count"] for move in report["transitions"]) < sum(m["count"] for m in whole["transitions"])


@pytest.mark.full
def test_the_halves_of_a_time_are_the_whole() -> None:
    halves = [["--until", "2026-11-21 21:06:08.109"], ["--since", "2026-11-21 21:06:08.110"]]
    first, second = (json.loads(run("--json", *half, str(CHAOS))[1]) for half in halves)
    whole = json_of_chaos()
    assert sorted(map(str, first["findings"] + second["findings"])) == sorted(map(str, whole["findings"]))
    of_requests = {
        rule.code
        for observation in (REQUESTS_ANSWERED, REQUESTS_IN_TURN)
        for rule in rules().values()
        if rule.observation == observation.name
    }
    assert any(whole["rules"][code]["held"] for code in of_requests)
    for code, tally in whole["rules"].items():
        # Requests that fit are counted without their times: a part of a log leaves them out.
        expected = tally | {"held": 0, "evaluated": tally["failed"]} if code in of_requests else tally
        assert {name: first["rules"][code][name] + second["rules"][code][name] for name in tally} == expected


def test_the_headline_says_what_was_checked() -> None:
    checked = json_of_chaos()["checked"]
    assert (checked["brokers"], checked["controller_epochs"], checked["partitions"]) == ([1, 3, 4], 5, 10)
    of_controllers = {code for code, rule in rules().items() if rule.family == "controller"}
    assert of_controllers < set(checked["rules"])
    assert (checked["hosts"], checked["replicas"], checked["assumption"]) == ([1, 2, 3, 4], 24, "contiguous")
    second = text_of_chaos().splitlines()[1]
    controllers, hosts = "10 partitions in 5 controller epochs of brokers 1, 3, 4", "24 replicas of brokers 1, 2, 3, 4"
    assert second.startswith(
        f"checked: {controllers} and {hosts}; {len(checked['rules'])} of {checked['rules_known']} "
    )
    assert "no line is missing" in second
    assert "any line may be missing" in run("--lossy", str(FAILOVER))[1].splitlines()[1]
    alone = json.loads(run("--json", str(CHAOS / "broker-3"))[1])["checked"]
    assert (alone["brokers"], alone["controller_epochs_unseen"] > 0) == ([3], True)


@pytest.mark.full(every=2)
@pytest.mark.parametrize(
    ("name", "content", "verdict"),
    [
        ("other.log", "2026-11-21T20:24:35Z broker-4 {what: ever}\n", "incomplete"),
        ("other.log", "[2026-11-21 20:24:36,000] INFO what is this\n", "incomplete"),
        (
            "other.log",
            "[2026-11-21 20:24:36,000] INFO [KafkaServer id=1] started (kafka.server.KafkaServer)\n",
            "conforms",
        ),
        ("kafkaServer-gc.log.1", "[0.012s][info][gc] Using G1\n", "conforms"),
        ("other.log", "", "conforms"),
    ],
)
def test_a_file_that_taught_nothing_is_told_of(tmp_path: Path, name: str, content: str, verdict: str) -> None:
    """It may be a log of a controller in an unknown layout; one of other loggers is not, nor is an empty one."""
    (tmp_path / name).write_text(content)
    conforming = RECORDED / "failover-elsewhere-2.0.0-kill"
    assert run(str(FAILOVER), str(tmp_path))[0] == 1
    code, out, _ = run(str(conforming), str(tmp_path))
    assert (code, out.split()[0]) == (3 if verdict == "incomplete" else 0, verdict)
    assert ("other.log: none of its 1 line was understood" in out) == (verdict == "incomplete")


def test_lines_of_kraft_are_judged(tmp_path: Path) -> None:
    line = "[2025-01-01 00:00:00,000] INFO [QuorumController id=1] Becoming the active controller at epoch 1, next"
    (tmp_path / "controller.log").write_text(f"{line} write offset 1. (org.apache.kafka.controller.QuorumController)\n")
    code, out, _ = run(str(tmp_path))
    assert (code, out.split()[0]) == (0, "conforms")


def test_the_timeline_is_printed() -> None:
    text = run("--timeline", "--partition", "t-0", str(FAILOVER))[1]
    assert "timeline\n  t-0\n    2026-11-21 20:24:16.265  leader 1, ISR [1, 2], leader epoch 0, version 0" in text
    assert "broker-2/state-change.log:19" in text
    assert "timeline" not in run("--partition", "t-0", str(FAILOVER))[1]


@pytest.mark.full
def test_the_timeline_of_a_log_that_begins_with_a_snapshot_has_its_state() -> None:
    recording = FAILOVER.parents[1] / "recorded-kraft" / "segments-4.1.0"
    text = run("--timeline", "--partition", "s4-0", *map(str, recording.glob("node-*/metadata")))[1]
    state = "2026-11-24 02:05:04.178  leader 2, ISR [2, 3, 1], leader epoch 2, partition epoch 8"
    assert f"timeline\n  s4-0\n    {state}  from the snapshot at offset 750: " in text
    assert "00000000000000000750-0000000004.checkpoint@12" in text


def test_details_are_told_when_asked_for() -> None:
    brief, whole = run(str(FAILOVER))[1], run("--verbose", str(FAILOVER))[1]
    for detail in ("expected replica 2 moved", "assuming that no line is missing between", "evaluated       held"):
        assert detail in whole
    assert "expected replica 2 moved" not in brief
    assert "evaluated       held" not in brief


def test_every_failover_and_dead_broker_is_named() -> None:
    text = text_of_chaos()
    first = "Controller 3 took over with epoch 4 and keeps broker 4 as leader, which is dead."
    assert f"{first}\n      2 partitions: a-2, d-1;" in text
    assert "After controller 1 took over with epoch 5, d-0 keeps broker 3 as leader, which is dead." in text


def test_out_writes_json_and_parquet_for_others_to_read(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run("--timeline", "--out", str(tmp_path / "out"), str(FAILOVER))
    assert json.loads((tmp_path / "out" / "audit.json").read_text())["verdict"] == "illegal"
    assert parquet.read_table(tmp_path / "out" / "findings.parquet").num_rows == 2
    assert parquet.read_table(tmp_path / "out" / "timeline.parquet").num_rows > 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "audit.json",
        "conditions.parquet",
        "findings.parquet",
        "stopped_moves.parquet",
        "timeline.parquet",
    ]


def test_out_without_pyarrow_is_exit_2_before_anything_is_read_or_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr("isrproof.checker.audit.command.audit", lambda *_: pytest.fail("it was read"))
    code, out, err = run("--out", str(tmp_path / "out"), str(FAILOVER))
    assert (code, out) == (2, "")
    assert "pip install 'isrproof[audit]'" in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_terminal_gets_no_control_characters_from_a_log(tmp_path: Path) -> None:
    (tmp_path / "state-change.log").write_text(
        LOG.read_text() + "[2026-11-21 20:24:36,000] INFO \x1b[31mred (state.change.logger)\n"
    )
    assert "\x1b" not in run(str(tmp_path))[1]


def test_same_input_same_bytes() -> None:
    assert run("--json", str(FAILOVER)) == run("--json", str(FAILOVER))
