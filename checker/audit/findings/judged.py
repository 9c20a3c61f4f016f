"""From a row of an observation, and a rule's verdict on it, to a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from ....specs.behaviours import BEHAVIOURS
from ....specs.bugs import Bug, explaining
from ....specs.releases import names
from ....traces.place import Place
from ..doubt.excuses import EXCUSES
from ..doubt.excuses.excuse import DOUBT, DOUBTED
from ..fields import SEEDED
from ..files.file import LogFile
from ..judge import defect
from ..rules.catalogue import rules
from ..rules.rule import Rule
from ..rules.verdicts import ILLEGAL
from ..table.protocol import Row
from ..table.rows import known
from .finding import Entity, Evidence, Finding


def findings(fails: Iterable[Row], files: Mapping[int, LogFile], defects: list[Row]) -> Iterator[Finding]:
    """Yield the findings of failing rows (judge.failing); `defects` gets a row for each that a rule fails to
    describe.
    """
    for row in fails:
        try:
            yield finding(rules()[row["rule"]], row, files)
        except Exception as error:
            defects.append(defect(row["rule"], error))


def finding(rule: Rule, row: Row, files: Mapping[int, LogFile]) -> Finding:
    """Return the finding of `rule` about a row of its observation, whose column `verdict` is the rule's."""
    issue, fixed, like = _known_as(rule, row)
    return Finding(
        rule=rule.code,
        name=rule.name,
        verdict=row["verdict"],
        evidence=tuple(_evidence(rule, row, files)),
        ts=row.get("ts"),
        entity=Entity(
            rule.kind,
            row.get("topic"),
            row.get("partition"),
            row.get("replica") if rule.kind == "replica" else None,
            row.get(rule.kind) if rule.kind in ("controller", "broker") else None,
        ),
        life=row.get("life"),
        controller_epoch=row.get("controller_epoch"),
        message=rule.message(row),
        expected=rule.expected(row),
        got=rule.got(row) + ("" if like is None else f"; {like.named(unsure=True)}"),
        assumption=_assumption(rule, row),
        issue=rule.issues,
        known_issue=issue,
        fixed_in=fixed,
        looks_like=None if like is None else like.issue,
        decided_by=_decided_by(rule, row, files),
        cause=None if rule.cause is None else rule.cause(row),
        lost=() if rule.lost is None else (rule.lost(row),),
        cluster=files[row["file"]].cluster,
        not_illegal_because=_not_illegal_because(rule, row),
    )


def _known_as(rule: Rule, row: Row) -> tuple[str | None, str | None, Bug | None]:
    """Return the known bug that a row shows, the releases that are without it, and the bug that it may be a sign of."""
    mask = row.get("releases", 0)
    if row["verdict"] not in ("illegal", "suspicious"):
        return None, None, None
    bug = BEHAVIOURS.get(rule.bug or "")
    if bug is not None and bug.releases & mask:
        return rule.bug, ", ".join(bug.fixed_in), None
    explained = explaining(rule.code, row)
    if explained is None:
        return None, None, None
    one, sign = explained
    return (None, None, one) if sign.unsure else (one.issue, ", ".join(one.fixed), None)


def _evidence(rule: Rule, row: Row, files: Mapping[int, LogFile]) -> Iterator[Evidence]:
    """Yield what was seen, what contradicts it, and what would decide, as far as the row names lines."""
    file = files[row["file"]]
    yield Evidence("seen", _place(file, row))
    if row.get("thrown_from_state") is not None:
        yield Evidence("contradicts", file.place(row["line"] + 1))
    if row.get("before_file") is None or (row.get("before_line") is None and row.get("before_offset") is None):
        return
    before = _place(files[row["before_file"]], row, "before_")
    if rule.looks_back and rule.contradicts(row):
        yield Evidence("contradicts", before)
    if row["verdict"] == "unknown" and _gap(row) and rule.asks_for_gaps:
        yield Evidence("decides", before)


def _place(file: LogFile, row: Row, prefix: str = "") -> Place:
    """Return a line of a text log, or a record of a metadata log."""
    line = row.get(f"{prefix}line")
    return file.place(line) if line is not None else Place(file.path, offset=row[f"{prefix}offset"])


def _gap(row: Row) -> bool:
    """Return whether lines that bear on the row may be missing."""
    return bool(row.get("gap", row.get("lossy")))


def _decided_by(rule: Rule, row: Row, files: Mapping[int, LogFile]) -> str | None:
    """Return what would decide an unknown finding."""
    if row["verdict"] != "unknown":
        return None
    if row.get("unsure"):
        return "a version of isrproof that knows this release of Kafka and its records"
    if _gap(row) and rule.asks_for_gaps:
        return f"the lines that may be missing {_since(row, files)}"
    if row.get("fits") is False:
        return "the files of this node, copied once more"
    if row.get("last_leader_in", row["known_since"]) < row["known_since"]:
        return f"the lines since controller epoch {row['last_leader_in']}, of which some may be missing"
    return f"a line whose wording narrows down Kafka {names(row['releases'])}, or --release"


def _since(row: Row, files: Mapping[int, LogFile]) -> str:
    if row.get("before_line") is not None:
        file = row["file"] if row.get("before_file") is None else row["before_file"]
        before = files[file].place(row["before_line"])
        return f"between line {before.line} and this one"
    if row.get("before") == SEEDED:
        return f"between the start of controller epoch {row['controller_epoch']} and this one"
    return "before this one"


def _not_illegal_because(rule: Rule, row: Row) -> str | None:
    if row.get(DOUBTED) == "illegal":
        return next(each.says for each in EXCUSES if each.name in rule.excuses and each.assumes == row[DOUBT])
    asked = rule.asks_for_gaps
    if row["verdict"] not in ("suspicious", "unknown") or asked is None or not row.get(asked):
        return None
    otherwise = _illegal_by(rule.code)(row | {asked: False})
    return "any line may be missing here" if otherwise else None


@cache
def _illegal_by(code: str) -> Callable[[Row], bool | None]:
    return known(rules()[code].judgement.eq(ILLEGAL))


def _assumption(rule: Rule, row: Row) -> str | None:
    """Return what a finding assumes about missing lines; None for one that needs nothing."""
    if row.get(DOUBT) is not None:
        return str(row[DOUBT])
    asked = rule.asks_for_gaps
    return None if asked is None else "lossy" if row.get(asked) else "contiguous"
