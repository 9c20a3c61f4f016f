"""Models: fields, actions and properties; behaviours that replace actions; instances that fix the settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from .action import Action, Update
from .errors import DefinitionError, SortError, UnknownNameError, unknown
from .expr import Expr, Op, free, lift, topological, variables
from .property import Property
from .sorts import (
    SCALARS,
    Bound,
    BySort,
    FiniteSort,
    MapSort,
    OptionSort,
    RecordSort,
    SeqSort,
    SetSort,
    Setting,
    Settings,
    Sort,
    Value,
    same,
    with_inner,
)
from .views import Projection


@dataclass(frozen=True)
class Field:
    """A variable of the state, and the value it starts with."""

    expr: Expr
    initial: Expr
    meaning: str

    @property
    def name(self) -> str:
        return str(self.expr.data)

    @property
    def sort(self) -> Sort:
        return self.expr.sort


def starts(expr: Expr, initial: Expr | Value, meaning: str) -> Field:
    """A field of the state with its initial value."""
    if expr.op is not Op.FIELD:
        raise DefinitionError(f"`{expr!r}` is not a field; make it with field()")
    value = lift(initial, expr.sort)
    if not same(value.sort, expr.sort):
        raise SortError(f"field {expr.data} is a {expr.sort}, it cannot start as `{value!r}`, a {value.sort}")
    loose = [leaf for leaf in free(value) if leaf.op is not Op.SETTING]
    if loose:
        raise DefinitionError(f"field {expr.data} starts as `{value!r}`; an initial value reads settings only")
    return Field(expr, value, meaning)


@dataclass(frozen=True)
class Ghosts:
    """History that is only watched: fields that actions write and no guard reads.

    Off by default, so that the states counted are the protocol's. `updates` is by action name: a behaviour may replace
    an action, what is watched of it stays. A ghost may read parameters of its action, by their variables.
    """

    name: str
    fields: tuple[Field, ...]
    updates: Mapping[str, tuple[Update, ...]]
    properties: tuple[Property, ...] = ()


@dataclass(frozen=True)
class Behaviour:
    """The changes of one KIP or KAFKA issue: actions replaced (by name), added or removed.

    * `breaks_without`: the properties that fail when the model no longer has it.
    * `suspends`: properties that are not promised while the model has it; they are checked only on request.
    * `restores`: properties that an earlier behaviour suspended and this one promises again.
    * `brings`: parts of the real system that the model leaves out without it; `left_out`: parts that it leaves out.
    """

    name: str
    statement: str
    replaces: tuple[Action, ...] = ()
    adds: tuple[Action, ...] = ()
    removes: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ()
    fields: tuple[Field, ...] = ()
    properties: tuple[Property, ...] = ()
    ghosts: tuple[Ghosts, ...] = ()
    cites: tuple[str, ...] = ()
    breaks_without: tuple[str, ...] = ()
    suspends: tuple[str, ...] = ()
    restores: tuple[str, ...] = ()
    brings: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Model:
    """A protocol: its state, its steps, its promises.

    `left_out`: parts of the real system that the model could have and does not; said beside its verdicts.
    """

    name: str
    statement: str
    settings: tuple[Setting, ...]
    fields: tuple[Field, ...]
    actions: tuple[Action, ...]
    properties: tuple[Property, ...]
    projections: tuple[Projection, ...] = ()
    ghosts: tuple[Ghosts, ...] = ()
    base: Model | None = None
    behaviours: tuple[Behaviour, ...] = ()
    watched: tuple[str, ...] = ()
    unwatched: Model | None = None
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._check_kinds()
        self._check_names()
        known = {each.expr for each in self.fields}
        for field in self.fields:
            self._settings_known(field.name, field.sort)
        for action in self.actions:
            self._check_action(action, known)
        for prop in self.properties:
            self._fields_known(f"model {self.name}, property {prop.name}", known, *prop.conditions)
            for name in prop.fair:
                self.action(name)
        for ghosts in self.ghosts:
            self._check_ghosts(ghosts, known)

    def _check_kinds(self) -> None:
        for what, sort in (("settings", Setting), ("fields", Field), ("actions", Action), ("properties", Property)):
            given = getattr(self, what)
            wrong = [each for each in given if not isinstance(each, sort)] if isinstance(given, tuple) else [given]
            if wrong:
                raise DefinitionError(
                    f"model {self.name}: {what} are a tuple of {sort.__name__}, got {wrong[0]!r}; a single one is (it,)"
                )

    def _check_names(self) -> None:
        taken = self._taken_names()
        for name in taken:
            if taken.count(name) > 1:
                raise DefinitionError(f"model {self.name} has two fields or settings named {name!r}")
        for kind, found in (("action", self.actions), ("property", self.properties)):
            names = [each.name for each in found]
            for name in names:
                if names.count(name) > 1:
                    raise DefinitionError(f"model {self.name} has {kind} {name!r} twice")

    def _taken_names(self) -> list[str]:
        return [each.name for each in self.fields] + [each.name for each in self.settings]

    def _check_action(self, action: Action, known: Iterable[Expr]) -> None:
        where = f"model {self.name}, action {action.name}"
        for param in action.params:
            self._settings_known(where, param.sort)
            if param.data in self._taken_names():
                raise DefinitionError(f"{where}: parameter {param.data!r} hides a field or setting of that name")
        printed = (expr for block in action.prints for line in block for expr in line.expressions)
        self._fields_known(where, known, *action.expressions, *(each.field for each in action.updates))
        self._fields_known(where, known, *printed)

    def _settings_known(self, where: str, sort: Sort) -> None:
        for setting in settings_of(sort):
            if setting not in self.settings:
                raise UnknownNameError(
                    f"{where}: {sort} depends on the setting {setting.name!r}, which the model does not have; "
                    f"its settings are: {', '.join(each.name for each in self.settings) or 'none'}"
                )

    def _fields_known(self, where: str, known: Iterable[Expr], *exprs: Expr) -> None:
        fields = {each.data: each for each in known}
        for bound in frozenset[Expr]().union(*(variables(expr) for expr in exprs)):
            self._settings_known(f"{where}, variable {bound.data}", bound.sort)
        for leaf in frozenset[Expr]().union(*(free(expr) for expr in exprs)):
            if leaf.op is Op.SETTING and leaf.data not in self.settings:
                raise unknown("setting", leaf.data.name, (each.name for each in self.settings), where)
            if leaf.op in (Op.FIELD, Op.AFTER):
                if leaf.data not in fields:
                    raise unknown("field", leaf.data, fields, where)
                if fields[leaf.data].sort != leaf.sort:
                    raise SortError(f"{where}: field {leaf.data} is a {fields[leaf.data].sort}, not a {leaf.sort}")

    def _check_ghosts(self, ghosts: Ghosts, known: set[Expr]) -> None:
        where = f"model {self.name}, ghosts {ghosts.name}"
        own = {each.expr for each in ghosts.fields}
        if own & known:
            raise DefinitionError(f"{where}: {', '.join(each.data for each in own & known)} is a field of the model")
        for name, updates in ghosts.updates.items():
            action = self.action(name)
            for each in updates:
                if each.field not in own:
                    raise DefinitionError(
                        f"{where}, {name}: `{each.field!r}` is not a ghost; only ghosts are written here"
                    )
                for leaf in free(each.value):
                    if leaf.op is Op.VAR and leaf not in action.params:
                        raise DefinitionError(f"{where}: `{leaf!r}` is not a parameter of action {name}")
                self._fields_known(f"{where}, {name}", known | own, each.value)
        for prop in ghosts.properties:
            self._fields_known(f"{where}, property {prop.name}", known | own, prop.condition)

    def action(self, name: str) -> Action:
        """An action by its name."""
        for action in self.actions:
            if action.name == name:
                return action
        raise unknown("action", name, (each.name for each in self.actions), f"model {self.name}")

    @property
    def suspended(self) -> tuple[str, ...]:
        """The names of properties that some behaviour suspends and no later one restores."""
        names: dict[str, None] = {}
        for each in self.behaviours:
            names.update(dict.fromkeys(each.suspends))
            for restored in each.restores:
                names.pop(restored, None)
        return tuple(names)

    def property(self, name: str) -> Property:
        """A property by its name, those of views and of ghosts included."""
        ghosts = [each for ghosts in self.ghosts for each in ghosts.properties]
        for prop in (*self.properties, *ghosts):
            if prop.name == name:
                return prop
        raise unknown("property", name, (each.name for each in (*self.properties, *ghosts)), f"model {self.name}")

    def with_behaviours(self, *behaviours: Behaviour, name: str | None = None, statement: str | None = None) -> Model:
        """The model with behaviours on top of those it has; later ones replace what earlier ones wrote.

        Raises:
            UnknownNameError: a behaviour replaces or removes an action that does not exist.
        """
        if self.unwatched is not None:
            model = self.unwatched.with_behaviours(*behaviours, name=name, statement=statement)
            return model.watching(*self.watched)
        actions = {each.name: each for each in self.actions}
        properties = {each.name: each for each in self.properties}
        settings, fields, ghosts, left_out = self.settings, self.fields, self.ghosts, self.left_out
        for behaviour in behaviours:
            for gone in (*(each.name for each in behaviour.replaces), *behaviour.removes):
                if gone not in actions:
                    raise unknown("action", gone, actions, f"model {self.name}")
            actions |= {each.name: each for each in behaviour.replaces}
            for gone in behaviour.removes:
                del actions[gone]
            for each in behaviour.adds:
                if each.name in actions:
                    raise DefinitionError(
                        f"behaviour {behaviour.name} adds action {each.name}, which exists already; use `replaces`"
                    )
                actions[each.name] = each
            properties |= {each.name: each for each in behaviour.properties}
            settings += behaviour.settings
            fields += behaviour.fields
            ghosts = _still_watched(ghosts, actions) + behaviour.ghosts
            for part in behaviour.brings:
                if part not in left_out:
                    raise unknown("part that is left out", part, left_out, f"model {self.name}")
            left_out = tuple(each for each in left_out if each not in behaviour.brings) + behaviour.left_out
            promised = [*properties, *(each.name for watched in ghosts for each in watched.properties)]
            for name_of_property in (*behaviour.breaks_without, *behaviour.suspends, *behaviour.restores):
                if name_of_property not in promised:
                    raise unknown("property", name_of_property, promised, f"behaviour {behaviour.name}")
        return replace(
            self,
            name=name or self.name,
            statement=statement or self.statement,
            settings=settings,
            fields=fields,
            actions=tuple(actions.values()),
            properties=tuple(properties.values()),
            ghosts=ghosts,
            base=self.base or self,
            behaviours=self.behaviours + behaviours,
            left_out=left_out,
        )

    def without(self, *names: str) -> Model:
        """The model rebuilt from its base without some of its behaviours."""
        known = [each.name for each in self.behaviours]
        for each in names:
            if each not in known:
                raise unknown("behaviour", each, known, f"model {self.name}")
        rest = [each for each in self.behaviours if each.name not in names]
        if self.unwatched is not None:
            plain = self.unwatched.without(*names)
            return plain.watching(*(each.name for each in plain.ghosts if each.name in self.watched))
        base = self.base or self
        return base.with_behaviours(*rest, name=f"{self.name} without {', '.join(names)}", statement=self.statement)

    def watching(self, *names: str) -> Model:
        """The model with ghost fields, their updates and their properties made part of it."""
        fields, actions, properties = list(self.fields), list(self.actions), list(self.properties)
        known = {each.name: each for each in self.ghosts}
        for name in names:
            if name not in known:
                raise unknown("ghosts", name, known, f"model {self.name}")
            fields += known[name].fields
            properties += known[name].properties
            for index, action in enumerate(actions):
                more = known[name].updates.get(action.name, ())
                actions[index] = replace(action, updates=action.updates + more)
        return replace(
            self,
            fields=tuple(fields),
            actions=tuple(actions),
            properties=tuple(properties),
            ghosts=tuple(each for each in self.ghosts if each.name not in names),
            watched=(*self.watched, *names),
            unwatched=self.unwatched or self,
        )

    def watching_for(self, properties: Iterable[Property]) -> Model:
        """The model watching the ghosts that some properties are of."""
        wanted = tuple(properties)
        names = [each.name for each in self.ghosts if any(one in each.properties for one in wanted)]
        return self.watching(*names) if names else self

    def instance(self, **values: int) -> Instance:
        """The model with its settings fixed; what is not given has its default.

        Raises:
            UnknownNameError: no such setting.
            DefinitionError: a value is too small.
        """
        known = {each.name: each for each in self.settings}
        for name, value in values.items():
            if name not in known:
                raise unknown("setting", name, known, f"model {self.name}")
            if isinstance(value, bool) or not isinstance(value, int):
                raise DefinitionError(f"setting {name}: expected an integer, got {value!r}")
            if value < known[name].at_least:
                raise DefinitionError(f"setting {name}: expected at least {known[name].at_least}, got {value}")
        return Instance(self, {each.name: values.get(each.name, each.default) for each in self.settings})


@dataclass(frozen=True)
class Instance:
    """A model and a number for each of its settings."""

    model: Model
    settings: Settings

    @property
    def name(self) -> str:
        return f"{self.model.name}({', '.join(f'{name}={value}' for name, value in self.settings.items())})"


def settings_of(sort: Sort) -> frozenset[Setting]:
    """The settings that the bounds and sizes of a sort name."""
    found: set[Setting] = set()
    for each in with_inner(sort):
        ends = (getattr(each, name, None) for name in ("lo", "hi", "capacity"))
        found |= {end.setting for end in ends if isinstance(end, Bound)}
        found |= {each.size} if isinstance(each, FiniteSort) else set()
    return frozenset(found)


def names_an_element(model: Model) -> str | None:
    """Return where a model names an element of a finite sort, or None: then the elements are interchangeable."""
    exprs = [("initial value of " + each.name, each.initial) for each in model.fields]
    exprs += [(f"action {each.name}", expr) for each in model.actions for expr in each.expressions]
    exprs += [(f"property {each.name}", expr) for each in model.properties for expr in each.conditions]
    for where, expr in exprs:
        for node in topological(expr):
            if node.op is Op.CONST and _holds_element(node.data, node.sort):
                return f"{where} names {node!r}, an element of {node.sort}"
    return None


def _holds_element(value: Value, sort: Sort) -> bool:
    return _HOLDS_ELEMENT[type(sort)](value, sort)


_HOLDS_ELEMENT: BySort[bool] = BySort(
    {
        **dict.fromkeys(SCALARS, lambda value, sort: False),
        FiniteSort: lambda value, sort: True,
        **dict.fromkeys(
            (SetSort, SeqSort), lambda value, sort: any(_holds_element(each, sort.element) for each in value)
        ),
        OptionSort: lambda value, sort: value is not None and _holds_element(value, sort.element),
        RecordSort: lambda value, sort: any(
            _holds_element(each, inner) for each, (_, inner) in zip(value, sort.fields, strict=True)
        ),
        MapSort: lambda value, sort: (
            isinstance(sort.key, FiniteSort) or any(_holds_element(each, sort.value) for each in value)
        ),
    }
)


def _still_watched(ghosts: tuple[Ghosts, ...], actions: Mapping[str, Action]) -> tuple[Ghosts, ...]:
    kept = []
    for each in ghosts:
        updates = {name: updates for name, updates in each.updates.items() if name in actions}
        kept.append(replace(each, updates=updates))
    return tuple(kept)
