"""Masked least squares on the device of the model, where the Gram matrices are.

The formulas are explained in pruneapp/repair/solve.py; a test checks that both give equal results.
Products are float32 on the device, sums of squares float64.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import torch

# Rows solved together.
MOST_ROWS = 1024
# Multiplications between two checks for cancellation: about 50 ms of a core, less on a GPU.
AT_ONCE = 1 << 31
# Elements of a Gram matrix converted at a time.
CONVERTED = 1 << 22
NOISE = 1e-5


class Drift:
    """The drift of some outputs, in the units of the inputs; see solve.py."""

    def __init__(self, products: Any, mean: torch.Tensor, squares: torch.Tensor) -> None:
        self.products = products
        self.mean = mean
        self.squares = squares


class Inputs:
    """The moments of the inputs of a layer, in units of the mean of the diagonal of G.

    Parameters
    ----------
    moments
        ``gram``, ``sum`` and ``count``, in float64 on the CPU; ``drift`` if it is known.
    step
        Called with the multiplications of each product; raises to cancel.
    """

    def __init__(
        self, moments: dict[str, Any], damping: float, device: Any, step: Any, *, centred: bool
    ) -> None:
        gram, self.scale = moments["gram"], scale_of(moments["gram"])
        self.damping, self.centred, self.step = damping, centred, step
        self.count = moments["count"] / self.scale
        mean = moments["sum"] / moments["count"] if moments["count"] else moments["sum"] * 0
        self._drift = moments.get("drift")
        columns = len(gram)
        self.gram = torch.empty(columns, columns, dtype=torch.float32, device=device)
        some = max(1, CONVERTED // max(columns, 1))
        for start in range(0, columns, some):
            step(0)
            rows = slice(start, start + some)
            exact = gram[rows] / self.scale
            if centred:
                exact -= torch.outer(self.count * mean[rows], mean)
            self.gram[rows] = exact.to(device, torch.float32)
        damped = self.gram.diagonal().clamp(min=0) + damping
        self.gram.diagonal().copy_(damped)
        self.preconditioner = 1 / damped
        self.mean = mean.to(device)

    def times(self, matrix: torch.Tensor) -> torch.Tensor:
        """Return a matrix times the damped G, as a new tensor."""
        rows, columns = matrix.shape
        out = torch.empty_like(matrix)
        width = max(16, AT_ONCE // max(rows * columns, 1))
        for start in range(0, columns, width):
            some = slice(start, start + width)
            out[:, some] = matrix @ self.gram[:, some]
            self.step(rows * columns * min(width, columns - start))
        return out

    def drift(self, rows: torch.Tensor) -> Drift:
        """Return the drift of the outputs with the indices `rows`; zeros if it is not known.

        Rows that are not finite are zero.
        """
        device = self.gram.device
        zeros = torch.zeros(len(rows), dtype=torch.float64, device=device)
        if self._drift is None:
            return Drift(None, zeros, zeros)
        products, sums, squares = (part[rows.cpu()] / self.scale for part in self._drift)
        mean = sums / self.count if self.count > 0 else sums * 0
        own = self.mean.cpu()
        if self.centred:
            squares = squares - self.count * mean**2
            products = products - torch.outer(self.count * mean, own)
        finite = products.isfinite().all(1) & squares.isfinite() & mean.isfinite()
        for part in (products, mean, squares):
            part[~finite] = 0.0
        return Drift(products.to(device, torch.float32), mean.to(device), squares.to(device))

    def error(
        self, off: torch.Tensor, product: torch.Tensor, shift: torch.Tensor, drift: Drift
    ) -> torch.Tensor:
        """Return the sums of squares of ``X off' + D + shift`` by row; `product` is off times G.

        At least 0; float64, in units of `scale`.
        """
        means = off.double() @ self.mean + drift.mean
        squares = dots(off, product).double()
        damped = self.damping * dots(off, off).double()
        squares -= damped
        squares[squares < NOISE * damped] = 0
        if drift.products is not None:
            squares += 2 * dots(off, drift.products) + drift.squares
        if self.centred:
            squares += self.count * (shift + means) ** 2
        else:
            squares += self.count * shift * (shift + 2 * means)
        return squares.clamp(min=0)

    def gradient(self, product: torch.Tensor, shift: torch.Tensor, drift: Drift) -> torch.Tensor:
        """Return the gradient of the error, in the memory of `product`."""
        if drift.products is not None:
            product += drift.products
        if not self.centred and bool(shift.any()):
            product += torch.outer(shift * self.count, self.mean).float()
        return product


class Unknowns:
    """The weights of a layer as a matrix, or its bias as a vector, with the dtype to round to."""

    def __init__(self, wanted: Any, present: Any, free: Any, dtype: torch.dtype) -> None:
        self.wanted = wanted
        self.present = present
        self.free = free
        self.dtype = dtype

    def rows(self, chosen: torch.Tensor, device: Any) -> Unknowns:
        """Return some rows, on the device."""
        parts = (part[chosen].to(device) for part in (self.wanted, self.present, self.free))
        return Unknowns(*parts, self.dtype)


def solve(
    weights: Unknowns,
    bias: Unknowns | None,
    moments: dict[str, Any],
    *,
    iterations: int,
    damping: float,
    device: Any,
    step: Callable[[int], None],
    outputs: bool = False,
) -> dict[str, Any]:
    """Change the free weights of a layer, like `pruneapp.repair.solve.solve`.

    The arguments are not changed. `step` is called with the number of multiplications. Returns
    ``weights``, and a boolean per row that is ``better``; ``bias``, or None without one;
    ``errors``: sums of squares of the outputs and of their errors before, after, and after
    rounding; and with `outputs` the moments ``outputs`` of the wanted outputs and of those before
    and after, as in `pruneapp.repair.solve.Outputs`, None without inputs. Raises `ValueError` if
    the Gram matrix is not finite or negative on the diagonal.
    """
    solved = weights.present.clone()
    moved = None if bias is None else bias.present.clone()
    shifts = torch.zeros(len(solved), dtype=torch.bool)
    improved = torch.zeros(len(solved), dtype=torch.bool)
    if bias is not None and moments["count"] > 0:
        shifts = bias.free & bias.wanted.isfinite() & bias.present.isfinite()
    errors, spread = [0.0] * 4, None
    for centred in (True, False):
        chosen = torch.nonzero(shifts == centred).reshape(-1)
        if not len(chosen):
            continue
        inputs = Inputs(moments, damping, device, step, centred=centred)
        for rows in chosen.split(MOST_ROWS):
            some = weights.rows(rows, device)
            its_bias = None if bias is None else bias.rows(rows, device)
            values, better, shift, part = solve_rows(
                some, its_bias, inputs, inputs.drift(rows), iterations
            )
            improved[rows] = better.cpu()
            solved[rows[better.cpu()]] = values[better].cpu()
            if moved is not None:
                moved[rows] = shift.cpu()
            errors = [total + inputs.scale * one for total, one in zip(errors, part)]
    if outputs and moments["count"] > 0:
        inputs = Inputs(moments, damping, device, step, centred=True)
        every = torch.arange(len(solved)).split(MOST_ROWS)

        def moments_of(matrix: torch.Tensor, *, wanted: bool) -> torch.Tensor:
            some = (means_and_squares(matrix, inputs, rows, wanted=wanted) for rows in every)
            means, squares = torch.cat(list(some), 1)
            return torch.stack([means, squares * (inputs.scale / moments["count"])])

        usual = moments_of(weights.wanted, wanted=True)
        spread = [torch.cat([usual, torch.zeros_like(usual[:1])])]
        for matrix in (weights.present, solved):
            errors_of = moments_of(weights.wanted - matrix, wanted=True)[1:]
            spread.append(torch.cat([moments_of(matrix, wanted=False), errors_of]))
    return {
        "weights": solved,
        "better": improved,
        "bias": moved,
        "errors": errors,
        "outputs": spread,
    }


def means_and_squares(
    matrix: torch.Tensor, inputs: Inputs, rows: torch.Tensor, *, wanted: bool
) -> torch.Tensor:
    """Return the means of outputs, and the sums of squares of their differences from these.

    They are those of the rows with indices `rows`, ``float64[2, rows]``. `wanted`: whether the
    matrix has the wanted weights, or their difference from others: then the drift is added.
    """
    matrix = matrix[rows].to(inputs.gram.device)
    none = torch.zeros(len(rows), dtype=torch.float64, device=matrix.device)
    drift = inputs.drift(rows) if wanted else Drift(None, none, none)
    means = matrix.double() @ inputs.mean + drift.mean
    squares = inputs.error(matrix, inputs.times(matrix), -means, drift)
    return torch.stack([means, squares]).cpu()


def solve_rows(
    weights: Unknowns, bias: Unknowns | None, inputs: Inputs, drift: Drift, iterations: int
) -> tuple[torch.Tensor, torch.Tensor, Any, list[float]]:
    """Return the solved weights of some rows, which of them improved, the bias, and errors.

    Rows with values that are not finite do not improve. `weights` is overwritten. The bias is None
    without one; the errors are as in `solve`, summed over the rows.
    """
    wanted, solved = weights.wanted, weights.present
    finite = wanted.isfinite().all(1) & solved.isfinite().all(1)
    free = weights.free & finite[:, None]
    wanted[~finite] = 0.0
    solved[~finite] = 0.0
    shift = torch.zeros(len(wanted), dtype=torch.float64, device=wanted.device)
    if bias is not None:
        shift = bias.wanted - bias.present
        shift[~shift.isfinite()] = 0.0
    none = torch.zeros_like(shift)
    outputs = inputs.error(wanted, inputs.times(wanted), none, drift)
    off = wanted - solved
    product = inputs.times(off)
    before = inputs.error(off, product, shift, drift)
    descend(solved, inputs.gradient(product, shift, drift), free, inputs, iterations)
    off = wanted - solved
    if inputs.centred:
        shift = -(off.double() @ inputs.mean) - drift.mean
    product = inputs.times(off)
    after = inputs.error(off, product, shift, drift)
    if torch.finfo(weights.dtype).bits < 32:
        solved = solved.to(weights.dtype).float()
        off = wanted - solved
        product = inputs.times(off)
    if bias is not None and inputs.centred:
        shift = bias.wanted - (bias.wanted - shift).to(bias.dtype).double()
    rounded = inputs.error(off, product, shift, drift)
    better = finite & (rounded < before)
    after, rounded = (torch.where(better, one, before) for one in (after, rounded))
    moved = None
    if bias is not None:
        moved = bias.present
        if inputs.centred:
            moved = torch.where(better, bias.wanted - shift, moved)
    return solved, better, moved, [float(e.sum()) for e in (outputs, before, after, rounded)]


def descend(
    solved: torch.Tensor, residual: torch.Tensor, free: Any, inputs: Inputs, iterations: int
) -> None:
    """Change the free weights in place by steps of conjugate gradients; overwrites `residual`.

    `free` is True for weights that may change; `iterations` is the number of steps.
    """
    preconditioner = free * inputs.preconditioner
    direction = residual * preconditioner
    strength = dots(residual, direction).float()
    for _ in range(iterations):
        curved = inputs.times(direction)
        length = ratio(strength, dots(direction, curved).float())
        solved += length * direction
        residual -= length * curved
        scaled = residual * preconditioner
        after = dots(residual, scaled).float()
        direction *= ratio(after, strength)
        direction += scaled
        strength = after


def scale_of(gram: torch.Tensor) -> float:
    """Return the mean of the diagonal of G; 1 if it is 0."""
    diagonal = gram.diagonal()
    scale = float(diagonal.mean()) if len(gram) else 0.0
    if not math.isfinite(scale) or bool((diagonal < 0).any()) or not bool(gram.isfinite().all()):
        raise ValueError("they are not finite, or less than 0 on the diagonal")
    return scale or 1.0


def dots(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the dot product of each pair of rows, summed in float64."""
    return (a * b).sum(1, dtype=torch.float64)


def ratio(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return quotients as a column; 0 where `b` is not positive."""
    return torch.where(b > 0, a / torch.where(b > 0, b, torch.ones_like(b)), torch.zeros_like(a))[
        :, None
    ]
