"""Ranking a tensor by the magnitudes of its weights, or of the scores that stand in for them."""

from __future__ import annotations

from typing import Any

from pruneapp.kernels.sort_keys import Magnitudes
from pruneapp.methods.method import TensorView, Values


def magnitudes(
    view: TensorView,
    values: Values,  # noqa: ARG001 - no values decide
    width: int | None = None,
    measured: Any = None,  # noqa: ARG001 - nothing needs to be
) -> Magnitudes:
    """Return the ranking, with keys of `width` bits at least; see `Magnitudes`."""
    ranked = view.ranked
    return Magnitudes(ranked.read, ranked.numel, ranked.dtype, ranked.kept, width)


def magnitude_width(view: TensorView) -> int:
    """Return how many bits the keys of a tensor need."""
    return view.ranked.dtype.bits
