"""What setup.cfg cannot say: addresses of this release, and the README as an index shows it, where links need them."""

from __future__ import annotations

import configparser
import re
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?!https?://|#)(?P<path>[^)]+)\)")


def addresses(url: str, version: str) -> Mapping[str, str]:
    """Return the pages about a version by label, in a repository as GitHub, GitLab and Gitea lay it out."""
    source = f"{url}/tree/{_ref(version)}"
    return {
        "Source": source,
        "Documentation": f"{source}/docs",
        "Changelog": f"{source}/CHANGELOG.md",
        "Issues": f"{url}/issues",
    }


def readme(text: str, url: str, version: str) -> str:
    """Return the README with absolute links to the files of a version."""

    def absolute(link: re.Match[str]) -> str:
        base = f"{url}/raw/{_ref(version)}" if link["image"] else addresses(url, version)["Source"]
        return f"{link['image']}[{link['text']}]({base}/{link['path']})"

    return _LINK.sub(absolute, text)


def _ref(version: str) -> str:
    """Return the tag of a release; of a version that is still made, the newest commit."""
    return "HEAD" if ".dev" in version else f"v{version}"


if __name__ == "__main__":
    from setuptools import setup

    settings = configparser.ConfigParser()
    settings.read(HERE / "setup.cfg", encoding="utf-8")
    of = settings["metadata"]["url"], settings["metadata"]["version"]
    setup(
        long_description=readme((HERE / "README.md").read_text(encoding="utf-8"), *of),
        long_description_content_type="text/markdown",
        project_urls=dict(addresses(*of)),
    )
