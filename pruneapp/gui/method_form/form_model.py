"""What the form is told about methods, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pruneapp.params import Param


@dataclass(frozen=True)
class MethodForm:
    """A method, as the form shows it.

    Attributes
    ----------
    name
        As the request names it.
    label
        A few words for the list.
    help
        A paragraph behind the "?".
    formula
        The score, as one line.
    params
        What it asks for, in this order.
    scopes
        Of "local" and "global", those that it can.
    granularity
        What is taken away as one: "weights", "groups", "channels", "blocks" or "mask". In the
        list a line is drawn where it changes.
    takes_mask, takes_scores
        Whether it needs a mask from a file, whether it can rank by scores from a file.
    excludes
        Whether it prunes nothing: a rule of it excludes tensors from those before.
    """

    name: str
    label: str
    help: str
    formula: str
    params: tuple[Param, ...]
    scopes: tuple[str, ...] = ("local",)
    granularity: str = "weights"
    takes_mask: bool = False
    takes_scores: bool = False
    excludes: bool = False


@dataclass(frozen=True)
class FormRow:
    """One rule of a request.

    Attributes
    ----------
    pattern, kind
        Globs over whole names, separated by commas, or a kind of layer; both empty: the tensors
        that are checked.
    method
        Name of the method.
    values
        A valid value for each of its parameters.
    """

    pattern: str
    kind: str
    method: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FormRequest:
    """What is asked for: rules, applied as one step; the last that names a tensor takes precedence.

    Attributes
    ----------
    rows
        The rules.
    scope
        "local" or "global".
    limits
        The limits that bind, by the names of their parameters.
    companions
        Whether the bias and norm of channels that go along dim 0 go as well.
    selected
        Which of the rules is shown; two requests that differ in that ask for the same.
    """

    rows: tuple[FormRow, ...]
    scope: str = "local"
    limits: Mapping[str, Any] = field(default_factory=dict)
    companions: bool = False
    selected: int = field(default=0, compare=False)
