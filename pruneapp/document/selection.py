"""Which tensors a person means: patterns over names, and what is meant if nothing is said."""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Iterable, Sequence

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.prunability_annotate import chosen_by_version_1
from pruneapp.document.step import Version
from pruneapp.errors import SelectionError
from pruneapp.progress import Job

# Comparing a pattern with a hundred thousand names letter by letter takes seconds.
_MOST_COMPARED = 5_000
_MOST_NAMED = 3
# A pattern is compiled with each key that is typed, which takes 30 µs a letter.
_LONGEST_PATTERN = 1_000
# What stands between commas and line breaks; a bracket that is not closed is a letter like others.
_SEPARATED = re.compile(r"(?:\[[^\]\n]*\]|[^,\n])+")


def select(
    checkpoint: Checkpoint, patterns: Sequence[str], version: Version = 2
) -> tuple[str, ...]:
    """Return the prunable tensors that match any of `patterns`.

    Parameters
    ----------
    checkpoint
        Whose tensors.
    patterns
        Case-sensitive globs over whole names (`fnmatch.fnmatchcase`): ``*`` crosses dots. Every
        name of a tied tensor is tried. A pattern that matches nothing as a glob is tried as a
        name, so that a name with brackets can be given as it is.
    version
        Of the step that is meant. By version 1 buffers that can be pruned are as good as others.

    Returns
    -------
    tuple[str, ...]
        First names, in file order, each once. Tensors that cannot be pruned, and buffers, are left
        out as long as the pattern matches others too.

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
        if not matched:
            raise _no_match(checkpoint, pattern)
        prunable = [e for e in matched if e.prunable]
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
    return tuple(dict.fromkeys(part for found in parts if (part := found.strip())))


def matching(checkpoint: Checkpoint, patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the tensors that match any of `patterns`, prunable or not, in file order.

    Raises
    ------
    SelectionError
        For the first pattern that matches nothing, with the nearest names.
    """
    chosen: set[str] = set()
    for pattern in patterns:
        matched = _matching(checkpoint, pattern)
        if not matched:
            raise _no_match(checkpoint, pattern)
        chosen.update(e.name for e in matched)
    return tuple(name for name in checkpoint.entries if name in chosen)


def default_selection(checkpoint: Checkpoint, version: Version = 2) -> tuple[str, ...]:
    """Return the tensors that are meant if nothing is said, in file order; maybe none.

    A step of version 1 means buffers and biases of two and more dimensions as well.
    """
    if version == 1:
        return chosen_by_version_1(checkpoint.contents, Job())
    return tuple(e.name for e in checkpoint.entries.values() if e.by_default)


def resolve(checkpoint: Checkpoint, names: Iterable[str]) -> tuple[str, ...]:
    """Return the first names of the tensors called `names`, in file order, each once.

    Raises
    ------
    UnknownTensorError
        If there is no tensor of a name.
    SelectionError
        If one cannot be pruned, or there are none.
    """
    found: set[str] = set()
    for name in names:
        entry = checkpoint.entry(name)
        if not entry.prunable:
            raise SelectionError(
                f"'{name}' cannot be pruned: {entry.why_not}.", remedy="Deselect it."
            )
        found.add(entry.name)
    if not found:
        raise SelectionError("No tensor is selected.", remedy="Check one, or give a pattern.")
    if len(found) == 1:
        return tuple(found)
    return tuple(name for name in checkpoint.entries if name in found)


def _matching(checkpoint: Checkpoint, pattern: str) -> list[TensorEntry]:
    if len(pattern) > _LONGEST_PATTERN:
        found = [e for e in checkpoint.entries.values() if pattern in e.names]
        if found:
            return found
        raise SelectionError(
            f"A pattern has at most {_LONGEST_PATTERN:,} characters, and this one has "
            f"{len(pattern):,}.",
            remedy="Separate several patterns by commas.",
        )
    matches = re.compile(fnmatch.translate(pattern)).match
    found = [e for e in checkpoint.entries.values() if any(matches(name) for name in e.names)]
    if not found:
        found = [e for e in checkpoint.entries.values() if pattern in e.names]
    return found


def _no_match(checkpoint: Checkpoint, pattern: str) -> SelectionError:
    names = [name for e in checkpoint.entries.values() for name in e.names]
    near = _nearest(pattern, names)
    remedy = f"Nearest: {_listed(near)}." if near else "'*' matches every tensor."
    return SelectionError(
        f"No tensor in '{checkpoint.path.name}' matches '{pattern}' "
        "(patterns are case-sensitive and match whole names).",
        remedy=remedy,
    )


def _nearest(pattern: str, names: Sequence[str]) -> list[str]:
    """Return a few names that the person may have meant, the likeliest kind of slip first."""
    any_case = re.compile(fnmatch.translate(pattern), re.IGNORECASE).match
    part = re.compile(fnmatch.translate(f"*{pattern}*"), re.IGNORECASE).match
    for matches in (any_case, part):
        found = [name for name in names if matches(name)]
        if found:
            return found[:_MOST_NAMED]
    # Spread over the file, so that a late layer is found in a long list as well.
    every = max(1, len(names) // _MOST_COMPARED)
    plain = pattern.replace("*", "").replace("?", "")
    return difflib.get_close_matches(plain, names[::every], _MOST_NAMED, cutoff=0.4)


def _not_prunable(pattern: str, matched: Sequence[TensorEntry]) -> SelectionError:
    first = matched[0]
    others = len(matched) - 1
    more = f", and {others:,} more like it" if others else ""
    return SelectionError(
        f"'{pattern}' matches nothing that can be pruned: '{first.name}' ({first.why_not}){more}.",
        remedy="Choose another pattern.",
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
