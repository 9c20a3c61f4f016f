"""Cases of the rules (CODE.md): excerpts of logs in which a rule fires, and close ones in which it does not.

A file is Markdown, to be read by people:

    # KR101 illegal-replica-transition

    A sentence.

    ## Firing: the fault that is shown

    ```log state-change.log
    [2018-08-03 12:00:00,007] TRACE ... (state.change.logger)  <== illegal
    ```

    ## Silent: a legal case close to it

Each fenced block is a file of the audited cluster, with its path; a line on which the rule gives a finding ends with an
arrow and the finding's verdict. A block that begins with ```records PATH is a segment or a snapshot of a metadata log,
in the format of traces/metadata/text.py; `after NAME` puts the records of NAME.jsonl before its own. Findings of other
rules do not matter.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...specs.errors import IsrproofError
from ..metadata.text import log_bytes

FOLDER = Path(__file__).parent
FIRING, SILENT = "Firing", "Silent"
_TITLE = re.compile("# (KR[0-9]{3}) ([a-z0-9-]+)")
_SECTION = re.compile(f"## ({FIRING}|{SILENT}): (.+)")
_FENCE = re.compile("```(log|records) ([A-Za-z0-9./_-]+)(?: after ([a-z-]+))?")
_ARROW = "  <== "


@dataclass(frozen=True)
class Excerpt:
    """The log of one cluster, and the findings that a rule gives in it."""

    title: str
    fires: bool
    files: tuple[tuple[str, tuple[str, ...]], ...]
    """Path and lines of each text log."""
    expected: tuple[tuple[str, int, str], ...]
    """Findings of the rule: path, line (from 1) or offset of a record, verdict."""
    text: str
    metadata: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Path of each segment and snapshot with its records, one JSON object each."""

    def write(self, folder: Path) -> None:
        """Write the files of the excerpt under `folder`, without the arrows."""
        for path, lines in self.files:
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        for path, lines in self.metadata:
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(log_bytes(lines))


@dataclass(frozen=True)
class Case:
    """The case file of a rule."""

    code: str
    name: str
    text: str
    """Its Markdown."""
    excerpts: tuple[Excerpt, ...]


@cache
def cases() -> dict[str, Case]:
    """Return all case files by the code of their rule.

    Raises:
        IsrproofError: a file does not have the format that the top of this module describes.
    """
    found = (read(path.name, path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.md")))
    return {case.code: case for case in found}


def read(name: str, text: str) -> Case:
    """Return the case in the text of the file `name`."""
    title = _TITLE.match(text)
    if title is None or name != f"{title[1]}.md":
        raise IsrproofError(f"{name}: expected a first line such as '# {name.removesuffix('.md')} the-rules-name'.")
    excerpts = []
    for part in re.split("^(?=## )", text, flags=re.MULTILINE)[1:]:
        section = _SECTION.match(part)
        if section is None:
            raise IsrproofError(
                f"{name}: expected '## {FIRING}: ...' or '## {SILENT}: ...', got {part.splitlines()[0]!r}."
            )
        excerpts.append(_excerpt(name, section[2], section[1] == FIRING, part))
    return Case(title[1], title[2], text, tuple(excerpts))


def _excerpt(name: str, title: str, fires: bool, text: str) -> Excerpt:
    files: list[tuple[str, tuple[str, ...]]] = []
    expected: list[tuple[str, int, str]] = []
    metadata: list[tuple[str, tuple[str, ...]]] = []
    path, lines, is_text = "", list[str](), True
    for line in text.splitlines():
        opened = _FENCE.fullmatch(line)
        if opened is not None:
            is_text, path = opened[1] == "log", opened[2]
            lines = list(_beginning(opened[3])) if opened[3] else []
        elif line == "```" and path:
            (files if is_text else metadata).append((path, tuple(lines)))
            path = ""
        elif path:
            logged, arrow, verdict = line.partition(_ARROW)
            lines.append(logged)
            if arrow:
                expected.append((path, len(lines) if is_text else json.loads(logged)["offset"], verdict))
    if not (files or metadata) or path:
        raise IsrproofError(f"{name}, {title!r}: expected a block that begins with '```log PATH' and ends with '```'.")
    if fires != bool(expected):
        raise IsrproofError(f"{name}, {title!r}: expected lines with an arrow in a {FIRING} section, and only there.")
    return Excerpt(title, fires, tuple(files), tuple(expected), text, tuple(metadata))


@cache
def _beginning(name: str) -> tuple[str, ...]:
    return tuple((FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
