"""The pictures of the page in docs/: `python -m lab.pictures` takes them again, in Chromium.

They show the page of a copy of traces/recorded/chaos-1.1.1-2 that is named `logs`. It needs playwright, a
Chromium, and Pillow, which reduces them to 256 colours: that keeps them small. A picture carries the words that it
shows: a test compares these, and its colours at a twentieth of its size, where fonts make no difference.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lab import RECORDED

DOCS = Path(__file__).parents[1] / "docs"
WIDTH = 1060
TOP, TIMELINE = 560, 700
"""Heights of the pictures: the top of the page, and the page from its timeline on."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PICTURES = (
    ("report.png", TOP, "light", ".verdict, .opening"),
    ("report-dark.png", TOP, "dark", ".verdict, .opening"),
    ("report-timeline.png", TIMELINE, "dark", ".timeline, #c0-now"),
)
"""The name of each picture, its height, its theme, and the parts of the page whose words it has."""
WORDS = "isrproof:words"
ALIKE = 4.0
"""The greatest mean difference of the colours of two pictures of the same, of 255."""
MOMENT = 0.735
"""The place of the cursor on the timeline, as a share of its width."""


def taken(folder: Path, browser: Any) -> list[Path]:
    """Take the pictures into a folder, in a browser of playwright's."""
    page = _page(folder)
    words = {}
    for name, height, scheme, parts in PICTURES:
        path = folder / name
        context = browser.new_context(viewport={"width": WIDTH, "height": height}, color_scheme=scheme)
        tab = context.new_page()
        tab.goto(page.as_uri())
        tab.wait_for_selector("[data-partitions][data-loaded]")
        if height == TIMELINE:
            drawing = tab.locator(".timeline svg")
            drawing.scroll_into_view_if_needed()
            wide = (drawing.bounding_box() or {"width": WIDTH})["width"]
            drawing.click(position={"x": wide * MOMENT, "y": 90})
            tab.evaluate("document.activeElement.blur()")
            tab.evaluate("scrollTo(0, document.querySelector('#c0-timeline').offsetTop - 60)")
        tab.wait_for_timeout(200)
        tab.screenshot(path=path)
        # The time under the cursor depends on the width of letters.
        tab.evaluate("document.querySelectorAll('.then').forEach((each) => each.remove())")
        words[path] = " ".join(" ".join(tab.locator(parts).all_text_contents()).split())
        context.close()
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    for path in words:
        with Image.open(path) as picture:
            # Other methods drop the colours of few pixels, such as the red of a mark.
            few = picture.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        told = PngInfo()
        told.add_itxt(WORDS, words[path])
        few.save(path, optimize=True, pnginfo=told)
    return [*words]


def differences(old: Path, new: Path) -> list[str]:
    """Return in words what two pictures do not have alike; nothing if one may stand for the other."""
    from PIL import Image, ImageChops, ImageStat

    with Image.open(old) as before, Image.open(new) as after:
        if before.size != after.size:
            return [f"size {before.size}, now {after.size}"]
        found = []
        if before.info.get(WORDS) != after.info.get(WORDS):
            found.append(f"words {before.info.get(WORDS)!r}, now {after.info.get(WORDS)!r}")
        small = [each.convert("RGB").resize((before.width // 20, before.height // 20)) for each in (before, after)]
        mean = max(ImageStat.Stat(ImageChops.difference(*small)).mean)
        return [*found, *([f"colours differ by {mean:.1f} of 255"] if mean > ALIKE else [])]


def _page(folder: Path) -> Path:
    shutil.copytree(RECORDED / "chaos-1.1.1-2", folder / "logs")
    command = [sys.executable, "-m", "isrproof.checker", "audit", "logs", "--html", "report.html"]
    run = subprocess.run(command, cwd=folder, capture_output=True)
    page = folder / "report.html"
    if not page.exists():
        raise RuntimeError(f"the audit ended with {run.returncode} and no page: {run.stderr.decode()}")
    return page


def main() -> None:
    """Take the pictures into docs/."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-dev-shm-usage"])
        for path in taken(Path(folder), browser):
            shutil.copyfile(path, DOCS / path.name)
            print(f"docs/{path.name}: {(DOCS / path.name).stat().st_size:,} bytes")
        browser.close()


if __name__ == "__main__":
    main()
