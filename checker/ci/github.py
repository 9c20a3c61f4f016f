"""Workflow commands of GitHub Actions: annotations of a run."""

from __future__ import annotations

from collections.abc import Mapping

from .text import one_line


def annotation(level: str, text: str, properties: Mapping[str, str]) -> str:
    """`::error file=F,line=N,title=T::text`: whatever the texts hold, it stays one command.

    Args:
        level: error, warning or notice.
    """
    attributes = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{level} {attributes}::{_data(text)}"


def _data(text: str) -> str:
    return "%0A".join(one_line(line).replace("%", "%25") for line in text.split("\n"))


def _property(text: str) -> str:
    return _data(text.replace("\n", " ")).replace(":", "%3A").replace(",", "%2C")
