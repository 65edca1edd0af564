"""Bind the groups of a known family to a checkpoint by config.json and the tensor shapes.

Nothing is guessed. If a tensor of a group is missing or has an unexpected size, or if an unknown
tensor has a dimension of a group's size, the axis is unavailable, with a sentence that gives the
reason (`Axis.why_not`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.groups.axis import Axis
from pruneapp.groups.expression import ExpressionError, evaluate, evaluate_integer
from pruneapp.groups.family import LABELS, AxisName, AxisRule, Family, FurtherGroup, MemberRule
from pruneapp.groups.group import Factor, Group, Member, Role, Run, Runs

CONFIG = "config.json"
# Stacks of a multimodal model that do not belong to its language model.
_ELSEWHERE = re.compile(r"(?:^|\.)(?:vision|visual|audio|multi_modal_projector)")


@dataclass(frozen=True, eq=False)
class ModelLayer:
    """A layer and its tensors by their names relative to it."""

    stack: str  # such as ``model.layers``
    number: int
    entries: Mapping[str, TensorEntry]

    @cached_property
    def prefix(self) -> str:
        """Prefix of the names of its tensors."""
        return f"{self.stack}.{self.number}."


class _MissingError(ValueError):
    """An axis cannot be bound; the text gives the reason as a sentence."""


class _Layout(NamedTuple):
    """The layout and role of a tensor in a group."""

    runs: Runs
    role: Role
    factors: tuple[Factor, ...]


class _Fields:
    """The fields of a configuration, and member layouts computed from them once per axis.

    Methods raise `ExpressionError` if a field that they need is missing.
    """

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields
        self.layout: Callable[[MemberRule], _Layout] = cache(self._layout)

    def whole(self, text: str) -> int:
        """Return the integer value of an expression."""
        return evaluate_integer(text, self._fields)

    def _layout(self, rule: MemberRule) -> _Layout:
        """Return the layout, role and factors of a member rule; use the cached `layout`."""
        factors = tuple(
            Factor(
                self._activation(factor.activation),
                self.whole(factor.start),
                self.whole(factor.stop) if factor.stop else None,
            )
            for factor in rule.factors
        )
        role: Role = "output" if rule.output else "factor" if factors else "along"
        return _Layout(Runs(tuple(Run(self.whole(text)) for text in rule.runs)), role, factors)

    def _activation(self, named: str) -> str:
        if named != "hidden":
            return named
        found = self._fields.get("activation")
        return found if isinstance(found, str) else "?"


class FamilyGroups:
    """The groups of a checkpoint of one family, found by `axes`.

    Attributes
    ----------
    layers
        In file order.
    depths
        The configuration field with the number of layers, by stack.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        family: Family,
        model_type: str,
        fields: Mapping[str, Any],
        *,
        nested: bool,
    ) -> None:
        self._family = family
        self._type = model_type
        self._fields = fields
        # whether it is part of a larger model, according to the configuration
        self._nested = nested
        self._outside: dict[str, TensorEntry] = {}
        layers: dict[tuple[str, int], dict[str, TensorEntry]] = defaultdict(dict)
        pattern = re.compile(family.layer)
        for entry in checkpoint.entries.values():
            for name in entry.names:
                found = pattern.match(name)
                if found is None or self._elsewhere(found[1]):
                    self._outside[name] = entry
                else:
                    layers[found[1], int(found[2])][name[found.end() :]] = entry
        self.layers = tuple(
            ModelLayer(stack, number, MappingProxyType(entries))
            for (stack, number), entries in layers.items()
        )
        # Cached: the relative names are the same in all layers.
        self._known = cache(_pattern_of(family.known))
        self._known_outside = _pattern_of(family.known_outside, anywhere=True)
        self.depths = self._depths()

    def axes(self) -> dict[AxisName, Axis]:
        """Return the axes of the model, including those that cannot be cut, with the reason.

        Axes that the model does not have are missing. Computed at each call.
        """
        found = {name: self._axis(name) for name in LABELS}
        axes = {name: axis for name, axis in found.items() if axis is not None}
        heads = axes.get("kv-groups")
        if heads is not None and "query-heads" not in axes and not heads.rule.label:
            axes["kv-groups"] = replace(heads, label="Attention heads")  # one query head each
        return axes

    def _depths(self) -> dict[str, str]:
        """Return the configuration field with the number of layers, by stack."""
        depth = self._family.depth
        stacks = dict.fromkeys(layer.stack for layer in self.layers)
        if isinstance(depth, str):
            return dict.fromkeys(stacks, depth) if depth else {}
        return {s: f for s in stacks for end, f in depth.items() if s.endswith(end)}

    def _axis(self, name: AxisName) -> Axis | None:
        """Return an axis, maybe with the reason why it cannot be cut; None if it does not exist.

        Errors of `_MissingError` and `ExpressionError` become the reason.
        """
        family = self._family
        if name in family.refused:
            why = family.refused[name].replace("{type}", self._type)
            return Axis(name, LABELS[name], why_not=why)
        if name == "layers":
            return self._layer_axis()
        if name == "vocabulary":
            return self._vocabulary_axis()
        rule = family.rule(name)
        if rule is None:
            return None
        label = rule.label or LABELS[name]
        try:
            return self._bound(name, label, rule)
        except _MissingError as error:
            return Axis(name, label, rule, why_not=str(error))
        except ExpressionError as error:
            why = f"The configuration does not say what is needed: {error}."
            return Axis(name, label, rule, why_not=why)

    def _bound(self, name: AxisName, label: str, rule: AxisRule) -> Axis | None:
        """Return the axis with its groups by a rule; None if there are no tensors of it.

        Raises `_MissingError` if the tensors do not fit the configuration, `ExpressionError` if the
        latter lacks a field.
        """
        fields = dict(self._fields)
        fields["activation"] = (
            evaluate(self._family.activation, fields) if self._family.activation else None
        )
        if rule.needs and not evaluate(rule.needs, fields):
            raise _MissingError(f"The configuration must contain {rule.needs}, but does not.")
        for key, text in rule.let.items():
            fields[key] = evaluate(text, fields)
        known = _Fields(fields)
        if name == "experts":
            groups = tuple(self._expert_groups(rule, known))
        else:
            groups = tuple(self._groups(name, rule, known))
        if not groups:
            return None
        outer = groups[0].outer
        if outer > 1 and groups[0].count == outer and name == "query-heads":
            return None  # one query head per key/value head: cut with their keys and values
        self._check_complete(groups)
        limit = self._family.limits.get(self._type, {}).get(name, "")
        step, least = evaluate_integer(rule.step, fields), evaluate_integer(rule.least, fields)
        axis = Axis(name, label, rule, groups, fields, step, least, limit)
        sizes: tuple[int, ...] = ()
        if step > 1 or limit:
            sizes = tuple(n for n in range(1, axis.count + 1) if axis.takes(n))
        if sizes or rule.same:
            groups = tuple(replace(each, same=rule.same, sizes=sizes) for each in groups)
        return replace(axis, groups=groups)

    def _groups(self, name: AxisName, rule: AxisRule, fields: _Fields) -> Iterator[Group]:
        """Yield the groups of an axis other than experts, layers and vocabulary, layer by layer.

        Groups outside of the layers come last. Raises as `_bound`.
        """
        count = 0 if rule.share else fields.whole(rule.size)
        if count < 1 and not rule.share:
            raise _MissingError(f"By {CONFIG} there are {count:,} units ({rule.size}).")
        outer = fields.whole(rule.outer)
        for layer in self.layers:
            sites = _experts_in(rule, layer) if rule.per == "expert" else ("",)
            for expert in sites:
                members = _members(rule.members, layer.entries, fields, expert)
                if not members:
                    continue
                units = count or _extent(members[0])
                place = f"{layer.prefix}{_place(members, layer)}"
                yield self._group(name, place, units, members, layer.number, outer=outer)
            yield from self._further(name, rule.shared, layer.entries, fields, count, layer.number)
        yield from self._further(name, rule.outside, _by_end(self._outside), fields, count, None)

    def _further(  # noqa: PLR0917 - each its own type
        self,
        name: AxisName,
        further: FurtherGroup | None,
        entries: Mapping[str, TensorEntry],
        fields: _Fields,
        count: int,
        number: int | None,
    ) -> Iterator[Group]:
        """Yield the group of a further declaration, if there is one and its tensors exist.

        `count` is the number of units of the other groups, `number` that of the layer.
        """
        if further is None:
            return
        members = _members(further.members, entries, fields, "", optional=True)
        if members:
            times = fields.whole(further.times)
            place = members[0][1].name.rpartition(".")[0]
            yield self._group(name, place, count * times, members, number, times=times)

    def _group(
        self,
        name: AxisName,
        place: str,
        count: int,
        found: list[tuple[Member, TensorEntry]],
        number: int | None,
        *,
        outer: int = 1,
        times: int = 1,
    ) -> Group:
        """Return the group of some members, after comparing their sizes with `count` units.

        Raises `_MissingError` if a size differs, a member is packed, or `count` is no multiple of
        `outer`.
        """
        if outer > 1 and count % outer:
            raise _MissingError(f"{count:,} units are no multiple of {outer:,}.")
        for member, entry in found:
            if member.dim >= len(entry.shape):
                raise _MissingError(
                    f"'{entry.name}' has {len(entry.shape)} dimensions and should have more "
                    f"than {member.dim}."
                )
            size, wanted = entry.shape[member.dim], member.layout.size(count)
            if size != wanted:
                raise _MissingError(
                    f"'{entry.name}' has {size:,} entries along dim {member.dim}; {CONFIG} "
                    f"requires {wanted:,}."
                )
            if entry.dtype.packed:
                raise _MissingError(
                    f"'{entry.name}' is packed ({entry.dtype.label}) and is not changed."
                )
        return Group(name, place, count, tuple(m for m, _ in found), number, outer, times)

    def _expert_groups(self, rule: AxisRule, fields: _Fields) -> Iterator[Group]:
        """Yield a group of experts for each layer that has any.

        Raises `_MissingError` if an expert of a layer is missing, or is beyond the number of
        experts.
        """
        count, outer = fields.whole(rule.size), fields.whole(rule.outer)
        rows = tuple(MemberRule(name=row, dim=0, optional=True) for row in rule.rows)
        before, _, after = rule.each.partition("{E}")
        for layer in self.layers:
            found = _members(rows, layer.entries, fields, "")
            if not found:
                continue
            units: tuple[tuple[str, ...], ...] = ()
            prefix = ""
            if rule.each:
                inside: list[list[str]] = [[] for _ in range(count)]
                for rest, entry in layer.entries.items():
                    number = rest[len(before) :].partition(after)[0]
                    if rest.startswith(before) and number.isdecimal():
                        if int(number) >= count:
                            raise _MissingError(
                                f"'{entry.name}' is of an expert beyond {count - 1:,}."
                            )
                        inside[int(number)].append(layer.prefix + rest)
                units, prefix = tuple(map(tuple, inside)), layer.prefix + before
                if not all(units):
                    raise _MissingError(f"Some experts of '{layer.prefix}' are missing.")
            place = layer.prefix + (before or rule.rows[0].rpartition(".")[0])
            group = self._group(
                "experts", place.rstrip("."), count, found, layer.number, outer=outer
            )
            yield replace(group, tensors=units, prefix=prefix)

    def _layer_axis(self) -> Axis | None:
        """Return the axis of whole layers; None if the family does not count them.

        It has a reason instead of groups if the layers in the file are not those of the
        configuration.
        """
        label, family, depths = LABELS["layers"], self._family, self.depths
        if not depths:
            return None
        groups = []
        stacks: dict[str, dict[int, ModelLayer]] = defaultdict(dict)
        for layer in self.layers:
            stacks[layer.stack][layer.number] = layer
        for stack, layers in stacks.items():
            if stack not in depths:
                continue
            count = self._fields.get(depths[stack])
            if not isinstance(count, int) or sorted(layers) != list(range(count)):
                why = f"{CONFIG} sets {depths[stack]} = {count!r}, but '{stack}' has {len(layers)}."
                if isinstance(count, int) and len(layers) > count:
                    why += " The layers beyond that number would not fit a model with fewer."
                return Axis("layers", label, why_not=why)
            in_order = [layers[number] for number in range(count)]
            named = (() if family.post_norm else family.branches for _ in in_order)
            branches = tuple(
                tuple(entry.name for _, entry in _tensors_named(names, layer.entries))
                for names, layer in zip(named, in_order, strict=True)
            )
            groups.append(
                Group(
                    "layers",
                    stack,
                    count,
                    (),
                    tensors=tuple(
                        tuple(layer.prefix + rest for rest in layer.entries) for layer in in_order
                    ),
                    silenced_by=branches,
                    prefix=f"{stack}.",
                )
            )
        if family.layers_need and not evaluate(family.layers_need, self._fields):
            why = (
                "The model computes with the index of each layer; removing layers requires "
                f"{family.layers_need}."
            )
            return Axis("layers", label, why_not=why)
        return Axis("layers", label, AxisRule(), tuple(groups), self._fields)

    def _vocabulary_axis(self) -> Axis | None:
        """Return the axis of tokens; None if the family declares no tensors with a row per token.

        It has a reason instead of groups for a nested model, and if the tensors do not fit.
        """
        label = LABELS["vocabulary"]
        count = self._fields.get("vocab_size")
        ends = _by_end(self._outside)
        rules = tuple(MemberRule(name=name, dim=0) for name in self._family.vocabulary)
        if not isinstance(count, int) or not rules:
            return None
        if self._nested:
            why = (
                "The vocabulary cannot be reduced: the model refers to tokens of images by "
                "their ID."
            )
            return Axis("vocabulary", label, why_not=why)
        found: dict[str, tuple[Member, TensorEntry]] = {}
        for rule in rules:
            for _, entry in _tensors_named((rule.name,), ends):
                dim = next((d for d, n in enumerate(entry.shape) if n == count), 0)
                dim = dim if entry.name.endswith("bias") else 0
                found[entry.name] = Member(entry.name, dim), entry
        if not found:
            return None
        try:
            group = self._group("vocabulary", "tokens", count, list(found.values()), None)
            self._check_rows(group)
        except _MissingError as error:
            return Axis("vocabulary", label, why_not=str(error))
        return Axis("vocabulary", label, AxisRule(set={"vocab_size": "n"}), (group,), self._fields)

    def _check_rows(self, group: Group) -> None:
        """Raise if an unknown tensor outside of the layers has as many rows as the vocabulary."""
        for name, entry in self._outside.items():
            unknown = entry.name not in group.member_of and not self._known_outside(name)
            if unknown and entry.shape[:1] == (group.count,) and not self._elsewhere(name):
                raise _MissingError(_unexplained(name, group.count))

    def _elsewhere(self, name: str) -> bool:
        return self._nested and _ELSEWHERE.search(name) is not None

    def _check_complete(self, groups: tuple[Group, ...]) -> None:
        """Raise `_MissingError` if an unknown tensor has a dimension of the size of a group.

        Within a layer, only sizes of groups of the same layer number count.
        """
        members = {member.name for group in groups for member in group.members}
        members.update(name for group in groups for unit in group.tensors for name in unit)
        sizes: dict[int | None, set[int]] = defaultdict(set)
        for group in groups:
            sizes[group.layer] |= {m.layout.size(group.count) for m in group.members}
        everywhere = set().union(*sizes.values())
        for layer in self.layers:
            wanted = sizes.get(layer.number, set())
            for rest, entry in layer.entries.items():
                if wanted.isdisjoint(entry.shape) or entry.name in members or self._known(rest):
                    continue
                of_a_size = next(n for n in entry.shape if n in wanted)
                raise _MissingError(_unexplained(layer.prefix + rest, of_a_size))
        for name, entry in self._outside.items():
            size = next((n for n in entry.shape if n in everywhere), None)
            known = entry.name in members or self._known_outside(name) or self._elsewhere(name)
            if size and not known:
                raise _MissingError(_unexplained(name, size))


def _unexplained(name: str, size: int) -> str:
    return (
        f"'{name}' has a dimension of {size:,}, like the group, but it is unknown whether it "
        "belongs to the group. Nothing is removed here."
    )


def _members(
    rules: Iterable[MemberRule],
    entries: Mapping[str, TensorEntry],
    fields: _Fields,
    expert: str,
    *,
    optional: bool = False,
) -> list[tuple[Member, TensorEntry]]:
    """Return the members of a group with their tensors, in the order of `rules`.

    `entries` has the tensors by the names that rules use; ``{E}`` in these is replaced by `expert`.
    Empty if none of the required tensors exists; raises `_MissingError` if only some exist, unless
    `optional` makes all of them optional.
    """
    found: list[tuple[Member, TensorEntry]] = []
    missing = ""
    for rule in rules:
        name = rule.name.replace("{E}", expert)
        plain = entries.get(name)  # most names contain no pattern
        here = [("", plain)] if plain is not None else list(_tensors_named((name,), entries))
        if not here:
            missing = missing or ("" if rule.optional or optional else name)
            continue
        layout = fields.layout(rule)
        for part, entry in here:
            dim = 0 if part == "bias" else rule.dim
            found.append((Member(entry.name, dim, *layout), entry))
    if missing and found:
        missing = missing.replace("{wb}", "weight")
        raise _MissingError(f"'{missing}' is missing next to '{found[0][1].name}'.")
    return found


def _tensors_named(
    names: Iterable[str], entries: Mapping[str, TensorEntry]
) -> Iterator[tuple[str, TensorEntry]]:
    """Yield the tensors with one of the names, each with what ``{wb}`` matched ("" without it).

    The order is that of `names`, weights before biases. Missing tensors are skipped.
    """
    for name in names:
        wb = "{wb}" in name
        for part in ("weight", "bias") if wb else ("",):
            wanted = name.replace("{wb}", part)
            if "*" in wanted:
                matches = _pattern_of((wanted,))
                for rest, entry in entries.items():
                    if matches(rest):
                        yield part, entry
            elif wanted in entries:
                yield part, entries[wanted]


def _by_end(outside: Mapping[str, TensorEntry]) -> Mapping[str, TensorEntry]:
    """Return tensors by every suffix of their names that begins after a dot; the first one wins.

    Whole names are included.
    """
    found: dict[str, TensorEntry] = {}
    for name, entry in outside.items():
        rest = name
        while True:
            found.setdefault(rest, entry)
            _, dot, rest = rest.partition(".")
            if not dot:
                break
    return found


@cache
def _pattern_of(names: tuple[str, ...], *, anywhere: bool = False) -> Any:
    """Return a function that returns a match for a name of the list, else None.

    With `anywhere`, it matches the end of a name, after a dot. Without names nothing matches.
    """
    texts = []
    for name in names:
        text = re.escape(name).replace(r"\*", r"[^.]*").replace(r"\{wb\}", "(?:weight|bias)")
        texts.append(text)
    start = r"(?:.*\.)?" if anywhere else ""
    return re.compile(f"{start}(?:{'|'.join(texts)})").fullmatch if texts else lambda _name: None


def _experts_in(rule: AxisRule, layer: ModelLayer) -> tuple[str, ...]:
    """Return the numbers of the experts of a layer, as texts in the tensor names, ascending.

    Found by the first member of the rule; empty if there is none.
    """
    before, _, after = rule.members[0].name.partition("{E}")
    ends = "." + after.lstrip(".")
    numbers = [
        rest[len(before) : -len(ends)]
        for rest in layer.entries
        if rest.startswith(before) and rest.endswith(ends)
    ]
    return tuple(sorted((n for n in numbers if n.isdecimal()), key=int))


def _extent(found: tuple[Member, TensorEntry]) -> int:
    member, entry = found
    return entry.shape[member.dim]


def _place(found: list[tuple[Member, TensorEntry]], layer: ModelLayer) -> str:
    """Return the innermost module that contains all members of a group, relative to the layer."""
    rests = [entry.name.removeprefix(layer.prefix) for _, entry in found]
    parts = [rest.split(".")[:-1] for rest in rests]
    common = []
    for each in zip(*parts, strict=False):
        if len(set(each)) > 1:
            break
        common.append(each[0])
    return ".".join(common)
