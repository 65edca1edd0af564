"""Model families: the schema of the declarations in ``resources/families``, and their lookup.

A family is a set of model types with the same tensor names and shapes. A new family is a new file;
axes used by several families are declared in ``resources/axes.toml`` and referred to by name.
Declarations contain names and configuration fields only; no code of a model is needed or run.

Terms in the declarations: a *name* is relative to the layer; ``{wb}`` in it matches a weight and,
if present, its bias (whose dimension is 0 whatever that of the weight); ``{E}`` the number of an
expert; ``*`` any part between dots. Texts for numbers are expressions over the fields of
config.json (`pruneapp.groups.expression`), with ``n`` for the number of kept units and ``N`` for
that before.
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

# The axes that may be cut, in display order. The names are those of the command line.
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
    """Base of the declarations in a file; unknown keys are errors."""


class FactorRule(_Declared, frozen=True):
    """A factor of a unit's value, see `pruneapp.groups.group.Factor`."""

    start: str = "0"
    stop: str = ""
    # ``hidden`` refers to the activation named in the configuration.
    activation: str = ""


class MemberRule(_Declared, frozen=True):
    """A tensor of a group."""

    name: str
    dim: int
    runs: tuple[str, ...] = ("1",)  # entries per unit in each run along the dimension
    factors: tuple[FactorRule, ...] = ()
    output: bool = False
    optional: bool = False  # whether it may be missing


class FurtherGroup(_Declared, frozen=True):
    """Another group of the same axis, governed by the same field of the configuration."""

    members: tuple[MemberRule, ...]
    times: str = "1"  # its width relative to the other groups


class AxisRule(_Declared, frozen=True):
    """A size that tensors of a family share."""

    size: str = ""  # number of units
    # If every stage has a size of its own: the field that is proportional to all of them.
    share: str = ""
    label: str = ""  # if it differs from the usual one
    per: Literal["layer", "expert"] = "layer"
    members: tuple[MemberRule, ...] = ()
    let: dict[str, str] = {}
    set: dict[str, str] = {}  # configuration fields after the cut
    also: dict[str, str] = {}  # like `set`, but written only if present
    outer: str = "1"  # see `pruneapp.groups.group.Group`
    step: str = "1"  # the class supports multiples of this number of units
    least: str = "1"  # minimum number of kept units
    needs: str = ""  # condition on the configuration
    same: bool = False  # whether the same units are cut in every layer
    # For experts: the name prefix of a whole expert, and tensors with a row per expert.
    each: str = ""
    rows: tuple[str, ...] = ()
    shared: FurtherGroup | None = None  # in the same layers
    outside: FurtherGroup | None = None  # outside of the layers


class Family(_Declared, frozen=True):
    """A set of model types with the same tensor names and shapes.

    Attributes
    ----------
    layer
        Regular expression that finds the layer stack and the layer number in a tensor name.
    depth
        The field with the number of layers; for several stacks one per stack, by the end of its
        name. Empty if layers cannot be counted.
    also_depth
        Further fields that repeat one of these.
    branches
        Tensors that write into the residual stream of a layer.
    post_norm
        Whether a norm follows the residual sum, so that a layer with zero weights does not pass its
        input through unchanged.
    keep
        Layers that differ from the others and are always kept.
    vocabulary
        Ends of the names of tensors that have a row per token.
    uses, axes
        Axes of ``axes.toml`` by their names there, and axes declared for this family only.
    refused
        Why an axis is not available, as a sentence; ``{type}`` is the model type.
    limits
        Conditions of a model type's class on the configuration after a cut, by axis.
    write_as
        Another model type that computes the same with fewer restrictions.
    attention
        Modules of a layer in the order in which they feed each other, for display: stages are
        separated by " > ", modules of a stage by spaces. For families whose heads have no axis.
    stream
        What connects the layers, for display: the module before the first layer (of several, the
        first that exists), the modules of a layer that read the output of the previous one, the
        module that computes the output of a layer, and the module after the last layer. Empty if
        only the layers are known.
    known
        Names in a layer that are not members of a group; `known_outside` those outside of the
        layers (ends of names).
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
    attention: tuple[str, ...] = ()
    stream: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    known_outside: tuple[str, ...] = ()

    def rule(self, axis: AxisName) -> AxisRule | None:
        """Return how an axis is cut; None if the family has no such axis."""
        own = self.axes.get(axis)
        return own if own is not None or axis not in self.uses else shared_axes()[self.uses[axis]]


def family_of(model_type: str) -> Family | None:
    """Return the family of a model type; None if it is unknown."""
    return _families().get(model_type)


def model_types() -> tuple[str, ...]:
    """Return all known model types in alphabetical order."""
    return tuple(sorted(_families()))


@cache
def shared_axes() -> Mapping[str, AxisRule]:
    """Return the axes of ``axes.toml`` by name."""
    declared = _read(resources.path("axes.toml"))
    return {name: json_codec.convert(rule, AxisRule) for name, rule in declared.items()}


# Family files registered by plugins.
_registered: list[Path] = []


def register(path: Path) -> None:
    """Add the family declared in a file.

    Raises `PluginError`, and adds nothing, if the file cannot be read or is invalid, or one of its
    model types is in a family already (also if the file itself is registered).
    """
    _registered.append(path)
    _families.cache_clear()
    try:
        _families()
    except (OSError, ValueError, JsonError) as error:
        unregister(path)
        raise PluginError(f"'{path}' declares no family: {error}") from error


def unregister(path: Path) -> None:
    """Remove the family declared in a file; it must be registered."""
    _registered.remove(path)
    _families.cache_clear()


@cache
def _families() -> Mapping[str, Family]:
    """Return all families by model type: those of the application, then registered ones.

    Cached. Raises `ValueError` if a type is in two families, and the errors of invalid files.
    """
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
