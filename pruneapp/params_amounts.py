"""How much to prune: a share or a count."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from pruneapp.params_declared import Param

# A count of weights (or channels), or a fraction of them.
Amount = int | float


@dataclass(frozen=True, kw_only=True)
class AmountParam(Param):
    """How much to prune: an int is a count, a float from 0 to 1 a fraction of what is left."""

    name: str = "amount"
    label: str = "Amount"
    help: str = "Fraction of remaining weights, or a number of them."
    default: Amount = 0.2

    def read(self, text: str) -> Amount | None:
        """Read ``0.5`` and ``50%`` as fractions, ``1000`` as a count; ``1`` is a count."""
        text = text.strip().replace(" ", "").replace("\u00a0", "")
        if text.endswith("%"):
            return float(text[:-1]) / 100
        if any(c in text for c in ".eE") or "n" in text.lower():
            return float(text)
        return int(text)

    def validate(self, value: Any) -> Amount:
        """Accept an int >= 0 or a float from 0 to 1; numpy's numbers become Python's."""
        if isinstance(value, Integral):
            if int(value) >= 0:
                return int(value)
        elif isinstance(value, Real) and 0.0 <= float(value) <= 1.0:
            return float(value)
        raise self.refuse(value)

    def format(self, value: Amount) -> str:
        """Write a fraction as percent, a count as a whole number."""
        if isinstance(value, float):
            return f"{value * 100:.10g}%"
        return str(value)

    def describe(self) -> str:
        """Say the rule."""
        return "a whole number of 0 or more (a count), or a fraction from 0.0 to 1.0"

    def valid(self) -> Iterator[Amount]:
        """Yield borders of both kinds."""
        yield from (0, 1, 7, 0.0, 0.35, 0.5, 1.0)

    def invalid(self) -> Iterator[Any]:
        """Yield what torch refuses, and NaN."""
        yield from (-1, -0.1, 1.1, math.nan, math.inf, "half", None)


# What most methods ask for.
AMOUNT_OF_WEIGHTS = AmountParam(
    help="Fraction of remaining weights, or a number of weights.",
    unit="weights",
)
AMOUNT_OF_CHANNELS = AmountParam(
    help="Fraction of remaining channels, or a number.",
    unit="channels",
)
