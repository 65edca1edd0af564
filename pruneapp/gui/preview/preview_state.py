"""The state of the preview, as an immutable value that is passed to all views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from pruneapp.analysis.histogram_store import Assignment
from pruneapp.analysis.sparsity_report import Danger, SparsityReport, TensorSparsity
from pruneapp.document.selection import axis_of
from pruneapp.document.step import Step, takes_channels
from pruneapp.errors import NothingToPruneError, ParameterError, PruneAppError, SelectionError
from pruneapp.export.size_bounds import CompactSize
from pruneapp.groups.family import AxisName
from pruneapp.methods import registry
from pruneapp.preview.estimate import Estimate
from pruneapp.preview.preview import Preview


class PreviewStage(Enum):
    """What a `PreviewState` shows."""

    NOTHING = auto()  # no document is open
    # the numbers of a step are being computed; those of the previous step are shown
    REQUESTED = auto()
    ESTIMATED = auto()
    EXACT = auto()
    APPLIED = auto()  # the current state of the document
    FAILED = auto()


@dataclass(frozen=True)
class StepUnits:
    """What a step prunes in its own unit, for the button."""

    count: int = 0  # number of channels, or of units of groups; 0 to show weights
    axis: AxisName = "channels"  # what `count` counts
    tensors: int = 0  # number of tensors to show with the weights; 0 to show none


NO_UNITS = StepUnits()


@dataclass(frozen=True, eq=False)
class CurrentState:
    """Information about the current state of the document."""

    # report of the prune that led to this state; None if it was not a prune
    applied: SparsityReport | None = None
    step: Step | None = None  # that prune, if it ranked weights by their values, not by scores
    methods: tuple[str, ...] = ()  # the names of the methods of its rules, in order
    report: SparsityReport | None = None  # relative to the opened file; None until it is computed
    most_pruned: tuple[TensorSparsity, ...] = ()
    compact: CompactSize | None = None  # of a compact file

    def threshold(self, name: str) -> float | None:
        """Return the magnitude below which the last prune pruned a tensor.

        `name` is the name in the file. None if the state is not the result of a prune, the tensor
        was not pruned by it, or the last rule for the tensor does not rank by magnitude.
        """
        tensor = None if self.applied is None else self.applied.by_name.get(name)
        if tensor is None or self.step is None:
            return None
        row = next((row for row in reversed(self.step.rows) if name in row.names), None)
        if row is None or registry.get(row.method).estimated_by != "magnitudes":
            return None
        return tensor.threshold


UNASSIGNED = Assignment()  # compared by identity


@dataclass(frozen=True, eq=False)
class PreviewState:
    """The step of the form, what is known about it, and whether it is shown.

    After a prune, an undo or a jump in the history, the current state of the document is shown. The
    next step of the form is computed nevertheless, and shown once the user requests it.
    """

    step: Step | None = None
    request: int = 0  # number of steps requested so far
    requested: bool = True  # whether the step is shown; otherwise the current state
    estimated: bool = False  # otherwise estimate and report are those of the previous step
    is_behind: bool = False  # whether the latest step is not estimated yet, only an earlier one
    estimate: Estimate | None = None
    preview: Preview | None = None
    known: SparsityReport | None = None  # report of the preview, or else of the estimate
    compact: CompactSize | None = None  # of a compact file after the step
    counted: bool = False  # whether all histograms that an estimate needs are counted
    assignment: Assignment = UNASSIGNED
    error: PruneAppError | None = None
    current: CurrentState = field(default_factory=CurrentState)
    # Tensors of the current state that keep too little, from the last report.
    dangers: Mapping[str, Danger] = field(default_factory=dict)

    @property
    def stage(self) -> PreviewStage:
        if self.error is not None and not (self.is_form_error and not self.requested):
            return PreviewStage.FAILED
        if not self.requested:
            return PreviewStage.APPLIED
        if self.step is None:
            return PreviewStage.NOTHING
        if self.preview is not None:
            return PreviewStage.EXACT
        return PreviewStage.ESTIMATED if self.estimated else PreviewStage.REQUESTED

    @property
    def is_form_error(self) -> bool:
        """Whether `error` is one of the settings, other than that nothing is left to prune.

        Such an error is not shown while the step is not requested. False without an error.
        """
        return isinstance(self.error, ParameterError | SelectionError) and not isinstance(
            self.error, NothingToPruneError
        )

    @property
    def shown(self) -> Preview | None:
        return self.preview if self.requested else None

    @property
    def report(self) -> SparsityReport | None:
        """The report of the step as far as known, if it is shown."""
        return self.known if self.requested else None

    @property
    def is_sure(self) -> bool:
        """Whether the values of each tensor in `report` are exact."""
        return self.preview is not None or (
            self.estimate is not None and self.estimate.exact_report
        )

    @property
    def units(self) -> StepUnits:
        """What the step prunes in its own unit.

        The number of units of groups, and of the channels that are pruned with dependents, is known
        once there is an exact preview.
        """
        if self.step is None or self.estimate is None:
            return NO_UNITS
        if self.mixed_tensors:
            return StepUnits(tensors=self.mixed_tensors)
        axis = axis_of(self.step.rows[0])
        if self.preview is not None and (axis is not None or self.preview.units):
            return StepUnits(self.preview.units, axis or "channels")
        return StepUnits(self.estimate.channels)

    @property
    def mixed_tensors(self) -> int:
        """The number of tensors of a step whose rules prune different units; 0 for others."""
        if self.step is None or self.estimate is None:
            return 0
        rows = [row for row in self.step.rows if row.prunes]
        return self.estimate.tensors if len({takes_channels(row) for row in rows}) > 1 else 0

    @property
    def can_separate(self) -> bool:
        """Whether the scope of the step is global, and its methods can prune per tensor."""
        step = self.step
        if step is None or step.scope != "global":
            return False
        return all("local" in registry.get(row.method).scopes for row in step.rows)

    @property
    def masks_added(self) -> int | None:
        """Number of tensors that get a mask from a step that cannot prune; None for others."""
        if self.step is None or self.preview is None or any(row.prunes for row in self.step.rows):
            return None
        return sum(mask is None for mask in self.preview.edit.before["masks"].values())

    @property
    def repeats(self) -> bool:
        """Whether the step has the methods of the prune that led to the current state."""
        return (
            self.step is not None
            and self.current.applied is not None
            and tuple(row.method for row in self.step.rows) == self.current.methods
        )

    @property
    def repeated_amount(self) -> float | None:
        """The fraction of the form, if it repeats the prune that led to the current state.

        None for other amounts, for several rules, and with a target of total sparsity.
        """
        if self.step is None or len(self.step.rows) != 1 or not self.repeats:
            return None
        amount = self.step.rows[0].values.get("amount")
        return (
            amount
            if isinstance(amount, float) and self.step.limits.target_sparsity is None
            else None
        )
