"""The statistics file: safetensors with sums over the inputs of each weight.

For the weight ``NAME`` of a checkpoint it has ``NAME.in_sum2`` and ``NAME.in_sum``, the sums of
squares and of values of each input over all rows multiplied by the weight; ``NAME.counts``, the
number of these rows; and optionally ``NAME.in_gram``, the sums of products of any two inputs. The
names are those of llama.cpp's imatrix files. docs/statistics.md documents the format for other
programs.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Self

import msgspec
import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.formats.safetensors import SAFETENSORS
from pruneapp.checkpoint.io.atomic_file import AtomicFile
from pruneapp.checkpoint.io.digest import files_sha256, sha256_of
from pruneapp.errors import (
    DamagedFileError,
    JsonError,
    ParameterError,
    UnrecognizedFileError,
    UnsupportedFileError,
)
from pruneapp.json_codec import decode as decode_json
from pruneapp.kernels.values import Float64s, decode
from pruneapp.params import SHA256
from pruneapp.progress import CancelToken, Job

SUM2, SUM, COUNTS, GRAM = ".in_sum2", ".in_sum", ".counts", ".in_gram"
# Metadata key; the value is an `Origin` as JSON.
KEY = "pruneapp_statistics"


class Origin(msgspec.Struct, frozen=True, omit_defaults=True):
    """The origin of statistics, and facts needed to interpret them."""

    # Kind of inputs: ``calibrate``, ``text``, ``images``, ``random tokens``, ``random inputs`` or
    # ``imatrix``.
    source: str = ""
    script: str = ""  # SHA-256 of the script or imatrix file
    # `files_sha256` of the checkpoint used; empty if unknown.
    checkpoint: str = ""
    # `data_of` the runner that collected them: equal for equal data; empty if unknown.
    data: str = ""
    name: str = ""  # name of the file or folder of the data, or of the script; empty if unknown
    date: str = ""
    # Weights with the inputs along their first dimension, not along the others: Conv1D of
    # transformers, transposed convolutions, some fused experts.
    transposed: tuple[str, ...] = ()
    # Weights of the checkpoint without statistics.
    unseen: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Inputs:
    """Statistics of the inputs of one weight.

    A weight with several equal parts along its first dimension (experts, or groups of a
    convolution) has separate inputs for each part; any other has one part. The columns of a
    convolution are those of its flattened filters: the inputs are unfolded patches.
    """

    sum2: Float64s  # ``[parts, columns]``: sums of squares
    sum: Float64s | None  # ``[parts, columns]``: sums of values; None if not collected
    counts: Float64s  # ``[parts]``: number of rows
    transposed: bool = False
    # Reads the Gram matrix of a part, like `Statistics.gram`; None if not collected.
    gram: Callable[[int, CancelToken], Float64s | None] | None = None

    @property
    def rms(self) -> Float64s:
        """Root mean square, ``float64[parts, columns]``; 1 for a part without rows."""
        return np.sqrt(self._mean(self.sum2, 1.0))

    @property
    def deviation(self) -> Float64s | None:
        """Standard deviation, ``float64[parts, columns]``; 1 without rows; None without sums."""
        if self.sum is None:
            return None
        variance = self._mean(self.sum2, 1.0) - self._mean(self.sum, 0.0) ** 2
        # rounding may make the variance of a constant negative
        return np.sqrt(np.maximum(variance, 0.0))

    def _mean(self, sums: Float64s, unseen: float) -> Float64s:
        counts = self.counts[:, np.newaxis]
        seen = counts > 0
        return np.where(seen, sums / np.where(seen, counts, 1.0), unseen)

    def fit(self, shape: tuple[int, ...]) -> bool:
        """Return whether the statistics can belong to a weight of this shape."""
        parts, columns = self.sum2.shape
        return fits(shape, parts, columns, transposed=self.transposed)


def fits(shape: tuple[int, ...], parts: int, columns: int, *, transposed: bool) -> bool:
    """Return whether a weight of this shape can have `parts` parts with `columns` inputs each.

    The inputs are along all dimensions but the first; if `transposed`, along the first. In a weight
    of three dimensions, each index of the first may be a part. False for weights of fewer than two
    dimensions, and without parts or columns.
    """
    if len(shape) < 2 or not parts or not columns:
        return False
    experts = len(shape) == 3 and parts == shape[0]
    if transposed:
        return parts * columns == shape[0] or (experts and columns == shape[1])
    whole = columns == math.prod(shape[1:]) and shape[0] % parts == 0
    return whole or (experts and columns == shape[2])


@dataclass(frozen=True, eq=False)
class Statistics:
    """An open statistics file, read on demand.

    A context manager; reading is thread-safe.
    """

    path: Path
    sha256: str  # of the file; used as its name in recipes
    origin: Origin
    _file: Checkpoint
    forced: bool = False  # whether use with any checkpoint is allowed

    def belong_to(self, checkpoint: Checkpoint, job: Job) -> bool:
        """Return whether use with a checkpoint is allowed: the file names no other checkpoint.

        True without hashing if the statistics are `forced` or name no checkpoint. Otherwise hashes
        the files of the checkpoint, once while it is open. Raises `CheckpointError` or `Cancelled`.
        """
        if self.forced or not self.origin.checkpoint:
            return True
        return self.origin.checkpoint == files_sha256(checkpoint.files, job)

    def refuse_other(self, checkpoint: Checkpoint, job: Job) -> None:
        """Raise `ParameterError` if they were collected with another checkpoint.

        Hashes the files like `belong_to`, and raises its errors.
        """
        if not self.belong_to(checkpoint, job):
            raise ParameterError(
                f"The statistics '{self.path.name}' belong to another checkpoint than "
                f"'{checkpoint.path.name}'.",
                remedy="Collect statistics of this checkpoint, or use these with "
                "--force-statistics on the command line.",
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the weights with statistics, in file order."""
        return tuple(name.removesuffix(SUM2) for name in self._file.entries if name.endswith(SUM2))

    @cached_property
    def grams(self) -> frozenset[str]:
        """Names of the weights with Gram matrices."""
        names = self._file.entries
        return frozenset(name.removesuffix(GRAM) for name in names if name.endswith(GRAM))

    @cached_property
    def _transposed(self) -> frozenset[str]:
        return frozenset(self.origin.transposed)

    def inputs(self, names: Iterable[str], shape: tuple[int, ...]) -> Inputs | None:
        """Return the statistics of a weight, given all its names; None if there are none.

        The first name with statistics is used. `shape` is that of the weight. Sums are read now,
        Gram matrices when `Inputs.gram` is called.

        Raises
        ------
        ParameterError
            If the statistics do not fit the shape.
        DamagedFileError
            If the sums or counts are invalid: missing, of another shape or type, negative, or not
            finite.
        """
        name = next((name for name in names if self._file.holds(f"{name}{SUM2}")), None)
        if name is None:
            return None
        sizes = self._sizes(name)
        transposed = name in self._transposed
        if not fits(shape, *sizes, transposed=transposed):
            parts, columns = sizes
            have = f"{columns:,} inputs" if parts == 1 else f"{parts:,} x {columns:,} inputs"
            raise ParameterError(
                f"The statistics '{self.path.name}' are of a '{name}' with {have}, but it has the "
                f"shape {list(shape)}.",
                remedy="Choose statistics that were collected with this model.",
            )
        counts = self._numbers(f"{name}{COUNTS}", (sizes[0],))
        sum2 = self._numbers(f"{name}{SUM2}", sizes)
        if (sum2 < 0).any() or (counts < 0).any():
            raise self._damage_error(f"'{name}' has negative sums of squares or counts")
        total = None
        if self._file.holds(f"{name}{SUM}"):
            total = self._numbers(f"{name}{SUM}", sizes)
        gram = partial(self.gram, name) if name in self.grams else None
        return Inputs(sum2, total, counts, transposed, gram)

    def gram(self, name: str, part: int = 0, cancel: CancelToken | None = None) -> Float64s | None:
        """Return the Gram matrix of a part, ``float64[columns, columns]``; None if not in the file.

        `name` must be one of `names`, and `part` counts from 0. Read from the file at each call.
        Raises `Cancelled`, because a matrix may have gigabytes, or `DamagedFileError` if it has
        another size or is not finite.
        """
        name_of_gram = f"{name}{GRAM}"
        if not self._file.holds(name_of_gram):
            return None
        parts, columns = self._sizes(name)
        size = columns * columns
        if self._file.entry(name_of_gram).numel != parts * size:
            raise self._damage_error(
                f"'{name_of_gram}' does not have {columns:,} x {columns:,} numbers"
            )
        numbers = self._read(name_of_gram, part * size, (part + 1) * size, cancel)
        return numbers.reshape(columns, columns)

    def _sizes(self, name: str) -> tuple[int, int]:
        """Return the number of parts and columns of a weight, from the header."""
        shape = self._file.entry(f"{name}{SUM2}").shape
        counts = f"{name}{COUNTS}"
        if len(shape) not in {1, 2} or not self._file.holds(counts):
            raise self._damage_error(f"'{name}' lacks its counts, or its sums are no matrix")
        return (1, *shape) if len(shape) == 1 else (shape[0], shape[1])

    def _numbers(self, name: str, shape: tuple[int, ...]) -> Float64s:
        entry = self._file.entry(name)
        if entry.numel != math.prod(shape):
            words = " x ".join(f"{size:,}" for size in shape)
            raise self._damage_error(f"'{name}' has {entry.numel:,} numbers instead of {words}")
        return self._read(name, 0, entry.numel).reshape(shape)

    def _read(
        self, name: str, start: int, stop: int, cancel: CancelToken | None = None
    ) -> Float64s:
        """Return the numbers `start` to `stop` (exclusive) of a tensor as float64.

        Raises `DamagedFileError` if the type is none of F64, F32, I64, I32, or a number is not
        finite.
        """
        dtype = self._file.entry(name).dtype
        if dtype.name not in {"F64", "F32", "I64", "I32"}:
            raise self._damage_error(f"'{name}' is of type {dtype.label}")
        values = np.empty(stop - start)
        for chunk in self._file.chunks(name, start, stop):
            if cancel is not None:
                cancel.check()
            here = values[chunk.start - start :][: chunk.bits.size]
            here[:] = decode(chunk.bits, dtype)
            if not np.isfinite(here).all():
                raise self._damage_error(f"'{name}' contains numbers that are not finite")
        return values

    def _damage_error(self, what: str) -> DamagedFileError:
        return DamagedFileError(
            f"'{self.path}' is not a valid statistics file: {what}.",
            remedy="Collect the statistics again.",
        )

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def open_statistics(
    path: Path, job: Job | None = None, *, sha256: str = "", forced: bool = False
) -> Statistics:
    """Open a statistics file; read the header, and the whole file if `sha256` is empty.

    `sha256` is the hash of the file in hex digits, if it is known; it is not verified. With
    `forced` the statistics may be used for any checkpoint. The caller closes the result. Raises
    `CheckpointError` if the file cannot be read, is damaged, or has no statistics, or `Cancelled`.
    """
    job = job or Job()
    try:
        file = open_checkpoint(path, job=job)
    except (UnsupportedFileError, UnrecognizedFileError) as error:
        raise UnsupportedFileError(
            f"'{path}' is not a statistics file.",
            remedy="Collect statistics with `pruneapp statistics`, or convert an imatrix of "
            "llama.cpp with `pruneapp statistics FILE --from IMATRIX`.",
            details=str(error),
        ) from None
    try:
        origin = _origin(file)  # checked first because it is fast
        sha256 = sha256 or sha256_of(file.files[0], job)
        return Statistics(path, sha256, origin, file, forced)
    except BaseException:
        file.close()
        raise


# Open files by their name in recipes, the SHA-256. Equal names mean equal numbers, so they can be
# shared.
_open: dict[str, Statistics] = {}


def register(path: Path, job: Job | None = None, *, name: str = "", forced: bool = False) -> str:
    """Open a statistics file for steps that name it; return its name, ``sha256:…``.

    The file stays open until the process ends. `name` is its name if it is known: then the file is
    not hashed, and if it is open already, nothing changes. Without `name`, `forced` replaces that
    of an earlier call for the same content. The errors are those of `open_statistics`.
    """
    if name in _open:
        return name
    statistics = open_statistics(path, job, sha256=name.removeprefix(SHA256))
    name = f"{SHA256}{statistics.sha256}"
    if _open.setdefault(name, statistics) is not statistics:
        statistics.close()
    _open[name] = replace(_open[name], forced=forced)
    return name


def statistics_of(name: str) -> Statistics:
    """Return the open statistics of a name that `register` returned.

    They are shared: do not close them. Raises `ParameterError` if the name is empty, or no such
    file is open.
    """
    if not name:
        raise ParameterError(
            "Ranking weights by their inputs needs statistics of activations.",
            remedy="Choose a statistics file; `pruneapp statistics` makes one.",
        )
    if name not in _open:
        raise ParameterError(
            "The statistics of activations with the SHA-256 "
            f"{name.removeprefix(SHA256)} are not loaded.",
            remedy="Load the statistics file in the form, or name it with --statistics.",
        )
    return _open[name]


def holds_statistics(path: Path, job: Job) -> bool:
    """Return whether a file is a statistics file; raises what `open_checkpoint` raises."""
    with open_checkpoint(path, job=job) as file:
        return _has_statistics(file)


def _has_statistics(file: Checkpoint) -> bool:
    return file.format == SAFETENSORS.name and any(name.endswith(SUM2) for name in file.entries)


def _origin(file: Checkpoint) -> Origin:
    """Return the origin in the metadata of a statistics file; an empty one without the key.

    Raises `UnsupportedFileError` if the file has no statistics, or `DamagedFileError` if the
    metadata is invalid.
    """
    if not _has_statistics(file):
        raise UnsupportedFileError(
            f"'{file.path}' contains no statistics of activations: none of its tensors is named "
            f"'NAME{SUM2}'.",
            remedy="Collect them with `pruneapp statistics`.",
        )
    try:
        return decode_json(file.metadata.get(KEY, "{}"), Origin, KEY)
    except JsonError as error:
        raise DamagedFileError(
            f"'{file.path}' is not a valid statistics file: in its metadata, {error.what}.",
            remedy="Collect the statistics again.",
        ) from None


def save_statistics(
    path: Path,
    weights: Mapping[str, Inputs],
    origin: Origin,
    job: Job,
    *,
    grams: Mapping[str, Iterable[Float64s]] = MappingProxyType({}),
) -> str:
    """Write a statistics file in float64; an existing file is replaced atomically.

    Parameters
    ----------
    weights
        The statistics by name of the weight, in the order of the file. Their `gram` is ignored.
    origin
        Its `transposed` is replaced by that of the weights.
    job
        Started, and stepped by twice the size of the file.
    grams
        By weight, consecutive pieces of ``float64[parts, columns, columns]``. Names that are not in
        `weights` are ignored.

    Returns
    -------
    str
        The SHA-256 of the file.

    Raises
    ------
    ExportError
        If writing fails.
    ValueError
        If the pieces of Gram matrices have another total size.
    Cancelled
        If the job is cancelled; the old file stays then.
    """
    tensors: list[tuple[str, tuple[int, ...], Iterable[Float64s]]] = []
    for name, inputs in weights.items():
        parts, columns = inputs.sum2.shape
        several = () if parts == 1 else (parts,)
        tensors.append((f"{name}{SUM2}", (*several, columns), [inputs.sum2]))
        if inputs.sum is not None:
            tensors.append((f"{name}{SUM}", (*several, columns), [inputs.sum]))
        tensors.append((f"{name}{COUNTS}", several, [inputs.counts]))
        if name in grams:
            tensors.append((f"{name}{GRAM}", (*several, columns, columns), grams[name]))
    transposed = tuple(name for name, inputs in weights.items() if inputs.transposed)
    origin = msgspec.structs.replace(origin, transposed=transposed)
    header = _header(((name, shape) for name, shape, _ in tensors), origin)
    nbytes = len(header) + sum(8 * math.prod(shape) for _, shape, _ in tensors)
    job.start(2 * nbytes, path.name)
    with AtomicFile(path, nbytes, job) as file:
        file.write(header)
        for _name, _shape, pieces in tensors:
            for piece in pieces:
                file.write(np.ascontiguousarray(piece, "<f8").reshape(-1).view(np.uint8).data)
        digest = file.seal()
        file.commit()
    return digest


def _header(tensors: Iterable[tuple[str, tuple[int, ...]]], origin: Origin) -> bytes:
    """Return the header of a file of F64 tensors with these names and shapes, and its length.

    The tensors follow each other in order.
    """
    head: dict[str, object] = {
        "__metadata__": {"format": "pt", KEY: msgspec.json.encode(origin).decode()}
    }
    head |= _places(tensors)
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text


def _places(
    tensors: Iterable[tuple[str, tuple[int, ...]]],
) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the name and the safetensors description of each F64 tensor, one after another."""
    offset = 0
    for name, shape in tensors:
        end = offset + 8 * math.prod(shape)
        yield name, {"dtype": "F64", "shape": list(shape), "data_offsets": [offset, end]}
        offset = end
