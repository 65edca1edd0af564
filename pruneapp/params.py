"""Numbers within bounds, and those with a meaning: seeds, dimensions, norms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

from pruneapp.errors import ParameterError
from pruneapp.params_declared import Param

Norm = int | float | str


@dataclass(frozen=True)
class Interval:
    """The numbers from `low` to `high`, both included; None is open."""

    low: float | None = None
    high: float | None = None

    def __contains__(self, value: float) -> bool:
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def __str__(self) -> str:
        if self.high == 2**63 - 1:
            return f"from {self.low or 0:g} to 2^63 - 1"
        if self.low is not None and self.high is not None:
            return f"from {self.low:g} to {self.high:g}"
        if self.low is not None:
            return f"{self.low:g} or more"
        if self.high is not None:
            return f"{self.high:g} or less"
        return "any number"


@dataclass(frozen=True, kw_only=True)
class NumberParam(Param):
    """A number within bounds. Subclasses say of which type."""

    bounds: Interval = field(default_factory=Interval)

    def describe(self) -> str:
        """Say the rule."""
        return f"a number, {self.bounds}"

    def valid(self) -> Iterator[Any]:
        """Yield the default and the finite borders."""
        yield self.default
        yield from (type(self.default)(b) for b in self._borders())

    def invalid(self) -> Iterator[Any]:
        """Yield what is just outside, and other types."""
        if self.bounds.low is not None:
            yield self.bounds.low - 1
        if self.bounds.high is not None:
            yield self.bounds.high + 1
        yield from ("x", None, True)

    def _borders(self) -> Iterator[float]:
        yield from (b for b in (self.bounds.low, self.bounds.high) if b is not None)


@dataclass(frozen=True, kw_only=True)
class IntParam(NumberParam):
    """A whole number."""

    def read(self, text: str) -> int:
        """Read a whole number."""
        return int(text)

    def validate(self, value: Any) -> int:
        """Accept whole numbers within the bounds."""
        if is_number(value, Integral) and int(value) in self.bounds:
            return int(value)
        raise self.refuse(value)

    def describe(self) -> str:
        """Say the rule."""
        return f"a whole number, {self.bounds}"

    def invalid(self) -> Iterator[Any]:
        """Yield a fraction as well."""
        yield from super().invalid()
        yield 0.5


@dataclass(frozen=True, kw_only=True)
class FloatParam(NumberParam):
    """A finite number."""

    def read(self, text: str) -> float:
        """Read a number with a point."""
        return float(text.replace("−", "-"))

    def validate(self, value: Any) -> float:
        """Accept finite numbers within the bounds."""
        try:
            found = float(value) if is_number(value, Real) else math.nan
        except OverflowError:  # a whole number of hundreds of digits
            found = math.inf
        if math.isfinite(found) and found in self.bounds:
            return found
        raise self.refuse(value)

    def invalid(self) -> Iterator[Any]:
        """Yield what is no finite number as well."""
        yield from super().invalid()
        yield from (math.nan, math.inf, 10**400)


@dataclass(frozen=True, kw_only=True)
class SeedParam(IntParam):
    """The seed of a random choice: the same seed, the same mask, on every machine."""

    name: str = "seed"
    label: str = "Seed"
    help: str = "The same seed gives the same result on every machine."
    default: int = 0
    bounds: Interval = Interval(0, 2**63 - 1)


@dataclass(frozen=True, kw_only=True)
class DimParam(IntParam):
    """The dimension whose slices are channels; negative counts from the end."""

    name: str = "dim"
    label: str = "Dimension"
    help: str = "Dimension along which channels are pruned; 0 is the output channels."
    default: int = 0
    bounds: Interval = Interval(-64, 63)

    def resolve(self, dim: int, shape: tuple[int, ...], name: str) -> int:
        """Return `dim` as a number from 0, checked against the tensor `name` of `shape`.

        Raises
        ------
        ParameterError
            If the tensor has fewer than two dimensions, or not this one.
        """
        if len(shape) < 2:
            raise ParameterError(
                f"Pruning channels needs tensors of two or more dimensions, but '{name}' has "
                f"{len(shape)}.",
                remedy="Deselect it, or choose an unstructured method.",
            )
        if not -len(shape) <= dim < len(shape):
            raise ParameterError(
                f"'dim' must be from {-len(shape)} to {len(shape) - 1} for '{name}' (got {dim}).",
                remedy=f"The tensor has {len(shape)} dimensions: 0 is the first, -1 the last.",
            )
        return dim % len(shape)


@dataclass(frozen=True, kw_only=True)
class NormParam(Param):
    """The order of a norm: any real number, inf, -inf, 'fro' or 'nuc'."""

    name: str = "n"
    label: str = "Norm"
    help: str = (
        "Norm that ranks the channels: 1 is the sum of magnitudes, 2 the Euclidean "
        "norm, inf the maximum."
    )
    default: Norm = 2
    words: tuple[str, ...] = ("fro", "nuc")

    def read(self, text: str) -> Norm:
        """Read ``2``, ``0.5``, ``inf``, ``-inf``, ``fro`` or ``nuc``."""
        text = text.strip().replace("∞", "inf").replace("−", "-")
        if text in self.words:
            return text
        number = float(text)
        return int(number) if number.is_integer() else number

    def validate(self, value: Any) -> Norm:
        """Accept real numbers except NaN, and the two words."""
        if isinstance(value, str):
            if value in self.words:
                return value
        elif is_number(value, Real) and not math.isnan(value):
            return int(value) if isinstance(value, Integral) else float(value)
        raise self.refuse(value)

    def describe(self) -> str:
        """Say the rule."""
        return "a number, inf, -inf, 'fro' or 'nuc'"

    def valid(self) -> Iterator[Norm]:
        """Yield one of each kind."""
        yield from (0, 0.5, 1, 2, 3, -1, math.inf, -math.inf, "fro", "nuc")

    def invalid(self) -> Iterator[Any]:
        """Yield other words and NaN."""
        yield from (math.nan, "frobenius", None, True)


def is_number(value: Any, kind: type) -> bool:
    """Whether it is a number of a kind; True is an int in Python, but none a person would type."""
    return isinstance(value, kind) and not isinstance(value, bool)
