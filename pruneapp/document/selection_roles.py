"""Tensors that have the same role in every block of a model."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pruneapp.checkpoint.checkpoint import Checkpoint

# A part of a name between dots that is a number.
_NUMBER = re.compile(r"(?<![^.])\d+(?![^.])")


@dataclass(frozen=True)
class Alike:
    """Tensors of one role.

    Attributes
    ----------
    names
        First names, in file order, the one that was asked for among them.
    pattern
        What their names have in common: ``layers.*.mlp.up_proj.weight``; the name itself where
        there is only one.
    """

    names: tuple[str, ...]
    pattern: str


def role(name: str) -> str:
    """Return a name with a star in place of every part that is a number."""
    return _NUMBER.sub("*", name)


def alike(checkpoint: Checkpoint, name: str) -> Alike:
    """Return the tensors that have the role of one of them in the other blocks.

    Their names differ in the numbers between dots alone, and they have the same shape and may be
    pruned. Linear in the number of tensors.

    Parameters
    ----------
    checkpoint
        Whose tensors.
    name
        Any name of a tensor.

    Raises
    ------
    UnknownTensorError
        If there is no tensor of this name.
    """
    given = checkpoint.entry(name)
    wanted = role(name)
    found = tuple(
        entry.name
        for entry in checkpoint.entries.values()
        if entry is given
        or (
            entry.shape == given.shape
            and entry.prunable
            and any(role(each) == wanted for each in entry.names)
        )
    )
    return Alike(found, wanted if len(found) > 1 else name)
