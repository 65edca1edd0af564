"""An example of what a package can add to Pruneapp: a method, an export format, a file format.

The docstrings of the declared classes have the rules; the built-in declarations are examples too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pruneapp.checkpoint.contents import Contents, Reader, ReadResult, StateDict
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.entry import Location, TensorEntry
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.errors import CheckpointError
from pruneapp.export.formats.zst import ZSTANDARD
from pruneapp.kernels.kernel import Kernel
from pruneapp.kernels.sort_keys import Scores
from pruneapp.kernels.values import decode
from pruneapp.methods.method import TensorView, Values, WeightMethod
from pruneapp.params import AmountParam
from pruneapp.progress import Job


def _mean(view: TensorView, _values: Values, _kernel: Kernel, job: Job) -> float:
    total = 0.0
    for chunk in view.read():
        total += float(decode(chunk.bits, view.dtype).sum(dtype=np.float64))
        job.step(chunk.bits.size)
    return total / max(view.numel, 1)


def _rank(view: TensorView, _values: Values, _width: int, mean: float) -> Scores:
    def score(_start: int, magnitudes: np.ndarray, scores: np.ndarray) -> None:
        np.abs(magnitudes - abs(mean), out=scores)

    return Scores(view.read, view.numel, view.dtype, view.kept, score)


# A method: weights whose magnitude is nearest to the mean are pruned first.
CENTERED = WeightMethod(
    name="centered",
    label="Distance from the mean",
    help="Prunes the weights whose magnitude is nearest to the magnitude of the mean.",
    formula="score = ||w| - |mean(W)||",
    params=(AmountParam(),),
    rank=_rank,
    least_width=Scores.width,
    measure=_mean,
)

# An export format: one of the built-in ones that asks for nothing.
SMALLEST = replace(
    ZSTANDARD,
    name="zst_smallest",
    label="safetensors, compressed as far as it goes",
    planner=lambda part, job: ZSTANDARD.planner(
        replace(part, values={**part.values, "compression_level": 12}), job
    ),
    params=tuple(param for param in ZSTANDARD.params if param.name != "compression_level"),
    good_for={},
    good_for_folder=None,
)

_MAGIC = b"MATRIX "


def _read_matrix(source: FileSource, _state_dict: str | None, _job: Job) -> ReadResult:
    """Read the first line, ``MATRIX rows columns``: float32 in rows follow it."""
    line, _, _ = source.read(0, min(64, source.size)).partition(b"\n")
    try:
        rows, columns = map(int, line.removeprefix(_MAGIC).split())
    except ValueError as error:
        raise CheckpointError(f"'{source.path}' must begin with MATRIX ROWS COLUMNS.") from error
    shape = (rows, columns)
    entry = TensorEntry(source.path.stem, shape, DTYPES["F32"], Location(0, len(line) + 1))
    if rows < 0 or columns < 0 or len(line) + 1 + entry.nbytes != source.size:
        raise CheckpointError(f"'{source.path}' must hold one whole matrix of float32.")
    state_dicts = (StateDict("", 1, entry.numel),)
    contents = Contents("matrix", "Plain matrix", (entry,), {}, state_dicts=state_dicts)
    return contents, (source,)


# A file format that can be opened.
MATRIX = Reader(
    "matrix",
    "Plain matrix",
    (".matrix",),
    lambda head, _source: head.startswith(_MAGIC),
    _read_matrix,
)
