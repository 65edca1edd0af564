"""The metadata of one tensor of a checkpoint, tied names, and display names.

The records are named tuples because a file may contain 100,000 tensors: a frozen dataclass takes
four times as long to create.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple

from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.errors import escape_text
from pruneapp.progress import CancelToken

# The kind of tensors that training measures or counts, and their names in torch's norm layers.
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
    is_unused: bool = False  # whether the model is used without it, so that it is not checked

    @property
    def matrix(self) -> bool:
        """Whether module check marks and patterns of rules include it.

        True for prunable parameters of two or more dimensions that are neither norm nor bias.
        """
        learned = not (self.why_not or self.buffer)
        return learned and len(self.shape) > 1 and self.kind not in _NEVER


def c_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides, in elements, of a contiguous tensor in C order."""
    return tuple(math.prod(shape[dim + 1 :]) for dim in range(len(shape)))


def fortran_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides, in elements, of a contiguous tensor in Fortran order."""
    return c_strides(shape[::-1])[::-1]


def is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Return whether the strides (in elements) describe a contiguous tensor in C order.

    Dimensions of size 1 may have any stride. An empty tensor is always contiguous. Raises
    `ValueError` if the lengths of `shape` and `strides` differ.
    """
    if 0 in shape:
        return True
    expected = 1
    for n, step in zip(reversed(shape), reversed(strides), strict=True):
        if n != 1 and step != expected:
            return False
        expected *= n
    return True


def reach(shape: tuple[int, ...], strides: tuple[int, ...] | None) -> int:
    """Return the number of elements from the first to the last in memory, both included.

    Gaps between the elements count. ``strides=None`` means contiguous. For an empty tensor the
    result is 0.
    """
    if strides is None or 0 in shape:
        return math.prod(shape)
    return 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))


class Location(NamedTuple):
    """The position of a tensor's elements in the files of a checkpoint."""

    source: int  # index into the checkpoint's byte sources: a file, a shard, an inflated member
    offset: int  # byte of the first element
    # Strides in elements; None if the tensor is contiguous in C order.
    strides: tuple[int, ...] | None = None
    # Identifies the storage that several views share; empty for formats without shared storages.
    storage: str = ""


class TensorEntry(NamedTuple):
    """The metadata of one tensor of a checkpoint."""

    # The key in the chosen state dict, including prefixes. Unique in the checkpoint.
    name: str
    shape: tuple[int, ...]  # extent of each dimension
    dtype: DType  # type of the elements
    location: Location
    # Further names of the same tensor (tied weights), in file order.
    aliases: tuple[str, ...] = ()
    why_not: str = ""  # why it cannot be pruned: a clause without a full stop; empty if it can
    # The inferred layer type ("Conv2d", "Linear", "norm", "embedding", "bias", ...), derived from
    # names and shapes and shown as inferred.
    kind: str = ""
    # Name of the mask that torch.nn.utils.prune saved with this tensor (``NAME_mask``), or empty.
    # The tensor itself is then called ``NAME_orig`` in the file.
    mask_of: str = ""
    # Whether the tensor is pruned if the user selects no tensors.
    by_default: bool = False
    # Whether the file declares it as a buffer (True) or as a parameter (False); None if the file
    # does not distinguish them, as a state dict.
    buffer: bool | None = None
    # Why it is considered part of a quantized layer, a clause like `why_not`; empty if it is not.
    # Floats of quantized layers are never rounded.
    quantized: str = ""

    @property
    def numel(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Size in bytes once read into memory."""
        return self.dtype.nbytes(self.numel)

    @property
    def stored_bytes(self) -> int:
        """Size in bytes in the file, which is smaller for types that are decoded on reading."""
        return self.dtype.stored_bytes(self.numel)

    @property
    def reach(self) -> int:
        """Number of elements from the first to the last in memory, both included."""
        return reach(self.shape, self.location.strides)

    @property
    def overlaps_itself(self) -> bool:
        """Whether two elements may share the same memory, as in an expanded tensor.

        False for contiguous tensors. May be True for unusual strides without a common element.
        """
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
        """All names of the tensor, the primary one first."""
        return (self.name, *self.aliases)

    @property
    def learned(self) -> bool:
        """Whether it counts as a parameter, not as a buffer; see `is_buffer`."""
        return not is_buffer(self.name, self.shape, self.dtype, declared=self.buffer)

    @property
    def prunable(self) -> bool:
        """Whether it may be pruned."""
        return not self.why_not

    @property
    def on_request(self) -> bool:
        """Whether the user must name and confirm it to prune it: floats of quantized layers.

        `prunable` is False for such a tensor.
        """
        has_values = self.dtype.prunable and bool(self.shape) and self.numel > 0
        return bool(self.quantized) and self.why_not == self.quantized and has_values


class Size(NamedTuple):
    """The number of elements of a model. Shares of a model refer to its parameters."""

    parameters: int = 0
    buffers: int = 0


def is_buffer(
    name: str, shape: tuple[int, ...], dtype: DType, *, declared: bool | None = None
) -> bool:
    """Return whether a tensor is a buffer of the model rather than a parameter.

    Tensors of integers or booleans are always buffers (counters, positions, indices, packed
    weights). For other types the declaration in the file decides if there is one: pickled modules
    and TorchScript distinguish parameters and buffers. State dicts do not; then these are buffers:

    - running statistics, rotary frequencies, anchors, audio transforms (``mel_basis``), names that
      end in ``_buffer`` and others, by the last part of the name;
    - masks: names that end in ``_mask``, and the ``bias`` of shape ``1×1×n×n`` that GPT-2 and
      similar models use as a causal mask.

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
    """Return whether the last part of a tensor's name, with its shape, identifies a buffer."""
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
    """Count the parameters and buffers of a model. All numbers that the user sees come from here.

    A tied tensor counts once. A buffer that an entry names as its mask (`mask_of`) does not count.

    Parameters
    ----------
    cancel
        Checked while counting; raises `Cancelled`.
    buffers
        Whether each entry, in order, is a buffer; None computes it with `is_buffer`. Raises
        `ValueError` if the number differs from that of the entries.
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
    """Create entries from one iterable per field, stopping at the shortest one.

    The iterables have the order of the fields of `TensorEntry`; `buffers` is its field `buffer`.
    Those with a default may be omitted. This takes a quarter of the time of calling `TensorEntry`
    for each. No other thread of the interpreter runs meanwhile, so callers create many entries in
    batches (`CancelToken.batches`).
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
    """Create contiguous locations in one source from byte offsets; see `make_entries`."""
    rows: Iterable[tuple[Any, ...]] = zip(repeat(source), offsets, repeat(None), repeat(""))
    return list(map(partial(tuple.__new__, Location), rows))


def ties_of(
    names: Iterable[str], metadata: Mapping[str, str], cancel: CancelToken
) -> dict[str, list[str]]:
    """Return the other names of tied tensors, by the name that the file contains.

    ``safetensors.torch.save_model`` stores a tied tensor under one name and records the others in
    the metadata as ``{dropped: kept}``. `names` are those that the file contains. Metadata whose
    value is not among them, or whose key is, is ignored. Tensors without other names are not in the
    result.
    """
    if not metadata:
        return {}
    known = set(cancel.each(names))
    ties: dict[str, list[str]] = {}
    for dropped, kept in cancel.each(metadata.items()):
        if kept in known and dropped not in known:
            ties.setdefault(kept, []).append(dropped)
    return ties


# Module names that wrappers insert between the names of the model.
WRAPPERS = frozenset(
    {
        "_orig_mod",  # torch.compile
        "_fsdp_wrapped_module",
        "_checkpoint_wrapped_module",
        "_forward_module",  # Lightning Fabric
    }
)
# These count as prefixes of wrappers (DataParallel, DistributedDataParallel, Lightning) only if all
# names begin with them.
_PREFIXES = ("module.", "model.")
# Display name of a tensor whose name is empty.
NO_NAME = "(no name)"


def display_names(names: Sequence[str], cancel: CancelToken | None = None) -> dict[str, str]:
    """Return the display name of each tensor: its name without the parts that wrappers add.

    Removed are the module names in `WRAPPERS` wherever they occur, and then prefixes ``module.``
    and ``model.`` that all names have. Display names are unique: if two would be equal or one
    empty, all names stay unchanged. A tensor without a name is shown as `NO_NAME`. Unprintable
    characters are escaped. Files keep the original names.
    """
    cancel = cancel or CancelToken()
    wrapped = any(_is_wrapped("\n".join(batch)) for batch in cancel.batches(names))
    result = list(map(_without_wrappers, cancel.each(names)) if wrapped else names)
    # Removed in one step: a long name may consist of very many prefixes.
    if cut := _common_prefix(result):
        result = [name[cut:] for name in cancel.each(result)]
    cancel.check()
    if len(set(result)) < len(names) or "" in result:
        result = list(names)
    if "" in result and NO_NAME not in result:
        result[result.index("")] = NO_NAME
    return dict(zip(names, _printable(result, cancel), strict=True))


def _printable(names: list[str], cancel: CancelToken) -> list[str]:
    """Return the names with invisible and line-breaking characters escaped; they stay unique.

    If another name contains the same text as an escape, backslashes are escaped in all names.
    """
    if all("".join(batch).isprintable() for batch in cancel.batches(names)):
        return names
    result = list(map(escape_text, cancel.each(names)))
    if len(set(result)) < len(result):  # another name contains the same text as an escape
        result = [escape_text(name, too="\\") for name in cancel.each(names)]
    return result


def _is_wrapped(name: str) -> bool:
    return any(wrapper in name for wrapper in WRAPPERS)


def _without_wrappers(name: str) -> str:
    if not _is_wrapped(name):
        return name
    return ".".join(part for part in name.split(".") if part not in WRAPPERS)


def _common_prefix(names: Sequence[str]) -> int:
    """Return the number of characters of the wrapper prefixes that all names begin with.

    The prefixes are ``module.`` and ``model.`` in any order and number. 0 without names.
    """
    if not names:
        return 0
    # All names sort between the first and the last one, so they share the prefix of these two.
    first, last = min(names), max(names)
    cut = 0
    while prefix := next((p for p in _PREFIXES if first.startswith(p, cut)), ""):
        if not last.startswith(prefix, cut):
            break
        cut += len(prefix)
    return cut
