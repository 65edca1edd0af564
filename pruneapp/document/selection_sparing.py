"""Which tensors each row of a step prunes: the one place that knows what its version means.

Version 2, of every new step: of several rows that name a tensor the last one prunes it, and no
other; ``first`` and ``last`` are the ends of the model in order of execution.

Version 1, of recipes, sessions and journals that were saved before: rows prune on top of each
other; ``first`` and ``last`` are the first and the last selected layer in the order of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.layer_order import ends_of
from pruneapp.document.selection import resolve
from pruneapp.document.step import Row, Step
from pruneapp.errors import SelectionError

_EMBEDDING = "embedding"
Rows = tuple[tuple[Row, tuple[str, ...]], ...]


def rows_of(checkpoint: Checkpoint, step: Step) -> Rows:
    """Return the rows of a step, each with the tensors that it prunes.

    Parameters
    ----------
    checkpoint
        What the names belong to.
    step
        What is asked for; see the module for what its version means, and `excluded` for what
        its limits leave alone.

    Returns
    -------
    tuple
        First names in file order. Rows of which nothing is left are left out.

    Raises
    ------
    UnknownTensorError
        If there is no tensor of a name.
    SelectionError
        If a tensor cannot be pruned; or a row selects none, or all are left alone.
    """
    return without(_rows(checkpoint, step), excluded(checkpoint, step), step)


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
    found = (
        n for n in range(len(step.rows), 0, -1) if not set(names).isdisjoint(step.rows[n - 1].names)
    )
    return next(found, 0)


def without(rows: Rows, left_alone: Mapping[str, str], step: Step) -> Rows:
    """Return rows less some tensors; raises `SelectionError` if there is nothing left."""
    if not left_alone:
        return rows
    left = ((row, tuple(n for n in names if n not in left_alone)) for row, names in rows)
    found = tuple((row, names) for row, names in left if names)
    if not found:
        said = ", ".join(step.limits.spare)
        raise SelectionError(
            f"All selected tensors are excluded ({said}), so there is nothing to do.",
            remedy="Select more tensors, or exclude fewer.",
        )
    return found


def excluded(checkpoint: Checkpoint, step: Step) -> dict[str, str]:
    """Return the selected tensors that limits leave alone, each with the word of `Limits.spare`.

    Parameters
    ----------
    checkpoint
        What the names belong to.
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
    spare = step.limits.spare
    if not spare:
        return {}
    chosen = {name for _, names in _rows(checkpoint, step) for name in names}
    entries = [entry for name, entry in checkpoint.entries.items() if name in chosen]
    found: dict[str, str] = {}
    if "embeddings" in spare:
        found = {e.name: "embeddings" for e in entries if e.kind == _EMBEDDING}
    ends: Iterable[tuple[str, Iterable[str]]] = ()
    if step.version == 1:
        ends = _ends_in_file(checkpoint, [e.name for e in entries])
    elif "first" in spare or "last" in spare:
        ends = ends_of(checkpoint.entries.values())._asdict().items()
    for word, names in ends:
        if word in spare:
            found = dict.fromkeys(names, word) | found
    return {e.name: found[e.name] for e in entries if e.name in found}


def _rows(checkpoint: Checkpoint, step: Step) -> Rows:
    """Return the rows with what they prune if nothing is left alone."""
    rows = tuple((row, resolve(checkpoint, row.names)) for row in step.rows)
    if step.version == 1 or len(rows) == 1:
        return rows
    taken: set[str] = set()
    left = []
    for row, names in reversed(rows):
        own = names if taken.isdisjoint(names) else tuple(n for n in names if n not in taken)
        taken.update(names)
        if own:
            left.append((row, own))
    return tuple(reversed(left))


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
