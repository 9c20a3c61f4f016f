"""docs/proofs.md: what is proved, under which assumptions, and what is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...model.catalogue import model
from ...model.lifecycles import all_names, promises
from ...model.script import Script, script_of
from ...specs import releases
from ...specs.machines import machine, machine_names
from ...specs.releases import RELEASES
from ..prove import expected, trust
from . import table

PATH = "docs/proofs.md"


def write() -> str:
    """A section per model, one per table, and what is not proved."""
    lines = [
        "# What is proved",
        "",
        "Made from `checker/prove/expected.toml`, the models and their lemmas by `python -m isrproof.checker.pages`;",
        "`isrproof prove --matrix` finds every verdict below anew, and ends with exit code 1 if one is another.",
        "",
        "*Holds* is a proof by induction: the property, or lemmas that imply it, are true in the first state and kept",
        "by every step from any state, however long the logs are and however many epochs and records there are; for",
        "any number of replicas, unless a number is given. *Violated* is a path of steps of the plain Python reading,",
        "the shortest in an instance with bounds. *Unknown* is neither. The same properties are explored within bounds",
        "([models.md](models.md)); those over leader, ISR and epochs are the ones that the audit looks for in logs.",
        "",
        "## Results",
        "",
        *table(
            ("model", "for", "holds", "violated (states of the path)", "unknown", "lemmas that break"),
            map(_result, expected.rows()),
        ),
        "",
        "What the models are: [models.md](models.md).",
        "",
        *_open(),
        "## Properties",
        "",
        *table(("property", "kind", "meaning"), _properties()),
        "",
        "## Lemmas",
        "",
        "No promise of Kafka; together they make the promises inductive. Each is proved in the same run as what rests",
        "on it, and holds in every reachable state of small instances (tests). Without any one of them some promise",
        "falls (`isrproof prove MODEL --each-lemma` shows the states), but for those that say why they are kept. Of",
        "the cluster's lemmas small instances show no such states: without some its proof is open, and some it may not",
        "need (with more parts of the model it may).",
    ]
    told: dict[str, Script] = {}
    for names, script in _scripts():
        lines += ["", f"### {', '.join(names)}", "", *_lemmas(script, told)]
        told[next(each for each in reversed(names) if " " not in each or each == names[0])] = script
    lines += [
        "",
        *_GUARDS,
        "",
        "## The tables of the controller",
        "",
        *_tables(),
        "",
        "## What is trusted",
        "",
        *_trust(),
        "",
    ]
    return "\n".join([*lines, *_NOT_PROVED, ""])


_GUARDS = (
    "## Guards",
    "",
    "`isrproof prove MODEL --mutate` drops each guard clause of kip320, kip497, unclean-election, kip966 and the",
    "cluster of 3.9, one at a time. The proof needs the clauses that `isrproof explore MODEL --mutate` finds to be",
    "needed, and no others; the model says beside each other clause why it may be left out ([models.md](models.md)).",
)
_NOT_PROVED = (
    "## What is not proved",
    "",
    "- That Kafka's code does what the models say. The audit compares logs with the same properties.",
    "- Anything about time or progress: that a record is ever committed, that a leader is ever elected.",
    "- The fetch as request and response, and the leader-epoch cache (OffsetsForLeaderEpoch answers with the end of an",
    "  epoch): the models read the leader's log in one step.",
    "- That no record is lost whose acknowledgement came late: it is taken to come when the high watermark passes the",
    "  record, and only if the ISR is large enough then. Kafka may also answer when the ISR has grown again.",
    "- Log start offset, compaction, loss of disks, transactions; several partitions at once, and reassignment, but in",
    "  the cluster, which has no logs.",
    "- What a controller leaves behind where a reassignment was cancelled (KIP-455, since 2.4): it is false. ZooKeeper",
    "  is updated first, then the added replicas are dropped (`updateCurrentReassignment` in KafkaController.scala). A",
    "  controller that dies in between leaves one in the ISR, or in the lead, that its successor does not know as a",
    "  replica. It stays in the ISR when its broker dies (DeadOutOfIsr, a path of 14 states), and leads then",
    "  (LeaderAliveOrNone, 20); asked for again it is taken for caught up, and moved from NonExistentReplica to",
    "  OnlineReplica, which is refused (OnlyBenignRefusals, 16; OnlineIfAlive, 18). Without a failover, a leader that",
    "  is dropped alone in the ISR leaves a partition without a leader that is not OfflinePartition",
    "  (OfflineWithoutLeader, 17). The explorer finds these paths (`isrproof explore --matrix`).",
    "- Which moves are refused where topics are deleted and there are zombies: a controller that was replaced asks for",
    "  those of a topic that was made anew, since the model has one assignment of a topic, and each of Kafka's",
    "  controllers a copy.",
    "- Reassignment where requests are on their way, or leaders ask for ISRs: explored only.",
    "- What is unknown above, if anything is, and everything that a behaviour takes back: with unclean election",
    "  committed records may be lost, and no promise says otherwise.",
    "- Of the metadata quorum: changes of its voters, snapshots, and votes or fetches that come late.",
    "- That the ISR is never empty in the rungs up to KIP-320: it may be, by a quirk of the TLA+ modules.",
)


def _result(row: expected.Expectation) -> Iterator[str]:
    yield row.title
    yield trust.scope(row.built(), row.kept)
    yield ", ".join(row.holds)
    yield ", ".join(f"{name} ({length})" for name, length in row.violated.items())
    yield ", ".join(row.unknown)
    yield ", ".join(row.without)


def _open() -> Iterator[str]:
    rows = [row for row in expected.rows() if row.unknown]
    if rows:
        yield from ("### Why some are unknown", "")
        yield from (f"- {row.title}, {', '.join(row.unknown)}: {row.why}." for row in rows)
        yield ""


def _properties() -> Iterator[tuple[str, str, str]]:
    seen = set()
    for row in expected.rows():
        for prop in trust.goals_of(trust.script_for(row.built(), row.verdicts), row.verdicts):
            if prop.name not in seen:
                seen.add(prop.name)
                yield prop.name, prop.kind, prop.statement


def _scripts() -> Iterator[tuple[list[str], Script]]:
    """Each different set of lemmas, with the models that it serves."""
    served: dict[tuple[str, ...], list[str]] = {}
    scripts = {}
    for name, built in {row.title: row.built() for row in expected.rows()}.items():
        script = script_of(built)
        key = tuple(each.statement for each in script.lemmas)
        served.setdefault(key, []).append(name)
        scripts[key] = script
    for key, names in served.items():
        yield names, scripts[key]


def _lemmas(script: Script, told: Mapping[str, Script]) -> Iterator[str]:
    """The lemmas by name and statement, except those of the earlier set that has most in common with them."""
    mine = _statements(script)
    name = max(told, key=lambda each: len(mine & _statements(told[each])), default="")
    known = _statements(told[name]) if name else set()
    if mine & known:
        left = {each.name for each in script.lemmas}
        missing = [each.name for each in told[name].lemmas if each.name not in left]
        yield f"Those of {name}{', but not ' * bool(missing)}{', '.join(missing)}; instead or besides:"
        yield ""
    for each in script.lemmas:
        if (each.name, each.statement) in known and mine & known:
            continue
        spare = script.spare.get(each.name)
        yield f"- **{each.name}**: {each.statement}" + (f" (No promise needs it. {spare})" if spare else "")


def _statements(script: Script) -> set[tuple[str, str]]:
    return {(each.name, each.statement) for each in script.lemmas}


def _tables() -> Iterator[str]:
    yield "For any number of moves. A life begins when a controller starts, and gives what it finds a first state; what"
    yield "a broker keeps is forgotten when its process starts again, and a request is answered once."
    for name in machine_names():
        if not all_names(name):
            continue
        kept: dict[str, int] = {}
        statements = {}
        for release in RELEASES:
            if release.mask & machine(name).releases:
                for each in promises(name, release):
                    if each.promised:
                        kept[each.prop.name] = kept.get(each.prop.name, 0) | release.mask
                        statements[each.prop.name] = each.prop.statement
        yield ""
        yield from table(
            (name, "releases", "meaning"),
            ((prop, releases.names(mask), statements[prop]) for prop, mask in kept.items()),
        )


def _trust() -> Iterator[str]:
    yield (
        f"- {trust.solver('Z3')[0]}; a test asks cvc5 all questions of kip320, kip497, unclean-election and kip966, "
        "for any number of replicas, and it gives the same answers"
    )
    described = trust.trusted(script_of(model("kip320")), {})
    yield from (f"- {each}" for each in described)
    yield f"- kip966 counts replicas, raft counts voters; {trust.OF_SIZES}"
    yield "- for the other models: their own actions, settings and ghosts, which `isrproof prove MODEL` names"
