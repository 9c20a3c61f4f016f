"""Cases of the known bugs, one a file of bugs/: lines of which a report names the bug in a release that has it.

A file is Markdown: a first line with the number, a sentence, and fenced blocks, each a file of the audited cluster with
its path. RELEASE stands for a release: of one that has the bug the line with an arrow is named, of one that is without
it no line is. After the arrow stands `KAFKA` if nothing else leaves the line, else `looks like`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...specs.errors import IsrproofError

FOLDER = Path(__file__).parent / "bugs"
SURE, LIKE = "KAFKA", "looks like"
_FENCE = re.compile("```log ([A-Za-z0-9./_-]+)")
_ARROW = "  <== "
_PLACEHOLDER = "RELEASE"


@dataclass(frozen=True)
class BugCase:
    """The case of a bug."""

    issue: str
    """Its number."""
    files: tuple[tuple[str, tuple[str, ...]], ...]
    """Path and lines of each log, without the arrow."""
    at: tuple[str, int]
    """Path and number of the line that is named."""
    sure: bool
    """True if nothing else leaves the line."""

    def write(self, folder: Path, release: str) -> None:
        """Write the files under a folder, as of a release."""
        for path, lines in self.files:
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            text = "".join(f"{line}\n" for line in lines)
            file.write_text(text.replace(_PLACEHOLDER, release), encoding="utf-8")


@cache
def bug_cases() -> dict[str, BugCase]:
    """Return all of them by the number of the bug.

    Raises:
        IsrproofError: a file does not have the format that the top of this module describes.
    """
    found = (read(path.name, path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.md")))
    return {case.issue: case for case in found}


def read(name: str, text: str) -> BugCase:
    """Return the case in the text of the file `name`."""
    issue = name.removesuffix(".md")
    files: list[tuple[str, tuple[str, ...]]] = []
    arrows: list[tuple[str, int, str]] = []
    path, lines = "", list[str]()
    for line in text.splitlines():
        opened = _FENCE.fullmatch(line)
        if opened is not None:
            path, lines = opened[1], []
        elif line == "```" and path:
            files.append((path, tuple(lines)))
            path = ""
        elif path:
            logged, arrow, word = line.partition(_ARROW)
            lines.append(logged)
            if arrow:
                arrows.append((path, len(lines), word))
    if not text.startswith(f"# {issue}\n") or len(arrows) != 1 or arrows[0][2] not in (SURE, LIKE):
        raise IsrproofError(f"{name}: expected '# {issue}', and one line with an arrow and {SURE} or {LIKE!r}.")
    (where, number, word) = arrows[0]
    return BugCase(issue, tuple(files), (where, number), word == SURE)
