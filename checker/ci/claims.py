"""Verdicts on properties of models, for programs of continuous integration: of an exploration and of a proof alike."""

from __future__ import annotations

import hashlib
import io
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ... import model as models
from ...specs.errors import IsrproofError
from . import sarif
from .github import annotation
from .text import for_xml, one_line

_KIND = {"violated": "fail", "unknown": "review", "holds": "pass"}


@dataclass(frozen=True)
class Claim:
    """A property of a model and its verdict: holds, violated or unknown.

    `detail` is the path that violates it, or why it is unknown. `file` and `line` are where it is written, if found.
    """

    model: str
    name: str
    statement: str
    verdict: str
    detail: str
    file: str | None = None
    line: int | None = None


def claims(model: str, asked: str, decided: Iterable[Any], steps: Callable[[Any], Sequence[str]]) -> list[Claim]:
    """A claim for each property that an exploration or a proof decided.

    Args:
        asked: the model as the user named it, maybe FILE.py:NAME.
        decided: objects with `prop`, `verdict`, `path` and `reason`.
        steps: the lines of a path.
    """
    files = _sources(asked)
    found = []
    for each in decided:
        lines = [] if each.path is None or each.verdict != "violated" else ["   1. initial state", *steps(each.path)]
        detail = "\n".join([*([each.reason] if each.reason else []), *lines])
        file, line = place_of(each.prop.name, each.prop.statement, files) or (None, None)
        found.append(Claim(model, each.prop.name, each.prop.statement, each.verdict, detail, file, line))
    return found


def _sources(asked: str) -> list[Path]:
    """The file that the user named, then this project's modules of models."""
    own = [Path(asked.rpartition(":")[0])] if ".py:" in asked else []
    loaded = [module for name, module in sorted(sys.modules.items()) if name.startswith(f"{models.__name__}.")]
    return [*own, *(Path(module.__file__) for module in loaded if module.__file__)]


def place_of(name: str, statement: str, files: Iterable[Path]) -> tuple[str, int] | None:
    """The file and the line that define a property of that name, if there are several the one that says the statement.

    Models of several families have properties of one name. A statement may be written in several pieces. Promises of
    tables stand in a table of names and statements.
    """
    pattern = re.compile(rf'(\bProperty)?\(\s*"{re.escape(name)}"(?:,\s*"((?:[^"\\]|\\.)*)")?')
    places = []
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        for found in pattern.finditer(text):
            repeats = found[2] is not None and statement.startswith(found[2])
            if not repeats and found[1] is None:
                continue
            places.append((not repeats, (sarif.relative(str(file)), text.count("\n", 0, found.start()) + 1)))
    return min(places, key=lambda place: place[0])[1] if places else None


def write(form: str, claims: Sequence[Claim]) -> str:
    """The text of a form, one of FORMS.

    Raises:
        IsrproofError: a library that it needs is not there.
    """
    return FORMS[form](claims)


def _sarif(claims: Sequence[Claim]) -> str:
    names = list(dict.fromkeys(each.name for each in claims))
    statements = {each.name: each.statement for each in claims}
    rules = [{"id": name, "shortDescription": {"text": statements[name]}} for name in names]
    results = [_result(each, names.index(each.name)) for each in claims]
    return sarif.log(rules, results, {"executionSuccessful": True}, {"models": sorted({each.model for each in claims})})


def _result(claim: Claim, index: int) -> Mapping[str, Any]:
    kind = _KIND[claim.verdict]
    mark = hashlib.sha256(f"{claim.model} {claim.name}".encode()).hexdigest()[:32]
    shown: dict[str, Any] = {
        "ruleId": claim.name,
        "ruleIndex": index,
        "kind": kind,
        "level": "error" if kind == "fail" else "none",
        "message": {"text": f"{claim.model}: {claim.verdict}: {claim.statement}\n{claim.detail}".rstrip()},
        "partialFingerprints": {"isrproof/v1": mark, "primaryLocationLineHash": f"{mark}:1"},
    }
    if claim.file is not None:
        location = {"artifactLocation": sarif.artifact(claim.file), "region": {"startLine": claim.line}}
        shown["locations"] = [{"physicalLocation": location}]
    return shown


def _junit(claims: Sequence[Claim]) -> str:
    try:
        from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite
    except ImportError as error:
        raise IsrproofError("--format junit needs junitparser: pip install 'isrproof[reports]'.") from error
    document = JUnitXml("isrproof")
    for model in dict.fromkeys(each.model for each in claims):
        suite = TestSuite(for_xml(f"isrproof {model}"))
        for claim in (each for each in claims if each.model == model):
            case = TestCase(for_xml(claim.name), classname="isrproof.model")
            case.time = 0.0
            if claim.verdict == "violated":
                failure = Failure(for_xml(claim.statement), "violated")
                failure.text = for_xml(claim.detail)
                case.result = [failure]
            elif claim.verdict == "unknown":
                case.result = [Skipped(for_xml(f"unknown: {claim.detail}"))]
            suite.add_testcase(case)
        document.add_testsuite(suite)
    document.update_statistics()  # type: ignore[no-untyped-call]
    into = io.BytesIO()
    document.write(into)
    return into.getvalue().decode("utf-8")


def _github(claims: Sequence[Claim]) -> str:
    levels = {"violated": "error", "unknown": "warning", "holds": "notice"}
    wrong = [each for each in claims if each.verdict != "holds"]
    lines = []
    for each in wrong:
        where = {} if each.file is None else {"file": each.file, "line": str(each.line)}
        title = {"title": f"{each.model}: {each.name} is {each.verdict}"}
        lines.append(annotation(levels[each.verdict], f"{each.statement}\n{each.detail}", {**where, **title}))
    held = len(claims) - len(wrong)
    models = ", ".join(dict.fromkeys(one_line(each.model) for each in claims))
    return "\n".join([*lines, annotation("notice", f"{held} of {len(claims)} properties hold", {"title": models})])


FORMS: Mapping[str, Callable[[Sequence[Claim]], str]] = {"sarif": _sarif, "junit": _junit, "github": _github}
