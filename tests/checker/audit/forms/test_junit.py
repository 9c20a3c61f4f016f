"""JUnit: a case for each rule, and XML whatever the log holds."""

from __future__ import annotations

import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from isrproof.checker.audit.report.forms import AuditRun, write
from isrproof.checker.audit.rules.catalogue import rules

from tests.recordings import CHAOS, RECORDED
from tests.reports import form

CLEAN = RECORDED / "lifecycle-2.0.0"


def test_junit_has_a_case_for_every_rule() -> None:
    pytest.importorskip("junitparser")
    (suite,) = ElementTree.fromstring(form("junit", CHAOS).encode())
    cases = {case.get("name", "").split()[0]: case for case in suite}
    assert set(cases) == {*rules(), "every", "nothing"}
    assert cases["KR401"].find("failure") is not None
    assert cases["KR402"].find("failure") is None  # suspicious
    assert "suspicious" in (cases["KR402"].findtext("system-out") or "")
    assert suite.get("failures") == "1"


def test_junit_fails_for_what_the_exit_code_fails_for() -> None:
    pytest.importorskip("junitparser")
    (suite,) = ElementTree.fromstring(form("junit", CHAOS, failing=("illegal", "suspicious")).encode())
    assert {case.get("name", "")[:5] for case in suite if case.find("failure") is not None} == {
        "KR203",
        "KR401",
        "KR402",
    }


def test_junit_skips_what_had_nothing_to_check_with_the_reason(tmp_path: Path) -> None:
    pytest.importorskip("junitparser")
    log = tmp_path / "controller.log"
    log.write_text("[2018-08-03 12:00:00,123] INFO [Controller id=3] Resigned (kafka.controller.KafkaController)\n")
    (suite,) = ElementTree.fromstring(form("junit", log).encode())
    skipped = [case.find("skipped") for case in suite]
    assert len([each for each in skipped if each is not None]) == len(rules())
    assert all("nothing to check" in each.get("message", "") for each in skipped if each is not None)


def test_junit_of_an_incomplete_audit_has_an_error(tmp_path: Path) -> None:
    pytest.importorskip("junitparser")
    shutil.copytree(CLEAN, tmp_path / "logs")
    (tmp_path / "logs" / "more.log").write_bytes(b"\0\1\2" * 100)
    (suite,) = ElementTree.fromstring(form("junit", tmp_path / "logs").encode())
    assert suite.get("errors") == "1"
    error = suite[0].find("error")
    assert error is not None
    assert "binary" in error.get("message", "")


def test_junit_is_xml_whatever_the_log_holds(hostile: AuditRun) -> None:
    pytest.importorskip("junitparser")
    text = write("junit", hostile)
    assert "\x1b" not in text
    (suite,) = ElementTree.fromstring(text.encode())
    assert any("<script>alert(1)</script>" in (case.findtext("failure") or "") for case in suite)
