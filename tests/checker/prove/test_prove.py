"""`isrproof prove`: KIP-320 is safe for any number of replicas, older rungs are not; what is not proved is said."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.prove import expected, matrix, rows, smt, trust
from isrproof.checker.prove.cti import Cti, Refuter
from isrproof.checker.prove.export import induction_of, minimise, questions, smtlib
from isrproof.checker.prove.induction import Enough, Question
from isrproof.checker.prove.reading import Domain
from isrproof.checker.prove.run import Effort, Proof, prove, small_instance
from isrproof.checker.prove.system import System
from isrproof.model.catalogue import model, models
from isrproof.model.errors import DefinitionError, UnknownNameError
from isrproof.model.property import Property
from isrproof.model.script import script_of
from isrproof.model.step import Reference
from isrproof.specs.errors import TableError

from tests.stderr import without_progress

in_matrix = pytest.mark.slow
"""The part of `prove --matrix`, which .ci/run runs, that a test proves, too."""


@contextmanager
def noted(asked: list[Question]) -> Iterator[None]:
    """Append each question for which a small instance is asked."""
    find = Refuter.find

    def noting(refuter: Refuter, question: Question, goal: Property, names: Sequence[str]) -> Cti | Enough | None:
        asked.append(question)
        return find(refuter, question, goal, names)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Refuter, "find", noting)
        yield


PROMISES = {
    "WeakIsr",
    "StrongIsr",
    "LeaderInIsr",
    "LeaderEpochNeverFalls",
    "OneLeaderPerEpoch",
    "LeaderFromIsr",
    "LogMatching",
    "TruncationPrefix",
    "HighWatermarkMonotone",
    "NoCommittedRecordLost",
    "HwAgreement",
}


@pytest.fixture(scope="module")
def asked_of_instances() -> list[Question]:
    """The questions for which a small instance was asked while `kip320` was proved."""
    return []


@pytest.fixture(scope="module")
def kip320(asked_of_instances: list[Question]) -> Proof:
    with noted(asked_of_instances):
        return prove("kip320")


@pytest.fixture(scope="module")
def oldest() -> Proof:
    return prove("truncate-to-hw")


def test_kip320_is_proved_for_any_number_of_replicas(kip320: Proof) -> None:
    assert kip320.verdict == "holds"
    assert {each.prop.name for each in kip320.properties} >= PROMISES
    assert {(each.verdict, each.scope) for each in kip320.properties} == {("holds", "any number of replicas")}
    assert not kip320.fallen


def test_every_lemma_has_an_answer_for_the_initial_state_and_for_every_action(kip320: Proof) -> None:
    actions = {each.name for each in kip320.model.actions}
    for lemma in kip320.lemmas:
        asked = {each.question.action for each in kip320.answers.values() if each.question.goal == lemma.name}
        assert asked == actions | {""}
    assert {each.outcome for each in kip320.answers.values()} == {"proved"}


def test_what_holds_rests_only_on_proved_lemmas(kip320: Proof) -> None:
    names = {each.name for each in kip320.lemmas}
    for each in kip320.properties:
        assert set(each.rests_on) <= names
        for lemma in each.rests_on:
            used = {
                name
                for answer in kip320.answers.values()
                if answer.question.goal == lemma
                for name in answer.hypotheses
            }
            assert used <= set(each.rests_on)


def test_beside_the_verdict_stands_what_is_trusted(kip320: Proof) -> None:
    said = " ".join(kip320.trusted)
    assert smt.version() in said
    for action in kip320.model.actions:
        assert action.name in said
    assert "log has room" in said
    assert "max_leader_epoch" in said
    assert "latest_isr" in said


@pytest.mark.full
def test_the_oldest_rung_is_violated_by_a_real_shortest_path(oldest: Proof) -> None:
    assert oldest.verdict == "violated"
    for name in ("WeakIsr", "StrongIsr"):
        decided = oldest[name]
        assert decided.path is not None
        assert decided.path.length == 9
        reference = Reference(decided.path.instance)
        assert decided.path.states[0] == reference.initial()
        assert not reference.holds(decided.prop, decided.path.states[-1])
    for name in ("LeaderInIsr", "LeaderEpochNeverFalls", "OneLeaderPerEpoch", "LeaderFromIsr", "HighWatermarkMonotone"):
        assert (oldest[name].verdict, oldest[name].scope) == ("holds", "any number of replicas")


@pytest.mark.full
def test_the_oldest_rung_says_which_action_breaks_which_lemma(oldest: Proof) -> None:
    broken = {(each.answer.question.action, each.lemma.name) for each in oldest.fallen}
    assert ("LeaderExpandIsr", "IsrHoldsCommits") in broken
    for each in oldest.fallen:
        cti = each.answer.cti
        if cti is not None:
            reference = Reference(cti.path.instance)
            assert not reference.holds(each.lemma, cti.path.states[-1])
            assert cti.fails
            assert cti.path.steps[0].action == each.answer.question.action
    assert any(each.answer.cti is not None for each in oldest.fallen)


@cache
def without_its_lemmas() -> Proof:
    lemmas = [each.name for each in induction_of(model("kip320"))[0].lemmas.values()]
    return prove("kip320", ["StrongIsr"], without_lemmas=lemmas, effort=Effort(search=1))


@pytest.mark.full
def test_without_its_lemmas_nothing_is_claimed() -> None:
    proof = without_its_lemmas()
    assert proof.verdict == proof["StrongIsr"].verdict == "unknown"
    assert "kip320(replicas=3" in proof["StrongIsr"].reason


@pytest.mark.full
def test_without_its_lemmas_a_state_shows_what_is_missing() -> None:
    cti = without_its_lemmas()["StrongIsr"].cti
    assert cti is not None
    assert "hw[one]" in cti.fails


@pytest.mark.full
def test_one_missing_lemma_makes_what_rests_on_it_unknown() -> None:
    proof = prove("kip320", ["StrongIsr", "LeaderInIsr"], without_lemmas=["ClosedEpochs"], effort=Effort(search=1))
    assert proof["StrongIsr"].verdict == "unknown"
    assert proof["LeaderInIsr"].verdict == "holds"
    assert {each.lemma.name for each in proof.fallen} >= {"IsrHoldsCommits"}


def test_a_wrong_or_missing_row_falls_back_to_all_lemmas() -> None:
    induction, _ = induction_of(model("kip320"))
    induction.rows = {"LeaderWrite/LogMatching": ("EpochsCounted",)}
    asked = {question.name: (question, goal) for question, goal in questions(induction, [])}
    for name in ("LeaderWrite/LogMatching", "LeaderIncHighWatermark/OwnCommitsBelowHw"):
        question, goal = asked[name]
        answer = induction.ask(question, goal, list(induction.lemmas))
        assert answer.outcome == "proved"
        assert not set(answer.hypotheses) <= {"EpochsCounted", goal.name}
        assert len(answer.hypotheses) < len(induction.lemmas), "the solver's own core"


@pytest.mark.full
def test_a_small_instance_tells_which_lemmas_are_enough() -> None:
    """Without a row the solver need not be lost among all lemmas: those that a small instance needs come first."""
    chosen = model("kip320")
    induction, _ = induction_of(chosen)
    asked = {question.name: (question, goal) for question, goal in questions(induction, [])}
    question, goal = asked["LeaderIncHighWatermark/HwIsCommitted"]
    small = small_instance(script_of(chosen).model, {"replicas": 2}, Effort())
    lemmas = list(induction.lemmas.values())
    refuter = Refuter(small, lemmas, 60)
    enough = refuter.find(question, goal, list(induction.lemmas))
    assert isinstance(enough, Enough)
    assert {"IsrHoldsCommits", "HwIsCommitted"} <= set(enough.lemmas) < set(induction.lemmas)
    fewer = [each for each in induction.lemmas if each != "IsrHoldsCommits"]
    assert isinstance(refuter.find(question, goal, fewer), Cti)
    induction.rows, induction.refute = {}, refuter.find
    assert induction.ask(question, goal, list(induction.lemmas)).outcome == "proved"


def test_a_variant_starts_from_the_rows_of_its_model(tmp_path: Path) -> None:
    path = tmp_path / "hypotheses.toml"
    rows.write("kip320", {"A/B": ["C"]}, path)
    rows.write("kip497", {"A/B": ["D"]}, path)
    found = {name: rows.rows_of(model(name), path) for name in ("kip320", "kip497-committed-isr-only", "kip101")}
    assert found == {"kip320": {"A/B": ("C",)}, "kip497-committed-isr-only": {"A/B": ("D",)}, "kip101": {"A/B": ("C",)}}


def test_a_setting_that_is_left_out_is_not_smaller_than_it_may_be() -> None:
    system = System(script_of(model("kip966")).model, Domain({"replicas": 3}))
    said = {str(each) for each in system.proper(system.state())}
    assert "setting.min_insync_replicas >= 1" in said
    assert not any("setting.replicas" in each for each in said)


def test_a_hard_question_ends_in_unknown() -> None:
    proof = prove("kip320", ["StrongIsr"], rows={}, effort=Effort(timeout=0.001, search=0))
    assert proof.verdict == "unknown"
    assert "time limit" in proof["StrongIsr"].reason or "gave up" in proof["StrongIsr"].reason


def test_all_questions_together_have_a_limit_too() -> None:
    proof = prove("kip497", ["StrongIsr"], effort=Effort(total=0.01, search=0))
    assert proof.verdict == "unknown"
    assert "time limit of 0.01 s for all questions" in proof["StrongIsr"].reason


@pytest.mark.full
def test_only_what_a_property_needs_is_asked() -> None:
    proof = prove("kip320", ["LeaderInIsr"])
    asked = {each.question.goal for each in proof.answers.values()}
    assert asked == set(proof["LeaderInIsr"].rests_on)
    assert "IsrHoldsCommits" not in asked


@in_matrix
@pytest.mark.parametrize("replicas", [2, 3])
def test_kip320_is_proved_for_a_number_of_replicas(replicas: int) -> None:
    """The replicas are an enumeration of so many, every quantifier over them is written out."""
    proof = prove("kip320", kept={"replicas": replicas})
    assert {each.prop.name for each in proof.properties} >= PROMISES
    assert {(each.verdict, each.scope) for each in proof.properties} == {("holds", f"replicas={replicas}")}
    assert not proof.fallen


@pytest.mark.slow
@pytest.mark.parametrize("replicas", [4, 5])
def test_kip320_is_proved_for_a_larger_number_of_replicas(replicas: int) -> None:
    test_kip320_is_proved_for_a_number_of_replicas(replicas)


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "prop", "length", "where"),
    [
        ("kip279", "LogMatching", 13, "kip279(replicas=3, log_size=2, max_records=3, max_leader_epoch=2)"),
        pytest.param(
            "kip320-first-try",
            "NoCommittedRecordLost",
            15,
            "kip320-first-try(replicas=3, log_size=2, max_records=2, max_leader_epoch=3)",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_counterexample_may_need_a_record_or_an_epoch_more(name: str, prop: str, length: int, where: str) -> None:
    found = prove(name, [prop])[prop]
    assert (found.verdict, found.scope) == ("violated", where)
    assert found.path is not None
    assert found.path.length == length


@in_matrix
@pytest.mark.parametrize("name", ["unclean-election", "unclean-election-keeps-isr"])
def test_nothing_committed_since_an_unclean_election_is_lost(name: str) -> None:
    found = prove(name, ["NothingLostSinceUnclean"])["NothingLostSinceUnclean"]
    assert (found.verdict, found.scope) == ("holds", "any number of replicas")
    assert "IsrHoldsKept" in found.rests_on


@pytest.mark.full
def test_a_counterexample_may_need_fewer_replicas_and_longer_logs() -> None:
    found = prove("kip101", ["LogMatching"])["LogMatching"]
    assert found.verdict == "violated"
    assert found.path is not None
    assert found.path.length == 12
    assert found.scope.startswith("kip101(replicas=2, log_size=3")


@pytest.mark.parametrize("sets", [{"replica": 3}, {"replicas": 0}])
def test_misuse(sets: dict[str, int]) -> None:
    with pytest.raises((UnknownNameError, DefinitionError)):
        prove("kip320", kept=sets)


def test_the_command_prints_one_json_object() -> None:
    ran = CliRunner().invoke(main, ["prove", "kip320", "--property", "LeaderInIsr", "--json"])
    assert ran.exit_code == 0, ran.output
    said = json.loads(ran.output)
    assert said["verdict"] == "holds"
    (one,) = said["properties"]
    assert one["name"] == "LeaderInIsr"
    assert one["for"] == "any number of replicas"
    assert one["queries"] == 1
    assert one["seconds"] >= 0
    assert said["seconds"] > 0


def test_the_command_refuses_what_it_does_not_know() -> None:
    ran = CliRunner().invoke(main, ["prove", "kip320", "--property", "StrongIrs"])
    assert ran.exit_code == 2
    assert "did you mean 'StrongIsr'" in ran.output


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["kip320", "--minimise", "--property", "WeakIsr"], "--minimise cannot be used with --property."),
        (["kip320", "--mutate", "--each-lemma"], "--each-lemma cannot be used with --mutate."),
        (["kip320", "--bounded", "2", "--without-lemma", "InRange"], "--bounded cannot be used with --without-lemma."),
        (["kip320", "--jobs", "3"], "--jobs applies to --matrix only."),
        (["--matrix", "kip320"], "leave out kip320"),
        (["replica", "--set", "replicas=3"], "replica cannot be used with --set."),
        (["kip320", "--smtlib", "/proc/nowhere"], "/proc/nowhere: No such file or directory"),
        (["kip320", "--property", "RecordCommits"], "is met on some path or on none"),
        (["kip320", "--set", "replicas=0"], "setting replicas: expected at least 1, got 0"),
        ([], "MODEL is missing"),
    ],
)
def test_misuse_of_the_command_is_told_in_one_message(args: list[str], said: str) -> None:
    ran = CliRunner().invoke(main, ["prove", *args])
    assert ran.exit_code == 2
    assert said in ran.output
    as_json = CliRunner().invoke(main, ["prove", *args, "--json"])
    assert as_json.exit_code == 2
    assert said in json.loads(as_json.stdout)["error"]


@pytest.mark.full
def test_an_interrupt_ends_a_proof_with_one_line() -> None:
    """Whatever Z3 is doing: raised inside its Python layer, an interrupt would be another error."""
    heeds = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    command = [sys.executable, "-c", heeds + "from isrproof.checker.cli import main; main()", "prove", "kip497"]
    started = subprocess.Popen([*command, "--mutate"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert started.stdout is not None
    assert started.stdout.readline().startswith("needed")
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=60)
    assert (started.returncode, said) == (3, "Interrupted: nothing is decided.\n")


def _cvc5(path: Path) -> str:
    cvc5 = pytest.importorskip("cvc5")
    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("tlimit-per", "60000")
    solver.setOption("enum-inst", "true")
    parser = cvc5.InputParser(solver)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, str(path))
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said += command.invoke(solver, parser.getSymbolManager())
    return said.strip()


@pytest.mark.full
def test_a_second_solver_agrees_on_a_tenth_of_the_questions(tmp_path: Path) -> None:
    written = smtlib(model("kip320"), tmp_path)
    files = sorted(tmp_path.glob("*.smt2"))
    assert len(files) == written
    for path in files[::10]:
        assert _cvc5(path) == "unsat", path.name


@pytest.mark.slow
def test_the_matrix_is_as_expected() -> None:
    """docs/proofs.md lists the expected results; here they are found."""
    ran = CliRunner().invoke(main, ["prove", "--matrix", "--json"])
    assert ran.exit_code == 0, ran.output
    said = json.loads(ran.output)
    assert [each for each in said["cells"] if each["got"] != each["expected"]] == []


@pytest.mark.full
def test_the_matrix_says_what_is_not_as_expected(tmp_path: Path) -> None:
    path = tmp_path / "expected.toml"
    path.write_text('[[row]]\nmodel = "kip320"\nholds = ["LeaderInIsr"]\nviolated = { LeaderFromIsr = 3 }\n')
    found = matrix.matrix(path)
    assert not found.as_expected
    wrong = [each for each in found.cells if not each.as_expected]
    assert [(each.prop, each.expected, each.got) for each in wrong] == [
        ("LeaderFromIsr", "violated in 3 states", "holds")
    ]
    assert "EXPECTED violated in 3 states" in matrix.matrix_text(found)


@pytest.mark.parametrize(
    "row",
    [
        'model = "kip320"\nhold = ["LeaderInIsr"]',
        "holds = []",
        'model = "a"\nunknown = ["B"]',
        'model = "a"\nholds = ["B"]\nviolated = { B = 1 }',
    ],
)
def test_an_expectation_that_cannot_be_is_refused(row: str, tmp_path: Path) -> None:
    path = tmp_path / "expected.toml"
    path.write_text(f"[[row]]\n{row}\n")
    with pytest.raises(TableError):
        expected.rows(path)


def test_every_promise_of_every_model_is_expected() -> None:
    """A property without a row would be missing on the page."""
    silent = []
    for name in models():
        mine = [row for row in expected.rows() if row.model == name]
        promised = {each.name for each in trust.goals_of(script_of(model(name)), None)}
        said = {prop for row in mine for prop in row.verdicts}
        silent += [f"{name}: {each}" for each in promised - said]
    assert silent == []


@in_matrix
def test_kip497_is_proved_for_any_number_of_replicas() -> None:
    proof = prove("kip497")
    assert {each.prop.name for each in proof.properties} >= PROMISES
    assert {(each.verdict, each.scope) for each in proof.properties} == {("holds", "any number of replicas")}
    assert not proof.fallen


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kip320", "kip497", "unclean-election", "kip966"])
def test_a_second_solver_agrees_on_every_question(name: str, tmp_path: Path) -> None:
    """For any number of replicas; all of kip966 too, whose counted sets are written without lambdas (`unfold.py`)."""
    assert smtlib(model(name), tmp_path) > 200
    assert {path.name: said for path in sorted(tmp_path.glob("*.smt2")) if (said := _cvc5(path)) != "unsat"} == {}


@pytest.mark.full
@pytest.mark.slow(every=3)
@pytest.mark.parametrize("name", ["kip497", "unclean-election", "kip966", "raft", "raft-pre-vote"])
def test_the_table_of_hypotheses_lacks_no_row(name: str) -> None:
    """Then no small instance has to be asked for them, which takes longer than the rest of a proof."""
    asked: list[Question] = []
    with noted(asked):
        assert prove(name).verdict == "holds"
    assert [each.name for each in asked if each.kind == "consecution"] == []


def test_the_table_of_hypotheses_lacks_no_row_of_kip320(kip320: Proof, asked_of_instances: list[Question]) -> None:
    assert kip320.verdict == "holds"
    assert [each.name for each in asked_of_instances if each.kind == "consecution"] == []


@pytest.mark.slow
def test_the_table_of_hypotheses_can_be_derived_anew(tmp_path: Path) -> None:
    path = tmp_path / "hypotheses.toml"
    assert minimise(model("kip320"), Effort(), path=path) > 50
    proof = prove("kip320", rows=rows.rows_of(model("kip320"), path))
    assert proof.verdict == "holds"


def test_a_missing_number_of_elements_is_named() -> None:
    """KRaft counts the brokers of an ISR, so its proofs are for a given number of brokers."""
    ran = CliRunner().invoke(main, ["prove", "kraft"])
    assert ran.exit_code == 2
    assert "for example --set brokers=3" in ran.output


GUESSES = """
from isrproof.model.action import action
from isrproof.model.expr import either, field
from isrproof.model.property import Property
from isrproof.model.protocol import Model, starts
from isrproof.model.sorts import Bool

lit, done = field("lit", Bool), field("done", Bool)
LIGHT = action("Light", "It is lit.", guard={"is off": ~lit}, updates={lit: True})
END = action("End", "It ends.", guard={"is lit": lit}, updates={done: True})
PROPERTIES = (
    Property("Anything", "A lamp is lit or not.", either(lit, ~lit)),
    Property("LitFirst", "It ends lit.", done.implies(lit)),
    Property("NeverLit", "It is never lit.", ~lit),
    Property("Ends", "It may end.", done, "sometimes"),
    Property("Comes", "It is lit.", ~lit, "leads_to", goal=lit, fair=("Light",)),
)
MODEL = Model("lamp", "A lamp.", (), (starts(lit, False, "?"), starts(done, False, "?")), (LIGHT, END), PROPERTIES)
"""


def test_a_report_names_what_no_proof_decides_and_what_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "lamp.py").write_text(GUESSES, encoding="utf-8")
    ran = CliRunner().invoke(main, ["prove", f"{tmp_path / 'lamp.py'}:MODEL"])
    assert ran.exit_code == 1
    lines = ran.output.splitlines()
    asked = re.fullmatch(r"lamp: violated  \((\d+) questions, .* s\)", lines[0])
    assert asked is not None
    assert int(asked[1]) > 5
    assert "0 questions" not in ran.output
    assert "  VACUOUS: it is true in every state of the sorts" in lines
    assert lines.count("  VACUOUS: it is true in every state of the sorts") == 1
    at = lines.index("No proof decides these, but `isrproof explore` does, in an instance:")
    assert lines[at + 1 : at + 3] == ["  Ends (sometimes): It may end.", "  Comes (leads_to): It is lit."]
    assert "  fails: not lit" in lines
    as_json = json.loads(CliRunner().invoke(main, ["prove", f"{tmp_path / 'lamp.py'}:MODEL", "--json"]).stdout)
    assert as_json["no_proof_decides"] == ["Ends", "Comes"]


INTERRUPTED_AFTER_ONE = """
import os, signal, sys
from isrproof.checker.cli import main
from isrproof.checker.prove import run

signal.signal(signal.SIGINT, signal.default_int_handler)
decide, decided = run._decide, []

def interrupted(*args):
    if decided:
        os.kill(os.getpid(), signal.SIGINT)
    decided.append(decide(*args))
    return decided[-1]

run._decide = interrupted
main(["prove", *sys.argv[1:]])
"""


def test_an_interrupt_prints_the_verdicts_so_far(tmp_path: Path) -> None:
    (tmp_path / "lamp.py").write_text(GUESSES, encoding="utf-8")
    command = [sys.executable, "-c", INTERRUPTED_AFTER_ONE, f"{tmp_path / 'lamp.py'}:MODEL"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, without_progress(ended.stderr)) == (
        3,
        "Interrupted: the other properties are not decided.\n",
    )
    assert ended.stdout.startswith("Anything: holds for ")
    assert "LitFirst" not in ended.stdout
    ended = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    assert [each["name"] for each in json.loads(ended.stdout)["properties"]] == ["Anything"]
