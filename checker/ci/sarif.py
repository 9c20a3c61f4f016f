"""SARIF 2.1.0 (OASIS): the frame of a log of one run, and addresses of files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from . import home

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
OURS = "ISRPROOF"
"""The base of addresses of this project's own files: built-in models are no files of the user's repository."""


def log(
    rules: Sequence[Mapping[str, Any]],
    results: Sequence[Mapping[str, Any]],
    invocation: Mapping[str, Any],
    properties: Mapping[str, Any],
) -> str:
    """The log of one run of this program."""
    driver = {"name": "isrproof", "version": version("isrproof"), "informationUri": home.url(), "rules": rules}
    run = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {OURS: {"uri": home.file()}},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": results,
        "properties": properties,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def is_elsewhere(path: str) -> bool:
    """Check whether a path is not below the current directory."""
    whole, here = os.path.abspath(path), os.getcwd()
    return os.path.splitdrive(whole)[0] != os.path.splitdrive(here)[0] or os.path.commonpath([whole, here]) != here


def relative(path: str) -> str:
    """A path below the current directory without that, as a checkout names its files; any other as it is."""
    return path if is_elsewhere(path) else Path(os.path.relpath(path)).as_posix()


def artifact(path: str) -> Mapping[str, str]:
    """The address of a file: below the current directory relative to it, else whole."""
    named = relative(path)
    if os.path.isabs(named) or named.startswith(".."):
        return {"uri": Path(os.path.abspath(path)).as_uri()}
    return {"uri": quote(named, errors="surrogateescape"), "uriBaseId": "%SRCROOT%"}
