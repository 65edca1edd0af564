"""The measures of size for the horizontal axis of the page Quality."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from pruneapp.evaluation.metric import MeasuredState, StateQuality
from pruneapp.gui.widgets.labels import translate
from pruneapp.gui.widgets.number_format import count, packed_size_help, percent, size


class QualityMeasure(Enum):
    """A measure of the size of a state."""

    SPARSITY = "sparsity"
    REMAINING = "remaining"
    BYTES = "bytes"
    SHRUNK = "shrunk"
    MULTIPLY_ADDS = "multiply-adds"


@dataclass(frozen=True)
class QualityAxis:
    """A measure of size: its texts, and functions to get and format the number of a state."""

    measure: QualityMeasure
    label: str  # used inside sentences and as a column header
    help: str
    up_to: str  # text for the smallest state, such as "up to {x} pruned"
    number_of: Callable[[StateQuality], float | None]  # returns None if the number is unknown
    text: Callable[[float], str]
    smaller: int = 1  # 1 if smaller states have smaller numbers, -1 if larger

    @property
    def title(self) -> str:
        """The label with a capital first letter, for a list."""
        return self.label[:1].upper() + self.label[1:]

    def value_of(self, state: MeasuredState) -> float | None:
        """Return the number of a state; None if it is unknown."""
        return self.number_of(state.quality)

    def unit(self, numbers: Iterable[float]) -> tuple[float, str]:
        """Return the divisor for the numbers on the axis, and the title of the axis.

        The divisor is 1, a thousand, a million or a billion, the largest that the largest number
        reaches; 0.01 for percent.
        """
        if self.measure is QualityMeasure.SPARSITY:
            return 0.01, translate("QualityAxis", "sparsity, %")
        if self.measure in {QualityMeasure.BYTES, QualityMeasure.SHRUNK}:
            return 1.0, self.label
        most = max(numbers, default=0.0)
        units = (
            (1e9, translate("QualityAxis", "{what}, billions")),
            (1e6, translate("QualityAxis", "{what}, millions")),
            (1e3, translate("QualityAxis", "{what}, thousands")),
        )
        unit, title = next((each for each in units if most >= each[0]), (1.0, "{what}"))
        return unit, title.format(what=self.label)


def quality_axes() -> tuple[QualityAxis, ...]:
    """Return all axes with texts in the language of the window, the default one first."""
    return (
        QualityAxis(
            QualityMeasure.SPARSITY,
            translate("QualityAxis", "sparsity"),
            translate("QualityAxis", "Share of the parameters of the model that are pruned"),
            translate("QualityAxis", "{x} pruned"),
            lambda quality: quality.sparsity,
            percent,
            smaller=-1,
        ),
        QualityAxis(
            QualityMeasure.REMAINING,
            translate("QualityAxis", "parameters remaining"),
            translate("QualityAxis", "Parameters of the model that are not pruned"),
            translate("QualityAxis", "{x} parameters"),
            lambda quality: quality.remaining,
            lambda number: count(round(number)),
        ),
        QualityAxis(
            QualityMeasure.BYTES,
            translate("QualityAxis", "packed size"),
            packed_size_help(),
            translate("QualityAxis", "packed size {x}"),
            lambda quality: quality.nbytes,
            lambda number: size(round(number)),
        ),
        QualityAxis(
            QualityMeasure.SHRUNK,
            translate("QualityAxis", "size of the shrunk file"),
            translate(
                "QualityAxis",
                "Bytes of the file that Export > Shrunk writes if it removes the units whose "
                "weights are all pruned",
            ),
            translate("QualityAxis", "down to {x} in the shrunk file"),
            lambda _quality: None,  # computed by the window
            lambda number: size(round(number)),
        ),
        QualityAxis(
            QualityMeasure.MULTIPLY_ADDS,
            translate("QualityAxis", "multiply-adds per input"),
            translate(
                "QualityAxis",
                "Multiply-adds (MACs) of unpruned weights in matrices and convolutions, for one "
                "input of the script. Theoretical: zeros alone make nothing faster",
            ),
            translate("QualityAxis", "{x} multiply-adds per input"),
            lambda quality: quality.multiply_adds,
            lambda number: count(round(number)),
        ),
    )
