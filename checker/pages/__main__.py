"""Write the generated pages, or check them: `python -m isrproof.checker.pages [--check]`."""

from __future__ import annotations

import sys

from . import ROOT, outdated, pages


def main(arguments: list[str]) -> int:
    """Return 0 if the pages were written, or are up to date; 1 if some are out of date; 2 for misuse."""
    if arguments not in ([], ["--check"]):
        print("Expected nothing or --check.", file=sys.stderr)
        return 2
    old = outdated()
    if arguments:
        for path in old:
            print(f"{path} is out of date: run python -m isrproof.checker.pages")
        return 1 if old else 0
    texts = pages()
    for path in old:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(texts[path], encoding="utf-8")
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
