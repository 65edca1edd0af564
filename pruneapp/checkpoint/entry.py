"""One tensor of a checkpoint, as its header describes it; tied names; names as people see them.

Named tuples, because a file may hold 100,000 of them: a frozen dataclass takes four times as long
to make, which a person waits for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple

from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.errors import escaped
from pruneapp.progress import CancelToken

# The kind of what training measures and counts beside the parameters, and its names in torch's
# own norm layers.
STATISTICS = "statistics"
# The kind of other tensors that the file declares as buffers.
BUFFER = "buffer"
STATISTICS_NAMES = frozenset({"running_mean", "running_var", "num_batches_tracked"})
# Last names of further floats that torch's and transformers' modules register as buffers.
_BUFFER_NAMES = STATISTICS_NAMES | {
    "inv_freq",
    "original_inv_freq",
    "cos_cached",
    "sin_cached",
    "freqs_cis",
    "position_ids",
    "relative_position_index",
    "relative_coords_table",
    "masked_bias",
    "attn_mask",
    "causal_mask",
    "anchors",
    # Fixed transforms of audio models, and sinusoidal positions.
    "forward_basis",
    "inverse_basis",
    "mel_basis",
    "mel_filters",
    "dct_mat",
    "fb",
    "window",
    "window_sum",
    "pe",
}

_WHOLE_NUMBERS = frozenset(d.name for d in DTYPES.values() if d.integer or d.name == "BOOL")


def c_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the steps, in elements, of a tensor in C order without gaps."""
    return tuple(math.prod(shape[dim + 1 :]) for dim in range(len(shape)))


def fortran_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the steps, in elements, of a tensor in Fortran order without gaps."""
    return c_strides(shape[::-1])[::-1]


def is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether the elements lie in C order without gaps."""
    if 0 in shape:
        return True
    expected = 1
    for n, step in zip(reversed(shape), reversed(strides), strict=True):
        if n != 1 and step != expected:
            return False
        expected *= n
    return True


def reach(shape: tuple[int, ...], strides: tuple[int, ...] | None) -> int:
    """Return how many elements lie between the first and the last in memory, both included."""
    if strides is None or 0 in shape:
        return math.prod(shape)
    return 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))


class Location(NamedTuple):
    """Where the elements of a tensor lie."""

    source: int  # index into the checkpoint's byte sources: a file, a shard, an inflated member
    offset: int  # byte of the first element
    # Steps between elements, in elements; None if they lie in C order without gaps.
    strides: tuple[int, ...] | None = None
    # A name for the piece of memory that views of it share; empty where formats share nothing.
    storage: str = ""


class TensorEntry(NamedTuple):
    """A tensor that a checkpoint holds."""

    # The key in the chosen state dict, prefixes kept. Unique in the checkpoint.
    name: str
    shape: tuple[int, ...]  # extent of each dimension
    dtype: DType  # type of the elements
    location: Location  # where they lie
    # Further names of the very same tensor (tied weights), in file order.
    aliases: tuple[str, ...] = ()
    why_not: str = ""  # why it may not be pruned, a phrase without a full stop; empty if it may
    # What layer it seems to belong to ("Conv2d", "Linear", "norm", "embedding", "bias", ...):
    # inferred from names and shapes, and said to be so wherever it is shown.
    kind: str = ""
    # Name under which the file keeps the mask that torch's pruning left beside it (``NAME_mask``);
    # empty if none. The tensor itself is then ``NAME_orig`` in the file.
    mask_of: str = ""
    # Whether it is among the tensors that are pruned if nothing is selected.
    by_default: bool = False
    # Whether the file declares it as a buffer (True) or as a parameter (False); None where the file
    # declares neither, as a state dict does.
    buffer: bool | None = None
    # That its layer is quantized, a phrase as `why_not`; empty if it is not. Such floats are never
    # rounded.
    quantized: str = ""

    @property
    def numel(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self.dtype.nbytes(self.numel)

    @property
    def stored_bytes(self) -> int:
        """Bytes of the elements in the file, which are fewer where they are decoded on reading."""
        return self.dtype.stored_bytes(self.numel)

    @property
    def reach(self) -> int:
        """How many elements lie between its first and its last in memory, both included."""
        return reach(self.shape, self.location.strides)

    @property
    def overlaps_itself(self) -> bool:
        """Whether two elements may lie in one place, as in an expanded tensor."""
        strides = self.location.strides
        if strides is None:
            return False
        reach = 0
        for step, n in sorted((s, n) for n, s in zip(self.shape, strides, strict=True) if n > 1):
            if step <= reach:
                return True
            reach += step * (n - 1)
        return False

    @property
    def names(self) -> tuple[str, ...]:
        """Every name it has, its own first."""
        return (self.name, *self.aliases)

    @property
    def learned(self) -> bool:
        """Whether it counts among the parameters, and not among the buffers; see `is_buffer`."""
        return not is_buffer(self.name, self.shape, self.dtype, declared=self.buffer)

    @property
    def prunable(self) -> bool:
        """Whether it may be pruned."""
        return not self.why_not

    @property
    def on_request(self) -> bool:
        """Whether it is pruned only if the user names it and confirms: floats of quantized layers.

        Such a tensor is not `prunable`.
        """
        has_values = self.dtype.prunable and bool(self.shape) and self.numel > 0
        return bool(self.quantized) and self.why_not == self.quantized and has_values


class Size(NamedTuple):
    """How many elements a model has."""

    parameters: int = 0  # of what is learned; only these are meant by a share of the model
    buffers: int = 0  # of the rest


def is_buffer(
    name: str, shape: tuple[int, ...], dtype: DType, *, declared: bool | None = None
) -> bool:
    """Return whether a tensor counts among the buffers of a model, not among its parameters.

    Every tensor of integers or booleans is a buffer (counters, positions, indices, packed weights).
    For all others the declaration of the file decides, if there is one: pickled modules and
    TorchScript name their parameters and buffers. A state dict declares nothing; there, these are
    buffers:

    - running statistics, rotary frequencies, anchors, transforms of audio (``mel_basis``), any
      ``NAME_buffer`` and the like, by the last part of the name;
    - masks: a last part ``NAME_mask``, and the ``bias`` of shape ``1×1×n×n`` of attention in GPT-2
      and its kin, which is their causal mask.

    Parameters
    ----------
    declared
        `TensorEntry.buffer`.
    """
    if dtype.name in _WHOLE_NUMBERS:
        return True
    if declared is not None:
        return declared
    return is_buffer_name(name[name.rfind(".") + 1 :], shape)


def is_buffer_name(leaf: str, shape: tuple[int, ...]) -> bool:
    """Return whether a tensor is a buffer by the last part of its name, whatever its type."""
    if leaf in _BUFFER_NAMES or leaf.endswith(("_mask", "_buffer")):
        return True
    square = len(shape) == 4 and shape[:2] == (1, 1) and shape[2] == shape[3] > 1
    return leaf == "bias" and square


def size_of(
    entries: Iterable[TensorEntry],
    cancel: CancelToken | None = None,
    *,
    buffers: Iterable[bool] | None = None,
) -> Size:
    """Count parameters and buffers: the one function for every number of them that is shown.

    Tied tensors count once; masks that lie beside the tensors that they prune do not count.
    `buffers` says of each entry whether it is a buffer, where that is known.

    O(n).
    """
    cancel = cancel or CancelToken()
    entries = tuple(entries)
    masks = {e.mask_of for e in cancel.each(entries) if e.mask_of}
    if buffers is None:
        buffers = (not e.learned for e in entries)
    learned = rest = 0
    for entry, buffer in cancel.each(zip(entries, buffers, strict=True)):
        if buffer:
            rest += 0 if entry.name in masks else entry.numel
        else:
            learned += entry.numel
    return Size(learned, rest)


def make_entries(
    names: Iterable[str],
    shapes: Iterable[tuple[int, ...]],
    dtypes: Iterable[DType],
    locations: Iterable[Location],
    *,
    aliases: Iterable[tuple[str, ...]] = repeat(()),
    why_not: Iterable[str] = repeat(""),
    kinds: Iterable[str] = repeat(""),
    mask_of: Iterable[str] = repeat(""),
    by_default: Iterable[bool] = repeat(False),
    buffers: Iterable[bool | None] = repeat(None),
    quantized: Iterable[str] = repeat(""),
) -> list[TensorEntry]:
    """Make entries from one column for each attribute.

    A quarter of the time that it takes to call `TensorEntry` for each; but no other thread of the
    interpreter runs meanwhile, so many are made in batches (`CancelToken.batches`).
    """
    rows: Iterable[tuple[Any, ...]] = zip(
        names,
        shapes,
        dtypes,
        locations,
        aliases,
        why_not,
        kinds,
        mask_of,
        by_default,
        buffers,
        quantized,
        strict=False,
    )
    return list(map(partial(tuple.__new__, TensorEntry), rows))


def make_locations(source: int, offsets: Iterable[int]) -> list[Location]:
    """Make locations without strides in one source, as `make_entries` makes entries."""
    rows: Iterable[tuple[Any, ...]] = zip(repeat(source), offsets, repeat(None), repeat(""))
    return list(map(partial(tuple.__new__, Location), rows))


def ties_of(
    names: Iterable[str], metadata: Mapping[str, str], cancel: CancelToken
) -> dict[str, list[str]]:
    """Return the further names of tied tensors by the name that the file holds.

    ``safetensors.torch.save_model`` drops all names but one of a tied tensor and keeps them as
    ``{dropped: kept}`` beside the tensors.
    """
    if not metadata:
        return {}
    known = set(cancel.each(names))
    ties: dict[str, list[str]] = {}
    for dropped, kept in cancel.each(metadata.items()):
        if kept in known and dropped not in known:
            ties.setdefault(kept, []).append(dropped)
    return ties


# Wrappers put these between the names that the model gave.
WRAPPERS = frozenset(
    {
        "_orig_mod",  # torch.compile
        "_fsdp_wrapped_module",
        "_checkpoint_wrapped_module",
        "_forward_module",  # Lightning Fabric
    }
)
# These are prefixes of wrappers only where every name begins with them:
# DataParallel and DistributedDataParallel, Lightning.
_PREFIXES = ("module.", "model.")
# What a tensor is shown as that a file calls "".
NO_NAME = "(no name)"


def display_names(names: Sequence[str], cancel: CancelToken | None = None) -> dict[str, str]:
    """Return each name without what wrappers added. For display only: files keep their names.

    Unique, as the names are: where two would become one, all stay as they are.
    """
    cancel = cancel or CancelToken()
    wrapped = any(_wrapped("\n".join(batch)) for batch in cancel.batches(names))
    shown = list(map(_unwrapped, cancel.each(names)) if wrapped else names)
    # At once what is in front of all of them: there may be as many prefixes as a name is long.
    if cut := _common_prefix(shown):
        shown = [name[cut:] for name in cancel.each(shown)]
    cancel.check()
    if len(set(shown)) < len(names) or "" in shown:
        shown = list(names)
    if "" in shown and NO_NAME not in shown:
        shown[shown.index("")] = NO_NAME
    return dict(zip(names, _printable(shown, cancel), strict=True))


def _printable(names: list[str], cancel: CancelToken) -> list[str]:
    """Write out by its number what would break a line, reverse it, or stay unseen."""
    if all("".join(batch).isprintable() for batch in cancel.batches(names)):
        return names
    result = list(map(escaped, cancel.each(names)))
    if len(set(result)) < len(result):  # another name holds the very letters of an escape
        result = [escaped(name, too="\\") for name in cancel.each(names)]
    return result


def _wrapped(name: str) -> bool:
    return any(wrapper in name for wrapper in WRAPPERS)


def _unwrapped(name: str) -> str:
    if not _wrapped(name):
        return name
    return ".".join(part for part in name.split(".") if part not in WRAPPERS)


def _common_prefix(names: Sequence[str]) -> int:
    """Return how much of each name are prefixes of wrappers, one after the other, that all have."""
    if not names:
        return 0
    # What the first and the last by the alphabet begin with, all between them begin with.
    first, last = min(names), max(names)
    cut = 0
    while prefix := next((p for p in _PREFIXES if first.startswith(p, cut)), ""):
        if not last.startswith(prefix, cut):
            break
        cut += len(prefix)
    return cut
