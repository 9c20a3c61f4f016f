"""docs/doubt.md: what damage to a log does to verdicts, from `checker/audit/doubt`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from inspect import cleandoc
from pkgutil import iter_modules

from ..audit.doubt import excuses, signs
from ..audit.doubt.contract import CONTRACT
from ..audit.doubt.excuses import EXCUSES
from ..audit.doubt.signs import SIGNS
from ..audit.history.doubts import EFFECTS
from ..audit.rules.catalogue import rules
from . import table

PATH = "docs/doubt.md"
NEXT = "[Formats of logs](formats.md), for how a file is read"
_VERDICTS = {"kept": "full", "doubted": "where it shows: suspicious or unknown at most", "not seen": "not protected"}


def write() -> str:
    """The contract, then signs, effects and excuses with what each rests on."""
    return "\n".join(
        [
            "# Damaged logs",
            "",
            "Made from `checker/audit/doubt` by `python -m isrproof.checker.pages`: change that, not this page.",
            "[How a verdict is made](verdicts.md) says why this is sound.",
            "",
            "## What damage does to verdicts",
            "",
            "Tests damage recordings of real clusters in each of these ways (`lab/mangled`). No finding may become",
            "illegal through damage, and where a finding is lost, the report must show why.",
            "",
            *table(
                ("damage", "verdicts", "why"), ((each.name, _VERDICTS[each.verdicts], each.how) for each in CONTRACT)
            ),
            "",
            "## What can be in doubt",
            "",
            *table(("doubt", "about", "what is not taken for granted"), ((e.name, e.scope, e.means) for e in EFFECTS)),
            "",
            "Histories are fitted to these doubts, so that no rule compares lines across what may be missing.",
            "`isrproof audit --verbose` lists those that a log raises, and says why a finding is not illegal.",
            "",
            "## Signs",
            "",
            *table(("sign", "the log shows that", "raises"), ((e.name, e.shows, e.effect.name) for e in SIGNS)),
            "",
            *_sections(signs.__name__, {sign.found.__module__ for sign in SIGNS}),
            "## Excuses",
            "",
            "An excuse explains one finding by what else the lines around it may mean: the finding is suspicious then.",
            "",
            *table(("excuse", "what may be so", "rules"), ((e.name, e.says, _rules(e.name)) for e in EXCUSES)),
            "",
            *_sections(excuses.__name__, {excuse.explained.__module__ for excuse in EXCUSES}),
        ]
    )


def _rules(excuse: str) -> str:
    own = [rule.code for rule in rules().values() if excuse in rule.excuses]
    return f"{len(own)} of {len(rules())}" if len(own) > 10 else ", ".join(own)


def _sections(package: str, modules: set[str]) -> Iterator[str]:
    """A paragraph for each module that has one, by its docstring."""
    for info in iter_modules(import_module(package).__path__, f"{package}."):
        if info.name in modules:
            text = cleandoc(sys.modules[info.name].__doc__ or "")
            title, _, rest = text.partition("\n")
            yield from (
                f"### {info.name.rpartition('.')[2].replace('_', ' ').capitalize()}",
                "",
                title,
                *rest.split("\n"),
                "",
            )
