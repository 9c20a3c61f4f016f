"""The Java that starts Spark, detected from its home or by asking it, and its options."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof import checker
from isrproof.checker.cli import main
from isrproof.checker.spark_session import _interrupted_later, _is_news, java_version, shim, spark_failures
from isrproof.specs.errors import IsrproofError

from tests.recordings import RECORDED


@pytest.mark.parametrize(
    ("told", "version"),
    [('JAVA_VERSION="17.0.15"\n', 17), ('IMPLEMENTOR="x"\nJAVA_VERSION="1.8.0_292"\n', 8), ("nothing\n", None)],
)
def test_a_home_says_its_version(told: str, version: int | None, tmp_path: Path) -> None:
    (tmp_path / "release").write_text(told)
    assert java_version(tmp_path / "bin" / "java") == version


@pytest.mark.parametrize(
    ("said", "version"),
    [('openjdk version "21.0.2" 2024-01-16', 21), ('java version "1.8.0_292"', 8), ("who knows", None)],
)
def test_a_program_without_a_home_is_asked(said: str, version: int | None, tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{said}' >&2\n")
    java.chmod(0o755)
    assert java_version(java) == version


def test_one_that_does_not_run_has_none(tmp_path: Path) -> None:
    assert java_version(tmp_path / "bin" / "java") is None


def started(shim_home: Path, *arguments: str) -> int:
    return subprocess.run([shim_home / "bin" / "java", *arguments], check=False).returncode


def java_that(does: str, folder: Path) -> Path:
    """A home whose java writes its arguments down and `does` something."""
    java = folder / "home of java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{folder}/told"\n{does}\n')
    java.chmod(0o755)
    return java.parent.parent


def test_java_gets_its_arguments_without_the_module_that_only_warns(tmp_path: Path) -> None:
    home = shim(java_that("exit 3", tmp_path), tmp_path)
    assert started(home, "-cp", "a b", "--add-modules=jdk.incubator.vector", "Main") == 3
    assert (tmp_path / "told").read_text().splitlines() == ["-cp", "a b", "Main"]


def test_without_pyspark_an_audit_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("py4j", "py4j.protocol", "pyspark", "pyspark.sql"):
        monkeypatch.setitem(sys.modules, package, None)
    result = CliRunner().invoke(main, ["audit", "--engine", "spark", str(RECORDED / "failover-on-leader-2.0.0-kill")])
    assert result.exit_code == 2
    assert "pip install 'isrproof[spark]'" in result.output


@pytest.fixture
def interruptible() -> Iterator[object]:
    """The handler of SIGINT that Python sets, which a background job of a shell starts without."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_waits_until_spark_has_started(interruptible: object) -> None:
    """Else a Java that cannot say where it listens stays for ever."""
    done = []

    def starts() -> None:
        with _interrupted_later():
            os.kill(os.getpid(), signal.SIGINT)
            done.append(True)

    with pytest.raises(KeyboardInterrupt):
        starts()
    assert done
    assert signal.getsignal(signal.SIGINT) is interruptible
    with _interrupted_later():
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # as Spark sets its own
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_what_py4j_tells_the_root_logger_is_no_news() -> None:
    told = [logging.LogRecord("root", logging.ERROR, path, 1, "", (), None) for path in ("java_gateway.py", "x.py")]
    assert [_is_news(record) for record in told] == [False, True]


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(("number", "raised"), [(signal.SIGINT, KeyboardInterrupt), (0, RuntimeError)])
def test_a_signal_that_also_ends_java_as_it_starts_is_an_interrupt(number: int, raised: type[BaseException]) -> None:
    """Signal 0 is none."""

    def starts() -> None:
        with _interrupted_later():
            os.kill(os.getpid(), number)
            raise RuntimeError("[JAVA_GATEWAY_EXITED]")

    with pytest.raises(raised):
        starts()


@pytest.mark.parametrize(("came", "raised"), [([signal.SIGTERM], KeyboardInterrupt), ([], IsrproofError)])
def test_what_fails_in_spark_after_an_interrupt_is_the_interrupt(
    came: list[int], raised: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python drops an interrupt within a finalizer of Py4J's, and its next answer is empty."""
    network = pytest.importorskip("py4j.protocol").Py4JNetworkError
    monkeypatch.setattr(checker, "_CAME", came)
    with pytest.raises(raised), spark_failures():
        raise network("Answer from Java side is empty")


def test_the_handler_of_signals_remembers_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "_CAME", [])
    assert not checker.was_interrupted()
    with pytest.raises(KeyboardInterrupt):
        checker.interrupt(signal.SIGTERM, None)
    assert checker.was_interrupted()


def test_a_worker_that_outlives_spark_prints_nothing() -> None:
    from isrproof.checker.spark_daemon import working

    def of_no_use(_: int) -> int:
        raise ConnectionResetError

    def wrong(_: int) -> int:
        raise ValueError("wrong")

    assert working(int, 7) == 7
    assert working(of_no_use, 7) == 1
    with pytest.raises(ValueError, match="wrong"):
        working(wrong, 7)
