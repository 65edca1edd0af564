"""The dicts of tensors in a file, and which of them is taken for the model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pruneapp.checkpoint.torchfile.sources_sparse import opens_dense
from pruneapp.checkpoint.torchfile.torch_objects import Array, Compound, Tensor, Unreadable
from pruneapp.errors import CheckpointError
from pruneapp.progress import CancelToken

# An average may hold a little more than the model (its step count), never much more.
_EMA_MARGIN = 4

Leaf = Tensor | Compound | Array | Unreadable
LEAVES = (Tensor, Compound, Array, Unreadable)


@dataclass(frozen=True, slots=True, eq=False)
class FoundTensor:
    """A tensor inside a state dict.

    Attributes
    ----------
    name
        Keys that lead to it inside the state dict, joined by dots; unique.
    leaf
        The tensor.
    inside
        Name of the unknown class that it lies in; empty if none.
    """

    name: str
    leaf: Leaf
    inside: str = ""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A dict of tensors that may be the model.

    Attributes
    ----------
    key
        The outer keys that lead to it, joined by dots.
    found
        Its tensors in file order.
    tensors, numel
        How many there are, and how many numbers they hold, tied ones counted once.
    others
        Finds the keys of what is in it, however deep, and no tensor.
    beside
        Finds the keys of what the file holds outside of it. Only the chosen one is asked for both.
    """

    key: str
    found: tuple[FoundTensor, ...]
    tensors: int
    numel: int
    others: Callable[[], tuple[str, ...]] = tuple
    beside: Callable[[], tuple[str, ...]] = tuple

    @classmethod
    def of(
        cls,
        key: str,
        found: Iterable[FoundTensor],
        cancel: CancelToken,
        others: Callable[[], tuple[str, ...]] = tuple,
        beside: Callable[[], tuple[str, ...]] = tuple,
    ) -> Candidate:
        """Count what there is."""
        every: list[FoundTensor] = []
        leaves: dict[object, Leaf] = {}
        for batch in cancel.batches(found):
            every += batch
            leaves.update([(identity(item.leaf), item.leaf) for item in batch])
        tensors = total = 0
        for some in cancel.batches(leaves.values()):
            tensors += sum(map(_tensors, some))
            total += sum(map(numel, some))
        return cls(key, tuple(every), tensors, total, others, beside)

    @property
    def foreign(self) -> bool:
        """Whether all of it lies in objects of unknown classes."""
        return all(found.inside for found in self.found)

    @property
    def averaged(self) -> bool:
        """Whether it seems to be an exponential average of another one."""
        words = self.key.lower().replace(".", "_").split("_")
        return "ema" in words or "averaged" in words or "shadow" in words


def identity(leaf: Leaf) -> object:
    """Return what is equal for two names of the very same tensor."""
    if isinstance(leaf, Tensor):
        root = leaf.storage.root
        return (id(root), leaf.offset, leaf.shape, leaf.strides, leaf.element.name, leaf.flips)
    return id(leaf)


def _tensors(leaf: Leaf) -> int:
    return len(leaf.parts) if isinstance(leaf, Compound) and not opens_dense(leaf) else 1


def numel(leaf: Leaf) -> int:
    """How many numbers a tensor holds, as far as it is shown."""
    if isinstance(leaf, Tensor | Array):
        return leaf.numel
    if isinstance(leaf, Compound):
        if opens_dense(leaf):
            return math.prod(leaf.shape)
        return sum(numel(part) for part in leaf.parts.values())
    return 0


def choose(candidates: Sequence[Candidate], key: str | None, path: object) -> Candidate:
    """Return the candidate `key`, or the one that is the model if no key is given.

    Raises
    ------
    CheckpointError
        If there is no such candidate; the sentence names those that there are.
    """
    if key is not None:
        for candidate in candidates:
            if candidate.key == key:
                return candidate
        named = ", ".join(f"'{c.key}'" for c in candidates[:20])
        raise CheckpointError(
            f"'{path}' holds no state dict named '{key}'.", remedy=f"Choose one of: {named}."
        )
    candidates = [c for c in candidates if not c.foreign] or candidates
    models = [c for c in candidates if not c.averaged]
    averages = [c for c in candidates if c.averaged]
    if averages and (not models or averages[0].numel > _EMA_MARGIN * models[0].numel):
        return averages[0]
    return models[0]
