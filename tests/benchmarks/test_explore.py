"""The benchmark of the explorer measures searches that find what they must."""

from __future__ import annotations

import re
from dataclasses import replace

import click
import pytest
from click.testing import CliRunner

from benchmarks.explore import __main__ as benchmark

SMALLEST = benchmark.RUNS[0]


def test_a_row_has_goal_cost_and_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "RUNS", (SMALLEST,))
    done = CliRunner().invoke(benchmark.main, ["--rounds", "1"])
    assert done.exit_code == 0, done.output
    assert re.search(r"2/3/3/2 +21,493 +0\.4 +\d+\.\d\d +\d+\.\d\d", done.output)


def test_another_count_is_no_measurement() -> None:
    with pytest.raises(click.ClickException, match="expected holds, 1; got holds, 21493"):
        benchmark.explored(replace(SMALLEST, states=1))
