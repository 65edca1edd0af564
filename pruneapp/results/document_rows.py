"""Rows of lists and trees for tensors and history states, and counts of manual edits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from pruneapp.results.tile import Box

# "restore" keeps pruned weights again; "protect" exempts weights from later methods until
# "release".
Operation = Literal["prune", "restore", "protect", "release"]
Shape = Literal["rectangle", "row", "column", "channel", "brush"]


class HashedNames(tuple[str, ...]):  # noqa: SLOT001 - its hash is kept in its dict
    """A tuple of names with a cached hash: hashing 50,000 names takes a millisecond."""

    @cached_property
    def _hash(self) -> int:
        return super().__hash__()

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[HashedNames], tuple[tuple[str, ...]]]:
        return HashedNames, (tuple(self),)  # string hashes differ between processes


@dataclass(frozen=True)
class ManualEditRequest:
    """One gesture on a picture: an operation and the weights it applies to."""

    operation: Operation
    name: str
    boxes: tuple[Box, ...]  # selected elements, as boxes of indices; they may overlap
    shape: Shape  # the drawn shape, for labels
    dim: int = -1  # dimension of the selected channels; -1 for none
    axis: str = ""  # axis of the model if the channels are its units; else empty


@dataclass(frozen=True)
class ManualEditCount:
    """The effect of a manual edit on one tensor, in weights."""

    name: str  # first name of the tensor
    selected: int  # number of selected weights
    changed: int  # number of weights pruned, restored, protected or released
    protected: int = 0  # number of weights not pruned because they are protected
    permanent: int = 0  # number of restored weights that stay 0 because they were made permanent


@dataclass(frozen=True)
class ManualEditCounts:
    """The effect of a manual edit on all of its tensors."""

    operation: Operation
    # In the order of the edit; includes tensors in which nothing changes.
    tensors: tuple[ManualEditCount, ...]

    @cached_property
    def selected(self) -> int:
        """Total number of selected weights."""
        return sum(count.selected for count in self.tensors)

    @cached_property
    def changed(self) -> int:
        """Total number of weights that change."""
        return sum(count.changed for count in self.tensors)

    @cached_property
    def protected(self) -> int:
        """Total number of weights not pruned because they are protected."""
        return sum(count.protected for count in self.tensors)

    @cached_property
    def permanent(self) -> int:
        """Total number of restored weights that stay 0 because they were made permanent."""
        return sum(count.permanent for count in self.tensors)


# Kinds that are excluded from module check marks and from patterns of rules.
_NEVER = frozenset({"norm", "bias"})


class TensorRow(NamedTuple):
    """A tensor in lists and trees."""

    name: str  # name in the file, with prefixes
    shown: str  # display name without redundant prefixes (``module.``, ``_orig_mod.``); also unique
    kind: str  # inferred kind of layer; empty if unknown
    shape: tuple[int, ...]
    dtype: str  # its label
    numel: int
    nbytes: int
    why_not: str = ""  # why it cannot be pruned; empty if it can
    by_default: bool = False  # whether it is checked when a file is opened
    aliases: tuple[str, ...] = ()  # other names of the same tensor
    # Whether its elements count as buffers, not as parameters.
    buffer: bool = False
    hub_name: str = ""  # name in transformers if it differs; empty if unknown
    # Whether it is a float of a quantized layer, which is only checked after a confirmation.
    on_request: bool = False

    @property
    def matrix(self) -> bool:
        """Whether module check marks and patterns of rules include it.

        True for prunable parameters of two or more dimensions that are neither norm nor bias.
        """
        learned = not (self.why_not or self.buffer)
        return learned and len(self.shape) > 1 and self.kind not in _NEVER


@dataclass(frozen=True)
class HistoryItem:
    """A state in the history."""

    label: str  # description of the step: "L1 20 % on 19 tensors, global"
    detail: str  # full description, for a tooltip
    by_method: bool = False  # whether the step used methods, whose names begin the label
    rule: int = 0  # number of the step's rule that is described, from 1; 0 for a step of one rule
    name: str = ""  # name given by the user

    @property
    def title(self) -> str:
        """Display name of the state; not necessarily unique."""
        return self.name or self.label


def numbered(state: int, item: HistoryItem) -> str:
    """Return the title of a state, with its number to make it unique, unless it is state 0."""
    return f"{state}: {item.title}" if state else item.title
