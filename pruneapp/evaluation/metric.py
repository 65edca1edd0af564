"""Metrics of an evaluation, their direction, and their noise."""

from __future__ import annotations

import array
import base64
import math
import re
import sys
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from statistics import NormalDist
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from pruneapp.document.edit import EditKind, Record
from pruneapp.document.history import Branches
from pruneapp.errors import ParameterError
from pruneapp.evaluation.process import EvaluationError
from pruneapp.methods import registry

# Words in the names of metrics, without trailing digits; the last known word decides.
_HIGHER = """
acc accuracy f1 f auc auroc roc iou miou map ap bleu rouge r2 exact em match precision recall top
top1 top5 psnr ssim ndcg mrr spearman pearson correlation cosine similarity mcc kappa dice jaccard
meteor bertscore correct hits agreement specificity sensitivity likelihood
"""
_LOWER = """
loss ppl perplexity error errors err mse rmse mae mape wer cer ter kl nll divergence entropy
crossentropy distance fid brier ece bpb bits
"""
# Words of values that are not metrics of quality.
_IGNORED = "runtime seconds second time epoch step steps stderr std samples"
HIGHER, LOWER, IGNORED = (frozenset(words.split()) for words in (_HIGHER, _LOWER, _IGNORED))

_WORD = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")
_QUANTILE = NormalDist().inv_cdf(0.975)
# Values per sample are stored with a result up to this many characters when compressed: 1,500
# numbers, or 50,000 of 0 and 1.
_MOST_STORED = 1 << 14


@dataclass(frozen=True)
class MetricChange:
    """A metric of a state, compared with that of the unpruned model."""

    name: str
    value: float
    original: float
    half: float  # half the width of the noise interval of a difference; 0 if unknown
    noise: str  # description of the noise
    higher: bool | None = None  # whether a higher value is better; None if unknown
    judged: bool = True  # whether it measures quality; False for times and counts
    share: bool = False  # whether it is a share of samples, shown in percent
    # Whether the state was calibrated with the evaluation data, so that the value is too good.
    calibrated: bool = False
    samples: str = ""  # compressed values per sample, see `Metric.stored`

    @property
    def difference(self) -> float:
        """The value minus that of the unpruned model."""
        return self.value - self.original

    @property
    def is_none(self) -> bool:
        """Whether the difference is within the noise; False if the noise is unknown."""
        return self.half > 0 and abs(self.difference) <= self.half

    @property
    def worse(self) -> float:
        """By how much it is worse; negative if it is better."""
        return self.difference if self.higher is False else -self.difference


class Noise(NamedTuple):
    """The noise of the difference of two states."""

    half: float  # half the width of its interval; 0 if unknown
    at_most: bool  # whether `half` is an upper bound, so that smaller differences may be real


def noise_between(a: MetricChange, b: MetricChange) -> Noise:
    """Return the noise of the difference of a metric of two states from one evaluation.

    The 95 % interval of the mean of the paired differences if both have stored samples. Otherwise
    the root sum of squares of their noises against the unpruned model, which is exact for
    independent errors and an upper bound here, as all states are measured on the same samples.
    """
    half = _stored_half_interval(a.samples, b.samples)
    if half is not None:
        return Noise(half, at_most=False)
    return Noise(math.hypot(a.half, b.half), at_most=a.half > 0 and b.half > 0)


@lru_cache(maxsize=256)
def _stored_half_interval(stored: str, others: str) -> float | None:
    """Return half of the 95 % interval of a mean difference; None if samples are not stored."""
    if not (stored and others):
        return None
    sides = [_numbers(zlib.decompress(base64.b64decode(text))) for text in (stored, others)]
    if len(sides[0]) != len(sides[1]) or len(sides[0]) < 2:
        return None
    return _paired_half_interval(*sides)


def _numbers(data: bytes) -> array.array[float]:
    """Return the numbers of 64 bits, in little-endian order, of which `data` consists."""
    numbers = array.array("d", data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


@dataclass(frozen=True)
class EvaluatedCut:
    """A cut of a state that was measured instead of the state."""

    state: str  # SHA-256 of the state
    changes: tuple[str, ...]  # each removal as text: ``FFN neurons 1,536 → 768``
    nbytes: int  # bytes of the weights after the cut


@dataclass(frozen=True)
class StateQuality:
    """The measurements of one state, or of a cut of it."""

    metrics: tuple[MetricChange, ...]  # in the order returned by the script
    sparsity: float  # share of the model's parameters that are pruned
    unpruned: bool = False  # whether it is the unpruned model that others are compared with
    # Number of parameters not pruned, and bytes of all tensors in a compact file before
    # compression; None if unknown.
    remaining: int | None = None
    nbytes: int | None = None
    # Multiply-adds per input of the weights that are not pruned; None if not counted yet.
    multiply_adds: int | None = None
    cut: EvaluatedCut | None = None  # None for a state

    def metric(self, name: str = "") -> MetricChange | None:
        """Return the metric called `name`, or without a name the first that measures quality.

        If none measures quality with a known direction, the first of all; None if there is no
        metric, or none called `name`.
        """
        judged = [m for m in self.metrics if m.judged and m.higher is not None]
        if name:
            return next((m for m in self.metrics if m.name == name), None)
        return next(iter((*judged, *self.metrics)), None)


class StepKind(Enum):
    """What a step of the history changes; each kind has its own marker in charts."""

    WEIGHTS = "weights"
    CHANNELS = "channels"
    PATTERN = "pattern"
    REPAIR = "repair"
    RECOVERY = "recovery"
    OTHER = "other"


# Corners of the marker of each kind, one of them at the top; of a negative number a side is at the
# top, and 0 is a circle.
SIDES: Mapping[StepKind, int] = {
    StepKind.WEIGHTS: 0,
    StepKind.CHANNELS: -4,
    StepKind.PATTERN: 4,
    StepKind.REPAIR: 3,
    StepKind.RECOVERY: -3,
    StepKind.OTHER: 6,
}
_KINDS = {EditKind.REPAIR: StepKind.REPAIR, EditKind.RECOVERY: StepKind.RECOVERY}
_PRUNED_UNITS = {
    "weights": StepKind.WEIGHTS,
    "mask": StepKind.WEIGHTS,
    "channels": StepKind.CHANNELS,
    "units": StepKind.CHANNELS,
    "groups": StepKind.PATTERN,
    "blocks": StepKind.PATTERN,
}


def step_kind(record: Record) -> StepKind:
    """Return the kind of an edit; that of the first rule if a step has several."""
    if record.step is None:
        return _KINDS.get(record.kind, StepKind.OTHER)
    return _PRUNED_UNITS[registry.get(record.step.rows[0].method).granularity]


@dataclass(frozen=True)
class MeasuredState:
    """A measured state of the history."""

    number: int  # in the history
    label: str
    quality: StateQuality
    # Whether it was measured under other conditions or in an earlier run.
    is_old: bool
    kind: str = ""  # display name of the method that created it; empty for the unpruned model
    joined: int = -1  # the nearest measured ancestor; -1 if there is none
    step: StepKind = StepKind.OTHER  # what the step that created it changes
    note: str = ""  # of the user
    cuts: tuple[StateQuality, ...] = ()  # the measured cuts of it


def measured_ancestors(branches: Branches, n_states: int, known: Collection[int]) -> list[int]:
    """Return, for each of `n_states` states, its nearest measured ancestor; -1 if there is none.

    `known` are the numbers of measured states.
    """
    found = [-1]
    for state in range(1, n_states):
        before = branches.parent(state)
        found.append(before if before in known else found[before])
    return found


@dataclass(frozen=True)
class Metric:
    """One number that an evaluation returned, with its samples or counts if known."""

    value: float
    counts: tuple[int, int] | None = None  # number of correct samples, and of all samples
    samples: tuple[float, ...] = ()  # value of each sample
    stored: str = ""  # the samples, compressed, in Base64; empty for too many

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Metric:
        """Create it from a message of the worker."""
        counts = answer.get("counts")
        data = base64.b64decode(answer.get("samples", ""))
        stored = base64.b64encode(zlib.compress(data)).decode() if data else ""
        return cls(
            answer["value"],
            None if counts is None else tuple(counts),
            tuple(_numbers(data)),
            stored if len(stored) <= _MOST_STORED else "",
        )

    @property
    def share(self) -> bool:
        """Whether it is a share of samples, each of which is right or wrong."""
        right_or_wrong = bool(self.samples) and {0.0, 1.0}.issuperset(self.samples)
        return self.counts is not None or right_or_wrong

    def without_samples(self) -> Metric:
        """Return a copy with at most the stored samples; for a share the counts are kept."""
        if not self.samples:
            return self
        right = round(math.fsum(self.samples)) if self.share else 0
        counts = (right, len(self.samples)) if self.share else None
        return replace(self, counts=self.counts or counts, samples=())


Metrics = Mapping[str, Metric]
# Whether higher values are better: for all metrics, or by name; None if not declared.
Directions = Mapping[str, bool] | bool | None


class NoNumberError(EvaluationError):
    """A metric is NaN or infinite."""

    metrics: Metrics = MappingProxyType({})  # all metrics returned


def refuse_no_numbers(metrics: Metrics, script: str, *, unpruned: bool = False) -> None:
    """Raise `NoNumberError` with all `metrics` if one is NaN or infinite.

    `script` is its name in the message; `unpruned`: whether the unpruned model was measured, so
    that pruning cannot be the cause.
    """
    of, remedy = "", "The pruned model may be broken, or the evaluation divides by zero."
    if unpruned:  # pruning cannot be the cause
        of = " for the unpruned model"
        remedy = "Correct the evaluation: it may divide by zero, or have no samples."
    for name, metric in metrics.items():
        if not math.isfinite(metric.value):
            error = NoNumberError(
                f"'{name}' of '{script}' is {metric.value}{of}, which is not a finite number.",
                remedy=remedy,
            )
            error.metrics = metrics
            raise error


def higher_is_better(name: str, declared: Directions) -> bool | None:
    """Return whether a larger value of a metric is better; None if unknown.

    A declaration decides, for all metrics or by name (or the part after the last period). Otherwise
    the last known word of the name decides; None for words of times and counts.
    """
    if isinstance(declared, bool):
        return declared
    if declared and (key := _declared_key(name, declared)) is not None:
        return declared[key]
    for word in reversed(_words(name)):
        if word in IGNORED:
            return None
        if word in HIGHER:
            return True
        if word in LOWER:
            return False
    return None


def is_compared(name: str, declared: Directions) -> bool:
    """Return whether a metric is compared with that of another model at all."""
    if isinstance(declared, Mapping) and _declared_key(name, declared) is not None:
        return True
    return not any(word in IGNORED for word in _words(name))


def _declared_key(name: str, declared: Mapping[str, bool]) -> str | None:
    """Return the declared key of a metric: its name or the last part of it.

    None if there is none.
    """
    return next((key for key in (name, name.rpartition(".")[2]) if key in declared), None)


class MetricDirections(Protocol):
    """The declarations of an evaluation about its metrics."""

    @property
    def directions(self) -> Directions:
        """Whether higher values are better."""

    def direction_remedy(self, metric: str) -> str:
        """Return how the user declares whether higher values of a metric are better."""


def direction_of(name: str, declared: MetricDirections) -> bool:
    """Return whether a larger value of the metric `name` is better.

    Raises `EvaluationError`, with the way to declare it, if that is unknown.
    """
    higher = higher_is_better(name, declared.directions)
    if higher is None:
        raise EvaluationError(
            f"It is unknown whether a higher or a lower '{name}' is better.",
            remedy=declared.direction_remedy(name),
        )
    return higher


def _words(name: str) -> list[str]:
    known = HIGHER | LOWER | IGNORED
    words = []
    for word in _WORD.findall(name):
        plain = word.lower()
        words.append(plain if plain in known else plain.rstrip("0123456789"))
    return words


@dataclass(frozen=True)
class Tolerance:
    """The allowed worsening of a metric: absolute, or relative to the unpruned value."""

    amount: float
    relative: bool = False

    @classmethod
    def parse(cls, text: str) -> Tolerance:
        """Parse ``0.01`` or ``1%``, which is relative.

        Raises `ParameterError` for other text, negative numbers, NaN and infinity.
        """
        plain = text.strip()
        relative = plain.endswith("%")
        try:
            amount = float(plain.removesuffix("%").strip())
        except ValueError:
            amount = math.nan
        if not (math.isfinite(amount) and amount >= 0):
            raise ParameterError(
                f"'--at-most' must be a number of at least 0, or a percentage (got '{text}').",
                remedy="0.01 is in the unit of the metric, 1% is relative to the original.",
            )
        return cls(amount / 100 if relative else amount, relative)

    def is_exceeded(self, value: float, original: float, *, higher: bool) -> bool:
        """Return whether a value is worse than the unpruned one by more than the tolerance.

        False if it is worse by exactly the tolerance, up to rounding errors, and if it is better.
        `higher`: whether a higher value is better.
        """
        worse = original - value if higher else value - original
        allowed = self.amount * (abs(original) if self.relative else 1.0)
        # Ignore rounding errors: 0.98 - 0.97 > 0.01 in floating point.
        rounding = 4 * sys.float_info.epsilon * max(abs(value), abs(original), allowed)
        return worse - allowed > rounding


@dataclass(frozen=True)
class Spread:
    """The variation of a metric without any change of the model."""

    repeated: float  # difference of two runs with one seed
    reseeded: float  # difference to a run with another seed

    @property
    def largest(self) -> float:
        """The larger of the two."""
        return max(self.repeated, self.reseeded)


@dataclass(frozen=True)
class Band:
    """The noise interval of a difference of two values."""

    half: float  # half of its width
    words: str  # description for the user

    def holds(self, difference: float) -> bool:
        """Return whether a difference is within the band; False for a band without width."""
        return self.half > 0 and abs(difference) <= self.half


def band_of(metric: Metric, original: Metric, spread: Spread) -> Band:
    """Return the noise of the difference of two values of a metric.

    A paired 95 % interval if both have the same number of samples, more than one; else a 95 %
    interval of the counts if both have counts; else the largest spread. The width is 0 if that is
    0, which means that the noise is unknown.
    """
    n = len(metric.samples)
    if n > 1 and n == len(original.samples):
        half = _paired_half_interval(metric.samples, original.samples)
        return Band(half, f"95 % confidence interval from {n:,} paired samples")
    if metric.counts is not None and original.counts is not None:
        return Band(
            _independent_half_interval(metric.counts, original.counts),
            f"95 % confidence interval from {metric.counts[1]:,} samples",
        )
    if spread.largest > 0:
        return Band(spread.largest, "largest spread of three runs of the unpruned model")
    return Band(0.0, "repeatable; the sampling error is unknown")


def _paired_half_interval(values: Sequence[float], others: Sequence[float]) -> float:
    """Return half of the 95 % interval of the mean difference of two values per sample.

    Needs two samples or more, the same number in both.
    """
    differences = [a - b for a, b in zip(values, others, strict=True)]
    n = len(differences)
    if all(d in {-1.0, 0.0, 1.0} for d in differences):
        # Agresti and Min (2005): add half a sample to each of the four cells. The usual interval
        # would have no width if no sample changed.
        up, down = differences.count(1.0) + 0.5, differences.count(-1.0) + 0.5
        n += 2
        return _QUANTILE * math.sqrt(max(0.0, up + down - (up - down) ** 2 / n)) / n
    mean = math.fsum(differences) / n
    variance = math.fsum((d - mean) ** 2 for d in differences) / (n - 1)
    return _student(n - 1) * math.sqrt(variance / n)


def _independent_half_interval(counts: tuple[int, int], others: tuple[int, int]) -> float:
    """Return half of the 95 % interval of the difference of two shares (Agresti and Caffo, 2000).

    Each is given as (right, total). Counts do not tell which samples changed, so the samples are
    assumed to be independent, which gives a wider interval than pairing.
    """
    variance = 0.0
    for right, total in (counts, others):
        share = (right + 1) / (total + 2)
        variance += share * (1 - share) / (total + 2)
    return _QUANTILE * math.sqrt(variance)


def _student(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t distribution with `freedom` degrees of freedom.

    From a table for 1 to 5, by the Cornish-Fisher expansion above.
    """
    z, v = _QUANTILE, freedom
    if v < 6:
        return (12.706, 4.3027, 3.1824, 2.7764, 2.5706)[v - 1]
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / v + second / v**2 + third / v**3
