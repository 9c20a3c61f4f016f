"""The TLA+ reading: a model as a module, an instance as its configuration, both accepted by TLC.

Options are sequences of at most one value, maps are functions, sequences are sequences (from 1 in TLA+, from 0 here),
finite sorts are ranges of numbers. Bounds are not written out as type invariants: TLC counts the same states because a
model's limits and guards keep every field in its range (TypeOk, checked by the explorer).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ...model.action import Action
from ...model.evaluate import name_of
from ...model.expr import Expr, Op
from ...model.property import Property
from ...model.protocol import Instance, Model
from ...model.reading import Reading, read
from ...model.sorts import (
    BoolSort,
    Bound,
    EnumSort,
    FiniteSort,
    IntSort,
    MapSort,
    OptionSort,
    RecordSort,
    SeqSort,
    SetSort,
    Sort,
    Value,
    default,
)

_HELPERS = r"""
\* An option is a sequence of no or one value.
OptionGet(option, otherwise) == IF option = <<>> THEN otherwise ELSE option[1]
OptionSet(option) == IF option = <<>> THEN {} ELSE {option[1]}
MapGet(map, key, beyond) == IF key \in DOMAIN map THEN map[key] ELSE beyond
MapPut(map, key, value) == IF key \in DOMAIN map THEN [map EXCEPT ![key] = value] ELSE map
SeqAt(seq, at) == IF 0 <= at /\ at < Len(seq) THEN <<seq[at + 1]>> ELSE <<>>
SeqTake(seq, count) == IF count >= Len(seq) THEN seq ELSE IF count <= 0 THEN <<>> ELSE SubSeq(seq, 1, count)
"""


def module_name(model: Model) -> str:
    """The model's name as a TLA+ identifier."""
    return "".join(each if each.isalnum() else "_" for each in model.name)


def module(instance: Instance, properties: Sequence[Property]) -> str:
    """The module: constants, variables, actions, and the always and step properties."""
    model = instance.model
    fields = [each.name for each in model.fields]
    checked = [each for each in properties if each.kind != "sometimes"]
    parts = [
        f"---- MODULE {module_name(model)} ----",
        f"\\* {model.statement}",
        "EXTENDS Integers, Sequences, FiniteSets",
        "CONSTANTS " + ", ".join(each.name for each in model.settings),
        "VARIABLES " + ", ".join(fields),
        f"vars == <<{', '.join(fields)}>>",
        _HELPERS.strip(),
        *_sorts(model),
        "Init ==\n" + "\n".join(f"    /\\ {each.name} = {source(each.initial)}" for each in model.fields),
        *(_action(model, each) for each in model.actions),
        "Next ==\n" + "\n".join(f"    \\/ {_some(each)}" for each in model.actions),
        "Spec == Init /\\ [][Next]_vars",
        *(_property(each) for each in checked),
        "====",
    ]
    return "\n\n".join(parts) + "\n"


def configuration(instance: Instance, properties: Sequence[Property]) -> str:
    """The configuration: settings, invariants and step properties."""
    lines = ["\\* Run TLC with -deadlock: the limits end every behaviour.", "SPECIFICATION Spec", "CONSTANTS"]
    lines += [f"    {name} = {value}" for name, value in instance.settings.items()]
    lines += [f"INVARIANT {each.name}" for each in properties if each.kind == "always"]
    lines += [f"PROPERTY {each.name}" for each in properties if each.kind == "step"]
    return "\n".join(lines) + "\n"


def write(instance: Instance, properties: Sequence[Property], folder: Path) -> tuple[Path, Path]:
    """Writes module and configuration into a folder; returns their paths."""
    stem = module_name(instance.model)
    return (
        put(folder / f"{stem}.tla", module(instance, properties)),
        put(folder / f"{stem}.cfg", configuration(instance, properties)),
    )


def put(path: Path, text: str) -> Path:
    """Writes a file under a temporary name, then renames it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".part")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)
    return path


def source(expr: Expr) -> str:
    """An expression in TLA+."""
    return read(expr, TLA, {})


def domain(sort: Sort) -> str:
    """The set of all values of a scalar sort."""
    if isinstance(sort, BoolSort):
        return "BOOLEAN"
    if isinstance(sort, FiniteSort | EnumSort):
        return sort.name
    if isinstance(sort, IntSort) and sort.lo is not None and sort.hi is not None:
        return f"({_end(sort.lo)})..({_end(sort.hi)})"
    raise TypeError(f"TLC cannot enumerate {sort}")


def value(of: Value, sort: Sort) -> str:
    """A literal in TLA+."""
    if isinstance(sort, BoolSort):
        return "TRUE" if of else "FALSE"
    if isinstance(sort, EnumSort):
        return f'"{of}"'
    if isinstance(sort, IntSort | FiniteSort):
        return f"({of})" if of < 0 else str(of)
    if isinstance(sort, SetSort):
        return "{" + ", ".join(value(each, sort.element) for each in sorted(of)) + "}"
    if isinstance(sort, OptionSort):
        return "<<>>" if of is None else f"<<{value(of, sort.element)}>>"
    if isinstance(sort, RecordSort):
        pairs = zip(sort.fields, of, strict=True)
        return "[" + ", ".join(f"{name} |-> {value(each, inner)}" for (name, inner), each in pairs) + "]"
    if isinstance(sort, SeqSort):
        return "<<" + ", ".join(value(each, sort.element) for each in of) + ">>"
    if isinstance(sort, MapSort):
        return _map_literal(of, sort)
    raise TypeError(f"TLA+ has no literal for {sort}")


def _map_literal(of: Value, sort: MapSort) -> str:
    cases = " ELSE ".join(
        f"IF key = {each} THEN {value(held, sort.value)}" for each, held in zip(_keys(sort.key), of, strict=True)
    )
    return f"[key \\in {domain(sort.key)} |-> {cases} ELSE {value(of[-1], sort.value)}]"


def _keys(sort: Sort) -> list[str]:
    if isinstance(sort, EnumSort):
        return [f'"{each}"' for each in sort.values]
    if isinstance(sort, BoolSort):
        return ["FALSE", "TRUE"]
    if isinstance(sort, IntSort) and isinstance(sort.lo, int) and isinstance(sort.hi, int):
        return [str(each) for each in range(sort.lo, sort.hi + 1)]
    raise TypeError(f"a literal map over {sort} has no fixed keys")


def _end(bound: int | Bound) -> str:
    return str(bound)


def _sorts(model: Model) -> list[str]:
    found: dict[str, str] = {}
    stack: list[Sort] = [each.sort for each in model.fields]
    stack += [param.sort for action in model.actions for param in action.params]
    while stack:
        sort = stack.pop()
        if isinstance(sort, FiniteSort):
            found[sort.name] = f"{sort.name} == 0..({sort.size.name} - 1)"
        elif isinstance(sort, EnumSort):
            found[sort.name] = f"{sort.name} == {{{', '.join(_keys(sort))}}}"
        elif isinstance(sort, SetSort | OptionSort | SeqSort):
            stack.append(sort.element)
        elif isinstance(sort, RecordSort):
            stack += [inner for _, inner in sort.fields]
        elif isinstance(sort, MapSort):
            stack += [sort.key, sort.value]
    return [found[name] for name in sorted(found)]


def _action(model: Model, action: Action) -> str:
    head = action.name + (f"({', '.join(str(each.data) for each in action.params)})" if action.params else "")
    lines = [f"\\* {action.statement}", f"{head} =="]
    for clause in (*action.limits, *action.guard):
        lines += [f"    \\* {clause.label}", f"    /\\ {source(clause.condition)}"]
    changed = {each.field.data: each.value for each in action.updates}
    lines += [f"    /\\ {name}' = {source(new)}" for name, new in changed.items()]
    same = [each.name for each in model.fields if each.name not in changed]
    if same:
        lines.append(f"    /\\ UNCHANGED <<{', '.join(same)}>>")
    return "\n".join(lines)


def _some(action: Action) -> str:
    if not action.params:
        return action.name
    bound = ", ".join(f"{each.data} \\in {domain(each.sort)}" for each in action.params)
    return f"\\E {bound} : {action.name}({', '.join(str(each.data) for each in action.params)})"


def _property(prop: Property) -> str:
    body = source(prop.condition)
    return f"\\* {prop.statement}\n{prop.name} == " + (f"[][{body}]_vars" if prop.kind == "step" else body)


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
    return f"[key \\in {domain(node.sort.key)} |-> {held}]"


TLA: Reading[str] = Reading(
    "TLA+",
    {
        Op.CONST: lambda node: value(node.data, node.sort),
        Op.FIELD: name_of,
        Op.AFTER: name_of,
        Op.VAR: name_of,
        Op.SETTING: name_of,
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
        Op.MAP_GET: _get_beyond,
        Op.MAP_PUT: _call("MapPut"),
        Op.SEQ_LEN: _call("Len"),
        Op.SEQ_AT: _call("SeqAt"),
        Op.SEQ_APPEND: _call("Append"),
        Op.SEQ_TAKE: _call("SeqTake"),
        Op.FORALL: _quantifier("\\A"),
        Op.EXISTS: _quantifier("\\E"),
    },
)
