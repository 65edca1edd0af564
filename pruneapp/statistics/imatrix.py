"""Convert importance matrices of llama.cpp to statistics: GGUF and all three kinds of ``.dat``.

They contain sums over the inputs of each weight under GGUF names, which a table maps to Hugging
Face names. The file does not name its model, so every name in the table must have a weight in the
checkpoint, and every length must fit.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.formats.gguf_header import (
    MAGIC,
    MAX_ENTRIES,
    HeaderCursor,
    read_gguf_header,
)
from pruneapp.checkpoint.formats.headers import show
from pruneapp.checkpoint.io.digest import sha256_of
from pruneapp.checkpoint.io.object_source import open_source
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.errors import CheckpointError, DamagedFileError, SelectionError, UnrecognizedFileError
from pruneapp.kernels.values import Float64s
from pruneapp.progress import Job
from pruneapp.statistics.file import COUNTS, GRAM, SUM, SUM2, Inputs, fits

_ALIAS = "hessian.alias."


@dataclass(frozen=True)
class _Place:
    """An array of float32 in the file."""

    offset: int
    shape: tuple[int, ...]  # innermost dimension last

    @property
    def numel(self) -> int:
        return math.prod(self.shape)


@dataclass
class _Raw:
    """The arrays of one name in the file."""

    sum2: _Place | None = None
    sum: _Place | None = None
    counts: _Place | float | None = None  # a single number in files before GGUF
    gram: _Place | None = None


@dataclass(frozen=True, eq=False)
class Converted:
    """An imatrix as statistics of a checkpoint.

    `skipped` are names of the file that are ignored: kinds that the table does not know, or whose
    inputs llama.cpp orders differently.
    """

    sha256: str
    weights: Mapping[str, Inputs]
    grams: Mapping[str, Iterable[Float64s]]
    skipped: tuple[str, ...]


def convert(path: Path, checkpoint: Checkpoint, job: Job) -> Converted:
    """Return the statistics in an imatrix file, under the names of a checkpoint.

    Gram matrices are read from the file when they are iterated. Raises `CheckpointError` if the
    file is not an imatrix, is damaged, or is of a model with other layers or sizes,
    `SelectionError` if none of its names belongs to a weight, or `Cancelled`.
    """
    source = open_source(path)
    try:
        head = source.read(0, min(4, source.size))
        raw = _read_gguf(source, job) if head == MAGIC else _read_dat(source, job)
        weights, grams, skipped = _map_to_weights(source, raw, checkpoint, job)
        return Converted(sha256_of(source, job), weights, grams, skipped)
    finally:
        source.close()


def _read_gguf(source: FileSource, job: Job) -> dict[str, _Raw]:
    """Return the positions of the arrays by name of the weight, from a GGUF file.

    Tensors with other endings are ignored. Raises `UnrecognizedFileError` for a GGUF file of
    another kind, or `DamagedFileError`.
    """
    path = source.path
    header = read_gguf_header(source, job.cancel)
    kind = header.metadata.get("general.type", "")
    if kind != "imatrix":
        raise UnrecognizedFileError(
            f"'{path}' is a GGUF file, but no imatrix (its general.type is '{show(kind)}')."
            if kind
            else f"'{path}' is a GGUF file, but no imatrix.",
            remedy="Choose a file that llama-imatrix wrote.",
        )
    raw: dict[str, _Raw] = {}
    for tensor in header.tensors:
        if not tensor.name.endswith((SUM2, SUM, COUNTS, GRAM)):
            continue
        if tensor.dtype is None or tensor.dtype.name != "F32":
            raise _damage_error(path, f"'{show(tensor.name)}' is not float32")
        owner, _, what = tensor.name.rpartition(".")
        place = _Place(tensor.offset, tensor.shape)
        one = raw.setdefault(owner, _Raw())
        setattr(one, {"in_sum2": "sum2", "in_sum": "sum", "in_gram": "gram"}.get(what, what), place)
    for key, owner in header.metadata.items():
        name = key.removeprefix(_ALIAS)
        if key != name and name in raw and owner in raw and raw[name].gram is None:
            raw[name].gram = raw[owner].gram
    return raw


def _read_dat(source: FileSource, job: Job) -> dict[str, _Raw]:
    """Return the positions of the arrays by name of the weight, from a file before GGUF.

    Raises `UnrecognizedFileError` if it does not begin like one, or `DamagedFileError`.
    """
    path = source.path
    cursor = HeaderCursor(source, 0, "imatrix")
    count = cursor.number("i") if source.size >= 4 else 0
    if not 1 <= count <= MAX_ENTRIES:
        raise UnrecognizedFileError(
            f"'{path}' is not an imatrix of llama.cpp.",
            remedy="Choose a .gguf or .dat file that llama-imatrix wrote.",
        )
    raw: dict[str, _Raw] = {}
    for _ in range(count):
        job.cancel.check()
        name = cursor.text(cursor.number("i"))
        calls, size = cursor.number("i"), cursor.number("i")
        if name in raw:
            raise _damage_error(path, f"it has '{show(name)}' twice")
        if size < 1 or calls < 0:
            raise _damage_error(path, f"'{show(name)}' has {size:,} values of {calls:,} calls")
        raw[name] = _Raw(sum2=_Place(cursor.at, (size,)), counts=float(calls))
        cursor.skip(4 * size)
    if cursor.left:  # number of chunks, and the path of the text
        cursor.skip(4)
        size = cursor.number("i")
        if size != cursor.left:
            raise _damage_error(path, "other bytes follow its last entry")
    return raw


# Names of weights in Hugging Face checkpoints after the layer number, with their GGUF kinds. A star
# marks weights with the inputs first: the Conv1D of GPT-2.
_KINDS = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.qkv_proj": "attn_qkv",
    "attn.c_attn": "*attn_qkv",
    "attn.c_proj": "*attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.gate_up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "mlp.c_fc": "*ffn_up",
    "mlp.c_proj": "*ffn_down",
    "mlp.gate": "ffn_gate_inp",
    "block_sparse_moe.gate": "ffn_gate_inp",
    "mlp.router": "ffn_gate_inp",
    "mlp.shared_expert.gate_proj": "ffn_gate_shexp",
    "mlp.shared_expert.up_proj": "ffn_up_shexp",
    "mlp.shared_expert.down_proj": "ffn_down_shexp",
    "mlp.shared_experts.gate_proj": "ffn_gate_shexp",
    "mlp.shared_experts.up_proj": "ffn_up_shexp",
    "mlp.shared_experts.down_proj": "ffn_down_shexp",
}
_EXPERTS = {
    "gate_proj": "ffn_gate",
    "up_proj": "ffn_up",
    "gate_up_proj": "ffn_up",
    "down_proj": "ffn_down",
    "w1": "ffn_gate",
    "w3": "ffn_up",
    "w2": "ffn_down",
}
# Excludes layers of a vision tower, for example, which an imatrix does not cover.
_LAYER = re.compile(
    r"(?:(?:_orig_mod|module|base_model|model|transformer|language_model|text_model)\.)*"
    r"(?:layers|h)\.(\d+)\.(.+?)(?:\.weight)?"
)
_EXPERT = re.compile(r"(?:mlp|block_sparse_moe|feed_forward)\.experts(?:\.(\d+))?\.(\w+)")
_BLOCK_NAME = re.compile(r"blk\.(\d+)\.(\w+?)(?:\.(\d+))?\.weight")
# Excluded: the outputs of linear attention (ssm_out), whose inputs llama.cpp orders differently,
# and the split matrices of latent attention (attn_k_b, attn_v_b).
_KNOWN = {kind.removeprefix("*") for kind in _KINDS.values()} | {
    f"{kind}_exps" for kind in _EXPERTS.values()
}


@dataclass(frozen=True)
class _Weight:
    """A weight of the checkpoint, and its possible names in a file."""

    entry: TensorEntry
    names: tuple[str, ...]
    transposed: bool = False
    expert: int | None = None  # index of the expert if `names` are of all experts
    alone: str = ""  # its name in files with an entry per expert


def _of_gguf(entry: TensorEntry, name: str) -> _Weight:
    """Return a weight that has GGUF names already, as in GGUF checkpoints."""
    tied = ("output.weight",) if name == "token_embd.weight" else ()
    return _Weight(entry, (name, *tied))


def _weight(entry: TensorEntry) -> _Weight | None:
    """Return a weight with its possible names in an imatrix; None if the table has none.

    None also for tensors of fewer than two dimensions. The first of its names that is known is
    used.
    """
    if len(entry.shape) < 2:
        return None
    for name in entry.names:
        if name in {"output.weight", "token_embd.weight"} or _BLOCK_NAME.fullmatch(name):
            return _of_gguf(entry, name)
        if name.endswith("lm_head.weight"):
            return _Weight(entry, ("output.weight",))
        if name.endswith(("embed_tokens.weight", "wte.weight")):
            return _Weight(entry, ("token_embd.weight", "output.weight"))
        layer = _LAYER.fullmatch(name)
        if layer is None:
            continue
        block = f"blk.{layer[1]}"
        kind = _KINDS.get(layer[2])
        if kind is not None:
            plain = kind.removeprefix("*")
            return _Weight(entry, (f"{block}.{plain}.weight",), transposed=plain != kind)
        expert = _EXPERT.fullmatch(layer[2])
        if expert is not None and (kind := _EXPERTS.get(expert[2])) is not None:
            number = None if expert[1] is None else int(expert[1])
            alone = "" if number is None else f"{block}.{kind}.{number}.weight"
            return _Weight(entry, (f"{block}.{kind}_exps.weight",), False, number, alone)
    return None


def _map_to_weights(
    source: FileSource, raw: Mapping[str, _Raw], checkpoint: Checkpoint, job: Job
) -> tuple[dict[str, Inputs], dict[str, Iterable[Float64s]], tuple[str, ...]]:
    """Return the inputs and Gram matrices by weight, and the names in the file that were not used.

    Only Gram matrices of the size of the inputs are returned. Raises `CheckpointError` if a known
    name or size has no weight, and `SelectionError` if no name belongs to a weight.
    """
    weights: dict[str, Inputs] = {}
    grams: dict[str, Iterable[Float64s]] = {}
    used: set[str] = set()
    for entry in checkpoint.entries.values():
        job.cancel.check()
        weight = _weight(entry)
        if weight is None:
            continue
        name = next((name for name in (weight.alone, *weight.names) if name in raw), None)
        if name is None:
            continue
        if name == weight.alone:
            weight = replace(weight, expert=None)
        weights[entry.name] = inputs = _inputs(source, name, raw[name], weight)
        used.add(name)
        gram, columns = raw[name].gram, inputs.sum2.shape[1]
        if gram is not None and gram.shape == (columns, columns) and len(inputs.sum2) == 1:
            grams[entry.name] = _Gram(source.path, gram)
    rest = [name for name in raw if name not in used]
    for name in rest:
        block = _BLOCK_NAME.fullmatch(name)
        if block is not None and block[2] in _KNOWN:
            raise CheckpointError(
                f"'{source.path}' has '{show(name)}', but '{checkpoint.path}' has no weight that "
                "it could belong to: the file was made for another model.",
                remedy="Choose the imatrix of this model.",
            )
    if not weights:
        raise SelectionError(
            f"None of the names in '{source.path}' (such as '{show(next(iter(raw), ''))}') is "
            f"known to belong to a weight of '{checkpoint.path}'.",
            remedy="An imatrix fits language models whose tensors are named as in Hugging Face.",
        )
    return weights, grams, tuple(rest)


def _inputs(source: FileSource, name: str, raw: _Raw, weight: _Weight) -> Inputs:
    """Read the arrays `raw` of one weight, which have the name `name` in the file.

    Of an array of all experts, only the part of the weight's expert is read. Raises
    `CheckpointError` if they do not fit its shape, or `DamagedFileError` if they are incomplete or
    negative.
    """
    path = source.path
    if raw.sum2 is None or raw.counts is None:
        raise _damage_error(path, f"'{show(name)}' lacks its sums of squares or its counts")
    size = raw.sum2.numel
    parts, columns, transposed = _sizes(weight, size, raw.sum2.shape)
    if not columns:
        raise CheckpointError(
            f"'{path}' has {size:,} inputs of '{show(name)}', but '{show(weight.entry.name)}' has "
            f"the shape {list(weight.entry.shape)}.",
            remedy="Choose an imatrix that was made for a model of this shape.",
        )
    # Select the part of the weight's expert.
    first, many = (0, parts) if weight.expert is None else (weight.expert, 1)
    if isinstance(raw.counts, float):
        counts = np.full(many, raw.counts)
    else:
        if raw.counts.numel not in {1, parts}:
            raise _damage_error(
                path, f"'{show(name)}' has {raw.counts.numel:,} counts of {parts:,}"
            )
        each = raw.counts.numel == parts
        found = _floats(source, raw.counts, first if each else 0, many if each else 1)
        counts = np.broadcast_to(np.rint(found), (many,))
    part = first * columns, many * columns
    sum2 = _floats(source, raw.sum2, *part).reshape(many, columns)
    total = None
    if raw.sum is not None:
        if raw.sum.numel != size:
            raise _damage_error(path, f"'{show(name)}' has sums of another length than its squares")
        total = _floats(source, raw.sum, *part).reshape(many, columns)
    if (sum2 < 0).any() or (counts < 0).any():
        raise _damage_error(path, f"'{show(name)}' has negative sums of squares or counts")
    return Inputs(sum2, total, counts, transposed)


def _sizes(weight: _Weight, size: int, shape: tuple[int, ...]) -> tuple[int, int, bool]:
    """Return parts, columns and whether the weight is transposed; columns is 0 if nothing fits.

    `size` and `shape` are those of the array in the file. Also 0 if several interpretations fit.
    """
    own = weight.entry.shape
    found: list[tuple[int, int, bool]] = []
    if weight.expert is not None and len(own) == 2:  # one expert of all
        found = [(size // own[1], own[1], False)] if own[1] and not size % own[1] else []
        found = [one for one in found if one[0] > weight.expert]
    elif len(own) == 3:  # all experts in one; ambiguous shapes are rejected
        sides = ((own[2], False), (own[1], True))
        found = [(own[0], n, turned) for n, turned in sides if n * own[0] == size]
    elif fits(own, 1, size, transposed=weight.transposed):
        found = [(1, size, weight.transposed)]
    found = [one for one in found if _agrees(shape, *one[:2])]
    return found[0] if len(found) == 1 else (0, 0, False)


def _agrees(shape: tuple[int, ...], parts: int, columns: int) -> bool:
    """Return whether the file's dimensions agree; a .dat file only has a length."""
    own = [n for n in shape if n != 1]
    return len(shape) == 1 or own == [n for n in (parts, columns) if n != 1]


def _floats(source: FileSource, place: _Place, first: int, count: int) -> Float64s:
    """Return `count` numbers of an array from index `first` on, as float64.

    Raises `DamagedFileError` if one is not finite.
    """
    data = source.read(place.offset + 4 * first, 4 * count)
    with np.errstate(invalid="ignore"):  # signaling NaNs, which raise below
        values = np.frombuffer(data, "<f4").astype(np.float64)
    if not np.isfinite(values).all():
        raise _damage_error(source.path, "it contains numbers that are not finite")
    return values


@dataclass(frozen=True)
class _Gram:
    """A Gram matrix that is read row by row: it may be larger than memory."""

    path: Path
    place: _Place

    def __iter__(self) -> Iterator[Float64s]:
        with contextlib.closing(open_source(self.path)) as source:
            for row in range(self.place.shape[0]):
                yield _floats(source, self.place, row * self.place.shape[1], self.place.shape[1])


def _damage_error(path: Path, what: str) -> DamagedFileError:
    return DamagedFileError(
        f"'{path}' is not a valid imatrix: {what}.", remedy="Download or make it again."
    )
