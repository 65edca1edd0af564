"""A tensor as lists and trees show it."""

from __future__ import annotations

from typing import NamedTuple

# Kinds that neither the check mark of a module nor a rule reaches.
_NEVER = frozenset({"norm", "bias"})


class TensorRow(NamedTuple):
    """A tensor, as lists and trees show it.

    Attributes
    ----------
    name
        As in the file, prefixes kept.
    shown
        Without prefixes that say nothing (``module.``, ``_orig_mod.``); unique as well.
    kind
        Inferred kind of layer; empty if unknown.
    shape, dtype
        Extent and the type's label.
    numel, nbytes
        Size.
    why_not
        Why it cannot be pruned; empty if it can.
    by_default
        Whether it is checked when a file is opened.
    aliases
        Further names of the same tensor.
    buffer
        Whether its elements count among the buffers, and not among the parameters.
    """

    name: str
    shown: str
    kind: str
    shape: tuple[int, ...]
    dtype: str
    numel: int
    nbytes: int
    why_not: str = ""
    by_default: bool = False
    aliases: tuple[str, ...] = ()
    buffer: bool = False

    @property
    def matrix(self) -> bool:
        """Whether it is meant where many are: by a module's check mark, or a rule's pattern.

        Prunable, a parameter of two or more dimensions, and neither norm nor bias.
        """
        learned = not (self.why_not or self.buffer)
        return learned and len(self.shape) > 1 and self.kind not in _NEVER
