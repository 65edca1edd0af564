"""Limits of a step: minimum, maximum and total sparsity, and excluded tensors."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from pruneapp.errors import ParameterError
from pruneapp.kernels.kernel import Kernel
from pruneapp.methods.method import Method, Scope, Values
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
from pruneapp.progress import Job


@dataclass(frozen=True, kw_only=True)
class ShareParam(FloatParam):
    """A parameter for a fraction, from 0 to 1."""

    bounds: Interval = field(default_factory=lambda: Interval(0.0, 1.0))

    def read(self, text: str) -> float:
        """Parse ``0.9`` or ``90%``."""
        text = text.strip().replace(" ", "").replace("\u00a0", "")
        return float(text[:-1]) / 100 if text.endswith("%") else super().read(text)

    def format(self, value: float) -> str:
        """Format as percent, without rounding."""
        return f"{value * 100:.10g} %"

    def describe(self) -> str:
        """Return the rule for valid values."""
        return "a share from 0.0 to 1.0, or from 0% to 100%"


@dataclass(frozen=True, kw_only=True)
class TotalParam(AmountParam):
    """A parameter for a fraction or a count, or None if it is empty."""

    default: Amount | None = None  # type: ignore[assignment]  # wider by None

    def read(self, text: str) -> Amount | None:
        """Parse as `AmountParam` does; an empty text is None."""
        return super().read(text) if text.strip() else None

    def validate(self, value: Any) -> Amount | None:  # type: ignore[override]  # wider by None
        """Return a valid value as `AmountParam` does, or None."""
        return None if value is None else super().validate(value)

    def format(self, value: Amount | None) -> str:
        """Format a fraction as percent, a count as an integer, None as an empty text."""
        return "" if value is None else super().format(value)


LIMITS: tuple[Param, ...] = (
    ShareParam(
        name="min_sparsity",
        label="Min sparsity per tensor",
        help="Minimum sparsity of each tensor after the step.",
        default=0.0,
    ),
    ShareParam(
        name="max_sparsity",
        label="Max sparsity per tensor",
        help="Maximum sparsity of each tensor after the step.",
        default=1.0,
    ),
    TotalParam(
        name="target_sparsity",
        label="Target total sparsity",
        help=(
            "Sparsity of all selected tensors together after the step, instead of an "
            "amount: a fraction of their weights, or a number of weights. The sparsity of the "
            "whole model is lower if it has other weights."
        ),
        unit="weights",
    ),
    SubsetParam(
        name="exclude",
        label="Exclude",
        help=(
            "Tensors that the step does not change: embeddings, and the first and the last layer."
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
    """Limits for each tensor of a step, and for all of them together.

    They apply to the total sparsity, including what was pruned before. A tensor above the maximum
    before the step is unchanged. If no whole number of weights is between minimum and maximum, the
    maximum has precedence.

    Attributes
    ----------
    min_sparsity, max_sparsity
        Minimum and maximum sparsity of each tensor. Whole channels stay below the maximum.
    target_sparsity
        Number of pruned elements in all tensors of the step after it: a float is a fraction
        (rounded to the nearest count, ties to even), an int a count. If given, the amount is
        ignored. With the global scope, one threshold reaches it; with the local scope, each tensor
        has the same sparsity. Whole channels are pruned as long as they fit.
    exclude
        Excluded tensors: any of ``embeddings``, ``first`` and ``last``, see
        `pruneapp.document.selection`.

    Raises
    ------
    ParameterError
        If a value is not valid, or the minimum is above the maximum.
    """

    min_sparsity: float = 0.0
    max_sparsity: float = 1.0
    target_sparsity: Amount | None = None
    exclude: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        for name, value in validate_all(LIMITS, given).items():
            object.__setattr__(self, name, value)
        if self.min_sparsity > self.max_sparsity:
            raise ParameterError(
                f"The minimum sparsity of {percent(self.min_sparsity)} is above the maximum of "
                f"{percent(self.max_sparsity)}.",
                remedy="Lower the minimum or raise the maximum sparsity.",
            )

    @property
    def bound(self) -> bool:
        """Whether they limit how much is pruned."""
        return self.min_sparsity > 0 or self.max_sparsity < 1 or self.target_sparsity is not None

    def words(self) -> tuple[str, ...]:
        """Return a short text for each limit that has an effect; empty if none has.

        Total, minimum and maximum come first, then the excluded tensors.
        """
        words = []
        if self.target_sparsity is not None:
            fraction = self.target_sparsity if isinstance(self.target_sparsity, float) else None
            words.append(
                f"total {self.target_sparsity:,}"
                if fraction is None
                else f"total {percent(fraction)}"
            )
        if self.min_sparsity > 0:
            words.append(f"min {percent(self.min_sparsity)} per tensor")
        if self.max_sparsity < 1:
            words.append(f"max {percent(self.max_sparsity)} per tensor")
        if self.exclude:
            words.append(f"excluding {' and '.join(_SPARED[word] for word in self.exclude)}")
        return tuple(words)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON by parameter name, without values that are defaults; may be empty."""
        plain: dict[str, Any] = {}
        for param in LIMITS:
            value = getattr(self, param.name)
            if value != param.default:
                plain[param.name] = list(value) if isinstance(value, tuple) else value
        return plain


@dataclass(frozen=True, eq=False)
class Pruning:
    """How a method is applied to tensors: the settings, and what computes the result."""

    values: Values  # valid values of all parameters of the method
    scope: Scope
    limits: Limits
    kernel: Kernel
    job: Job  # extended by the work and advanced; can cancel


def check_limits(method: Method, limits: Limits) -> None:
    """Raise `ParameterError` if a method does not support the limits.

    Methods for units of groups, N:M groups and masks support none, except that methods that prune
    nothing accept any. Exclusions alone are always supported.
    """
    # A method that prunes nothing meets any limits.
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
    """Format a fraction with at most one decimal; shows 0 or 100 % only if it is exact."""
    if 0 < share < 0.0005:
        return "<0.1 %"
    if 0.9995 <= share < 1:
        return ">99.9 %"
    return f"{round(share * 100, 1):g} %"
