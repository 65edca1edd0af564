"""Masked least squares: adjust the kept weights so that the outputs approximate the original.

For a layer with weights W (a row per output) and inputs X (a row per token or pixel), only G = X'X
is needed. Among all B that are 0 where W is pruned, each row minimizes the squared difference of
the outputs on these inputs,

    (W - B) H (W - B)',   H = G + damping mean(diag G) I

by conjugate gradients with a Jacobi preconditioner, for all rows of a block at once. This only uses
matrix products, and no factorization that can fail.

The bias is a weight with the constant input 1 that is always kept. For given weights its best value
has a closed form: it changes by (W - B) times the mean of the inputs, and G is replaced by that of
the inputs minus their mean.

The wanted outputs may come from other inputs than those of the layer, for example if earlier layers
were pruned: Y = X_0 W' with its former inputs X_0. They drift from the outputs of W by D = Y - X
W'; the squares of ``X (W - B)' + D`` are minimized, for which D'X is known.
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
from pruneapp.kernels.threads import map_in_order, threads_for
from pruneapp.kernels.values import Bools, Float64s, Floats, Indices, broadcasting, decode, encode
from pruneapp.progress import Job

Float32s = NDArray[np.float32]
Result = TypeVar("Result")

ITERATIONS = 10
DAMPING = 0.01
# Rows solved together, between which a third of all is used: fewer make the products slow, more
# need memory.
_FEWEST_ROWS, _MOST_ROWS = 64, 1366
# Multiplications before the first check for cancellation (about 50 ms of a core), and the
# approximate seconds between later checks: a product split into narrow parts is up to 10 % slower.
_AT_ONCE = 1 << 31
_PATIENCE = 0.16
# Elements per thread task. With an eighth of them, acquiring the GIL takes as long as the work: two
# threads are no faster than one.
_TOGETHER = 1 << 19
# Elements of a row whose products are summed in float32.
_PART = 256
# Relative error of float32 products: smaller results count as 0.
_NOISE = 1e-5
# Products with G besides those of the iterations: outputs, errors before and after.
_MORE_PRODUCTS = 3


@dataclass(frozen=True, eq=False)
class Drift:
    """The drift D: wanted outputs minus outputs of the wanted weights on the inputs of a layer."""

    products: Floats  # ``[rows, columns]``: D'X
    sums: Float64s  # ``[rows]``: sums of the columns of D
    squares: Float64s  # ``[rows]``: sums of their squares

    def rows(self, chosen: Indices | slice) -> Drift:
        """Return the drift of some outputs."""
        return Drift(self.products[chosen], self.sums[chosen], self.squares[chosen])


@dataclass(frozen=True, eq=False)
class Moments:
    """Moments of the inputs of a layer."""

    gram: Floats  # ``[columns, columns]``: X'X
    sums: Floats | None = None  # ``[columns]``: sums of the columns of X; None if unknown
    count: float = 0.0  # number of rows of X
    drift: Drift | None = None  # None if the wanted outputs have the same inputs

    def solve(
        self, weights: Unknowns, bias: Unknowns | None, *, spread: bool, **how: Any
    ) -> Solution:
        """Solve a layer with numpy by `solve`; `how` are its keyword arguments.

        With `spread`, the solution also has the moments of the outputs.
        """
        before = weights.present.copy() if spread else weights.present
        solution = solve(weights, self, bias, **how)
        if not spread:
            return solution
        stop = Job(cancel=how["job"].cancel)
        outputs = output_moments(self, weights.wanted, (before, solution.weights), stop)
        return replace(solution, outputs=outputs)


@dataclass(frozen=True, eq=False)
class Unknowns:
    """The weights of a layer as a matrix, or its bias as a vector."""

    wanted: Floats  # values that produce the wanted outputs
    present: Floats  # present values, 0 where pruned
    free: Bools  # True where a value may change: kept and not protected
    dtype: DType = DTYPES["F32"]  # type that the result is rounded to


@dataclass(frozen=True)
class Errors:
    """Sums over all inputs of squared outputs, and of squared errors of the outputs.

    The sums of several groups of a layer can be added.
    """

    outputs: float = 0.0
    before: float = 0.0
    after: float = 0.0
    rounded: float = 0.0  # after rounding to the type of the tensor

    def __add__(self, other: Errors) -> Errors:
        return Errors(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    def relative(self, error: float) -> float:
        """Return an error divided by the outputs; 0 if all outputs are 0."""
        return error / self.outputs if self.outputs else 0.0


@dataclass(frozen=True, eq=False)
class Outputs:
    """Moments of the outputs of a layer; NaN for rows of weights that are not finite.

    Each is ``float64[3, rows]``: the mean of each output, its variance, and the variance of its
    difference from the wanted output.
    """

    wanted: Float64s  # the differences are 0
    before: Float64s
    after: Float64s
    count: float  # number of inputs


@dataclass(frozen=True, eq=False)
class Solution:
    """A solved layer; unchanged values are bit-identical."""

    weights: Floats  # rounded to the type of the tensor
    bias: Float64s | None  # likewise; None without a bias
    errors: Errors
    outputs: Outputs | None = None  # None if not requested or unknown


class LayerSolver(Protocol):
    """Solves a layer from the moments of its inputs, in this process or a worker."""

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
        """Solve like the function `solve`; with `spread` also return the moments of the outputs.

        `bias` of None means that the layer has none. Writes the weights to `out` and steps `job`.
        """


def work_of(rows: int, columns: int, dtype: DType, iterations: int = ITERATIONS) -> int:
    """Return the number of job steps of `solve`."""
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
    """Change the free weights of a layer, and its bias, to approximate the outputs of `wanted`.

    No row gets worse on these inputs: a row whose rounded solution would have a larger error is not
    changed, and neither is a row with non-finite weights. The bias only changes if the sums of the
    inputs are known.

    Computed in float32, in units of the mean of the diagonal of G. The solution is written to
    `out`, which may be the same array as `weights.present`; None allocates one. Additional memory
    is G in float32 and some blocks of rows. `job` is stepped by `work_of`; may cancel.

    Raises ValueError, with a text that completes a sentence, if the moments are not finite or have
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
        # One buffer for all blocks: allocating new pages takes longer than writing to them.
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


def output_moments(
    moments: Moments, wanted: Floats, found: tuple[Floats, Floats], job: Job | None = None
) -> Outputs | None:
    """Return the moments of the outputs of the wanted weights, and of those before and after.

    None if the mean input is unknown. For a row w the variance is ``w C w'``, with the covariance
    ``C = G / n - m m'`` of n inputs with mean m. `job` is stepped five times by ``rows *
    columns²``; may cancel. Raises what `solve` raises.
    """
    if moments.sums is None or not moments.count:
        return None
    scale = _scale_of(moments, wanted.shape[1])
    inputs = _Inputs.of(moments, scale, DAMPING, job or Job(), centred=True)

    def means_and_variances(matrix: Floats, drift: Drift | None) -> tuple[Float64s, Float64s]:
        """Return mean and variance of the output of each row of a matrix."""
        means, squares = np.empty((2, len(matrix)))
        for start in range(0, len(matrix), _MOST_ROWS):
            some = slice(start, start + _MOST_ROWS)
            rows = matrix[some].astype(np.float32)
            with np.errstate(invalid="ignore"):
                product = inputs.times(rows, np.empty_like(rows))
                off = inputs.drift(drift and drift.rows(some), len(rows))
                means[some] = rows @ inputs.mean + off.mean
                squares[some] = inputs.error(rows, product, -means[some], off)
        return means, squares * (scale / moments.count)

    def of(matrix: Floats) -> Float64s:
        with np.errstate(invalid="ignore"):
            _, errors = means_and_variances(wanted - matrix, moments.drift)
        return np.stack([*means_and_variances(matrix, None), errors])

    usual = means_and_variances(wanted, moments.drift)
    before, after = map(of, found)
    return Outputs(np.stack([*usual, np.zeros(len(wanted))]), before, after, moments.count)


def _scale_of(moments: Moments, columns: int) -> float:
    """Return the mean of the diagonal of G; 1 if it is 0 or the layer has no inputs.

    Raises `ValueError` if the moments are of another number of inputs than `columns`, not finite,
    or negative on the diagonal.
    """
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
    """Return copies of some rows (ascending indices).

    With `room`, wanted and present values are written into these two float32 buffers.
    """
    if room is None:
        return Unknowns(some.wanted[rows], some.present[rows], some.free[rows], some.dtype)
    wanted, present = room[:, : rows.size]
    first, last = int(rows[0]), int(rows[-1]) + 1
    chosen = slice(first, last) if last - first == rows.size else rows
    wanted[...] = some.wanted[chosen]
    present[...] = some.present[chosen]
    return Unknowns(wanted, present, some.free[chosen], some.dtype)


class _Pace:
    """Controls the number of multiplications between two checks for cancellation."""

    def __init__(self) -> None:
        self.at_once = float(_AT_ONCE)

    def adapt(self, multiplications: int, seconds: float) -> None:
        """Adapt to the duration of a product; short products are ignored as inaccurate."""
        if multiplications >= _AT_ONCE // 4:
            self.at_once = max(_AT_ONCE, multiplications * _PATIENCE / max(seconds, 1e-6))


@dataclass(frozen=True, eq=False)
class _Inputs:
    """The moments of inputs, in units of the mean of the diagonal of G."""

    gram: Float32s  # damped; of the inputs minus their mean if `centred`
    preconditioner: Float32s  # 1 divided by the diagonal of `gram`
    mean: Float64s
    count: float  # number of rows, in the same units
    scale: float
    damping: float
    centred: bool
    job: Job
    pace: _Pace = field(default_factory=_Pace)

    @classmethod
    def of(
        cls, moments: Moments, scale: float, damping: float, job: Job, *, centred: bool
    ) -> _Inputs:
        """Create them from moments: scaled, damped and, if `centred`, without the mean.

        Raises `ValueError` if a value is not finite.
        """
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
        """Write a matrix times the damped G to `out`, and return it.

        Steps the job by the multiplications, and can be cancelled in between.
        """
        rows, columns = matrix.shape
        each = max(rows * columns, 1)  # multiplications per column
        pieces = math.ceil(columns * each / self.pace.at_once)
        width = max(16, math.ceil(columns / max(pieces, 1)))
        for start in range(0, columns, width):
            some = slice(start, min(start + width, columns))
            began = time.perf_counter()
            np.matmul(matrix, self.gram[:, some], out=out[:, some])
            done = each * (some.stop - start)
            self.pace.adapt(done, time.perf_counter() - began)
            self.job.step(done)
        return out

    def drift(self, drift: Drift | None, rows: int) -> _RowDrift:
        """Return the drift of some rows in the units of the inputs; None means zero.

        Rows that are not finite, as for non-finite weights, are set to zero too.
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
        """Return the sums of squares of ``X off' + D + shift`` by row; `product` is off times G.

        They are at least 0, in the units of the inputs. `shift` is added to every output of a row.
        """
        squares = _exact_dots(off, product)
        damped = self.damping * _exact_dots(off, off)
        squares -= damped
        squares[squares < _NOISE * damped] = 0  # zero inputs have zero error
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
        """Return the gradient of `error`, in the memory of `product`."""
        if drift.products is not None:
            product += drift.products
        if not self.centred and shift.any():
            product += np.multiply.outer(shift * self.count, self.mean).astype(np.float32)
        return product


@dataclass(frozen=True, eq=False)
class _RowDrift:
    """The drift of some outputs in the units of the inputs, without means if these are centered."""

    products: Float32s | None  # None means zeros
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
    """Solve for the weights and the bias of some rows. Overwrites the arrays of `weights`.

    Return the new weights, which rows have a smaller error after rounding (only these may be used),
    the new bias (None without `bias`), and the errors. `drift` is that of these outputs, and `room`
    four float32 buffers of the shape of the weights.
    """
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
    better = finite & (rounded < before)  # False for NaN
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
    """Change the free weights in place by `iterations` steps of conjugate gradients.

    `residual` (from `_Inputs.gradient`), `curved` and the two buffers `room` are overwritten. Only
    the free elements of the residual are meaningful: others never enter a direction.
    """
    preconditioner, direction = room
    np.multiply(free, inputs.preconditioner, out=preconditioner)
    np.multiply(residual, preconditioner, out=direction)
    strength = _dots(residual, direction)

    def step(rows: slice, *, last: bool) -> None:
        """Update some rows, and compute their next direction unless it is the last step."""
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
    """Yield the result of `work` for blocks of rows of a matrix, computed in threads, in order.

    `work` is called with the slice of the rows. `job` may cancel; nothing runs until it is
    iterated.
    """
    rows, columns = matrix.shape
    together = max(1, _TOGETHER // max(columns, 1))
    slices = (slice(start, start + together) for start in range(0, rows, together))
    return map_in_order(slices, work, job, threads_for(matrix.size))


def _dots(a: Float32s, b: Float32s) -> Float32s:
    dots: Float32s = np.einsum("ij,ij->i", a, b)
    return dots


def _exact_dots(a: Float32s, b: Float32s) -> Float64s:
    """Return the dot product of each pair of rows: short parts in float32, summed in float64."""
    whole = a.shape[1] - a.shape[1] % _PART
    dots: Float64s = np.einsum("ij,ij->i", a[:, whole:], b[:, whole:], dtype=np.float64)
    parts = (part[:, :whole].reshape(len(a), -1, _PART) for part in (a, b))
    dots += np.vecdot(*parts).sum(axis=1, dtype=np.float64)
    return dots


def _ratio(a: Float32s, b: Float32s) -> Float32s:
    """Return quotients as a column; 0 where `b` is not positive."""
    ratio = np.zeros_like(a)
    np.divide(a, b, out=ratio, where=b > 0)
    return ratio[:, None]


def _rounded(values: Floats, dtype: DType) -> Floats:
    return decode(encode(values, dtype), dtype)
