"""Which tensors a person means: patterns over names, what is selected by default, equal roles.

And which tensors each row of a step prunes: the one place that knows what its version means.

Version 2, of every new step: of several rows that name a tensor the last one prunes it, and no
other; ``first`` and ``last`` are the ends of the model in order of execution.

Version 1, of recipes, sessions and journals that were saved before: rows prune on top of each
other; ``first`` and ``last`` are the first and the last selected layer in the order of the file.
"""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.prunability import chosen_by_version_1
from pruneapp.document.entries import Version
from pruneapp.document.layer_order import end_blocks_of
from pruneapp.document.step import Row, Step
from pruneapp.errors import SelectionError
from pruneapp.groups.family import LABELS, AxisName
from pruneapp.groups.group import Group
from pruneapp.groups.structure import Unknown, structure_of
from pruneapp.methods import registry
from pruneapp.methods.method import CoupledMethod
from pruneapp.progress import Job

# Comparing a pattern with a hundred thousand names letter by letter takes seconds.
_MOST_COMPARED = 5_000
_MOST_NAMED = 3
# A pattern is compiled with each key that is typed, which takes 30 µs a letter.
_LONGEST_PATTERN = 1_000
# What stands between commas and line breaks; a bracket that is not closed is a letter like others.
_SEPARATED = re.compile(r"(?:\[[^\]\n]*\]|[^,\n])+")


def select(
    checkpoint: Checkpoint,
    patterns: Sequence[str],
    version: Version = 2,
    *,
    on_request: bool = True,
) -> tuple[str, ...]:
    """Return the prunable tensors that match any of `patterns`.

    Parameters
    ----------
    patterns
        Case-sensitive globs over whole names (`fnmatch.fnmatchcase`): ``*`` crosses dots. Every
        name of a tied tensor is tried, and of a tensor of a GGUF file its name in transformers. A
        pattern that matches nothing as a glob is tried as a name, so that a name with brackets can
        be given as it is.
    version
        Of the step that is meant. By version 1 buffers that can be pruned are as good as others.
    on_request
        Whether a pattern that is the exact name of a float of a quantized layer selects it.

    Returns
    -------
    tuple[str, ...]
        First names, in file order, each once. Tensors that cannot be pruned, and buffers, are left
        out as long as the pattern matches others too. Floats of quantized layers are selected only
        by a pattern that is their exact name.

    Raises
    ------
    SelectionError
        For the first pattern that matches nothing, with the nearest names, or nothing that can be
        pruned, with the reason; and if there is no pattern.
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
        learned = [e for e in prunable if e.learned] if version > 1 else []
        chosen.update(e.name for e in learned or prunable)
    return tuple(name for name in checkpoint.entries if name in chosen)


def patterns_of(text: str) -> tuple[str, ...]:
    """Return the patterns in what a person typed: separated by commas, or on lines of their own.

    A comma between square brackets belongs to its pattern (``fc[1,2].*``).
    """
    parts = _SEPARATED.findall(text)
    return tuple(dict.fromkeys(part for word in parts if (part := word.strip())))


def matching(checkpoint: Checkpoint, patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the tensors that match any of `patterns`, prunable or not, in file order.

    Raises
    ------
    SelectionError
        For the first pattern that matches nothing, with the nearest names.
    """
    chosen = {e.name for pattern in patterns for e in _matching(checkpoint, pattern)}
    return tuple(name for name in checkpoint.entries if name in chosen)


def default_selection(checkpoint: Checkpoint, version: Version = 2) -> tuple[str, ...]:
    """Return the tensors that are meant if nothing is said, in file order; maybe none.

    A step of version 1 means buffers and biases of two and more dimensions as well.
    """
    if version == 1:
        return chosen_by_version_1(checkpoint.contents, Job())
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
    """Return all names that patterns match: those in the file, and that of transformers."""
    hub_name = checkpoint.contents.hub_names.get(entry.name)
    return entry.names if hub_name is None else (*entry.names, hub_name)


def _no_match(checkpoint: Checkpoint, pattern: str) -> SelectionError:
    # What is mostly meant comes first: the bias of a layer has the shorter, nearer name.
    weights: list[str] = []
    others: list[str] = []
    for entry in checkpoint.entries.values():
        (weights if entry.prunable and len(entry.shape) > 1 else others).extend(entry.names)
    near = _nearest(pattern, weights, others)
    if len(fnmatch.filter(weights, f"*{pattern}*")) > 1:  # a word that a filter would take
        near.insert(0, f"*{pattern}*")
    rule = "Patterns are case-sensitive and match whole names; '*' matches every tensor."
    return SelectionError(
        f"No tensor in '{checkpoint.path.name}' matches '{pattern}'.",
        remedy=f"Nearest: {', '.join(map(repr, near))}." if near else rule,
    )


def _nearest(pattern: str, *names: Sequence[str]) -> list[str]:
    """Return a few names that the person may have meant, the likeliest kind of slip first.

    Of each kind of slip those of the first list come before those of the second.
    """
    any_case = re.compile(fnmatch.translate(pattern), re.IGNORECASE).match
    part = re.compile(fnmatch.translate(f"*{pattern}*"), re.IGNORECASE).match
    for matches in (any_case, part):
        matched = [name for some in names for name in some if matches(name)]
        if matched:
            return matched[:_MOST_NAMED]
    # Spread over the file, so that a late layer is found in a long list as well.
    every = max(1, sum(map(len, names)) // _MOST_COMPARED)
    plain = pattern.replace("*", "").replace("?", "")
    for some in names:
        matched += difflib.get_close_matches(plain, some[::every], _MOST_NAMED, cutoff=0.4)
    return matched[:_MOST_NAMED]


def _not_prunable(pattern: str, matched: Sequence[TensorEntry]) -> SelectionError:
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
    """Tensors of one role."""

    names: tuple[str, ...]  # first names, in file order, the one that was asked for among them
    # What their names have in common: ``layers.*.mlp.up_proj.weight``; the name itself where there
    # is only one.
    pattern: str


def role(name: str) -> str:
    """Return a name with a star in place of every part that is a number."""
    return _NUMBER.sub("*", name)


def tensors_of_role(checkpoint: Checkpoint, name: str) -> RoleTensors:
    """Return the tensors that have the role of one of them in the other blocks.

    Their names differ in the numbers between dots alone, and they have the same shape and may be
    pruned. Linear in the number of tensors.
    """
    given = checkpoint.entry(name)
    wanted = role(name)
    names = tuple(
        entry.name
        for entry in checkpoint.entries.values()
        if entry is given
        or (
            entry.shape == given.shape
            and entry.prunable
            and any(role(each) == wanted for each in entry.names)
        )
    )
    return RoleTensors(names, wanted if len(names) > 1 else name)


_EMBEDDING = "embedding"
Rows = tuple[tuple[Row, tuple[str, ...]], ...]


def rows_of(checkpoint: Checkpoint, step: Step) -> Rows:
    """Return the rows of a step, each with the tensors that it prunes, in file order.

    See the module for what its version means, and `excluded` for what its limits exclude. Rows of
    which nothing is left are left out.

    Raises
    ------
    SelectionError
        If a tensor cannot be pruned; or a row selects none, or all are left alone.
    """
    return without(_rows(checkpoint, step), excluded(checkpoint, step), step)


def pruned_in(rows: Rows) -> frozenset[str]:
    """Return the tensors in which rows prune by a method that can: those that a step counts.

    A tensor of Identity alone is in none of its numbers, be they estimated, previewed or reported.
    """
    return frozenset(name for row, names in rows if row.prunes for name in names)


def counts_of(checkpoint: Checkpoint, step: Step) -> tuple[int, ...]:
    """Return how many tensors each row prunes, less what later rows take and limits exclude.

    Empty for a step of one row, and for version 1, whose rows share tensors.
    """
    if len(step.rows) == 1 or step.version == 1:
        return ()
    left = [(row, len(names)) for row, names in rows_of(checkpoint, step)]
    counts = [0] * len(step.rows)
    for at in reversed(range(len(counts))):  # rows of which nothing is left are not among the left
        if left and left[-1][0] is step.rows[at]:
            counts[at] = left.pop()[1]
    return tuple(counts)


def rule_of(step: Step, names: Iterable[str]) -> int:
    """Return the number from 1 of the row that prunes a tensor, by all its names.

    0 if no row names it, and for steps that `counts_of` has no counts for.
    """
    if len(step.rows) == 1 or step.version == 1:
        return 0
    numbers = (
        n for n in range(len(step.rows), 0, -1) if not set(names).isdisjoint(step.rows[n - 1].names)
    )
    return next(numbers, 0)


def without(rows: Rows, left_alone: Mapping[str, str], step: Step) -> Rows:
    """Return rows less some tensors; raises `SelectionError` if there is nothing left."""
    if not left_alone:
        return rows
    left = ((row, tuple(n for n in names if n not in left_alone)) for row, names in rows)
    remaining = tuple((row, names) for row, names in left if names)
    if not remaining:
        limits = ", ".join(step.limits.spare)
        raise SelectionError(
            f"All selected tensors are excluded ({limits}), so there is nothing to do.",
            remedy="Select more tensors, or exclude fewer.",
        )
    return remaining


def excluded(checkpoint: Checkpoint, step: Step) -> dict[str, str]:
    """Return the selected tensors that limits leave alone, each with the word of `Limits.spare`.

    Parameters
    ----------
    step
        Of the tensors that any of its rows selects, `Step.limits` may spare

        - ``embeddings``: those of the kind that `TensorEntry.kind` says,
        - ``first`` and ``last`` (version 2): those of the first and the last block of the model,
          selected or not, in order of execution, see `pruneapp.document.layer_order`,
        - ``first`` and ``last`` (version 1): the first and the last layer in the order of the file.
          A layer is a selected tensor of two or more dimensions that is no embedding, with all
          selected tensors of the same module (of the same name up to the last dot).

    Returns
    -------
    dict
        First names in file order. What is left alone for several reasons has the first of them in
        the order of ``embeddings``, ``first``, ``last``.

    Raises
    ------
    UnknownTensorError, SelectionError
        As `rows_of`, but for a step of which nothing is left.
    """
    limits = step.limits.spare
    if not limits:
        return {}
    chosen = {name for _, names in _rows(checkpoint, step) for name in names}
    entries = [entry for name, entry in checkpoint.entries.items() if name in chosen]
    result: dict[str, str] = {}
    if "embeddings" in limits:
        result = {e.name: "embeddings" for e in entries if e.kind == _EMBEDDING}
    ends: Iterable[tuple[str, Iterable[str]]] = ()
    if step.version == 1:
        ends = _ends_in_file(checkpoint, [e.name for e in entries])
    elif "first" in limits or "last" in limits:
        ends = zip(("first", "last"), end_blocks_of(checkpoint.entries.values()), strict=True)
    for word, names in ends:
        if word in limits:
            result = dict.fromkeys(names, word) | result
    return {e.name: result[e.name] for e in entries if e.name in result}


def _rows(checkpoint: Checkpoint, step: Step) -> Rows:
    """Return the rows with what they prune if nothing is left alone."""
    rows = tuple(
        (row, resolve(checkpoint, _coupled(checkpoint, row), on_request=True)) for row in step.rows
    )
    if step.version == 1 or len(rows) == 1:
        return rows
    assigned: set[str] = set()
    left = []
    for row, names in reversed(rows):
        own = names if assigned.isdisjoint(names) else tuple(n for n in names if n not in assigned)
        assigned.update(names)
        if own:
            left.append((row, own))
    return tuple(reversed(left))


def groups_of(checkpoint: Checkpoint, axis: AxisName, names: Iterable[str]) -> tuple[Group, ...]:
    """Return the groups of an axis that any of some tensors, by any names, has a part in.

    Raises `SelectionError`, with the reason, if there is none.
    """
    structure = structure_of(checkpoint)
    if isinstance(structure, Unknown):
        raise SelectionError(structure.why_not)
    found = structure.axes.get(axis)
    if found is None or found.why_not:
        why = f"The model has no {LABELS[axis]}." if found is None else found.why_not
        raise SelectionError(why, remedy="Choose another method.")
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
            f"None of the selected tensors has a part in {found.label}.",
            remedy=f"Select one such as '{found.groups[0].names[0]}'.",
        )
    return groups


def coupling_of(checkpoint: Checkpoint, axis: AxisName, name: str) -> tuple[Group, ...]:
    """Return the groups of an axis that a tensor has a part in; nothing is raised.

    What norms have measured is left out: no method prunes it, and with weight and bias of the norm
    at 0 it says nothing.
    """
    structure = structure_of(checkpoint)
    axes = {} if isinstance(structure, Unknown) else structure.axes
    found = axes.get(axis)
    groups = () if found is None else found.groups_of.get(name, ())
    return tuple(_learned(checkpoint, group) for group in groups)


# Of groups with members that are measured: those without, which are the same objects every time.
_learned_groups: WeakKeyDictionary[Checkpoint, dict[int, Group]] = WeakKeyDictionary()


def _learned(checkpoint: Checkpoint, group: Group) -> Group:
    entries = checkpoint.entries
    measured = {e.name for m in group.members if not ((e := entries[m.name]).prunable or e.learned)}
    if not measured:
        return group
    members = tuple(member for member in group.members if member.name not in measured)
    known = _learned_groups.setdefault(checkpoint, {})
    return known.setdefault(id(group), replace(group, members=members))


def _coupled(checkpoint: Checkpoint, row: Row) -> Iterable[str]:
    """Return the names of a row; of a method on units those of all tensors of their groups."""
    method = registry.get(row.method)
    if not isinstance(method, CoupledMethod):
        return row.names
    names = resolve(checkpoint, row.names, on_request=True)
    groups = groups_of(checkpoint, method.axis, names)
    return dict.fromkeys(name for g in groups for name in _learned(checkpoint, g).names)


def _ends_in_file(
    checkpoint: Checkpoint, names: Sequence[str]
) -> Iterable[tuple[str, Iterable[str]]]:
    entries = [checkpoint.entries[name] for name in names]
    layers = [e.name for e in entries if len(e.shape) > 1 and e.kind != _EMBEDDING]
    for word, end in (("first", layers[:1]), ("last", layers[-1:])):
        modules = {_module(name) for name in end} - {""}
        yield word, [name for name in names if name in end or _module(name) in modules]


def _module(name: str) -> str:
    return name.rpartition(".")[0]
