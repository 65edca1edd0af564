"""What a method, an export or a setting asks for: one declaration for all who use it.

From a `Param` come the validation and its messages, the editor in the window, the option of the
command line, the schema of the recipe, the reference page, and the values that the tests try.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

from pruneapp.errors import ParameterError

# A count of weights (or channels), or a fraction of them.
Amount = int | float
Norm = int | float | str


@dataclass(frozen=True)
class Interval:
    """The numbers from `low` to `high`, both included; None is open."""

    low: float | None = None
    high: float | None = None

    def __contains__(self, value: float) -> bool:
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def __str__(self) -> str:
        if self.low is not None and self.high is not None:
            return f"from {self.low:g} to {self.high:g}"
        if self.low is not None:
            return f"{self.low:g} or more"
        if self.high is not None:
            return f"{self.high:g} or less"
        return "any number"


@dataclass(frozen=True, kw_only=True)
class Param:
    """One parameter. Subclasses say of which type.

    Attributes
    ----------
    name
        The keyword, as torch spells it where torch has it.
    label
        Two or three words for the form.
    help
        One line, a full sentence.
    default
        The value if nothing is said.
    unit
        What a number counts; empty if nothing.
    """

    name: str
    label: str
    help: str
    default: Any
    unit: str = ""

    def parse(self, text: str) -> Any:
        """Turn what a person typed into a valid value; raises `ParameterError`."""
        raise NotImplementedError

    def validate(self, value: Any) -> Any:
        """Return `value` in its canonical type; raises `ParameterError`."""
        raise NotImplementedError

    def format(self, value: Any) -> str:
        """Return the text that `parse` turns into `value`."""
        return str(value)

    def describe(self) -> str:
        """Say the rule, as the end of a sentence that begins with "must be"."""
        raise NotImplementedError

    def valid(self) -> Iterator[Any]:
        """Yield some values that are accepted, the borders among them."""
        raise NotImplementedError

    def invalid(self) -> Iterator[Any]:
        """Yield some values that are refused."""
        raise NotImplementedError

    def refuse(self, got: object) -> ParameterError:
        """Return the error for a value that breaks the rule."""
        return ParameterError(f"'{self.name}' must be {self.describe()} (got {got!r}).")


@dataclass(frozen=True, kw_only=True)
class AmountParam(Param):
    """How much to prune: an int is a count, a float from 0 to 1 a fraction of what is left."""

    name: str = "amount"
    label: str = "Amount"
    help: str = "How much of what is not pruned yet: a share, or a count."
    default: Amount = 0.2

    def parse(self, text: str) -> Amount:
        """Read ``0.5`` and ``50%`` as fractions, ``1000`` as a count; ``1`` is a count."""
        text = text.strip().replace(" ", "").replace("\u00a0", "")
        try:
            if text.endswith("%"):
                return self.validate(float(text[:-1]) / 100)
            if any(c in text for c in ".eE") or "n" in text.lower():
                return self.validate(float(text))
            return self.validate(int(text))
        except ValueError as error:
            if isinstance(error, ParameterError):
                raise
            raise self.refuse(text) from None

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

    def parse(self, text: str) -> int:
        """Read a whole number."""
        try:
            value = int(text.strip())
        except ValueError:
            raise self.refuse(text) from None
        return self.validate(value)

    def validate(self, value: Any) -> int:
        """Accept whole numbers within the bounds."""
        if _is_number(value, Integral) and int(value) in self.bounds:
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

    def parse(self, text: str) -> float:
        """Read a number with a point."""
        try:
            value = float(text.strip().replace("−", "-"))
        except ValueError:
            raise self.refuse(text) from None
        return self.validate(value)

    def validate(self, value: Any) -> float:
        """Accept finite numbers within the bounds."""
        if _is_number(value, Real) and math.isfinite(value) and float(value) in self.bounds:
            return float(value)
        raise self.refuse(value)

    def invalid(self) -> Iterator[Any]:
        """Yield what is no finite number as well."""
        yield from super().invalid()
        yield from (math.nan, math.inf)


@dataclass(frozen=True, kw_only=True)
class SeedParam(IntParam):
    """The seed of a random choice: the same seed, the same mask, on every machine."""

    name: str = "seed"
    label: str = "Seed"
    help: str = "The same seed makes the same choice again, on every machine."
    default: int = 0
    bounds: Interval = Interval(0, 2**63 - 1)


@dataclass(frozen=True, kw_only=True)
class DimParam(IntParam):
    """The dimension whose slices are channels; negative counts from the end."""

    name: str = "dim"
    label: str = "Dimension"
    help: str = "The dimension whose slices are removed as a whole; 0 are the output channels."
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
                f"Channels need a tensor of two or more dimensions ('{name}' has {len(shape)}).",
                remedy="Leave it out, or choose a method for single weights.",
            )
        if not -len(shape) <= dim < len(shape):
            raise ParameterError(
                f"'dim' must be from {-len(shape)} to {len(shape) - 1} for '{name}' (got {dim}).",
            )
        return dim % len(shape)


@dataclass(frozen=True, kw_only=True)
class NormParam(Param):
    """The order of a norm: any real number, inf, -inf, 'fro' or 'nuc'."""

    name: str = "n"
    label: str = "Norm"
    help: str = "Which norm ranks the channels: 1 sums magnitudes, 2 is Euclidean, inf the largest."
    default: Norm = 2
    words: tuple[str, ...] = ("fro", "nuc")

    def parse(self, text: str) -> Norm:
        """Read ``2``, ``0.5``, ``inf``, ``-inf``, ``fro`` or ``nuc``."""
        text = text.strip().replace("∞", "inf").replace("−", "-")
        if text in self.words:
            return text
        try:
            number = float(text)
        except ValueError:
            raise self.refuse(text) from None
        return self.validate(int(number) if number.is_integer() else number)

    def validate(self, value: Any) -> Norm:
        """Accept real numbers except NaN, and the two words."""
        if isinstance(value, str):
            if value in self.words:
                return value
        elif _is_number(value, Real) and not math.isnan(value):
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


@dataclass(frozen=True, kw_only=True)
class FlagParam(Param):
    """Yes or no."""

    default: bool = False

    def parse(self, text: str) -> bool:
        """Read yes and no, true and false, 1 and 0."""
        word = text.strip().lower()
        if word in {"yes", "true", "1", "on"}:
            return True
        if word in {"no", "false", "0", "off"}:
            return False
        raise self.refuse(text)

    def validate(self, value: Any) -> bool:
        """Accept booleans only."""
        if isinstance(value, bool):
            return value
        raise self.refuse(value)

    def describe(self) -> str:
        """Say the rule."""
        return "yes or no"

    def valid(self) -> Iterator[bool]:
        """Yield both."""
        yield from (True, False)

    def invalid(self) -> Iterator[Any]:
        """Yield other types."""
        yield from (2, "maybe", None)


@dataclass(frozen=True)
class Choice:
    """One of a few values, and the words for it."""

    value: str
    label: str
    help: str = ""


@dataclass(frozen=True, kw_only=True)
class ChoiceParam(Param):
    """One of a few words."""

    choices: tuple[Choice, ...]

    def parse(self, text: str) -> str:
        """Read one of the words."""
        return self.validate(text.strip())

    def validate(self, value: Any) -> str:
        """Accept the words of `choices` only."""
        if isinstance(value, str) and any(value == c.value for c in self.choices):
            return value
        raise self.refuse(value)

    def describe(self) -> str:
        """Say the rule."""
        return "one of " + ", ".join(c.value for c in self.choices)

    def valid(self) -> Iterator[str]:
        """Yield every word."""
        yield from (c.value for c in self.choices)

    def invalid(self) -> Iterator[Any]:
        """Yield no word of ours."""
        yield from ("", "no such choice", None, 1)


def _is_number(value: Any, kind: type) -> bool:
    # bool is an int in Python, but True is no number that a person would type.
    return isinstance(value, kind) and not isinstance(value, bool)


def validate_all(params: tuple[Param, ...], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a valid value for each of `params`: the given one, else the default.

    Raises
    ------
    ParameterError
        For the first value that breaks its rule, and for a name that is not declared.
    """
    known = {p.name: p for p in params}
    for name in values:
        if name not in known:
            names = ", ".join(known) or "none"
            raise ParameterError(f"'{name}' is not a parameter here (there are: {names}).")
    return {p.name: p.validate(values.get(p.name, p.default)) for p in params}
