"""Plan the cut of a state: units that are dead in all layers, and units that the user chose.

A class of transformers can load only layers of equal width. The layer with the most alive units
therefore decides the width, and the other layers keep dead units as zeros. Blocks of a network
without a configuration can each have a different width.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.errors import counted, first_names
from pruneapp.export.catalog import format_named
from pruneapp.export.records import State
from pruneapp.export.report import CHANGES, EXACT, Exactness
from pruneapp.export.rounding import KEEP, Rounding
from pruneapp.groups.axis import Axis, fields_of
from pruneapp.groups.family import AxisName
from pruneapp.groups.family_groups import CONFIG
from pruneapp.groups.group import Group, Units
from pruneapp.groups.structure import Structure
from pruneapp.kernels.values import Bools
from pruneapp.methods.coupled_units import lowest_units
from pruneapp.progress import Job
from pruneapp.shrink import configuration, loader
from pruneapp.shrink.cut import Cut, GroupCut, ShrinkError
from pruneapp.shrink.dead_units import (
    UnitState,
    can_absorb_constants,
    find_unit_states,
    fold,
    is_zero,
    nonzero_entries,
    read_values,
    rows_by_unit,
    work_amount,
)
from pruneapp.shrink.tokens.vocabulary import VocabularyCut

# Axes whose units can become dead by pruning weights to zero.
_BY_ZEROS: tuple[AxisName, ...] = ("ffn", "kv-groups", "query-heads", "channels")
# Maximum number of groups listed in the notice about dead units that rounding keeps.
_NAMED = 4
# Number of allowed sizes that the error about a size that is not allowed suggests.
_NEAREST = 2


@dataclass(frozen=True)
class Choices:
    """Choices of the user: what to cut in addition to dead units.

    Attributes
    ----------
    multiple
        The number of FFN neurons or channels is rounded up to a multiple of this; None for
        `Axis.multiple`.
    layers
        Indices of the layers to remove from every stack.
    experts
        Number of experts to keep in each layer, those with the highest scores; None keeps all.
    expert_scores
        Score of each expert, by the `place` of the group.
    vocabulary
        Rows of the embeddings to keep, with the tokenizer files to write; None keeps all.
    changed
        Axes in which units were pruned only for this export, so that cutting them changes the
        output of the model.
    write_as
        Model type to write instead of the present one; "" keeps it. The family must list it as
        equivalent.
    kept
        Requested number of units by axis name. A requested number of heads that the class does not
        accept is an error, while a number that results from zeros is rounded up.
    one_ratio
        Whether blocks of a network without a configuration keep the widths that a single argument
        of the model's class can produce.
    """

    multiple: int | None = None
    layers: tuple[int, ...] = ()
    experts: int | None = None
    expert_scores: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    vocabulary: VocabularyCut | None = None
    changed: frozenset[AxisName] = frozenset()
    write_as: str = ""
    kept: Mapping[str, int] = field(default_factory=dict)
    one_ratio: bool = False


@dataclass(frozen=True)
class AxisChange:
    """The number of units of an axis before and after a cut."""

    name: AxisName
    label: str
    before: int
    after: int
    exactness: Exactness = EXACT
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class OtherContents:
    """What a training checkpoint has next to the state dict that is cut: the keys of its values."""

    plain: tuple[str, ...] = ()  # values that a torch file keeps, such as the epoch
    rest: tuple[str, ...] = ()  # values of the original widths, such as the optimizer

    def notices(self, path: Path) -> tuple[str, ...]:
        """Return what a cut that is written to `path` has of them, at most one sentence."""
        form = format_named(path)
        kept = self.plain if form is not None and form.name == "torch" else ()
        others = (*self.rest, *(() if kept else self.plain))
        sentence = ""
        if kept and others:
            sentence = (
                f"The file also keeps {first_names(kept)}. Not included, because the sizes would "
                f"not match: {first_names(others)}."
            )
        elif kept:
            sentence = f"The file also keeps {first_names(kept)}."
        elif others:
            sentence = (
                f"The file contains only the state dict. Not included: {first_names(others)}."
            )
        return (sentence,) if sentence else ()


@dataclass(frozen=True, eq=False)
class ShrinkPlan:
    """A cut, and everything that has to be written with it.

    Attributes
    ----------
    axes
        Sizes of all axes before and after the cut, unchanged axes included.
    biases
        New values of the biases that absorb constants of removed units, by tensor name in the
        source.
    config
        Contents of config.json; empty if the model has none.
    files
        Contents of further files that replace those of the source folder, by name; None omits the
        file.
    loader
        Whether a script that loads the shrunk state dict is written as well.
    loading
        Sentences that explain how to load a model that no config.json describes. They name the
        script `pruneapp.shrink.loader.LOADER`, which has another name next to a single file.
    dtype
        A value of `pruneapp.export.rounding.DTYPE`: that of the written weights.
    rounds
        Whether that dtype differs from the present dtype of a tensor.
    others
        Other contents of the opened file; empty if no script is written.
    """

    structure: Structure
    cut: Cut
    axes: tuple[AxisChange, ...]
    biases: Mapping[str, NDArray[np.float64]]
    config: Mapping[str, Any]
    notices: tuple[str, ...] = ()
    files: Mapping[str, bytes | None] = field(default_factory=dict)
    loader: bool = False
    loading: tuple[str, ...] = ()
    dtype: str = KEEP
    rounds: bool = False
    others: OtherContents = OtherContents()

    def with_dtype(self, dtype: str, source: Checkpoint) -> ShrinkPlan:
        """Return the plan of the same cut whose weights are written in a dtype.

        `source` is the checkpoint that is cut. Raises `ShrinkError` for another dtype of a file
        that contains its graph.
        """
        if dtype != KEEP and self.structure.file_graph is not None:
            raise ShrinkError(
                f"A file that contains its graph keeps the dtype of its weights (got '{dtype}').",
                remedy="Keep the dtype, or convert the model before it is exported with its graph.",
            )
        config = configuration.with_dtype(self.config, dtype)
        rounding = Rounding.for_dtype(dtype)
        rounds = rounding is not None and any(map(rounding.applies_to, source.entries.values()))
        return replace(self, dtype=dtype, config=config, rounds=rounds)

    @property
    def is_empty(self) -> bool:
        """Whether the cut makes no axis smaller and no weight is rounded."""
        return not self.rounds and not any(axis.after < axis.before for axis in self.axes)


@dataclass(frozen=True, eq=False)
class Survey:
    """The units that are dead in a state.

    Attributes
    ----------
    units
        Alive and dead units of each group, by axis name and `place` of the group.
    silent
        Indices of layers that return their input unchanged, by `place` of their stack.
    whole_zeros
        Number of output channels that are all zero in layers of a graph that cannot be cut, by the
        name of their weight.
    """

    units: Mapping[tuple[str, str], UnitState]
    silent: Mapping[str, frozenset[int]]
    whole_zeros: Mapping[str, int] = field(default_factory=dict)

    def units_of(self, group: Group) -> UnitState:
        """Return which units of a group are alive."""
        return self.units[group.axis, group.place]

    def without(self, to_prune: Iterable[tuple[Group, Units]]) -> Survey:
        """Return the survey as if the given units were pruned in all their tensors as well.

        `to_prune` has pairs of a group and indices of its units. This survey is not changed.
        """
        units = dict(self.units)
        for group, pruned_units in to_prune:
            units[group.axis, group.place] = units[group.axis, group.place].without(pruned_units)
        return replace(self, units=units)


def survey(state: State, structure: Structure, job: Job) -> Survey:
    """Find the units and layers that contribute nothing to the output in a state.

    Reads every member of a group that may be cut. Starts `job`, and extends it for further tensors.
    """
    groups = [group for axis in prunable_axes(structure) for group in axis.groups]
    job.start(work_amount(state, groups))
    unit_states = find_unit_states(state, groups, job)
    units = {
        (group.axis, group.place): unit_state
        for group, unit_state in zip(groups, unit_states, strict=True)
    }
    axis = structure.axes.get("layers")
    stacks = () if axis is None else axis.groups
    silent = {stack.place: _silent_layers(state, stack, job) for stack in stacks}
    zeros: dict[str, int] = {}
    graph = structure.graph
    for name, (dim, _) in ({} if graph is None else graph.whole_layers).items():
        entry = state.checkpoint.entries.get(name)
        if entry is not None and entry.prunable:
            job.extend(entry.numel)
            zeros[name] = int(np.count_nonzero(~nonzero_entries(state, entry, dim, job)))
    return Survey(units, silent, zeros)


def prunable_axes(structure: Structure) -> tuple[Axis, ...]:
    """Return the axes that may be cut and whose units can become dead by zeros."""
    axes = map(structure.axes.get, _BY_ZEROS)
    return tuple(axis for axis in axes if axis is not None and not axis.why_not)


def plan(
    state: State, structure: Structure, choices: Choices, job: Job, surveyed: Survey | None = None
) -> ShrinkPlan:
    """Compute the cut of a state and everything that has to be written with it. Writes nothing.

    Dead units are only cut as far as the sizes that the class accepts, the multiple and the other
    groups of the axis allow; those that emit constants which no bias can absorb stay, too.

    Parameters
    ----------
    state, structure
        The pruned model and its groups.
    choices
        What to cut in addition to dead units and layers. `Choices.kept` is only checked: it
        cuts nothing unless the units are pruned in `state` already.
    job
        Progress and cancellation.
    surveyed
        Result of `survey` of the same state. Without it, every member of a group is read.

    Raises
    ------
    ShrinkError
        If the model cannot be cut as chosen, for example because its class rejects a size. Nothing
        to cut is no error, see `ShrinkPlan.is_empty`.
    """
    surveyed = survey(state, structure, job) if surveyed is None else surveyed
    return _Planning(state, structure, choices, job, surveyed).plan()


def legal_sizes(axis: Axis, fields: Mapping[str, Any], multiple: int = 1) -> list[int]:
    """Return the numbers of units that an axis may have, ascending, including the present number.

    The others are multiples of `Axis.step` that the model's class supports with the configuration
    `fields`. `multiple` applies to rounded axes only (`Axis.is_rounded`).
    """
    step = math.lcm(axis.step, multiple if axis.is_rounded else 1)
    sizes = {n for n in range(step, axis.count, step) if axis.takes(n, fields)}
    return sorted({*sizes, axis.count})


def next_legal_size(
    axis: Axis, fields: Mapping[str, Any], min_count: int, multiple: int = 1
) -> int:
    """Return the smallest allowed number of units that is at least `min_count` (see `legal_sizes`).

    Raises `StopIteration` if `min_count` is larger than the present number.
    """
    return next(n for n in legal_sizes(axis, fields, multiple) if n >= min_count)


def adjust_axis(axis: Axis, changes: Iterable[AxisChange]) -> Axis:
    """Return the axis adjusted to the `changes` of axes that were cut before.

    Only query heads change: their number depends on the number of key/value heads, of which fewer
    may be left. Other axes are returned unchanged.
    """
    kv_change = next((change for change in changes if change.name == "kv-groups"), None)
    if axis.name != "query-heads" or kv_change is None or kv_change.after == kv_change.before:
        return axis
    new_count = f"n * {kv_change.after} // {kv_change.before}"
    texts = {name: new_count if text == "n" else text for name, text in axis.rule.set.items()}
    return replace(axis, rule=msgspec.structs.replace(axis.rule, set=texts))


def units_to_keep(state: State, group: Group, units: UnitState) -> Bools:
    """Return a mask of the units that must stay.

    These are the alive units, and dead ones that emit constants which no bias can absorb.
    """
    if units.constants is None or can_absorb_constants(state, group):
        return units.alive
    return units.alive | units.constants.any(axis=1)


def size_error(
    axis: Axis, structure: Structure, fields: Mapping[str, Any], wanted: int
) -> ShrinkError:
    """Return the error if `wanted` units are not allowed, with the two nearest allowed numbers."""
    sizes = legal_sizes(axis, fields)
    near = sorted(sorted(sizes, key=lambda n: (abs(n - wanted), n))[:_NEAREST])
    rule = f" ({axis.limit})" if axis.limit else ""
    other = structure.family.write_as.get(structure.model_type)
    return ShrinkError(
        f"{axis.label} cannot be {wanted:,}{rule}; the nearest are {' and '.join(map(str, near))}.",
        remedy=f"Choose one of these, or write the model as '{other}', which takes any number."
        if axis.limit and other
        else "Choose one of these.",
    )


class _Planning:
    def __init__(
        self, state: State, structure: Structure, choices: Choices, job: Job, surveyed: Survey
    ) -> None:
        self._state = state
        self._survey = surveyed
        self._structure = structure
        self._choices = choices
        self._job = job
        self._config: dict[str, Any] = deepcopy(dict(structure.config))
        self._fields: dict[str, Any] = dict(fields_of(self._config, structure.inside))
        self._cuts: list[GroupCut] = []
        self._axes: list[AxisChange] = []
        self._biases: dict[str, NDArray[np.float64]] = {}
        self._notices: list[str] = []
        self._loading: list[str] = []
        self._others = OtherContents()
        self._files: dict[str, bytes | None] = {}
        # Groups in which rounding keeps dead units: place, number of dead units and of cut units.
        self._rounded: list[tuple[str, int, int]] = []
        self._dead = self._removed = 0

    def plan(self) -> ShrinkPlan:
        """Return the plan. For one call: the fields of this object collect its parts."""
        removed_prefixes: tuple[str, ...] = ()
        layer_axis = self._structure.axes.get("layers")
        if layer_axis is not None:
            removed_prefixes = self._cut_layers(layer_axis)
        for axis in prunable_axes(self._structure):
            # Removed layers do not influence how many units the other layers keep.
            groups = tuple(
                group for group in axis.groups if not group.place.startswith(removed_prefixes)
            )
            limit = "" if self._choices.write_as else axis.limit
            adjusted = adjust_axis(replace(axis, groups=groups, limit=limit), self._axes)
            if axis.uniform:
                self._cut_dead(adjusted)
            else:
                self._cut_each(adjusted)
        self._cut_experts()
        self._cut_vocabulary()
        self._write_as()
        needs_code = self._describe_loading()
        config = self._config
        for key in self._structure.inside[:-1]:
            config = config[key]
        if self._structure.inside:
            if self._fields or self._structure.fields:
                config[self._structure.inside[-1]] = self._fields
        else:
            self._config = self._fields
        return ShrinkPlan(
            self._structure,
            Cut(tuple(self._cuts)),
            tuple(self._axes),
            self._biases,
            self._config,
            tuple(dict.fromkeys(self._notices)),
            self._files,
            needs_code,
            tuple(self._loading),
            others=self._others,
        )

    def _cut_each(self, axis: Axis) -> None:
        """Cut the dead units of an axis whose groups may differ in size; add one `AxisChange`.

        Each group is cut on its own, unless `Choices.one_ratio` is set.
        """
        before = len(self._axes)
        if self._choices.one_ratio:
            self._cut_dead(axis)
        else:
            for group in axis.groups:
                self._cut_dead(replace(axis, groups=(group,)))
        parts = self._axes[before:]
        rounding = (*self._rounding_notice(axis), *self._uncut_layer_notices(axis))
        self._axes[before:] = [
            replace(
                parts[0],
                before=sum(part.before for part in parts),
                after=sum(part.after for part in parts),
                exactness=CHANGES if any(part.exactness == CHANGES for part in parts) else EXACT,
                notices=(*(notice for part in parts for notice in part.notices), *rounding),
            )
        ]

    def _cut_dead(self, axis: Axis) -> None:
        """Cut the units of an axis down to the largest number that one of its groups needs.

        Always adds an `AxisChange`, also if nothing is cut; then no `GroupCut` is added. Sets the
        size in the configuration, and folds constants into biases.
        """
        states = [self._survey.units_of(group) for group in axis.groups]
        notices: list[str] = []
        alive = []
        for group, units in zip(axis.groups, states, strict=True):
            must_keep = units_to_keep(self._state, group, units)
            alive.append(must_keep)
            if unfolded := int(np.count_nonzero(must_keep & ~units.alive)):
                notices.append(
                    f"{counted(unfolded, 'unit')} of '{group.place}' are kept: they output a "
                    "constant that no bias can absorb."
                )
            notices += self._constant_unit_notice(group, must_keep)
        if axis.rule.same:
            together = np.logical_or.reduce(alive)
            alive = [together] * len(alive)
        kept = self._sizes(axis, alive)
        before, after = axis.count, kept[0] // axis.groups[0].times
        if not axis.uniform:
            before, after = sum(group.count for group in axis.groups), sum(kept)
        self._record_rounding(axis, alive, kept)
        if after == before:
            self._axes.append(
                AxisChange(axis.name, axis.label, before, after, EXACT, tuple(notices))
            )
            return
        max_needed = max(int(np.count_nonzero(must_keep)) for must_keep in alive)
        for group, must_keep, units, count in zip(axis.groups, alive, states, kept, strict=True):
            kept_units = _fill_up(must_keep, count, group.outer)
            cut = GroupCut(group, kept_units)
            self._cuts.append(cut)
            zeros = kept_units.size - int(np.count_nonzero(must_keep))
            if zeros and np.count_nonzero(must_keep) < max_needed:
                notices.append(
                    f"'{group.place}' keeps {counted(kept_units.size, 'unit')}, {zeros:,} of them "
                    "zeros: another layer needs as many."
                )
            self._fold(group, units, cut.removed)
        axis.set_sizes(self._fields, after)
        label = self._label(axis)
        self._axes.append(AxisChange(axis.name, axis.label, before, after, label, tuple(notices)))

    def _record_rounding(self, axis: Axis, alive: Sequence[Bools], kept: Sequence[int]) -> None:
        """Record the numbers of dead and of cut units of groups that differ in size.

        `alive` has the mask of the units that must stay of each group, `kept` the number to keep.
        """
        if axis.uniform:
            return
        for group, must_keep, count in zip(axis.groups, alive, kept, strict=True):
            dead = group.count - int(np.count_nonzero(must_keep))
            if dead > group.count - count:
                self._rounded.append((group.place, dead, group.count - count))
            self._dead += dead
            self._removed += group.count - count

    def _rounding_notice(self, axis: Axis) -> Iterator[str]:
        """Yield a notice if rounding keeps dead units."""
        if not self._rounded:
            return
        multiple = axis.multiple_words(self._choices.multiple)
        examples = ", ".join(
            f"'{place}' {cut:,} of {dead:,}" for place, dead, cut in self._rounded[:_NAMED]
        )
        n_others = len(self._rounded) - _NAMED
        also = f", and {counted(n_others, 'more group')}" if n_others > 0 else ""
        yield (
            f"{axis.label}: {self._removed:,} of {self._dead:,} that are zero are removed, because "
            f"the number that a group keeps is rounded up to a multiple of {multiple} "
            f"({examples}{also}). To remove all, choose a smaller multiple, or prune with this one."
        )

    def _uncut_layer_notices(self, axis: Axis) -> Iterator[str]:
        """Yield notices about layers that cannot be cut; for a graph with their zero channels."""
        graph = self._structure.graph
        if graph is None:
            yield from self._notice_outside_blocks(axis)
            return
        by_reason: dict[str, list[str]] = {}
        for name, (_, reason) in graph.whole_layers.items():
            zeros = self._survey.whole_zeros.get(name, 0)
            shown = f"'{name}' ({counted(zeros, 'channel')} of zeros)" if zeros else f"'{name}'"
            by_reason.setdefault(reason, []).append(shown)
        for reason, names in by_reason.items():
            are = "is" if len(names) == 1 else "are"
            yield f"{', '.join(names)} {are} not reduced: {reason}."

    def _notice_outside_blocks(self, axis: Axis) -> Iterator[str]:
        """Yield a notice about layers with output channels that are in no known block."""
        if axis.name != "channels":
            return
        cut = {m.name for group in axis.groups for m in group.members if m.dim == 0}
        entries = self._state.checkpoint.entries.values()
        names = [e.name for e in entries if len(e.shape) > 1 and e.name not in cut]
        shown = ", ".join(f"'{name}'" for name in names[:_NAMED])
        if n_others := len(names[_NAMED:]):
            others = counted(n_others, "more tensor")
            yield (
                f"Not reduced: {shown}, and {others}. Only channels inside of known blocks can be "
                f"removed without the graph of the model."
            )
        elif names:
            yield (
                f"Not reduced: {shown}. Only channels inside of known blocks can be removed "
                f"without the graph of the model."
            )

    def _constant_unit_notice(self, group: Group, must_keep: Bools) -> Iterator[str]:
        """Yield a notice about units of a block that are kept although all their weights are 0."""
        if not self._structure.blocks:
            return
        rows = group.members[0]
        entry = self._state.checkpoint.entries[rows.name]
        self._job.extend(entry.numel)
        zeros = rows_by_unit(group, rows, nonzero_entries(self._state, entry, rows.dim, self._job))
        n_kept = int(np.count_nonzero(must_keep & ~zeros.any(axis=1)))
        if n_kept:
            yield (
                f"{counted(n_kept, 'unit')} of '{rows.stem}' have only zero weights but are "
                "kept: a bias or a norm turns them into constants. Prune them together with "
                "their dependent tensors."
            )

    def _describe_loading(self) -> bool:
        """Describe how to load layers of new widths. Return whether a script must be written.

        Sets the argument of timm in the configuration where one produces all widths.
        """
        structure = self._structure
        if not (structure.blocks or structure.is_traced) or not self._cuts:
            return False
        found = loader.arguments(structure, {cut.group.place: cut.kept.size for cut in self._cuts})
        for argument, value in (found or {}).items():
            of_timm = structure.model_type.startswith(argument.architectures or ("\0",))
            if structure.inside and argument.timm and of_timm:
                self._fields[argument.timm] = value
                self._loading.append(
                    f"config.json sets {argument.timm} = {value}, which timm reads."
                )
                return False
            self._loading.append(
                f"All blocks have the widths of {argument.name}={value}: a model built with that "
                f"argument loads the state dict. {loader.LOADER} loads it into any other "
                f"model."
            )
        if not found:
            self._loading.append(
                f"{loader.LOADER}, written next to the weights, resizes your model and loads them."
            )
        contents = self._state.checkpoint.contents
        kept = tuple(contents.plain_values or ())
        others = tuple(key for key in contents.outside_keys if key not in kept)
        self._others = OtherContents(kept, others)
        return True

    def _label(self, axis: Axis) -> Exactness:
        return CHANGES if axis.name in self._choices.changed else EXACT

    def _sizes(self, axis: Axis, alive: Sequence[Bools]) -> list[int]:
        """Return the number of units to keep in each group of an axis, in order.

        `alive` has the mask of the units that must stay of each group. Raises `ShrinkError` if a
        number that the user chose is not allowed, or no argument of the class gives one ratio.
        """
        groups = axis.groups
        if self._choices.one_ratio and not axis.uniform:
            min_widths = [max(int(np.count_nonzero(must_keep)), 1) for must_keep in alive]
            widths = loader.widths_by_argument(axis, self._structure, min_widths)
            if widths is None:
                raise ShrinkError(
                    f"No argument of the model's class sets these widths of {axis.label.lower()}.",
                    remedy="Let each block have its own width.",
                )
            return widths
        first = groups[0].count
        if axis.rule.share:  # stages of different widths that are cut by one ratio
            min_count = max(
                -(-int(np.count_nonzero(must_keep)) * first // group.count)
                for group, must_keep in zip(groups, alive, strict=True)
            )
        else:
            min_count = max(
                -(-_units_for_fullest_run(must_keep, group.outer) // group.times)
                for group, must_keep in zip(groups, alive, strict=True)
            )
        requested = axis.count
        if not axis.is_rounded:
            requested = self._choices.kept.get(axis.name, requested)
        if requested != axis.count and not axis.takes(requested, self._fields):
            raise size_error(axis, self._structure, self._fields, requested)
        multiple = self._choices.multiple or axis.multiple
        kept = next_legal_size(axis, self._fields, max(min_count, 1), multiple)
        if axis.rule.share:
            return [kept * group.count // first for group in groups]
        return [kept * group.times for group in groups]

    def _fold(self, group: Group, units: UnitState, removed: Units) -> None:
        """Add the constants of removed units of a group to the new value of its bias.

        Does nothing if there are no constants.
        """
        if units.constants is None:
            return
        folded = fold(self._state, group, units.constants, removed, self._job)
        if folded is None:
            return
        name, shift = folded
        if name not in self._biases:
            self._biases[name] = read_values(self._state, self._state.checkpoint.entries[name])
        self._biases[name] = self._biases[name] + shift

    def _cut_layers(self, axis: Axis) -> tuple[str, ...]:
        """Cut the chosen layers and those that do nothing.

        Raises `ShrinkError` if that is not possible.

        Return the name prefixes of cut layers.
        """
        chosen = set(self._choices.layers)
        if chosen and axis.why_not:
            raise ShrinkError(axis.why_not)
        special = chosen.intersection(self._structure.family.keep)
        if special:
            raise ShrinkError(
                f"Layer {min(special)} of a {self._structure.model_type} is unlike the others and "
                "cannot be removed.",
                remedy="Specify other layers.",
            )
        kept: dict[str, list[int]] = {}
        dead = 0
        for group in axis.groups:
            beyond = [number for number in chosen if number >= group.count]
            if beyond:
                raise ShrinkError(
                    f"'{group.place}' has {group.count:,} layers, numbered from 0, and no layer "
                    f"{min(beyond)}.",
                    remedy=f"Name layers of 0 to {group.count - 1}.",
                )
            silent = self._survey.silent[group.place] - set(self._structure.family.keep)
            dead += len(silent - chosen)
            kept[group.place] = [n for n in range(group.count) if n not in chosen | silent]
            if not kept[group.place]:
                raise ShrinkError(
                    f"No layer of '{group.place}' would be left.", remedy="Keep one of them."
                )
        before = sum(group.count for group in axis.groups)
        after = sum(map(len, kept.values()))
        label = CHANGES if after < before - dead else self._label(axis)
        cuts = [GroupCut(group, np.array(kept[group.place], np.int64)) for group in axis.groups]
        if after < before:
            self._notices += configuration.remove_layers(self._fields, self._structure, kept)
            self._cuts += cuts
        if axis.groups:
            self._axes.append(AxisChange("layers", axis.label, before, after, label))
        return tuple(f"{c.group.prefix}{n}." for c in cuts for n in c.removed.tolist())

    def _cut_experts(self) -> None:
        """Cut the experts with the lowest scores.

        Raises `ShrinkError` if the number is not possible.

        Adds an `AxisChange` for every model with experts, also if all are kept.
        """
        axis, n_kept = self._structure.axes.get("experts"), self._choices.experts
        if axis is None or axis.why_not:
            if n_kept is not None:
                raise ShrinkError(axis.why_not if axis is not None else "There are no experts.")
            return
        if n_kept is None or n_kept == axis.count:
            self._axes.append(AxisChange("experts", axis.label, axis.count, axis.count))
            return
        if not axis.takes(n_kept, self._fields):
            raise size_error(axis, self._structure, self._fields, n_kept)
        for group in axis.groups:
            scores = self._choices.expert_scores[group.place]
            removed = lowest_units(scores, group.count - n_kept, group.outer)
            self._cuts.append(GroupCut(group, np.setdiff1d(np.arange(group.count), removed)))
        axis.set_sizes(self._fields, n_kept)
        notices = () if n_kept % 8 == 0 else ("vLLM has kernels for some numbers of experts only.",)
        self._axes.append(AxisChange("experts", axis.label, axis.count, n_kept, CHANGES, notices))

    def _cut_vocabulary(self) -> None:
        """Cut the rows of the embeddings that were chosen, and renumber ids in config.json.

        Adds an `AxisChange` only if a cut was chosen. Raises `ShrinkError` if there is no
        vocabulary.
        """
        axis, chosen = self._structure.axes.get("vocabulary"), self._choices.vocabulary
        if axis is None or axis.why_not or chosen is None:
            if chosen is not None:
                raise ShrinkError(axis.why_not if axis is not None else "There is no vocabulary.")
            return
        (group,) = axis.groups
        self._axes.append(
            AxisChange(
                "vocabulary",
                axis.label,
                group.count,
                chosen.kept.size,
                chosen.promise,
                chosen.notices,
            )
        )
        if chosen.kept.size == group.count:
            return
        self._cuts.append(GroupCut(group, chosen.kept))
        where = str(self._structure.folder / CONFIG)
        self._fields = chosen.remap(self._fields, where)
        axis.set_sizes(self._fields, chosen.kept.size)
        if self._structure.inside:
            self._config = chosen.remap(self._config, where)
        self._files = {**chosen.files, **dict.fromkeys(chosen.left_out)}

    def _write_as(self) -> None:
        """Change the type of the model in its configuration, if another one was chosen.

        Raises `ShrinkError` if it is not an equivalent one.
        """
        wanted = self._choices.write_as
        if not wanted:
            return
        structure = self._structure
        if structure.family.write_as.get(structure.model_type) != wanted or structure.inside:
            raise ShrinkError(
                f"A model of type '{structure.model_type}' cannot be written as '{wanted}'.",
                remedy="Keep the type.",
            )
        for name in ("attention_bias", "mlp_bias"):
            if self._fields.pop(name, None):
                raise ShrinkError(
                    f"A model of type '{wanted}' has no biases, but this model does ({name}).",
                    remedy="Keep the type.",
                )
        self._fields["model_type"] = wanted
        old_class = structure.model_type.capitalize()
        names = self._fields.get("architectures") or []
        self._fields["architectures"] = [
            n.replace(old_class, wanted.capitalize(), 1) for n in names
        ]
        self._fields["sliding_window"] = None
        self._notices.append(f"Written as '{wanted}', which computes the same.")


def _silent_layers(state: State, group: Group, job: Job) -> frozenset[int]:
    """Return the indices of the layers of a stack that return their input unchanged.

    Layers of a stack for which that cannot be determined are not included.
    """
    found = set()
    for number, names in enumerate(group.silenced_by):
        entries = map(state.checkpoint.entry, names)
        if names and all(is_zero(state, entry, job) for entry in entries):
            found.add(number)
    return frozenset(found)


def _units_for_fullest_run(alive: Bools, outer: int) -> int:
    """Return the number of units to keep if all `outer` runs keep as many as the fullest one."""
    return int(np.count_nonzero(alive.reshape(outer, -1), axis=1).max()) * outer


def _fill_up(alive: Bools, count: int, outer: int) -> Units:
    """Return the indices of `count` units to keep, ascending: alive ones, then the first dead ones.

    All `outer` runs of the group keep equally many units, so none may have more alive ones.
    """
    runs = []
    per_run = count // outer
    for number, run in enumerate(alive.reshape(outer, -1)):
        dead = np.flatnonzero(~run)[: per_run - int(np.count_nonzero(run))]
        kept = np.sort(np.concatenate([np.flatnonzero(run), dead]))
        runs.append(kept + number * run.size)
    return np.concatenate(runs)


def describe_changes(changes: Iterable[AxisChange]) -> str:
    """Return a text such as "FFN neurons 4,864 → 3,456, layers 24 → 22" of the axes that shrink.

    Returns "" if none does.
    """
    smaller = [each for each in changes if each.after < each.before]
    return ", ".join(f"{each.label} {each.before:,} → {each.after:,}" for each in smaller)
