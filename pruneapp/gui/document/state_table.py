"""The states of a history as rows of a table: of the panel History and of the page Quality."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pruneapp.evaluation.metric import MeasuredState, MetricChange
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.clipboard import Numbers
from pruneapp.gui.widgets.labels import translate
from pruneapp.gui.widgets.reports import mark_calibrated

_DIGITS = 6  # significant digits of copied numbers


@dataclass(frozen=True)
class StateRow:
    """A state of the history."""

    number: int
    label: str
    sparsity: float | None = None  # share of the model's parameters; None if it is not known
    nbytes: int | None = None  # of all tensors in a compact file; None if it is not known
    metrics: tuple[MetricChange, ...] = ()
    note: str = ""
    is_unpruned: bool = False  # whether it is the unpruned model that others are compared with

    @classmethod
    def of(cls, state: MeasuredState) -> StateRow:
        """Return the row of a measured state."""
        quality = state.quality
        return cls(
            state.number,
            state.label,
            quality.sparsity,
            quality.nbytes,
            quality.metrics,
            state.note,
            quality.unpruned,
        )

    def metric(self, name: str) -> MetricChange | None:
        """Return the metric called `name`; None if it was not measured."""
        return next((metric for metric in self.metrics if metric.name == name), None)


@dataclass(frozen=True)
class StateColumn:
    """A column of numbers or texts."""

    header: str
    cell: Callable[[StateRow], object]


class StateTable:
    """Rows of states, with the columns that all tables of states have."""

    def __init__(self, rows: Sequence[StateRow] = ()) -> None:
        self.rows = tuple(rows)
        self.metrics = metric_names(row.metrics for row in self.rows)

    def before_metrics(self) -> list[StateColumn]:
        """Return the columns with the name of a state and its sparsity."""
        return [
            StateColumn(translate("States", "state"), lambda row: row.label),
            StateColumn(translate("States", "sparsity"), lambda row: row.sparsity),
        ]

    def metric_columns(self, name: str, *, is_only: bool = False) -> list[StateColumn]:
        """Return the columns of a metric: value, difference from the unpruned model, and noise.

        `is_only`: the headers of the last two do not repeat the name. Cells are "" if a state has
        no such value.
        """

        def cell(value: Callable[[MetricChange], object]) -> Callable[[StateRow], object]:
            def read(row: StateRow) -> object:
                metric = row.metric(name)
                return "" if metric is None else value(metric)

            return read

        def read_noise(row: StateRow) -> object:
            metric = row.metric(name)
            # That of the unpruned model is not the noise of a difference.
            return "" if metric is None or row.is_unpruned else metric.half or ""

        title = number_format.metric_title(name)
        difference, noise = translate("States", "difference"), translate("States", "noise ±")
        if not is_only:
            both = translate("States", "{metric}: {what}")
            difference = both.format(metric=title, what=difference)
            noise = both.format(metric=title, what=noise)
        return [
            StateColumn(title, cell(lambda metric: metric.value)),
            StateColumn(difference, cell(lambda metric: metric.difference)),
            StateColumn(noise, read_noise),
        ]

    def after_metrics(self) -> list[StateColumn]:
        """Return the columns with the size and the note of a state."""
        return [
            StateColumn(
                translate("States", "bytes"), lambda row: "" if row.nbytes is None else row.nbytes
            ),
            StateColumn(translate("States", "note"), lambda row: row.note),
        ]

    def numbers(self, columns: Sequence[StateColumn] = ()) -> Numbers:
        """Return the numbers of all rows; by default of all columns that tables of states have."""
        rows = self.rows
        if not columns:
            columns = [
                *self.before_metrics(),
                *(column for name in self.metrics for column in self.metric_columns(name)),
                *self.after_metrics(),
            ]
        return Numbers(
            tuple(column.header for column in columns),
            len(rows),
            lambda at: tuple(column.cell(rows[at]) for column in columns),
            shares=frozenset({1}),
        )

    def texts(self) -> Numbers:
        """Return the numbers as texts with six significant digits, for the clipboard."""
        numbers = self.numbers()

        def row(at: int) -> list[str]:
            cells = numbers.row(at)
            return [
                number_format.exact_percent(cell) if column in numbers.shares else _as_text(cell)
                for column, cell in enumerate(cells)
            ]

        return Numbers(numbers.headers, numbers.rows, row)


def _as_text(cell: object) -> str:
    if isinstance(cell, float):
        return number_format.locale().toString(cell, "g", _DIGITS)
    return str(cell)


def metric_names(results: Iterable[Iterable[MetricChange]]) -> tuple[str, ...]:
    """Return the names of metrics that have a column: those that measure quality.

    Durations and counts have one only if there is nothing else.
    """
    found = {metric.name: metric.judged for metrics in results for metric in metrics}
    return tuple(name for name in found if found[name]) or tuple(found)


def metric_text(metric: MetricChange, *, brief: bool = False, decimals: int = 0) -> str:
    """Return a metric, its difference from the unpruned model, and the noise of the difference.

    ``74.2 % −24.7 ±1.1``; "†" marks a state that was calibrated with the data of the evaluation.
    `brief` leaves out the difference. `decimals`: see `number_format.metric`.
    """
    text = number_format.metric(metric.value, share=metric.share, decimals=decimals)
    if metric.difference and not brief:
        amount = number_format.metric_amount(metric.difference, share=metric.share)
        text += f" {number_format.with_sign(amount, metric.difference)}"
        if metric.half:
            text += f" ±{number_format.metric_noise(metric.half, share=metric.share)}"
    return mark_calibrated(text, metric)
