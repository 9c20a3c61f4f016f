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
NEXT = "[Models](models.md), for what is proved here, or [the language](language.md), to write and prove a model"


def write() -> str:
    """Return a section for each model and each table, and a list of gaps."""
    lines = [
        "# What is proved",
        "",
        "This page lists the properties that `isrproof prove` proves, their lemmas, and the gaps.",
        "`isrproof prove --matrix` derives every verdict below again, and exits 1 if one differs.",
        "",
        "*Holds* is a proof by induction: the property, or lemmas that imply it, are true in the first state and kept",
        "by every step from any state, for any length of the logs, any number of epochs and records, and any number of",
        "replicas unless a number is given. *Violated* is a path of steps of the reference interpreter, the shortest",
        "in a bounded instance. *Unknown* is neither. The explorer checks the same properties within bounds",
        "([models.md](models.md)); the audit checks those over leader, ISR and epochs in logs.",
        "",
        "`python -m isrproof.checker.pages` writes this page from `checker/prove/expected.toml`, the models and their",
        "lemmas.",
        "",
        "## Results",
        "",
        *table(
            ("model", "for", "holds", "violated (states of the path)", "unknown", "lemmas that break"),
            map(_result, expected.rows()),
        ),
        "",
        "The models are described in [models.md](models.md).",
        "",
        *_open(),
        "## Properties",
        "",
        *table(("property", "kind", "meaning"), _properties()),
        "",
        "## Lemmas",
        "",
        "Lemmas are not promises of Kafka; together they make the promises inductive. Each is proved in the same run",
        "as the properties that rest on it, and holds in every reachable state of small instances (tests). Without any",
        "one of them some promise falls (`isrproof prove MODEL --each-lemma` shows the states); lemmas that are kept",
        "for another reason say so. For the cluster's lemmas small instances show no such states: without some of them",
        "its proof is open, and some it may not need (with more parts of the model it may).",
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
    "cluster of 3.9, one at a time. The proof needs exactly the clauses that `isrproof explore MODEL --mutate` finds",
    "necessary. For each other clause the model says why it may be left out ([models.md](models.md)).",
)
_NOT_PROVED = (
    "## What is not proved",
    "",
    "- That Kafka's code behaves like the models. The audit checks logs against the same properties.",
    "- Time and progress: that a record is ever committed, that a leader is ever elected.",
    "- The fetch as request and response, and the leader-epoch cache (OffsetsForLeaderEpoch answers with the end of an",
    "  epoch): the models read the leader's log in one step.",
    "- That no record with a late acknowledgement is lost: in the models the acknowledgement comes when the high",
    "  watermark passes the record, and only if the ISR is large enough then. Kafka may also answer when the ISR has",
    "  grown again.",
    "- Log start offset, compaction, loss of disks, transactions; several partitions at once, and reassignment, except",
    "  in the cluster, which has no logs.",
    "- The promises about a settled controller if a reassignment was cancelled (KIP-455, since 2.4): they are false.",
    "  Kafka updates ZooKeeper first, then drops the added replicas (`updateCurrentReassignment` in",
    "  KafkaController.scala). A controller that dies in between leaves one in the ISR, or in the lead, that its",
    "  successor does not know as a replica. It stays in the ISR when its broker dies (DeadOutOfIsr, a path of 14",
    "  states), and leads then (LeaderAliveOrNone, 20). If it is requested again, it counts as caught up and is moved",
    "  from NonExistentReplica to OnlineReplica, which is refused (OnlyBenignRefusals, 16; OnlineIfAlive, 18). Without",
    "  a failover, a leader that is dropped alone in the ISR leaves a partition without a leader that is not",
    "  OfflinePartition (OfflineWithoutLeader, 17). The explorer finds these paths (`isrproof explore --matrix`).",
    "- The refused moves with both deletion of topics and zombies: a replaced controller requests moves of a topic",
    "  that was created again, because the model has one assignment of a topic, and each of Kafka's controllers has",
    "  a copy.",
    "- Reassignment with requests on their way, or with leaders that ask for ISRs: explored only.",
    "- The properties that are unknown above, if any, and everything that a behaviour revokes: with unclean election",
    "  committed records may be lost, and no promise excludes that.",
    "- For the metadata quorum: changes of its voters, snapshots, and votes or fetches that come late.",
    "- That the ISR is never empty in the models up to KIP-320: it may be, by a quirk of the TLA+ modules.",
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
        yield f"The lemmas of {name}{', except ' * bool(missing)}{', '.join(missing)}; in addition or instead:"
        yield ""
    for each in script.lemmas:
        if (each.name, each.statement) in known and mine & known:
            continue
        spare = script.spare.get(each.name)
        yield f"- **{each.name}**: {each.statement}" + (f" (No promise needs it. {spare})" if spare else "")


def _statements(script: Script) -> set[tuple[str, str]]:
    return {(each.name, each.statement) for each in script.lemmas}


def _tables() -> Iterator[str]:
    yield "These properties hold for any number of moves. A life begins when a controller starts and gives each entity"
    yield "that it finds a first state. A broker forgets its state when its process starts again, and a request is"
    yield "answered once."
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
