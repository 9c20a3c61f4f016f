"""docs/happened.md: what a report can say to have happened, from `specs/happenings.toml`."""

from __future__ import annotations

from collections.abc import Iterator

from ...specs.happenings import SUBJECTS, Happening, happenings
from . import table

PATH = "docs/happened.md"
NEXT = "[Why](why.md), for the cause of what happened"
_HEADINGS = {
    "node": "Nodes",
    "quorum": "The metadata quorum",
    "controller": "Controllers",
    "partition": "Partitions",
    "topic": "Topics",
    "migration": "The migration from ZooKeeper",
    "log": "The log",
}


def write() -> str:
    """Return the vocabulary by subject, with what each word rests on and misses."""
    return "\n".join([*_opening(), *(line for subject in SUBJECTS for line in _section(subject))])


def _opening() -> list[str]:
    return [
        "# What happened",
        "",
        "Made from `specs/happenings.toml` by `python -m isrproof.checker.pages`: change that, not this page.",
        "",
        "A verdict says whether Kafka kept its promises. What happened to the cluster is another question, which a",
        "report answers beside the verdict: most outages break no rule. `isrproof audit` prints it first; trouble is",
        "marked with `!`, and `--verbose` prints all of it. In JSON it is `happened`, a list in the order of time:",
        "",
        *table(
            ("key", "meaning"),
            (
                ("`what`", "a word of the tables below"),
                ("`trouble`", "whether an operator should look at it"),
                ("`since`, `until`", "milliseconds, as `ts` of findings; `until` is null to the end of the log"),
                ("`node`, `topic`, `partition`, `epoch`", "what it is about; absent where it does not apply"),
                ("`reason`", "why, in the words of the line and of the throwable after it"),
                ("`issue`", "the issue of Kafka, where it is a known bug"),
                ("`count`, `longest`", "how often, and the length of the longest in milliseconds"),
                ("`places`", "the first line or record that shows it, the longest's and the last's"),
            ),
        ),
        "",
        "`health` is `troubled` if any of it is trouble, `ok` if none is, `unknown` if no line shows how the cluster",
        "was. The exit code stays the verdict's; with `--fail-on trouble` it is 1 for a troubled cluster, too.",
        "",
        "What happened once is one entry, however many lines, nodes or copies say so; what comes and goes is one entry",
        "with a count.",
        "",
    ]


def _section(subject: str) -> Iterator[str]:
    words = [each for each in happenings().values() if each.subject == subject]
    yield from (f"## {_HEADINGS[subject]}", "")
    rows = ((f"`{each.what}`", each.sentence, _trouble(each), each.rests_on, each.misses) for each in words)
    yield from table(("what", "it", "trouble", "rests on", "misses"), rows)
    yield ""


def _trouble(word: Happening) -> str:
    longer = "" if word.longer is None else f"if longer than {word.longer / 1000:g} s"
    first = {
        "always": "yes",
        "never": "" if longer else "no",
        "lasting": "if no end is shown",
        "unless-over": f"unless `{word.over}` is there and is none",
    }[word.trouble]
    return ", or ".join(part for part in (first, longer) if part)
