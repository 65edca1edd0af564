"""Weights in a folder that an export would leave there, and that would be taken for its own."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.model_folder import may_be_weights
from pruneapp.errors import ExportError
from pruneapp.export.destination.sidecars import files_in, is_home, listed


def refuse_others(checkpoint: Checkpoint, target: Path, names: Collection[str]) -> None:
    """Refuse a folder where weights, or an index, would stay beside those of an export.

    transformers takes ``model.safetensors`` before any index, and safetensors before torch; a
    program that reads all files would mix them. Whatever else lay in the folder of the model that
    was opened was there before, and is no news.

    Parameters
    ----------
    checkpoint
        What is exported.
    target
        The folder; it need not be there.
    names
        Of the files that are written.

    Raises
    ------
    ExportError
        If there are any.
    """
    if not target.is_dir():
        return
    if is_home(checkpoint, target):
        contents = checkpoint.contents
        own = [shard.path for shard in contents.shards] or [checkpoint.path]
        there = [path.name for path in (*own, *filter(None, [contents.index]))]
    else:
        there = [path.name for path in files_in(target)]
    others = [name for name in there if name not in names and may_be_weights(name)]
    if not others:
        return
    if is_home(checkpoint, target):
        raise ExportError(
            f"'{target}' holds the model that was opened, whose files would stay beside the new "
            f"ones and be taken for them: {listed(others)}.",
            remedy="Choose another folder.",
        )
    raise ExportError(
        f"'{target}' holds {listed(others)}, which would stay beside the new files and be taken "
        "for a part of them, or in their place.",
        remedy="Choose an empty folder or the name of a new one, or remove what lies there.",
    )
