"""Checks that a tag, the version and address of setup.cfg and the changelog agree; prints what changed in the release.

usage: release.py TAG ADDRESS
"""

from __future__ import annotations

import configparser
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def notes(tag: str, address: str, settings: configparser.ConfigParser, changelog: str) -> str:
    """Return the section of the changelog on a release.

    Raises:
        ValueError: something does not agree; one line says what to mend.
    """
    version, url = settings["metadata"]["version"], settings["metadata"]["url"]
    if tag != f"v{version}":
        raise ValueError(f"setup.cfg: expected the version of the tag {tag}, got {version}")
    if url != address:
        raise ValueError(f"setup.cfg: expected the url {address}, which this is published from, got {url}")
    for section in re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]:
        title, _, text = section.partition("\n")
        if title.partition(" - ")[0] == version:
            if not re.fullmatch(r"\d{4}-\d\d-\d\d", title.partition(" - ")[2]):
                raise ValueError(f"CHANGELOG.md: expected '## {version} - YYYY-MM-DD', got '## {title}'")
            return text.strip() + "\n"
    raise ValueError(f"CHANGELOG.md: expected a section '## {version} - YYYY-MM-DD', got none")


if __name__ == "__main__":
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    try:
        text = notes(sys.argv[1], sys.argv[2], setup, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    except ValueError as error:
        sys.exit(f"Error: {error}")
    sys.stdout.write(text)
