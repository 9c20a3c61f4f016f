"""The TLA+ reading: a model as a module, an instance as its configuration, both accepted by TLC.

Options are sequences of at most one value, maps are functions, sequences are sequences (from 1 in TLA+, from 0 here),
finite sorts are ranges of numbers. Bounds are not written out as type invariants: TLC counts the same states because a
model's limits and guards keep every field in its range (TypeOk, checked by the explorer). A name
that TLA+ or the module itself uses is another one there, see `identifier`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ...model.action import Action
from ...model.errors import DefinitionError, ImpossibleError
from ...model.expr import BINDERS, Expr, Op, topological
from ...model.property import Property
from ...model.protocol import Field, Instance, Model
from ...model.reading import Reading, read
from ...model.sorts import (
    BoolSort,
    Bound,
    BySort,
    EnumSort,
    FiniteSort,
    IntSort,
    MapSort,
    OptionSort,
    RecordSort,
    SeqSort,
    SetSort,
    Setting,
    Sort,
    Value,
    default,
    with_inner,
)
from ..replacing import replacing

_HELPERS = r"""
OptionGet(option, otherwise) == IF option = <<>> THEN otherwise ELSE option[1]
OptionSet(option) == IF option = <<>> THEN {} ELSE {option[1]}
MapGet(map, key, beyond) == IF key \in DOMAIN map THEN map[key] ELSE beyond
MapPut(map, key, value) == IF key \in DOMAIN map THEN [map EXCEPT ![key] = value] ELSE map
SeqAt(seq, at) == IF 0 <= at /\ at < Len(seq) THEN <<seq[at + 1]>> ELSE <<>>
SeqTake(seq, count) == IF count >= Len(seq) THEN seq ELSE IF count <= 0 THEN <<>> ELSE SubSeq(seq, 1, count)
SeqDrop(seq, count) == IF count <= 0 THEN seq ELSE IF count >= Len(seq) THEN <<>> ELSE SubSeq(seq, count + 1, Len(seq))
"""

# Words of TLA+, of the modules that are extended, and of ours.
_WORDS = """
ACTION ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS DOMAIN ELSE ENABLED
EXCEPT EXTENDS FALSE HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL MODULE NEW OBVIOUS OMITTED ONLY OTHER PICK PROOF
PROPOSITION PROVE QED RECURSIVE STATE STRING SUBSET SUFFICES TAKE TEMPORAL THEN THEOREM TRUE UNCHANGED UNION USE
VARIABLE VARIABLES WITH WITNESS Nat Int Seq Append Head Tail SelectSeq IsFiniteSet Cardinality Init Next Spec vars
"""
RESERVED = frozenset(re.findall(r"\w+", _WORDS + _HELPERS))


def identifier(name: str) -> str:
    """A name of the model in the module: the same, or with `_0` behind it if it is reserved.

    Variables of quantifiers end in `_` there; so that no two names become one, names that end in either get `_0` too.
    """
    return f"{name}_0" if name in RESERVED or name.endswith(("_", "_0")) else name


def module_name(model: Model) -> str:
    """The model's name as a TLA+ identifier."""
    return "".join(each if each.isalnum() else "_" for each in model.name)


def module(instance: Instance, properties: Sequence[Property]) -> str:
    """The module: constants, variables, actions, and the always and step properties.

    Raises:
        DefinitionError: two things have one name.
        ImpossibleError: TLC cannot list the values of a sort.
    """
    model = instance.model
    checked = [each for each in properties if each.kind != "sometimes"]
    sorts = _sorts(model, checked)
    _refuse_one_name_for_two(model, checked, sorts)
    settings = [identifier(each.name) for each in model.settings]
    fields = [identifier(each.name) for each in model.fields]
    initial = [source(each.initial) for each in model.fields]
    parts = [
        f"---- MODULE {module_name(model)} ----",
        _comment(model.statement),
        "EXTENDS Integers, Sequences, FiniteSets",
        *(["CONSTANTS " + ", ".join(settings)] if settings else []),
        "VARIABLES " + ", ".join(fields),
        f"vars == <<{', '.join(fields)}>>",
        _HELPERS.strip(),
        *(f"{identifier(sort.name)} == {_values(sort)}" for sort in sorts),
        "Init ==\n" + "\n".join(f"    /\\ {name} = {value}" for name, value in zip(fields, initial, strict=True)),
        *(_action(model, each) for each in model.actions),
        "Next ==\n" + "\n".join(f"    \\/ {_some(each)}" for each in model.actions),
        "Spec == " + " /\\ ".join(["Init", "[][Next]_vars", *_fairness(model, checked)]),
        *(_property(each) for each in checked),
        "====",
    ]
    return "\n\n".join(parts) + "\n"


def configuration(instance: Instance, properties: Sequence[Property]) -> str:
    """The configuration: settings, invariants and step properties."""
    lines = [_comment("Run TLC with -deadlock: the limits end every behaviour."), "SPECIFICATION Spec"]
    lines += ["CONSTANTS"] if instance.settings else []
    lines += [f"    {identifier(name)} = {value}" for name, value in instance.settings.items()]
    lines += [f"INVARIANT {identifier(each.name)}" for each in properties if each.kind == "always"]
    lines += [f"PROPERTY {identifier(each.name)}" for each in properties if each.kind in ("step", "leads_to")]
    return "\n".join(lines) + "\n"


def write(instance: Instance, properties: Sequence[Property], folder: Path) -> tuple[Path, Path]:
    """Write module and configuration into a folder; return their paths."""
    stem = module_name(instance.model)
    return (
        put(folder / f"{stem}.tla", module(instance, properties)),
        put(folder / f"{stem}.cfg", configuration(instance, properties)),
    )


def put(path: Path, text: str) -> Path:
    """Write a file, all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as fresh:
        fresh.write_text(text, encoding="utf-8")
    return path


def source(expr: Expr) -> str:
    """An expression in TLA+."""
    return read(expr, TLA, {})


def domain(sort: Sort) -> str:
    """The set of all values of a scalar sort."""
    return _DOMAIN[type(sort)](sort)


def _domain_of_ints(sort: IntSort) -> str:
    if sort.lo is None or sort.hi is None:
        _DOMAIN.refuse(sort)
    return f"({_end(sort.lo)})..({_end(sort.hi)})"


_DOMAIN: BySort[str] = BySort(
    {
        BoolSort: lambda sort: "BOOLEAN",
        IntSort: _domain_of_ints,
        **dict.fromkeys((EnumSort, FiniteSort), lambda sort: identifier(sort.name)),
    },
    "TLC cannot list the values of {sort}",
    ImpossibleError,
)


def value(of: Value, sort: Sort) -> str:
    """A literal in TLA+."""
    return _VALUE[type(sort)](of, sort)


def _number(of: int, sort: IntSort | FiniteSort) -> str:
    return f"({of})" if of < 0 else str(of)


def _record_literal(of: Value, sort: RecordSort) -> str:
    pairs = zip(sort.fields, of, strict=True)
    return "[" + ", ".join(f"{name} |-> {value(each, inner)}" for (name, inner), each in pairs) + "]"


def _map_literal(of: Value, sort: MapSort) -> str:
    held = [value(each, sort.value) for each in of]
    bound = _fresh(" ".join(held))
    cases = " ELSE ".join(f"IF {bound} = {_key(sort.key, at)} THEN {each}" for at, each in enumerate(held[:-1]))
    return f"[{bound} \\in {domain(sort.key)} |-> {f'{cases} ELSE ' if cases else ''}{held[-1]}]"


_VALUE: BySort[str] = BySort(
    {
        BoolSort: lambda of, sort: "TRUE" if of else "FALSE",
        **dict.fromkeys((IntSort, FiniteSort), _number),
        EnumSort: lambda of, sort: f'"{of}"',
        SetSort: lambda of, sort: "{" + ", ".join(value(each, sort.element) for each in sorted(of)) + "}",
        OptionSort: lambda of, sort: "<<>>" if of is None else f"<<{value(of, sort.element)}>>",
        RecordSort: _record_literal,
        MapSort: _map_literal,
        SeqSort: lambda of, sort: "<<" + ", ".join(value(each, sort.element) for each in of) + ">>",
    },
    "TLA+ has no literal for {sort}",
    ImpossibleError,
)


def _key(sort: Sort, at: int) -> str:
    """The key at a position of a map's literal."""
    return _KEY[type(sort)](sort, at)


_KEY: BySort[str] = BySort(
    {
        BoolSort: lambda sort, at: value(bool(at), sort),
        IntSort: lambda sort, at: f"({_end(sort.lo)}) + {at}",
        EnumSort: lambda sort, at: value(sort.values[at], sort),
        FiniteSort: lambda sort, at: str(at),
    },
    "a map has no keys of the sort {sort}",
    ImpossibleError,
)


def _fresh(inside: str) -> str:
    """A name for the key of a function, other than those of the functions inside it."""
    depth = 0
    while f"key{depth}_" in inside:
        depth += 1
    return f"key{depth}_"


def _end(bound: int | Bound) -> str:
    return str(bound) if isinstance(bound, int) else f"{identifier(bound.setting.name)} + {bound.plus}"


def _values(sort: FiniteSort | EnumSort) -> str:
    if isinstance(sort, FiniteSort):
        return f"0..({identifier(sort.size.name)} - 1)"
    return "{" + ", ".join(value(each, sort) for each in sort.values) + "}"


def _sorts(model: Model, properties: Sequence[Property]) -> list[FiniteSort | EnumSort]:
    """The sorts that the module must define, by name."""
    conditions = [expr for action in model.actions for expr in action.expressions]
    conditions += [expr for each in properties for expr in each.conditions] + [each.initial for each in model.fields]
    sorts: list[Sort] = [each.sort for each in model.fields]
    sorts += [param.sort for action in model.actions for param in action.params]
    for node in topological(*conditions):
        sorts += [node.data.sort] if node.op in BINDERS else [node.sort] if node.op in (Op.FULL, Op.MAP_FILL) else []
    found = dict.fromkeys(each for each in with_inner(*sorts) if isinstance(each, FiniteSort | EnumSort))
    return sorted(found, key=lambda each: each.name)


def _refuse_one_name_for_two(
    model: Model, properties: Sequence[Property], sorts: Sequence[FiniteSort | EnumSort]
) -> None:
    """A module has one space of names.

    Raises:
        DefinitionError: two of the model's things share a name.
    """
    kinds: dict[str, Sequence[Setting | Field | FiniteSort | EnumSort | Action | Property]] = {
        "setting": model.settings,
        "field": model.fields,
        "sort": sorts,
        "action": model.actions,
        "property": properties,
    }
    known: dict[str, str] = {}
    named = [(kind, each.name) for kind, things in kinds.items() for each in things]
    params = {str(param.data) for action in model.actions for param in action.params}
    for kind, name in [*named, *(("parameter", name) for name in sorted(params))]:
        if name in known:
            raise DefinitionError(
                f"model {model.name}: TLA+ has one name for {known[name]} and {kind} {name!r}; rename one"
            )
        known[name] = kind


def _comment(text: str) -> str:
    return f"\\* {' '.join(text.split())}"


def _action(model: Model, action: Action) -> str:
    lines = [_comment(action.statement), f"{_call_of(action)} =="]
    for clause in (*action.limits, *action.guard):
        lines += [f"    {_comment(clause.label)}", f"    /\\ {_guard(clause.condition)}"]
    changed = {each.field.data: each.value for each in action.updates}
    lines += [f"    /\\ {identifier(name)}' = {source(new)}" for name, new in changed.items()]
    same = [identifier(each.name) for each in model.fields if each.name not in changed]
    if same:
        lines.append(f"    /\\ UNCHANGED <<{', '.join(same)}>>")
    return "\n".join(lines)


def _guard(condition: Expr) -> str:
    """A guard of which TLC makes one successor for each true part of `disjuncts`: it does not split equations."""
    if condition.op in (Op.AND, Op.OR) and condition.args:
        word = "/\\" if condition.op is Op.AND else "\\/"
        return f"({f' {word} '.join(_guard(each) for each in condition.args)})"
    return f"({source(condition)} = TRUE)" if _splits(condition) else source(condition)


def _splits(condition: Expr) -> bool:
    """Check whether TLC makes several successors of a condition: it searches disjunctions and witnesses below these."""
    if condition.op in (Op.OR, Op.EXISTS):
        return True
    if condition.op in (Op.AND, Op.FORALL):
        return any(_splits(each) for each in condition.args)
    return condition.op in (Op.IMPLIES, Op.ITE) and any(_splits(each) for each in condition.args[1:])


def _call_of(action: Action) -> str:
    params = [identifier(each.data) for each in action.params]
    return identifier(action.name) + (f"({', '.join(params)})" if params else "")


def _some(action: Action) -> str:
    bound = ", ".join(f"{identifier(each.data)} \\in {domain(each.sort)}" for each in action.params)
    return f"\\E {bound} : {_call_of(action)}" if bound else _call_of(action)


def _fairness(model: Model, properties: Sequence[Property]) -> list[str]:
    """Weak fairness of each action that a leads-to property names, for each choice of its parameters."""
    names = {name for each in properties for name in each.fair}
    parts = []
    for each in (each for each in model.actions if each.name in names):
        bound = ", ".join(f"{identifier(param.data)} \\in {domain(param.sort)}" for param in each.params)
        weak = f"WF_vars({_call_of(each)})"
        parts.append(f"(\\A {bound} : {weak})" if bound else weak)
    return parts


def _property(prop: Property) -> str:
    body = source(prop.condition)
    head = f"{_comment(prop.statement)}\n{identifier(prop.name)} == "
    if prop.goal is not None:
        return head + f"{body} ~> {source(prop.goal)}"
    return head + (f"[][{body}]_vars" if prop.kind == "step" else body)


def _infix(word: str) -> Callable[..., str]:
    return lambda node, *args: f"({f' {word} '.join(args)})"


def _junction(word: str, empty: str) -> Callable[..., str]:
    return lambda node, *args: f"({f' {word} '.join(args)})" if args else empty


def _call(name: str) -> Callable[..., str]:
    return lambda node, *args: f"{name}({', '.join(args)})"


def _quantifier(word: str) -> Callable[..., str]:
    def translate(node: Expr, body: Callable[[Mapping[Expr, str]], str]) -> str:
        bound = f"{node.data.data}_"
        return f"({word} {bound} \\in {domain(node.data.sort)} : {body({node.data: bound})})"

    return translate


def _each(node: Expr, body: Callable[[Mapping[Expr, str]], str]) -> str:
    bound = f"{node.data.data}_"
    return f"[{bound} \\in {domain(node.data.sort)} |-> {body({node.data: bound})}]"


def _those(node: Expr, body: Callable[[Mapping[Expr, str]], str]) -> str:
    bound = f"{node.data.data}_"
    return f"{{{bound} \\in {domain(node.data.sort)} : {body({node.data: bound})}}}"


def _get_beyond(node: Expr, a_map: str, key: str) -> str:
    sort = node.args[0].sort
    assert isinstance(sort, MapSort)
    if isinstance(sort.key, IntSort):
        return f"MapGet({a_map}, {key}, {value(default(sort.value), sort.value)})"
    return f"{a_map}[{key}]"


def _record(node: Expr, *args: str) -> str:
    assert isinstance(node.sort, RecordSort)
    return "[" + ", ".join(f"{name} |-> {arg}" for (name, _), arg in zip(node.sort.fields, args, strict=True)) + "]"


def _full(node: Expr) -> str:
    assert isinstance(node.sort, SetSort)
    return domain(node.sort.element)


def _fill(node: Expr, held: str) -> str:
    assert isinstance(node.sort, MapSort)
    bound = _fresh(held)
    return f"[{bound} \\in {domain(node.sort.key)} |-> {held}]"


TLA: Reading[str] = Reading(
    "TLA+",
    {
        Op.CONST: lambda node: value(node.data, node.sort),
        Op.FIELD: lambda node: identifier(node.data),
        Op.AFTER: lambda node: identifier(node.data) + "'",
        Op.VAR: lambda node: identifier(node.data),
        Op.SETTING: lambda node: identifier(node.data.name),
        Op.NOT: lambda node, a: f"(~{a})",
        Op.AND: _junction("/\\", "TRUE"),
        Op.OR: _junction("\\/", "FALSE"),
        Op.IMPLIES: _infix("=>"),
        Op.EQ: _infix("="),
        Op.LE: _infix("<="),
        Op.LT: _infix("<"),
        Op.ADD: _infix("+"),
        Op.ITE: lambda node, test, then, other: f"(IF {test} THEN {then} ELSE {other})",
        Op.FULL: _full,
        Op.MEMBER: _infix("\\in"),
        Op.SUBSET: _infix("\\subseteq"),
        Op.UNION: _infix("\\union"),
        Op.MINUS: _infix("\\"),
        Op.INTERSECT: _infix("\\intersect"),
        Op.SET_EACH: _those,
        Op.INSERT: lambda node, members, element: f"({members} \\union {{{element}}})",
        Op.REMOVE: lambda node, members, element: f"({members} \\ {{{element}}})",
        Op.IS_EMPTY: lambda node, members: f"({members} = {{}})",
        Op.SIZE: _call("Cardinality"),
        Op.SOME: lambda node, held: f"<<{held}>>",
        Op.IS_NONE: lambda node, option: f"({option} = <<>>)",
        Op.GET: _call("OptionGet"),
        Op.OPTION_SET: _call("OptionSet"),
        Op.RECORD: _record,
        Op.RECORD_GET: lambda node, held: f"{held}.{node.data}",
        Op.MAP_FILL: _fill,
        Op.MAP_EACH: _each,
        Op.MAP_GET: _get_beyond,
        Op.MAP_PUT: _call("MapPut"),
        Op.SEQ_LEN: _call("Len"),
        Op.SEQ_AT: _call("SeqAt"),
        Op.SEQ_APPEND: _call("Append"),
        Op.SEQ_TAKE: _call("SeqTake"),
        Op.SEQ_DROP: _call("SeqDrop"),
        Op.FORALL: _quantifier("\\A"),
        Op.EXISTS: _quantifier("\\E"),
    },
)
