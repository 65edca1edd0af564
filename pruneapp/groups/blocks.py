"""Known blocks of networks without a configuration, found by tensor names and shapes.

A state dict does not contain the order of computation, and guessing it from sizes is unsafe.
Therefore groups are only found inside of blocks with a known form: all tensors of a block must have
the names and shapes declared in ``resources/blocks.toml``, with no additional tensor. Cutting
inside a block does not affect the rest of the network.

Terms in the declarations: a *name* is relative to the block; ``{wb}`` in it matches a weight and,
if present, its bias; ``{norm}`` weight, bias and running statistics of a norm. A *shape* has a
letter per size; the letters in `BlockForm.groups` are sizes that can be cut. Along the first
dimension a tensor produces the channels, along any other it reads them.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

import msgspec

from pruneapp import json_codec, resources
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.groups.expression import evaluate
from pruneapp.groups.group import Factor, Group, Member, Role

# Running statistics of a norm.
_MEASURED = ("running_mean", "running_var")
_COUNTER = "num_batches_tracked"
# More tensors than a block of any form has.
_MOST = 64
_LAST = chr(0x10FFFF)


class _Declaration(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of the declarations in the file; unknown keys are errors."""


class BlockTensor(_Declaration, frozen=True):
    """A tensor of a block, or the tensors of a module."""

    name: str
    shape: str
    # For the last affine map before an activation: the activation's name, as in
    # `pruneapp.shrink.dead_units`.
    activation: str | None = None
    optional: bool = False


class Argument(_Declaration, frozen=True):
    """A constructor argument of a class that determines the width of all of its blocks."""

    name: str
    width: str  # expression: units of a group, from the argument ``w`` and the sizes of the block
    value: str  # expression: the argument, from the units ``n``
    # name of the argument in `model_args` of timm's configuration; empty if there is none
    timm: str = ""
    whole: bool = False  # whether it is an integer
    architectures: tuple[str, ...] = ()  # prefixes of timm's architecture names


class BlockForm(_Declaration, frozen=True):
    """The declared form of a block.

    Attributes
    ----------
    within
        Regular expression for the prefix of the names; empty matches any.
    apart
        Modules on a parallel path from the input of the block to its sum.
    order
        Names in the order of computation, checked if the file keeps the order of modules.
    paths
        Modules and joins in the order of computation, for `pruneapp.groups.connections`: stages are
        separated by ``>``, modules of a stage by spaces.
    """

    label: str
    axis: Literal["ffn", "channels"]
    groups: tuple[str, ...]
    tensors: tuple[BlockTensor, ...]
    within: str = ""
    apart: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    argument: Argument | None = None


@dataclass(frozen=True, eq=False)
class KnownBlock:
    """A block found in a checkpoint."""

    form: BlockForm
    prefix: str  # of the tensor names
    sizes: Mapping[str, int]  # by the letters of the shapes
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class FoundBlocks:
    """The blocks of a checkpoint, in file order, and why similar ones are not accepted."""

    blocks: tuple[KnownBlock, ...]
    misfits: tuple[str, ...] = ()  # sentences


def find_blocks(checkpoint: Checkpoint) -> FoundBlocks:
    """Return the blocks of a checkpoint with a known form, without reading weights.

    If a block has the names of a form but other shapes, the network is a different one with similar
    names, and no block of that form is returned. O(n log n) in the number of tensors.
    """
    named = {name: entry for entry in checkpoint.entries.values() for name in entry.names}
    place = {name: at for at, name in enumerate(named)}
    # safetensors sorts by name; torch files keep the order of the modules.
    of_modules = checkpoint.contents.format.startswith("torch")
    in_order = sorted(named)
    found: list[KnownBlock] = []
    misfits: list[str] = []
    for name, form in forms().items():
        try:
            found += list(_blocks_of(name, named, place if of_modules else None, in_order))
        except _MisfitError as error:
            misfits.append(f"No {form.label} is removed: {error}")
    found.sort(key=lambda block: place[block.groups[0].members[0].name])
    return FoundBlocks(tuple(found), tuple(misfits))


def argument_of(argument: Argument, widths: Iterable[tuple[KnownBlock, int]]) -> float | int | None:
    """Return the value of an argument that gives the groups of blocks the given widths.

    `widths` are pairs of a block and its number of units. None if no value does, or if `widths` is
    empty.
    """
    widths = tuple(widths)
    wanted = [float(evaluate(argument.value, {**b.sizes, "n": n})) for b, n in widths]
    if not wanted:
        return None
    low = max(wanted)
    tries: tuple[float, ...] = (-int(-low // 1),) if argument.whole else (low, low * (1 + 2**-50))
    fits = (w for w in tries if all(width_of(argument, b, w) == n for b, n in widths))
    return next(fits, None)


def width_of(argument: Argument, block: KnownBlock, value: float) -> int:
    """Return the width of a block's groups for a value of an argument."""
    return int(evaluate(argument.width, {**block.sizes, "w": value}))


@cache
def forms() -> Mapping[str, BlockForm]:
    """Return all known forms, by their names in ``resources/blocks.toml``."""
    declared = tomllib.loads(resources.path("blocks.toml").read_text("utf-8"))
    return {name: json_codec.convert(form, BlockForm) for name, form in declared.items()}


class _MisfitError(ValueError):
    """A block has the names of a form but differs from it; the text is the reason."""


class _Part(NamedTuple):
    """A tensor of a form."""

    shape: tuple[str, ...]
    needed: bool
    activation: str | None  # if the tensor is a factor


@cache
def _parts(name: str) -> Mapping[str, _Part]:
    """Return the tensors of a form by their names relative to the block, in the form's order.

    ``{wb}`` and ``{norm}`` are expanded. `name` is that of the form. Cached.
    """
    found = {}
    for rule in forms()[name].tensors:
        shape = tuple(rule.shape.split())
        stem, brace, kind = rule.name.partition("{")
        if not brace:
            found[stem] = _Part(shape, not rule.optional, rule.activation)
            continue
        norm = kind == "norm}"
        found[stem + "weight"] = _Part(shape, not rule.optional, rule.activation)
        found[stem + "bias"] = _Part(shape[:1], norm and not rule.optional, rule.activation)
        # A norm without running statistics mixes channels: group norm or layer norm.
        for measured in _MEASURED if norm else ():
            found[stem + measured] = _Part(shape[:1], not rule.optional, None)
        if norm:
            found[stem + _COUNTER] = _Part((), needed=False, activation=None)
    return found


def _blocks_of(
    name: str,
    named: Mapping[str, TensorEntry],
    place: Mapping[str, int] | None,
    in_order: list[str],
) -> Iterator[KnownBlock]:
    """Yield the blocks of the form `name`, in file order.

    `named` has all tensors by name, `in_order` the same names sorted, and `place` their order in
    the file, or None if that says nothing about the order of modules. Raises `_MisfitError` for a
    block with the names of the form and other shapes or another order.
    """
    form, parts = forms()[name], _parts(name)
    needed = [rest for rest, part in parts.items() if part.needed]
    within = re.compile(form.within) if form.within else None
    apart = tuple(f"{module}." for module in form.apart)
    first = needed[0]
    for found in named:
        if not found.endswith(first):
            continue
        prefix = found[: -len(first)]
        if (prefix and prefix[-1] != ".") or (within and not within.fullmatch(prefix)):
            continue
        inside = [rest for rest in _inside(prefix, in_order) if not rest.startswith(apart)]
        if parts.keys() >= set(inside) >= set(needed):
            here = {rest: named[prefix + rest] for rest in parts if rest in inside}
            if place is not None:
                _check_order(form, prefix, inside, place)
            yield _block(form, prefix, here, parts)


def _inside(prefix: str, in_order: list[str]) -> list[str]:
    """Return the names below a prefix, relative to it; empty if there are more than `_MOST`."""
    start = bisect_left(in_order, prefix)
    stop = bisect_left(in_order, prefix + _LAST, start)
    return [name[len(prefix) :] for name in in_order[start:stop]] if stop - start <= _MOST else []


def _check_order(form: BlockForm, prefix: str, inside: list[str], place: Mapping[str, int]) -> None:
    """Raise `_MisfitError` if the modules are in a different order than declared.

    Nothing is checked if the names in the file are sorted. `inside` are names relative to `prefix`,
    `place` the order in the file by full name.
    """
    weights = [name for name in inside if name.endswith(".weight")]  # sorted by name
    in_file = sorted(weights, key=lambda name: place[prefix + name])
    places = [in_file.index(name) for name in form.order]
    if in_file != weights and places != sorted(places):
        first, second = form.order
        raise _MisfitError(
            f"'{prefix}{second}' comes before '{prefix}{first}' in the file, so the block computes "
            "in another order."
        )


def _block(
    form: BlockForm, prefix: str, here: Mapping[str, TensorEntry], parts: Mapping[str, _Part]
) -> KnownBlock:
    """Return the block of the tensors `here`, by name relative to `prefix`, with its groups.

    Raises `_MisfitError` if a shape does not fit those of `parts`, or a member is tied or packed.
    """
    sizes: dict[str, int] = {}
    for name, entry in here.items():
        shape = parts[name].shape
        wanted = tuple(
            size
            if letter == "*"
            else int(letter)
            if letter.isdecimal()
            else sizes.get(letter, size)
            for letter, size in zip(shape, entry.shape, strict=False)
        )
        if entry.shape != wanted or len(shape) != len(entry.shape):
            form_of = " × ".join(f"{sizes.get(letter, letter)}" for letter in shape)
            raise _MisfitError(
                f"'{entry.name}' has the shape {_shown(entry.shape)}, and in such a block it would "
                f"have {form_of}."
            )
        sizes |= dict(zip(shape, entry.shape, strict=True))
    groups = []
    for letter in form.groups:
        members = _members(letter, here, parts)
        place = members[0].stem if len(form.groups) > 1 else prefix.rstrip(".")
        groups.append(Group(form.axis, place, sizes[letter], members))
    return KnownBlock(form, prefix, sizes, tuple(groups))


def _members(
    letter: str, here: Mapping[str, TensorEntry], parts: Mapping[str, _Part]
) -> tuple[Member, ...]:
    """Return the tensors of a block that have the size `letter` along a dimension.

    `here` and `parts` have the tensors and their declarations by relative name. Raises
    `_MisfitError` if one of them is tied or packed.
    """
    members = []
    for name, entry in here.items():
        part = parts[name]
        if letter not in part.shape:
            continue
        if entry.aliases:
            raise _MisfitError(f"'{entry.name}' is tied to '{entry.aliases[0]}'.")
        if entry.dtype.packed:
            raise _MisfitError(
                f"'{entry.name}' is packed ({entry.dtype.label}) and is not changed."
            )
        dim = part.shape.index(letter)
        is_factor = part.activation is not None and dim == 0
        role: Role = "output" if dim else "factor" if is_factor else "along"
        factors = (Factor(part.activation or ""),) if is_factor else ()
        members.append(Member(entry.name, dim, role=role, factors=factors))
    return tuple(members)


def _shown(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) or "of a number"
