"""What a step may not do: floors, ceilings, a total, and tensors that it leaves alone."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from pruneapp.errors import ParameterError
from pruneapp.methods.method import Method
from pruneapp.params import (
    Amount,
    AmountParam,
    Choice,
    FloatParam,
    Interval,
    Param,
    SubsetParam,
    validate_all,
)


@dataclass(frozen=True, kw_only=True)
class ShareParam(FloatParam):
    """A share, from 0 to 1."""

    bounds: Interval = field(default_factory=lambda: Interval(0.0, 1.0))

    def read(self, text: str) -> float:
        """Read ``0.9`` and ``90%``."""
        text = text.strip().replace(" ", "").replace("\u00a0", "")
        return float(text[:-1]) / 100 if text.endswith("%") else super().read(text)

    def format(self, value: float) -> str:
        """Write it as percent, exactly."""
        return f"{value * 100:.10g} %"

    def describe(self) -> str:
        """Say the rule."""
        return "a share from 0.0 to 1.0, or from 0% to 100%"


@dataclass(frozen=True, kw_only=True)
class TotalParam(AmountParam):
    """A share or a count, or nothing: wider than an amount, which has to be said."""

    default: Amount | None = None  # type: ignore[assignment]  # wider by None

    def read(self, text: str) -> Amount | None:
        """Read what `AmountParam` reads; nothing is None."""
        return super().read(text) if text.strip() else None

    def validate(self, value: Any) -> Amount | None:  # type: ignore[override]  # wider by None
        """Accept what `AmountParam` accepts, and None."""
        return None if value is None else super().validate(value)

    def format(self, value: Amount | None) -> str:
        """Write a share as percent, a count as a whole number, None as nothing."""
        return "" if value is None else super().format(value)


LIMITS: tuple[Param, ...] = (
    ShareParam(
        name="floor",
        label="Min sparsity per tensor",
        help="Minimum sparsity of each tensor after the step.",
        default=0.0,
    ),
    ShareParam(
        name="ceiling",
        label="Max sparsity per tensor",
        help="Maximum sparsity of each tensor after the step.",
        default=1.0,
    ),
    TotalParam(
        name="total",
        label="Target total sparsity",
        help=(
            "Sparsity of all selected tensors together after the step, instead of an "
            "amount: a fraction of their weights, or a number of weights."
        ),
        unit="weights",
    ),
    SubsetParam(
        name="spare",
        label="Exclude",
        help=(
            "Tensors that the step leaves as they are: embeddings, and the first and the "
            "last layer."
        ),
        choices=(
            Choice("embeddings", "Embeddings", "Token and position embeddings."),
            Choice(
                "first",
                "First layer",
                "The first block of the model in order of execution, by its names.",
            ),
            Choice(
                "last",
                "Last layer",
                "The last block of the model in order of execution, by its names.",
            ),
        ),
    ),
)


@dataclass(frozen=True)
class Limits:
    """Bounds for each tensor that a step touches, and for all of them.

    Whatever is pruned already counts. A tensor that is above the ceiling before the step stays as
    it is. Where no whole number of weights lies between floor and ceiling, the ceiling holds.

    Attributes
    ----------
    floor, ceiling
        Shares of the elements of each tensor. Whole channels stay under the ceiling.
    total
        How many elements of all tensors that the step touches are pruned after it: a float is a
        share (rounded to the nearest count, halves to the even one), an int a count. None leaves it
        to the amount, of which nothing is asked otherwise. Globally one threshold reaches it;
        locally each tensor gets the same share. Whole channels go as long as they fit.
    spare
        Any of ``embeddings``, ``first`` and ``last``: what the step leaves alone, see
        `pruneapp.document.selection`.

    Raises
    ------
    ParameterError
        If a value breaks its rule, or the floor is above the ceiling.
    """

    floor: float = 0.0
    ceiling: float = 1.0
    total: Amount | None = None
    spare: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        for name, value in validate_all(LIMITS, given).items():
            object.__setattr__(self, name, value)
        if self.floor > self.ceiling:
            raise ParameterError(
                f"The minimum sparsity of {percent(self.floor)} is above the maximum of "
                f"{percent(self.ceiling)}.",
                remedy="Lower the minimum or raise the maximum sparsity.",
            )

    @property
    def bound(self) -> bool:
        """Whether they say how much goes."""
        return self.floor > 0 or self.ceiling < 1 or self.total is not None

    def words(self) -> tuple[str, ...]:
        """Say each in a few words; those that bind nothing are left out."""
        words = []
        if self.total is not None:
            many = self.total if isinstance(self.total, float) else None
            words.append(
                f"total {self.total:,}" if many is None else f"total sparsity {percent(many)}"
            )
        if self.floor > 0:
            words.append(f"min {percent(self.floor)} per tensor")
        if self.ceiling < 1:
            words.append(f"max {percent(self.ceiling)} per tensor")
        if self.spare:
            words.append(f"excluding {' and '.join(_SPARED[word] for word in self.spare)}")
        return tuple(words)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON, without what is as usual."""
        plain: dict[str, Any] = {}
        for param in LIMITS:
            value = getattr(self, param.name)
            if value != param.default:
                plain[param.name] = list(value) if isinstance(value, tuple) else value
        return plain


def check_limits(method: Method, limits: Limits) -> None:
    """Raise `ParameterError` if a method cannot keep to limits."""
    # What prunes nothing leaves its tensors to no limit.
    if limits.bound and method.granularity == "units":
        raise ParameterError(
            f"'{method.name}' prunes units in several tensors at once, so limits do not apply "
            f"({', '.join(limits.words())}).",
            remedy="Remove them, or choose a method for weights or channels of one tensor.",
        )
    if limits.bound and method.prunes and method.granularity in {"mask", "groups"}:
        raise ParameterError(
            f"'{method.name}' sets the sparsity itself, so limits do not apply "
            f"({', '.join(limits.words())}).",
            remedy="Remove them, or choose a method that takes an amount.",
        )


_SPARED = {"embeddings": "embeddings", "first": "the first layer", "last": "the last layer"}


def percent(share: float) -> str:
    """Write a share for people: one decimal at most, and never 0 or 100 % that it is not."""
    if 0 < share < 0.0005:
        return "<0.1 %"
    if 0.9995 <= share < 1:
        return ">99.9 %"
    return f"{round(share * 100, 1):g} %"
