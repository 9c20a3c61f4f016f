"""The forms of verdicts on models: SARIF, JUnit's XML, GitHub's annotations, and Markdown for its step summaries."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Mapping
from typing import Any

from ...specs.errors import IsrproofError
from . import home, sarif
from .claims import Claim, Claims
from .github import annotation
from .text import fenced, for_markdown, for_xml, one_line

_KIND = {"violated": "fail", "unknown": "review", "holds": "pass"}
_PAGE = "docs/models.md"


def write(form: str, found: Claims) -> str:
    """The text of a form, one of FORMS.

    Raises:
        IsrproofError: a library that it needs is not there.
    """
    return FORMS[form](found)


def _sarif(found: Claims) -> str:
    names = list(dict.fromkeys(each.name for each in found.claims))
    statements = {each.name: each.statement for each in found.claims}
    rules = [
        {"id": name, "shortDescription": {"text": statements[name]}, "helpUri": home.file(_PAGE)} for name in names
    ]
    results = [_result(each, names.index(each.name)) for each in found.claims]
    of = {"models": sorted({each.model for each in found.claims})}
    return sarif.log(rules, results, {"executionSuccessful": True}, of)


def _result(claim: Claim, index: int) -> Mapping[str, Any]:
    kind = _KIND[claim.verdict]
    mark = hashlib.sha256(f"{claim.model} {claim.name}".encode()).hexdigest()[:32]
    lines = [f"{claim.model}: {claim.verdict}: {claim.statement}", claim.why, claim.detail]
    shown: dict[str, Any] = {
        "ruleId": claim.name,
        "ruleIndex": index,
        "kind": kind,
        "level": "error" if kind == "fail" else "none",
        "message": {"text": "\n".join(filter(None, lines))},
        "partialFingerprints": {"isrproof/v1": mark, "primaryLocationLineHash": f"{mark}:1"},
    }
    if claim.place is not None:
        file, line, ours = claim.place
        address = {"uri": file, "uriBaseId": sarif.OURS} if ours else sarif.artifact(file)
        shown["locations"] = [{"physicalLocation": {"artifactLocation": address, "region": {"startLine": line}}}]
    return shown


def _junit(found: Claims) -> str:
    try:
        from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite
    except ImportError as error:
        raise IsrproofError("JUnit needs junitparser: pip install 'isrproof[reports]'.") from error
    document = JUnitXml("isrproof")
    models = list(dict.fromkeys(each.model for each in found.claims))
    for model in models:
        suite = TestSuite(for_xml(f"isrproof {model}"))
        for claim in (each for each in found.claims if each.model == model):
            case = TestCase(for_xml(claim.name), classname="isrproof.model")
            if claim.seconds is not None:
                case.time = round(claim.seconds, 3)
            if claim.verdict == "violated":
                failure = Failure(for_xml(claim.statement), "violated")
                failure.text = for_xml("\n".join(filter(None, [claim.why, claim.detail])))
                case.result = [failure]
            elif claim.verdict == "unknown":
                case.result = [Skipped(for_xml(f"unknown: {claim.detail}"))]
            suite.add_testcase(case)
        document.add_testsuite(suite)
    document.update_statistics()  # type: ignore[no-untyped-call]
    document.time = round(found.seconds, 3)
    if len(models) == 1:
        for suite in document:
            suite.time = document.time
    into = io.BytesIO()
    document.write(into)
    return into.getvalue().decode("utf-8")


def _github(found: Claims) -> str:
    levels = {"violated": "error", "unknown": "warning", "holds": "notice"}
    wrong = [each for each in found.claims if each.verdict != "holds"]
    lines = []
    for each in wrong:
        where = {} if each.place is None or each.place.ours else _where(each)
        title = {"title": f"{each.model}: {each.name} is {each.verdict}"}
        text = "\n".join(filter(None, [each.statement, each.why, each.detail, _origin(each)]))
        lines.append(annotation(levels[each.verdict], text, {**where, **title}))
    held = len(found.claims) - len(wrong)
    models = ", ".join(dict.fromkeys(one_line(each.model) for each in found.claims))
    return "\n".join(
        [*lines, annotation("notice", f"{held} of {len(found.claims)} properties hold", {"title": models})]
    )


def _where(claim: Claim) -> dict[str, str]:
    assert claim.place is not None
    return {"file": claim.place.file, "line": str(claim.place.line)}


def _origin(claim: Claim) -> str:
    """Return where a property of a built-in model is written: annotations show files of the user's repository."""
    if claim.place is None or not claim.place.ours:
        return ""
    return f"written in isrproof's {claim.place.file}:{claim.place.line}"


def _markdown(found: Claims) -> str:
    models = ", ".join(dict.fromkeys(for_markdown(each.model) for each in found.claims))
    title = " ".join(filter(None, ["isrproof", found.command]))
    lines = [f"## {title}: {found.verdict}", "", f"{models}; {found.seconds:.1f} s", ""]
    lines += ["| property | verdict | |", "|---|---|---|"]
    for each in found.claims:
        verdict = each.verdict if each.verdict == "holds" else f"**{each.verdict}**"
        lines.append(f"| {for_markdown(each.name)} | {verdict} | {for_markdown(each.statement)} |")
    for each in found.claims:
        if each.verdict != "holds":
            lines += ["", f"### {for_markdown(each.name)}: {each.verdict}", ""]
            lines += fenced("\n".join(filter(None, [each.why, each.detail])))
    return "\n".join(lines) + "\n"


FORMS: Mapping[str, Callable[[Claims], str]] = {
    "sarif": _sarif,
    "junit": _junit,
    "github": _github,
    "markdown": _markdown,
}
