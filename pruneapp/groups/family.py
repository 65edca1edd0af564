"""Families of models: what ``resources/families`` declares of each, and the schema it must fit.

A family is the model types whose tensors are called and shaped alike. A new one is a new file; an
axis that several have stands in ``resources/axes.toml``, and a family names it there. Facts of
names and configuration fields only: nothing of a model's code is needed or run.

Words in the declarations: a *name* is below the layer; ``{wb}`` in it is a weight and, if there,
its bias (whose dimension is 0 whatever that of the weight); ``{E}`` the number of an expert; ``*``
any part between dots. Texts for numbers are expressions over the fields of config.json
(`pruneapp.groups.expression`), with ``n`` for the units that are kept and ``N`` for those before.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from pruneapp import json_codec, resources
from pruneapp.errors import JsonError, PluginError

# What may be cut, in the order in which it is shown. The words are those of the command line.
AxisName = Literal["ffn", "kv-groups", "query-heads", "experts", "layers", "vocabulary", "channels"]
LABELS: Mapping[AxisName, str] = {
    "ffn": "FFN neurons",
    "kv-groups": "Key/value heads",
    "query-heads": "Query heads",
    "experts": "Experts",
    "layers": "Layers",
    "vocabulary": "Vocabulary",
    "channels": "Channels",
}


class _Declared(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is written in a file, and nothing else may be."""


class FactorRule(_Declared, frozen=True):
    """A factor of a unit's value, see `pruneapp.groups.group.Factor`."""

    start: str = "0"
    stop: str = ""
    # ``hidden`` is the activation that the configuration names.
    activation: str = ""


class MemberRule(_Declared, frozen=True):
    """A tensor of a group."""

    name: str
    dim: int
    runs: tuple[str, ...] = ("1",)  # entries that a unit has in each run along the dimension
    factors: tuple[FactorRule, ...] = ()
    output: bool = False
    optional: bool = False  # whether it may be missing


class FurtherGroup(_Declared, frozen=True):
    """Another group of the same axis, which the same field of the configuration governs."""

    members: tuple[MemberRule, ...]
    times: str = "1"  # how many times as wide it is


class AxisRule(_Declared, frozen=True):
    """A size that a family's tensors share."""

    size: str = ""  # units
    # Where every stage has a size of its own: the field that is proportional to all of them.
    share: str = ""
    label: str = ""  # if it is not the usual one
    per: Literal["layer", "expert"] = "layer"
    members: tuple[MemberRule, ...] = ()
    let: dict[str, str] = {}
    set: dict[str, str] = {}  # fields after the cut
    also: dict[str, str] = {}  # fields after the cut that are written where they are there already
    outer: str = "1"  # see `pruneapp.groups.group.Group`
    step: str = "1"  # the class takes whole multiples of so many units
    least: str = "1"  # units that must stay
    needs: str = ""  # what must hold of the configuration
    same: bool = False  # whether the same units go in every layer
    # Of experts: what a whole one is called by, and the tensors with a row for each.
    each: str = ""
    rows: tuple[str, ...] = ()
    shared: FurtherGroup | None = None  # in the same layers
    outside: FurtherGroup | None = None  # outside of the layers


class Family(_Declared, frozen=True):
    """Model types that are alike.

    Attributes
    ----------
    layer
        Finds the stack of layers and the number of the layer in a name.
    depth
        The field with the number of layers; of several stacks one for each, by how it ends. Empty
        where layers cannot be counted.
    also_depth
        Further fields that repeat one of these.
    branches
        What writes into the residual stream of a layer.
    post_norm
        Whether a norm follows the sum, so that no zeros make a layer hand on what it was given.
    keep
        Layers that are unlike the others, and stay.
    vocabulary
        How the names of tensors end that have a row for every token.
    uses, axes
        Axes of ``axes.toml`` by their names there, and those of this family alone.
    refused
        Why an axis is not offered, as a sentence; ``{type}`` is the model type.
    limits
        What the class of a model type demands of the configuration after a cut of an axis.
    write_as
        Another model type that computes the same and demands less.
    known
        Names in a layer that are members of nothing, and outside of the layers (how they end).
    """

    types: tuple[str, ...]
    layer: str
    depth: str | dict[str, str] = ""
    also_depth: dict[str, str] = {}
    activation: str = ""
    branches: tuple[str, ...] = ()
    post_norm: bool = False
    keep: tuple[int, ...] = ()
    layers_need: str = ""
    vocabulary: tuple[str, ...] = ()
    write_as: dict[str, str] = {}
    uses: dict[AxisName, str] = {}
    axes: dict[AxisName, AxisRule] = {}
    refused: dict[AxisName, str] = {}
    limits: dict[str, dict[AxisName, str]] = {}
    known: tuple[str, ...] = ()
    known_outside: tuple[str, ...] = ()

    def rule(self, axis: AxisName) -> AxisRule | None:
        """Return how an axis is cut; None if it has none, or it is refused."""
        own = self.axes.get(axis)
        return own if own is not None or axis not in self.uses else shared_axes()[self.uses[axis]]


def family_of(model_type: str) -> Family | None:
    """Return the family of a model type; None if nobody knows it."""
    return _families().get(model_type)


def model_types() -> tuple[str, ...]:
    """Return every model type that is known, in the order of the alphabet."""
    return tuple(sorted(_families()))


@cache
def shared_axes() -> Mapping[str, AxisRule]:
    """Return the axes that several families share."""
    declared = _read(resources.path("axes.toml"))
    return {name: json_codec.convert(rule, AxisRule) for name, rule in declared.items()}


# Files of other packages.
_registered: list[Path] = []


def register(path: Path) -> None:
    """Add the family that a file declares.

    Raises
    ------
    PluginError
        If it cannot be read, or one of its model types is in a family already.
    """
    _registered.append(path)
    _families.cache_clear()
    try:
        _families()
    except (OSError, ValueError, JsonError) as error:
        unregister(path)
        raise PluginError(f"'{path}' declares no family: {error}") from error


def unregister(path: Path) -> None:
    """Take away the family that a file declares."""
    _registered.remove(path)
    _families.cache_clear()


@cache
def _families() -> Mapping[str, Family]:
    found: dict[str, Family] = {}
    for path in (*sorted(resources.path("families").glob("*.toml")), *_registered):
        family = json_codec.convert(_read(path), Family)
        for model_type in family.types:
            if model_type in found:
                raise ValueError(f"{path.name}: '{model_type}' is in another family already")
            found[model_type] = family
    return found


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))
