"""SARIF 2.1.0 (OASIS): the frame of a log of one run, and addresses of files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def log(
    rules: Sequence[Mapping[str, Any]],
    results: Sequence[Mapping[str, Any]],
    invocation: Mapping[str, Any],
    properties: Mapping[str, Any],
) -> str:
    """The log of one run of this program."""
    driver = {"name": "isrproof", "version": version("isrproof"), "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": results,
        "properties": properties,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def relative(path: str) -> str:
    """A path below the current directory without that, as a checkout names its files; any other as it is."""
    whole, here = os.path.abspath(path), os.getcwd()
    return Path(os.path.relpath(whole, here)).as_posix() if os.path.commonpath([whole, here]) == here else path


def artifact(path: str) -> Mapping[str, str]:
    """The address of a file: below the current directory relative to it, else whole."""
    named = relative(path)
    if os.path.isabs(named) or named.startswith(".."):
        return {"uri": Path(os.path.abspath(path)).as_uri()}
    return {"uri": quote(named, errors="surrogateescape"), "uriBaseId": "%SRCROOT%"}
