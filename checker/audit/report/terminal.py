"""The report on a terminal: in colours, if the terminal has them and the user does not object (NO_COLOR)."""

from __future__ import annotations

import re
import sys

_STYLES = (
    (r"^(?:.+: )?(illegal) \(exit 1\)", "bold red"),
    (r"^(?:.+: )?(incomplete|nothing-to-check) \(exit 3\)", "bold yellow"),
    (r"^(?:.+: )?(conforms) \(exit 0\)", "bold green"),
    (r"^(ILLEGAL): ", "bold red"),
    (r"^(SUSPICIOUS): ", "bold yellow"),
    (r"^(UNKNOWN|REFUSED): ", "bold"),
    (r"^  (KR\d+ [a-z-]+)", "bold cyan"),
    (r"^(note): ", "yellow"),
    (r"^(checked|timeline|rules\b.*|state of the cluster)", "bold"),
    (r"^  ((?:offline|under-replicated) at the end)", "red"),
    (r"^  (not known): ", "dim"),
)
"""Line starts that the report itself writes, with their styles."""


def coloured(text: str) -> str:
    """Return a report as it is written to stdout: with colours on a terminal, unchanged for pipes and files."""
    if sys.stdout is None or not sys.stdout.isatty():
        return text
    from rich.console import Console
    from rich.text import Text

    shown = Text(text, end="")  # not markup: log content is not an instruction
    for pattern, style in _STYLES:
        for match in re.finditer(pattern, text, re.MULTILINE):
            shown.stylize(style, *match.span(1))
    console = Console(highlight=False, soft_wrap=True, emoji=False)
    with console.capture() as capture:
        console.print(shown, end="")
    return capture.get()
