"""Which tensors an entry of a recipe means: patterns and kinds resolve anew on every file."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.reader import Checkpoint
from pruneapp.document.recipe.schema import ChosenConfiguration, RowConfiguration
from pruneapp.document.selection import default_selection, resolve, select
from pruneapp.errors import PruneAppError, SelectionError


def of_kind(checkpoint: Checkpoint, kind: str) -> tuple[str, ...]:
    """Return the tensors of a kind of layer that can be pruned and are no vectors.

    Raises
    ------
    SelectionError
        If there are none.
    """
    found = tuple(e.name for e in checkpoint.entries.values() if _is_of(e, kind))
    if not found:
        raise SelectionError(f"'{checkpoint.path.name}' holds no {kind} that can be pruned.")
    return found


def chosen_by(checkpoint: Checkpoint, row: RowConfiguration) -> tuple[str, ...]:
    """Return the first names, in file order, of what a row means.

    Raises
    ------
    SelectionError, UnknownTensorError
        If it matches nothing, or something that cannot be pruned is named.
    """
    if row.pattern:
        return select(checkpoint, [row.pattern])
    if row.kind:
        return of_kind(checkpoint, row.kind)
    if row.names:
        return resolve(checkpoint, row.names)
    found = default_selection(checkpoint)
    if not found:
        raise SelectionError(
            f"'{checkpoint.path.name}' holds nothing that is pruned if nothing is selected.",
            remedy="Give the row a pattern.",
        )
    return found


def all_chosen_by(
    checkpoint: Checkpoint,
    chosen: ChosenConfiguration,
    usual: Callable[[TensorEntry], bool],
) -> tuple[str, ...]:
    """Return the same for an entry that means everything of a kind if it says nothing."""
    if chosen.pattern:
        return select(checkpoint, [chosen.pattern])
    if chosen.names:
        return resolve(checkpoint, chosen.names)
    return tuple(e.name for e in checkpoint.entries.values() if e.prunable and usual(e))


def row_for(checkpoint: Checkpoint, names: Iterable[str], said: str) -> RowConfiguration:
    """Return the shortest row that means these very tensors of this checkpoint.

    Parameters
    ----------
    checkpoint
        What the names belong to.
    names
        Any names of tensors.
    said
        What the person chose them by: a pattern, a kind, or empty.
    """
    chosen = resolve(checkpoint, names)
    for row in (RowConfiguration(pattern=said), RowConfiguration(kind=said)) if said else ():
        if _means(checkpoint, row, chosen):
            return row
    usual = RowConfiguration()
    return usual if _means(checkpoint, usual, chosen) else RowConfiguration(names=chosen)


def _means(checkpoint: Checkpoint, row: RowConfiguration, names: tuple[str, ...]) -> bool:
    try:
        return chosen_by(checkpoint, row) == names
    except PruneAppError:
        return False


def _is_of(entry: TensorEntry, kind: str) -> bool:
    return entry.kind == kind and entry.prunable and len(entry.shape) > 1
