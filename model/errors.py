"""Errors in definitions written in the language. Each one says: expected, got, nearest valid choice."""

from __future__ import annotations

from collections.abc import Iterable

from ..specs import errors


class ModelError(errors.IsrproofError):
    """Base of every error of the language."""


class SortError(ModelError, TypeError):
    """An expression or value has the wrong sort."""


class DefinitionError(ModelError, ValueError):
    """An action, property or model is not well formed."""


class UnknownNameError(ModelError, errors.UnknownNameError, LookupError):
    """A name that nothing has: a field, setting, action, behaviour, property, record field or enum value."""


class NotWrittenError(ModelError, NotImplementedError):
    """A reading has no translation of an operator *yet*."""


class ImpossibleError(ModelError, NotImplementedError):
    """A reading can never translate an operator; the message says why."""


def unknown(kind: str, name: object, known: Iterable[object], owner: str = "") -> UnknownNameError:
    """The error for a name that is not among `known`, with the nearest valid choice."""
    import difflib

    names = [str(each) for each in known]
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"expected one of: {', '.join(names) or 'none is defined'}"
    return UnknownNameError(f"{owner + ': ' if owner else ''}unknown {kind} {str(name)!r}; {hint}")
