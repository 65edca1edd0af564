"""Companions of a channel: its entries in the bias and in the following norm layer.

A pruned channel still outputs its bias. The norm that follows outputs

    weight * (0 - running_mean) / sqrt(running_var + eps) + bias

for it, a constant that is usually not 0 and that is not visible in the mask. If the entries of
weight and bias of the norm are 0 as well, its output is exactly 0, whatever its running statistics
are. The statistics were measured on the unpruned network and are left unchanged: a running mean of
0 would not match the bias at that time, and the variance in the denominator must not be 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.layout import Box
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.selection import resolve
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, dim_of
from pruneapp.edits.manual_edit import ManualEdit, ManualTarget, true_runs
from pruneapp.errors import SelectionError, UnknownTensorError, counted
from pruneapp.masks.bitmask import BitMask, MaskSet
from pruneapp.masks.channels import channels_left
from pruneapp.progress import CancelToken, Job

Part = Literal["bias", "norm"]

_BIAS = "A pruned channel still outputs its bias: the same constant for every input."
_NORM = (
    "A pruned filter still outputs a constant if its norm layer has a bias "
    "(beta). With weight and bias of the norm at 0, its output is exactly 0."
)

# "conv1" and "bn1", "conv" and "norm", "conv_2" and "batch_norm_2".
_CONVOLUTION = re.compile(r"(?:conv|convolution)(_?)(\d*)")
_NORM_LAYER = re.compile(r"(.*?[a-z])(_?)(\d*)")
_NORM_WORDS = ("bn", "batch_norm", "batchnorm", "norm", "normalization", "gn", "instnorm", "in")
# Norms that follow the convolution with their number, unless the shapes contradict.
_AFTER = frozenset({"bn", "batch_norm", "batchnorm"})
# Blocks of timm: bn1 follows the first layer, bn2 the second. The first complete row applies.
_IN_ORDER = (
    ("conv_pw", "conv_dw", "conv_pwl"),
    ("conv_exp", "conv_pwl"),
    ("conv_dw", "conv_pw"),
    ("conv_stem", "conv_head"),
)
# Transposed convolutions have their outputs along dim 1.
_TRANSPOSED = re.compile(r"trans|deconv", re.IGNORECASE)


@dataclass(frozen=True)
class Companion:
    """A vector with one element for each channel along dim 0 of another tensor."""

    name: str  # its first name
    part: Part  # its relation to the channels
    why: str  # a sentence on why it should be pruned with them


@dataclass
class _Order:
    """Whether, judging by shapes, norms with one name may come after or before a convolution."""

    after: bool = True
    before: bool = True


class Companions:
    """Finds the companions of channels. The names of a checkpoint are analyzed once.

    Only names and shapes are available, so only pairs with related names and matching lengths are
    found: ``X.bias``; ``conv1`` and ``bn1`` in the same module (also ``norm1``, ``gn_1``, names
    without a number, and ``conv_pw`` with ``bn1`` of timm); ``X.0`` and ``X.1`` in a sequence. In
    some models the norm precedes the convolution with its number (DenseNet, pre-activation ResNets,
    diffusers). The shapes of all such pairs of the model tell which is the case; if norms precede,
    ``conv1`` is followed by ``norm2``. If the shapes allow both, ``bn`` is assumed to follow, and
    other norms are not returned.
    """

    def __init__(self, checkpoint: Checkpoint, cancel: CancelToken | None = None) -> None:
        self._checkpoint = checkpoint
        self._cancel = cancel or CancelToken()  # checked while all names are analyzed

    def of(self, name: str) -> tuple[Companion, ...]:
        """Return the companions of the channels of a weight along dim 0; empty if it has none.

        `name` is any name of the tensor. Vectors, transposed convolutions and names that do not end
        in ``weight`` have none. The bias comes first, then weight and bias of the norm, if both
        exist. Raises `UnknownTensorError`.
        """
        entry = self._checkpoint.entry(name)
        companions: dict[str, Companion] = {}
        if len(entry.shape) < 2:
            return ()
        for name_of_entry in entry.names:
            path, _, leaf = name_of_entry.rpartition(".")
            if leaf != "weight" or _TRANSPOSED.search(path):
                continue
            bias = self._vector(f"{path}.bias" if path else "bias", entry.shape[0])
            if bias is not None:
                companions.setdefault(bias.name, Companion(bias.name, "bias", _BIAS))
            for norm in self._norms(path):
                gamma = self._vector(f"{norm}.weight", entry.shape[0])
                beta = self._vector(f"{norm}.bias", entry.shape[0])
                if gamma is not None and beta is not None and gamma.kind == "norm":
                    for part in (gamma, beta):
                        companions.setdefault(part.name, Companion(part.name, "norm", _NORM))
                    break
        return tuple(companions.values())

    def _norms(self, path: str) -> Iterator[str]:
        """Yield the paths of modules that may be the norm after a module, most likely first.

        They need not exist.
        """
        parent, dot, layer = path.rpartition(".")
        if layer.isdecimal():
            yield f"{parent}{dot}{int(layer) + 1}"
        for order in _IN_ORDER:
            weights = [f"{parent}{dot}{n}.weight" for n in order]
            if layer in order and None not in map(self._entry, weights):
                yield f"{parent}{dot}bn{order.index(layer) + 1}"
                return
        match = _CONVOLUTION.fullmatch(layer)
        if match is None:
            return
        line, number = match.groups()
        for word in _NORM_WORDS:
            shapes = self._orders.get((word, bool(number)), _Order())
            if shapes.after and (word in _AFTER or not shapes.before):
                yield f"{parent}{dot}{word}{line}{number}"
            elif shapes.before and not shapes.after and number:
                yield f"{parent}{dot}{word}{line}{int(number) + 1}"

    @cached_property
    def _orders(self) -> dict[tuple[str, bool], _Order]:
        """Which orders the shapes allow, by the name of the norm and whether it has a number.

        Names without a convolution of the same number are missing. Computed once; can be cancelled.
        """
        orders: dict[tuple[str, bool], _Order] = {}
        entries = self._checkpoint.entries.values()
        norms = [e for e in self._cancel.each(entries) if e.kind == "norm"]
        for norm in norms:
            self._cancel.check()
            path, _, leaf = norm.name.rpartition(".")
            if leaf != "weight":
                continue
            parent, dot, layer = path.rpartition(".")
            match = _NORM_LAYER.fullmatch(layer)
            if match is None:
                continue
            word, line, number = match.groups()
            for convolution in ("conv", "convolution"):
                conv = self._entry(f"{parent}{dot}{convolution}{line}{number}.weight")
                if conv is None or len(conv.shape) < 2:
                    continue
                order = orders.setdefault((word, bool(number)), _Order())
                order.after = order.after and conv.shape[0] == norm.numel
                # The weight of a grouped convolution has fewer channels along dim 1 than its input.
                order.before = order.before and norm.numel % max(conv.shape[1], 1) == 0
        return orders

    def _entry(self, name: str) -> TensorEntry | None:
        try:
            return self._checkpoint.entry(name)
        except UnknownTensorError:
            return None

    def _vector(self, name: str, size: int) -> TensorEntry | None:
        entry = self._entry(name)
        return entry if entry is not None and entry.shape == (size,) and entry.prunable else None


def pruned_with_channels(state: Snapshot, job: Job) -> frozenset[str]:
    """Return the biases and norms in which only elements of pruned channels are pruned.

    A channel counts as pruned if all its weights along dim 0 are. Vectors without pruned elements
    are not included. `job` is only used to cancel.
    """
    checkpoint, masks = state.checkpoint, state.masks
    entries = {name: checkpoint.entries[name] for name in job.cancel.each(masks)}
    vectors = {n for n, entry in entries.items() if len(entry.shape) == 1 and masks.pruned(n)}
    found: set[str] = set()
    pairs = Companions(checkpoint, job.cancel)
    for name, entry in entries.items() if vectors else ():
        job.cancel.check()
        if len(entry.shape) < 2 or masks.pruned(name) * entry.shape[0] < entry.numel:
            continue  # less than one channel is pruned
        pruned_along = [c.name for c in pairs.of(name) if c.name in vectors]
        if pruned_along:
            left = channels_left(masks[name], entry.shape, 0, job)
            found.update(n for n in pruned_along if masks[n].bools()[left].all())
    return frozenset(found)


def with_companions(checkpoint: Checkpoint, edit: ManualEdit, job: Job | None = None) -> ManualEdit:
    """Extend an edit of channels to their companions, labeled "…, with bias and norm".

    Only targets that are channels along dim 0 have companions; companions that are targets already
    are not added. An edit to which nothing is added is returned itself. `job` is used for
    cancellation.
    """
    job = job or Job()
    pairs = Companions(checkpoint, job.cancel)
    more: list[ManualTarget] = []
    parts: set[Part] = set()
    given = {(target.name, target.boxes) for target in edit.targets}  # companions may be among them
    for target in edit.targets:
        job.cancel.check()
        if target.shape != "channel" or target.dim != 0:
            continue
        boxes: tuple[Box, ...] = tuple((box[0],) for box in target.boxes)
        for companion in pairs.of(target.name):
            if (companion.name, boxes) not in given:
                parts.add(companion.part)
                more.append(ManualTarget(companion.name, boxes, shape="channel", dim=0))
    if not more:
        return edit
    words = f"{edit.label()}, with {' and '.join(sorted(parts))}"
    return ManualEdit(edit.operation, (*edit.targets, *more), words)


def complete_channels(snapshot: Snapshot, names: Iterable[str] | None, job: Job) -> ManualEdit:
    """Return the edit that prunes the remaining companions of pruned channels.

    A channel counts as pruned if all its weights along dim 0 are, by any edit; weights that were
    made permanent count as kept. The module docstring explains why companions should be pruned.
    `compute_manual_edit` skips protected weights.

    Parameters
    ----------
    names
        Any names of the tensors to search; None for all tensors with masks.

    Raises
    ------
    SelectionError
        If a tensor cannot be pruned, or there is nothing to prune: no channel is pruned as a whole,
        or no companion of one has kept weights.
    """
    checkpoint, pairs = snapshot.checkpoint, Companions(snapshot.checkpoint, job.cancel)
    chosen = snapshot.masks if names is None else resolve(checkpoint, names)
    targets: list[ManualTarget] = []
    channels = 0
    for name in filter(snapshot.masks.__contains__, chosen):
        job.label(name)
        shape = checkpoint.entry(name).shape
        if len(shape) < 2:
            continue
        pruned = ~channels_left(snapshot.masks[name], shape, 0, job)
        left = np.zeros(shape[0], np.bool_)
        for companion in pairs.of(name) if pruned.any() else ():
            kept = snapshot.masks.get(companion.name)
            affected = pruned if kept is None else pruned & kept.bools()
            if affected.any():
                targets.append(
                    ManualTarget(
                        companion.name,
                        tuple((run,) for run in true_runs(affected)),
                        shape="channel",
                        dim=0,
                    )
                )
                left |= affected
        channels += int(np.count_nonzero(left))
    if not targets:
        raise SelectionError(
            "No pruned channel has anything left in a bias or a norm.",
            remedy="Prune whole channels along dim 0 first.",
        )
    words = f"Bias and norm of {counted(channels, 'pruned channel')} pruned"
    return ManualEdit("prune", tuple(targets), words)


ChannelFlags = NDArray[np.bool_]


def pruned_filters(
    state: Snapshot, after: MaskSet, row: Row, names: Iterable[str], job: Job
) -> dict[str, ChannelFlags]:
    """Return the channels along dim 0 that a row pruned completely, by first name of the tensor.

    Channels that were pruned before are not included. Tensors without such channels are omitted; so
    are all tensors that the row prunes along another dimension, or not by channels.

    Parameters
    ----------
    state
        The state before the step.
    after
        The masks after the step.
    names
        First names of the tensors to compare, which the row selects.

    Returns
    -------
    dict
        ``bool[channels]`` per tensor, True for newly pruned channels.
    """
    result: dict[str, ChannelFlags] = {}
    for name in names:
        job.step(0)
        old, new = state.masks.get(name), after[name]
        shape = state.checkpoint.entries[name].shape
        if dim_of(row, shape, name) != 0 or new is old:
            continue
        pruned = channels_left(old, shape, 0, job) & ~channels_left(new, shape, 0, job)
        if pruned.any():
            result[name] = pruned
    return result


def prune_companions(
    state: Snapshot, pruned_channels: Mapping[str, ChannelFlags], job: Job
) -> tuple[dict[str, BitMask], dict[str, BitMask]]:
    """Prune the entries of channels in their companions. Reads no weights.

    Parameters
    ----------
    state
        The state after the channels were pruned.
    pruned_channels
        ``bool[channels]`` per tensor, by first name.

    Returns
    -------
    masks
        The changed masks of companions, by first name.
    spared
        Masks of the entries that are not pruned because they are protected, by first name.
    """
    pairs = Companions(state.checkpoint, job.cancel)
    channels_by_companion: dict[str, ChannelFlags] = {}
    for name, channels in pruned_channels.items():
        job.label(name)
        for companion in pairs.of(name):
            also = channels_by_companion.get(companion.name)  # a norm may follow two layers
            channels_by_companion[companion.name] = channels if also is None else also | channels
    masks: dict[str, BitMask] = {}
    spared: dict[str, BitMask] = {}
    for name, channels in channels_by_companion.items():
        job.step(0)
        kept, protected = state.masks.get(name), state.protected.get(name)
        to_prune = channels if kept is None else channels & kept.bools()
        if protected is not None:
            protected_entries = to_prune & protected.bools()
            if protected_entries.any():
                spared[name] = BitMask.from_bools(protected_entries)
            to_prune &= ~protected_entries
        if to_prune.any():
            masks[name] = BitMask.from_bools(
                ~to_prune if kept is None else kept.bools() & ~to_prune
            )
    return masks, spared
