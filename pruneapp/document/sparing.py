"""Which tensors a step touches: those that it names, less those that it is to leave alone."""

from __future__ import annotations

from collections.abc import Sequence

from pruneapp.checkpoint.reader import Checkpoint
from pruneapp.document.selection import resolve
from pruneapp.document.step import Row, Step
from pruneapp.errors import SelectionError

_EMBEDDING = "embedding"


def rows_of(checkpoint: Checkpoint, step: Step) -> tuple[tuple[Row, tuple[str, ...]], ...]:
    """Return the rows of a step, each with the tensors that it touches.

    Parameters
    ----------
    checkpoint
        What the names belong to.
    step
        What is asked for. Of the tensors that any of its rows selects, `Step.limits` may spare

        - ``embeddings``: those of the kind that `TensorEntry.kind` says,
        - ``first`` and ``last``: the first and the last layer in the order of the file. A layer is
          a selected tensor of two or more dimensions that is no embedding, with all selected
          tensors of the same module (of the same name up to the last dot), its bias for one.

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
    rows = tuple((row, resolve(checkpoint, row.names)) for row in step.rows)
    spare = step.limits.spare
    if not spare:
        return rows
    chosen = {name for _, names in rows for name in names}
    spared = _spared(checkpoint, [n for n in checkpoint.entries if n in chosen], spare)
    left = ((row, tuple(n for n in names if n not in spared)) for row, names in rows)
    found = tuple((row, names) for row, names in left if names)
    if not found:
        raise SelectionError(
            f"Every selected tensor is left alone ({', '.join(spare)}), so there is nothing to do.",
            remedy="Select more tensors, or leave fewer alone.",
        )
    return found


def _spared(checkpoint: Checkpoint, names: Sequence[str], spare: Sequence[str]) -> set[str]:
    entries = [checkpoint.entries[name] for name in names]
    spared = {e.name for e in entries if e.kind == _EMBEDDING} if "embeddings" in spare else set()
    layers = [e.name for e in entries if len(e.shape) > 1 and e.kind != _EMBEDDING]
    ends = [layers[at] for word, at in (("first", 0), ("last", -1)) if word in spare and layers]
    modules = {_module(name) for name in ends} - {""}
    return spared | {name for name in names if name in ends or _module(name) in modules}


def _module(name: str) -> str:
    return name.rpartition(".")[0]
