"""The manifest of a recording: releases, actions, and every change of every znode."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .clock import utc
from .errors import RecordingError
from .zklog import Change

FORMAT = 1

# Znodes that show the cluster's history: not the folders between, nor consumers, configs, notifications.
_KEPT = re.compile(
    r"/controller(_epoch)?|/brokers/(ids/\d+|topics/[^/]+(/partitions/\d+/state)?)"
    r"|/admin/(delete_topics/[^/]+|reassign_partitions|preferred_replica_election)"
)
STATE = re.compile(r"/brokers/topics/([^/]+)/partitions/(\d+)/state")
"""The path of a partition's state: its topic and its number."""


def znodes(changes: Iterable[Change]) -> list[dict[str, Any]]:
    """Return one row per change: {zxid, time, change, path, version, by, value}, in zxid order.

    `by` is the broker whose session made the change, None for the recorder: a session belongs to the broker whose id it
    registered.
    """
    changes = list(changes)
    sessions = {
        change.session: int(change.path.rpartition("/")[2])
        for change in changes
        if change.change == "create" and change.path.startswith("/brokers/ids/")
    }
    rows = []
    for change in changes:
        if _KEPT.fullmatch(change.path):
            row: dict[str, Any] = {"zxid": change.zxid, "time": utc(change.time), "change": change.change}
            row |= {"path": change.path, "version": change.version, "by": sessions.get(change.session)}
            rows.append({**row, "value": _value(change.data)})
    return rows


def leaders(manifest: dict[str, Any]) -> dict[tuple[str, int], int]:
    """Return the leader of each partition at the end; -1: none."""
    found: dict[tuple[str, int], int] = {}
    for row in manifest["znodes"]:
        state = STATE.fullmatch(row["path"])
        if state and row["change"] == "delete":
            del found[state[1], int(state[2])]
        elif state:
            found[state[1], int(state[2])] = row["value"]["leader"]
    return found


def _value(data: bytes) -> Any:
    """Return the decoded JSON; a text that is not JSON as a string; None for an empty znode."""
    if not data:
        return None
    text = data.decode("utf-8", errors="replace")
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def text(manifest: dict[str, Any]) -> str:
    """Return JSON with one row per line, for people to read and compare."""
    parts = []
    for key, value in manifest.items():
        if isinstance(value, list):
            rows = ",\n".join(f"  {_compact(row)}" for row in value)
            parts.append(f"{json.dumps(key)}: [\n{rows}\n ]" if rows else f"{json.dumps(key)}: []")
        else:
            parts.append(f"{json.dumps(key)}: {_compact(value)}")
    return "{\n " + ",\n ".join(parts) + "\n}\n"


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def read(folder: Path) -> dict[str, Any]:
    """Return the manifest of a recording's folder (or of the file itself); RecordingError if it is not one."""
    file = folder / "manifest.json" if folder.is_dir() else folder
    manifest = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise RecordingError(
            f'{file} is not the manifest of a recording (expected a JSON object with "format": {FORMAT})'
        )
    return manifest
