"""Declared parameters: numbers, amounts, sizes, choices and flags, with their rules as text."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

from pruneapp.errors import ParameterError, suggest_nearest


@dataclass(frozen=True, kw_only=True)
class Param(ABC):
    """One parameter; subclasses define its type."""

    name: str  # keyword argument, named as in torch if it exists there
    label: str  # two or three words for the form
    help: str  # one line, a full sentence
    default: Any  # value if none is given
    unit: str = ""  # unit of a number; may be empty

    def parse(self, text: str) -> Any:
        """Convert user input to a valid value.

        Raises
        ------
        ParameterError
            If the text cannot be read or the value is invalid; the message quotes the input.
        """
        try:
            return self.validate(self.read(text))
        except ValueError:  # includes `ParameterError`
            raise self.refuse(text) from None

    def read(self, text: str) -> Any:
        """Convert text to a value, without validation; raise `ValueError` if impossible."""
        return text.strip()

    @abstractmethod
    def validate(self, value: Any) -> Any:
        """Return `value` in its canonical type; raise `ParameterError` if it is invalid."""

    def format(self, value: Any) -> str:
        """Return text that `parse` converts to `value`."""
        return str(value)

    def label_of(self, value: Any) -> str:
        """Return the text of `value` for readers, as the form shows it in English."""
        return self.format(value)

    @abstractmethod
    def describe(self) -> str:
        """Return the rule, as the end of a sentence beginning with "must be"."""

    def refuse(self, got: object) -> ParameterError:
        """Return the error for an invalid value, quoted with normalized spaces."""
        if isinstance(got, str):
            got = " ".join(got.split())
        return ParameterError(f"'{self.name}' must be {self.describe()} (got {got!r}).")


def with_labels(sentence: str, params: Iterable[Param]) -> str:
    """Return the sentence of an error with parameter names replaced by their labels."""
    for param in params:
        start, label = rf"(^|: )'{re.escape(param.name)}' ", param.label.replace("\\", r"\\")
        sentence = re.sub(start, rf"\g<1>{label} ", sentence)
    return sentence


def validate_all(params: tuple[Param, ...], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a valid value for each of `params`, in their order: the given one or the default.

    A parameter that has no effect with the other values is omitted; it may only have its default.

    Raises
    ------
    ParameterError
        For an undeclared name, an invalid value, or one that has no effect and is not the default.
    """
    known = {p.name: p for p in params}
    for name in values:
        if name not in known:
            raise ParameterError(
                f"Unknown parameter '{name}'.", remedy=suggest_nearest(name, known, "parameters")
            )
    valid = {p.name: p.validate(values.get(p.name, p.default)) for p in params}
    for param in params:
        if is_needed(param.name, params, valid):
            continue
        if valid.pop(param.name) != param.default:
            raise ParameterError(
                f"'{param.name}' has no effect without {needed_with(param.name, params)}.",
                remedy="Remove it, or choose the value that it belongs to.",
            )
    return valid


def is_needed(name: str, params: Iterable[Param], values: Mapping[str, Any]) -> bool:
    """Return whether a parameter has an effect with the given values; see `Choice.needs`."""
    needing = _choices_needing(name, params)
    return not needing or any(values.get(p.name, p.default) in words for p, words in needing)


def needed_with(name: str, params: Iterable[Param]) -> str:
    """Return the choices that a parameter needs to have an effect, as text; usually ""."""
    return " or ".join(
        f"'{p.name}' {' or '.join(words)}" for p, words in _choices_needing(name, params)
    )


def _choices_needing(name: str, params: Iterable[Param]) -> list[tuple[Param, list[str]]]:
    choices = (p for p in params if isinstance(p, ChoiceParam))
    found = ((p, [c.value for c in p.choices if name in c.needs]) for p in choices)
    return [(p, words) for p, words in found if words]


Norm = int | float | str


@dataclass(frozen=True)
class Interval:
    """The numbers from `low` to `high`, inclusive; None is unbounded."""

    low: float | None = None
    high: float | None = None

    def __contains__(self, value: float) -> bool:
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def __str__(self) -> str:
        """Return the end of a sentence: ``from 0 to 1``, ``1 or more``, ``any number``."""
        if self.high == 2**63 - 1:
            return f"from {self.low or 0:g} to 2^63 - 1"
        low, high = (None if end is None else _bound_text(end) for end in (self.low, self.high))
        if low is not None and high is not None:
            return f"from {low} to {high}"
        if low is not None:
            return f"{low} or more"
        if high is not None:
            return f"{high} or less"
        return "any number"


def _bound_text(number: float) -> str:
    """Return a bound: a large integer with group separators instead of an exponent."""
    grouped = 1000 <= abs(number) < 1e15 and float(number).is_integer()
    return f"{number:,.0f}" if grouped else f"{number:g}"


@dataclass(frozen=True, kw_only=True)
class NumberParam(Param):
    """A number within bounds; subclasses define its type."""

    bounds: Interval = field(default_factory=Interval)

    def describe(self) -> str:
        """Say the rule."""
        return f"a number, {self.bounds}"


@dataclass(frozen=True, kw_only=True)
class IntParam(NumberParam):
    """An integer."""

    def read(self, text: str) -> int:
        """Read a whole number."""
        return int(text)

    def validate(self, value: Any) -> int:
        """Accept whole numbers within the bounds."""
        if is_number(value, Integral) and int(value) in self.bounds:
            return int(value)
        raise self.refuse(value)

    def label_of(self, value: int) -> str:
        """Write the number with group separators and its unit."""
        return f"{value:,} {self.unit}".rstrip()

    def describe(self) -> str:
        """Say the rule."""
        return f"an integer, {self.bounds}"


@dataclass(frozen=True, kw_only=True)
class FloatParam(NumberParam):
    """A finite number."""

    def read(self, text: str) -> float:
        """Read a number with a point."""
        return float(text.replace("−", "-"))

    def validate(self, value: Any) -> float:
        """Accept finite numbers within the bounds, also integers; return a float.

        Raises `ParameterError` for others and for booleans.
        """
        try:
            number = float(value) if is_number(value, Real) else math.nan
        except OverflowError:  # an integer of hundreds of digits
            number = math.inf
        if math.isfinite(number) and number in self.bounds:
            return number
        raise self.refuse(value)


@dataclass(frozen=True, kw_only=True)
class OptionalParam(NumberParam):
    """A number that may be left out: None, and empty text. For a base class of a second one."""

    default: Any = None
    nothing: str  # what None means, as text

    def read(self, text: str) -> Any:
        """Read a number, or None of empty text and of the word for None."""
        words = text.strip().casefold()
        return None if words in {"", self.nothing.casefold()} else super().read(text)

    def validate(self, value: Any) -> Any:
        """Accept None, and what the other base class accepts."""
        if value is None:
            return None
        return super().validate(value)  # type: ignore[safe-super]  # of the second base class

    def format(self, value: Any) -> str:
        """Return the number as text, empty for None."""
        return "" if value is None else super().format(value)

    def label_of(self, value: Any) -> str:
        """Return the number, or the word for None."""
        return self.nothing if value is None else super().label_of(value)

    def describe(self) -> str:
        """Say the rule."""
        return f"{super().describe()}, or {self.nothing}"


@dataclass(frozen=True, kw_only=True)
class OptionalFloatParam(OptionalParam, FloatParam):
    """A finite number or None."""


@dataclass(frozen=True, kw_only=True)
class SeedParam(IntParam):
    """The seed of a random choice: equal seeds give equal masks on all machines."""

    name: str = "seed"
    label: str = "Seed"
    help: str = "The same seed gives the same result on every machine."
    default: int = 0
    bounds: Interval = Interval(0, 2**63 - 1)

    def label_of(self, value: int) -> str:
        """Write the digits, which can be copied to the field."""
        return self.format(value)


@dataclass(frozen=True, kw_only=True)
class DimParam(IntParam):
    """The dimension whose slices are channels; negative values count from the end."""

    name: str = "dim"
    label: str = "Dimension"
    help: str = "Dimension along which channels are pruned; 0 is the output channels."
    default: int = 0
    bounds: Interval = Interval(-64, 63)

    def label_of(self, value: int) -> str:
        """Write the number; its meaning depends on the layer."""
        return f"{value}".replace("-", "−")

    def resolve(self, dim: int, shape: tuple[int, ...], name: str) -> int:
        """Return `dim` counted from 0, checked against the `shape` of the tensor `name`.

        Raises
        ------
        ParameterError
            If the tensor has fewer than two dimensions, or not this one.
        """
        if len(shape) < 2:
            raise ParameterError(
                f"Pruning channels needs tensors of two or more dimensions, but '{name}' has "
                f"{len(shape)}.",
                remedy="Uncheck it, or choose an unstructured method.",
            )
        if not -len(shape) <= dim < len(shape):
            raise ParameterError(
                f"'dim' must be from {-len(shape)} to {len(shape) - 1} for '{name}' (got {dim}).",
                remedy=f"The tensor has {len(shape)} dimensions: 0 is the first, -1 the last.",
            )
        return dim % len(shape)


# Meanings of usual norms, by their text.
NORM_LABELS: Mapping[str, str] = {
    "1": "L1, sum of magnitudes",
    "2": "L2, Euclidean",
    "inf": "maximum magnitude",
    "-inf": "minimum magnitude",
    "fro": "Frobenius, same as 2",
    "nuc": "nuclear, sum of singular values",
}


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
        """Read ``2``, ``0.5``, ``inf``, ``-inf``, ``fro`` or ``nuc``; a whole number is an int.

        Raises `ValueError` for other text.
        """
        text = text.strip().replace("∞", "inf").replace("−", "-")
        if text in self.words:
            return text
        number = float(text)
        return int(number) if number.is_integer() else number

    def validate(self, value: Any) -> Norm:
        """Accept real numbers except NaN, and the two words; whole numbers stay int or float.

        Raises `ParameterError` for others and for booleans.
        """
        if isinstance(value, str):
            if value in self.words:
                return value
        elif is_number(value, Real) and not math.isnan(value):
            return int(value) if isinstance(value, Integral) else float(value)
        raise self.refuse(value)

    def format(self, value: Norm) -> str:
        """Write a whole number as such: 1.0 is 1."""
        return super().format(value).removesuffix(".0")

    def label_of(self, value: Norm) -> str:
        """Return the norm with its meaning if it is a usual one: "2: L2, Euclidean"."""
        text = self.format(value)
        return f"{text}: {NORM_LABELS[text]}" if text in NORM_LABELS else text

    def describe(self) -> str:
        """Say the rule."""
        return "a number, inf, -inf, 'fro' or 'nuc'"


def is_number(value: Any, kind: type) -> bool:
    """Return whether a value is a number of a type; booleans are not numbers here."""
    return isinstance(value, kind) and not isinstance(value, bool)


# A number of weights (or channels), or a fraction of them.
Amount = int | float


@dataclass(frozen=True, kw_only=True)
class AmountParam(Param):
    """How much to prune: an int is a count, a float from 0 to 1 a fraction of the kept weights."""

    name: str = "amount"
    label: str = "Amount"
    help: str = "Fraction of remaining weights, or a number of them."
    default: Amount = 0.2

    def read(self, text: str) -> Amount | None:
        """Read ``0.5`` and ``50%`` as fractions, ``1000`` as a count.

        ``1`` is a count, ``1.0`` all. Spaces are ignored. Raises `ValueError` for other text.
        """
        text = text.strip().replace(" ", "").replace("\u00a0", "")
        if text.endswith("%"):
            return float(text[:-1]) / 100
        if any(c in text for c in ".eE") or "n" in text.lower():
            return float(text)
        return int(text)

    def validate(self, value: Any) -> Amount:
        """Accept an int of 0 or more or a float from 0 to 1; numpy's numbers become Python's.

        Raises `ParameterError` for others.
        """
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

    def label_of(self, value: Amount) -> str:
        """Write a fraction as "20 %", a count with group separators."""
        return self.format(value).replace("%", " %") if isinstance(value, float) else f"{value:,}"

    def describe(self) -> str:
        """Say the rule."""
        return "an integer of 0 or more (a count), or a fraction from 0.0 to 1.0"


# Amounts of most methods.
AMOUNT_OF_WEIGHTS = AmountParam(
    help="Fraction of remaining weights, or a number of weights.", unit="weights"
)
AMOUNT_OF_CHANNELS = AmountParam(
    help="Fraction of remaining channels, or a number.", unit="channels"
)


_DECIMAL = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY = {"k": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
# 18 digits exceed the size of any disk.
_BYTES = re.compile(
    r"(\d{1,18}(?:\.\d{1,18})?)\s*(?:([kmgt])(i)?)?b(?:ytes?)?", re.IGNORECASE | re.ASCII
)
_SPACES = str.maketrans("\u00a0\u202f\u2009", "   ")


def parse_bytes(text: str) -> int | None:
    """Parse ``40MB``, ``1.5 GB``, ``512KiB`` or ``100 bytes``; return None for other text.

    kB, MB, GB and TB are powers of 1000, KiB, MiB, GiB and TiB of 1024. Fractions of a byte are
    dropped.
    """
    match = _BYTES.fullmatch(text.translate(_SPACES).strip())
    if match is None:
        return None
    number, unit, binary = match.groups()
    letter = (unit or "").upper().replace("K", "k")
    return int(Fraction(number) * (_BINARY if binary else _DECIMAL)[letter])


_MOST_DECIMALS = 9  # of a percentage


def percent(share: float, digits: int = 1) -> str:
    """Return a fraction as percentage with `digits` decimals, for sentences: ``12.5 %``.

    Only exact 0 and 1 are shown as 0 and 100 %: others have as many more decimals as they need.
    """
    number = f"{100 * share:.{digits}f}"
    while share not in {0, 1} and float(number) in {0, 100} and digits < _MOST_DECIMALS:
        digits += 1
        number = f"{100 * share:.{digits}f}"
    return f"{number} %"


def format_bytes(nbytes: int) -> str:
    """Return the shortest text that `parse_bytes` converts to `nbytes`: 5 GB, 4 GiB, 1 byte.

    Numbers have at most two decimals and are never rounded, so sizes without such a form are in
    bytes.
    """
    texts = [f"{nbytes} {'byte' if nbytes == 1 else 'bytes'}"]
    for factors, end in ((_DECIMAL, "B"), (_BINARY, "iB")):
        for letter, factor in factors.items():
            # At most two decimals, and no rounding.
            whole, rest = divmod(nbytes * 100, factor)
            if letter and not rest and whole >= 100:
                number = f"{whole // 100}.{whole % 100:02}".rstrip("0").removesuffix(".")
                sign = letter.upper() if end == "iB" else letter
                texts.append(f"{number} {sign}{end}")
    return min(texts, key=len)


@dataclass(frozen=True, kw_only=True)
class SizeParam(Param):
    """A positive number of bytes, or None."""

    default: int | None = None
    nothing: str = "any"  # text for None
    usual: tuple[int, ...] = ()  # suggested sizes, ascending

    def read(self, text: str) -> int | None:
        """Read ``5 GB``, ``512KiB``, or the word for None, as is empty text.

        A number needs its unit. Raises `ParameterError` for other text.
        """
        if text.strip().casefold() in {"", self.nothing.casefold()}:
            return None
        nbytes = parse_bytes(text)
        if nbytes is None:
            raise self.refuse(text)
        return nbytes

    def validate(self, value: Any) -> int | None:
        """Accept whole numbers of one or more, and None."""
        if value is None:
            return None
        if is_number(value, Integral) and int(value) >= 1:
            return int(value)
        raise self.refuse(value)

    def format(self, value: int | None) -> str:
        """Write it with the unit that makes it short."""
        return self.nothing if value is None else format_bytes(value)

    def describe(self) -> str:
        """Say the rule."""
        return f"a size with its unit, such as 5 GB, 500 MB or 4 GiB, or '{self.nothing}'"


@dataclass(frozen=True, kw_only=True)
class FlagParam(Param):
    """A boolean."""

    default: bool = False

    def read(self, text: str) -> bool:
        """Read yes and no, true and false, 1 and 0, on and off, in any case.

        Raises `ParameterError` for other text.
        """
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

    def label_of(self, value: Any) -> str:
        """Return "yes" or "no"."""
        return "yes" if value else "no"

    def describe(self) -> str:
        """Say the rule."""
        return "yes or no"


# Prefix of the SHA-256 that names a file.
SHA256 = "sha256:"
# In a recipe, instead of a file: the file of the checkpoint that it is applied to.
AT_HAND = "checkpoint"


@dataclass(frozen=True, kw_only=True)
class FileParam(Param):
    """A file that is used in addition to the checkpoint, named by its SHA-256; empty for none.

    Thus a value means the same on every machine. The code that lets the user choose a file opens it
    and gets the name.
    """

    default: str = ""

    def validate(self, value: Any) -> str:
        """Accept the SHA-256 of a file, and nothing."""
        if value == "" or (isinstance(value, str) and _SHA256.fullmatch(value)):
            return str(value)
        raise self.refuse(value)

    def label_of(self, value: str) -> str:
        """Return the first twelve digits of the SHA-256; "none" for no file."""
        if not value.startswith(SHA256):
            return value or "none"
        return f"SHA-256 {value.removeprefix(SHA256)[:12]}"

    def describe(self) -> str:
        """Say the rule."""
        return f"'{SHA256}' and the SHA-256 of a file in 64 hexadecimal digits"


_SHA256 = re.compile(rf"{SHA256}[0-9a-f]{{64}}")

STATISTICS = FileParam(
    name="statistics",
    label="Statistics",
    help="Statistics of activations, collected with this model.",
)


@dataclass(frozen=True)
class Choice:
    """One of several values, with its label."""

    value: str
    label: str
    help: str = ""
    needs: tuple[str, ...] = ()  # names of parameters that only have an effect with this value


@dataclass(frozen=True, kw_only=True)
class ChoiceParam(Param):
    """One of several values."""

    choices: tuple[Choice, ...]

    def validate(self, value: Any) -> str:
        """Accept the words of `choices` only."""
        if isinstance(value, str) and any(value == c.value for c in self.choices):
            return value
        raise self.refuse(value)

    def label_of(self, value: str) -> str:
        """Return the label of the choice."""
        return next(choice.label for choice in self.choices if choice.value == value)

    def describe(self) -> str:
        """Say the rule."""
        return "one of " + ", ".join(c.value for c in self.choices)


@dataclass(frozen=True, kw_only=True)
class SubsetParam(Param):
    """Any subset of several values."""

    default: tuple[str, ...] = ()
    choices: tuple[Choice, ...]

    def read(self, text: str) -> list[str]:
        """Read words with commas between them."""
        return [word.strip() for word in text.split(",") if word.strip()]

    def validate(self, value: Any) -> tuple[str, ...]:
        """Accept values of `choices`; return them in that order without duplicates."""
        known = [choice.value for choice in self.choices]
        if isinstance(value, (tuple, list)) and all(word in known for word in value):
            return tuple(word for word in known if word in value)
        raise self.refuse(value)

    def format(self, value: tuple[str, ...]) -> str:
        """Write the words with commas between them."""
        return ",".join(value)

    def label_of(self, value: tuple[str, ...]) -> str:
        """Return the labels of the choices, with commas between them."""
        return ", ".join(choice.label for choice in self.choices if choice.value in value)

    def describe(self) -> str:
        """Say the rule."""
        return "any of " + ", ".join(c.value for c in self.choices) + ", with commas between them"
