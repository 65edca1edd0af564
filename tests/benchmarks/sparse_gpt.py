"""SparseGPT as a baseline, written from the formulas of Frantar and Alistarh (2023).

It chooses the pruned weights of a layer in blocks of 128 columns, and for each pruned weight
updates the weights to its right in the row.
"""

from __future__ import annotations

import numpy as np

_BLOCK = 128
_DAMPING = 0.01


def sparse_gpt(
    weights: np.ndarray, gram: np.ndarray, share: float, group: int | None = None
) -> np.ndarray:
    """Return a matrix of weights (outputs, inputs) of which a fraction is pruned.

    `gram` is X'X of its inputs, or any multiple of it. With a `group`, the fraction is pruned in
    each group of so many columns of a row (N:M).
    """
    matrix = weights.astype(np.float64).copy()
    hessian = gram.astype(np.float64).copy()
    dead = hessian.diagonal() == 0
    hessian[dead, dead] = 1
    matrix[:, dead] = 0
    hessian[np.diag_indices_from(hessian)] += _DAMPING * hessian.diagonal().mean()
    upper = np.linalg.cholesky(np.linalg.inv(hessian)).T
    columns = matrix.shape[1]
    for start in range(0, columns, _BLOCK):
        stop = min(start + _BLOCK, columns)
        scores = (matrix[:, start:stop] / upper.diagonal()[start:stop]) ** 2
        kept = np.ones(scores.size, np.bool_)
        if group is None:
            # Rounding the cumulative count instead of each block's makes the total exact.
            gone = round(share * len(matrix) * stop) - round(share * len(matrix) * start)
            kept[np.argsort(scores, axis=None, kind="stable")[:gone]] = False
        kept = kept.reshape(scores.shape)
        errors = np.zeros(scores.shape)
        for at in range(start, stop):
            if group is not None and at % group == 0:
                # Chosen as soon as the weights have the updates of all columns to their left.
                now = (matrix[:, at : at + group] / upper.diagonal()[at : at + group]) ** 2
                order = np.argsort(now, axis=1, kind="stable")[:, : round(share * group)]
                chosen = np.ones(now.shape, np.bool_)
                np.put_along_axis(chosen, order, values=False, axis=1)
                kept[:, at - start : at - start + group] = chosen
            pruned = np.where(kept[:, at - start], 0, matrix[:, at])
            errors[:, at - start] = pruned / upper[at, at]
            matrix[:, at:stop] -= np.outer(errors[:, at - start], upper[at, at:stop])
            matrix[~kept[:, at - start], at] = 0
        matrix[:, stop:] -= errors @ upper[start:stop, stop:]
    return matrix.astype(weights.dtype)
