"""Selection of tensors: patterns over names, defaults, equal roles, and the rows of a step.

If several rows of a step name a tensor, only the last one prunes it. The limits ``first`` and
``last`` mean the ends of the model in order of execution.
"""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import STATISTICS, TensorEntry
from pruneapp.document.layer_order import end_blocks_of
from pruneapp.document.step import Row, Step
from pruneapp.errors import SelectionError
from pruneapp.groups.family import LABELS, AxisName
from pruneapp.groups.group import Group
from pruneapp.groups.structure import Unknown, structure_of
from pruneapp.groups.trace import NO_TRACE, trace_key
from pruneapp.methods import registry
from pruneapp.methods.method import CoupledMethod
from pruneapp.progress import Job

# `difflib` needs seconds for a pattern and 100,000 names.
_MOST_COMPARED = 5_000
_MOST_NAMED = 3
# A pattern is compiled at each keystroke, which takes 30 µs per character.
_LONGEST_PATTERN = 1_000
# Text between commas and line breaks; a bracket without its counterpart is an ordinary character.
_SEPARATED = re.compile(r"(?:\[[^\]\n]*\]|[^,\n])+")


def select(
    checkpoint: Checkpoint,
    patterns: Sequence[str],
    *,
    prefer_parameters: bool = True,
    on_request: bool = True,
) -> tuple[str, ...]:
    """Return the prunable tensors that match any of `patterns`.

    Parameters
    ----------
    patterns
        Case-sensitive globs over whole names (`fnmatch.fnmatchcase`): ``*`` also matches dots. All
        names of a tied tensor are tried, and the transformers name of a tensor of a GGUF file. A
        pattern that matches nothing as a glob is compared with the names literally, so that names
        with brackets can be given unescaped.
    prefer_parameters
        Whether buffers are left out of the matches of a pattern that matches parameters, too.
    on_request
        Whether a pattern that is the exact name of a float of a quantized layer selects it; other
        patterns never do.

    Returns
    -------
    tuple[str, ...]
        First names of tied tensors, in file order, without duplicates or tensors that cannot be
        pruned.

    Raises
    ------
    SelectionError
        If there is no pattern; for the first pattern that matches nothing, with the nearest names,
        or nothing prunable, with the reason.
    """
    if not patterns:
        raise SelectionError("No pattern was given.", remedy="Use '*' for every tensor.")
    chosen: set[str] = set()
    for pattern in patterns:
        matched = _matching(checkpoint, pattern)
        prunable = [e for e in matched if e.prunable]
        if not prunable:
            prunable = [e for e in matched if on_request and e.on_request and pattern in e.names]
        if not prunable:
            raise _not_prunable(pattern, matched)
        learned = [e for e in prunable if e.learned] if prefer_parameters else []
        chosen.update(e.name for e in learned or prunable)
    return tuple(name for name in checkpoint.entries if name in chosen)


def patterns_of(text: str) -> tuple[str, ...]:
    """Split user input at commas and line breaks into patterns, without duplicates.

    A comma between square brackets belongs to its pattern (``fc[1,2].*``).
    """
    parts = _SEPARATED.findall(text)
    return tuple(dict.fromkeys(part for word in parts if (part := word.strip())))


def match_tensors(checkpoint: Checkpoint, patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the tensors that match any of `patterns`, prunable or not, in file order.

    Patterns are as in `select`. Empty if there is none.

    Raises
    ------
    SelectionError
        For the first pattern that matches nothing, with the nearest names.
    """
    chosen = {e.name for pattern in patterns for e in _matching(checkpoint, pattern)}
    return tuple(name for name in checkpoint.entries if name in chosen)


def default_selection(checkpoint: Checkpoint) -> tuple[str, ...]:
    """Return the tensors that are selected by default, in file order; may be empty."""
    return tuple(e.name for e in checkpoint.entries.values() if e.by_default)


def resolve(
    checkpoint: Checkpoint, names: Iterable[str], *, on_request: bool = False
) -> tuple[str, ...]:
    """Return the first names of the tensors called `names`, in file order, each once.

    Parameters
    ----------
    on_request
        Whether the user has asked for each by its exact name, so that floats of quantized layers
        are accepted (`TensorEntry.on_request`).

    Raises
    ------
    SelectionError
        If one cannot be pruned, or there are none.
    UnknownTensorError
        If there is no tensor of a name.
    """
    result: set[str] = set()
    for name in names:
        entry = checkpoint.entry(name)
        if not (entry.prunable or (on_request and entry.on_request)):
            raise SelectionError(
                f"'{name}' cannot be pruned: {entry.why_not}.", remedy="Uncheck it."
            )
        result.add(entry.name)
    if not result:
        raise SelectionError("No tensor is selected.", remedy="Check one, or give a pattern.")
    if len(result) == 1:
        return tuple(result)
    return tuple(name for name in checkpoint.entries if name in result)


def _matching(checkpoint: Checkpoint, pattern: str) -> list[TensorEntry]:
    """Return the tensors that match a pattern, in file order, prunable or not; at least one.

    Raises `SelectionError` if there is none. A pattern of more than 1,000 characters is only
    compared literally.
    """
    if len(pattern) > _LONGEST_PATTERN:
        matched = [e for e in checkpoint.entries.values() if pattern in _names(checkpoint, e)]
        if matched:
            return matched
        raise SelectionError(
            f"A pattern has at most {_LONGEST_PATTERN:,} characters, and this one has "
            f"{len(pattern):,}.",
            remedy="Separate several patterns by commas.",
        )
    matches = re.compile(fnmatch.translate(pattern)).match
    entries = checkpoint.entries.values()
    matched = [e for e in entries if any(matches(name) for name in _names(checkpoint, e))]
    if not matched:
        matched = [e for e in entries if pattern in _names(checkpoint, e)]
    if not matched:
        raise _no_match(checkpoint, pattern)
    return matched


def _names(checkpoint: Checkpoint, entry: TensorEntry) -> tuple[str, ...]:
    """Return the names that patterns are matched with: those in the file, and in transformers."""
    hub_name = checkpoint.contents.hub_names.get(entry.name)
    return entry.names if hub_name is None else (*entry.names, hub_name)


def _no_match(checkpoint: Checkpoint, pattern: str) -> SelectionError:
    """Return the error for a pattern that matches nothing, with up to three near names.

    If it is a part of several weights, the pattern between stars is suggested first.
    """
    # Weights first: the bias of a layer has a shorter name, which is nearer but rarely meant.
    weights: list[str] = []
    others: list[str] = []
    for entry in checkpoint.entries.values():
        (weights if entry.prunable and len(entry.shape) > 1 else others).extend(entry.names)
    nearest_names = _nearest(pattern, weights, others)
    if len(fnmatch.filter(weights, f"*{pattern}*")) > 1:  # suggest the pattern with stars
        nearest_names.insert(0, f"*{pattern}*")
    rule = "Patterns are case-sensitive and match whole names; '*' matches every tensor."
    return SelectionError(
        f"No tensor in '{checkpoint.path.name}' matches '{pattern}'.",
        remedy=f"Nearest: {', '.join(map(repr, nearest_names))}." if nearest_names else rule,
    )


def _nearest(pattern: str, *names: Sequence[str]) -> list[str]:
    """Return up to `_MOST_NAMED` names that the user may have meant.

    Names that match in another case are returned if there are any; else names that contain the
    pattern; else similar ones. In each group, those of the first list come before those of the
    second.
    """
    any_case = re.compile(fnmatch.translate(pattern), re.IGNORECASE).match
    part = re.compile(fnmatch.translate(f"*{pattern}*"), re.IGNORECASE).match
    for matches in (any_case, part):
        matched = [name for some in names for name in some if matches(name)]
        if matched:
            return matched[:_MOST_NAMED]
    # Sampled evenly, so that layers at the end of a long list are considered as well.
    step = max(1, sum(map(len, names)) // _MOST_COMPARED)
    plain = pattern.replace("*", "").replace("?", "")
    for some in names:
        matched += difflib.get_close_matches(plain, some[::step], _MOST_NAMED, cutoff=0.4)
    return matched[:_MOST_NAMED]


def _not_prunable(pattern: str, matched: Sequence[TensorEntry]) -> SelectionError:
    """Return the error for a pattern that matches only tensors that cannot be pruned."""
    first = matched[0]
    others = len(matched) - 1
    more = f", and {others:,} more like it" if others else ""
    exact = " To prune a float of a quantized layer nevertheless, give its exact name."
    return SelectionError(
        f"'{pattern}' matches nothing that can be pruned: '{first.name}' ({first.why_not}){more}.",
        remedy="Choose another pattern." + exact * any(e.on_request for e in matched),
    )


# A part of a name between dots that is a number.
_NUMBER = re.compile(r"(?<![^.])\d+(?![^.])")


@dataclass(frozen=True)
class RoleTensors:
    """Tensors that have the same role in different blocks."""

    names: tuple[str, ...]  # first names, in file order, including the given one
    # Their common pattern, such as "layers.*.mlp.up_proj.weight"; the name if there is only one.
    pattern: str


def role(name: str) -> str:
    """Replace every part of a name that is a number by a star."""
    return _NUMBER.sub("*", name)


def tensors_of_role(checkpoint: Checkpoint, name: str, job: Job) -> RoleTensors:
    """Return the tensors with the same role as `name` in other blocks.

    Their names differ in numbers between dots only; they have the same shape and are prunable.
    Linear in the number of tensors.
    """
    given = checkpoint.entry(name)
    pattern = role(name)
    names = tuple(
        entry.name
        for entry in job.cancel.each(checkpoint.entries.values())
        if entry is given
        or (
            entry.shape == given.shape
            and entry.prunable
            and any(role(each) == pattern for each in entry.names)
        )
    )
    return RoleTensors(names, pattern if len(names) > 1 else name)


_EMBEDDING = "embedding"
Rows = tuple[tuple[Row, tuple[str, ...]], ...]


def rows_of(checkpoint: Checkpoint, step: Step) -> Rows:
    """Return the rows of a step, each with the first names of the tensors that it prunes.

    A tensor that several rows name is in the last of these only. `excluded_tensors` describes the
    effect of the limits. Rows without remaining tensors are omitted. Names are in file order.
    Raises `SelectionError` if a tensor cannot be pruned, a row selects none, or all selected
    tensors are excluded, and `UnknownTensorError` for a name that does not exist.
    """
    return exclude_tensors(_rows(checkpoint, step), excluded_tensors(checkpoint, step), step)


def pruned_tensors(rows: Rows) -> frozenset[str]:
    """Return the tensors of rows that prune, which are those that a step counts.

    Tensors of the method Identity only are in no estimate, preview or report.
    """
    return frozenset(name for row, names in rows if row.prunes for name in names)


def counts_of(checkpoint: Checkpoint, step: Step) -> tuple[int, ...]:
    """Return the number of tensors that each row prunes, after later rows and exclusions.

    0 for rows without tensors. Empty for steps with one row. Raises the errors of `rows_of`.
    """
    if len(step.rows) == 1:
        return ()
    left = [(row, len(names)) for row, names in rows_of(checkpoint, step)]
    counts = [0] * len(step.rows)
    for at in reversed(range(len(counts))):  # rows without tensors are missing in `left`
        if left and left[-1][0] is step.rows[at]:
            counts[at] = left.pop()[1]
    return tuple(counts)


def rule_of(step: Step, names: Iterable[str]) -> int:
    """Return the number (from 1) of the row that prunes the tensor with these names.

    That is the last row that has one of them. 0 if no row does, and for steps of one row.
    Exclusions are not considered.
    """
    if len(step.rows) == 1:
        return 0
    numbers = (
        n for n in range(len(step.rows), 0, -1) if not set(names).isdisjoint(step.rows[n - 1].names)
    )
    return next(numbers, 0)


def exclude_tensors(rows: Rows, excluded: Mapping[str, str], step: Step) -> Rows:
    """Remove the tensors in `excluded`, by first name, from rows, and rows without tensors.

    `step` is only used for the message. Raises `SelectionError` if no tensor remains.
    """
    if not excluded:
        return rows
    left = ((row, tuple(n for n in names if n not in excluded)) for row, names in rows)
    remaining = tuple((row, names) for row, names in left if names)
    if not remaining:
        limits = ", ".join(step.limits.exclude)
        raise SelectionError(
            f"All selected tensors are excluded ({limits}), so there is nothing to do.",
            remedy="Select more tensors, or exclude fewer.",
        )
    return remaining


def excluded_tensors(checkpoint: Checkpoint, step: Step) -> dict[str, str]:
    """Return the selected tensors that the limits exclude, each with the word of `Limits.exclude`.

    Parameters
    ----------
    step
        Its `Step.limits` may exclude, of the tensors that its rows select

        - ``embeddings``: those whose `TensorEntry.kind` is embedding,
        - ``first`` and ``last``: those of the first and last block of the model in order of
          execution, see `pruneapp.document.layer_order`.

    Returns
    -------
    dict
        The word of each tensor by its first name, in file order. If several words apply, the first
        of ``embeddings``, ``first``, ``last``.

    Raises
    ------
    UnknownTensorError, SelectionError
        As `rows_of`, except that it is no error if all tensors are excluded.
    """
    limits = step.limits.exclude
    if not limits:
        return {}
    chosen = {name for _, names in _rows(checkpoint, step) for name in names}
    entries = [entry for name, entry in checkpoint.entries.items() if name in chosen]
    result: dict[str, str] = {}
    if "embeddings" in limits:
        result = {e.name: "embeddings" for e in entries if e.kind == _EMBEDDING}
    ends: Iterable[tuple[str, Iterable[str]]] = ()
    if "first" in limits or "last" in limits:
        ends = zip(("first", "last"), end_blocks_of(checkpoint.entries.values()), strict=True)
    for word, names in ends:
        if word in limits:
            result = dict.fromkeys(names, word) | result
    return {e.name: result[e.name] for e in entries if e.name in result}


def _rows(checkpoint: Checkpoint, step: Step) -> Rows:
    """Return the rows with the tensors that they prune before exclusions; see `rows_of`."""
    rows = tuple(
        (row, resolve(checkpoint, _coupled_names(checkpoint, row), on_request=True))
        for row in step.rows
    )
    if len(rows) == 1:
        return rows
    assigned: set[str] = set()
    left = []
    for row, names in reversed(rows):
        remaining = (
            names if assigned.isdisjoint(names) else tuple(n for n in names if n not in assigned)
        )
        assigned.update(names)
        if remaining:
            left.append((row, remaining))
    return tuple(reversed(left))


def groups_of(checkpoint: Checkpoint, axis: AxisName, names: Iterable[str]) -> tuple[Group, ...]:
    """Return the groups of an axis that contain any of the named tensors, in the order of the axis.

    Any names of the tensors are accepted. The first call for a checkpoint analyzes its structure.
    Raises `SelectionError`, with the reason, if there is none.
    """
    structure = structure_of(checkpoint)
    if isinstance(structure, Unknown):
        raise SelectionError(structure.why_not)
    found = structure.axes.get(axis)
    if found is None or found.why_not:
        if found is None:
            raise SelectionError(
                f"The model has no {LABELS[axis]}.", remedy="Choose another method."
            )
        raise SelectionError(
            found.why_not,
            remedy="Choose another method: this one prunes only units that an export can remove.",
        )
    if not any(group.names for group in found.groups):
        raise SelectionError(
            f"In a model of type '{structure.model_type}' a norm follows the sum, so zeros do not "
            f"have the effect of removing {found.label.lower()}.",
            remedy="A shrunk export can remove them.",
        )
    chosen: dict[int, Group] = {}
    for name in names:
        for each in checkpoint.entry(name).names:
            chosen |= {id(group): group for group in found.groups_of.get(each, ())}
    groups = tuple(group for group in found.groups if id(group) in chosen)
    if not groups:
        raise SelectionError(
            f"No selected tensor is known to belong to {found.label}.",
            remedy=f"Select one such as '{found.groups[0].names[0]}'.",
        )
    return groups


def coupling_of(checkpoint: Checkpoint, axis: AxisName, name: str) -> tuple[Group, ...]:
    """Return the groups of an axis that contain a tensor; empty if there are none.

    `name` is its first name. Running statistics of norms are removed from the groups: no method
    prunes them, and they have no effect when weight and bias of the norm are 0. Each call returns
    the same objects.
    """
    structure = structure_of(checkpoint)
    axes = {} if isinstance(structure, Unknown) else structure.axes
    found = axes.get(axis)
    groups = () if found is None else found.groups_of.get(name, ())
    return tuple(_learned_part(checkpoint, group) for group in groups)


# By checkpoint and `id` of the original group: this group, so that its id is not used again after a
# trace has replaced it, and the reduced one, so that it is created once.
_learned_groups: WeakKeyDictionary[Checkpoint, dict[int, tuple[Group, Group]]] = WeakKeyDictionary()


def _learned_part(checkpoint: Checkpoint, group: Group) -> Group:
    """Return a group without running statistics; itself if it has none, else a cached copy."""
    entries = checkpoint.entries
    # In a graph they are known by their operator, whatever their names are.
    measured = {
        entry.name
        for entry in (entries[member.name] for member in group.members)
        if not entry.prunable and (entry.kind == STATISTICS or not entry.learned)
    }
    if not measured:
        return group
    members = tuple(member for member in group.members if member.name not in measured)
    reduced_groups = _learned_groups.setdefault(checkpoint, {})
    return reduced_groups.setdefault(id(group), (group, replace(group, members=members)))[1]


def axis_of(row: Row) -> AxisName | None:
    """Return the axis whose units a row prunes; None if its method is no `CoupledMethod`.

    Rows with equal names and axes prune the same tensors.
    """
    method = registry.get(row.method)
    return method.axis if isinstance(method, CoupledMethod) else None


def with_trace_of_groups(checkpoint: Checkpoint, step: Step) -> Step:
    """Return a step with the trace that its groups come from; itself if it uses no groups.

    It is part of the step, because other groups would prune other weights; also `NO_TRACE` where a
    trace would replace the groups.
    """
    if not step.dependents and all(axis_of(row) is None for row in step.rows):
        return step
    structure = structure_of(checkpoint)
    if isinstance(structure, Unknown):
        return step
    without = NO_TRACE if structure.blocks else ""
    return replace(step, trace=trace_key(checkpoint) if structure.is_traced else without)


def _coupled_names(checkpoint: Checkpoint, row: Row) -> Iterable[str]:
    """Return the names of a row; for a `CoupledMethod`, all tensors of the groups of its tensors.

    Raises the errors of `groups_of` for the latter.
    """
    axis = axis_of(row)
    if axis is None:
        return row.names
    names = resolve(checkpoint, row.names, on_request=True)
    groups = groups_of(checkpoint, axis, names)
    return dict.fromkeys(name for g in groups for name in _learned_part(checkpoint, g).names)
