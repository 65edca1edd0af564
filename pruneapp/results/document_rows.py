"""What lists show of tensors and of the history, and what an edit does to single weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from pruneapp.results.tile import Box

# Restored weights are kept again; protected ones survive every later method until released.
Operation = Literal["prune", "restore", "protect", "release"]
Shape = Literal["rectangle", "row", "column", "channel", "brush"]


class HashedNames(tuple[str, ...]):  # noqa: SLOT001 - its hash is kept in its dict
    """Names that are looked up by often: of 50,000 a hash takes a millisecond, of a tuple anew."""

    @cached_property
    def _hash(self) -> int:
        return super().__hash__()

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[HashedNames], tuple[tuple[str, ...]]]:
        return HashedNames, (tuple(self),)  # in another process texts have other hashes


@dataclass(frozen=True)
class ManualEditRequest:
    """One gesture on a picture: what is to be done to which weights."""

    operation: Operation
    name: str
    boxes: tuple[Box, ...]  # which elements, as boxes of indices; they may overlap
    shape: Shape  # what was drawn, for words
    dim: int = -1  # the dimension whose channels were meant; -1 for none
    axis: str = ""  # the axis of the model whose units the channels are; empty for channels alone


@dataclass(frozen=True)
class ManualEditCount:
    """What an edit by hand does to one tensor, in weights."""

    name: str  # the tensor, by its first name
    selected: int  # how many were meant
    changed: int  # how many are pruned, restored, protected or released by it
    protected: int = 0  # how many would have been pruned, but are protected
    permanent: int = (
        0  # how many are restored, and stay 0 all the same: they were made permanent before
    )


@dataclass(frozen=True)
class ManualEditCounts:
    """What an edit by hand does."""

    operation: Operation
    # The tensors that were meant, in the order of the edit; of some nothing may change.
    tensors: tuple[ManualEditCount, ...]

    @cached_property
    def selected(self) -> int:
        """How many weights were meant."""
        return sum(count.selected for count in self.tensors)

    @cached_property
    def changed(self) -> int:
        """How many weights change."""
        return sum(count.changed for count in self.tensors)

    @cached_property
    def protected(self) -> int:
        """How many weights would have been pruned, but are protected."""
        return sum(count.protected for count in self.tensors)

    @cached_property
    def permanent(self) -> int:
        """How many restored weights stay 0 all the same: they were made permanent before."""
        return sum(count.permanent for count in self.tensors)


# Kinds that neither the check mark of a module nor a rule reaches.
_NEVER = frozenset({"norm", "bias"})


class TensorRow(NamedTuple):
    """A tensor, as lists and trees show it."""

    name: str  # as in the file, prefixes kept
    shown: str  # without prefixes that say nothing (``module.``, ``_orig_mod.``); unique as well
    kind: str  # inferred kind of layer; empty if unknown
    shape: tuple[int, ...]
    dtype: str  # its label
    numel: int
    nbytes: int
    why_not: str = ""  # why it cannot be pruned; empty if it can
    by_default: bool = False  # whether it is checked when a file is opened
    aliases: tuple[str, ...] = ()  # further names of the same tensor
    # Whether its elements count among the buffers, and not among the parameters.
    buffer: bool = False
    hub_name: str = ""  # its name in transformers, where the file has another; empty if not known
    # Whether it is a float of a quantized layer, which is checked only after a confirmation.
    on_request: bool = False

    @property
    def matrix(self) -> bool:
        """Whether it is meant where many are: by a module's check mark, or a rule's pattern.

        Prunable, a parameter of two or more dimensions, and neither norm nor bias.
        """
        learned = not (self.why_not or self.buffer)
        return learned and len(self.shape) > 1 and self.kind not in _NEVER


@dataclass(frozen=True)
class HistoryItem:
    """A state in the history."""

    label: str  # what was done: "L1 20 % on 19 tensors, global"
    detail: str  # all of it, for a tooltip
    by_method: bool = False  # whether methods did it, which the label names first
    rule: int = 0  # number from 1 of the rule that is meant, if it is one of several of a step
    name: str = ""  # that a person gave the state

    @property
    def title(self) -> str:
        """What lists call the state; others may be called the same."""
        return self.name or self.label


def numbered(state: int, item: HistoryItem) -> str:
    """Return the title of a state with its number, which tells it apart; "Opened" has none."""
    return f"{state}: {item.title}" if state else item.title
