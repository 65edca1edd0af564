"""Which tensors an entry of a recipe means: patterns and kinds resolve anew on every file."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.selection import default_selection, resolve, select
from pruneapp.document.step import Version
from pruneapp.errors import PruneAppError, SelectionError, nearest
from pruneapp.recipes.schema import ChosenConfiguration, RowConfiguration


def of_kind(checkpoint: Checkpoint, kind: str, version: Version = 2) -> tuple[str, ...]:
    """Return the tensors of a kind of layer that can be pruned and are no vectors.

    Buffers are among them for a step of version 1 alone.

    Raises
    ------
    SelectionError
        If there are none.
    """
    entries = [e for e in checkpoint.entries.values() if _is_of(e, kind)]
    found = tuple(e.name for e in entries if e.learned or version == 1)
    if not found:
        kinds = {e.kind: None for e in checkpoint.entries.values() if _is_of(e, e.kind)}
        raise SelectionError(
            f"'{checkpoint.path.name}' contains no layer of kind '{kind}' that can be pruned.",
            remedy=nearest(kind, kinds, "kinds"),
        )
    return found


def chosen_by(checkpoint: Checkpoint, row: RowConfiguration, version: Version) -> tuple[str, ...]:
    """Return the first names, in file order, of what a row of a step of a version means.

    Raises
    ------
    SelectionError, UnknownTensorError
        If it matches nothing, or something that cannot be pruned is named.
    """
    if row.pattern:
        return select(checkpoint, [row.pattern], version)
    if row.kind:
        return of_kind(checkpoint, row.kind, version)
    if row.names:
        return resolve(checkpoint, row.names)
    found = default_selection(checkpoint, version)
    if not found:
        raise SelectionError(
            f"'{checkpoint.path.name}' contains no tensors that are selected by default.",
            remedy="Add a 'pattern' to the row.",
        )
    return found


def all_chosen_by(
    checkpoint: Checkpoint,
    chosen: ChosenConfiguration,
    usual: Callable[[TensorEntry], bool],
) -> tuple[str, ...]:
    """Return the same for an entry that means everything of a kind if it says nothing."""
    if chosen.pattern:  # such entries have one meaning in all versions
        return select(checkpoint, [chosen.pattern], 1)
    if chosen.names:
        return resolve(checkpoint, chosen.names)
    return tuple(e.name for e in checkpoint.entries.values() if e.prunable and usual(e))


def row_for(
    checkpoint: Checkpoint, version: Version, names: Iterable[str], said: str
) -> RowConfiguration:
    """Return the shortest row that means these very tensors of this checkpoint.

    Parameters
    ----------
    checkpoint
        What the names belong to.
    version
        Of the step.
    names
        Any names of tensors.
    said
        What the person chose them by: a pattern, a kind, or empty.
    """
    chosen = resolve(checkpoint, names)
    for row in (RowConfiguration(pattern=said), RowConfiguration(kind=said)) if said else ():
        if _means(checkpoint, row, version, chosen):
            return row
    usual = RowConfiguration()
    return usual if _means(checkpoint, usual, version, chosen) else RowConfiguration(names=chosen)


def _means(
    checkpoint: Checkpoint, row: RowConfiguration, version: Version, names: tuple[str, ...]
) -> bool:
    try:
        return chosen_by(checkpoint, row, version) == names
    except PruneAppError:
        return False


def _is_of(entry: TensorEntry, kind: str) -> bool:
    return entry.kind == kind and entry.prunable and len(entry.shape) > 1
