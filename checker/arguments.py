"""Types of arguments that all commands share, and that refuse what no command can use."""

from __future__ import annotations

import math
from typing import Any

import click


class Seconds(click.FloatRange):
    """A limit in seconds that is a number: neither NaN nor infinite."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds = float(super().convert(value, param, ctx))
        if not math.isfinite(seconds) or seconds > MOST_SECONDS:
            self.fail(f"{value} is not a number of seconds up to {MOST_SECONDS:,}.", param, ctx)
        return seconds


MOST_SECONDS = 1_000_000
"""The largest limit in seconds, eleven days: the solver counts milliseconds in 32 bits."""


class FilePath(click.Path):
    """A path that is not empty, as that of a variable is that nobody has set: it would be the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("expected a path, got nothing.", param, ctx)
        return super().convert(value, param, ctx)
