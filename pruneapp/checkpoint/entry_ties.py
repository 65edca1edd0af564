"""Tied tensors of a safetensors file, which holds each of them once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pruneapp.progress import CancelToken


def ties_of(
    names: Iterable[str], metadata: Mapping[str, str], cancel: CancelToken
) -> dict[str, list[str]]:
    """Return the further names of tied tensors by the name that the file holds.

    ``safetensors.torch.save_model`` drops all names but one of a tied tensor and keeps them as
    ``{dropped: kept}`` beside the tensors.

    Parameters
    ----------
    names
        Of all tensors.
    metadata
        Text beside them.
    cancel
        Looked at between batches.
    """
    if not metadata:
        return {}
    known: set[str] = set()
    for batch in cancel.batches(names):
        known.update(batch)
    ties: dict[str, list[str]] = {}
    for pairs in cancel.batches(metadata.items()):
        for dropped, kept in pairs:
            if kept in known and dropped not in known:
                ties.setdefault(kept, []).append(dropped)
    return ties
