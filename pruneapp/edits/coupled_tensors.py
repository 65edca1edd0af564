"""What has to go along with a channel: its entry in the bias, and in the norm that follows.

A channel of zeros still emits its bias; and a norm makes of it

    weight * (0 - running_mean) / sqrt(running_var + eps) + bias

which is the same number for every input, and not 0 as a rule: what comes after is fed a constant
that nobody sees in the mask. With the channel's entries of the norm's weight and bias at 0 as
well, the norm emits exactly 0, whatever its statistics are. These are measured, not learned, and
they say what the unpruned network did: who set the mean to 0 would have to know what the bias was
when it was measured, and the variance in the denominator must not become 0. So nothing here touches
them, and nothing needs to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.document.selection import resolve
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, dim_of
from pruneapp.edits.manual_edit import ManualEdit, ManualTarget
from pruneapp.errors import SelectionError, UnknownTensorError, counted
from pruneapp.masks.bitmask import BitMask, MaskSet
from pruneapp.masks.channels import channels_left
from pruneapp.progress import CancelToken, Job
from pruneapp.results.channel_list import runs
from pruneapp.results.tile import Box

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
# Norms that come after the convolution of their number, unless the shapes say otherwise.
_AFTER = frozenset({"bn", "batch_norm", "batchnorm"})
# timm's blocks: bn1 follows the first, bn2 the second. The first that is there whole holds.
_IN_ORDER = (
    ("conv_pw", "conv_dw", "conv_pwl"),
    ("conv_exp", "conv_pwl"),
    ("conv_dw", "conv_pw"),
    ("conv_stem", "conv_head"),
)
# These have their outputs along dim 1.
_TRANSPOSED = re.compile(r"trans|deconv", re.IGNORECASE)


@dataclass(frozen=True)
class Companion:
    """A vector with one element for each channel of another tensor, along dim 0."""

    name: str  # its first name
    part: Part  # what it is to the channels
    why: str  # why it should go along, as a sentence


@dataclass
class _Order:
    """What the shapes say about norms of one word: whether they may follow their convolution."""

    after: bool = True
    before: bool = True


class Companions:
    """Finds what has to go along with channels. Looks at the names of a checkpoint once.

    Names are all there is to go by, so only pairs that names make, and whose lengths fit, are
    offered: ``X.bias``; ``conv1`` and ``bn1`` in the same module (``norm1``, ``gn_1``, without a
    number, and timm's ``conv_pw`` and ``bn1``); ``X.0`` and ``X.1`` in a sequence. A norm may also
    stand before the convolution of its number (DenseNet, the pre-activation ResNets, diffusers):
    whether it does is told from the shapes of all such pairs of the model, and then ``conv1`` is
    followed by ``norm2``. Where the shapes leave it open, ``bn`` is taken to follow, and others
    are not offered.
    """

    def __init__(self, checkpoint: Checkpoint, cancel: CancelToken | None = None) -> None:
        self._checkpoint = checkpoint
        self._cancel = cancel or CancelToken()  # looked at while all names are looked through

    def of(self, name: str) -> tuple[Companion, ...]:
        """Return the companions of a weight's channels along dim 0; see `companions`."""
        entry = self._checkpoint.entry(name)
        companions: dict[str, Companion] = {}
        if len(entry.shape) < 2:
            return ()
        for own in entry.names:
            path, _, leaf = own.rpartition(".")
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
        """Yield the modules that would be the norm after a module, the likeliest first."""
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
        """What all pairs of the same number say, by the norm's word and whether it has a number."""
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
                # A grouped convolution sees more channels than its weight has along dim 1.
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


def with_companions(checkpoint: Checkpoint, edit: ManualEdit, job: Job | None = None) -> ManualEdit:
    """Return an edit that does the same to the companions of the channels that it means.

    It is called "channel 12 of layer2.0.conv1 pruned, with norm".

    Only targets that are channels along dim 0 have any; an edit without such is returned as it is.
    `job` may cancel.
    """
    job = job or Job()
    pairs = Companions(checkpoint, job.cancel)
    more: list[ManualTarget] = []
    parts: set[Part] = set()
    given = {(target.name, target.boxes) for target in edit.targets}  # as members of a group
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
    """Return the edit that prunes what the companions of pruned channels still hold.

    A channel counts once all of it along dim 0 is pruned, by a method, by hand, or by the file;
    what was made permanent counts as kept. See `pruneapp.edits.coupled_tensors` for what its
    companions are, and why they should go as well. `compute_manual_edit` spares protected weights.

    Raises `SelectionError` if a tensor cannot be pruned, or nothing is left to prune: no channel is
    pruned whole, or its companions are pruned already, or it has none.
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
                        tuple((run,) for run in runs(affected)),
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


Gone = NDArray[np.bool_]


def pruned_filters(
    state: Snapshot, after: MaskSet, row: Row, names: Iterable[str], job: Job
) -> dict[str, Gone]:
    """Return which channels along dim 0 a row has pruned as a whole, by first names of tensors.

    Those that were pruned before are not among them. Tensors without such a channel, and rows along
    another dimension, are left out.
    """
    result: dict[str, Gone] = {}
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
    state: Snapshot, pruned_channels: Mapping[str, Gone], job: Job
) -> tuple[dict[str, BitMask], dict[str, BitMask]]:
    """Prune of the companions of channels what belongs to these; no weight is read.

    Returns the masks of the companions that changed, and what stays in them because it is
    protected, both by first names. `state` is the one after the channels went.
    """
    pairs = Companions(state.checkpoint, job.cancel)
    wanted: dict[str, Gone] = {}
    for name, channels in pruned_channels.items():
        job.label(name)
        for companion in pairs.of(name):
            also = wanted.get(companion.name)  # a norm may follow two layers
            wanted[companion.name] = channels if also is None else also | channels
    masks: dict[str, BitMask] = {}
    spared: dict[str, BitMask] = {}
    for name, channels in wanted.items():
        job.step(0)
        kept, protected = state.masks.get(name), state.protected.get(name)
        to_prune = channels if kept is None else channels & kept.bools()
        if protected is not None:
            stays = to_prune & protected.bools()
            if stays.any():
                spared[name] = BitMask.from_bools(stays)
            to_prune &= ~stays
        if to_prune.any():
            masks[name] = BitMask.from_bools(
                ~to_prune if kept is None else kept.bools() & ~to_prune
            )
    return masks, spared
