"""Masked least squares: the weights that stay, moved so that the outputs come out as before.

Of a layer with the weights W (a row for each output) and the inputs X (a row for each token or
pixel) all that is needed is G = X'X. Among the weights B that are 0 where W is pruned, those are
sought for which the outputs differ least on these inputs: of each row, minimise

    (W - B) H (W - B)',   H = G + damping mean(diag G) I

by conjugate gradients with a Jacobi preconditioner, all rows of a block at once. There are products
of matrices only, and no factorization that can fail.

The bias is a weight whose input is always 1, and that is always kept. Its best value is known for
any weights: it moves by (W - B) times the mean of the inputs, and what is left of G is that of the
inputs minus their mean.

The outputs that are wanted may come of other inputs than the layer gets, as where layers before it
were pruned: Y = X_0 W' of the inputs X_0 that it had. They drift from those of W by D = Y - X W',
and what is minimised is the square of ``X (W - B)' + D``, for which D'X is known.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import astuple, dataclass, field, replace
from functools import partial
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.kernels.threads import in_order, threads_for
from pruneapp.kernels.values import Bools, Float64s, Floats, Indices, broadcasting, decode, encode
from pruneapp.progress import Job

Float32s = NDArray[np.float32]
Result = TypeVar("Result")

ITERATIONS = 10
DAMPING = 0.01
# Rows that are solved together, and a third of all between: fewer make the products slow, more
# take memory.
_FEWEST_ROWS, _MOST_ROWS = 64, 1366
# Multiplications before the first look at the token, some 50 ms of a core, and about the seconds
# between two others: a product of few columns takes a tenth longer than its part of one of all.
_AT_ONCE = 1 << 31
_PATIENCE = 0.16
# Elements that a thread works on at once. Of an eighth of them, handing the interpreter's lock
# around takes as long as the work: two threads are no faster than one.
_TOGETHER = 1 << 19
# Elements of a row whose products are summed in float32.
_PART = 256
# What a product in float32 cannot tell from 0.
_NOISE = 1e-5
# Products with G beside those of the iterations: the outputs, the errors before and after.
_MORE_PRODUCTS = 3


@dataclass(frozen=True, eq=False)
class Drift:
    """How far wanted outputs are from those of the wanted weights on the inputs of a layer: D."""

    products: Floats  # ``[rows, columns]``: D'X
    sums: Float64s  # ``[rows]``: of the columns of D
    squares: Float64s  # the same: of their squares

    def rows(self, chosen: Indices | slice) -> Drift:
        """Return that of some outputs."""
        return Drift(self.products[chosen], self.sums[chosen], self.squares[chosen])


@dataclass(frozen=True, eq=False)
class Moments:
    """What is known of the inputs of a layer."""

    gram: Floats  # ``[columns, columns]``: X'X
    sums: Floats | None = None  # ``[columns]``: the sum of each column of X; None if not known
    count: float = 0.0  # rows of X
    drift: Drift | None = None  # of the wanted outputs; None if these come of the same inputs

    def solve(
        self, weights: Unknowns, bias: Unknowns | None, *, spread: bool, **how: Any
    ) -> Solution:
        """Solve a layer in numpy, see `LayerSolver`."""
        solution = solve(weights, self, bias, **how)
        if not spread:
            return solution
        stop = Job(cancel=how["job"].cancel)
        found = variances(weights.wanted, solution.weights, self, stop)
        return replace(solution, variances=found)


@dataclass(frozen=True, eq=False)
class Unknowns:
    """The weights of a layer as a matrix, or its bias as a vector."""

    wanted: Floats  # the values whose outputs are to come out
    present: Floats  # the values now, 0 where pruned
    free: Bools  # what may move: kept, and not protected
    dtype: DType = DTYPES["F32"]  # what the result is rounded to


@dataclass(frozen=True)
class Errors:
    """Sums of squares, over all inputs: of outputs, and of how far they are from what they were.

    Those of several groups of a layer add up.
    """

    outputs: float = 0.0
    before: float = 0.0
    after: float = 0.0
    rounded: float = 0.0  # after the values were rounded to the type of the tensor

    def __add__(self, other: Errors) -> Errors:
        return Errors(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    def relative(self, error: float) -> float:
        """Return one of the errors as a share of the outputs; 0 where nothing comes out."""
        return error / self.outputs if self.outputs else 0.0


@dataclass(frozen=True, eq=False)
class Solution:
    """A layer whose weights were moved; what did not move is the very number that it was."""

    weights: Floats  # rounded to the type of the tensor
    bias: Float64s | None  # the same; None without one
    errors: Errors
    # Of the outputs, as wanted and as they are by now; None if not asked for, or not known.
    variances: tuple[Float64s, Float64s] | None = None


class LayerSolver(Protocol):
    """Solves a layer by the moments of its inputs, wherever these are."""

    def solve(
        self,
        weights: Unknowns,
        bias: Unknowns | None,
        *,
        spread: bool,
        iterations: int,
        damping: float,
        job: Job,
        out: Floats,
    ) -> Solution:
        """Do as the function `solve` does; with `spread` the variances are returned as well."""


def work_of(rows: int, columns: int, dtype: DType, iterations: int = ITERATIONS) -> int:
    """Return by how many units `solve` steps its job."""
    return rows * columns**2 * (iterations + _MORE_PRODUCTS + _is_narrow(dtype))


def _is_narrow(dtype: DType) -> bool:
    return dtype.bits < 32


def solve(
    weights: Unknowns,
    moments: Moments,
    bias: Unknowns | None = None,
    *,
    iterations: int = ITERATIONS,
    damping: float = DAMPING,
    job: Job | None = None,
    out: Floats | None = None,
) -> Solution:
    """Move the free weights of a layer, and its bias, so that the outputs come out as `wanted`.

    No row comes out worse than it was, on these inputs: where the solution would, once it is
    rounded, the row stays as it is; and so does a row with weights that are not finite.

    In float32, in units of the mean of the diagonal of G. The solution goes into `out`, which may
    be what is present. The memory beyond these is G in float32 and some blocks of rows. `job` is
    stepped by `work_of`; may cancel.

    Raises ValueError, in words as the end of a sentence, if the moments are not finite, or of
    another number of inputs.
    """
    job = job or Job()
    scale = _scale_of(moments, weights.wanted.shape[1])
    solved: Floats = np.empty(weights.present.shape, np.float32) if out is None else out
    solved[...] = weights.present
    moved: Float64s | None = None if bias is None else bias.present.astype(np.float64)
    shifts = np.zeros(len(solved), np.bool_)
    if bias is not None and moments.sums is not None and moments.count > 0:
        shifts = bias.free & np.isfinite(bias.wanted) & np.isfinite(bias.present)
    errors = Errors()
    for centred in (True, False):
        chosen = np.flatnonzero(shifts == centred)
        if not chosen.size:
            continue
        inputs = _Inputs.of(moments, scale, damping, job, centred=centred)
        together = max(_FEWEST_ROWS, min(_MOST_ROWS, math.ceil(len(solved) / 3)))
        # New pages take longer than what is written to them.
        room = np.empty((6, min(together, chosen.size), weights.wanted.shape[1]), np.float32)
        for start in range(0, chosen.size, together):
            rows = chosen[start : start + together]
            some, its_bias = _rows_of(weights, rows, room[4:]), bias and _rows_of(bias, rows)
            drift = moments.drift and moments.drift.rows(rows)
            values, better, shift, part = _solve_rows(
                some, its_bias, inputs, drift, iterations, room[:4, : rows.size]
            )
            solved[rows[better]] = values[better]
            if moved is not None and shift is not None:
                moved[rows] = shift
            errors += part
    return Solution(solved, moved, Errors(*(scale * each for each in astuple(errors))))


def variances(
    wanted: Floats, solved: Floats, moments: Moments, job: Job | None = None
) -> tuple[Float64s, Float64s] | None:
    """Return the variance of each output as wanted, and of each as it is by now.

    None if the mean input is not known. Of a row w it is ``w C w'``, with the covariance
    ``C = G / n - m m'`` of n inputs with the mean m; NaN of a row that is not finite. `job` is
    stepped by ``rows * columns²`` of each; may cancel. Raises as `solve`.
    """
    if moments.sums is None or not moments.count:
        return None
    scale = _scale_of(moments, wanted.shape[1])
    inputs = _Inputs.of(moments, scale, DAMPING, job or Job(), centred=True)

    def of(matrix: Floats, drift: Drift | None) -> Float64s:
        squares: Float64s = np.empty(len(matrix))
        for start in range(0, len(matrix), _MOST_ROWS):
            some = slice(start, start + _MOST_ROWS)
            rows = matrix[some].astype(np.float32)
            with np.errstate(invalid="ignore"):
                product = inputs.times(rows, np.empty_like(rows))
                off = inputs.drift(drift and drift.rows(some), len(rows))
                squares[some] = inputs.error(rows, product, -(rows @ inputs.mean) - off.mean, off)
        squares *= scale / moments.count
        return squares

    return of(wanted, moments.drift), of(solved, None)


def _scale_of(moments: Moments, columns: int) -> float:
    """Return the mean of the diagonal of G; 1 of one that is 0."""
    gram = moments.gram
    if gram.shape != (columns, columns):
        shape = " × ".join(map(str, gram.shape))
        raise ValueError(f"they are {shape}, and the layer has {columns:,} inputs")
    diagonal = gram.diagonal().astype(np.float64)
    if moments.sums is not None and moments.sums.shape != (columns,):
        raise ValueError(f"there are {moments.sums.size:,} sums, and {columns:,} inputs")
    scale = float(diagonal.mean()) if columns else 0.0
    if not np.isfinite(scale) or (diagonal < 0).any():
        raise ValueError("they are not finite, or less than 0 on the diagonal")
    return scale or 1.0


def _rows_of(some: Unknowns, rows: Indices, room: Float32s | None = None) -> Unknowns:
    """Return copies of some rows, in float32 where there is room for them."""
    if room is None:
        return Unknowns(some.wanted[rows], some.present[rows], some.free[rows], some.dtype)
    wanted, present = room[:, : rows.size]
    first, last = int(rows[0]), int(rows[-1]) + 1
    chosen = slice(first, last) if last - first == rows.size else rows
    wanted[...] = some.wanted[chosen]
    present[...] = some.present[chosen]
    return Unknowns(wanted, present, some.free[chosen], some.dtype)


class _Pace:
    """How many multiplications there are between two looks at the token."""

    def __init__(self) -> None:
        self.at_once = float(_AT_ONCE)

    def measured(self, multiplications: int, seconds: float) -> None:
        """Take note of how long a product took; short ones tell nothing."""
        if multiplications >= _AT_ONCE // 4:
            self.at_once = max(_AT_ONCE, multiplications * _PATIENCE / max(seconds, 1e-6))


@dataclass(frozen=True, eq=False)
class _Inputs:
    """The moments of inputs, in units of the mean of the diagonal of G."""

    gram: Float32s  # of the inputs minus their mean, if they are `centred`; damped
    preconditioner: Float32s  # one over the diagonal of that
    mean: Float64s
    count: float  # of rows, in the same units
    scale: float
    damping: float
    centred: bool
    job: Job
    pace: _Pace = field(default_factory=_Pace)

    @classmethod
    def of(
        cls, moments: Moments, scale: float, damping: float, job: Job, *, centred: bool
    ) -> _Inputs:
        columns = len(moments.gram)
        count = moments.count / scale
        mean: Float64s = np.zeros(columns)
        if moments.sums is not None and moments.count > 0:
            mean = moments.sums.astype(np.float64) / moments.count
        gram = np.empty((columns, columns), np.float32)

        def convert(rows: slice) -> bool:
            exact = moments.gram[rows] / np.float64(scale)
            if centred:
                exact -= np.multiply.outer(count * mean[rows], mean)
            gram[rows] = exact
            return bool(np.isfinite(exact).all())

        if not all(_by_rows(convert, gram, job)):
            raise ValueError("they are not finite")
        damped = np.maximum(gram.diagonal(), 0) + np.float32(damping)
        np.fill_diagonal(gram, damped)
        return cls(gram, np.float32(1) / damped, mean, count, scale, damping, centred, job)

    def times(self, matrix: Float32s, out: Float32s) -> Float32s:
        """Return a matrix times the damped G, in `out`."""
        rows, columns = matrix.shape
        each = max(rows * columns, 1)  # multiplications of a column
        pieces = math.ceil(columns * each / self.pace.at_once)
        width = max(16, math.ceil(columns / max(pieces, 1)))
        for start in range(0, columns, width):
            some = slice(start, min(start + width, columns))
            began = time.perf_counter()
            np.matmul(matrix, self.gram[:, some], out=out[:, some])
            done = each * (some.stop - start)
            self.pace.measured(done, time.perf_counter() - began)
            self.job.step(done)
        return out

    def drift(self, drift: Drift | None, rows: int) -> _RowDrift:
        """Return the drift of some rows as the other methods take it; None stands for none.

        What is not finite, as of weights that are not, is none either.
        """
        if drift is None:
            return _RowDrift(None, np.zeros(rows), np.zeros(rows))
        mean: Float64s = np.zeros(rows)
        squares = drift.squares / self.scale
        products = drift.products / np.float64(self.scale)
        if self.count > 0:
            mean = drift.sums / (self.count * self.scale)
        if self.centred:
            squares = squares - self.count * mean**2
            products -= np.multiply.outer(self.count * mean, self.mean)
        finite = np.isfinite(products).all(axis=1) & np.isfinite(squares) & np.isfinite(mean)
        for part in (products, mean, squares):
            part[~finite] = 0.0
        return _RowDrift(products.astype(np.float32), mean, squares)

    def error(
        self, off: Float32s, product: Float32s, shift: Float64s, drift: _RowDrift
    ) -> Float64s:
        """Return the sum of squares of ``X off' + D + shift`` by row; `product` is off times G."""
        squares = _exact_dots(off, product)
        damped = self.damping * _exact_dots(off, off)
        squares -= damped
        squares[squares < _NOISE * damped] = 0  # where nothing goes in, nothing is off
        if drift.products is not None:
            squares += 2 * _exact_dots(off, drift.products)
            squares += drift.squares
        if self.centred or shift.any():
            means = off @ self.mean + drift.mean
            if self.centred:
                squares += self.count * (shift + means) ** 2
            else:
                squares += self.count * shift * (shift + 2 * means)
        positive: Float64s = np.maximum(squares, 0)
        return positive

    def gradient(self, product: Float32s, shift: Float64s, drift: _RowDrift) -> Float32s:
        """Return where the error grows fastest, in the memory of `product`, as `error` has it."""
        if drift.products is not None:
            product += drift.products
        if not self.centred and shift.any():
            product += np.multiply.outer(shift * self.count, self.mean).astype(np.float32)
        return product


@dataclass(frozen=True, eq=False)
class _RowDrift:
    """The drift of some outputs, in the units of the inputs, and without means if these are."""

    products: Float32s | None  # None stands for zeros
    mean: Float64s
    squares: Float64s


def _solve_rows(  # noqa: PLR0917 - each its own type
    weights: Unknowns,
    bias: Unknowns | None,
    inputs: _Inputs,
    drift: Drift | None,
    iterations: int,
    room: Float32s,
) -> tuple[Float32s, Bools, Float64s | None, Errors]:
    """Return the weights, which rows are better by them, the bias, errors; uses `weights` up."""
    wanted, solved = cast(Float32s, weights.wanted), cast(Float32s, weights.present)
    product, off = room[:2]
    finite: Bools = np.logical_and(np.isfinite(wanted).all(axis=1), np.isfinite(solved).all(axis=1))
    free = weights.free & finite[:, None]
    wanted[~finite] = solved[~finite] = 0.0
    shift: Float64s = np.zeros(len(wanted))
    if bias is not None:
        with np.errstate(invalid="ignore"):
            shift = bias.wanted.astype(np.float64) - bias.present
        shift[~np.isfinite(shift)] = 0.0
    drifts = inputs.drift(drift, len(wanted))
    inputs.times(wanted, product)
    outputs = inputs.error(wanted, product, np.zeros(len(wanted)), drifts)
    np.subtract(wanted, solved, out=off)
    inputs.times(off, product)
    before = inputs.error(off, product, shift, drifts)
    residual = inputs.gradient(product, shift, drifts)
    _descend(solved, residual, free, inputs, iterations, curved=off, room=room[2:])
    np.subtract(wanted, solved, out=off)
    if inputs.centred:
        shift = -(off @ inputs.mean) - drifts.mean
    after = inputs.error(off, inputs.times(off, product), shift, drifts)
    if _is_narrow(weights.dtype):
        solved = _rounded(solved, weights.dtype).astype(np.float32)
        np.subtract(wanted, solved, out=off)
        inputs.times(off, product)
    if bias is not None and inputs.centred:
        target = bias.wanted.astype(np.float64)
        shift = target - _rounded(target - shift, bias.dtype)
    rounded = inputs.error(off, product, shift, drifts)
    better = finite & (rounded < before)  # NaN is not
    after[~better] = rounded[~better] = before[~better]
    moved = None
    if bias is not None:
        moved = bias.present.astype(np.float64)
        if inputs.centred:
            moved = np.where(better, bias.wanted - shift, moved)
    return (
        solved,
        better,
        moved,
        Errors(*(float(e.sum()) for e in (outputs, before, after, rounded))),
    )


def _descend(
    solved: Float32s,
    residual: Float32s,
    free: Bools,
    inputs: _Inputs,
    iterations: int,
    *,
    curved: Float32s,
    room: Float32s,
) -> None:
    """Move what is free, in place, by steps of conjugate gradients.

    `residual` and `curved` are used up. Of the residual only what is free has a meaning: what is
    not is never taken into a direction.
    """
    preconditioner, direction = room
    np.multiply(free, inputs.preconditioner, out=preconditioner)
    np.multiply(residual, preconditioner, out=direction)
    strength = _dots(residual, direction)

    def step(rows: slice, *, last: bool) -> None:
        """Take a step with some rows, and turn to the next one unless it is the last."""
        change, scratch, rest = direction[rows], curved[rows], residual[rows]
        length = _ratio(strength[rows], _dots(change, scratch))
        with broadcasting(change.shape[1]):
            if not last:
                scratch *= length
                rest -= scratch
            np.multiply(change, length, out=scratch)
            solved[rows] += scratch
            if last:
                return
            np.multiply(rest, preconditioner[rows], out=scratch)
            after = _dots(rest, scratch)
            change *= _ratio(after, strength[rows])
            change += scratch
            strength[rows] = after

    for left in reversed(range(iterations)):
        inputs.times(direction, curved)
        deque(_by_rows(partial(step, last=not left), residual, inputs.job), maxlen=0)


def _by_rows(
    work: Callable[[slice], Result], matrix: Float32s, job: Job
) -> Generator[Result, None, None]:
    """Yield what `work` makes of each few rows of a matrix, by some threads; may cancel."""
    rows, columns = matrix.shape
    together = max(1, _TOGETHER // max(columns, 1))
    slices = (slice(start, start + together) for start in range(0, rows, together))
    return in_order(slices, work, job, threads_for(matrix.size))


def _dots(a: Float32s, b: Float32s) -> Float32s:
    dots: Float32s = np.einsum("ij,ij->i", a, b)
    return dots


def _exact_dots(a: Float32s, b: Float32s) -> Float64s:
    """Return the product of each two rows: of short parts in float32, these summed in float64."""
    whole = a.shape[1] - a.shape[1] % _PART
    dots: Float64s = np.einsum("ij,ij->i", a[:, whole:], b[:, whole:], dtype=np.float64)
    parts = (part[:, :whole].reshape(len(a), -1, _PART) for part in (a, b))
    dots += np.vecdot(*parts).sum(axis=1, dtype=np.float64)
    return dots


def _ratio(a: Float32s, b: Float32s) -> Float32s:
    """Return quotients as a column; 0 where nothing is left to be done."""
    ratio = np.zeros_like(a)
    np.divide(a, b, out=ratio, where=b > 0)
    return ratio[:, None]


def _rounded(values: Floats, dtype: DType) -> Floats:
    return decode(encode(values, dtype), dtype)
